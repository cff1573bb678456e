"""Software pipelining of loops of one basic block: iterations overlap, around a shorter kernel.

The prologue begins the first iterations, the kernel is the loop, in which each pass works on as
many iterations as there are stages, and the epilogue ends the last ones. Every entry of the loop
needs as many trips as there are stages, which the control run knows. Registers that the loop steps
are moved by a step in front of it where that makes it shorter, and back after it.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.assertions.comments import assertion_comments
from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.flow.control_run.steps import Sum
from ipu_asm.flow.packing.dependences import dependences_of
from ipu_asm.flow.packing.inductive import (
    Comparison,
    InductiveRegister,
    comparison_of,
    copying_texts,
    inductive_registers,
    is_live_at,
    setting_texts,
    shifted_graphs,
    stepping_texts,
)
from ipu_asm.flow.packing.layout import Place, block_edit, bundles_text
from ipu_asm.flow.packing.modulo import (
    MAX_STAGES,
    IsOver,
    LoopSchedule,
    ModuloSchedule,
    loop_branch,
    modulo_schedule,
)
from ipu_asm.flow.packing.operations import Operation, disjoint_accesses, operations_of
from ipu_asm.flow.packing.pack import in_order, slot_order
from ipu_asm.flow.packing.webs import START, constant_update, webs_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, is_distance
from ipu_asm.text import Span, TextEdit, apply_edits

Bundles = tuple[tuple[Operation, ...], ...]


class PipelinedLoop(NamedTuple):
    """A loop of a program, and the program in which it is pipelined.

    `addresses` are those in the source. `bundles` take the loop's place in the pipelined program,
    from the address `start` on; of them, `kernel` is the loop. Those that move registers by `moves`
    steps in front of the loop and after it are empty. `lost` registers end with other values.
    `scratch` registers are 0 before and after it; nothing else uses them. `begun` registers are
    set to so much more where the program sets them.
    """

    program: Program
    pipelined: Program
    addresses: range
    schedule: ModuloSchedule
    moves: Mapping[str, int]
    start: int
    bundles: Bundles
    kernel: range
    lost: frozenset[str]
    scratch: frozenset[str]
    begun: Mapping[str, int]

    @property
    def end(self) -> int:
        """The address after them in the pipelined program."""
        return self.start + len(self.bundles)

    @property
    def label(self) -> str:
        return label_at(self.program, self.addresses.start)


class Options(NamedTuple):
    """What pipelining may do: how many stages, whether registers end as they did, how long.

    Without `labels`, all loops may change.
    """

    stages: int = MAX_STAGES
    keeps_registers: bool = True
    is_over: IsOver = lambda: False
    labels: frozenset[str] | None = None


def label_at(program: Program, address: int) -> str:
    """Return the label of a bundle, empty if it has none."""
    return program.bundles[program.bundle_at_address[address]].label or ""


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


def _is_loop(program: Program, block: range) -> bool:
    """Whether a block is a loop: it has a label, to which its last bundle branches."""
    last = program.bundle_at_address[block[-1]]
    into = [each.bundle for each in program.references if each.target == block.start]
    return (
        bool(label_at(program, block.start))
        and last in into
        and program.bundles[last].flow == "branch"
    )


def loop_schedule(
    program: Program,
    block: range,
    facts: Sequence[ControlFacts],
    options: Options,
    *,
    moves_bound: bool = True,
) -> LoopSchedule | None:
    """Return a schedule of a loop with a shorter interval, which all its entries have trips for.

    Without `moves_bound`, the branch compares what it did.
    """
    trips = least_trips(block, facts)
    if trips is None:
        return None
    tests = [disjoint_accesses(each, in_memory=True) for each in facts]

    def are_disjoint(first: Operation, second: Operation) -> bool:
        return all(test is not None and test(first, second) for test in tests)

    graph = dependences_of(program, block, True, are_disjoint)
    if loop_branch(graph) is None:
        return None
    registers = inductive_registers(program, graph)
    comparison = comparison_of(program, graph, registers) if moves_bound else None
    graphs = shifted_graphs(graph, registers, comparison)
    stages = min(options.stages, trips)
    return modulo_schedule(program.isa, graphs, len(block), stages, options.is_over)


def least_trips(block: range, facts: Sequence[ControlFacts]) -> int | None:
    """Return the fewest trips of an entry of a loop in any configuration; None if not known."""
    found = [each.summary.loops.get(block.start) for each in facts]
    trips = [each.least for each in found if each is not None and each.least is not None]
    return min(trips) if trips and len(trips) == len(facts) else None


def pipelined_loop(
    program: Program, block: range, facts: Sequence[ControlFacts], options: Options
) -> PipelinedLoop | None:
    """Return a loop with a shorter kernel; None if no schedule is found, or cannot be written."""
    found = loop_schedule(program, block, facts, options)
    moves = None if found is None else _Moves(program, block, found, options.keeps_registers).all()
    if found is not None and moves is None and found.shifted.moves_bound:
        found = loop_schedule(program, block, facts, options, moves_bound=False)
        keeps = options.keeps_registers
        moves = None if found is None else _Moves(program, block, found, keeps).all()
    if found is None or moves is None:
        return None
    schedule = found.schedule
    operations = operations_of(program, block)
    order = slot_order(program)

    def bundles(first: int, end: int) -> list[tuple[Operation, ...]]:
        every = range(schedule.interval)
        numbers = [schedule.in_bundle(bundle, range(first, end)) for bundle in every]
        return [in_order([operations[number] for number in each], order) for each in numbers]

    stages = range(1, schedule.stages)
    prologue = [
        tuple(operation for operation in bundle if not operation.is_branch)
        for stage in stages
        for bundle in bundles(0, stage)
    ]
    epilogue = [bundle for stage in stages for bundle in bundles(stage, schedule.stages)]
    written = _Written(
        [*filter(None, prologue)], bundles(0, schedule.stages), [*filter(None, epilogue)], moves
    )
    if not all(written.kernel):
        return None
    text = apply_edits(program.text, sorted(_edits(program, block, schedule.stages, written)))
    made = read_program(program.isa, text)
    made.presets, made.configurations = program.presets, program.configurations
    ahead = len(moves.before) + len(written.prologue)
    every = (
        *((),) * len(moves.before),
        *written.prologue,
        *written.kernel,
        *written.epilogue,
        *((),) * len(moves.behind),
    )
    start = made.label_addresses[label_at(program, block.start)] - ahead
    kernel = range(ahead, ahead + schedule.interval)
    return PipelinedLoop(
        program, made, block, schedule, moves.steps, start, every, kernel,
        frozenset(moves.lost), frozenset(moves.scratch), moves.begun,
    )  # fmt: skip


class _Moved(NamedTuple):
    """Instructions before and after a loop that move registers, and its branch, if it changes.

    `steps` are those by which registers start later, `lost` those that are not moved back, and
    `scratch` those that hold moved bounds. `edits` set `begun` registers to so much more.
    """

    before: list[str]
    behind: list[str]
    branch: tuple[Place, str] | None
    steps: dict[str, int]
    lost: list[str]
    scratch: list[str]
    begun: dict[str, int]
    edits: list[TextEdit]


class _Written(NamedTuple):
    """What takes the place of a loop."""

    prologue: list[tuple[Operation, ...]]
    kernel: list[tuple[Operation, ...]]
    epilogue: list[tuple[Operation, ...]]
    moves: _Moved


class _Moves:
    """How registers are moved in front of a loop, for its schedule."""

    def __init__(
        self, program: Program, block: range, found: LoopSchedule, keeps_registers: bool
    ) -> None:
        self._program, self._block, self._found = program, block, found
        self._keeps_registers = keeps_registers
        self._graph = dependences_of(program, block, True)
        self._registers = inductive_registers(program, self._graph)
        self._made = _Moved([], [], None, {}, [], [], {}, [])

    def all(self) -> _Moved | None:
        """Return all moves; None if no instructions can make them."""
        shifts = self._found.shifted.shifts
        for each in self._registers:
            shift = shifts.get(each.register, 0)
            if shift and not self._moved(each.register, each.step, shift):
                return None
        comparison = comparison_of(self._program, self._graph, self._registers)
        if comparison is not None and self._found.shifted.moves_bound:
            counter = next(r for r in self._registers if r.register == comparison.register)
            delta = self._delta(comparison, counter)
            if delta and not self._move_bound(comparison, counter, delta):
                return None
        return self._made

    def _moved(self, register: str, step: Sum, count: int) -> bool:
        """Move a register in front of the loop, and back after it; return whether that is done."""
        isa, made = self._program.isa, self._made
        ahead = stepping_texts(isa, register, step, count)
        back = stepping_texts(isa, register, step, -count)
        if ahead is None or back is None:
            return False
        made.steps[register] = count
        end = self._block.stop
        is_seen = is_live_at(self._program, end, register, at_end=True, in_reads=False)
        edits = None if step[1] else self._set_otherwise(register, step[0] * count)
        if edits is not None and not (is_seen and self._keeps_registers):
            made.edits.extend(edits)
            made.begun[register] = step[0] * count
            made.lost.extend([register] if is_seen else [])
            return True
        made.before.extend(ahead)
        if is_live_at(self._program, end, register, at_end=self._keeps_registers):
            made.behind.extend(back)
        elif is_seen:
            made.lost.append(register)
        return True

    def _set_otherwise(self, register: str, more: int) -> list[TextEdit] | None:
        """Return the edits that set a register to more, if only the loop reads it; else None."""
        program, block = self._program, self._block
        if any(register in each.text.lower() for each in assertion_comments(program)):
            return None
        webs = [
            web
            for web in webs_of(program).webs
            if web.register == register and any(read.address in block for read in web.reads)
        ]
        if len(webs) != 1 or not all(read.address in block for read in webs[0].reads):
            return None
        edits = []
        for place in webs[0].writes:
            if place[0] in block:
                continue
            update = None if place == START else constant_update(program, place)
            if update is None or update.is_step or not update.fits(update.value + more):
                return None
            number = program.bundle_at_address[place[0]]
            span = program.bundles[number].syntax.operand_span(place[1], update.operand)
            edits.append(TextEdit(program.span(number, span), str(update.value + more)))
        return edits

    def _delta(self, comparison: Comparison, counter: InductiveRegister) -> int:
        """Return by how many steps the bound is later, for where counter and branch are."""
        interval, times = self._found.schedule.interval, self._found.schedule.times
        distance = times[comparison.branch] - times[counter.update]
        reader = next(r for r in counter.readers if r.operation == comparison.branch)
        own = 1 + (distance - (0 if reader.is_live else 1)) // interval
        return own + self._found.shifted.shifts.get(counter.register, 0) - comparison.seen

    def _move_bound(self, comparison: Comparison, counter: InductiveRegister, delta: int) -> bool:
        operations, bound = self._graph.operations, comparison.bound
        names = scalar_registers(self._program.isa)
        is_alone = not any(
            bound in (*each.early_reads, *each.live_reads)
            for number, each in enumerate(operations)
            if number != comparison.branch
        )
        if is_alone and names.positions[bound] < names.changing:
            return self._moved(bound, counter.step, delta)
        free = _free_registers(self._program)
        isa, step = self._program.isa, counter.step
        if not free:
            return False
        texts = copying_texts(isa, free[0], bound)
        steps = stepping_texts(isa, free[0], step, delta)
        if texts is not None and steps is not None:
            texts += steps
        elif not step[1]:
            texts = setting_texts(isa, free[0], step[0] * delta, bound)
        zero = setting_texts(isa, free[0], 0)
        if texts is None or steps is None or zero is None:
            return False
        self._made.before.extend(texts)
        self._made.steps[bound] = delta
        self._made.scratch.append(free[0])
        if self._keeps_registers:
            self._made.behind.extend(zero)
        else:
            self._made.lost.append(free[0])
        branch = operations[comparison.branch]
        place = branch.address, branch.number
        self._made = self._made._replace(branch=(place, self._branch_text(place, bound, free[0])))
        return True

    def _branch_text(self, place: Place, bound: str, register: str) -> str:
        number = self._program.bundle_at_address[place[0]]
        syntax = self._program.bundles[number].syntax
        own = self._program.span(number, syntax.instruction_span(place[1]))
        words = self._program.bundles[number].instructions[place[1]].words
        operand = [word.lower() for word in words[1:]].index(bound)
        span = self._program.span(number, syntax.operand_span(place[1], operand))
        edit = TextEdit(Span(span.start - own.start, span.end - own.start), register)
        return apply_edits(self._program.text[own.start : own.end], [edit])


def _free_registers(program: Program) -> list[str]:
    """Return the registers that can change, that no instruction uses, and that are 0."""
    names = scalar_registers(program.isa)
    given = {name.lower() for each in control_facts(program) for name in each.presets}
    every = operations_of(program, range(program.size))
    used = {r for each in every for r in (*each.early_reads, *each.live_reads, *each.writes)}
    named = " ".join(each.text for each in assertion_comments(program)).lower()
    every_name = names.names[: names.changing]
    return [name for name in every_name if name not in used | given and name not in named]


def _edits(program: Program, block: range, stages: int, written: _Written) -> Iterator[TextEdit]:
    label, moves = label_at(program, block.start), written.moves
    start = program.label_span(label).start
    line = program.text.rfind("\n", 0, start) + 1
    if not program.text[line:start].strip():
        start = line
    begin, end = ("begins", "ends") if stages == 2 else ("begin", "end")
    some = "iteration" if stages == 2 else f"{stages - 1} iterations"
    starts = ", ".join(f"{name} by {count:+}" for name, count in moves.steps.items())
    ahead: list[tuple[Operation | str, ...]] = [(each,) for each in moves.before]
    behind: list[tuple[Operation | str, ...]] = [*written.epilogue]
    ahead += written.prologue
    behind += [(each,) for each in moves.behind]
    first = f"prologue of {label}: the first {some} {begin}" if stages > 1 else f"before {label}"
    last = f"epilogue of {label}: the last {some} {end}" if stages > 1 else f"after {label}"
    if moves.steps:
        first += f", moved in steps: {starts}"
    if moves.behind:
        last += ", moved back"
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    yield from moves.edits
    if ahead:
        entry, renamed = _entry(program, block)
        yield from renamed
        text = bundles_text(program, block, ahead, first)
        yield TextEdit(Span(start, start), entry + text)
    texts = {} if moves.branch is None else dict([moves.branch])
    span, text = block_edit(program, block, written.kernel, texts)
    if behind:
        text += line_break * 2 + bundles_text(program, block, behind, last).rstrip()
    yield TextEdit(span, text)


def _entry(program: Program, block: range) -> tuple[str, list[TextEdit]]:
    """Return a label for what is in front of a loop, and the edits of branches to it."""
    label = label_at(program, block.start)
    last = program.bundle_at_address[block[-1]]
    outside = [r for r in program.references if r.target == block.start and r.bundle != last]
    if not outside:
        return "", []
    name = f"{label}_begin"
    while name in program.label_addresses:
        name += "_"
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    edits = [TextEdit(program.reference_span(each), name) for each in outside]
    return f"{name}:{line_break}", edits
