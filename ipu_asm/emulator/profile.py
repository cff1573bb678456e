"""Profile of a run: cycles by bundle, slot and loop; and the run as a timeline.

The timeline is in the trace format of Chrome, which Perfetto opens, too. Each instruction position
of a slot is a track, each instruction that has an effect an event. A cycle lasts one microsecond,
so the numbers on the time axis are cycles.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.binding import is_default_jump
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.html_tables import bar, table
from ipu_asm.emulator.model import decode_word, machine_for
from ipu_asm.emulator.stops import RunEnd, StopReason, describe_stop
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable, SourceLocation

HOTTEST: Final = 10
"""Length of a list of the hottest bundles."""


class SlotUse(NamedTuple):
    """Number of instructions with an effect that a slot executed, of the number possible."""

    slot: str
    capacity: int
    busy: int
    possible: int

    @property
    def share(self) -> float:
        """Utilization of the slot, 0 to 1."""
        return self.busy / self.possible if self.possible else 0.0


class BundleUse(NamedTuple):
    """A bundle and the cycles it took; `instructions` are those that have an effect."""

    pc: int
    cycles: int
    place: SourceLocation | None
    instructions: tuple[str, ...]


class LoopUse(NamedTuple):
    """A loop and the cycles it took. `own_cycles` excludes those of inner loops.

    `depth` is 0 for an outermost loop, `slots` is the use of the slots in the whole loop, `place`
    the source location of the header, and `lines` are the first and the last source line of all
    bundles.
    """

    loop: Loop
    place: SourceLocation | None
    lines: tuple[int, int] | None
    depth: int
    cycles: int
    own_cycles: int
    slots: tuple[SlotUse, ...]

    @property
    def bundles_per_iteration(self) -> float:
        """Bundles executed per execution of the header."""
        return self.cycles / self.loop.iterations

    @property
    def own_bundles_per_iteration(self) -> float:
        """Bundles executed per execution of the header, without inner loops."""
        return self.own_cycles / self.loop.iterations


class Profile(NamedTuple):
    """The profile of a whole run of a program of `size` bundles.

    `bundles` are all of the program, and those beyond its end that were executed.
    """

    cycles: int
    size: int
    bundles: tuple[BundleUse, ...]
    slots: tuple[SlotUse, ...]
    loops: tuple[LoopUse, ...]

    @property
    def lines(self) -> Counter[int]:
        """Cycles by source line: those of the bundles that begin on the line."""
        cycles: Counter[int] = Counter()
        for bundle in self.bundles:
            if bundle.place is not None:
                cycles[bundle.place.line] += bundle.cycles
        return cycles

    @property
    def hottest(self) -> list[BundleUse]:
        """The bundles that were executed, by descending cycles."""
        used = (bundle for bundle in self.bundles if bundle.cycles)
        return sorted(used, key=lambda bundle: (-bundle.cycles, bundle.pc))

    def _repr_html_(self) -> str:
        total = self.cycles or 1
        slots = [(use.slot, use.busy, bar(use.share)) for use in self.slots]
        bundles = [
            (
                use.pc,
                _line(use.place),
                use.cycles,
                bar(use.cycles / total),
                "; ".join(use.instructions),
            )
            for use in self.hottest[:HOTTEST]
        ]
        caption = f"{self.cycles:,} cycles in {self.size:,} bundles"
        hottest = table(("bundle", "line", "cycles", "", "instructions"), bundles)
        return table(("slot", "busy", ""), slots, caption) + hottest


def _line(place: SourceLocation | None) -> int | str:
    return place.line if place else ""


def profile_of(recording: Recording, kernel: Kernel) -> Profile:
    """Return the profile of a recorded run of a program."""
    isa, lines, visits = kernel.isa, kernel.lines, recording.visits
    instructions = dict(enumerate(active_instructions(kernel, lines)))
    bundles = tuple(
        BundleUse(
            pc,
            visits[pc],
            lines.place(pc),
            tuple(instruction.text for instruction in instructions.get(pc, ())),
        )
        for pc in sorted({*instructions, *visits})
    )
    return Profile(
        visits.total(),
        len(instructions),
        bundles,
        _slot_uses(isa, instructions, visits, visits),
        tuple(_loop_uses(isa, instructions, visits, recording, lines)),
    )


class ActiveInstruction(NamedTuple):
    """An instruction that has an effect, number `place` of a slot: as written, else as decoded."""

    slot: str
    place: int
    text: str


def active_instructions(kernel: Kernel, lines: LineTable | None) -> list[list[ActiveInstruction]]:
    """Return the instructions of each bundle that have an effect, in execution order.

    A jump to the next address has none. They are as written in `lines`, else as decoded.
    """
    decoded: Iterable[list[ActiveInstruction]]
    if kernel.code is not None:
        units = map(kernel.code.unit_at, kernel.code.addresses[: kernel.program.size])
        decoded = (
            [
                ActiveInstruction(each.form.slot, 0, f"{each.mnemonic} {', '.join(each.operands)}")
                for each in (unit.instructions if unit else ())
                if not each.form.nop
            ]
            for unit in units
        )
    else:
        decoded = (
            [
                ActiveInstruction(each.slot.name, each.place, str(each))
                for each in decode_word(kernel.isa, word)
                if not each.is_idle and not is_default_jump(each, pc)
            ]
            for pc, word in enumerate(kernel.words)
        )
    if lines is None:
        return [*decoded]
    return [
        [
            ActiveInstruction(slot, place, lines.instruction(pc, slot, place) or text)
            for slot, place, text in each
        ]
        for pc, each in enumerate(decoded)
    ]


def _slot_uses(
    isa: Isa,
    instructions: Mapping[int, Sequence[ActiveInstruction]],
    visits: Mapping[int, int],
    body: Iterable[int],
) -> tuple[SlotUse, ...]:
    """The use of every slot, summed over the bundles of `body`."""
    cycles = 0
    busy = {slot.name: 0 for slot in isa.slots}
    for pc in body:
        cycles += visits[pc]
        for instruction in instructions.get(pc, ()):
            busy[instruction.slot] += visits[pc]
    return tuple(
        SlotUse(slot.name, slot.capacity, busy[slot.name], slot.capacity * cycles)
        for slot in isa.slots
    )


def _loop_uses(
    isa: Isa,
    instructions: Mapping[int, Sequence[ActiveInstruction]],
    visits: Mapping[int, int],
    recording: Recording,
    table: LineTable | None,
) -> Iterable[LoopUse]:
    if recording.first is None:
        return
    loops = find_loops(recording.first, recording.transitions)
    for loop in loops:
        places = [place for pc in loop.body if table and (place := table.place(pc))]
        lines = (min(p.line for p in places), max(p.end_line for p in places)) if places else None
        inner = {pc for other in loops if other.body < loop.body for pc in other.body}
        yield LoopUse(
            loop,
            table.place(loop.header) if table else None,
            lines,
            sum(loop.body < other.body for other in loops),
            sum(visits[pc] for pc in loop.body),
            sum(visits[pc] for pc in loop.body - inner),
            _slot_uses(isa, instructions, visits, loop.body),
        )


Steps = Mapping[tuple[int, int], int]
"""How often control went from one bundle to another."""


class Loop(NamedTuple):
    """A set of bundles that was executed repeatedly.

    `header` is the bundle at which every iteration begins, `body` all bundles of an iteration, with
    the header and inner loops. `entries` counts how often the loop was entered, `iterations` how
    often the header was executed; in a loop that exits at its header the last iteration is partial.
    """

    header: int
    body: frozenset[int]
    entries: int
    iterations: int


def find_loops(first: int, steps: Steps) -> list[Loop]:
    """Return the loops of a run that began at `first`, outer loops before inner ones.

    A loop is a natural loop of the executed control flow. Where control entered the middle of a
    loop, so that it has no single header, the target of its backward branch serves as the header.
    """
    graph = _Graph(first, steps)
    loops: dict[int, set[int]] = {}
    rest = []
    for source, target in sorted(steps):
        if graph.dominates(target, source):
            loops.setdefault(target, set()).update(graph.between(target, source))
        elif target <= source:
            rest.append((source, target))
    natural = dict(loops)
    for source, target in rest:
        # A path through the header of a natural loop around both bundles is an iteration of that
        # loop.
        around = {header for header, body in natural.items() if {source, target} <= body}
        body = graph.between(target, source, around)
        if body:
            loops.setdefault(target, set()).update(body)
    found = [_loop(first, steps, header, body) for header, body in loops.items()]
    return sorted(found, key=lambda loop: (min(loop.body), -len(loop.body)))


def _loop(first: int, steps: Steps, header: int, body: set[int]) -> Loop:
    arrivals = [(source, count) for (source, target), count in steps.items() if target == header]
    iterations = sum(count for _, count in arrivals) + (header == first)
    repeats = sum(count for source, count in arrivals if source in body)
    return Loop(header, frozenset(body), iterations - repeats, iterations)


class _Graph:
    """The executed control flow."""

    def __init__(self, first: int, steps: Steps) -> None:
        self.next: dict[int, list[int]] = {first: []}
        self.before: dict[int, list[int]] = {first: []}
        for source, target in steps:
            self.next.setdefault(source, []).append(target)
            self.next.setdefault(target, [])
            self.before.setdefault(target, []).append(source)
            self.before.setdefault(source, [])
        self._dominators = self._find_dominators(first)

    def dominates(self, one: int, other: int) -> bool:
        """Return whether every path from the start to `other` goes through `one`."""
        return bool(self._dominators[other] >> one & 1)

    def between(self, header: int, last: int, closed: set[int] | None = None) -> set[int]:
        """Return the bundles on paths from `header` to `last`, with both; empty if there is none.

        No path goes through the `closed` ones.
        """
        barriers = closed or set()
        ahead = _reached(header, self.next, barriers) - barriers
        if last not in ahead:
            return set()
        return _reached(last, self.before, {header, *barriers}) & ahead

    def _find_dominators(self, first: int) -> dict[int, int]:
        """For each bundle a bit set of the bundles that dominate it."""
        everything = (1 << max(self.next) + 1) - 1
        dominators = dict.fromkeys(self.next, everything)
        dominators[first] = 1 << first
        changed = True
        while changed:
            changed = False
            for node in sorted(self.next):
                if node == first:
                    continue
                common = everything
                for source in self.before[node]:
                    common &= dominators[source]
                common |= 1 << node
                if common != dominators[node]:
                    dominators[node], changed = common, True
        return dominators


def _reached(start: int, neighbours: Mapping[int, list[int]], barriers: set[int]) -> set[int]:
    """All nodes reachable from `start`; the successors of a barrier are not followed."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            if node not in barriers:
                waiting += neighbours[node]
    return found


_PROCESS = 1
Event = dict[str, Any]


def chrome_trace(
    addresses: Sequence[int], kernel: Kernel, *, first_cycle: int, stop: RunEnd
) -> Iterator[str]:
    """Yield the JSON text of a trace of bundles executed consecutively from `first_cycle` on.

    `addresses` are those bundles of the program, `stop` is the end of the run.
    """
    tracks, name = _tracks(kernel.isa), kernel.name
    lines = None if kernel.is_image else kernel.lines
    instructions = active_instructions(kernel, lines)
    last_cycle = first_cycle + len(addresses)
    about = {"program": name, "stopped": stop.reason.value, "cycles": last_cycle}
    if first_cycle:
        about["first_cycle_shown"] = first_cycle
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about, "traceEvents": []})
    # The events are written one by one into the empty list at the end of the object.
    separator = head.removesuffix("]}") + "\n"
    for event in _metadata(tracks, name):
        yield separator + json.dumps(event)
        separator = ",\n"
    # An event is encoded once and repeated with other times: encoding each repetition would take
    # 2.3 s instead of 0.1 s for 100,000 bundles of the fully connected layer.
    events: dict[int, list[str]] = {}
    for cycle, pc in enumerate(addresses, first_cycle):
        if pc not in events:
            active = instructions[pc] if pc < len(instructions) else ()
            made = _events(active, pc, tracks, lines)
            events[pc] = [json.dumps({**event, "ts": 0}).removesuffix("0}") for event in made]
        for text in events[pc]:
            yield f"{separator}{text}{cycle}}}"
    if stop.reason is not StopReason.HALTED:
        yield separator + json.dumps(_end(stop, last_cycle))
    yield "\n]}\n"


def _tracks(isa: Isa) -> dict[tuple[str, int], int]:
    """The track number of each instruction position of each slot, in execution order."""
    places = [
        (name, place)
        for name in machine_for(isa.name).Machine.execution_order or isa.slot_by_name
        for place in range(isa.slot_by_name[name].capacity)
    ]
    return {place: number for number, place in enumerate(places, 1)}


def _metadata(tracks: dict[tuple[str, int], int], name: str) -> Iterator[Event]:
    yield _event("process_name", "M", 0, args={"name": name})
    capacities = {slot: place + 1 for slot, place in tracks}
    for (slot, place), track in tracks.items():
        title = slot if capacities[slot] == 1 else f"{slot} {place}"
        yield _event("thread_name", "M", track, args={"name": title})
        yield _event("thread_sort_index", "M", track, args={"sort_index": track})


def _events(
    active: Iterable[ActiveInstruction],
    pc: int,
    tracks: dict[tuple[str, int], int],
    lines: LineTable | None,
) -> Iterator[Event]:
    """The events of a bundle, without their timestamp."""
    place = lines.place(pc) if lines else None
    args: dict[str, Any] = {"pc": pc}
    if place:
        args |= {"line": place.line} | ({"label": place.name} if place.name else {})
        args |= {"stack": [frame.label for frame in place.stack]} if place.stack else {}
    for slot, number, text in active:
        yield _event(text, "X", tracks[slot, number], cat=slot, dur=1, args=args)


def _end(stop: RunEnd, cycle: int) -> Event:
    """An instant event across all tracks at the end of the run."""
    return _event(describe_stop(stop), "i", 0, cat="stop", s="g", ts=cycle, args={"pc": stop.pc})


def _event(name: str, phase: str, track: int, **more: Any) -> Event:
    return {"name": name, "ph": phase, "pid": _PROCESS, "tid": track, **more}
