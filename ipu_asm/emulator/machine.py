"""What every machine offers to what runs it."""

from __future__ import annotations

from typing import Callable, Protocol

StopTest = Callable[[int], bool]
"""Whether to stop in front of the bundle at an address. It changes nothing."""

Trace = Callable[[int], object]
"""Called with the address of each bundle that a run begins to execute."""


class ProgramPosition(Protocol):
    """The position of a machine in its program."""

    @property
    def is_halted(self) -> bool:
        """Whether there is no next bundle."""


class Machine(Protocol):
    """A machine that executes bundles; `cycles` counts those executed so far."""

    cycles: int

    @property
    def state(self) -> ProgramPosition:
        """Registers, memory and program counter."""

    def run(self, limit: int, stop: StopTest | None = None, trace: Trace | None = None) -> int:
        """Execute up to `limit` bundles, until the machine halts; return their number.

        `stop` is asked in front of each bundle but the first; where it is true, the run ends.
        """
