"""`ipu-fmt`: format sources in place, with the edits of the editor."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, Sequence

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.cli.console import (
    ExitStatus,
    print_message,
    run_guarded,
    wants_color,
    write,
    write_bytes,
)
from ipu_asm.cli.differences import show_difference
from ipu_asm.cli.fmt.options import PROGRAM, FmtOptions, read_options
from ipu_asm.cli.sources import chosen_files, configuration_override
from ipu_asm.config.configuration import Configuration, ConfigurationError, ConfigurationFinding
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.file_writing import rewrite_file
from ipu_asm.config.files import FileError, SourceText, Target, counted, read_text
from ipu_asm.config.foreign_assembly import foreign_assembly
from ipu_asm.config.isa_choice import DEFAULT_ISA, UNCLAIMED, choose_isa
from ipu_asm.ide.formatting.formatting import KEEP, formatting
from ipu_asm.ide.formatting.mnemonic_case import KEEP_CASE
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.source.settings import source_settings
from ipu_asm.text import apply_edits


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-fmt` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _FmtRun(read_options(argv)).status())


class _Formatted(NamedTuple):
    """A file with its text before and after."""

    target: Target
    original: SourceText
    text: str

    @property
    def is_changed(self) -> bool:
        """Whether formatting changes the file."""
        return self.text != self.original.text


class _FmtRun:
    """Formats the files that the options name."""

    def __init__(self, options: FmtOptions) -> None:
        self.options = options
        self.configurations = Configurations()
        self._override: Configuration | None = None
        self._analyzers: dict[str, Analyzer] = {}
        self._reported: set[str] = set()

    def status(self) -> int:
        """Format, check or show the files; return the exit status."""
        try:
            self._override = configuration_override(self.options)
        except ConfigurationError as error:
            self._report_all(error)
            return ExitStatus.USAGE
        targets = chosen_files(self.options, self.configurations, self._report)
        shows = self.options.check or self.options.diff
        changed = unchanged = 0
        for target in targets:
            one = self._formatted(target)
            if one is not None and (self._show(one) if shows else self._write(one)):
                changed += 1
            elif one is not None:
                unchanged += 1
        if not any(target.is_standard_input for target in targets):
            self._summarise(changed, unchanged)
        if self._reported:
            return ExitStatus.USAGE
        return ExitStatus.FINDINGS if shows and changed else ExitStatus.OK

    def _formatted(self, target: Target) -> _Formatted | None:
        """Return a file with its formatted text; None, and a message, if it cannot be."""
        try:
            original = read_text(target)
            return _Formatted(target, original, self._text(target, original.text))
        except FileError as error:
            self._report(error)
        except ConfigurationError as error:
            self._report_all(error)
        return None

    def _text(self, target: Target, text: str) -> str:
        configuration = self._configuration(target)
        choice = choose_isa(text, target.name, self.options.isa, configuration, UNCLAIMED)
        name, origin = choice.name, choice.origin
        if name == UNCLAIMED and foreign_assembly(text) is not None:
            return text
        try:
            analyzer = self._analyzer(name or DEFAULT_ISA)
        except UnknownIsaError as error:
            raise ConfigurationError([ConfigurationFinding(str(error), origin)]) from error
        settings = source_settings(target.name, configuration, {})
        analysis = analyzer.analyze(text, target.name, settings=settings)
        style = self.options.style or configuration.format_style or KEEP
        case = self.options.mnemonic_case or configuration.mnemonic_case or KEEP_CASE
        return apply_edits(text, formatting(analysis, style, case=case))

    def _analyzer(self, isa: str) -> Analyzer:
        if isa not in self._analyzers:
            self._analyzers[isa] = Analyzer(load_isa(isa))
        return self._analyzers[isa]

    def _configuration(self, target: Target) -> Configuration:
        if self._override is not None:
            return self._override
        folder = os.path.dirname(os.path.abspath(target.name))
        return self.configurations.nearest(folder) or Configuration()

    def _show(self, one: _Formatted) -> bool:
        """Show that a file would change, and how, if asked; return whether it would."""
        if one.is_changed and self.options.diff:
            color = wants_color(self.options.color, sys.stdout)
            show_difference(one.target.name, one.original.text, one.text, color)
        elif one.is_changed:
            write(f"would reformat {one.target.name}\n", sys.stdout)
        return one.is_changed

    def _write(self, one: _Formatted) -> bool:
        """Write a changed file, or all of standard input; return whether it has changed."""
        new = one.original.encoded(one.text)
        if one.target.is_standard_input:
            write_bytes(new)
            return one.is_changed
        if not one.is_changed:
            return False
        try:
            return rewrite_file(one.target.name, one.original.encoded(one.original.text), new)
        except FileError as problem:
            self._report(problem)
            return False

    def _summarise(self, changed: int, unchanged: int) -> None:
        would = "would be " if self.options.check or self.options.diff else ""
        parts = [f"{counted(changed, 'file')} {would}reformatted"] if changed else []
        if unchanged:
            parts.append(
                f"{counted(unchanged, 'file')} {'already formatted' if would else 'left unchanged'}"
            )
        if parts:
            write(f"{', '.join(parts)}\n", sys.stderr)

    def _report(self, problem: object) -> None:
        line = str(problem)
        if line not in self._reported:
            self._reported.add(line)
            print_message(PROGRAM, line)

    def _report_all(self, error: ConfigurationError) -> None:
        for finding in error.findings:
            self._report(finding)
