"""`ipu-fmt`: format sources in place, with the edits of the editor."""

from __future__ import annotations

import sys
from functools import partial
from typing import Sequence

from ipu_asm.cli.arguments import (
    CONFIG,
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
    option,
    paths_option,
)
from ipu_asm.cli.changes import show_difference, write_change
from ipu_asm.cli.console import (
    ExitStatus,
    print_message,
    run_guarded,
    wants_color,
    write,
)
from ipu_asm.cli.sources import Analyzers, Problems, chosen_files
from ipu_asm.config import FORMAT_STYLES, MNEMONIC_CASES
from ipu_asm.config.files import Target, read_text
from ipu_asm.config.isa_choice import UNCLAIMED, foreign_assembly
from ipu_asm.ide.formatting import KEEP_CASE
from ipu_asm.ide.formatting.formatting import KEEP, formatting
from ipu_asm.text import apply_edits, counted

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


class FmtOptions(Options):
    """The options of `ipu-fmt`; None if the configuration decides."""

    paths: tuple[str, ...] = paths_option("`-` to format standard input to standard output")
    isa: str | None = isa_option()
    style: str | None = option(
        "--style",
        choices=FORMAT_STYLES,
        help="line breaks as written (keep), after each instruction, or after each bundle "
        "(default: the configuration; else keep)",
    )
    mnemonic_case: str | None = option(
        "--mnemonic-case",
        choices=MNEMONIC_CASES,
        help="case of mnemonics, in instruction sets that accept any case "
        "(default: the configuration; else keep)",
    )
    check: bool = flag("--check", help="name the files that would change; change none")
    diff: bool = flag("--diff", help="show what would change, without changing files")
    stdin_filename: str | None = STDIN_FILENAME
    exclude: tuple[str, ...] = EXCLUDE
    force_exclude: bool = FORCE_EXCLUDE
    config: str | None = CONFIG
    isolated: bool = ISOLATED
    color: str = color_option(" in a diff")
    version = VERSION


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-fmt` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _FmtRun(read_options(argv)).status())


class _FmtRun:
    """Formats the files that the options name."""

    def __init__(self, options: FmtOptions) -> None:
        self.options = options
        self._problems = Problems(lambda line: print_message(PROGRAM, line))

    def status(self) -> int:
        """Format, check or show the files; return the exit status."""
        analyzers = self._problems.reported(lambda: Analyzers(self.options))
        if analyzers is None:
            return ExitStatus.USAGE
        targets = chosen_files(self.options, analyzers.configurations, self._problems.report)
        shows = self.options.check or self.options.diff
        changed = unchanged = 0
        for target in targets:
            is_changed = self._problems.reported(partial(self._format, analyzers, target))
            changed += is_changed is True
            unchanged += is_changed is False
        if not any(target.is_standard_input for target in targets):
            self._summarise(changed, unchanged)
        if self._problems:
            return ExitStatus.USAGE
        return ExitStatus.FINDINGS if shows and changed else ExitStatus.OK

    def _format(self, analyzers: Analyzers, target: Target) -> bool:
        """Write or show a file; return whether formatting changes it.

        Raises `FileError` and `ConfigurationError`.
        """
        original = read_text(target)
        text = self._formatted(analyzers, target, original.text)
        options = self.options
        if options.diff:
            color = wants_color(options.color, sys.stdout)
            show_difference(target.name, original.text, text, color)
        elif options.check:
            if text != original.text:
                write(f"would reformat {target.name}\n", sys.stdout)
        else:
            return write_change(target, original, text)
        return text != original.text

    def _formatted(self, analyzers: Analyzers, target: Target, text: str) -> str:
        configuration = analyzers.configuration(target)
        is_claimed = analyzers.choice(target, text).name != UNCLAIMED
        if not is_claimed and foreign_assembly(text) is not None:
            return text
        analysis = analyzers.analysis(target, text)
        style = self.options.style or configuration.format_style or KEEP
        case = self.options.mnemonic_case or configuration.mnemonic_case or KEEP_CASE
        return apply_edits(text, formatting(analysis, style, case=case))

    def _summarise(self, changed: int, unchanged: int) -> None:
        would = "would be " if self.options.check or self.options.diff else ""
        parts = [f"{counted(changed, 'file')} {would}reformatted"] if changed else []
        if unchanged:
            parts.append(
                f"{counted(unchanged, 'file')} {'already formatted' if would else 'left unchanged'}"
            )
        if parts:
            write(f"{', '.join(parts)}\n", sys.stderr)


def make_parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog=PROGRAM,
        usage="ipu-fmt [options] [PATH ...]",
        description="Format assembly sources in place, as the editor does.",
        epilog=_EXAMPLES,
    )
    parser.add_options(FmtOptions.declared())
    return parser


def read_options(arguments: Sequence[str] | None) -> FmtOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = make_parser()
    parsed = parser.parse_intermixed(arguments, "paths")
    complete_paths(parser, parsed)
    return FmtOptions.of(parsed)
