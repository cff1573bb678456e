"""A program with the numbers of its control run, as far as they are known for the whole run."""

from __future__ import annotations

from typing import Iterable, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import RAN_OFF
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.control_run.summary import Count
from ipu_asm.flow.loop_numbers import executions_of, total_cycles
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program


class Measured(NamedTuple):
    """A program, its source lines, and how often each address is executed: None if not known.

    `facts` are None for a set in which data may decide control.
    """

    program: Program
    lines: LineTable
    facts: ControlFacts | None
    executions: Sequence[Count]

    @property
    def cycles(self) -> Count:
        """The cycles of the run, or those until it faults; of a call of the only function."""
        if self.facts is None:
            return total_cycles(self.program, None)
        if not self.facts.is_complete:
            return None
        cycles = self.facts.summary.cycles
        return None if cycles is None else cycles + self.empty_cycles

    @property
    def empty_cycles(self) -> int:
        """The cycles in memory without a program, behind the last bundle."""
        assert self.facts is not None
        end = self.facts.run.end
        limit = self.program.isa.program_limit
        return max(0, limit - end.address) if end.reason == RAN_OFF else 0


def measure(program: Program, lines: LineTable, facts: ControlFacts | None) -> Measured:
    """Return a program with its executions.

    Of a run whose end is not known, those of addresses that it may still come to are not known.
    """
    if facts is None:
        return Measured(program, lines, None, executions_of(program, None) or [None] * program.size)
    executions = list(facts.summary.executions)
    end = facts.run.end
    if not facts.is_complete:
        for address in _reachable(facts.run.steps, end.address):
            executions[address] = None
    return Measured(program, lines, facts, executions)


def total(counts: Iterable[Count]) -> Count:
    """Return the sum of counts; None if one is not known."""
    known = 0
    for count in counts:
        if count is None:
            return None
        known += count
    return known


def _reachable(steps: Sequence[Step], start: int) -> set[int]:
    """Return the addresses that control may come to from one, itself included."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        address = waiting.pop()
        if address in found or address >= len(steps):
            continue
        found.add(address)
        step = steps[address]
        if step.branch is None or step.branch.relation:
            waiting += [] if step.halts else [address + 1]
        if step.branch is not None:
            target = step.branch.target
            waiting += range(len(steps)) if target is None else [target]
    return found
