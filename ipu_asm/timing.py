"""When results land, and where control goes while a result is still on its way.

Time is counted in bundles. A result that is written in cycle `def_cycle` of an instruction is what
an instruction sees that reads the register in its cycle `use_cycle`, if that one is issued at least
``def_cycle - use_cycle + 1`` bundles later; one less where both ends share a bypass. Until then it
sees what was there before. A branch with delay slots takes effect behind the last of them.

Everything is asked of one function, so what was worked out about a function stays true however the
text around it is edited.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Mapping, NamedTuple

from ipu_asm.bundle import Bundle
from ipu_asm.dataflow import Touch, falls_through, touches_of
from ipu_asm.instruction import Instruction
from ipu_asm.isa.model import Isa
from ipu_asm.macros import told_by
from ipu_asm.program import Program

# What the traits of an instruction say that leaves a function, for good or for a while.
RETURN, CALL = "return", "call"
# An instruction of which nobody knows when it writes does so this late at most.
LATEST = 9
# How far a result is followed, and in how many states; what may be read beyond that is not lost.
_FARTHEST, _MOST_STATES = 1_000_000, 4_000


class Function(NamedTuple):
    """The slices of a program from `first` on, up to where control cannot fall through."""

    first: int
    bundles: tuple[Bundle, ...]


class Ways(NamedTuple):
    """How control goes through a function; its addresses count from 0.

    `numbers[a]` is the place of address a among the function's bundles. `following[a]` are the
    addresses that may come next. From an address in `unknown` control goes on where this cannot
    tell, which the end of the text is too, and where a directive decides what comes next; from one
    in `returning` back to the caller.
    """

    numbers: tuple[int, ...]
    following: tuple[tuple[int, ...], ...]
    unknown: frozenset[int]
    returning: frozenset[int]


def functions_of(program: Program) -> list[Function]:
    """The functions of a program, in order; a text without returns is one."""
    bundles = program.bundles
    functions, first = [], 0
    for number in program.leaving:
        slots = _slots_of_return(bundles[number])
        if number < first or slots < 0:
            continue
        last = program.number_at(program.addresses[number] + slots)
        behind = range(last + 1, len(bundles))
        entry = next((n for n in behind if _is_entry(program.isa, bundles[n])), None)
        if entry is None:
            break
        functions.append(Function(first, tuple(bundles[first:entry])))
        first = entry
    functions.append(Function(first, tuple(bundles[first:])))
    return functions


def _is_entry(isa: Isa, bundle: Bundle) -> bool:
    """Whether something of its own may begin here: a label that other files may know."""
    label, local = bundle.label, isa.surface.local_prefix
    return label is not None and not (local and label.startswith(local))


def _slots_of_return(bundle: Bundle) -> int:
    """The delay slots of a return; -1 for any other bundle."""
    for instruction in bundle.instructions:
        if instruction.spec is not None and RETURN in instruction.spec.traits:
            return instruction.spec.delay_slots
    return -1


@lru_cache(maxsize=1024)
def ways_of(isa: Isa, bundles: tuple[Bundle, ...]) -> Ways:
    """How control goes through the bundles of a function."""
    addresses = [0, *accumulate([bundle.size for bundle in bundles])]
    numbers = tuple(number for number, bundle in enumerate(bundles) if bundle.size)
    labels = {b.label: addresses[n] for n, b in enumerate(bundles) if b.label is not None}
    size = len(numbers)
    following = [[address + 1] for address in range(size)]
    unknown = _before_choices(bundles, addresses, size)
    returning: set[int] = set()
    for address, number in enumerate(numbers):
        bundle = bundles[number]
        if _is_doubtful(bundle):
            unknown.add(address)
        for instruction in bundle.instructions:
            spec = instruction.spec
            if spec is None or (spec.flow is None and CALL not in spec.traits):
                continue
            leaves = min(address + spec.delay_slots, size - 1)
            if spec.flow is not None and not falls_through(spec.flow):
                following[leaves] = []
            if RETURN in spec.traits:
                returning.add(leaves)
                continue
            targets = [labels.get(v) for v in instruction.values if isinstance(v, str)]
            if CALL in spec.traits or not targets or None in targets:
                unknown.add(leaves)
            following[leaves] += [target for target in targets if target is not None]
    for end, start in _hardware_loops(isa, bundles, numbers, labels):
        following[end].append(start)
    if size and size in following[-1]:
        unknown.add(size - 1)
    return Ways(
        numbers,
        tuple(tuple(dict.fromkeys(a for a in steps if a < size)) for steps in following),
        frozenset(unknown),
        frozenset(returning),
    )


def _before_choices(bundles: tuple[Bundle, ...], addresses: list[int], size: int) -> set[int]:
    """The addresses before conditions and bodies of macros: what comes next is another's choice."""
    return {
        min(addresses[number], size) - 1
        for number, bundle in enumerate(bundles)
        if bundle.directive and any(told_by(words).step for words in bundle.syntax.directives)
    } - {-1}


def _is_doubtful(bundle: Bundle) -> bool:
    """Whether it may do other things than it seems to."""
    return (
        bundle.is_broken
        or None in bundle.places
        or any(i.spec is None for i in bundle.instructions)
    )


def _hardware_loops(
    isa: Isa,
    bundles: tuple[Bundle, ...],
    numbers: tuple[int, ...],
    labels: Mapping[str, int],
) -> list[tuple[int, int]]:
    """The last and the first address of each loop that the machine closes by itself.

    A loop is known by the labels that are put into the registers for its start and its end.
    """
    if isa.loop_registers is None:
        return []
    loops: list[tuple[int, int]] = []
    starts: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for address, number in enumerate(numbers):
        for instruction in bundles[number].instructions:
            for found, register in zip((starts, ends), isa.loop_registers):
                target = labels.get(label_put_into(instruction, register) or "")
                if target is not None:
                    found.append((address, target))
    for at, end in ends:
        near = [(abs(at - place), start) for place, start in starts if start <= end]
        if near:
            loops.append((end, min(near)[1]))
    return loops


def label_put_into(instruction: Instruction, register: str) -> str | None:
    """The label that an instruction writes into a register."""
    words = [word.lower() for word in instruction.words[1:2]]
    found = [value for value in instruction.values if isinstance(value, str)]
    return found[0] if words == [register] and len(found) == 1 else None


def needed_distance(write: Touch, read: Touch) -> int | None:
    """How many bundles must lie between a write and a read that is to see it.

    None where one of the cycles is unknown.
    """
    if write.def_cycle is None or read.use_cycle is None:
        return None
    shared = bool(write.bypass) and write.bypass == read.bypass
    return write.def_cycle - read.use_cycle + 1 - shared


class EarlyRead(NamedTuple):
    """A read `distance` bundles behind a write whose result it would see after `needed`.

    `number` is the place of the reading bundle among those of its function.
    """

    number: int
    touch: Touch
    distance: int
    needed: int


def futile_reads(
    isa: Isa, function: tuple[Bundle, ...], address: int, write: Touch
) -> list[EarlyRead]:
    """The reads that come before what is written at an address of a function has landed, if nothing
    reads any of what they read afterwards.

    The write is one that lands in a known cycle. Every way is followed, around loops too, until
    something else has landed in the register.
    """
    search = _Search(isa, function, write)
    if search.leads_away(address) or search.follow(address, write.def_cycle or LATEST):
        return []
    # Most results are read by nobody before they land, and then there is nothing to look for.
    if not search.early or search.follow(address, _FARTHEST):
        return []
    reads = search.early.values()
    return [read for read in reads if search.seen.isdisjoint(read.touch.units)]


class _Search:
    """Goes the ways behind one write. A state is an address, how many bundles behind the write it
    is, and in how many another result has landed in the register (-1: none is on its way)."""

    def __init__(self, isa: Isa, function: tuple[Bundle, ...], write: Touch) -> None:
        self.isa = isa
        self.function = function
        self.write = write
        self.ways = ways_of(isa, function)
        self.early: dict[int, EarlyRead] = {}
        # The parts of the register that some late enough read sees.
        self.seen: set[str] = set()
        self._far = LATEST + (write.def_cycle or LATEST)

    def follow(self, address: int, farthest: int) -> bool:
        """Go all ways, that many bundles far; stop with True where all of the result is seen, or
        where nobody knows."""
        waiting = [(step, 1, -1) for step in self.ways.following[address]]
        seen: set[tuple[int, int, int]] = set()
        while waiting:
            at, distance, gone = waiting.pop()
            state = (at, min(distance, self._far), gone - distance if gone >= 0 else 0)
            if state in seen or 0 <= gone <= distance or distance > farthest:
                continue
            seen.add(state)
            if len(seen) > _MOST_STATES:
                return True
            touches = self._touches(at)
            self._read(at, touches, distance, gone)
            if self.seen >= self.write.units or self.leads_away(at):
                return True
            gone = self._overwritten(touches, distance, gone)
            waiting += [(step, distance + 1, gone) for step in self.ways.following[at]]
        return False

    def leads_away(self, address: int) -> bool:
        """Whether control goes on from here where something unknown may read the register."""
        if address in self.ways.unknown:
            return True
        returned = address in self.ways.returning and self.isa.returned
        units = self.write.units
        return any(not units.isdisjoint(self.isa.units(name)) for name in returned or ())

    def _touches(self, address: int) -> list[Touch]:
        bundle = self.function[self.ways.numbers[address]]
        units = self.write.units
        return [t for t in touches_of(self.isa, bundle) if not units.isdisjoint(t.units)]

    def _read(self, at: int, touches: list[Touch], distance: int, gone: int) -> None:
        """Keep what reads too early, and what parts of the result are seen."""
        for touch in touches:
            if not touch.reads:
                continue
            needed = needed_distance(self.write, touch)
            if needed is not None and distance < needed:
                early = EarlyRead(self.ways.numbers[at], touch, distance, needed)
                self.early.setdefault(at, early)
            elif gone < 0 or distance + (touch.use_cycle or 1) - 1 < gone:
                self.seen |= touch.units & self.write.units

    def _overwritten(self, touches: list[Touch], distance: int, gone: int) -> int:
        """In how many bundles another result has landed in all of the register."""
        for touch in touches:
            if touch.writes and touch.units >= self.write.units:
                lands = distance + (touch.def_cycle or LATEST)
                # What lands before the result itself is overwritten by it.
                if lands > (self.write.def_cycle or 0):
                    gone = lands if gone < 0 else min(gone, lands)
        return gone
