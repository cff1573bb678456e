"""Reads of registers, and of their elements, that nothing has loaded.

What a control run executes is followed in its order. Where the run is not known to continue, for
lack of a value or at its limit, all paths of the control-flow graph count as possible.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import BundleReads, reads_of
from ipu_asm.flow.control_flow import solve, successors_of
from ipu_asm.flow.control_run.facts import ControlFacts, execution, starts_after, values_after
from ipu_asm.flow.control_run.steps import WindowRead
from ipu_asm.flow.control_run.trace import (
    Dimension,
    Executed,
    Node,
    Progression,
    Segment,
    executions,
)
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

_MAX_OFFSETS = 4_096


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


def unloaded_reads(program: Program, facts: ControlFacts) -> Sequence[UnloadedRead]:
    """Find the reads of scratch registers that nothing has loaded, the first of each place."""
    walk = _Walk(program, facts, scratch_reads(program))
    walk.nodes(facts.run.nodes, ())
    reads = walk.found
    starts = starts_after(program, facts.run)
    if starts:
        ran = {node.address for node in facts.executions}
        last = walk.state()
        for read in _on_every_path(program, facts, walk, last):
            if read.address not in ran:
                reads[read.address, read.register] = read
        walk.restore(last)
        for read in _on_paths(program, facts, walk, starts, ran):
            reads.setdefault((read.address, read.register), read)
    return [reads[place] for place in sorted(reads)]


@cached_on_program
def scratch_reads(program: Program) -> Sequence[BundleReads]:
    """Return the reads and writes of scratch registers by address."""
    isa, bundles = program.isa, program.bundles
    return [_scratch_reads(isa, bundles[number]) for number in program.bundle_at_address]


@cached_on_bundle
def _scratch_reads(isa: Isa, bundle: Bundle) -> BundleReads:
    return BundleReads(*(registers & isa.scratch for registers in reads_of(isa, bundle)))


class _Loaded(NamedTuple):
    """The registers that are loaded, and the elements of those that are loaded in parts."""

    registers: frozenset[str]
    elements: tuple[tuple[str, int], ...]


class _Walk:
    """The registers and elements that have been loaded so far, as bit sets of elements."""

    def __init__(
        self, program: Program, facts: ControlFacts, effects: Sequence[BundleReads]
    ) -> None:
        self.effects = effects
        self.steps = facts.run.steps
        self.spaces = program.isa.spaces
        self.scratch = program.isa.scratch
        self.loaded: set[str] = set()
        self.elements: dict[str, int] = {}
        self.found: dict[tuple[int, str], UnloadedRead] = {}
        self.sizes = {
            window.memory: program.isa.spaces[window.memory].size
            for step in self.steps
            for window in step.windows
        }

    def state(self) -> _Loaded:
        return _Loaded(frozenset(self.loaded), tuple(sorted(self.elements.items())))

    def restore(self, state: _Loaded) -> None:
        """Continue after other code, without the reads that have been found."""
        self.found = {}
        self.loaded, self.elements = set(state.registers), dict(state.elements)

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
                starts = offsets_in(progression, iteration, size, False)
                yield access.memory, spread(starts, access.size, size)

    def _loads_nothing_new(self, node: Executed, iteration: tuple[int, ...]) -> bool:
        loads = self._loads(node, iteration)
        return all(not elements & ~self.elements.get(memory, 0) for memory, elements in loads)

    def _settle_windows(self, node: Executed, iteration: tuple[int, ...]) -> None:
        """Report a window that some iteration reads and that no iteration loads."""
        step = self.steps[node.address]
        for place, window in enumerate(step.windows):
            size, loaded = self.sizes[window.memory], self._loaded_in(window.memory)
            progression = node.values[step.first_window + place]
            if not loaded or not is_countable(progression):
                continue
            starts = offsets_in(progression, iteration, size, window.is_clipped)
            bad = starts & ~meeting(loaded, window, size)
            if bad:
                self._window(node.address, window, (bad & -bad).bit_length() - 1)

    def _bundle(self, node: Executed, iteration: tuple[int, ...]) -> None:
        address = node.address
        step, effects = self.steps[address], self.effects[address]
        if not effects.old <= self.loaded:
            windowed = self.windowed(address)
            for register in effects.old - self.loaded - windowed:
                if not self.only_keeps(address, register):
                    self._report(UnloadedRead(address, register, True))
        if step.windows:
            self._windows(node, iteration, is_live=False)
        self.loaded |= effects.writes
        for access, offsets in zip(step.accesses, node.values[step.compared :]):
            if access.kind == "write" and access.memory in self.sizes:
                self._load(access.memory, access.size, value_in(offsets, iteration))
        if step.windows:
            self._windows(node, iteration, is_live=True)

    def windowed(self, address: int) -> set[str]:
        """Return the registers of which a bundle reads a window, those that are parts included."""
        memories = [window.memory for window in self.steps[address].windows]
        return {name for memory in memories for name in (memory, *self.spaces[memory].parts)}

    def maybe_read(self, node: Executed, unloaded: frozenset[str]) -> set[str]:
        """Return the registers of whose windows nobody can say whether a bundle reads elements."""
        step, found = self.steps[node.address], set[str]()
        for place, window in enumerate(step.windows):
            offset = value_in(node.values[step.first_window + place], ())
            parts = self.spaces[window.memory].parts
            if offset is not None:
                size = self.sizes[window.memory]
                is_read = window_elements(offset, window.size, size, window.is_clipped)
                found |= {*parts} - {self._part(window.memory, offset)}
                found |= set() if is_read else {window.memory}
                continue
            found |= {window.memory} if window.is_clipped else set()
            # Which of them is read is not known.
            found |= {part for part in parts if part != parts[0] or not unloaded >= {*parts}}
        return found

    def _loaded_in(self, memory: str) -> int:
        """Return the elements that are loaded of a register, or of those that it consists of."""
        space, found = self.spaces[memory], self.elements.get(memory, 0)
        for number, part in enumerate(space.parts):
            size = space.size // len(space.parts)
            found |= (((1 << size) - 1) << number * size) if part in self.loaded else 0
        return found

    def only_keeps(self, address: int, register: str) -> bool:
        """Return whether a bundle reads a register only because it overwrites a part of it."""
        accesses = self.steps[address].accesses
        return any(access.memory == register and access.kind == "write" for access in accesses)

    def _load(self, memory: str, size: int, offset: int | None) -> None:
        full = self.sizes[memory]
        mask = (1 << full) - 1 if offset is None else window_elements(offset, size, full, False)
        self.elements[memory] = self.elements.get(memory, 0) | mask

    def _windows(self, node: Executed, iteration: tuple[int, ...], is_live: bool) -> None:
        step = self.steps[node.address]
        for place, window in enumerate(step.windows):
            if window.is_live is is_live:
                offset = value_in(node.values[step.first_window + place], iteration)
                self._window(node.address, window, offset)

    def _window(self, address: int, window: WindowRead, offset: int | None) -> None:
        loaded, size = self._loaded_in(window.memory), self.sizes[window.memory]
        if offset is None:
            if not loaded and not window.is_clipped:
                self._report(UnloadedRead(address, self._part(window.memory, 0), True))
            return
        wanted = window_elements(offset, window.size, size, window.is_clipped)
        if wanted and not wanted & loaded:
            part = self._part(window.memory, offset)
            read = UnloadedRead(address, part, True)
            if loaded and part == window.memory:
                read = read._replace(window=window, first=offset % size, loaded=loaded)
            self._report(read)

    def _part(self, memory: str, offset: int) -> str:
        """Return the register that has an element: one of its parts, if it consists of others."""
        space = self.spaces[memory]
        if not space.parts:
            return memory
        return space.parts[offset % space.size * len(space.parts) // space.size]

    def _report(self, read: UnloadedRead) -> None:
        self.found.setdefault((read.address, read.register), read)


def _on_every_path(
    program: Program, facts: ControlFacts, walk: _Walk, last: _Loaded
) -> Iterator[UnloadedRead]:
    """Yield the reads after the end of a run of what no path that leads there loads."""
    values = values_after(program, facts)
    nodes = {address: execution(facts.run, address, each) for address, each in values.items()}

    def after(address: int, loaded: _Loaded) -> _Loaded:
        walk.restore(loaded)
        walk.nodes([nodes[address]], ())
        return walk.state()

    starts = dict.fromkeys(starts_after(program, facts.run), last)
    for address, loaded in solve(successors_of(program) or (), starts, after, _either).items():
        after(address, loaded)
        yield from walk.found.values()


def _either(one: _Loaded, other: _Loaded) -> _Loaded:
    elements = dict(one.elements)
    for memory, more in other.elements:
        elements[memory] = elements.get(memory, 0) | more
    return _Loaded(one.registers | other.registers, tuple(sorted(elements.items())))


def _on_paths(
    program: Program, facts: ControlFacts, walk: _Walk, starts: Sequence[int], ran: set[int]
) -> Iterator[UnloadedRead]:
    """Yield the reads on paths that continue where a run ends, of bundles that have not run."""
    effects = walk.effects
    missing = solve(
        successors_of(program) or (),
        dict.fromkeys(starts, walk.scratch - walk.loaded),
        lambda address, unloaded: unloaded - effects[address].writes,
        frozenset.union,
    )
    values = values_after(program, facts)
    for address, unloaded in missing.items():
        if address in ran:
            continue
        uncertain = walk.maybe_read(execution(facts.run, address, values[address]), unloaded)
        windowed = {w.memory for w in walk.steps[address].windows if not w.is_live}
        for register in sorted((effects[address].old & unloaded) - uncertain):
            if register in windowed or not walk.only_keeps(address, register):
                yield UnloadedRead(address, register, False)


def value_in(progression: Progression, iteration: Sequence[int]) -> int | None:
    """Return the value in an iteration of each loop around, inner first; None if unknown."""
    value = progression.start
    for (stride, _), number in zip(progression.dimensions, iteration):
        if stride == 0 or number == 0:
            continue
        if not isinstance(stride, int) or not isinstance(value, int):
            return None
        value += stride * number
    return value if isinstance(value, int) else None


def is_countable(progression: Progression) -> bool:
    """Return whether the start, all strides and all counts are numbers, or without end."""
    return isinstance(progression.start, int) and all(
        isinstance(stride, int) and (count is None or isinstance(count, int))
        for stride, count in progression.dimensions
    )


def window_elements(offset: int, size: int, full: int, is_clipped: bool) -> int:
    everything = (1 << full) - 1
    if is_clipped:
        offset %= 1 << 32
        return ((1 << size) - 1) << offset & everything if offset < full else 0
    bits = ((1 << size) - 1) << offset % full
    return (bits & everything) | bits >> full


def offsets_in(
    progression: Progression, iteration: Sequence[int], size: int, is_clipped: bool
) -> int:
    """Return the values in all inner iterations, as a bit set.

    They count modulo `size`; if clipped, those outside are left out.
    """
    free = len(progression.dimensions) - len(iteration)
    outer = Progression(progression.start, progression.dimensions[free:])
    start = value_in(outer, iteration)
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
        before, values = values, set()
        for number in range(most):
            values.update(value + stride * number for value in before)
            if len(values) > _MAX_OFFSETS:
                return 0
    return sum(1 << value for value in values if 0 <= value < size)


def _rotated(bits: int, by: int, size: int) -> int:
    by %= size
    return ((bits << by) & ((1 << size) - 1)) | bits >> (size - by)


def spread(starts: int, length: int, size: int) -> int:
    """Return the elements of all windows of a length, by their starts."""
    covered, bits = 1, starts
    while covered < length:
        step = min(covered, length - covered)
        bits |= _rotated(bits, step, size)
        covered += step
    return bits


# The loops of a kernel ask the same over and over; 18 % of the search for unloaded reads.
@lru_cache(maxsize=256)
def meeting(loaded: int, window: WindowRead, size: int) -> int:
    """Return the starts of the windows with at least one element that is loaded."""
    covered, bits = 1, loaded
    while covered < window.size:
        step = min(covered, window.size - covered)
        bits |= bits >> step if window.is_clipped else _rotated(bits, -step, size)
        covered += step
    return bits
