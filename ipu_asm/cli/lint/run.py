"""One run of `ipu-lint` over all its files: output, fixes and exit status."""

from __future__ import annotations

import os
import sys
from typing import Iterator, Mapping, Sequence

from ipu_asm import __version__
from ipu_asm.cli.console import (
    ExitStatus,
    columns_of,
    print_message,
    wants_color,
    write,
    write_bytes,
)
from ipu_asm.cli.lint.by_file import findings_by_file
from ipu_asm.cli.lint.formats import FileFindings, RuleInfo, format_findings
from ipu_asm.cli.lint.linter import Linter, LintResult
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.cli.lint.parallel import lint_all
from ipu_asm.cli.progress import ProgressBar
from ipu_asm.cli.sources import chosen_files
from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.configuration_file import Configurations, possible_files
from ipu_asm.config.files import FileError, Target, input_at
from ipu_asm.text import counted

PROGRAM = "ipu-lint"

_FOR_PEOPLE = ("text", "concise")


class LintRun:
    """Lints the files that the options name; `results` is complete when `status` has returned."""

    def __init__(self, options: LintOptions) -> None:
        self.options = options
        self.results: list[LintResult] = []
        self._has_problems = False
        self._progress: ProgressBar | None = None

    def status(self) -> int:
        """Lint, fix and print as the options request; return the exit status."""
        try:
            linter = Linter(self.options, self._report)
        except ConfigurationError as error:
            for finding in error.findings:
                self._report(str(finding))
            return ExitStatus.USAGE
        targets = self.targets(linter.configurations)
        if self.options.show_files:
            write("".join(f"{target.name}\n" for target in targets), sys.stdout)
            return self._exit_status()
        if self.options.show_settings:
            self._show_settings(linter, targets)
            return self._exit_status()
        count = len(targets)
        self._progress = ProgressBar(count, sys.stderr, length=lambda: count, unit="files")
        self.results = lint_all(linter, targets, self._report, self._progress)
        self._check_output(targets, linter)
        if self.options.fix or self.options.diff:
            self._apply_fixes()
        if not self.options.diff:
            self._print()
        return self._exit_status()

    def _show_settings(self, linter: Linter, targets: Sequence[Target]) -> None:
        from ipu_asm.cli.lint.settings_text import settings_text  # few runs show them

        for target in targets[:1]:
            settings = linter.settings_of(target)
            if settings is not None:
                write(settings_text(target.name, *settings), sys.stdout)

    def _check_output(self, targets: list[Target], linter: Linter) -> None:
        """Raise `FileError` if the output file is one of the sources or configurations."""
        output = self.options.output_file
        if output is None:
            return
        configurations = (Target(path) for path in linter.configuration_files(targets))
        found = input_at(output, [*targets, *configurations])
        if found is not None:
            raise FileError(f"would replace the input `{found.name}`", f"--output-file {output}")

    def targets(self, configurations: Configurations) -> list[Target]:
        """Return the files to lint that exist now; report the paths that cannot be searched."""
        return chosen_files(self.options, configurations, lambda each: self._report(str(each)))

    def paths(self) -> Iterator[str]:
        """Yield the files that the result depends on: sources, headers and configurations."""
        targets = chosen_files(self.options, Configurations(), _ignore)
        yield from (target.name for target in targets)
        if self.options.config is not None:
            yield self.options.config
        else:
            folders = {os.path.dirname(os.path.abspath(target.name)) for target in targets}
            yield from possible_files(folders)
        for result in self.results:
            yield from result.header_paths

    def _report(self, message: str) -> None:
        self._has_problems = True
        if self._progress is not None:
            self._progress.clear()
        print_message(PROGRAM, message)

    def _apply_fixes(self) -> None:
        from ipu_asm.cli.lint.fix_output import show_differences

        if self.options.diff:
            show_differences(self.results, wants_color(self.options.color, sys.stdout))
            fixed = [result.fixed for result in self.results if result.fixed]
        else:
            fixed = self._write_changes()
        if fixed:
            done = "Would fix" if self.options.diff else "Fixed"
            findings, files = counted(sum(fixed), "finding"), counted(len(fixed), "file")
            write(f"{done} {findings} in {files}\n", sys.stderr)

    def _write_changes(self) -> list[int]:
        """Write the fixes of all files; return the number of fixed findings of each file written.

        A file that cannot be written is reported, and its result becomes the one without fixes.
        """
        from ipu_asm.cli.lint.fix_output import write_change

        fixed = []
        for number, one in enumerate(self.results):
            try:
                if write_change(one):
                    fixed.append(one.fixed)
            except FileError as problem:
                self._report(str(problem))
                self.results[number] = one.unfixed or one
        return fixed

    def _print(self) -> None:
        for_people = self.options.format in _FOR_PEOPLE
        if for_people and not self.results and self._has_problems:
            return
        # If the fixed text goes to standard output, the findings must not be mixed with it.
        fixes_input = self.options.fix and any(one.target.is_standard_input for one in self.results)
        stream = sys.stderr if fixes_input else sys.stdout
        color = not self.options.output_file and wants_color(self.options.color, stream)
        columns = None if self.options.output_file else columns_of(stream)
        text = self._formatted(color, columns)
        if self.options.output_file:
            from ipu_asm.config.file_writing import replace_file  # most runs write no file

            replace_file(self.options.output_file, text.encode())
        elif for_people or fixes_input:
            write(text, stream)
        else:
            write_bytes(text.encode())

    def _formatted(self, color: bool, columns: int | None) -> str:
        linted = [FileFindings(one.source, one.findings, one.headers) for one in self.results]
        files = findings_by_file(linted)
        name = self.options.format
        if self.options.statistics:
            from ipu_asm.cli.lint.formats.statistics import format_statistics

            return format_statistics(files, name)
        if self.options.max_per_file is not None:
            files = [self._shortened(file, self.options.max_per_file) for file in files]
        rules = _rules() if name == "sarif" else None
        return format_findings(
            name, files, rules=rules, color=color, version=__version__, columns=columns
        )

    def _shortened(self, file: FileFindings, most: int) -> FileFindings:
        """Return the first findings of a file; a note counts the others."""
        rest = len(file.diagnostics) - most
        if rest <= 0:
            return file
        count = counted(rest, "more finding")
        print_message(PROGRAM, f"{file.source.path}: {count} (--max-per-file {most})", "note")
        return file._replace(diagnostics=file.diagnostics[:most])

    def _exit_status(self) -> int:
        if self._has_problems:
            return ExitStatus.USAGE
        if self.options.diff:
            fails = any(result.fixed for result in self.results)
        else:
            fails = any(result.fails for result in self.results)
        return ExitStatus.FINDINGS if fails and not self.options.exit_zero else ExitStatus.OK


def _ignore(problem: FileError) -> None:
    """Ignore a path that does not exist: the run itself reports it."""


def _rules() -> Mapping[str, RuleInfo]:
    from ipu_asm.lint.rules import all_rules  # many modules, for one format

    return {
        rule.id.code: RuleInfo(*rule.id, rule.summary, rule.documentation) for rule in all_rules()
    }
