"""Rebasing: a program with fewer executed updates of registers that never depend on data."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.control_run.step_reading import steps_of
from ipu_asm.flow.packing.operations import basic_blocks, operations_of
from ipu_asm.flow.packing.pack import PackingError, check_packable
from ipu_asm.flow.packing.rebasing.execution import MOST_BUNDLES
from ipu_asm.flow.packing.rebasing.loop_ends import old_comparisons, single_bundles
from ipu_asm.flow.packing.rebasing.observation import Presets, observe
from ipu_asm.flow.packing.rebasing.rewriting import Rewriting, rewritten
from ipu_asm.flow.packing.rebasing.steps import (
    Known,
    constant_registers,
    equal_registers,
    merged_updates,
    other_decisions,
    unread_updates,
)
from ipu_asm.flow.packing.rebasing.webs import webs_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.distances import is_distance
from ipu_asm.program.program import Program

_ABOUT_VALUES = (AssertionKind.BEFORE, AssertionKind.AFTER, AssertionKind.LOG)
_NAME = re.compile(r"\w+")
_MOST_STEPS = 40
_MOST_LOST = 4
"""Cycles that registers with constants may cost, before enough of them save some in a loop."""

Cost = Callable[[Program], int]


class Rebased(NamedTuple):
    """A program that does the same, and its cost."""

    program: Program
    cost: int


def rebased_programs(program: Program, presets: Presets, cost: Cost) -> Iterator[Rebased]:
    """Yield programs with ever fewer executed updates, the given one first.

    `presets` are the values of the host of each configuration, with which the program halts. A step
    that raises the cost is not taken. Raises `PackingError` if the program cannot be rewritten.
    """
    check_packable(program)
    if any(is_distance(program, reference) for reference in program.references):
        raise PackingError("a branch has a distance as its target: give it a label")
    if any(not update.is_sum for step in steps_of(program) for update in step.updates):
        raise PackingError("an update of a register is no sum")
    blocks = (operations_of(program, block) for block in basic_blocks(program))
    if any(operation.is_break for block in blocks for operation in block):
        raise PackingError("a break shows registers to who debugs: remove it first")
    search = _Search(presets, cost)
    known = search.known(program)
    least = cost(program)
    yield Rebased(program, least)
    for _ in range(_MOST_STEPS):
        found = search.step(known, least)
        if found is None:
            return
        known, reached = found
        least = min(least, reached)
        yield Rebased(known.program, reached)


def loops_in_one_bundle(program: Program, presets: Presets) -> Program:
    """Return a packed program with those of its loops in one bundle that fit into it."""
    search = _Search(presets, lambda _: 0)
    known = search.known(program)
    for _ in range(_MOST_STEPS):
        every = (search.applied(known, change) for change in single_bundles(known))
        following = next((found for found in every if found is not None), None)
        if following is None:
            break
        known = following
    return known.program


class _Search:
    def __init__(self, presets: Presets, cost: Cost) -> None:
        self._presets = presets
        self._cost = cost

    def step(self, known: Known, least: int) -> tuple[Known, int] | None:
        """Return a program with fewer updates, or less cost, and its cost."""
        for kind, most in (
            (merged_updates, least),
            (equal_registers, least),
            (other_decisions, least),
            (old_comparisons, least - 1),
            (constant_registers, least + _MOST_LOST),
        ):
            for change in kind(known):
                found = self.applied(known, change)
                if found is not None and kind is not old_comparisons:
                    found = self._settled(known, found)
                if found is not None:
                    found, reached = self._with_old_comparisons(found)
                    if reached <= most:
                        return found, reached
        return None

    def _with_old_comparisons(self, known: Known) -> tuple[Known, int]:
        """Return a program and its cost, or one that costs less with other comparisons."""
        best = known, self._cost(known.program)
        for change in old_comparisons(known):
            found = self.applied(known, change)
            if found is not None:
                best = min(best, (found, self._cost(found.program)), key=lambda pair: pair[1])
        return best

    def _settled(self, known: Known, found: Known | None) -> Known | None:
        """Return a program without the updates that a rewriting has made superfluous.

        None if it does not execute fewer than before.
        """
        following = found
        while following is not None:
            found = following
            changes = (c for kind in (unread_updates, merged_updates) for c in kind(found))
            every = (self.applied(found, change) for change in changes)
            updates = found.observation.updates
            following = next((e for e in every if e and e.observation.updates < updates), None)
        if found is None or found.observation.updates >= known.observation.updates:
            return None
        return found

    def applied(self, known: Known, change: Rewriting) -> Known | None:
        """Return a program after a rewriting; None if it would do another thing."""
        program = rewritten(known.program, change)
        if program is None or program.size > program.isa.program_limit:
            return None
        if any(finding.severity is Severity.ERROR for finding in program.findings):
            return None
        bundles = sum(known.observation.executions) + len(change.first)
        found = self.known(program, bundles)
        return found if found.observation.digest == known.observation.digest else None

    def known(self, program: Program, most: int = MOST_BUNDLES) -> Known:
        """Return what is known about a program that executes `most` bundles at the most."""
        webs = webs_of(program)
        kept = {
            name.lower()
            for each in assertion_comments(program)
            if each.kind in _ABOUT_VALUES
            for name in _NAME.findall(each.text)
        }
        return Known(program, webs, observe(program, webs, self._presets, most), frozenset(kept))
