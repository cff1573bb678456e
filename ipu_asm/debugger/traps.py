"""Traps: assertions in comments, and numeric events at the bundles that can have them."""

from __future__ import annotations

from functools import partial
from typing import Callable, Collection, Final, Iterator, Mapping, Sequence

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.debugger.breakpoints import Breakpoint, Trap
from ipu_asm.debugger.expressions import ExpressionError
from ipu_asm.debugger.expressions.compilation import compile_condition
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.expressions.values import text_of
from ipu_asm.debugger.regions import Accesses, accesses_of_machine
from ipu_asm.diagnostics import ASSERTION_FALSE, Diagnostic
from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import ALWAYS, Check, Opcode
from ipu_asm.emulator.machine import SelectiveTest
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.numeric_events import NumericEvent, Probe
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import StopReason, describe_stop
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.expressions.tree import Binary, Call, Node, Number, Unary
from ipu_asm.flow.assertions.checks import decided_with
from ipu_asm.flow.assertions.comments import AssertionComment, AssertionKind, assertion_comments
from ipu_asm.flow.assertions.syntax import Conditions, Logged, parse_assertion
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.source.lifting import lifted_findings
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span

_MAX_SHOWN = 4
Checks = dict[int, list[Check]]
"""Checks by the addresses of bundles."""


class FailedAssertion(NamedTuple):
    """A condition that does not hold at the bundle at `address`, and where it was written."""

    message: str
    address: int
    written: SourceRange


class _Check(NamedTuple):
    node: Node
    text: str
    span: Span


class AssertionChecks:
    """The assertions of a program that is loaded on a machine.

    Conditions of `ASSERT` and `ASSERT-AFTER` are evaluated as expressions of the debugger.
    `log_points` are breakpoints for `LOG` comments, which log instead of stopping.
    """

    def __init__(self, machine: AnyMachine, lines: LineTable) -> None:
        self._machine = machine
        self._lines = lines
        self._before: dict[int, list[_Check]] = {}
        self._after: dict[int, list[_Check]] = {}
        self.log_points: list[Breakpoint] = []
        self.has_any = any(
            comment.kind is not AssertionKind.CONFIGURATION
            for comment in assertion_comments(lines.program)
        )
        if self.has_any:
            self._read()
            self._context = live_context(lines, machine.state)

    def _read(self) -> None:
        program = self._lines.program
        for comment in assertion_comments(program):
            if comment.bundle is None:
                continue
            try:
                parsed = parse_assertion(comment.kind, comment.text)
            except ExpressionError:
                continue  # the linter reports it
            address = program.addresses[comment.bundle]
            if isinstance(parsed, Conditions):
                is_before = comment.kind is AssertionKind.BEFORE
                checks = self._before if is_before else self._after
                checks.setdefault(address, []).extend(_checks(comment, parsed.nodes))
            elif isinstance(parsed, Logged):
                shown = _checks(comment, parsed.nodes)
                self.log_points.append(Breakpoint(address, log=partial(self._logged, shown)))

    def _logged(self, shown: Sequence[_Check], _state: AnyState) -> str:
        return ", ".join(f"{each.text} = {self._text(each.node)}" for each in shown)

    def _text(self, node: Node) -> str:
        self._context.cycle = self._machine.cycles
        try:
            return text_of(Evaluator(self._context).evaluate(node).value, None, _MAX_SHOWN)
        except ExpressionError as error:
            return f"<{error.message}>"

    def broken(self) -> list[Diagnostic]:
        """Return the assertions that the control run refutes, with the registers as they are now.

        They are where the author wrote them. Conditions that it proves for a run from the first
        bundle on are not checked any more: a condition costs more than a bundle.
        """
        if not self.has_any:
            return []
        state = self._machine.state
        scalars = zip(state.layout.scalar_names, state.regfile.scalars)
        broken, proven = decided_with(self._lines.program, dict(scalars))
        if state.program_counter == 0:
            self._before = _without(self._before, proven)
            self._after = _without(self._after, proven)
        if self._lines.expansion is None:
            return list(broken)
        lifted = lifted_findings([(self._lines.expansion, list(broken))])
        return [finding for finding in lifted if finding.rule == ASSERTION_FALSE]

    def failed_before(self) -> FailedAssertion | None:
        return self._failed(self._before, self._machine.state.program_counter, "before")

    def failed_after(self) -> FailedAssertion | None:
        return self._failed(self._after, self._machine.snapshot.pc, "after")

    def failed(self) -> FailedAssertion | None:
        return self.failed_after() or self.failed_before()

    @property
    def stop_test(self) -> SelectiveTest:
        """A stop test of a run: whether a condition does not hold before the next bundle."""
        before, after = self.checks(accesses_of_machine(self._machine).may_write_type)
        return SelectiveTest(self.has_failed, in_front_if=before, after_if=after)

    def has_failed(self, address: int) -> bool:
        """Return whether a condition does not hold before the next bundle, at an address.

        It is a stop test of a run.
        """
        return self.may_fail(address) and self.failed() is not None

    @property
    def has_conditions(self) -> bool:
        return bool(self._before or self._after)

    def checks(self, may_change_type: bool = False) -> tuple[Checks, Checks]:
        """Return the checks that a condition does not hold: those before bundles, those after.

        They are for the present mode of the machine. `may_change_type`: it does not last.
        """
        return (
            self._checks(self._before, may_change_type),
            self._checks(self._after, may_change_type),
        )

    def _checks(self, conditions: dict[int, list[_Check]], may_change_type: bool) -> Checks:
        def check(node: Node) -> Check:
            holds = None if may_change_type else compile_condition(self._context, node)
            return ALWAYS if holds is None else checks.unary(Opcode.NOT, holds)

        return {
            address: [check(each.node) for each in some] for address, some in conditions.items()
        }

    def may_fail(self, address: int) -> bool:
        """Return whether there are conditions before the next bundle, at an address."""
        return address in self._before or self._machine.snapshot.pc in self._after

    def _failed(
        self, checks: dict[int, list[_Check]], address: int, when: str
    ) -> FailedAssertion | None:
        for check in checks.get(address, ()):
            found = self._mistake(check)
            if found is not None:
                where = self._lines.describe(address)
                message = f"`{check.text}` must hold {when} {where}, found {found}"
                return FailedAssertion(message, address, self._written(check.span))
        return None

    def _mistake(self, check: _Check) -> str | None:
        """Return the values with which a condition does not hold; None if it does."""
        self._context.cycle = self._machine.cycles
        try:
            value = Evaluator(self._context).evaluate(check.node).value
            if value.is_vector:
                message = f"a single value is needed, found {value.describe()}; use `all(...)`"
                raise ExpressionError(message, check.node.span)
            return None if value.number else ", ".join(self._operands(check))
        except ExpressionError as error:
            return error.message

    def _operands(self, check: _Check) -> Iterator[str]:
        shown: dict[str, str] = {}
        for node in _terms(check.node):
            at = check.node.span.start
            text = check.text[node.span.start - at : node.span.end - at]
            if text not in shown and len(shown) < _MAX_SHOWN:
                shown[text] = self._text(node)
        yield from (f"{text} = {value}" for text, value in shown.items())

    def _written(self, span: Span) -> SourceRange:
        expansion = self._lines.expansion
        written = expansion.source_map.written(span) if expansion else None
        return written or SourceRange(MAIN, span)


def _without(checks: dict[int, list[_Check]], proven: frozenset[Span]) -> dict[int, list[_Check]]:
    left = {
        address: [check for check in some if check.span not in proven]
        for address, some in checks.items()
    }
    return {address: some for address, some in left.items() if some}


def _checks(comment: AssertionComment, nodes: Sequence[Node]) -> list[_Check]:
    return [
        _Check(node, comment.text[node.span.start : node.span.end], comment.place(node.span))
        for node in nodes
    ]


def _terms(node: Node) -> Iterator[Node]:
    """Yield the operands of comparisons in a condition, without numbers."""
    if isinstance(node, Unary):
        yield from _terms(node.operand)
    elif isinstance(node, Binary):
        yield from _terms(node.left)
        yield from _terms(node.right)
    elif isinstance(node, Call) and node.name.text in ("all", "any"):
        yield from (term for argument in node.arguments for term in _terms(argument))
    elif not isinstance(node, Number):
        yield node


class TrapHit(NamedTuple):
    """A trap hit by the last bundle executed, with its numeric events."""

    trap: Trap
    events: Sequence[NumericEvent]


class TrapAddresses:
    """The bundles of a program at which traps can be hit.

    `breaks` have a break instruction, `halts` one that halts the machine; `probes` find numeric
    events, by trap and address; `assertions` are those in comments.
    """

    def __init__(self, machine: AnyMachine, accesses: Accesses, lines: LineTable) -> None:
        self.machine = machine
        self.model = machine_for(machine.state.isa_name)
        self.accesses = accesses
        instructions = accesses.instructions
        breaks = machine.break_slot
        self.breaks = _having(
            instructions,
            lambda instruction: instruction.slot.name == breaks and not instruction.is_idle,
        )
        self.halts = _having(
            instructions,
            lambda instruction: instruction.spec is not None and instruction.spec.flow == "halt",
        )
        makers = {Trap.NAN: self.model.nan_probe, Trap.OVERFLOW: self.model.overflow_probe}
        settings = machine.state.settings
        self.probes = {
            trap: {pc: probe for pc in instructions if (probe := maker(instructions[pc], settings))}
            for trap, maker in makers.items()
            if maker is not None
        }
        self.lines = lines
        self.assertions = AssertionChecks(machine, lines)

    def describe(self, reason: StopReason) -> str:
        return describe_stop(run_end_of(self.machine, reason, self.lines))

    def may_change_type(self, is_type_edited: bool) -> bool:
        """Return whether the element type can change, by the program or by edits of the user."""
        return self.accesses.may_write_type or is_type_edited

    def monitor(self, traps: Collection[Trap], is_type_edited: bool) -> TrapMonitor | None:
        """Return a monitor for the numeric traps among these; None if none of them can be hit.

        NaNs occur only with float elements, overflows only with integers. `is_type_edited` states
        that the user changes the element type somewhere in the history.
        """
        wanted = [trap for trap in self.probes if trap in traps]
        if not wanted:
            return None
        may_change = self.may_change_type(is_type_edited)
        is_float = self.model.types_in(self.machine.state).has_float_words
        probes: dict[int, list[tuple[Trap, Probe]]] = {}
        for trap in wanted:
            if may_change or NUMERIC_TRAPS[trap].is_for_floats is is_float:
                for pc, probe in self.probes[trap].items():
                    probes.setdefault(pc, []).append((trap, probe))
        return TrapMonitor(self.machine, probes) if probes else None


class TrapMonitor:
    """Finds numeric events by comparing the registers before and after the last bundle executed."""

    def __init__(
        self, machine: AnyMachine, probes: Mapping[int, Sequence[tuple[Trap, Probe]]]
    ) -> None:
        self._before = machine.snapshot
        self._now = machine.state.regfile
        self._probes = probes

    def checks(self) -> Iterator[tuple[int, Trap, Check]]:
        """Yield the bundles that can hit a trap, each with the check that they do."""
        for pc, probes in self._probes.items():
            for trap, probe in probes:
                yield pc, trap, probe.check

    def has_hit(self) -> bool:
        """Return whether the last bundle executed hit a trap, ignoring its condition."""
        return self._before.pc in self._probes and any(True for _ in self.hits())

    def hits(self) -> Iterator[TrapHit]:
        """Yield the traps that the last bundle executed hit, ignoring their conditions."""
        for trap, probe in self._probes.get(self._before.pc, ()):
            events = probe(self._before, self._now)
            if events:
                yield TrapHit(trap, events)


class NumericTrap(NamedTuple):
    """A trap for numeric events: its reason, the words that have them, and their description.

    `describe` takes an event, and whether its register is a vector.
    """

    reason: StopReason
    is_for_floats: bool
    describe: Callable[[NumericEvent, bool], str]


def _having(
    instructions: Mapping[int, Sequence[DecodedInstruction]],
    is_wanted: Callable[[DecodedInstruction], bool],
) -> frozenset[int]:
    """The addresses of bundles with an instruction for which `is_wanted` holds."""
    return frozenset(pc for pc in instructions if any(map(is_wanted, instructions[pc])))


def _describe_nans(event: NumericEvent, is_vector: bool) -> str:
    instruction, register, number, first, _ = event
    if number > 1:
        return f"`{instruction}` made {number} NaNs in `{register}`, the first in element {first}"
    place = f", in element {first}" if is_vector else ""
    return f"`{instruction}` made a NaN in `{register}`{place}"


def _describe_overflow(event: NumericEvent, is_vector: bool) -> str:
    instruction, register, number, first, exact = event
    where = f"element {first} of `{register}`"
    if number > 1:
        where = f"{number} elements of `{register}`, the first being element {first}"
    return f"`{instruction}` overflowed in {where} with an exact result of {exact}"


NUMERIC_TRAPS: Final = {
    Trap.NAN: NumericTrap(StopReason.NAN, True, _describe_nans),
    Trap.OVERFLOW: NumericTrap(StopReason.OVERFLOW, False, _describe_overflow),
}
