"""The command line of `ipu-mca`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from typing import Any, Mapping, NoReturn, Sequence

from ipu_asm import __version__
from ipu_asm.cli.arguments import (
    ArgumentParser,
    add_define_option,
    add_isa_option,
    add_warnings_option,
    define,
)
from ipu_asm.cli.file_options import add_exclude_options, names_in
from ipu_asm.cli.run.host_options import WrongOptionError, variants_of
from ipu_asm.cli.run.option_values import add_register_options, joined
from ipu_asm.config.configuration import Value
from ipu_asm.config.kernel_keys import WIDE, WIDE_MODES
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple

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

No data is needed: cycles, trips and addresses follow from loop registers and branches, which never
depend on it. What a CR decides needs its value: from --cr, from a comment `# CR cr4 = 64`, or from
`[kernel."kernel.s"]` in ipu.toml, in this order. Numbers are decimal, or begin with 0x, 0b or 0o;
underscores may separate digits.

formats:
  text    for a terminal
  json    one object: cycles, bundles, loops, accesses, unknown; of several files or a folder, a
          list of them, each with its `file`
  html    one self-contained page
  github  errors and warnings alone, as annotations for GitHub Actions

exit status:
  0  the program is right
  1  errors in it, a false assertion, or a run that would fault or never end
  2  wrong usage or an unreadable file
  3  internal error
Of several programs, it is the highest.
"""


_LISTS = ("--cr", "--lr", "--context", "--define")


class McaOptions(NamedTuple):
    """The options of `ipu-mca`.

    `presets` are the values of registers by name, and the number of the mode if it is given.
    """

    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    force_exclude: bool
    isa: str | None
    format: str
    presets: Mapping[str, int]
    defines: Mapping[str, Value]
    pack: bool
    pipeline: bool
    rebase: bool
    output: str | None
    warnings: bool

    @property
    def is_for_one(self) -> bool:
        """Whether one file is reported, and no list of files."""
        return len(self.paths) == 1 and not os.path.isdir(self.paths[0])

    @property
    def stdin_filename(self) -> None:
        """Standard input has no path."""

    @property
    def config(self) -> None:
        """Each file has its nearest configuration file."""

    @property
    def isolated(self) -> bool:
        """Whether configuration files are ignored."""
        return False


def usage_error(message: str) -> NoReturn:
    """Print how the command is used and a message, and exit the process."""
    _parser().error(message)


def read_options(arguments: Sequence[str] | None) -> McaOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    namespace = parser.parse_intermixed([*joined(given, _LISTS)], "paths")
    if not namespace.paths:
        parser.error("expected PATH, a program, a folder, or `-` for standard input, found none")
    values: dict[str, Any] = vars(namespace)
    values["paths"], values["exclude"] = tuple(values["paths"]), names_in(values["exclude"])
    context, defines = values.pop("context"), values.pop("defines")
    presets = {
        f"{file}{number}": value for file in ("cr", "lr") for number, value in values.pop(file)
    }
    mode = values.pop(WIDE)
    presets |= {} if mode is None else {WIDE: mode}
    options = McaOptions(**values, presets=presets, defines={**dict(context), **dict(defines)})
    if options.pack and options.format != TEXT:
        parser.error(f"--pack writes a program, found --format {options.format}")
    for name, is_given in (("--pipeline", options.pipeline), ("--rebase", options.rebase)):
        if is_given and not options.pack:
            parser.error(f"{name} is a part of packing: give --pack as well")
    if not options.is_for_one and (options.pack or options.format == HTML):
        what = "--pack" if options.pack else f"--format {HTML}"
        parser.error(f"{what} is for one program, found several files or a folder")
    return options


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] PATH ...",
        description="Report cycles, loops, bounds and addresses of a program without running it.",
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a program, a folder to search for sources, or `-` for standard input",
    )
    add_isa_option(parser)
    add_exclude_options(parser)
    add_register_options(parser, "the value of {} register N when the program starts")
    parser.add_argument(f"--{WIDE}", type=mode_number, metavar="TYPE", help=mode_help())
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        type=define,
        metavar="NAME=VALUE",
        help="choose the context of a template by a value in it; repeatable",
    )
    add_define_option(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=FORMATS,
        default=TEXT,
        metavar="NAME",
        help=f"the format: {', '.join(FORMATS)} (default: {TEXT})",
    )
    group.add_argument(
        "--pack",
        action="store_true",
        help="write the program with its instructions packed into fewer bundles",
    )
    group.add_argument(
        "--pipeline",
        action="store_true",
        help="with --pack: let the iterations of loops overlap where that saves cycles",
    )
    group.add_argument(
        "--rebase",
        action="store_true",
        help="with --pack: update loop registers less often where that saves cycles",
    )
    group.add_argument(
        "-o", "--output", metavar="OUT", help="write to OUT (default: standard output)"
    )
    add_warnings_option(group)
    return parser


def mode_help() -> str:
    """Return the help text of the option."""
    found = variants_of(WIDE)
    summary = next(iter(found.values())).summary
    stated = f"what a comment `# CR {WIDE} = ...` or ipu.toml states, else {WIDE_MODES[0]}"
    return f"{', '.join(found)}: {summary}: {', '.join(WIDE_MODES)} (default: {stated})"


def mode_number(text: str) -> int:
    """Return the number of a mode in configurations of the host. Raises `ArgumentTypeError`."""
    mode = text.lower()
    if mode not in WIDE_MODES:
        raise ArgumentTypeError(f"expected one of {', '.join(WIDE_MODES)}, found {quoted(text)}")
    return WIDE_MODES.index(mode)


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
