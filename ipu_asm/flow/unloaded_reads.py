"""Reads of registers, and of their elements, that nothing has loaded.

What a control run executes is followed in its order. Where the run is not known to continue, for
lack of a value or at its limit, all paths of the control-flow graph count as possible.
"""

from __future__ import annotations

from math import gcd
from typing import Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import CANCELLED, LIMIT, UNKNOWN
from ipu_asm.flow.control_run.steps import Step, WindowRead
from ipu_asm.flow.control_run.trace import (
    Dimension,
    Executed,
    Node,
    Progression,
    Segment,
    executions,
)
from ipu_asm.flow.register_flow import reads_of, successors_of
from ipu_asm.program.program import Program

_MOST_OFFSETS = 4_096


class UnloadedRead(NamedTuple):
    """A read of a register before anything has loaded it.

    With a `window`, none of these elements has been loaded, but `loaded` ones have; `first` is the
    number of the first. A read that is not `certain` is on a path that may never be taken.
    """

    address: int
    register: str
    is_certain: bool
    window: WindowRead | None = None
    first: int = 0
    loaded: int = 0


def unloaded_reads(program: Program, facts: ControlFacts) -> list[UnloadedRead]:
    """Return the reads of scratch registers that nothing has loaded, the first of each place."""
    walk = _Walk(program, facts.run.steps)
    walk.nodes(facts.run.nodes, ())
    found = list(walk.found.values())
    if facts.run.end.reason in (UNKNOWN, LIMIT, CANCELLED):
        ran = {node.address for node in executions(facts.run.nodes)}
        found += _on_paths(program, facts, walk, ran)
    return sorted(found, key=lambda read: (read.address, read.register))


class _Walk:
    """The registers and elements that have been loaded so far, as bit sets of elements."""

    def __init__(self, program: Program, steps: Sequence[Step]) -> None:
        self.isa = program.isa
        self.bundles = [program.bundles[number] for number in program.bundle_at_address]
        self.steps = steps
        self.scratch = program.isa.scratch
        self.loaded: set[str] = set()
        self.elements: dict[str, int] = {}
        self.found: dict[tuple[int, str], UnloadedRead] = {}
        self.sizes = {
            window.memory: program.isa.spaces[window.memory].size
            for step in steps
            for window in step.windows
        }

    def nodes(self, nodes: Sequence[Node], iteration: tuple[int, ...]) -> None:
        for node in nodes:
            if isinstance(node, Executed):
                self._bundle(node, iteration)
            else:
                for segment in node.segments:
                    self._segment(segment, iteration)

    def _segment(self, segment: Segment, iteration: tuple[int, ...]) -> None:
        """Follow iterations until they load nothing more, and settle the others at once."""
        if segment.iterations == 1:
            self.nodes(segment.nodes, iteration)
            return
        inner = list(executions(segment.nodes))
        # The addresses of loads repeat after as many iterations as a register has elements.
        most, count = max(self.sizes.values(), default=1), segment.iterations
        is_known = count is None or isinstance(count, int)
        for number in range(min(count or most, most) if isinstance(count, int) else 1):
            self.nodes(segment.nodes, (number, *iteration))
            if all(self._loads_nothing_new(node, iteration) for node in inner):
                break
        for node in inner:
            if is_known:
                self._settle_windows(node, iteration)
            else:
                self._load_all(node, iteration)

    def _load_all(self, node: Executed, iteration: tuple[int, ...]) -> None:
        """Count everything as loaded that some iteration may load."""
        for memory, elements in self._loads(node, iteration):
            self.elements[memory] = self.elements.get(memory, 0) | elements

    def _loads(self, node: Executed, iteration: tuple[int, ...]) -> Iterator[tuple[str, int]]:
        step = self.steps[node.address]
        for access, progression in zip(step.accesses, node.values[step.compared :]):
            if access.kind == "write" and access.memory in self.sizes:
                size = self.sizes[access.memory]
                starts = _offsets(progression, iteration, size, False)
                yield access.memory, _spread(starts, access.size, size)

    def _loads_nothing_new(self, node: Executed, iteration: tuple[int, ...]) -> bool:
        loads = self._loads(node, iteration)
        return all(not elements & ~self.elements.get(memory, 0) for memory, elements in loads)

    def _settle_windows(self, node: Executed, iteration: tuple[int, ...]) -> None:
        """Report a window that some iteration reads and that no iteration loads."""
        step = self.steps[node.address]
        for place, window in enumerate(step.windows):
            size, loaded = self.sizes[window.memory], self.elements.get(window.memory, 0)
            progression = node.values[step.first_window + place]
            if not loaded or not _is_known(progression):
                continue
            starts = _offsets(progression, iteration, size, window.is_clipped)
            bad = starts & ~_meeting(loaded, window, size)
            if bad:
                self._window(node.address, window, (bad & -bad).bit_length() - 1)

    def _bundle(self, node: Executed, iteration: tuple[int, ...]) -> None:
        address = node.address
        step, effects = self.steps[address], reads_of(self.isa, self.bundles[address])
        windowed = {window.memory for window in step.windows}
        for register in (effects.old & self.scratch) - self.loaded - windowed:
            if not self.only_keeps(address, register):
                self._report(UnloadedRead(address, register, True))
        self._windows(node, iteration, is_live=False)
        self.loaded |= effects.writes & self.scratch
        for access, offsets in zip(step.accesses, node.values[step.compared :]):
            if access.kind == "write" and access.memory in self.sizes:
                self._load(access.memory, access.size, _value(offsets, iteration))
        self._windows(node, iteration, is_live=True)

    def only_keeps(self, address: int, register: str) -> bool:
        """Return whether a bundle reads a register only because it overwrites a part of it."""
        accesses = self.steps[address].accesses
        return any(access.memory == register and access.kind == "write" for access in accesses)

    def _load(self, memory: str, size: int, offset: int | None) -> None:
        full = self.sizes[memory]
        mask = (1 << full) - 1 if offset is None else _elements(offset, size, full, False)
        self.elements[memory] = self.elements.get(memory, 0) | mask

    def _windows(self, node: Executed, iteration: tuple[int, ...], is_live: bool) -> None:
        step = self.steps[node.address]
        for place, window in enumerate(step.windows):
            if window.is_live is is_live:
                offset = _value(node.values[step.first_window + place], iteration)
                self._window(node.address, window, offset)

    def _window(self, address: int, window: WindowRead, offset: int | None) -> None:
        loaded, size = self.elements.get(window.memory, 0), self.sizes[window.memory]
        if offset is None:
            if not loaded and not window.is_clipped:
                self._report(UnloadedRead(address, window.memory, True))
            return
        wanted = _elements(offset, window.size, size, window.is_clipped)
        if wanted and not wanted & loaded:
            read = UnloadedRead(address, window.memory, True)
            if loaded:
                read = read._replace(window=window, first=offset % size, loaded=loaded)
            self._report(read)

    def _report(self, read: UnloadedRead) -> None:
        self.found.setdefault((read.address, read.register), read)


def _value(progression: Progression, iteration: Sequence[int]) -> int | None:
    """Return the value in an iteration of each loop around, inner first; None if unknown."""
    value = progression.start
    for (stride, _), number in zip(progression.dimensions, iteration):
        if stride == 0 or number == 0:
            continue
        if not isinstance(stride, int) or not isinstance(value, int):
            return None
        value += stride * number
    return value if isinstance(value, int) else None


def _is_known(progression: Progression) -> bool:
    """Return whether all strides and counts are numbers, or without end."""
    return all(
        isinstance(stride, int) and (count is None or isinstance(count, int))
        for stride, count in progression.dimensions
    )


def _elements(offset: int, size: int, full: int, is_clipped: bool) -> int:
    """Return a window as a bit set of elements."""
    everything = (1 << full) - 1
    if is_clipped:
        offset %= 1 << 32
        return ((1 << size) - 1) << offset & everything if offset < full else 0
    bits = ((1 << size) - 1) << offset % full
    return (bits & everything) | bits >> full


def _offsets(
    progression: Progression, iteration: Sequence[int], size: int, is_clipped: bool
) -> int:
    """Return the values in all inner iterations, as a bit set.

    They count modulo `size`; if clipped, those outside are left out.
    """
    free = len(progression.dimensions) - len(iteration)
    outer = Progression(progression.start, progression.dimensions[free:])
    start = _value(outer, iteration)
    if start is None:
        return 0 if is_clipped else (1 << size) - 1
    if is_clipped:
        return _clipped_offsets(start, progression.dimensions[:free], size)
    found = 1 << start % size
    for stride, count in progression.dimensions[:free]:
        if not isinstance(stride, int):
            return (1 << size) - 1
        period = size // gcd(stride, size)
        once = found
        most = min(count, period) if isinstance(count, int) else period
        for number in range(1, most):
            found |= _rotated(once, stride * number, size)
    return found


def _clipped_offsets(start: int, dimensions: Sequence[Dimension], size: int) -> int:
    values = {start}
    for stride, count in dimensions:
        if not isinstance(stride, int):
            return 0
        most = min(count, size) if isinstance(count, int) else size
        values = {value + stride * number for value in values for number in range(most)}
        if len(values) > _MOST_OFFSETS:
            return 0
    return sum(1 << value for value in values if 0 <= value < size)


def _rotated(bits: int, by: int, size: int) -> int:
    by %= size
    return ((bits << by) & ((1 << size) - 1)) | bits >> (size - by)


def _spread(starts: int, length: int, size: int) -> int:
    """Return the elements of all windows of a length, by their starts."""
    covered, bits = 1, starts
    while covered < length:
        step = min(covered, length - covered)
        bits |= _rotated(bits, step, size)
        covered += step
    return bits


def _meeting(loaded: int, window: WindowRead, size: int) -> int:
    """Return the starts of the windows with at least one element that is loaded."""
    covered, bits = 1, loaded
    while covered < window.size:
        step = min(covered, window.size - covered)
        bits |= bits >> step if window.is_clipped else _rotated(bits, -step, size)
        covered += step
    return bits


def _on_paths(
    program: Program, facts: ControlFacts, walk: _Walk, ran: set[int]
) -> Iterator[UnloadedRead]:
    """Yield the reads on paths that continue where a run ends, of bundles that have not run."""
    successors = successors_of(program)
    start = facts.run.end.address
    if successors is None or start >= len(walk.bundles):
        return
    missing = _missing_on_paths(walk, successors, start)
    for address, unloaded in missing.items():
        if address in ran:
            continue
        effects = reads_of(program.isa, walk.bundles[address])
        clipped = {w.memory for w in walk.steps[address].windows if w.is_clipped}
        for register in sorted((effects.old & unloaded) - clipped):
            if not walk.only_keeps(address, register):
                yield UnloadedRead(address, register, False)


def _missing_on_paths(
    walk: _Walk, successors: Sequence[Sequence[int]], start: int
) -> Mapping[int, frozenset[str]]:
    """Return, by address, the registers that nothing loads on some path from `start` on."""
    missing = {start: frozenset(walk.scratch - walk.loaded)}
    waiting = [start]
    while waiting:
        address = waiting.pop()
        writes = reads_of(walk.isa, walk.bundles[address]).writes
        left = missing[address] - writes
        for following in successors[address]:
            known = missing.get(following)
            if following < len(walk.bundles) and (known is None or not left <= known):
                missing[following] = left | (known or frozenset())
                waiting.append(following)
    return missing
