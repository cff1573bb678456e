"""The command line of `ipu-lint`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Mapping, Sequence

from ipu_asm import __version__
from ipu_asm.cli.arguments import ArgumentParser, add_define_option, add_isa_option
from ipu_asm.cli.console import COLOR_CHOICES
from ipu_asm.cli.file_options import (
    add_file_options,
    add_paths,
    complete_file_options,
    names_in,
)
from ipu_asm.cli.lint.formats import FORMATS
from ipu_asm.config.configuration import FAIL_LEVELS, Value
from ipu_asm.config.files import STANDARD_INPUT
from ipu_asm.named_tuple import NamedTuple

_EXAMPLES = """\
examples:
  ipu-lint                         lint all sources below the current folder
  ipu-lint kernel.s --fix          apply safe fixes, show the other findings
  ipu-lint --diff --unsafe-fixes   show what all fixes would change
  ipu-lint --select E,W203 src     report errors and one warning only
  ipu-lint --format sarif -o lint.sarif src
  ipu-lint - --stdin-filename kernel.s < kernel.s
  ipu-lint --explain E201          explain a rule; also works for a mnemonic

exit status:
  0  no findings at or above the fail level; by default, hints do not reach it
  1  findings; with --diff: there are fixes
  2  wrong usage, a mistake in the configuration, an unreadable file
  3  internal error
"""


class LintOptions(NamedTuple):
    """The options of `ipu-lint`; None if the configuration decides."""

    paths: tuple[str, ...]
    format: str
    output_file: str | None
    select: tuple[str, ...] | None
    extend_select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_level: str | None
    exit_zero: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    stdin_filename: str | None
    config: str | None
    isolated: bool
    statistics: bool
    watch: bool
    explain: str | None
    color: str
    exclude: tuple[str, ...]
    force_exclude: bool
    show_files: bool
    show_settings: bool
    jobs: int | None
    no_cache: bool
    max_per_file: int | None
    isa: str | None
    defines: Mapping[str, Value]


def read_options(arguments: Sequence[str] | None) -> LintOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    values = vars(parser.parse_intermixed(arguments, "paths"))
    complete_file_options(parser, values)
    for name in ("select", "extend_select", "ignore"):
        values[name] = None if values[name] is None else names_in(values[name])
    options = LintOptions(**{**values, "defines": dict(values["defines"])})
    _check(parser, options)
    return options


def _positive(text: str) -> int:
    """A number of at least 1. Raises ArgumentTypeError."""
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise ArgumentTypeError(f"expected a number of at least 1, found `{text}`")
    return value


def _check(parser: ArgumentParser, options: LintOptions) -> None:
    """Exit with a message if options exclude each other."""
    reads_input = STANDARD_INPUT in options.paths
    if options.select == ():
        parser.error("--select needs at least one code, name or prefix, found none")
    if options.watch and reads_input:
        parser.error("--watch needs files or folders, found `-` (standard input)")
    if options.watch and options.output_file:
        parser.error("--watch and --output-file exclude each other")
    if options.statistics and options.format not in ("text", "concise", "json"):
        parser.error(f"--statistics supports the formats text and json, found `{options.format}`")


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="ipu-lint",
        usage="ipu-lint [options] [PATH ...]",
        description="Find errors, likely mistakes and slow code in assembly programs.",
        epilog=_EXAMPLES,
    )
    add_paths(parser, "`-` for standard input")
    add_isa_option(parser)
    add_define_option(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_choice_of_files(parser)
    _add_choice_of_rules(parser)
    _add_fixes(parser)
    _add_output(parser)
    return parser


def _add_choice_of_files(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("files and their settings")
    add_file_options(group)
    group.add_argument(
        "--show-files", action="store_true", help="print the files to lint, one a line, and exit"
    )
    group.add_argument(
        "--show-settings",
        action="store_true",
        help="print the settings of the first file, in the form of ipu.toml, and exit",
    )
    group.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="the number of processes for many files (default: the number of cores)",
    )
    group.add_argument(
        "--no-cache",
        action="store_true",
        help="neither read nor write the results of earlier runs, which are in your cache folder "
        "(`IPU_CACHE_DIR` names another)",
    )


def _add_choice_of_rules(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "rule selection (RULES: codes, names or prefixes such as W1, with commas)"
    )
    group.add_argument("--select", action="append", metavar="RULES", help="report only these rules")
    group.add_argument(
        "--extend-select",
        action="append",
        default=[],
        metavar="RULES",
        help="report these rules as well",
    )
    group.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="RULES",
        help="do not report these rules",
    )
    group.add_argument(
        "--fail-level",
        choices=tuple(FAIL_LEVELS),
        help="the lowest severity that makes the exit status 1 (default: warning)",
    )
    group.add_argument(
        "--exit-zero", action="store_true", help="exit with status 0 even if there are findings"
    )


def _add_fixes(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("fixes")
    group.add_argument("--fix", action="store_true", help="apply safe fixes")
    group.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with --fix or --diff: include fixes that may change what a program does",
    )
    group.add_argument(
        "--diff", action="store_true", help="show what --fix would change, without changing files"
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="text",
        metavar="NAME",
        help=f"the output format: {', '.join(FORMATS)} (default: text)",
    )
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the findings to FILE")
    group.add_argument(
        "--max-per-file",
        type=_positive,
        metavar="N",
        help="report the first N findings of each file and count the others",
    )
    group.add_argument(
        "--statistics", action="store_true", help="show the number of findings for each rule"
    )
    group.add_argument(
        "--color",
        choices=COLOR_CHOICES,
        default="auto",
        help="when to use colors; auto follows NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and the "
        "terminal (default: auto)",
    )
    group.add_argument("--watch", action="store_true", help="lint again whenever a file changes")
    group.add_argument(
        "--explain", metavar="WHAT", help="explain a rule, by code or name, or a mnemonic"
    )
