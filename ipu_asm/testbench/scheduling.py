"""Scheduling with proof: bundles are returned only if they do what the operations do in order.

Each read sees the same write when results land, the certificate of the new text breaks no latency,
and runs of whole functions on random registers and memory end in the same way as runs in which
each operation waits for the one before.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Final, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.emulator.code_runs import ProgramRun, code_model, run_program
from ipu_asm.emulator.model import NoMachineError
from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.flow.accesses import LATEST, RegisterAccess, accesses_of
from ipu_asm.flow.certificate import certificate_of
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.flow.functions import local_labels
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.region_text import (
    INDENT,
    Region,
    RegionText,
    ScheduledRegion,
    line_end,
    region_text,
    span_of,
)
from ipu_asm.flow.packing.regions import ScheduledProgram, scheduled
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

_RUNS: Final = 3
_MORE_TURNS: Final = 8
_ROOM: Final = 0x1000
_SIZE: Final = 8 * _ROOM
"""Bytes of memory in front of a program's own data, room for each of eight pointers."""
_HIGH: Final = 0x3F
"""The upper byte of a float of 16 or 32 bits between 0.5 and 2."""
_BITS: Final = (6, 2, 8)
_STEPS: Final = (0, 32, 64)


class EarlyReadError(PackingError):
    """A read comes early where the operations in order read another value, or a run stalls."""


class ScheduleResult(NamedTuple):
    """A scheduled program; `runs` were compared, or `reason` says why none was."""

    found: ScheduledProgram
    runs: int
    reason: str


def scheduled_with_proof(program: Program) -> ScheduleResult:
    """Schedule the regions of a program. Raises `PackingError` if that fails, or is not proven."""
    try:
        return _compared(_proven(scheduled(program)))
    except EarlyReadError:
        return _compared(_proven(scheduled(program, is_strict=True)))


def _compared(found: ScheduledProgram) -> ScheduleResult:
    program = found.program
    entries = dict.fromkeys(_entry_of(program, each.region.addresses[0]) for each in found.regions)
    runs = 0
    for entry in entries:
        for seed in range(_RUNS):
            reason = ""
            for is_tame in (False, True):
                try:
                    reason = _compare(found, entry, seed, is_tame=is_tame)
                except (EmulatorError, NoMachineError) as error:
                    reason = str(error).splitlines()[0]
                if not reason:
                    break
            else:
                return ScheduleResult(found, runs, reason)
            runs += 1
    return ScheduleResult(found, runs, "")


def _proven(found: ScheduledProgram) -> ScheduledProgram:
    program, isa = found.program, found.program.isa
    for region in found.regions:
        turns = region.stages + _MORE_TURNS if region.interval else 1
        prove_landing(region.turns(turns) if region.interval else region)
        prove_text(isa, region, region_text(program, region), turns)
    if any(finding.severity is Severity.ERROR for finding in found.scheduled.findings):
        raise PackingError("the scheduled program has an error")
    if isa.has_exposed_pipeline:
        in_order = read_program(isa, sequential_text(found, 1))
        breaches = [len(certificate_of(each).breaches) for each in (in_order, found.scheduled)]
        if breaches[1] > breaches[0]:
            message = "a result that nothing reads, or one from beside the region"
            raise EarlyReadError(f"{message}, would be read early")
    return found


def prove_landing(found: ScheduledRegion) -> None:
    """Raise `PackingError` unless each read sees the write that it sees in sequential meaning.

    By when results land, and not by the dependences that the schedule was made from.
    """
    writes: dict[str, list[tuple[int, RegisterAccess]]] = defaultdict(list)
    for number, accesses in enumerate(found.accesses):
        for access in accesses:
            for unit in access.units if access.writes else ():
                writes[unit].append((number, access))
    for number, accesses in enumerate(found.accesses):
        for read in accesses:
            for unit in read.units if read.reads else ():
                before = [w for w, _ in writes[unit] if w < number]
                if _seen(found, number, read, writes[unit]) != max(before, default=None):
                    raise PackingError(f"`{found.texts[number]}` would see another value")
    for unit, every in filter(lambda item: item[1], writes.items()):
        landed = [(found.times[w] + (a.timing.def_cycle or LATEST), w) for w, a in every]
        if max(landed)[1] != max(w for w, _ in every):
            raise PackingError(f"`{unit}` would hold another value")


def prove_text(isa: Isa, found: ScheduledRegion, text: RegionText, turns: int) -> None:
    """Raise `PackingError` unless the text issues the operations of so many turns in time.

    Bundles without operations count where results are exposed.
    """
    parts = [_issued(isa, part) for part in (text.prologue, text.body, text.epilogue)]
    written = [*parts[0], *parts[1] * (turns - found.stages + 1), *parts[2]]
    planned: list[list[str]] = [[] for _ in range(found.length + turns * found.interval)]
    every = found.turns(turns)
    for place, code in zip(every.times, every.texts):
        planned[place].append(code)
    if isa.has_exposed_pipeline:
        enters = [*text.setup, *text.prologue], [*text.setup, *text.prologue, *text.entry]
        if text.prologue and len({len(_issued(isa, lines)) for lines in enters}) > 1:
            raise PackingError(f"{found.region.name}: an alignment waits in front of the loop")
    else:
        written, planned = [*filter(None, written)], [*filter(None, planned)]
    count = max(len(written), len(planned))
    padded = ([*each, *[[]] * (count - len(each))] for each in (written, planned))
    if any(sorted(one) != sorted(other) for one, other in zip(*padded)):
        raise PackingError(f"{found.region.name}: the text does not issue what is scheduled")


def _issued(isa: Isa, lines: Sequence[str]) -> list[list[str]]:
    """Return the operations of each bundle of some lines."""
    program = read_program(isa, "".join(f"{line}\n" for line in lines))
    bundles = []
    for number in program.bundle_at_address:
        bundle = program.bundles[number]
        spans = [
            program.span(number, bundle.syntax.instruction_span(place))
            for place, each in enumerate(bundle.instructions)
            if not each.is_idle
        ]
        bundles.append([program.text[slice(*span)] for span in spans])
    return bundles


def _seen(
    found: ScheduledRegion,
    number: int,
    read: RegisterAccess,
    writes: Sequence[tuple[int, RegisterAccess]],
) -> int | None:
    """Return the operation whose result a read sees; None for the value from before the region."""
    sampled = found.times[number] + (read.timing.use_cycle or 1) - 1
    landed = []
    for other, write in writes:
        shared = bool(write.timing.bypass) and write.timing.bypass == read.timing.bypass
        cycle = found.times[other] + (write.timing.def_cycle or LATEST)
        if other != number and cycle - shared <= sampled:
            landed.append((cycle, other))
    return max(landed)[1] if landed else None


def sequential_text(found: ScheduledProgram, turns: int) -> str:
    """Return a text in which each operation has landed before the next one is issued.

    A loop is written out for so many turns.
    """
    program, edits = found.program, []
    for region in found.regions:
        spans = [span_of(program, each) for each in region.operations]
        waits = f"\n{INDENT}nop" * (LATEST - 1)
        lines = [program.text[slice(*span)] + waits for span in spans]
        last = region.operations[-1]
        if last.flow is not None:
            bundle = program.bundles[program.bundle_at_address[last.address]]
            slots = f"\n{INDENT}nop" * delay_slots_of(bundle)
            lines[-1] = program.text[slice(*spans[-1])] + slots
        count = turns if region.interval else 1
        written = "\n".join(f"{INDENT}{line}" for line in lines * count)
        end = line_end(program.text, spans[-1].end)
        edits.append(TextEdit(Span(spans[0].start, end), written.lstrip()))
    return apply_edits(program.text, edits)


def _entry_of(program: Program, address: int) -> str:
    """Return the label in front of an address that other files may refer to."""
    local = local_labels(program)
    labels = [(a, label) for label, a in program.label_addresses.items() if label not in local]
    return max((each for each in labels if each[0] <= address), default=(0, ""))[1]


def _compare(found: ScheduledProgram, entry: str, seed: int, *, is_tame: bool) -> str:
    """Compare two runs. Returns why they cannot be, and raises `PackingError` if they differ.

    With `is_tame`, numbers of 16 and 32 bits in memory are floats of ordinary size.
    """
    # As many turns as overlap, and some more: the text in order repeats each of them.
    turns = max(min(each.region.least, each.stages + _MORE_TURNS) for each in found.regions) + seed
    counters = {region.region.counter: turns for region in found.regions if region.interval}
    model = code_model(found.program.isa.name)
    data = Random(seed).randbytes(_SIZE)
    if is_tame:
        data = bytes(each if place % 2 == 0 else _HIGH | each & 0x80
                     for place, each in enumerate(data))  # fmt: skip
    for each in found.regions:
        if each.interval and _is_counted(found.program, each.region, entry):
            return f"`{each.region.counter}` is set in front of the loop"
    texts = sequential_text(found, turns), found.scheduled.text
    old, new = (_run(found.program, text, entry, seed, counters, data) for text in texts)
    for run in (old, new):
        if run.reason:
            return run.reason
    base = model.data_address - _SIZE
    if old.memory(base, _SIZE) != new.memory(base, _SIZE):
        raise EarlyReadError("memory differs after a run on random data")
    for file in found.program.isa.register_files:
        for name in file.registers:
            if name not in model.random_registers.loops and _value(old, name) != _value(new, name):
                raise EarlyReadError(f"`{name}` differs after a run on random data")
    return ""


def _is_counted(program: Program, region: Region, entry: str) -> bool:
    """Return whether the function writes the counter of a loop before it."""
    counter = program.isa.units(region.counter)
    before = range(program.label_addresses.get(entry, 0), region.addresses.start)
    bundles = (program.bundles[program.bundle_at_address[address]] for address in before)
    return any(
        access.writes and counter & access.units
        for bundle in bundles
        for access in accesses_of(program.isa, bundle)
    )


def _value(run: ProgramRun, name: str) -> int | None:
    try:
        return run.register(name)
    except LookupError:
        return None


def _run(
    program: Program, text: str, entry: str, seed: int, counters: dict[str, int], data: bytes
) -> ProgramRun:
    random, isa = Random(seed), program.isa
    model = code_model(isa.name)
    base, names = model.data_address - _SIZE, model.random_registers
    middles = range(base + _ROOM // 2, base + _SIZE, _ROOM)
    registers = {
        **dict(zip(names.pointers, middles)),
        **{name: random.choice(_STEPS) for name in names.steps},
        **{name: random.getrandbits(_BITS[seed % len(_BITS)]) for name in names.numbers},
        **counters,
    }
    memory = {base: data}
    return run_program(text, isa.name, registers=registers, memory=memory, entry=entry or None)
