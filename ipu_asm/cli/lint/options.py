"""The command line of `ipu-lint`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Mapping, Sequence

from ipu_asm.cli.arguments import (
    CONFIG,
    DEFINE,
    EXCLUDE,
    FORCE_EXCLUDE,
    ISOLATED,
    STDIN_FILENAME,
    VERSION,
    ArgumentParser,
    Options,
    color_option,
    complete_paths,
    flag,
    isa_option,
    names_in,
    option,
    paths_option,
    repeated,
)
from ipu_asm.cli.lint.formats import FORMATS
from ipu_asm.config import FAIL_LEVELS, Value
from ipu_asm.config.files import STANDARD_INPUT

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
_FILES = "files and their settings"
_RULES = "rule selection (RULES: codes, names or prefixes such as W1, with commas)"
_FIXES = "fixes"
_OUTPUT = "output"


def _positive(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if value < 1:
        raise ArgumentTypeError(f"expected a number of at least 1, found `{text}`")
    return value


class LintOptions(Options):
    """The options of `ipu-lint`; None if the configuration decides."""

    paths: tuple[str, ...] = paths_option("`-` for standard input")
    isa: str | None = isa_option()
    defines: Mapping[str, Value] = DEFINE
    version = VERSION

    stdin_filename: str | None = STDIN_FILENAME.in_group(_FILES)
    exclude: tuple[str, ...] = EXCLUDE.in_group(_FILES)
    force_exclude: bool = FORCE_EXCLUDE.in_group(_FILES)
    config: str | None = CONFIG.in_group(_FILES)
    isolated: bool = ISOLATED.in_group(_FILES)
    show_files: bool = flag(
        "--show-files", group=_FILES, help="print the files to lint, one a line, and exit"
    )
    show_settings: bool = flag(
        "--show-settings",
        group=_FILES,
        help="print the settings of the first file, in the form of ipu.toml, and exit",
    )
    jobs: int | None = option(
        "--jobs",
        group=_FILES,
        type=_positive,
        metavar="N",
        help="the number of processes for many files (default: the number of cores)",
    )
    no_cache: bool = flag(
        "--no-cache",
        group=_FILES,
        help="neither read nor write the results of earlier runs, which are in your cache folder "
        "(`IPU_CACHE_DIR` names another)",
    )

    select: tuple[str, ...] | None = option(
        "--select",
        group=_RULES,
        action="append",
        convert=names_in,
        metavar="RULES",
        help="report only these rules",
    )
    extend_select: tuple[str, ...] = repeated(
        "--extend-select",
        group=_RULES,
        convert=names_in,
        metavar="RULES",
        help="report these rules as well",
    )
    ignore: tuple[str, ...] = repeated(
        "--ignore",
        group=_RULES,
        convert=names_in,
        metavar="RULES",
        help="do not report these rules",
    )
    fail_level: str | None = option(
        "--fail-level",
        group=_RULES,
        choices=tuple(FAIL_LEVELS),
        help="the lowest severity that makes the exit status 1 (default: warning)",
    )
    exit_zero: bool = flag(
        "--exit-zero", group=_RULES, help="exit with status 0 even if there are findings"
    )

    fix: bool = flag("--fix", group=_FIXES, help="apply safe fixes")
    unsafe_fixes: bool = flag(
        "--unsafe-fixes",
        group=_FIXES,
        help="with --fix or --diff: include fixes that may change what a program does",
    )
    diff: bool = flag(
        "--diff", group=_FIXES, help="show what --fix would change, without changing files"
    )

    format: str = option(
        "--format",
        group=_OUTPUT,
        choices=tuple(FORMATS),
        default="text",
        metavar="NAME",
        help=f"the output format: {', '.join(FORMATS)} (default: text)",
    )
    output_file: str | None = option(
        "-o", "--output-file", group=_OUTPUT, metavar="FILE", help="write the findings to FILE"
    )
    max_per_file: int | None = option(
        "--max-per-file",
        group=_OUTPUT,
        type=_positive,
        metavar="N",
        help="report the first N findings of each file and count the others",
    )
    statistics: bool = flag(
        "--statistics", group=_OUTPUT, help="show the number of findings for each rule"
    )
    color: str = color_option(group=_OUTPUT)
    watch: bool = flag("--watch", group=_OUTPUT, help="lint again whenever a file changes")
    explain: str | None = option(
        "--explain",
        group=_OUTPUT,
        metavar="WHAT",
        help="explain a rule, by code or name, or a mnemonic",
    )


def make_parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog="ipu-lint",
        usage="ipu-lint [options] [PATH ...]",
        description="Find errors, likely mistakes and slow code in assembly programs.",
        epilog=_EXAMPLES,
    )
    parser.add_options(LintOptions.declared())
    return parser


def read_options(arguments: Sequence[str] | None) -> LintOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = make_parser()
    parsed = parser.parse_intermixed(arguments, "paths")
    complete_paths(parser, parsed)
    options = LintOptions.of(parsed)
    reads_input = STANDARD_INPUT in options.paths
    if options.select == ():
        parser.error("--select needs at least one code, name or prefix, found none")
    if options.watch and reads_input:
        parser.error("--watch needs files or folders, found `-` (standard input)")
    if options.watch and options.output_file:
        parser.error("--watch and --output-file exclude each other")
    if options.statistics and options.format not in ("text", "concise", "json"):
        parser.error(
            f"--statistics supports the formats text, concise and json, found `{options.format}`"
        )
    return options
