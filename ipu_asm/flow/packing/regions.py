"""List and modulo scheduling of regions whose operations are written in order, one a line.

The text of a region is read with sequential meaning: each operation sees the results of all that
are above it. A dependence says when results land: a result under way occupies no register, so that
a distance may be negative. Without an exposed pipeline, the next bundle sees each result.
Operations that exist in several slots may take any of them.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product, takewhile
from typing import Iterator, Sequence

from ipu_asm.bundle.operand_matching import ON_MNEMONIC, Instruction
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.accesses import (
    LATEST,
    AccessTiming,
    RegisterAccess,
    instruction_accesses,
    needed_distance,
)
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
from ipu_asm.flow.packing.region_text import Region, ScheduledRegion, region_edit, span_of
from ipu_asm.flow.packing.webs import instruction_at
from ipu_asm.isa.model import ALONE, InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.code_positions import REPEATING
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

_BEGIN = re.compile(
    r"^[ \t]*//[ \t]*schedule"
    r"(?:[ \t]+loop[ \t]+(?P<counter>[\w$:]+)(?:[ \t]+least[ \t]+(?P<least>\d+))?)?"
    r"(?:[ \t]+disjoint(?P<bases>[\w$:, \t]*))?[ \t]*$",
    re.M,
)
_MAX_LOOP_STAGES = 12
_END = re.compile(r"^[ \t]*//[ \t]*end[ \t]*$", re.M)
_MAX_TRIES = 4_000
_MAX_BUNDLES = 4_000
"""The longest schedule of a region."""
_MAX_OPERATIONS = 400


class ScheduledProgram(NamedTuple):
    """A program and the one in which its regions are bundles."""

    program: Program
    scheduled: Program
    regions: tuple[ScheduledRegion, ...]


def scheduled(
    program: Program, is_over: IsOver = lambda: False, *, is_strict: bool = False
) -> ScheduledProgram:
    """Return a program whose regions are scheduled.

    With `is_strict`, no register is read or written while a result for it is on its way.

    A region is between the comments `schedule` and `end`; without any, functions of one path that
    have one operation a bundle are regions. Raises `PackingError` if there are none, or with the
    reason why one cannot be scheduled, such as that the search `is_over` before.
    """
    if program.isa.scheduling is None:
        raise PackingError(f"{program.isa.title} has no exposed pipeline: use --pack")
    regions = [*_marked(program)] or [*_functions(program)]
    if not regions:
        raise PackingError("no function with one operation a line, and no `// schedule` above one")
    found = tuple(_scheduled(program, region, is_over, is_strict) for region in regions)
    edits = [region_edit(program, each) for each in found]
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
        bases = re.findall(r"[\w$:]+", begin["bases"] or "")
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


class _Source(NamedTuple):
    """A region as it is written: `addresses` are the registers that those in memory begin with.

    `forms` has the units and the text of an operation in each of the slots in which it may be.
    """

    region: Region
    operations: Sequence[Operation]
    instructions: Sequence[Instruction]
    accesses: Sequence[Sequence[RegisterAccess]]
    addresses: Sequence[str]
    forms: Sequence[Sequence[tuple[tuple[str, ...], str]]]
    is_strict: bool

    def choices(self) -> tuple[Sequence[Units], Sequence[Units]]:
        """Return the units of all forms: first so that banks cannot conflict, then without that.

        Accesses by the same register in a bundle may go to the same bank, and one of them wait.
        """
        units = [tuple(units for units, _ in each) for each in self.forms]
        apart = [
            tuple((*form, f"[{base}]") if base else form for form in each)
            for each, base in zip(units, self.addresses)
        ]
        return apart, units


def _scheduled(
    program: Program, region: Region, is_over: IsOver, is_strict: bool
) -> ScheduledRegion:
    operations = written_operations(program, region.addresses)
    _check(program, region, operations)
    instructions = [instruction_at(program, (each.address, each.number)) for each in operations]
    accesses = [_accesses(program.isa, each) for each in instructions]
    bases = [_base(program.isa, *pair) for pair in zip(instructions, accesses)]
    forms = [_forms(program, each) for each in operations]
    scheduling = program.isa.scheduling
    if scheduling is not None:  # results land while an access waits
        is_strict |= any(each.mnemonic in scheduling.delaying for each in instructions)
    source = _Source(region, operations, instructions, accesses, bases, forms, is_strict)
    # A search through strict schedules meets no dead end, and bounds the one through all others.
    find, strict = _loop if region.counter else _straight, source._replace(is_strict=True)
    least = find(program, strict, is_over, _MAX_BUNDLES)
    if not is_strict:
        limit = _MAX_BUNDLES if least is None else least.interval or least.length
        least = find(program, source, is_over, limit) or least
    if least is None:
        raise PackingError(f"{region.name}: no schedule was found")
    return least


def _straight(
    program: Program, source: _Source, is_over: IsOver, most: int
) -> ScheduledRegion | None:
    operations, accesses = source.operations, source.accesses
    branch = next((n for n, each in enumerate(operations) if each.flow is not None), -1)
    delay = 0
    if branch >= 0:
        number = program.bundle_at_address[operations[branch].address]
        delay = delay_slots_of(program.bundles[number])
    graph = _graph(source, 1)
    settled = [0 if n == branch else _settled(each) for n, each in enumerate(accesses)]
    chain = sum(each.latency for each in critical_path(graph)) + 1
    least = max(_least(source.choices()[1]), delay + 1 if branch >= 0 else 1)
    sizes = product(range(max(least, chain), most + 1), source.choices())
    for length, units in takewhile(lambda _: not is_over(), sizes):
        last = [max(length - each, -1) for each in settled]
        search = Search(program.isa, graph, length, last, _MAX_TRIES, units=units)
        times = search.times(branch, length - 1 - delay)
        if times is not None:
            return _chosen(source, times, search, length)
    return None


def _loop(program: Program, source: _Source, is_over: IsOver, most: int) -> ScheduledRegion | None:
    _check_loop(program, source)
    graph = _graph(source, 2)
    stages = range(1, min(_MAX_LOOP_STAGES, source.region.least) + 1)
    intervals = range(_least(source.choices()[1]), most + 1)
    for interval, units, count in takewhile(
        lambda _: not is_over(), product(intervals, source.choices(), stages)
    ):
        last = [interval * count - 1] * len(source.forms)
        search = Search(program.isa, graph, interval, last, _MAX_TRIES, units=units)
        times = search.times(-1, 0)
        if times is not None:
            ends = (t + _settled(each) for t, each in zip(times, source.accesses))
            length = max(interval * count, *ends)
            return _chosen(source, times, search, length, interval)
    return None


def _chosen(
    source: _Source, times: Sequence[int], search: Search, length: int, interval: int = 0
) -> ScheduledRegion:
    texts = [form[choice][1] for form, choice in zip(source.forms, search.chosen)]
    region, operations, accesses = source.region, source.operations, source.accesses
    return ScheduledRegion(region, operations, accesses, times, texts, length, interval)


def _graph(source: _Source, turns: int) -> DependenceGraph:
    """Return the dependences of operations; with two turns, also those carried by the loop."""
    count = len(source.operations)
    found = (*_dependences(source, turns), *_memory_dependences(source, turns))
    edges = [
        each._replace(target=each.target % count, iterations=each.target // count)
        for each in found
        if each.source < count
    ]
    return DependenceGraph(source.operations, tuple(dict.fromkeys(edges)))


def _accesses(isa: Isa, instruction: Instruction) -> tuple[RegisterAccess, ...]:
    """Return the accesses of an instruction, those of hidden state included.

    Without an exposed pipeline, a bundle reads what all before it have written.
    """
    found = tuple(instruction_accesses(isa, instruction))
    spec, scheduling = instruction.spec, isa.scheduling
    if spec is None or scheduling is None:
        return found
    timing = AccessTiming(None, 1, 1)
    keys = (spec.mnemonic, spec.slot, *sorted(spec.traits))
    hidden = [scheduling.hidden.get(each, {}) for each in keys]
    state = {name: access for each in hidden for name, access in each.items()}
    return (
        *(found if isa.has_exposed_pipeline else (e._replace(timing=timing) for e in found)),
        *(
            RegisterAccess(name, frozenset((name,)), access, 0, ON_MNEMONIC, 0, 0, timing)
            for name, access in state.items()
        ),
    )


def _check(program: Program, region: Region, operations: Sequence[Operation]) -> None:
    """Raise `PackingError` if the text of a region has no sequential meaning."""
    if not operations:
        raise PackingError(f"{region.name}: has no operations")
    addresses = [each.address for each in operations]
    if len(set(addresses)) < len(addresses):
        raise PackingError(f"{region.name}: a bundle has several operations: write one a line")
    if len(operations) > _MAX_OPERATIONS:
        raise PackingError(f"{region.name}: has more than {_MAX_OPERATIONS} operations")
    for address in region.addresses:
        bundle = program.bundles[program.bundle_at_address[address]]
        if bundle.syntax.plan.braces is not None:
            raise PackingError(f"{region.name}: has braces: write one operation a line")
        if bundle.has_unknown or any(f.severity is Severity.ERROR for f in bundle.findings):
            raise PackingError(f"{region.name}: correct its errors first")
    for label, address in program.label_addresses.items():
        if region.addresses.start < address < region.addresses.stop:
            raise PackingError(f"{region.name}: has the label `{label}` inside")
    numbers = (program.bundle_at_address[each] for each in (addresses[0], addresses[-1]))
    for bundle in program.bundles[slice(*numbers)]:
        if bundle.directive:
            raise PackingError(f"{region.name}: has the directive `{bundle.directive}` inside")
        if REPEATING in bundle.traits:
            raise PackingError(f"{region.name}: has a loop inside")
    flows = [number for number, each in enumerate(operations) if each.flow is not None]
    if flows and flows != [len(operations) - 1]:
        raise PackingError(f"{region.name}: a branch must be its last operation")


def _check_loop(program: Program, source: _Source) -> None:
    """Raise `PackingError` if an operation cannot be repeated or accesses the loop counter."""
    name, scheduling = source.region.name, program.isa.scheduling
    assert scheduling is not None
    if any(each.flow for each in source.operations):
        raise PackingError(f"{name}: a loop takes operations without branches")
    counter = program.isa.units(source.region.counter)
    for instruction, accesses in zip(source.instructions, source.accesses):
        spec = instruction.spec
        refused = spec.traits & scheduling.not_repeated if spec is not None else ()
        if refused:
            raise PackingError(f"{name}: `{instruction.mnemonic}` cannot be repeated")
        if scheduling.counter_update and any(counter & each.units for each in accesses):
            raise PackingError(f"{name}: `{instruction.mnemonic}` accesses the counter of the loop")


def _dependences(source: _Source, turns: int) -> Iterator[Dependence]:
    """Yield when results must land, for operations in order.

    A result that nothing in the region reads is not on its way while another value is read: that
    would look like a mistake.
    """
    accesses = [*source.accesses] * turns
    unread = _unread(accesses)
    for target, own in enumerate(accesses):
        for number, second in product(range(target), own):
            for first in accesses[number]:
                if first.units.isdisjoint(second.units):
                    continue
                for each in _of_accesses(number, target, first, second):
                    is_anti = each.kind is DependenceKind.ANTI
                    waits = source.is_strict or (is_anti and (target, second.register) in unread)
                    yield each._replace(latency=max(each.latency, 0)) if waits else each


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


def _memory_dependences(source: _Source, turns: int) -> Iterator[Dependence]:
    """Yield the order of loads and stores that may meet: all meet memory in the same cycle."""
    specs = [each.spec for each in source.instructions] * turns
    kinds = [spec.traits & {"load", "store"} if spec else set() for spec in specs]
    bases = [*source.addresses] * turns
    for target, kind in enumerate(kinds):
        for first in range(target):
            if not kind or not kinds[first] or "store" not in {*kind, *kinds[first]}:
                continue
            pair = {bases[first], bases[target]}
            if not (len(pair) == 2 and pair <= source.region.disjoint):
                yield Dependence(first, target, DependenceKind.MEMORY, "memory", 1)


def _base(isa: Isa, instruction: Instruction, accesses: Sequence[RegisterAccess]) -> str:
    """Return the register that an address begins with, empty if there is none."""
    assert isa.scheduling is not None
    for access in accesses:
        operand = instruction.operands[access.operand] if access.operand >= 0 else None
        is_address = operand is not None and operand.name.startswith(isa.scheduling.addresses)
        if is_address and access.register not in isa.zeros:
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
    assert isa.scheduling is not None
    operands = own[len(instruction.words[0]) :]
    found = [(_units(isa, spec), own)]
    names = next((each for each in isa.scheduling.twins if spec.mnemonic in each), ())
    wanted = _meaning(program, instruction)
    for name in (each for each in names if each != spec.mnemonic):
        text = f"{name}{operands}"
        made = read_program(isa, f"{text}{isa.surface.bundle_end}\n")
        [*twins] = (i for bundle in made.bundles for i in bundle.instructions)
        if made.findings or len(twins) != 1 or _meaning(program, twins[0]) != wanted:
            continue
        if twins[0].spec is not None:
            found.append((_units(isa, twins[0].spec), text))
    return found


def _units(isa: Isa, spec: InstructionSpec) -> tuple[str, ...]:
    """Return the units that an instruction occupies: all of them if it may not be bundled."""
    if ALONE in spec.traits:
        return tuple(unit for slot in isa.slots for unit in slot.units)
    return isa.slot_by_name[spec.slot].units or (spec.slot,)


def _meaning(program: Program, instruction: Instruction) -> object:
    accesses = instruction_accesses(program.isa, instruction)
    return [(each.register, each.access, each.timing) for each in accesses]


def _least(units: Sequence[Units]) -> int:
    """Return the bundles that the busiest unit takes, of operations with one slot."""
    counts = Counter(unit for each in units if len(each) == 1 for unit in each[0])
    return max(counts.values(), default=1)
