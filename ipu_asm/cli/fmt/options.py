"""The command line of `ipu-fmt`."""

from __future__ import annotations

from typing import Any, Sequence

from ipu_asm import __version__
from ipu_asm.cli.arguments import ArgumentParser, add_isa_option
from ipu_asm.cli.console import COLOR_CHOICES
from ipu_asm.cli.file_options import add_file_options, add_paths, complete_file_options
from ipu_asm.config.configuration import FORMAT_STYLES, MNEMONIC_CASES
from ipu_asm.named_tuple import NamedTuple

PROGRAM = "ipu-fmt"

_EXAMPLES = """\
examples:
  ipu-fmt                          format all sources below the current folder
  ipu-fmt --check kernels          name the files that would change, as for CI
  ipu-fmt --diff kernel.s          show what would change
  ipu-fmt --style bundle kernel.s  one bundle on each line
  ipu-fmt - < kernel.s

Indentation, columns and blanks become those of most lines of the file; what is aligned with the
lines around it stays. Line breaks and the case of mnemonics change if asked, other words never do.
Bundles with mistakes stay as they are.

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
    complete_file_options(parser, values)
    return FmtOptions(**values)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage="ipu-fmt [options] [PATH ...]",
        description="Format assembly sources in place, as the editor does.",
        epilog=_EXAMPLES,
    )
    add_paths(parser, "`-` to format standard input to standard output")
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
    add_file_options(parser)
    parser.add_argument(
        "--color",
        choices=COLOR_CHOICES,
        default="auto",
        help="when to use colors in a diff (default: auto)",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser
