"""Schedules for sets with an exposed pipeline: operations in order, one a line, become bundles.

The text of a region is read with sequential meaning: each operation sees the results of all that
are above it. A dependence says when results land: a result under way occupies no register, so that
a distance may be negative. Operations that exist in several slots may take any of them.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, product, takewhile
from typing import Iterator, Sequence

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.accesses import LATEST, RegisterAccess, instruction_accesses, needed_distance
from ipu_asm.flow.control_flow import delay_slots_of, functions_of
from ipu_asm.flow.packing.dependences import (
    Dependence,
    DependenceGraph,
    DependenceKind,
    critical_path,
)
from ipu_asm.flow.packing.modulo import IsOver, Search, Units
from ipu_asm.flow.packing.operations import Operation, written_operations
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.webs import instruction_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

_BEGIN = re.compile(
    r"^[ \t]*//[ \t]*schedule"
    r"(?:[ \t]+loop[ \t]+(?P<counter>\w+)(?:[ \t]+least[ \t]+(?P<least>\d+))?)?"
    r"(?:[ \t]+disjoint(?P<bases>[\w ,\t]*))?[ \t]*$",
    re.M,
)
_MAX_LOOP_STAGES = 12
_SETUP_BUNDLES = 4
"""Bundles between the last register of a hardware loop and its first bundle."""
_END = re.compile(r"^[ \t]*//[ \t]*end[ \t]*$", re.M)
INDENT = "    "
_MAX_TRIES = 4_000
_MAX_MORE = 400
"""Bundles beyond the bound of a region that are tried."""
_MAX_OPERATIONS = 400


class Region(NamedTuple):
    """Operations to schedule: their bundles, and registers whose addresses never meet.

    With a `counter`, they are the body of a loop, which has the number of its turns, `least` at
    least.
    """

    name: str
    addresses: range
    disjoint: frozenset[str]
    counter: str = ""
    least: int = 1


class ScheduledRegion(NamedTuple):
    """A region, its operations with their accesses, and the bundle and the text of each of them.

    `length` counts the bundles; delay slots are among them. An `interval` is that of a loop.
    """

    region: Region
    operations: Sequence[Operation]
    accesses: Sequence[Sequence[RegisterAccess]]
    times: Sequence[int]
    texts: Sequence[str]
    length: int
    interval: int = 0

    @property
    def stages(self) -> int:
        """The turns of a loop that are under way at the same time."""
        return max(self.times) // self.interval + 1 if self.interval else 1

    def turns(self, count: int) -> ScheduledRegion:
        """Return the operations of so many turns of a loop, one turn after the other."""
        times = [t + turn * self.interval for turn in range(count) for t in self.times]
        return self._replace(
            operations=[*self.operations] * count,
            accesses=[*self.accesses] * count,
            times=times,
            texts=[*self.texts] * count,
        )


class ScheduledProgram(NamedTuple):
    """A program and the one in which its regions are bundles."""

    program: Program
    scheduled: Program
    regions: tuple[ScheduledRegion, ...]


def scheduled(program: Program, is_over: IsOver = lambda: False) -> ScheduledProgram:
    """Return a program whose regions are scheduled.

    A region is between the comments `schedule` and `end`; without any, functions of one path that
    have one operation a bundle are regions. Raises `PackingError` if there are none, or with the
    reason why one cannot be scheduled, such as that the search `is_over` before.
    """
    if not program.isa.has_exposed_pipeline:
        raise PackingError(f"{program.isa.title} has no exposed pipeline: use --pack")
    regions = [*_marked(program)] or [*_functions(program)]
    if not regions:
        raise PackingError("no function with one operation a line, and no `// schedule` above one")
    found = tuple(_scheduled(program, region, is_over) for region in regions)
    edits = [edit for each in found for edit in _edits(program, each)]
    for match in _BEGIN.finditer(program.text):
        word = match[0].index("schedule") + match.start()
        edits.append(TextEdit(Span(word, word + len("schedule")), "scheduled"))
    made = read_program(program.isa, apply_edits(program.text, sorted(edits)))
    return ScheduledProgram(program, made, found)


def has_marked_regions(program: Program) -> bool:
    """Return whether comments say which operations are written in order."""
    return _BEGIN.search(program.text) is not None


def _marked(program: Program) -> Iterator[Region]:
    for begin in _BEGIN.finditer(program.text):
        end = _END.search(program.text, begin.end())
        line = program.text.count("\n", 0, begin.start()) + 1
        if end is None:
            raise PackingError(f"the region from line {line} on has no comment `// end`")
        inside = [
            address
            for address, number in enumerate(program.bundle_at_address)
            if begin.end() <= program.starts[number] < end.start()
        ]
        if not inside:
            raise PackingError(f"the region from line {line} on has no operations")
        bases = re.findall(r"\w+", begin["bases"] or "")
        addresses = range(inside[0], inside[-1] + 1)
        least = int(begin["least"] or 1)
        yield Region(f"line {line}", addresses, frozenset(bases), begin["counter"] or "", least)


def _functions(program: Program) -> Iterator[Region]:
    for numbers in functions_of(program):
        bundles = [n for n in numbers if program.bundles[n].instructions]
        counts = [sum(not i.is_idle for i in program.bundles[n].instructions) for n in bundles]
        if bundles and set(counts) == {1}:
            first, last = program.addresses[bundles[0]], program.addresses[bundles[-1]]
            labels = [
                label for label, address in program.label_addresses.items() if address == first
            ]
            name = labels[0] if labels else f"address {first}"
            yield Region(name, range(first, last + 1), frozenset())


def _scheduled(program: Program, region: Region, is_over: IsOver) -> ScheduledRegion:
    operations = written_operations(program, region.addresses)
    _check(program, region, operations)
    branch = next((n for n, each in enumerate(operations) if each.flow is not None), -1)
    delay = 0
    if branch >= 0:
        number = program.bundle_at_address[operations[branch].address]
        delay = delay_slots_of(program.bundles[number])
    instructions = [instruction_at(program, (each.address, each.number)) for each in operations]
    accesses = [tuple(instruction_accesses(program.isa, each)) for each in instructions]
    turns = 2 if region.counter else 1
    graph = _graph(region, operations, [*instructions] * turns, [*accesses] * turns)
    forms = [_forms(program, each) for each in operations]
    units = [tuple(units for units, _ in each) for each in forms]
    if region.counter:
        return _scheduled_loop(program, region, graph, accesses, forms, is_over)
    settled = [0 if n == branch else _settled(each) for n, each in enumerate(accesses)]
    chain = sum(each.latency for each in critical_path(graph)) + 1
    least = max(_least(units), delay + 1 if branch >= 0 else 1)
    lengths = range(max(least, chain), least + _MAX_MORE)
    for length in takewhile(lambda _: not is_over(), lengths):
        last = [max(length - each, -1) for each in settled]
        search = Search(program.isa, graph, length, last, _MAX_TRIES, units=units)
        times = search.times(branch, length - 1 - delay)
        if times is not None:
            texts = [form[choice][1] for form, choice in zip(forms, search.chosen)]
            return ScheduledRegion(region, operations, accesses, times, texts, length)
    raise PackingError(f"{region.name}: no schedule was found")


def _graph(
    region: Region,
    operations: Sequence[Operation],
    instructions: Sequence[Instruction],
    accesses: Sequence[Sequence[RegisterAccess]],
) -> DependenceGraph:
    """Return the dependences of operations, of two turns if the instructions are those of two."""
    count = len(operations)
    found = (*_dependences(accesses), *_memory_dependences(instructions, accesses, region.disjoint))
    edges = [
        each._replace(target=each.target % count, iterations=each.target // count)
        for each in found
        if each.source < count
    ]
    return DependenceGraph(operations, tuple(dict.fromkeys(edges)))


def _scheduled_loop(
    program: Program,
    region: Region,
    graph: DependenceGraph,
    accesses: Sequence[Sequence[RegisterAccess]],
    forms: Sequence[Sequence[tuple[tuple[str, ...], str]]],
    is_over: IsOver,
) -> ScheduledRegion:
    if not program.isa.scheduling.loop_setup or any(each.flow for each in graph.operations):
        raise PackingError(f"{region.name}: a loop takes operations without branches")
    units = [tuple(units for units, _ in each) for each in forms]
    most_stages = min(_MAX_LOOP_STAGES, region.least)
    sizes = product(range(_least(units), _MAX_MORE), range(1, most_stages + 1))
    for interval, stages in takewhile(lambda _: not is_over(), sizes):
        last = [interval * stages - 1] * len(forms)
        search = Search(program.isa, graph, interval, last, _MAX_TRIES, units=units)
        times = search.times(-1, 0)
        if times is not None:
            texts = [form[choice][1] for form, choice in zip(forms, search.chosen)]
            ends = (t + _settled(each) for t, each in zip(times, accesses))
            length = max(interval * stages, *ends)
            return ScheduledRegion(
                region, graph.operations, accesses, times, texts, length, interval
            )
    raise PackingError(f"{region.name}: no schedule was found")


def _check(program: Program, region: Region, operations: Sequence[Operation]) -> None:
    """Raise `PackingError` if the text of a region has no sequential meaning."""
    addresses = [each.address for each in operations]
    if len(set(addresses)) < len(addresses):
        raise PackingError(f"{region.name}: a bundle has several operations: write one a line")
    if len(operations) > _MAX_OPERATIONS:
        raise PackingError(f"{region.name}: has more than {_MAX_OPERATIONS} operations")
    for address in region.addresses:
        bundle = program.bundles[program.bundle_at_address[address]]
        if bundle.has_unknown or any(f.severity is Severity.ERROR for f in bundle.findings):
            raise PackingError(f"{region.name}: correct its errors first")
    for label, address in program.label_addresses.items():
        if region.addresses.start < address < region.addresses.stop:
            raise PackingError(f"{region.name}: has the label `{label}` inside")
    flows = [number for number, each in enumerate(operations) if each.flow is not None]
    if flows and flows != [len(operations) - 1]:
        raise PackingError(f"{region.name}: a branch must be its last operation")
    if not operations:
        raise PackingError(f"{region.name}: has no operations")


def _dependences(accesses: Sequence[Sequence[RegisterAccess]]) -> Iterator[Dependence]:
    """Yield when results must land, for operations in order.

    A result that nothing in the region reads is not on its way while another value is read: that
    would look like a mistake.
    """
    unread = _unread(accesses)
    for target, behind in enumerate(accesses):
        for source in range(target):
            for first in accesses[source]:
                for second in behind:
                    if first.units.isdisjoint(second.units):
                        continue
                    for each in _of_accesses(source, target, first, second):
                        is_anti = each.kind is DependenceKind.ANTI
                        if is_anti and (target, second.register) in unread:
                            yield each._replace(latency=max(each.latency, 0))
                        else:
                            yield each


def _unread(accesses: Sequence[Sequence[RegisterAccess]]) -> set[tuple[int, str]]:
    """Return the results that no later operation reads before they are overwritten."""
    found: set[tuple[int, str]] = set()
    read: set[str] = set()
    for number in reversed(range(len(accesses))):
        for access in accesses[number]:
            if access.writes and not access.units & read:
                found.add((number, access.register))
        for access in accesses[number]:
            read -= access.units if access.writes else frozenset()
        for access in accesses[number]:
            read |= access.units if access.reads else frozenset()
    return found


def _of_accesses(
    source: int, target: int, first: RegisterAccess, second: RegisterAccess
) -> Iterator[Dependence]:
    name = first.register
    if first.writes and second.reads:
        needed = needed_distance(first, second)
        latency = (first.timing.def_cycle or LATEST) if needed is None else needed
        yield Dependence(source, target, DependenceKind.TRUE, name, latency)
    if first.reads and second.writes:
        shared = bool(first.timing.bypass) and first.timing.bypass == second.timing.bypass
        read, write = first.timing.use_cycle or LATEST, second.timing.def_cycle or 1
        yield Dependence(source, target, DependenceKind.ANTI, name, read - write + shared)
    if first.writes and second.writes:
        one, other = first.timing.def_cycle or LATEST, second.timing.def_cycle or 1
        yield Dependence(source, target, DependenceKind.OUTPUT, name, one - other + 1)


def _memory_dependences(
    instructions: Sequence[Instruction],
    accesses: Sequence[Sequence[RegisterAccess]],
    disjoint: frozenset[str],
) -> Iterator[Dependence]:
    """Yield the order of loads and stores that may meet: all meet memory in the same cycle."""
    kinds = [each.spec.traits & {"load", "store"} if each.spec else set() for each in instructions]
    bases = [_base(*pair) for pair in zip(instructions, accesses)]
    for target, kind in enumerate(kinds):
        for source in range(target):
            if not kind or not kinds[source] or "store" not in {*kind, *kinds[source]}:
                continue
            pair = {bases[source], bases[target]}
            if not (len(pair) == 2 and pair <= disjoint):
                yield Dependence(source, target, DependenceKind.MEMORY, "memory", 1)


def _base(instruction: Instruction, accesses: Sequence[RegisterAccess]) -> str:
    """Return the register that an address begins with, empty if there is none."""
    for access in accesses:
        operand = instruction.operands[access.operand] if access.operand >= 0 else None
        if operand is not None and operand.name.startswith("["):
            return access.register
    return ""


def _settled(accesses: Sequence[RegisterAccess]) -> int:
    """Return how many bundles before the end an operation is issued, for all to have landed."""
    writes = [each.timing.def_cycle or LATEST for each in accesses if each.writes]
    reads = [(each.timing.use_cycle or LATEST) - 1 for each in accesses if each.reads]
    return max([1, *writes, *reads])


def _forms(program: Program, operation: Operation) -> list[tuple[tuple[str, ...], str]]:
    """Return the units and the text of an operation, and of those in other slots that mean it."""
    isa = program.isa
    instruction = instruction_at(program, (operation.address, operation.number))
    spec, own = instruction.spec, program.text[slice(*span_of(program, operation))]
    assert spec is not None
    operands = own[len(instruction.words[0]) :]
    found: list[tuple[tuple[str, ...], str]] = []
    names = next((each for each in isa.scheduling.twins if spec.mnemonic in each), ())
    wanted = _meaning(program, instruction)
    for name in (spec.mnemonic, *(each for each in names if each != spec.mnemonic)):
        text = f"{name}{operands}"
        made = read_program(isa, f"{text}{isa.surface.bundle_end}\n")
        [*twins] = (i for bundle in made.bundles for i in bundle.instructions)
        if made.findings or len(twins) != 1 or _meaning(program, twins[0]) != wanted:
            continue
        slot = isa.slot_by_name[twins[0].spec.slot] if twins[0].spec is not None else None
        if slot is not None:
            found.append((slot.units or (slot.name,), text))
    return found or [(isa.slot_by_name[spec.slot].units or (spec.slot,), own)]


def _meaning(program: Program, instruction: Instruction) -> object:
    accesses = instruction_accesses(program.isa, instruction)
    return [(each.register, each.access, each.timing) for each in accesses]


def _least(units: Sequence[Units]) -> int:
    """Return the bundles that the busiest unit takes, of operations with one slot."""
    counts = Counter(unit for each in units if len(each) == 1 for unit in each[0])
    return max(counts.values(), default=1)


def _edits(program: Program, found: ScheduledRegion) -> Iterator[TextEdit]:
    """Yield the edit that writes a region in bundles; comments go with their operations."""
    text = program.text
    spans = [span_of(program, each) for each in found.operations]
    start = text.rfind("\n", 0, spans[0].start) + 1
    begins = start if not text[start : spans[0].start].strip() else spans[0].start
    ends = [*(after.start for _, after in pairwise(spans)), line_end(text, spans[-1].end)]
    remarks = [_comment(text[span.end : end]) for span, end in zip(spans, ends)]
    lines = _loop_lines(program, found, remarks) if found.interval else _lines(found, remarks)
    written = "\n".join(lines)
    yield TextEdit(Span(begins, ends[-1]), written if begins == start else written.lstrip())


def _lines(
    found: ScheduledRegion, remarks: Sequence[str], times: range | None = None, interval: int = 0
) -> list[str]:
    """Return the bundles of some times of an iteration; with an interval, of all turns before."""
    lines = []
    for place in times or range(found.length):
        bundle = [
            number
            for number, time in enumerate(found.times)
            if time == place or (interval and time < place and (place - time) % interval == 0)
        ]
        code = "; ".join(found.texts[number] for number in bundle) or "nop"
        said = "; ".join(remarks[number] for number in bundle if remarks[number])
        lines.append(f"{INDENT}{code}{'  // ' + said if said else ''}")
    return lines


def _loop_lines(program: Program, found: ScheduledRegion, remarks: Sequence[str]) -> list[str]:
    """Return the prologue, the hardware loop and the epilogue of a loop."""
    interval, ahead = found.interval, found.interval * (found.stages - 1)
    label = f".Lloop{found.region.addresses[0]}"
    last = f"{label}_last"
    silent = [""] * len(remarks)
    prologue = _lines(found, silent, range(ahead), interval) if ahead else []
    kernel = _lines(found, remarks, range(ahead, ahead + interval), interval)
    epilogue = [_epilogue(found, place) for place in range(ahead + interval, ahead + found.length)]
    values = {"turns": found.region.counter, "added": 1 - found.stages, "start": label, "end": last}
    setup = [f"{INDENT}{each.format(**values)}" for each in program.isa.scheduling.loop_setup]
    padding = [f"{INDENT}nop"] * max(0, _SETUP_BUNDLES - len(prologue))
    kernel.insert(-1, f"{last}:")
    aligned = [f"{INDENT}.p2align 4", f"{label}:"]
    return [*setup, *padding, *prologue, *aligned, *kernel, *epilogue]


def _epilogue(found: ScheduledRegion, place: int) -> str:
    """Return a bundle after a loop, `place` bundles after the first turn began as in `_lines`."""
    ahead = found.interval * (found.stages - 1)
    bundle = [
        number
        for number, time in enumerate(found.times)
        if time <= place and (place - time) % found.interval == 0 and place - time <= ahead
    ]
    code = "; ".join(found.texts[number] for number in bundle) or "nop"
    return f"{INDENT}{code}"


def span_of(program: Program, operation: Operation) -> Span:
    """Return the range of an operation in the text."""
    number = program.bundle_at_address[operation.address]
    syntax = program.bundles[number].syntax
    return program.span(number, syntax.instruction_span(operation.number))


def line_end(text: str, offset: int) -> int:
    """Return the end of the line around an offset."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _comment(gap: str) -> str:
    lines = (line.partition("//")[2].strip() for line in gap.split("\n"))
    return " ".join(line for line in lines if line)
