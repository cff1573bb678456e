"""Which assertions of a program do not hold, as far as the control run can tell.

An assertion about data, or one that needs a register which the host sets and nobody states, is
left to a real run.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import ASSERTION_FALSE
from ipu_asm.expressions.arithmetic import MAX_BITS, OPERATIONS
from ipu_asm.expressions.errors import ExpressionError
from ipu_asm.expressions.tree import Name, Node
from ipu_asm.flow.assertions.comments import AssertionComment, AssertionKind, assertion_comments
from ipu_asm.flow.assertions.regions import RegionCheck
from ipu_asm.flow.assertions.syntax import Conditions, Count, Region, parse_assertion
from ipu_asm.flow.assertions.values import (
    Executions,
    Undecided,
    number_of,
    refutation,
)
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import Limits, control_run, executed
from ipu_asm.flow.control_run.steps import UnsupportedProgramError
from ipu_asm.flow.control_run.summary import LoopSummary, summarise
from ipu_asm.flow.control_run.trace import Executed, LoopRun, executions
from ipu_asm.flow.control_run.trace import Node as TraceNode
from ipu_asm.program.program import Program
from ipu_asm.text import Span

_RELATIONS = {
    "==": "", "<=": "at most ", "<": "less than ", ">=": "at least ", ">": "more than ",
}  # fmt: skip


def broken_assertions(program: Program) -> list[Diagnostic]:
    """Return the assertions of a program that do not hold, in source order."""
    comments = assertion_comments(program)
    if not any(comment.kind is not AssertionKind.LOG for comment in comments):
        return []
    every = control_facts(program)
    found: dict[tuple[Span, str], Diagnostic] = {}
    for facts in every:
        for broken in _Checker(program, facts, comments).broken():
            shown = broken._replace(message=broken.message + _configuration(facts, every))
            found.setdefault((shown.span, broken.message), shown)
    return sorted(found.values(), key=lambda each: each.span)


def broken_with(program: Program, presets: Mapping[str, int]) -> list[Diagnostic]:
    """Return the assertions that do not hold with given registers, in source order."""
    try:
        run = control_run(program, presets)
    except UnsupportedProgramError:
        return []
    facts = ControlFacts(presets, run, summarise(run))
    found = _Checker(program, facts, assertion_comments(program)).broken()
    return sorted(found, key=lambda each: each.span)


def _configuration(facts: ControlFacts, every: Sequence[ControlFacts]) -> str:
    """Return which values of registers lead to a finding, if not all of them are the same."""
    differing = [
        f"{name} = {value}"
        for name, value in facts.presets.items()
        if any(other.presets.get(name) != value for other in every)
    ]
    return f", with {', '.join(differing)}" if differing else ""


class _Condition(NamedTuple):
    comment: AssertionComment
    node: Node
    registers: tuple[str, ...]


class _Checker:
    """Checks the assertions of a program in one configuration."""

    def __init__(
        self, program: Program, facts: ControlFacts, comments: Iterable[AssertionComment]
    ) -> None:
        self._program = program
        self._facts = facts
        self._comments = comments
        self._positions = facts.run.names.positions
        self._presets = {name.lower(): value for name, value in facts.presets.items()}

    def broken(self) -> Iterator[Diagnostic]:
        """Yield what does not hold."""
        conditions: dict[int, list[_Condition]] = {}
        regions: list[tuple[AssertionComment, Region]] = []
        for comment in self._comments:
            try:
                parsed = parse_assertion(comment.kind, comment.text)
            except ExpressionError:
                continue  # a finding of its own
            address = self._address(comment)
            if isinstance(parsed, Conditions) and address is not None:
                made = [self._condition(comment, node) for node in parsed.nodes]
                conditions.setdefault(address, []).extend(made)
            elif isinstance(parsed, Count):
                yield from self._count(comment, parsed, address)
            elif isinstance(parsed, Region):
                regions.append((comment, parsed))
        if conditions:
            yield from self._conditions(conditions)
        yield from RegionCheck(self._program, self._facts, regions).broken()

    def _address(self, comment: AssertionComment) -> int | None:
        return None if comment.bundle is None else self._program.addresses[comment.bundle]

    def _condition(self, comment: AssertionComment, node: Node) -> _Condition:
        names = dict.fromkeys(each.text.lower() for each in names_in(node))
        return _Condition(comment, node, tuple(n for n in names if n in self._positions))

    def _conditions(self, conditions: Mapping[int, list[_Condition]]) -> Iterator[Diagnostic]:
        """Execute the program once more, and look at all conditions on the way."""
        registers = {
            address: list(dict.fromkeys(name for each in some for name in each.registers))
            for address, some in conditions.items()
        }
        positions = self._positions
        observed = {a: [positions[name] for name in names] for a, names in registers.items()}
        run = executed(self._facts.run, Limits(), observed)
        open_ = {address: list(some) for address, some in conditions.items()}
        for node in executions(run.nodes):
            for condition in open_.get(node.address, ())[:]:
                broken = self._refuted(condition, node, registers[node.address])
                if broken is not None:
                    open_[node.address].remove(condition)
                    yield broken

    def _refuted(
        self, condition: _Condition, node: Executed, registers: Sequence[str]
    ) -> Diagnostic | None:
        comment, step = condition.comment, self._facts.run.steps[node.address]
        first = step.compared + len(step.accesses)
        first += int(comment.kind is AssertionKind.AFTER)
        values = dict(zip(registers, node.values[first::2]))
        used = {name: values[name] for name in condition.registers}
        constants = {**self._program.label_addresses, "pc": node.address}
        try:
            refuted = refutation(condition.node, Executions(used, constants))
        except Undecided:
            return None
        if refuted is None:
            return None
        span = condition.node.span
        said = comment.text[span.start : span.end]
        when = "after" if comment.kind is AssertionKind.AFTER else "before"
        message = f"`{said}` must hold {when} each execution, found {_values(refuted)}"
        return Diagnostic(ASSERTION_FALSE, message, span.shifted(comment.span.start))

    def _count(
        self, comment: AssertionComment, count: Count, address: int | None
    ) -> Iterator[Diagnostic]:
        loop = None if address is None else self._facts.summary.loops.get(address)
        if comment.kind is AssertionKind.TRIPS:
            if loop is not None:
                yield from self._compared(
                    comment, count, "an entry of the loop has {} trips", _trips(loop)
                )
        elif comment.is_head:
            cycles = self._facts.summary.cycles
            if self._facts.is_complete and cycles is not None:
                yield from self._compared(
                    comment, count, "the program takes {} cycles", (cycles, cycles)
                )
        elif loop is not None:
            cycles_ = cycles_per_iteration(self._facts.run.nodes, loop.head)
            yield from self._compared(comment, count, "an iteration takes {} cycles", cycles_)

    def _compared(
        self,
        comment: AssertionComment,
        count: Count,
        what: str,
        found: tuple[int, int] | None,
    ) -> Iterator[Diagnostic]:
        try:
            expected = number_of(count.node, self._presets)
        except Undecided:
            return
        if found is None or all(
            OPERATIONS[count.relation](number, expected, MAX_BITS) for number in found
        ):
            return
        least, most = found
        shown = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        wanted = f"{_RELATIONS[count.relation]}{expected:,}"
        message = f"{what.format(wanted)}, found {shown}"
        yield Diagnostic(ASSERTION_FALSE, message, comment.span)


def _values(refuted: Mapping[str, int]) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in refuted.items())
    return values or "that it does not"


def _trips(loop: LoopSummary) -> tuple[int, int] | None:
    return None if loop.least is None or loop.most is None else (loop.least, loop.most)


def cycles_per_iteration(nodes: Sequence[TraceNode], head: int) -> tuple[int, int] | None:
    """Return the least and most cycles of an iteration of a loop, inner loops included.

    The last iteration, which may leave the loop early, counts as the others. None if it does not
    run, or a number is not known.
    """
    found: list[int] = []

    def cycles_of(some: Sequence[TraceNode]) -> int | None:
        total: int | None = 0
        for node in some:
            cycles = 1 if isinstance(node, Executed) else loop_cycles(node)
            total = None if total is None or cycles is None else total + cycles
        return total

    def loop_cycles(run: LoopRun) -> int | None:
        total: int | None = 0
        for segment in run.segments:
            cycles = cycles_of(segment.nodes)
            if run.head == head and cycles is not None:
                found.append(cycles)
            count = segment.iterations
            known = None if cycles is None or count is None else cycles * count
            total = None if total is None or known is None else total + known
        return total

    cycles_of(nodes)
    return (min(found), max(found)) if found else None


def names_in(node: object) -> Iterator[Name]:
    """Yield the names in a syntax tree."""
    if isinstance(node, Name):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from names_in(part)
