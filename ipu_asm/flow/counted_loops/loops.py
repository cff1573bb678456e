"""Loops with constant iteration counts, and how often each of their bundles is issued."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.counted_loops.constants import Constants, Label, constants_of
from ipu_asm.flow.counted_loops.effects import BRANCH, CALLS, Jump, effect_of
from ipu_asm.flow.counted_loops.graph import LEAVING, Exit, Graph, graph_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

_BITS = 32


class CountedLoop(NamedTuple):
    """A loop from address `first` to `last`, with as many iterations in each of its entries.

    `issued` has how often each bundle is issued in an iteration, None where that is not known.
    """

    first: int
    last: int
    trips: int
    issued: Mapping[int, int] | None = None

    @property
    def entry_cycles(self) -> int | None:
        """The bundles that an entry issues, those of loops inside included."""
        return None if self.issued is None else self.trips * sum(self.issued.values())

    @property
    def all_issued(self) -> dict[int, int]:
        """How often each bundle is issued in an entry, if it is known."""
        return {address: self.trips * times for address, times in (self.issued or {}).items()}


class Path(NamedTuple):
    """How often each bundle of a path is issued; None if control depends on the bundle `at`.

    `symbols` has the bundles of an iteration of each loop whose count is an argument, by the count.
    """

    issued: Mapping[int, int] | None
    at: int = 0
    symbols: Mapping[str, int] = {}


class Loops:
    """The loops of a text whose iterations are known, and those of other hardware loops.

    `counted` are by their first address. `ranges` has the first and last address of each loop that
    an instruction or registers repeat, or a jump to an address in a register.
    """

    def __init__(self, graph: Graph, constants: Constants) -> None:
        self._graph = graph
        self._constants = constants
        self.counted: dict[int, CountedLoop] = {}
        # The count of a hardware loop in terms of an argument, and its last address, by its first.
        self.symbolic: dict[int, tuple[str, int]] = {}
        self.ranges: dict[int, int] = {}
        found = [*self._repeats(), *self._hardware_loops(), *self._branches()]
        heads = Counter(first for first, _, _ in found)
        for first, last, trips in sorted(found, key=lambda each: (each[1] - each[0], each[0])):
            if trips is not None and heads[first] == 1:
                path = self.path(first, last)
                self.counted[first] = CountedLoop(first, last, trips, path.issued)

    def path(self, start: int, last: int | None = None) -> Path:
        """Return what is issued from an address up to `last`, or up to the end of a function.

        Loops that begin after `start` are inner ones, with all their iterations.
        """
        issued: Counter[int] = Counter()
        symbols: Counter[str] = Counter()
        at = start
        while at < self._graph.size:
            inner = self.counted.get(at) if at != start or last is None else None
            if at in issued or (at in self._graph.unclear_starts and at != start):
                return Path(None, at)
            if inner is not None:
                if inner.issued is None:
                    return Path(None, at)
                issued.update(inner.all_issued)
                if inner.last == last:
                    return Path(issued)
                at = inner.last + 1
                continue
            if at in self.symbolic and last is None:
                count, end = self.symbolic[at]
                body = self.path(at, end)
                if body.issued is None:
                    return Path(None, at)
                symbols[count] += sum(body.issued.values())
                at = end + 1
                continue
            following = self._following(at, at == last)
            if following is None or (following < 0 and last is not None):
                return Path(None, at)
            issued[at] = 1
            if at == last or following < 0:
                return Path(issued, at, symbols)
            at = following
        return Path(None, at)

    def _following(self, address: int, is_last: bool) -> int | None:
        """Return the only address that may follow one; -1 after the end of a function.

        None if there are several, or if it is not known. After the last bundle of a loop, its
        own branch does not matter.
        """
        effect = self._graph.effects[address]
        if effect.is_opaque or not effect.is_single:
            return None
        if is_last:
            return address + 1
        if effect.repeat is not None and address + 1 not in self._graph.repeats:
            return None
        leaving = self._graph.exits.get(address)
        if address in self.ranges.values() or address in self._graph.ends_of_loops:
            return None  # the end of a loop without known iterations
        if leaving is None:
            return address + 1
        return self._behind(address, leaving)

    def _behind(self, address: int, leaving: Exit) -> int | None:
        jump = leaving.jump
        if jump.kind in LEAVING:
            return -1
        target = self._constants.targets.get(address)
        if jump.kind == CALLS or (jump.kind != BRANCH and target is None):
            return None
        if jump.kind == BRANCH:
            is_taken = self._is_taken(leaving.origin, jump)
            if is_taken is None:
                return None
            if not is_taken:
                return address + 1
        return target

    def _is_taken(self, origin: int, jump: Jump) -> bool | None:
        """Return whether a branch is taken each time; None if that is not known."""
        if not jump.tested:
            return None
        value = self._value(self._constants.before[origin], jump.tested)
        return None if value is None else (value == 0) is jump.on_zero

    def _value(self, state: Mapping[str, object] | None, register: str) -> int | None:
        if register in self._graph.isa.zeros:
            return 0
        value = None if state is None else state.get(register)
        return value if isinstance(value, int) else None

    def _repeats(self) -> Iterator[tuple[int, int, int | None]]:
        limits = self._graph.isa.counting.repeats
        for each in self._graph.repeats.values():
            self.ranges[each.first] = each.last
            trips = each.iterations
            if trips is None and each.register:
                trips = self._value(self._constants.before[each.origin], each.register)
            is_sure = trips is not None and limits is not None and 0 < trips <= limits.most
            yield each.first, each.last, trips if is_sure else None

    def _hardware_loops(self) -> Iterator[tuple[int, int, int | None]]:
        counter = self._graph.isa.counting.hardware_loop
        for last in sorted(self._graph.ends_of_loops):
            state = self._constants.before[last] if last >= 0 else None
            start, end = (
                (state or {}).get(register) for register in self._graph.isa.loop_registers or ()
            )
            if counter is None or not isinstance(start, Label) or end != Label(last):
                continue
            first = start.address
            if not 0 <= first <= last:
                continue
            self.ranges[first] = last
            trips = None
            is_steady = self._is_settled(first, last, counter.distance)
            if is_steady and self._is_simple(first, last):
                trips = self._at_entry(first, last, counter.register)
                count = "" if trips is not None else self._argument(first, counter.register)
                if count:
                    self.symbolic[first] = count, last
            yield first, last, trips if trips else None

    def _argument(self, first: int, register: str) -> str:
        """Return the count of a loop where it is an argument of its function plus a constant."""
        start = max((each for each in self._graph.starts if each <= first), default=0)
        writers = [address for address in range(start, first) if self._writes(address, register)]
        if len(writers) != 1 or first in self._constants.entries:
            return ""
        found = self._graph.effects[writers[0]].assignments
        count = next((each for each in found if each.register == register), None)
        if count is None or count.label is not None or len(count.terms) != 1:
            return ""
        ((source, sign),) = count.terms
        if sign < 0 or any(self._writes(address, source) for address in range(start, writers[0])):
            return ""
        number = f" {'-' if count.constant < 0 else '+'} {abs(count.constant)}"
        return source + number * bool(count.constant)

    def _is_settled(self, first: int, last: int, distance: int) -> bool:
        """Return whether nothing writes the registers of a hardware loop inside, or shortly before
        its end.
        """
        counter = self._graph.isa.counting.hardware_loop
        assert counter is not None
        registers = {counter.register, *(self._graph.isa.loop_registers or ())}
        reached = {*range(first, last + 1)}
        if any(self._writes(a, register) for a in reached for register in registers):
            return False
        reached = {last}
        for _ in range(distance):
            if any(
                self._writes(address, register) for address in reached for register in registers
            ):
                return False
            reached = {each for address in reached for each in self._constants.sources[address]}
        return True

    def _branches(self) -> Iterator[tuple[int, int, int | None]]:
        for last, leaving in self._graph.exits.items():
            first = self._constants.targets.get(last)
            if leaving.jump.kind != BRANCH or first is None or not 0 <= first <= leaving.origin:
                continue
            if last >= self._graph.size:
                continue  # the code ends in the delay slots
            if leaving.jump.pointer:
                self.ranges[first] = max(last, self.ranges.get(first, 0))
            trips = None
            if self._is_simple(first, last):
                trips = self._trips(first, last, leaving)
            yield first, last, trips

    def _is_simple(self, first: int, last: int) -> bool:
        """Return whether a loop is only entered at its first address and only left at its last."""
        constants = self._constants
        if any(constants.before[address] is None for address in (first, last)):
            return False
        inside = range(first, last + 1)
        for address in inside:
            sources = constants.sources[address]
            if address != first:
                if address in constants.entries or any(each not in inside for each in sources):
                    return False
            elif any(each in inside and each != last for each in sources):
                return False
            following = constants.following[address]
            allowed = (first, last + 1) if address == last else inside
            leaving = self._graph.exits.get(address)
            if self._graph.effects[address].is_opaque or any(a not in allowed for a in following):
                return False
            if leaving is not None and leaving.jump.kind in LEAVING:
                return False
        return True

    def _trips(self, first: int, last: int, leaving: Exit) -> int | None:
        """Return the iterations of a loop that its last branch counts; None if unknown."""
        origin, jump, _ = leaving
        writers = [a for a in range(first, last + 1) if self._writes(a, jump.tested)]
        start = self._at_entry(first, last, jump.tested)
        if start is None or jump.on_zero or not jump.tested or len(writers) != 1:
            return None
        step = self._step(writers[0], jump.tested)
        if step is None or not self._is_always_issued(first, origin, writers[0]):
            return None
        # The branch sees the values before its bundle.
        value = start + step * (writers[0] < origin)
        if step >= 0 or value < 0 or value % -step:
            return None
        return value // -step + 1

    def _step(self, address: int, register: str) -> int | None:
        """Return what a bundle adds to a register; None if it does anything else with it."""
        effect = self._graph.effects[address]
        own = [each for each in effect.assignments if each.register == register]
        if register in effect.lost or len(own) != 1:
            return None
        step = own[0].constant
        if own[0].label is not None or own[0].terms != ((register, 1),):
            return None
        return step

    def _writes(self, address: int, register: str) -> bool:
        effect = self._graph.effects[address]
        return (
            register in effect.lost
            or any(register == each for each, _ in effect.late)
            or any(each.register == register for each in effect.assignments)
        )

    def _is_always_issued(self, first: int, origin: int, address: int) -> bool:
        """Return whether each iteration issues a bundle once, before or after its branch."""
        for head, last in self._inner_loops(first, origin):
            if head <= address <= last:
                return False
        if address >= origin or address == first:
            return True
        return not self._is_reached_without(first, origin, address)

    def _inner_loops(self, first: int, origin: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of all backward jumps inside of a loop, and of repeated bundles."""
        for address in range(first, origin):
            for target in self._constants.following[address]:
                if first <= target <= address:
                    yield target, address

    def _is_reached_without(self, first: int, goal: int, avoided: int) -> bool:
        waiting, seen = [first], {avoided}
        while waiting:
            address = waiting.pop()
            if address == goal:
                return True
            if address in seen or not first <= address <= goal:
                continue
            seen.add(address)
            waiting += self._constants.following[address]
        return False

    def _at_entry(self, first: int, last: int, register: str) -> int | None:
        """Return the constant that a register has whenever a loop is entered."""
        if first in self._constants.entries or not register:
            return None
        inside = range(first, last + 1)
        outer = [each for each in self._constants.sources[first] if each not in inside]
        values = {self._value(self._constants.behind[each], register) for each in outer}
        return values.pop() if len(values) == 1 else None


class FunctionCycles(NamedTuple):
    """The bundles that a call of the function at `start` issues, those of calls excluded.

    `issued` has the executions of each bundle, None if control depends on the bundle at
    `undecided`, or if what that bundle does is not known. With loops whose counts are arguments,
    they are a `formula` such as `18 + 12 x (r0 - 3)`.
    """

    start: int
    issued: Mapping[int, int] | None
    undecided: int
    formula: str = ""

    @property
    def cycles(self) -> int | None:
        """All bundles that are issued."""
        return None if self.issued is None else sum(self.issued.values())


class CountedLoops(NamedTuple):
    """The loops of a text whose iterations follow from constants, by their first address.

    `ranges` has the first and the last address of all loops that no branch to a label shows.
    `functions` are the places where other files may enter the text, by address. `products` has the
    multiplications of each matrix operation, None where its configuration is not known; `counts`
    those of hardware loops that are an argument and a constant.
    """

    loops: Mapping[int, CountedLoop]
    ranges: Mapping[int, int]
    functions: Sequence[FunctionCycles]
    products: Mapping[int, int | None] = {}
    counts: Mapping[int, str] = {}

    @property
    def whole(self) -> FunctionCycles | None:
        """The only function of the text, which begins with it; None if there are several."""
        return self.functions[0] if len(self.functions) == 1 else None


def repeats_bundles(program: Program, address: int) -> bool:
    """Return whether the bundle at an address repeats those after it."""
    if program.isa.counting.repeats is None:
        return False
    bundle = program.bundles[program.bundle_at_address[address]]
    return effect_of(program.isa, bundle).repeat is not None


NOTHING = CountedLoops({}, {}, ())


@cached_on_program
def counted_loops(program: Program) -> CountedLoops:
    """Return the loops of a program, none for a set that does not say what it counts with."""
    if not program.isa.counting.registers or not program.is_text or not program.size:
        return NOTHING
    graph = graph_of(program)
    return program.cache.whole("counted_loops", graph, lambda: _counted(graph))


def _counted(graph: Graph) -> CountedLoops:
    constants = constants_of(graph)
    loops = Loops(graph, constants)
    functions = [_function(start, loops.path(start)) for start in graph.starts]
    counts = {first: count for first, (count, _) in loops.symbolic.items()}
    return CountedLoops(loops.counted, loops.ranges, functions, _products(graph, constants), counts)


def _products(graph: Graph, constants: Constants) -> dict[int, int | None]:
    found: dict[int, int | None] = {}
    for address, effect in enumerate(graph.effects):
        if effect.parts:
            value = (constants.before[address] or {}).get(effect.configured)
            mode = (value >> 1) & 0x7F if isinstance(value, int) else -1
            count = graph.isa.counting.products.get(mode)
            found[address] = -count * effect.parts if count is not None and count < 0 else count
    return found


def _function(start: int, path: Path) -> FunctionCycles:
    if path.issued is None or not path.symbols:
        return FunctionCycles(start, path.issued, path.at)
    terms = [
        f"{bundles:,} x {f'({count})' if ' ' in count else count}"
        for count, bundles in path.symbols.items()
    ]
    formula = " + ".join([f"{sum(path.issued.values()):,}", *terms])
    return FunctionCycles(start, None, path.at, formula)
