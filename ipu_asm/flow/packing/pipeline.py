"""Software pipelining of loops of one basic block: iterations overlap, around a shorter kernel.

The prologue begins the first iterations, the kernel is the loop, in which each pass works on as
many iterations as there are stages, and the epilogue ends the last ones. Every entry of the loop
needs as many trips as there are stages, which the control run knows.
"""

from __future__ import annotations

from itertools import chain
from typing import Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.assertions.comments import assertion_comments
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.packing.dependences import dependences_of
from ipu_asm.flow.packing.layout import block_edit, bundles_text
from ipu_asm.flow.packing.operations import (
    Disjoint,
    Operation,
    by_bundle,
    disjoint_accesses,
    operations_of,
    written_operations,
)
from ipu_asm.flow.packing.pack import check_packable, in_order, slot_order
from ipu_asm.flow.packing.proof import Name, ProofError, faulting_as, same_words, values_of
from ipu_asm.flow.packing.schedule import ModuloSchedule, modulo_schedule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.distances import is_distance
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

Bundles = tuple[tuple[Operation, ...], ...]


class PipelinedLoop(NamedTuple):
    """A loop of a program, and the program in which it is pipelined.

    `addresses` are those in the source; `prologue`, `kernel` and `epilogue` are in the pipelined
    program from the same first address on, one after the other.
    """

    program: Program
    pipelined: Program
    addresses: range
    schedule: ModuloSchedule
    prologue: Bundles
    kernel: Bundles
    epilogue: Bundles

    @property
    def bundles(self) -> Bundles:
        """All bundles that take the loop's place."""
        return self.prologue + self.kernel + self.epilogue

    @property
    def end(self) -> int:
        """The address after them in the pipelined program."""
        return self.addresses.start + len(self.bundles)


def pipelined_loops(program: Program, facts: Sequence[ControlFacts]) -> list[PipelinedLoop]:
    """Return each loop that can be pipelined, by itself, with a shorter kernel.

    `facts` are those of all configurations of the host. Raises `PackingError` if the program cannot
    be packed.
    """
    check_packable(program)
    loops = loops_to_pipeline(program, facts)
    found = ((block, loop_schedule(program, block, facts)) for block in loops)
    return [_pipelined(program, block, schedule) for block, schedule in found if schedule]


def loops_to_pipeline(program: Program, facts: Sequence[ControlFacts]) -> list[range]:
    """Return the loops of one basic block whose trips and accesses are known.

    A loop with assertions, which are about its own trips, cycles and values, is left alone.
    """
    if not facts or any(is_distance(program, reference) for reference in program.references):
        return []
    if any(each.run.end.reason != HALTED for each in facts):
        return []
    asserted = {each.bundle for each in assertion_comments(program)}
    return [
        block
        for block in basic_blocks(program)
        if _is_loop(program, block)
        and asserted.isdisjoint(program.bundle_at_address[address] for address in block)
    ]


def loop_schedule(
    program: Program, block: range, facts: Sequence[ControlFacts]
) -> ModuloSchedule | None:
    """Return a schedule of a loop with a shorter interval, which all its entries have trips for."""
    tests = [disjoint_accesses(each, in_memory=True) for each in facts]

    def are_disjoint(first: Operation, second: Operation) -> bool:
        return all(test is not None and test(first, second) for test in tests)

    graph = dependences_of(program, block, True, are_disjoint)
    schedule = modulo_schedule(program.isa, graph, len(block))
    if schedule is None or schedule.stages < 2:
        return None
    trips = least_trips(block, facts)
    return None if trips is None or trips < schedule.stages else schedule


def least_trips(block: range, facts: Sequence[ControlFacts]) -> int | None:
    """Return the fewest trips of an entry of a loop in any configuration; None if not known."""
    found = [each.summary.loops.get(block.start) for each in facts]
    trips = [each.least for each in found if each is not None and each.least is not None]
    return min(trips) if trips and len(trips) == len(facts) else None


def prove_pipeline(loop: PipelinedLoop, facts: Sequence[ControlFacts]) -> None:
    """Raise `ProofError` unless the pipelined loop computes the values of the loop.

    Both are executed with the names of instructions as values, for the fewest trips and for a few
    more, after which nothing new happens.
    """
    for finding in loop.pipelined.findings:
        if finding.severity is Severity.ERROR:
            raise ProofError(f"the pipelined program has an error: {finding.message}")
    addresses = range(loop.addresses.start, loop.end)
    written = by_bundle(written_operations(loop.pipelined, addresses), addresses)
    if [len(bundle) for bundle in written] != [len(bundle) for bundle in loop.bundles]:
        raise ProofError("a pipelined bundle has other instructions")
    for new, old in zip(chain(*written), chain(*loop.bundles)):
        if not same_words(loop.pipelined, new, loop.program, old):
            raise ProofError("a pipelined bundle has other instructions")
    source = by_bundle(operations_of(loop.program, loop.addresses), loop.addresses)
    tests = [disjoint_accesses(each, in_memory=True) for each in facts]
    stages = loop.schedule.stages
    for trips in range(stages, stages + 3):
        plain = [_named(b, trip, stages) for trip in range(trips) for b in source]
        overlapped = _executed(loop, written, trips)
        old_values, new_values = values_of(plain), values_of(overlapped)
        if (old_values.seen, old_values.last) != (new_values.seen, new_values.last):
            raise ProofError("an instruction of a pipelined loop would see another value")
        if old_values.before != new_values.before:
            raise ProofError("memory of a pipelined loop would differ after a fault")
        _prove_memory(plain, overlapped, tests)


def _named(bundle: Sequence[Operation], trip: int, stages: int) -> list[tuple[Name, Operation]]:
    """Name the operations of an iteration; its branch leads on, and does nothing else.

    The branches of the iterations that the prologue begins are always taken, and left out.
    """
    return [
        ((each.address, each.number, trip), each._replace(flow=None))
        for each in bundle
        if not each.is_branch or trip >= stages - 1
    ]


def _executed(
    loop: PipelinedLoop, written: Sequence[Sequence[Operation]], trips: int
) -> list[list[tuple[Name, Operation]]]:
    """Return what the pipelined program executes, named by iteration.

    The iteration of an instruction follows from how often the same one was executed before.
    """
    first, last = len(loop.prologue), len(loop.prologue) + len(loop.kernel)
    passes = trips - loop.schedule.stages + 1
    order = [*range(first), *list(range(first, last)) * passes, *range(last, len(loop.bundles))]
    counts: dict[tuple[int, int], int] = {}
    executed = []
    for number in order:
        named: list[tuple[Name, Operation]] = []
        for planned, operation in zip(loop.bundles[number], written[number]):
            place = planned.address, planned.number
            trip = counts.get(place, trips - passes if planned.is_branch else 0)
            counts[place] = trip + 1
            made = faulting_as(operation, planned)._replace(flow=None)
            named.append(((*place, trip), made))
        executed.append(named)
    return executed


def _prove_memory(
    old: Sequence[Sequence[tuple[Name, Operation]]],
    new: Sequence[Sequence[tuple[Name, Operation]]],
    tests: Sequence[Disjoint | None],
) -> None:
    """Raise `ProofError` unless accesses that may meet keep their order."""
    places = {
        name: (place, operation.turn)
        for place, bundle in enumerate(new)
        for name, operation in bundle
    }
    done: list[tuple[Name, Operation]] = []
    for bundle in old:
        for name, operation in sorted(bundle, key=lambda named: named[1].turn):
            for earlier, other in done:
                stores = operation.stores or other.stores
                first = other._replace(address=earlier[0], number=earlier[1])
                if not stores or all(test is not None and test(first, operation) for test in tests):
                    continue
                if operation.memories.keys() & other.memories and places[earlier] >= places[name]:
                    raise ProofError("accesses of memory of a pipelined loop may be reordered")
            done += [(name, operation)] if operation.memories else []


def _is_loop(program: Program, block: range) -> bool:
    """Whether a block is a loop that is entered at its start and left after its end alone."""
    label = program.bundles[program.bundle_at_address[block.start]].label
    into = [each for each in program.references if each.target == block.start]
    last = program.bundle_at_address[block[-1]]
    return (
        label is not None
        and [each.bundle for each in into] == [last]
        and program.bundles[last].flow == "branch"
    )


def _pipelined(program: Program, block: range, schedule: ModuloSchedule) -> PipelinedLoop:
    operations = operations_of(program, block)
    interval, stages = schedule.interval, schedule.stages
    order = slot_order(program)

    def bundles(first: int, end: int) -> list[tuple[Operation, ...]]:
        numbers = [schedule.in_bundle(bundle, range(first, end)) for bundle in range(interval)]
        return [in_order([operations[number] for number in each], order) for each in numbers]

    kernel = tuple(bundles(0, stages))
    prologue = [
        tuple(operation for operation in bundle if not operation.is_branch)
        for stage in range(1, stages)
        for bundle in bundles(0, stage)
    ]
    epilogue = [bundle for stage in range(1, stages) for bundle in bundles(stage, stages)]
    filled = (tuple(filter(None, prologue)), kernel, tuple(filter(None, epilogue)))
    edits = _edits(program, block, schedule, *filled)
    text = apply_edits(program.text, edits)
    pipelined = read_program(program.isa, text)
    pipelined.presets, pipelined.configurations = program.presets, program.configurations
    return PipelinedLoop(program, pipelined, block, schedule, *filled)


def _edits(
    program: Program,
    block: range,
    schedule: ModuloSchedule,
    prologue: Bundles,
    kernel: Bundles,
    epilogue: Bundles,
) -> list[TextEdit]:
    number = program.bundle_at_address[block.start]
    label = program.bundles[number].label or ""
    start = program.label_span(label).start
    line = program.text.rfind("\n", 0, start) + 1
    if not program.text[line:start].strip():
        start = line
    count = schedule.stages - 1
    begin, end = ("begins", "ends") if count == 1 else ("begin", "end")
    some = "iteration" if count == 1 else f"{count} iterations"
    ahead = bundles_text(program, block, prologue, f"prologue of {label}: the first {some} {begin}")
    behind = bundles_text(program, block, epilogue, f"epilogue of {label}: the last {some} {end}")
    span, text = block_edit(program, block, kernel, {})
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    return [
        TextEdit(Span(start, start), ahead),
        TextEdit(span, f"{text}{line_break}{line_break}{behind.rstrip()}"),
    ]
