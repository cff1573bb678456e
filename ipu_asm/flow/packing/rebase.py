"""Rebasing: a program with fewer executed updates of registers that never depend on data.

`webs` has the writes of registers and the reads that see them, `observation` the values that they
have in a run, `rewriting` the changes that these allow and their text; this module applies them.
All values of the registers are known, so that every rewriting is proven by execution: each other
instruction gets the same values.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.step_reading import steps_of
from ipu_asm.flow.packing.observation import (
    MAX_BUNDLES,
    Presets,
    branches_within,
    observe,
)
from ipu_asm.flow.packing.operations import operations_of
from ipu_asm.flow.packing.pack import PackingError, check_packable
from ipu_asm.flow.packing.rewriting import (
    Known,
    Rewriting,
    constant_registers,
    equal_registers,
    merged_updates,
    other_decisions,
    rewritten,
    unread_updates,
)
from ipu_asm.flow.packing.webs import (
    webs_of,
)
from ipu_asm.program.program import Program, is_distance

_ABOUT_VALUES = (AssertionKind.BEFORE, AssertionKind.AFTER, AssertionKind.LOG)
_NAME = re.compile(r"\w+")
_MAX_STEPS = 40
_MAX_LOST = 4
"""Cycles that registers with constants may cost, before enough of them save some in a loop."""
Cost = Callable[[Program], int]


def rebased_programs(
    program: Program,
    presets: Presets,
    cost: Cost,
    observed: int,
    is_over: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Program, int]]:
    """Yield programs with ever fewer executed updates and their costs, the given one first.

    `presets` are the values of the host of each configuration, with which the program halts; of
    each run, so many bundles are `observed`. A step that raises the cost is not taken. Raises
    `PackingError` if the program cannot be rewritten.
    """
    check_packable(program)
    if any(is_distance(program, reference) for reference in program.references):
        raise PackingError("a branch has a distance as its target: give it a label")
    if any(not update.is_sum for step in steps_of(program) for update in step.updates):
        raise PackingError("an update of a register is no sum")
    blocks = (operations_of(program, block) for block in basic_blocks(program))
    if any(operation.is_break for block in blocks for operation in block):
        raise PackingError("a break shows registers to who debugs: remove it first")
    branches = [branches_within(program, each, observed) for each in presets]
    search = _Search(presets, branches, cost, is_over)
    known = search.known(program)
    least = cost(program)
    yield program, least
    for _ in range(_MAX_STEPS):
        found = search.step(known, least)
        if found is None:
            return
        known, reached = found
        least = min(least, reached)
        yield known.program, reached


class _Search:
    """Rewritings of a program that are applied one after the other.

    `branches` are those that are executed in each configuration, None for whole runs.
    """

    def __init__(
        self,
        presets: Presets,
        branches: Sequence[int | None],
        cost: Cost,
        is_over: Callable[[], bool],
    ) -> None:
        self._is_over = is_over
        self._presets = presets
        self._branches = branches
        self._cost = cost

    def step(self, known: Known, least: int) -> tuple[Known, int] | None:
        """Return a program with fewer updates, or less cost, and its cost."""
        for kind, most in (
            (merged_updates, least),
            (equal_registers, least),
            (other_decisions, least),
            (constant_registers, least + _MAX_LOST),
        ):
            for change in kind(known):
                if self._is_over():
                    return None
                found = self.applied(known, change)
                found = None if found is None else self._settled(known, found)
                reached = None if found is None else self._cost_of(found.program)
                if found is not None and reached is not None and reached <= most:
                    return found, reached
        return None

    def _cost_of(self, program: Program) -> int | None:
        """Return what a program costs; None if it never ends, after what was observed."""
        try:
            return self._cost(program)
        except PackingError:
            return None

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

    def known(self, program: Program, most: int = MAX_BUNDLES) -> Known:
        """Return what is known about a program that executes `most` bundles at the most."""
        webs = webs_of(program)
        kept = {
            name.lower()
            for each in assertion_comments(program)
            if each.kind in _ABOUT_VALUES
            for name in _NAME.findall(each.text)
        }
        observation = observe(program, webs, self._presets, self._branches, most)
        return Known(program, webs, observation, frozenset(kept))
