"""One run of `ipu-lint` over all its files: what it prints, what it writes, how it ends."""

from __future__ import annotations

import os
import sys
from typing import Iterator, Mapping

from ipu_asm import __version__
from ipu_asm.cli.console import Status, complain, wants_color, write, write_bytes
from ipu_asm.cli.lint.formats import FileFindings, RuleInfo, format_findings
from ipu_asm.cli.lint.one_file import Linted, Linter
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.configuration_file import possible_files
from ipu_asm.config.file_search import find_targets
from ipu_asm.config.files import FileError, Target, counted, input_at
from ipu_asm.source.templates import template_mark

PROGRAM = "ipu-lint"
STANDARD_INPUT_NAME = "<stdin>"

_FOR_PEOPLE = ("text", "concise")


class LintRun:
    """Lints what the options name. What it has met is known when `status` has come back."""

    def __init__(self, options: LintOptions) -> None:
        self.options = options
        self.linted: list[Linted] = []
        self._has_problems = False

    def status(self) -> int:
        """Lint, mend and print as the options say; the exit status."""
        try:
            linter = Linter(self.options, self._report)
        except ConfigurationError as error:
            for finding in error.findings:
                self._report(str(finding))
            return Status.USAGE
        targets = self.targets()
        self.linted = [linted for target in targets if (linted := linter.lint(target)) is not None]
        self._check_output(targets, linter)
        if self.options.fix or self.options.diff:
            self._mend()
        if not self.options.diff:
            self._print()
        return self._exit_status()

    def _check_output(self, targets: list[Target], linter: Linter) -> None:
        """Raise `FileError` if the findings would replace a source or a configuration."""
        output = self.options.output_file
        if output is None:
            return
        configurations = (Target(path) for path in linter.configuration_files())
        found = input_at(output, [*targets, *configurations])
        if found is not None:
            raise FileError(f"would replace the input `{found.name}`", f"--output-file {output}")

    def targets(self) -> list[Target]:
        """The files that are there to be linted now."""
        name = self.options.stdin_filename or STANDARD_INPUT_NAME
        return find_targets(self.options.paths, name, lambda problem: self._report(str(problem)))

    def paths(self) -> Iterator[str]:
        """The files on which the outcome depends now: sources and configurations."""
        name = self.options.stdin_filename or STANDARD_INPUT_NAME
        targets = find_targets(self.options.paths, name, _ignore)
        yield from (target.name for target in targets)
        if self.options.config is not None:
            yield self.options.config
        else:
            folders = {os.path.dirname(os.path.abspath(target.name)) for target in targets}
            yield from possible_files(folders)

    def _report(self, message: str) -> None:
        self._has_problems = True
        complain(PROGRAM, message)

    def _mend(self) -> None:
        from ipu_asm.cli.lint.changes import show_differences

        self._tell_templates()
        if self.options.diff:
            show_differences(self.linted, wants_color(self.options.color, sys.stdout))
            fixed = [linted.fixed for linted in self.linted if linted.fixed]
        else:
            fixed = self._write_changes()
        if fixed:
            done = "Would fix" if self.options.diff else "Fixed"
            findings, files = counted(sum(fixed), "finding"), counted(len(fixed), "file")
            write(f"{done} {findings} in {files}\n", sys.stderr)

    def _write_changes(self) -> list[int]:
        """Write the fixes of all files; how many findings are gone in each file that was written.

        What could not be written is reported, and its findings are those of the file as it is.
        """
        from ipu_asm.cli.lint.changes import write_change

        fixed = []
        for number, one in enumerate(self.linted):
            try:
                if write_change(one):
                    fixed.append(one.fixed)
            except FileError as problem:
                self._report(str(problem))
                self.linted[number] = one.unfixed or one
        return fixed

    def _tell_templates(self) -> None:
        """Say of each file with findings that is a template why it is left as it is."""
        for one in self.linted:
            mark = template_mark(one.written.text) if one.findings else None
            if mark is not None:
                message = f"{one.target.name}: not edited: it is a template (it has `{mark}`)"
                complain(PROGRAM, message, "note")

    def _print(self) -> None:
        for_people = self.options.format in _FOR_PEOPLE
        if for_people and not self.linted and self._has_problems:
            return
        # Where the mended text is the output, the findings must not be mixed in.
        mends_input = self.options.fix and any(one.target.is_standard_input for one in self.linted)
        stream = sys.stderr if mends_input else sys.stdout
        color = not self.options.output_file and wants_color(self.options.color, stream)
        text = self._formatted(color)
        if self.options.output_file:
            from ipu_asm.config.file_writing import replace_file  # most runs write no file

            replace_file(self.options.output_file, text.encode())
        elif for_people or mends_input:
            write(text, stream)
        else:
            write_bytes(text.encode())

    def _formatted(self, color: bool) -> str:
        files = [FileFindings(one.analysis.source, one.findings) for one in self.linted]
        name = self.options.format
        if self.options.statistics:
            from ipu_asm.cli.lint.formats.statistics import format_statistics

            return format_statistics(files, name)
        rules = _rules() if name == "sarif" else None
        return format_findings(name, files, rules=rules, color=color, version=__version__)

    def _exit_status(self) -> int:
        if self._has_problems:
            return Status.USAGE
        if self.options.diff:
            fails = any(linted.fixed for linted in self.linted)
        else:
            fails = any(linted.fails for linted in self.linted)
        return Status.FINDINGS if fails and not self.options.exit_zero else Status.OK


def _ignore(problem: FileError) -> None:
    """What cannot be found is reported by the run itself."""


def _rules() -> Mapping[str, RuleInfo]:
    from ipu_asm.lint.rules import all_rules

    return {
        rule.id.code: RuleInfo(*rule.id, rule.summary, rule.documentation) for rule in all_rules()
    }
