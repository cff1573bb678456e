"""`ipu-fmt`: format sources in place, with the edits of the editor."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, Sequence

from ipu_asm import __version__
from ipu_asm.cli.arguments import ArgumentParser, add_isa_option
from ipu_asm.cli.changes import show_difference, write_change
from ipu_asm.cli.console import (
    COLOR_CHOICES,
    ExitStatus,
    print_message,
    run_guarded,
    wants_color,
    write,
)
from ipu_asm.cli.file_options import add_file_options, add_paths, complete_file_options
from ipu_asm.cli.sources import Analyzers, Problems, chosen_files
from ipu_asm.config.configuration import FORMAT_STYLES, MNEMONIC_CASES
from ipu_asm.config.files import Target, read_text
from ipu_asm.config.foreign_assembly import foreign_assembly
from ipu_asm.config.isa_choice import UNCLAIMED
from ipu_asm.ide.formatting.atoms import KEEP_CASE
from ipu_asm.ide.formatting.formatting import KEEP, formatting
from ipu_asm.named_tuple import NamedTuple
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
