"""Reads before a result has landed, and results that are never read.

Everything is computed per function, so that results remain valid when other text is edited.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import islice
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.flow.accesses import LATEST, RegisterAccess, accesses_of, needed_distance
from ipu_asm.flow.control_flow import control_flow_of
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

# Limits in bundles and states for following a result; beyond them it counts as read.
_FARTHEST, _MAX_STATES = 1_000_000, 4_000
# Maximum number of earlier writes among which the one that an early read sees is searched.
_MAX_WRITES = 4


class EarlyRead(NamedTuple):
    """A read `distance` bundles after a write that it would see from `needed` bundles on.

    `number` is the index of the reading bundle in its function. `uninitialised`: no value has been
    written before to the register that it reads.
    """

    number: int
    access: RegisterAccess
    distance: int
    needed: int
    uninitialised: bool = False


class FunctionBody:
    """The bundles of a function, its control-flow graph, and the count of writes per register."""

    def __init__(self, isa: Isa, bundles: Sequence[Bundle]) -> None:
        self.isa = isa
        self.bundles = bundles
        self.graph = control_flow_of(isa, bundles)

    @cached_property
    def scratch(self) -> frozenset[str]:
        """Return the parts of the registers that hold no value at the start of a function."""
        return frozenset[str]().union(*(self.isa.units(name) for name in self.isa.scratch))

    @cached_property
    def reads(self) -> Sequence[frozenset[str]]:
        """The parts of registers that the bundle at each address reads."""
        return [_units_read(self.isa, self.bundles[number]) for number in self.graph.numbers]

    @cached_property
    def touched(self) -> Sequence[frozenset[str]]:
        """The parts of registers that the bundle at each address reads or writes."""
        return [_units_touched(self.isa, self.bundles[number]) for number in self.graph.numbers]

    def may_read_early(self, address: int, write: RegisterAccess) -> bool:
        """Return whether a bundle may read the result of a write at `address` before it lands.

        Most results are read by none, which is seen long before a search ends.
        """
        reached = {address}
        for _ in range((write.timing.def_cycle or LATEST) - 1):
            reached = {target for each in reached for target in self.graph.following[each]}
            if any(not write.units.isdisjoint(self.reads[each]) for each in reached):
                return True
        return False

    @cached_property
    def writes(self) -> Counter[str]:
        """The number of writes to each part of a register."""
        accesses = (t for n in self.graph.numbers for t in accesses_of(self.isa, self.bundles[n]))
        return Counter(unit for access in accesses if access.writes for unit in access.units)


def lost_result_reads(
    function: FunctionBody, address: int, write: RegisterAccess
) -> list[EarlyRead]:
    """Return the early reads that make the result of a write at `address` lost.

    They read before the result lands, nothing reads the same parts of it afterwards, and the value
    that they see was not written for them. The write must have a known latency. All paths are
    followed, around loops too, until another result has landed in the register. A part of a wide
    register that is read alone may be lost alone.
    """
    search = _Search(function, write)
    found = _lost_reads(search, address)
    parts = {each.access.units & write.units for each in search.early.values()} - {write.units}
    for part in parts:
        found += _lost_reads(_Search(function, write._replace(units=part)), address)
    return found


def _lost_reads(search: _Search, address: int) -> list[EarlyRead]:
    latency = search.write.timing.def_cycle or LATEST
    if search.reaches_unknown_code(address) or search.follow(address, latency):
        return []
    # Most results have no early reads: then the long search is unnecessary.
    if not search.early or search.follow(address, _FARTHEST):
        return []
    reads = [r for r in search.early.values() if search.seen.isdisjoint(r.access.units)]
    return [read for read in reads if not search.reads_intended_value(read, address)]


def uninitialised_reads(
    function: FunctionBody, address: int, write: RegisterAccess
) -> list[EarlyRead]:
    """Return the early reads of a register that has no value before the write at `address`.

    The register holds neither an argument nor a result of the function, so that such a read is an
    error whatever reads the register later.
    """
    if not write.units <= function.scratch or function.graph.unknown:
        return []
    if any(function.writes[unit] > 1 for unit in write.units):
        return []
    search = _Search(function, write)
    if search.follow(address, _FARTHEST, is_thorough=True):
        return []
    early = (read for read in search.early.values() if read.number not in search.late)
    return [read._replace(uninitialised=True) for read in early if read.access.units <= write.units]


def repeated_reads(function: FunctionBody, address: int, write: RegisterAccess) -> list[EarlyRead]:
    """Return the early reads of a loop that get the same value in its first two iterations.

    They stand before the write and see its result only in the second iteration after it. That is
    right where two values were written before the loop; with one, or an argument, a bundle is
    missing, unless the argument is meant to count twice.
    """
    if function.graph.unknown or any(function.writes[unit] > 2 for unit in write.units):
        return []
    search = _Search(function, write)
    if search.follow(address, _FARTHEST, is_thorough=True):
        return []
    found = [
        read
        for read in search.early.values()
        if read.number in search.late and read.access.units <= write.units
        if read.number < function.graph.numbers[address]
    ]
    for at, number in enumerate(function.graph.numbers) if found else ():
        for other in accesses_of(function.isa, function.bundles[number]):
            if other.writes and at != address and not other.units.isdisjoint(write.units):
                before = _Search(function, other)
                before.follow(at, _FARTHEST, is_thorough=True)
                early = {each.number for each in before.early.values()}
                found = [read for read in found if read.number not in early]
    return found


class LostResult(NamedTuple):
    """A result that the bundle with index `number` in a function writes, and a read too early."""

    number: int
    write: RegisterAccess
    read: EarlyRead


def losses_of(function: FunctionBody, is_strict: bool = False) -> list[LostResult]:
    """Return the lost results of a function, one for each operand that reads too early.

    If strict, what a loop reads twice counts as well.
    """
    found: dict[tuple[int, int, int], LostResult] = {}
    for address, number in enumerate(function.graph.numbers):
        for write in _slow_writes(function.isa, function.bundles[number]):
            if not function.may_read_early(address, write):
                continue
            early = (function, address, write)
            reads = lost_result_reads(*early) + uninitialised_reads(*early)
            for read in reads + (repeated_reads(*early) if is_strict else []):
                place = (read.number, read.access.instruction, read.access.operand)
                found.setdefault(place, LostResult(number, write, read))
    return list(found.values())


@cached_on_bundle
def _units_read(isa: Isa, bundle: Bundle) -> frozenset[str]:
    return frozenset[str]().union(*(t.units for t in accesses_of(isa, bundle) if t.reads))


@cached_on_bundle
def _units_touched(isa: Isa, bundle: Bundle) -> frozenset[str]:
    return frozenset[str]().union(*(access.units for access in accesses_of(isa, bundle)))


@cached_on_bundle
def _slow_writes(isa: Isa, bundle: Bundle) -> list[RegisterAccess]:
    """The main results of a bundle that do not land before the next bundle."""
    accesses = accesses_of(isa, bundle)
    return [each for each in main_results(accesses) if (each.timing.def_cycle or 0) > 1]


def main_results(accesses: Sequence[RegisterAccess]) -> list[RegisterAccess]:
    """Return the first result of each instruction.

    The others, such as the mask of a comparison or the new value of a counter, are often unused.
    """
    first: dict[int, int] = {}
    return [
        access
        for access in accesses
        if access.writes
        and first.setdefault(access.instruction, access.operand) == access.operand
        and access.operand != ON_MNEMONIC
    ]


MAX_BACK = 24
"""Bundles before a write among which the other parts of its register are searched."""


def is_torn(
    isa: Isa, window: Sequence[Bundle], write: RegisterAccess, read: RegisterAccess, distance: int
) -> bool:
    """Return whether a read of a wide register mixes parts of two values.

    It reads `distance` bundles after `write`, the result in the last bundle of `window`, that has
    not landed. A result before belongs to the same value if the same operation writes it, and no
    write of the part that is on its way comes between them or nearly as close.
    """
    own = window[-1].instructions[write.instruction].spec
    parts = read.units - write.units
    for back, bundle in enumerate(window[-2::-1], 1):
        for other in accesses_of(isa, bundle):
            if not other.writes or parts.isdisjoint(other.units):
                continue
            spec = bundle.instructions[other.instruction].spec
            if own is None or spec is None or spec.mnemonic != own.mnemonic:
                return False
            if not other.units.isdisjoint(write.units):
                return False
            needed = needed_distance(other, read)
            if needed is None or back + distance < needed:
                return False  # on its way as well
            near = window[-2 : -2 - 2 * back : -1]
            writes = (each for found in near for each in accesses_of(isa, found) if each.writes)
            return all(each.units.isdisjoint(write.units) for each in writes)
    return False


class _Search:
    """A search through the control-flow graph after a write.

    A state is an address, the distance from the write in bundles, and the distance at which another
    result has landed in the register (-1: none is under way).
    """

    def __init__(self, function: FunctionBody, write: RegisterAccess) -> None:
        self.isa = function.isa
        self.function = function
        self.write = write
        self.graph = function.graph
        self.early: dict[int, EarlyRead] = {}
        # The parts of the register that reads after the latency see.
        self.seen: set[str] = set()
        # The indices of the bundles with such reads.
        self.late: set[int] = set()
        self._far = LATEST + (write.timing.def_cycle or LATEST)

    def readers(self, address: int) -> set[int]:
        """Return the indices of all bundles that see the result of a write at `address`; none if
        unknown.
        """
        if self.reaches_unknown_code(address) or self.follow(address, _FARTHEST, is_thorough=True):
            return set()
        return self.late

    def reads_intended_value(self, read: EarlyRead, address: int) -> bool:
        """Return whether an early read sees a result that only early reads see.

        Then their timing is intended, and the write at `address` is redundant, as at the ends of
        loops that are unrolled by hand.
        """
        units, numbers = read.access.units & self.write.units, self.graph.numbers
        count = len(self.function.bundles)
        before = sorted(range(len(numbers)), key=lambda at: (read.number - numbers[at]) % count)
        others = (
            _Search(self.function, access).readers(at)
            for at in before
            for access in accesses_of(self.isa, self.function.bundles[numbers[at]])
            if at != address and access.writes and not units.isdisjoint(access.units)
        )
        early = {each.number for each in self.early.values()}
        return any(read.number in seen <= early for seen in islice(others, _MAX_WRITES))

    def follow(self, address: int, farthest: int, is_thorough: bool = False) -> bool:
        """Search up to `farthest` bundles; return True if control leads to unknown code, or, unless
        the search is thorough, if all of the result is seen.
        """
        waiting = [(step, 1, -1) for step in self.graph.following[address]]
        seen: set[tuple[int, int, int]] = set()
        while waiting:
            at, distance, overwritten_at = waiting.pop()
            remaining = overwritten_at - distance if overwritten_at >= 0 else 0
            state = (at, min(distance, self._far), remaining)
            if state in seen or 0 <= overwritten_at <= distance or distance > farthest:
                continue
            seen.add(state)
            if len(seen) > _MAX_STATES:
                return True
            accesses = self._accesses_at(at)
            self._read(at, accesses, distance, overwritten_at)
            is_seen = self.seen >= self.write.units and not is_thorough
            if is_seen or self.reaches_unknown_code(at):
                return True
            overwritten_at = self._overwritten(accesses, distance, overwritten_at)
            waiting += [(step, distance + 1, overwritten_at) for step in self.graph.following[at]]
        return False

    def reaches_unknown_code(self, address: int) -> bool:
        """Return whether control continues to unknown code that may read the register."""
        if address in self.graph.unknown:
            return True
        returned = address in self.graph.returning and self.isa.live_at_return
        units = self.write.units
        return any(not units.isdisjoint(self.isa.units(name)) for name in returned or ())

    def _accesses_at(self, address: int) -> list[RegisterAccess]:
        units = self.write.units
        # Most bundles touch none of them: an analysis takes 20 % less time.
        if units.isdisjoint(self.function.touched[address]):
            return []
        bundle = self.function.bundles[self.graph.numbers[address]]
        return [t for t in accesses_of(self.isa, bundle) if not units.isdisjoint(t.units)]

    def _read(
        self, at: int, accesses: list[RegisterAccess], distance: int, overwritten_at: int
    ) -> None:
        """Record early reads, and the parts of the result that other reads see."""
        for access in accesses:
            if not access.reads:
                continue
            needed = needed_distance(self.write, access)
            if needed is not None and distance < needed:
                early = EarlyRead(self.graph.numbers[at], access, distance, needed)
                self.early.setdefault(at, early)
            elif (
                overwritten_at < 0 or distance + (access.timing.use_cycle or 1) - 1 < overwritten_at
            ):
                self.seen |= access.units & self.write.units
                self.late.add(self.graph.numbers[at])

    def _overwritten(
        self, accesses: list[RegisterAccess], distance: int, overwritten_at: int
    ) -> int:
        """Return the distance at which another result has landed in all of the register, or -1."""
        for access in accesses:
            if access.writes and access.units >= self.write.units:
                lands = distance + (access.timing.def_cycle or LATEST)
                # A result that lands earlier is overwritten by the result of this write.
                if lands > (self.write.timing.def_cycle or 0):
                    overwritten_at = lands if overwritten_at < 0 else min(overwritten_at, lands)
        return overwritten_at
