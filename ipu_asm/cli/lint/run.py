"""One run of `ipu-lint` over all its files: output, fixes and exit status."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from typing import Callable, Iterator, Mapping, Sequence

from ipu_asm import __version__
from ipu_asm.cli.console import (
    ExitStatus,
    ProgressBar,
    columns_of,
    print_message,
    wants_color,
    write,
    write_bytes,
)
from ipu_asm.cli.lint.formats import FileFindings, RuleInfo, findings_by_file, format_findings
from ipu_asm.cli.lint.linter import Linter, LintResult
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.cli.sources import chosen_files
from ipu_asm.config import ConfigurationError
from ipu_asm.config.configuration_file import Configurations, possible_files
from ipu_asm.config.files import FileError, Target, input_at
from ipu_asm.diagnostics import INCLUDE_NOT_FOUND, Diagnostic
from ipu_asm.text import counted

_MIN_FILES = 60
_PIECES_A_JOB = 8
_MAX_NAMES = 5
_Linted = tuple[LintResult | None, list[str]]
_linter: tuple[Linter, list[str]] | None = None
"""In a process of the pool: its linter, and the messages of the current file."""
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
        linter = self.linter()
        if linter is None:
            return ExitStatus.USAGE
        targets = self.targets(linter.configurations)
        count = len(targets)
        self._progress = ProgressBar(count, sys.stderr, length=lambda: count, unit="files")
        self.results = lint_all(linter, targets, self._report, self._progress)
        self._check_output(targets, linter)
        if self.options.fix or self.options.diff:
            self._apply_fixes()
        if not self.options.diff:
            self._print()
        return self.exit_status()

    def linter(self) -> Linter | None:
        """Return a linter for the options; None, reporting why, for an invalid configuration."""
        try:
            return Linter(self.options, self._report)
        except ConfigurationError as error:
            for finding in error.findings:
                self._report(str(finding))
            return None

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
        targets = chosen_files(
            self.options, Configurations(), lambda problem: None
        )  # reported by the run
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
        if self.options.diff:
            from ipu_asm.cli.changes import show_difference

            color = wants_color(self.options.color, sys.stdout)
            for one in self.results:
                show_difference(one.target.name, one.original.text, one.source.text, color)
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
        from ipu_asm.cli.changes import write_change

        fixed = []
        for number, one in enumerate(self.results):
            try:
                if write_change(one.target, one.original, one.source.text):
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
        results = self._with_missing_headers_counted()
        linted = [FileFindings(one.source, one.findings, one.headers) for one in results]
        files = findings_by_file(linted)
        name = self.options.format
        if self.options.statistics:
            from ipu_asm.cli.lint.formats import format_statistics

            return format_statistics(files, name)
        if self.options.max_per_file is not None:
            files = [self._shortened(file, self.options.max_per_file) for file in files]
        rules = _rules() if name == "sarif" else None
        return format_findings(
            name, files, rules=rules, color=color, version=__version__, columns=columns
        )

    def _with_missing_headers_counted(self) -> list[LintResult]:
        """Return the results without the includes that are not found in files of folders.

        A note counts them: most of a project lack the same few headers. They are findings in files
        that are named, and where the options select their rule by its own name.
        """
        selected = {*(self.options.select or ()), *self.options.extend_select}
        if not selected.isdisjoint(INCLUDE_NOT_FOUND[:2]):
            return self.results
        names = Counter[str]()
        files = 0
        results = []
        for one in self.results:
            missing = [] if one.target.asked_for else list(filter(_is_missing_header, one.findings))
            if missing:
                files += 1
                spans = (finding.span for finding in missing)
                names.update(one.source.text[start:end].strip('"<>') for start, end in spans)
                found = [each for each in one.findings if not _is_missing_header(each)]
                one = one._replace(findings=found)
            results.append(one)
        if names:
            print_message(PROGRAM, _missing_headers_note(names, files), "note")
        return results

    def _shortened(self, file: FileFindings, most: int) -> FileFindings:
        """Return the first findings of a file; a note counts the others."""
        rest = len(file.diagnostics) - most
        if rest <= 0:
            return file
        count = counted(rest, "more finding")
        print_message(PROGRAM, f"{file.source.path}: {count} (--max-per-file {most})", "note")
        return file._replace(diagnostics=file.diagnostics[:most])

    def exit_status(self) -> int:
        """Return the exit status of what was reported so far."""
        if self._has_problems:
            return ExitStatus.USAGE
        if self.options.diff:
            fails = any(result.fixed for result in self.results)
        else:
            fails = any(result.fails for result in self.results)
        return ExitStatus.FINDINGS if fails and not self.options.exit_zero else ExitStatus.OK


def _is_missing_header(finding: Diagnostic) -> bool:
    return finding.code == INCLUDE_NOT_FOUND.code and finding.path is None


def _missing_headers_note(names: Counter[str], files: int) -> str:
    """Describe the headers that are missing in a run, by the number of their includes."""
    from ipu_asm.isa.operands import quoted  # few runs need it

    shown = ", ".join(quoted(name) for name, _ in names.most_common(_MAX_NAMES))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    where = f"{counted(names.total(), 'include')} in {counted(files, 'file')}"
    what = f"{counted(len(names), 'header')} not found ({INCLUDE_NOT_FOUND.code}), {where}"
    return f"{what}: {shown}{more}; add the folders to include-paths"


def _rules() -> Mapping[str, RuleInfo]:
    from ipu_asm.lint.rules import all_rules  # many modules, for one format

    return {
        rule.id.code: RuleInfo(*rule.id, rule.summary, rule.documentation) for rule in all_rules()
    }


def lint_all(
    linter: Linter, targets: Sequence[Target], report: Callable[[str], None], progress: ProgressBar
) -> list[LintResult]:
    """Return the results of all files that can be linted, in their order.

    Those that earlier runs have left are taken from the cache; the others are left to later runs.
    """
    # A run makes a hundred objects in cycles, and the collector takes a fifth of its time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _linted(linter, targets, report, progress)
    finally:
        if collects:
            gc.enable()


def _linted(
    linter: Linter, targets: Sequence[Target], report: Callable[[str], None], progress: ProgressBar
) -> list[LintResult]:
    known = {target: linter.remembered(target) for target in targets}
    rest = [target for target, result in known.items() if result is None]
    jobs = min(linter.options.jobs or available_cores(), len(rest))
    if jobs < 2 or len(rest) < _MIN_FILES:
        found = []
        for target in rest:
            found.append(linter.lint(target))
            progress.show(len(targets) - len(rest) + len(found))
    else:
        found = _lint_in_pool(linter, rest, jobs, progress, report)
    progress.clear()
    linter.remember(result for result in found if result is not None)
    known |= dict(zip(rest, found))
    return [result for result in map(known.get, targets) if result is not None]


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # neither macOS nor Windows has it
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lint_in_pool(
    linter: Linter,
    targets: Sequence[Target],
    jobs: int,
    progress: ProgressBar,
    report: Callable[[str], None],
) -> list[LintResult | None]:
    from concurrent.futures import ProcessPoolExecutor  # 20 ms, for many files alone
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # A fork has the modules and the tables of this process. macOS cannot fork safely.
    context = get_context("fork" if sys.platform == "linux" else None)
    _load()
    # Standard input belongs to this process.
    here = {target: linter.lint(target) for target in targets if target.is_standard_input}
    rest = [target for target in targets if not target.is_standard_input]
    size = max(1, len(rest) // (jobs * _PIECES_A_JOB))
    try:
        with ProcessPoolExecutor(jobs, context, _start, (linter.options,)) as pool:
            linted = []
            for one in pool.map(_lint, rest, chunksize=size):
                linted.append(one)
                progress.show(len(linted))
    except BrokenProcessPool:  # a process was killed, perhaps for want of memory
        return [linter.lint(target) for target in targets]
    found = dict(zip(rest, linted))
    reported: set[str] = set()
    for _, messages in linted:
        for message in messages:
            if message not in reported:
                report(message)
            reported.add(message)
    return [here[target] if target in here else found[target][0] for target in targets]


def _load() -> None:
    """Load what most files need, for all processes together."""
    import ipu_asm.analysis.analyzer
    import ipu_asm.analysis.doubtful_isa  # noqa: F401
    from ipu_asm.isa import DEFAULT_ISA, load_isa
    from ipu_asm.lint.rules import rules_for

    rules_for(load_isa(DEFAULT_ISA))


def _start(options: LintOptions) -> None:
    global _linter
    gc.disable()
    messages: list[str] = []
    _linter = Linter(options, messages.append), messages


def _lint(target: Target) -> _Linted:
    assert _linter is not None
    linter, messages = _linter
    messages.clear()
    result = linter.lint(target)
    return result, list(messages)
