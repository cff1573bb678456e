"""Constants in registers: which value each has before a bundle, whichever way control came."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.counted_loops.effects import BRANCH, CALLS, HALTS, JUMP, RETURNS, Assignment
from ipu_asm.flow.counted_loops.graph import OUTSIDE, Exit, Graph
from ipu_asm.named_tuple import NamedTuple

MOST = (1 << 19) - 1
"""The largest number that is followed: all registers hold it without a change."""


class Label(NamedTuple):
    """The address of a label, as a value."""

    address: int


Value = int | Label
State = Mapping[str, Value]
_UNKNOWN: State = {}


class Constants(NamedTuple):
    """The values before each bundle, and the addresses that may follow it.

    Registers that are not in a state may have any value; a bundle that is never reached has None.
    `sources` has the bundles before each one, and `targets` the address to which each exit jumps,
    None if it is not known.
    """

    before: Sequence[State | None]
    behind: Sequence[State | None]
    following: Sequence[Sequence[int]]
    sources: Sequence[Sequence[int]]
    targets: Mapping[int, int | None]
    entries: frozenset[int]


def constants_of(graph: Graph) -> Constants:
    """Return the constants of all bundles: the greatest solution of the data-flow equations."""
    return _Propagation(graph).constants()


class _Propagation:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._before: list[State | None] = [None] * graph.size
        self._behind: list[State | None] = [None] * graph.size
        self._edges: list[dict[int, None]] = [{} for _ in range(graph.size)]
        self._targets: dict[int, int | None] = {}
        self._entries = set(graph.entries)
        self._waiting: list[int] = []
        self._is_waiting: set[int] = set()
        self._late = _late_results(graph)
        self._skipping = {
            each.origin: each.last + 1 for each in graph.repeats.values() if not each.iterations
        }
        self._repeating = {each.last: each.first for each in graph.repeats.values()}
        self._is_unclear = graph.is_unclear

    def constants(self) -> Constants:
        for address in self._entries:
            self._reach(address, _UNKNOWN)
        while self._waiting and not self._is_unclear:
            address = heappop(self._waiting)
            self._is_waiting.discard(address)
            self._visit(address)
        if self._is_unclear:
            self._give_up()
        sources: list[list[int]] = [[] for _ in range(self._graph.size)]
        for address, following in enumerate(self._edges):
            for target in following:
                sources[target].append(address)
        return Constants(
            self._before,
            self._behind,
            [tuple(each) for each in self._edges],
            sources,
            self._targets,
            frozenset(self._entries),
        )

    def _visit(self, address: int) -> None:
        state = self._before[address]
        assert state is not None
        self._behind[address] = behind = self._after(address, state)
        effect = self._graph.effects[address]
        for register in effect.reads:
            self._escape(state.get(register))
        jump = effect.jump
        if jump is not None and jump.pointer and jump.delay:
            self._wait_for(address + jump.delay)
        for target in dict.fromkeys(self._targets_of(address)):
            if 0 <= target < self._graph.size:
                self._edges[address][target] = None
                self._reach(target, behind)

    def _targets_of(self, address: int) -> Iterator[int]:
        """Yield the addresses that may follow a bundle whose states are known."""
        leaving = self._graph.exits.get(address)
        if leaving is None:
            yield address + 1
        else:
            yield from self._left_to(address, leaving)
        if address in self._repeating:
            yield self._repeating[address]
        if address in self._skipping:
            yield self._skipping[address]
        if address in self._graph.ends_of_loops:
            yield from self._starts_of_loop(address)

    def _left_to(self, address: int, leaving: Exit) -> Iterator[int]:
        origin, jump, target = leaving
        if jump.kind in (HALTS, RETURNS):
            return
        if jump.kind == CALLS:
            for value in (self._behind[address] or {}).values():
                self._escape(value)
        if jump.kind == BRANCH:
            yield address + 1
        if jump.pointer:
            target = self._pointed(origin, jump.pointer, jump.kind == JUMP)
        self._targets[address] = target
        if target is not None:
            yield target

    def _pointed(self, origin: int, pointer: str, is_jump: bool) -> int | None:
        """Return the address in a register at a bundle; None if it is not known."""
        state = self._before[origin]
        if state is None:
            return None  # not visited yet
        value = state.get(pointer)
        if isinstance(value, Label):
            return value.address
        if value is None and is_jump and pointer in self._graph.isa.counting.links:
            return OUTSIDE
        self._is_unclear = True
        return None

    def _starts_of_loop(self, address: int) -> Iterator[int]:
        """Yield where a hardware loop that may end at an address begins."""
        state = self._before[address] or {}
        start, end = (state.get(register) for register in self._graph.isa.loop_registers or ())
        if address in self._graph.exits:
            self._is_unclear = True
        if end is None or end == Label(address):
            if isinstance(start, Label):
                yield start.address
            else:
                self._is_unclear = self._is_unclear or end is not None
                yield from self._graph.starts_of_loops

    def _escape(self, value: Value | None) -> None:
        """Let control come to a label whose address something else gets."""
        if isinstance(value, Label) and value.address not in self._entries | {OUTSIDE}:
            self._entries.add(value.address)
            self._reach(value.address, _UNKNOWN)

    def _reach(self, address: int, state: State) -> None:
        old = self._before[address]
        if old is None:
            self._before[address] = state
        elif old is state:
            return
        else:
            common = {name: value for name, value in old.items() if state.get(name) == value}
            if len(common) == len(old):
                return
            self._before[address] = common
        self._wait_for(address)

    def _wait_for(self, address: int) -> None:
        """Visit a bundle again, if control comes to it."""
        is_reached = address < self._graph.size and self._before[address] is not None
        if is_reached and address not in self._is_waiting:
            self._is_waiting.add(address)
            heappush(self._waiting, address)

    def _give_up(self) -> None:
        """Let control come from anywhere to every bundle."""
        size = self._graph.size
        self._before, self._behind = [_UNKNOWN] * size, [_UNKNOWN] * size
        self._entries = set(range(size))
        self._targets = {address: each.target for address, each in self._graph.exits.items()}

    def _after(self, address: int, state: State) -> State:
        """Return the values after a bundle."""
        effect = self._graph.effects[address]
        if effect.is_opaque:
            return _UNKNOWN
        gone = {*effect.lost, *self._late.get(address, ())}
        counter = self._graph.isa.counting.hardware_loop
        if counter is not None and address in self._graph.ends_of_loops:
            gone.add(counter.register)
        if not effect.assignments and gone.isdisjoint(state):
            return state
        new = dict(state)
        for assignment in effect.assignments:
            value = self._value(address, assignment, state)
            if value is None:
                gone.add(assignment.register)
            else:
                new[assignment.register] = value
        for register in gone:
            new.pop(register, None)
        return new

    def _value(self, address: int, assignment: Assignment, state: State) -> Value | None:
        if assignment.label is not None:
            return Label(self._graph.address_of(address, assignment.label))
        total = assignment.constant
        for register, sign in assignment.terms:
            value = 0 if register in self._graph.isa.zeros else state.get(register)
            if isinstance(value, Label):
                is_copy = len(assignment.terms) == 1 and sign > 0 and not assignment.constant
                if not is_copy:
                    self._escape(value)
                    self._is_unclear = True  # a place near a label
                return value if is_copy else None
            if value is None:
                return None
            total += sign * value
        return total if 0 <= total <= MOST else None


def _late_results(graph: Graph) -> dict[int, set[str]]:
    """Return the registers that get another value after each bundle, from those before it."""
    found: dict[int, set[str]] = {}
    back = {each.last: each.first for each in graph.repeats.values()}
    for address, effect in enumerate(graph.effects):
        for register, cycles in effect.late:
            reached = {address}
            for _ in range(cycles):
                reached = {target for each in reached for target in _near(graph, back, each)}
                for each in reached:
                    found.setdefault(each, set()).add(register)
    return found


def _near(graph: Graph, back: Mapping[int, int], address: int) -> Iterator[int]:
    """Yield all addresses that may follow one, whatever registers hold."""
    leaving = graph.exits.get(address)
    if address + 1 < graph.size:
        yield address + 1
    if leaving is not None and leaving.jump.pointer:
        yield from (target for target in graph.pointed if target != OUTSIDE)
    elif leaving is not None and leaving.target not in (None, OUTSIDE):
        assert leaving.target is not None
        yield leaving.target
    if address in graph.ends_of_loops:
        yield from (start for start in graph.starts_of_loops if start != OUTSIDE)
    if address in back:
        yield back[address]
