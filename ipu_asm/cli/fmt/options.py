"""The command line of `ipu-fmt`."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from ipu_asm import __version__
from ipu_asm.cli.arguments import ArgumentParser, add_isa_option
from ipu_asm.cli.console import COLOR_CHOICES
from ipu_asm.config.configuration import FORMAT_STYLES, MNEMONIC_CASES
from ipu_asm.config.files import STANDARD_INPUT

PROGRAM = "ipu-fmt"

_EXAMPLES = """\
examples:
  ipu-fmt                          format all sources below the current folder
  ipu-fmt --check kernels          name the files that would change, as for CI
  ipu-fmt --diff kernel.s          show what would change
  ipu-fmt --style bundle kernel.s  one bundle on each line
  ipu-fmt - < kernel.s

Blanks and line breaks change, and the case of mnemonics if asked, never other words: the program
stays the same. Lines with mistakes stay as they are.

exit status:
  0  all files are formatted now
  1  with --check or --diff: files would change
  2  wrong usage, a mistake in the configuration, an unusable file
  3  internal error
"""


class FmtOptions(NamedTuple):
    """The options of `ipu-fmt`; None if the configuration decides."""

    paths: tuple[str, ...]
    isa: str | None
    style: str | None
    mnemonic_case: str | None
    check: bool
    diff: bool
    stdin_filename: str | None
    exclude: tuple[str, ...]
    force_exclude: bool
    config: str | None
    isolated: bool
    color: str


def read_options(arguments: Sequence[str] | None) -> FmtOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    values: dict[str, Any] = vars(parser.parse_intermixed(arguments, "paths"))
    paths = tuple(values.pop("paths"))
    if not paths:
        paths = (".",) if values["stdin_filename"] is None else (STANDARD_INPUT,)
    globs = (glob.strip() for given in values.pop("exclude") for glob in given.split(","))
    options = FmtOptions(paths, exclude=tuple(glob for glob in globs if glob), **values)
    if options.stdin_filename is not None and STANDARD_INPUT not in paths:
        parser.error("--stdin-filename applies to standard input, but no PATH is `-`")
    if options.config and options.isolated:
        parser.error("--config and --isolated exclude each other")
    return options


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage="ipu-fmt [options] [PATH ...]",
        description="Format assembly sources in place, as the editor does.",
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file, a folder to search for sources, or `-` to format standard input to standard "
        "output (default: the current folder)",
    )
    parser.add_argument("--stdin-filename", metavar="NAME", help="the path of standard input")
    add_isa_option(parser)
    parser.add_argument(
        "--style",
        choices=FORMAT_STYLES,
        help="line breaks as written (keep), after each instruction, or after each bundle "
        "(default: the configuration; else keep)",
    )
    parser.add_argument(
        "--mnemonic-case",
        choices=MNEMONIC_CASES,
        help="case of mnemonics, in instruction sets that accept any case "
        "(default: the configuration; else keep)",
    )
    parser.add_argument(
        "--check", action="store_true", help="name the files that would change; change none"
    )
    parser.add_argument(
        "--diff", action="store_true", help="show what would change, without changing files"
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOBS",
        help="leave these files and folders out as well; globs as in .gitignore, with commas",
    )
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="leave out excluded files also where they are named as PATH",
    )
    parser.add_argument(
        "--config", metavar="FILE", help="use this ipu.toml or pyproject.toml, not the nearest one"
    )
    parser.add_argument("--isolated", action="store_true", help="ignore all configuration files")
    parser.add_argument(
        "--color",
        choices=COLOR_CHOICES,
        default="auto",
        help="when to use colors in a diff (default: auto)",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser
