"""An eye on the numbers while the machine runs at full speed."""

from __future__ import annotations

from typing import Collection, Mapping, NamedTuple, Sequence

from ipu_asm.debugger.stop import Trap
from ipu_asm.emulator.numeric_events import NumericEvent, Probe
from ipu_asm.emulator.registers import RegFile

Probes = Sequence[tuple[Trap, Probe]]


class Alarm(NamedTuple):
    """What a bundle has done that a trap waits for."""

    trap: Trap
    pc: int
    incidents: Sequence[NumericEvent]


class Sentry:
    """Looks at the registers before and after those bundles that have probes.

    The machine's own note of the state before a bundle is gone once the next one comes, and a run
    of its own for each bundle would take several times as long.
    """

    def __init__(self, registers: RegFile, probes: Mapping[int, Probes]) -> None:
        self._now = registers
        self._before = RegFile()
        self._probes = probes
        self._pending: Probes | None = None
        self._alarms: list[Alarm] = []

    def stops_at(self, addresses: Collection[int], pc: int) -> bool:
        """Whether to stop in front of a bundle: at `addresses`, and where the last one gave alarm.

        The machine must execute the bundle next if not.
        """
        if self._pending is not None:
            self._check()
        if self._alarms or pc in addresses:
            return True
        self.expect(pc)
        return False

    def expect(self, pc: int) -> None:
        """Be told that the machine executes a bundle next."""
        self._pending = self._probes.get(pc)
        if self._pending is not None:
            self._before.block[:] = self._now.block
            self._before.scalars[:] = self._now.scalars
            self._before.pc = pc

    def alarms(self) -> list[Alarm]:
        """The alarms that the last bundle has given, each told once."""
        if self._pending is not None:
            self._check()
        alarms, self._alarms = self._alarms, []
        return alarms

    def _check(self) -> None:
        before, pending = self._before, self._pending or ()
        self._pending = None
        for trap, probe in pending:
            incidents = probe(before, self._now)
            if incidents:
                self._alarms.append(Alarm(trap, before.pc, incidents))
