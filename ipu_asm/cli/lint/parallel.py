"""Linting of many files in several processes.

A pool costs 0.1 s to start and to load the rules in each process, as much as 30 small files.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Callable, Sequence

from ipu_asm.cli.lint.linter import Linter, LintResult
from ipu_asm.cli.lint.options import LintOptions
from ipu_asm.cli.progress import ProgressBar
from ipu_asm.config.files import Target

_FEWEST_FILES = 60
_PIECES_A_JOB = 8

_Linted = tuple[LintResult | None, list[str]]

_linter: tuple[Linter, list[str]] | None = None
"""In a process of the pool: its linter, and the messages of the current file."""


def lint_all(
    linter: Linter,
    targets: Sequence[Target],
    report: Callable[[str], None],
    progress: ProgressBar,
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
    linter: Linter,
    targets: Sequence[Target],
    report: Callable[[str], None],
    progress: ProgressBar,
) -> list[LintResult]:
    known = {target: linter.remembered(target) for target in targets}
    rest = [target for target, result in known.items() if result is None]
    jobs = min(linter.options.jobs or available_cores(), len(rest))
    if jobs < 2 or len(rest) < _FEWEST_FILES:
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
    said: set[str] = set()
    for _, messages in linted:
        for message in messages:
            if message not in said:
                report(message)
            said.add(message)
    return [here[target] if target in here else found[target][0] for target in targets]


def _load() -> None:
    """Load what most files need, for all processes together."""
    import ipu_asm.cli.lint.analysed  # noqa: F401
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
