"""Which assertions of a program do not hold, as far as the control run can tell.

An assertion about data, or one that needs a register which the host sets and nobody states, is
left to a real run.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.config.kernel_keys import WIDE, setting_text
from ipu_asm.diagnostics import ASSERTION_FALSE, Diagnostic
from ipu_asm.expressions import MAX_BITS, OPERATIONS
from ipu_asm.expressions.tree import ExpressionError, Node, names_in
from ipu_asm.flow.assertions.comments import AssertionComment, AssertionKind, assertion_comments
from ipu_asm.flow.assertions.regions import RegionCheck
from ipu_asm.flow.assertions.syntax import Conditions, Count, Region, parse_assertion
from ipu_asm.flow.assertions.values import Budget, Executions, Undecided, number_of, refutation
from ipu_asm.flow.control_run.execution import control_run, executed
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, followed_further
from ipu_asm.flow.control_run.run import FAULT, LIMIT, MAX_STEPS, Limits
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.flow.control_run.steps import UnsupportedProgramError
from ipu_asm.flow.control_run.trace import Executed, LoopRun, executions
from ipu_asm.flow.control_run.trace import Node as TraceNode
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

_RELATIONS = {
    "==": "", "<=": "at most ", "<": "less than ", ">=": "at least ", ">": "more than ",
}  # fmt: skip

_MAX_DECISIONS = 64
_WORD = re.compile(r"\w+")
_COUNTED = (AssertionKind.TRIPS, AssertionKind.CYCLES)


class AssertionReport(NamedTuple):
    """What the control run says about the assertions of a program.

    `findings` are those that do not hold, in source order. Of the spans of conditions and counts,
    the `undecided` ones depend on what the control run does not know, and those in `never_run` are
    about bundles that no configuration executes.
    """

    findings: Sequence[Diagnostic]
    undecided: frozenset[Span]
    never_run: frozenset[Span]


@cached_on_program
def check_assertions(program: Program) -> AssertionReport:
    """Check the assertions of a program, in each configuration of the host."""
    comments = [c for c in assertion_comments(program) if c.kind is not AssertionKind.LOG]
    every = control_facts(program) if comments else ()
    if any(comment.kind in _COUNTED for comment in comments):
        most = MAX_STEPS // max(1, len(every))
        every = tuple(_to_its_end(program, facts, most) for facts in every)
    found: dict[tuple[Span, str], Diagnostic] = {}
    budget, limits = Budget(), Limits(MAX_STEPS // max(1, len(every)))
    checkers = [_Checker(program, facts, comments, budget, limits) for facts in every]
    for checker, facts in zip(checkers, every):
        for broken in checker.broken():
            shown = broken._replace(message=broken.message + _configuration(facts, every))
            found.setdefault((shown.span, broken.message), shown)
    findings = sorted(found.values(), key=lambda each: each.span)
    conditions = frozenset[Span]().union(*(checker.conditions for checker in checkers))
    reached = frozenset[Span]().union(*(checker.reached for checker in checkers))
    undecided = frozenset[Span]().union(*(checker.undecided for checker in checkers))
    return AssertionReport(findings, undecided, conditions - reached)


def _to_its_end(program: Program, facts: ControlFacts, most: int) -> ControlFacts:
    """Return the facts of a run that is followed as far as that of the conditions."""
    if facts.run.end.reason != LIMIT:
        return facts
    name = f"counts {sorted(facts.presets.items())}"
    return program.cache.whole(name, facts, lambda: followed_further(program, facts, most))


class Decided(NamedTuple):
    """Assertions that the control run decides for given registers.

    `broken` do not hold, in source order. `proven` are the spans of the conditions that hold in
    each execution, or whose bundle is never executed.
    """

    broken: Sequence[Diagnostic]
    proven: frozenset[Span]


def decided_with(program: Program, presets: Mapping[str, int]) -> Decided:
    """Return what the control run decides about assertions, with given registers at the start.

    The last results are kept with the program: tests run a kernel again and again, with other data
    in registers that decide nothing.
    """
    names, known = _deciding_registers(program), _decisions(program)
    key = tuple(item for item in presets.items() if item[0].lower() in names)
    found = known.get(key)
    if found is None:
        if len(known) == _MAX_DECISIONS:
            known.clear()
        found = known[key] = _decided(program, presets)
    return found


@cached_on_program
def _decisions(_program: Program) -> dict[tuple[tuple[str, int], ...], Decided]:
    return {}


@cached_on_program
def _deciding_registers(program: Program) -> frozenset[str]:
    """Return the registers on which the control run, or an assertion, may depend."""
    texts = (comment.text.lower() for comment in assertion_comments(program))
    words = (word for text in texts for word in _WORD.findall(text))
    return frozenset((*scalar_registers(program.isa).names, WIDE, *words))


def _decided(program: Program, presets: Mapping[str, int]) -> Decided:
    try:
        run = control_run(program, presets)
    except UnsupportedProgramError:
        return Decided((), frozenset())
    facts, comments = ControlFacts(presets, run), assertion_comments(program)
    checker = _Checker(program, facts, comments, Budget(), Limits())
    broken = sorted(checker.broken(), key=lambda each: each.span)
    open_ = checker.undecided.union(each.span for each in broken)
    proven = checker.conditions - open_ if run.is_complete else frozenset[Span]()
    return Decided(broken, frozenset(proven))


def _configuration(facts: ControlFacts, every: Sequence[ControlFacts]) -> str:
    """Return which values of registers lead to a finding, if not all of them are the same."""
    differing = [
        f"{name} = {setting_text(name, value)}"
        for name, value in facts.presets.items()
        if any(other.presets.get(name) != value for other in every)
    ]
    return f", with {', '.join(differing)}" if differing else ""


class _Condition(NamedTuple):
    comment: AssertionComment
    node: Node
    registers: tuple[str, ...]

    @property
    def place(self) -> Span:
        return self.comment.place(self.node.span)


class _Checker:
    """Checks the assertions of a program in one configuration."""

    def __init__(
        self,
        program: Program,
        facts: ControlFacts,
        comments: Iterable[AssertionComment],
        budget: Budget,
        limits: Limits,
    ) -> None:
        self._program = program
        self._facts = facts
        self._comments = comments
        self._budget = budget
        self._limits = limits
        self._positions = facts.run.names.positions
        self._presets = {name.lower(): value for name, value in facts.presets.items()}
        # Spans in the program, which `broken` fills.
        self.conditions: set[Span] = set()
        self.reached: set[Span] = set()
        self.undecided: set[Span] = set()

    def broken(self) -> Iterator[Diagnostic]:
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
        self.conditions.add(comment.place(node.span))
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
        name = f"assertions {sorted(self._facts.presets.items())}"
        inputs = self._facts, observed
        run = self._program.cache.whole(
            name, inputs, lambda: executed(self._facts.run, self._limits, observed)
        )
        open_ = {address: list(some) for address, some in conditions.items()}
        for node in executions(run.nodes):
            if self._budget.left < 0:
                left = {each.place for some in open_.values() for each in some}
                self.reached |= left
                self.undecided |= left
                return
            for condition in open_.get(node.address, ())[:]:
                broken = self._refuted(condition, node, registers[node.address])
                if broken is not None:
                    open_[node.address].remove(condition)
                    yield broken

    def _refuted(
        self, condition: _Condition, node: Executed, registers: Sequence[str]
    ) -> Diagnostic | None:
        comment, step = condition.comment, self._facts.run.steps[node.address]
        first = step.first_observed
        first += int(comment.kind is AssertionKind.AFTER)
        values = dict(zip(registers, node.values[first::2]))
        used = {name: values[name] for name in condition.registers}
        constants = {**self._program.label_addresses, "pc": node.address}
        span = condition.place
        self.reached.add(span)
        try:
            refuted = refutation(condition.node, Executions(used, constants), self._budget)
        except Undecided:
            self.undecided.add(span)
            return None
        if refuted is None:
            if not self._facts.is_complete:
                self.undecided.add(span)
            return None
        said = comment.text[condition.node.span.start : condition.node.span.end]
        when = "after" if comment.kind is AssertionKind.AFTER else "before"
        message = f"`{said}` must hold {when} each execution, found {_values(refuted)}"
        return Diagnostic(ASSERTION_FALSE, message, span)

    def _count(
        self, comment: AssertionComment, count: Count, address: int | None
    ) -> Iterator[Diagnostic]:
        """Compare trips and cycles, which are not known of a run without an end or with a fault."""
        self.conditions.add(comment.span)
        summary = self._facts.summary
        loop = None if address is None else summary.loops.get(address)
        if loop is None and (comment.kind is AssertionKind.TRIPS or not comment.is_head):
            return
        self.reached.add(comment.span)
        if comment.kind is AssertionKind.TRIPS and loop is not None:
            what, found = "an entry of the loop has {} trips", _both(loop.least, loop.most)
        elif comment.is_head or loop is None:
            what, found = "the program takes {} cycles", _both(summary.cycles, summary.cycles)
        else:
            what = "an iteration takes {} cycles"
            found = cycles_per_iteration(self._facts.run.nodes, loop.head)
        try:
            expected = number_of(count.node, self._presets)
        except Undecided:
            found = None
        run = self._facts.run
        if found is None or not run.is_complete or run.end.reason == FAULT:
            self.undecided.add(comment.span)
        elif not all(OPERATIONS[count.relation](number, expected, MAX_BITS) for number in found):
            wanted = f"{_RELATIONS[count.relation]}{expected:,}"
            least, most = found
            shown = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            message = f"{what.format(wanted)}, found {shown}"
            yield Diagnostic(ASSERTION_FALSE, message, comment.span)


def _values(refuted: Mapping[str, int]) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in refuted.items())
    return values or "that it does not"


def _both(least: int | None, most: int | None) -> tuple[int, int] | None:
    return None if least is None or most is None else (least, most)


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
                each = [cycles_of(nodes) for nodes in segment.periods(head)]
                found.extend(number for number in each if number is not None)
            count = segment.iterations
            known = cycles * count if isinstance(count, int) and cycles is not None else None
            total = None if total is None or known is None else total + known
        return total

    cycles_of(nodes)
    return (min(found), max(found)) if found else None
