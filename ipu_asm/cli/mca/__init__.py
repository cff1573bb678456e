"""The command `ipu-mca`, and its options."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from typing import Mapping, NoReturn, Sequence

from ipu_asm.cli.arguments import (
    DEFINE,
    EXCLUDE,
    FORCE_EXCLUDE,
    VERSION,
    ArgumentParser,
    Options,
    color_option,
    define,
    flag,
    isa_option,
    option,
    repeated,
    warnings_option,
)
from ipu_asm.cli.run.host_options import WrongOptionError, joined, register_option, variants_of
from ipu_asm.config import Value
from ipu_asm.config.files import STANDARD_INPUT
from ipu_asm.config.kernel_keys import WIDE, WIDE_MODES
from ipu_asm.isa.operands import quoted

PROGRAM = "ipu-mca"
TEXT, JSON, HTML, GITHUB = FORMATS = ("text", "json", "html", "github")
_EXAMPLES = """\
examples:
  ipu-mca kernel.s
  ipu-mca kernel.s --cr 4=64 --cr 5=0x1000
  ipu-mca kernel.asm --context taps=5 --format html -o report.html
  ipu-mca kernel.s --pack -o packed.s
  ipu-mca kernel.s --pack --rebase --pipeline --cr 4=64 -o packed.s
  ipu-mca kernels --format github
  ipu-mca kernel.s --isa ipu2 --wide fp32
  ipu-mca kernel.aie2 --certify
  ipu-mca kernel.s --baseline old.s --fail-on-regression 2%

No data is needed: cycles, trips and addresses follow from loop registers and branches, which never
depend on it. What a CR decides needs its value: from --cr, from a comment `# CR cr4 = 64`, or from
`[kernel."kernel.s"]` in ipu.toml, or from its `run` there, in this order. Numbers are decimal, or
begin with 0x, 0b or 0o; underscores may separate digits.

formats:
  text    for a terminal
  json    one object: cycles, bundles, loops, accesses, unknown; of several files or a folder, a
          list of them, each with its `file`
  html    one self-contained page
  github  errors and warnings alone, as annotations for GitHub Actions

exit status:
  0  the program is right
  1  errors in it, a false assertion, a run that would fault or never end, or a regression
  2  wrong usage or an unreadable file
  3  internal error
Of several programs, it is the highest. With --certify it is
  0  every result lands in time, on all paths
  1  a path on which one does not
  3  not all could be followed: results on their way into other files, or cycles that are not public
"""
_LISTS = ("--cr", "--lr", "--context", "--define")
_PRESET = "the value of {} register N when the program starts"
_OUTPUT = "output"


def _mode_help() -> str:
    """Return the help text of the option."""
    found = variants_of(WIDE)
    summary = next(iter(found.values())).summary
    stated = f"what a comment `# CR {WIDE} = ...` or ipu.toml states, else {WIDE_MODES[0]}"
    return f"{', '.join(found)}: {summary}: {', '.join(WIDE_MODES)} (default: {stated})"


def _mode_number(text: str) -> int:
    """Return the number of a mode in configurations of the host. Raises `ArgumentTypeError`."""
    mode = text.lower()
    if mode not in WIDE_MODES:
        raise ArgumentTypeError(f"expected one of {', '.join(WIDE_MODES)}, found {quoted(text)}")
    return WIDE_MODES.index(mode)


def _percentage(text: str) -> float:
    """Return a number of percent. Raises `ArgumentTypeError`."""
    try:
        found = float(text.strip().removesuffix("%"))
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ArgumentTypeError(f"expected a percentage such as 2%, found {quoted(text)}")
    return found


class McaOptions(Options):
    """The options of `ipu-mca`; `wide` is the number of the mode if it is given."""

    paths: tuple[str, ...] = option(
        nargs="*",
        convert=tuple,
        metavar="PATH",
        help="a program, a folder to search for sources, or `-` for standard input",
    )
    isa: str | None = isa_option()
    exclude: tuple[str, ...] = EXCLUDE
    force_exclude: bool = FORCE_EXCLUDE
    cr: Mapping[int, int] = register_option("cr", _PRESET)
    lr: Mapping[int, int] = register_option("lr", _PRESET)
    wide: int | None = option(f"--{WIDE}", type=_mode_number, metavar="TYPE", help=_mode_help())
    context: Mapping[str, Value] = repeated(
        "--context",
        type=define,
        convert=dict,
        metavar="NAME=VALUE",
        help="choose the context of a template by a value in it; repeatable",
    )
    given_defines: Mapping[str, Value] = DEFINE
    version = VERSION

    format: str = option(
        "--format",
        group=_OUTPUT,
        choices=FORMATS,
        default=TEXT,
        metavar="NAME",
        help=f"the format: {', '.join(FORMATS)} (default: {TEXT})",
    )
    pack: bool = flag(
        "--pack",
        group=_OUTPUT,
        help="write the program with its instructions packed into fewer bundles",
    )
    pipeline: bool = flag(
        "--pipeline",
        group=_OUTPUT,
        help="with --pack: let the iterations of loops overlap where that saves cycles",
    )
    rebase: bool = flag(
        "--rebase",
        group=_OUTPUT,
        help="with --pack: update loop registers less often where that saves cycles",
    )
    certify: bool = flag(
        "--certify",
        group=_OUTPUT,
        help="check that every instruction gets the result that is meant for it, on all paths",
    )
    baseline: str | None = option(
        "--baseline",
        group=_OUTPUT,
        metavar="OLD",
        help="compare with an older version, source or object: numbers, and the lines that differ",
    )
    fail_on_regression: float | None = option(
        "--fail-on-regression",
        group=_OUTPUT,
        type=_percentage,
        metavar="PERCENT",
        help="with --baseline: exit with 1 if cycles grow by more than that, such as 2%%",
    )
    schedule: bool = flag(
        "--schedule",
        group=_OUTPUT,
        help="xdna1, xdna2, colossus: write operations that are in order, one a line, as bundles",
    )
    output: str | None = option(
        "-o",
        "--output",
        group=_OUTPUT,
        metavar="OUT",
        help="write to OUT (default: standard output)",
    )
    color: str = color_option(group=_OUTPUT)
    warnings: bool = warnings_option(group=_OUTPUT)

    # Each file has its nearest configuration file, standard input has no path.
    stdin_filename = None
    config = None
    isolated = False

    @property
    def presets(self) -> dict[str, int]:
        """The values of registers by name, and the number of the mode if it is given."""
        files = {"cr": self.cr, "lr": self.lr}
        registers = {f"{file}{n}": value for file in files for n, value in files[file].items()}
        return registers if self.wide is None else {**registers, WIDE: self.wide}

    @property
    def defines(self) -> dict[str, Value]:
        """The names that choose a context of a template or are given to it."""
        return {**self.context, **self.given_defines}

    @property
    def writes_file(self) -> bool:
        """Whether the output is a file and not standard output."""
        return self.output not in (None, STANDARD_INPUT)

    @property
    def is_for_one(self) -> bool:
        """Whether one file is reported, and no list of files."""
        return len(self.paths) == 1 and not os.path.isdir(self.paths[0])


def make_parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] PATH ...",
        description="Report cycles, loops, bounds and addresses of a program without running it.",
        epilog=_EXAMPLES,
    )
    parser.add_options(McaOptions.declared())
    return parser


def usage_error(message: str) -> NoReturn:
    """Print how the command is used and a message, and exit the process."""
    make_parser().error(message)


def read_options(arguments: Sequence[str] | None) -> McaOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = make_parser()
    given = sys.argv[1:] if arguments is None else arguments
    parsed = parser.parse_intermixed([*joined(given, _LISTS)], "paths")
    if not parsed.paths:
        parser.error("expected PATH, a program, a folder, or `-` for standard input, found none")
    options = McaOptions.of(parsed)
    if options.pack and options.format != TEXT:
        parser.error(f"--pack writes a program, found --format {options.format}")
    for name, is_given in (("--pipeline", options.pipeline), ("--rebase", options.rebase)):
        if is_given and not options.pack:
            parser.error(f"{name} is a part of packing: give --pack as well")
    if options.fail_on_regression is not None and options.baseline is None:
        parser.error("--fail-on-regression needs --baseline OLD to compare with")
    if options.baseline is not None and (
        options.pack or not options.is_for_one or options.format not in (TEXT, JSON)
    ):
        parser.error("--baseline compares one program with another one, as text or json")
    if options.certify and (options.pack or options.format not in (TEXT, JSON)):
        what = "--pack" if options.pack else f"--format {options.format}"
        parser.error(f"--certify writes text or json, found {what}")
    beside = options.pack or options.certify or options.baseline is not None
    if options.schedule and (beside or options.format != TEXT):
        parser.error("--schedule writes a program: found another output beside it")
    if not options.is_for_one and (options.pack or options.schedule or options.format == HTML):
        written = "--schedule" if options.schedule else f"--format {HTML}"
        what = "--pack" if options.pack else written
        parser.error(f"{what} is for one program, found several files or a folder")
    return options


def check_mode(isa_name: str, presets: Mapping[str, int]) -> None:
    """Check that the machine of a set has the mode, if one is given. Raises `WrongOptionError`."""
    if WIDE not in presets:
        return
    variants, mode = variants_of(WIDE), WIDE_MODES[presets[WIDE]]
    if isa_name not in variants:
        message = f"a mode of {', '.join(variants)}, found a program for {isa_name}"
        raise WrongOptionError(f"argument --{WIDE}: {message}")
    choices = variants[isa_name].choices
    if mode not in choices:
        expected = ", ".join(choices)
        raise WrongOptionError(f"argument --{WIDE}: expected one of {expected}, found `{mode}`")
