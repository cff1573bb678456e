"""What stops a run of `ipu-run` between two bundles: breaks, assertions, and `--until`."""

from __future__ import annotations

from dataclasses import replace

from ipu_asm.debugger.accesses import Accesses
from ipu_asm.debugger.assertions import AssertionChecks, FailedAssertion
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.expression_reads import check_names
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, evaluate_condition
from ipu_asm.emulator.core.checks import ALWAYS
from ipu_asm.emulator.machine import ChecksByAddress, SelectiveTest, StopTest
from ipu_asm.emulator.model import decode_word
from ipu_asm.emulator.stops import StopReason
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple


class Until(NamedTuple):
    """Where a run should end: in front of `addresses`, or where the expression `text` holds.

    The expression can begin to hold `after_if` a check holds after one of these bundles.
    """

    text: str
    addresses: frozenset[int] = frozenset()
    after_if: ChecksByAddress | None = None


def until_of(machine: AnyMachine, context: LiveContext, text: str) -> Until:
    """Return the end that a label or an expression states. Raises `ExpressionError`."""
    address = context.labels.get(text)
    if address is not None:
        return Until(text, frozenset((address,)))
    check_names(context, text)
    accesses = Accesses(machine)
    condition = ExpressionCondition(lambda: context, text, on_error=lambda error: False)
    check = ALWAYS if accesses.may_write_type else condition.check
    return Until(text, after_if=dict.fromkeys(accesses.writers_of(condition.reads), (check,)))


def break_addresses(machine: AnyMachine, isa: Isa) -> frozenset[int]:
    """Return the addresses of bundles with a break instruction."""
    breaks = machine.break_slot
    return frozenset(
        address
        for address, word in enumerate(machine.state.inst_mem)
        if word is not None
        and any(c.slot.name == breaks and not c.is_idle for c in decode_word(isa, word))
    )


class RunStops:
    """What stops one run. `is_resumed`: breaks and `until` do not count in front of the first."""

    def __init__(
        self,
        machine: AnyMachine,
        breaks: frozenset[int],
        assertions: AssertionChecks | None,
        until: Until | None = None,
        context: LiveContext | None = None,
        is_resumed: bool = False,
    ) -> None:
        self._machine = machine
        self._breaks = breaks
        self._assertions = assertions
        self._until = until
        self._context = context
        self._is_resumed = is_resumed
        self._problem = ""
        self.failed: FailedAssertion | None = None

    @property
    def test(self) -> StopTest | None:
        """The test for a run; None if nothing can stop it."""
        test = SelectiveTest(self._is_break, at_breaks=self._breaks)
        until = self._until
        has_conditions = self._assertions is not None and self._assertions.has_conditions
        if until is None and not has_conditions:
            return test if self._breaks else None
        if self._assertions is not None and has_conditions:
            test = test.either(self._assertions.stop_test)
        if until is not None:
            after_if = until.after_if or {}
            test = test.either(SelectiveTest(test, until.addresses, after_if=after_if))
        return replace(test, test=self._is_reason)

    def reason(self, address: int) -> StopReason | None:
        """Return why the run stops in front of a bundle; None if it goes on."""
        assertions = self._assertions
        if assertions is not None and assertions.may_fail(address):
            self.failed = assertions.failed()
            if self.failed is not None:
                return StopReason.ASSERTION
        if self._is_resumed:  # the first question is about the first bundle
            self._is_resumed = False
            return None
        if self._is_break(address):
            return StopReason.BREAK
        return StopReason.UNTIL if self._is_end(address) else None

    def at_halt(self) -> StopReason:
        """Return why the run has ended after its last bundle."""
        if self._assertions is not None:
            self.failed = self._assertions.failed_after()
        return StopReason.HALTED if self.failed is None else StopReason.ASSERTION

    def missed(self) -> str:
        """Return the text of `until` if the machine has halted before it; else an empty one."""
        if self._until is None or self._is_end(-1):
            return ""
        problem = f": {self._problem}" if self._problem else ""
        return f"`{self._until.text}`{problem}"

    def _is_reason(self, address: int) -> bool:
        return self.reason(address) is not None

    def _is_break(self, address: int) -> bool:
        return address in self._breaks and self._machine.stops_at(address)

    def _is_end(self, address: int) -> bool:
        until = self._until
        if until is None or self._context is None:
            return False
        if until.after_if is None:
            return address in until.addresses
        self._context.cycle = self._machine.cycles
        try:
            return evaluate_condition(self._context, until.text)
        except ExpressionError as error:
            self._problem = error.message
            return False
