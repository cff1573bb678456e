"""Assertions in the comments of a kernel that a worker runs on many inputs."""

from __future__ import annotations

from ipu_asm.debugger.assertions import AssertionChecks
from ipu_asm.emulator.machine import StopTest
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable

_MOST_KNOWN = 64


class _Decided(NamedTuple):
    """What is known before a run: why it is not begun, and what must be checked while it runs."""

    broken: str
    checks: AssertionChecks
    stop: StopTest | None


class SweepAssertions:
    """The assertions of a program on a machine.

    What the control run decides depends on the scalar registers at the start, which most inputs
    share. It is decided once for each of their values: conditions that it proves cost nothing.
    """

    def __init__(self, machine: AnyMachine, lines: LineTable) -> None:
        self._machine = machine
        self._lines = lines
        self._known: dict[tuple[int, ...], _Decided] = {}

    def run(self, limit: int) -> None:
        """Run the machine from its first bundle on, `limit` bundles at most.

        Raises AssertionError for an assertion that does not hold, and as the machine does.
        """
        decided = self._decided()
        if decided.broken:
            raise AssertionError(decided.broken)
        checks = decided.checks if decided.stop is not None else None
        failed = checks.failed_before() if checks else None
        if failed is None:
            self._machine.run(limit, decided.stop)
            failed = checks.failed() if checks else None
        if failed is not None:
            raise AssertionError(failed.message)

    def _decided(self) -> _Decided:
        key = tuple(self._machine.state.regfile.scalars)
        found = self._known.get(key)
        if found is None:
            checks = AssertionChecks(self._machine, self._lines)
            broken = "; ".join(finding.message for finding in checks.broken())
            stop = checks.stop_test if checks.has_conditions else None
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = _Decided(broken, checks, stop)
        return found
