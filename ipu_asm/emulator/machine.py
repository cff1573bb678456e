"""What every machine offers to what runs it, and the engines that execute its bundles."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable, Final, Mapping, Protocol, Sequence, TypeAlias

from ipu_asm.emulator.core.checks import Check
from ipu_asm.named_tuple import NamedTuple

VARIABLE: Final = "IPU_ENGINE"
"""The environment variable with the engine of machines for which none is chosen."""


class Engine(Enum):
    """An engine, or `auto` as a choice; the values are the names for users."""

    AUTO = "auto"
    """The core where there is one, once enough bundles were executed to pay for loading it."""
    CORE = "core"
    """A compiled interpreter; what it cannot execute is executed by numpy."""
    NUMPY = "numpy"
    """The methods of the machine."""


def engine_of(name: str) -> Engine:
    """Return the engine of a name. Raises ValueError for an unknown one."""
    try:
        return Engine(name)
    except ValueError:
        names = ", ".join(engine.value for engine in Engine)
        raise ValueError(f"an engine is one of {names}, found {name!r}") from None


def default_engine() -> Engine:
    """Return the engine that the environment chooses. Raises ValueError for an unknown name."""
    return engine_of(os.environ.get(VARIABLE) or Engine.AUTO.value)


StopTest = Callable[[int], bool]
"""Whether to stop in front of the bundle at an address. It changes nothing."""

Trace = Callable[[int], object]
"""Called with the address of each bundle that a run begins to execute."""

Transitions: TypeAlias = Counter[tuple[int, int]]
"""How often a bundle was executed right after another one, by their addresses."""


class BulkTrace(ABC):
    """A trace that takes from an engine what it recorded of many bundles at once.

    An engine that records calls `append` for each bundle that it begins, as a trace is called. With
    `wants_addresses` the others hand over addresses, else counts.
    """

    def __init__(self, wants_addresses: bool) -> None:
        self.wants_addresses = wants_addresses

    def __call__(self, pc: int) -> None:
        """Take the address of a bundle that is begun."""
        self.append(pc)

    @property
    @abstractmethod
    def append(self) -> Trace:
        """What to call for each bundle."""

    @abstractmethod
    def add_addresses(self, addresses: bytes) -> None:
        """Take the addresses of executed bundles, as uint16."""

    @abstractmethod
    def add_transitions(self, first: int, last: int, transitions: Transitions) -> None:
        """Take what was counted from a first to a last executed bundle."""


READS: Final = 1
WRITES: Final = 2
"""Kinds of access to a range of memory; both are 3."""

ChecksByAddress: TypeAlias = Mapping[int, Sequence[Check]]


class WatchedRange(NamedTuple):
    """Bytes of memory from `start` to before `end`, and the kinds of access that count."""

    start: int
    end: int
    kinds: int


@dataclass(frozen=True, eq=False)
class SelectiveTest:
    """A stop test that can be true at some places only; everywhere else an engine need not ask it.

    These are the addresses `in_front`, those of `at_breaks` whose break slot stops, the next bundle
    after one of the addresses `after`, and that after an access to one of the ranges. Of
    `in_front_if` and `after_if` they are those where one of the checks holds.
    """

    test: StopTest
    in_front: frozenset[int] = frozenset()
    at_breaks: frozenset[int] = frozenset()
    after: frozenset[int] = frozenset()
    watched: tuple[WatchedRange, ...] = ()
    in_front_if: ChecksByAddress = field(default_factory=dict)
    after_if: ChecksByAddress = field(default_factory=dict)

    def __call__(self, pc: int) -> bool:
        """Ask the test."""
        return self.test(pc)

    def either(self, other: SelectiveTest) -> SelectiveTest:
        """Return a test that is true where one of two is."""
        return SelectiveTest(
            lambda pc: self.test(pc) or other.test(pc),
            self.in_front | other.in_front,
            self.at_breaks | other.at_breaks,
            self.after | other.after,
            (*self.watched, *other.watched),
            _joined(self.in_front_if, other.in_front_if),
            _joined(self.after_if, other.after_if),
        )


def _joined(one: ChecksByAddress, other: ChecksByAddress) -> ChecksByAddress:
    return {pc: (*one.get(pc, ()), *other.get(pc, ())) for pc in {*one, *other}}


class ProgramPosition(Protocol):
    """The position of a machine in its program."""

    @property
    def is_halted(self) -> bool:
        """Whether there is no next bundle."""

    @property
    def program_counter(self) -> int:
        """The address of the next bundle."""


class RunCounter(Protocol):
    """Counts what a machine executes."""

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run the machine as `Machine.run` does, with a trace."""


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
