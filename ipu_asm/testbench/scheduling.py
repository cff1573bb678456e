"""Scheduling with proof: bundles are returned only if they do what the operations do in order.

Each read sees the same write when results land, the certificate of the new text breaks no latency,
and runs of whole functions on random registers and memory end in the same way as runs in which
each operation waits for the one before.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ipu_asm.diagnostics import Severity
from ipu_asm.emulator.code_runs import ProgramRun, code_model, run_program
from ipu_asm.flow.certificate import certificate_of
from ipu_asm.flow.functions import local_labels
from ipu_asm.flow.packing.exposed import ScheduledProgram, prove_landing, scheduled, sequential_text
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program

_RUNS: Final = 3
_ROOM: Final = 0x1000
_SIZE: Final = 8 * _ROOM
"""Bytes of memory in front of a program's own data, room for each of eight pointers."""
_BITS: Final = (6, 2, 8)
_STEPS: Final = (0, 32, 64)
_OF_LOOPS: Final = ("lc", "ls", "le")


class ScheduleResult(NamedTuple):
    """A scheduled program; `runs` were compared, or `reason` says why none was."""

    found: ScheduledProgram
    runs: int
    reason: str


def scheduled_with_proof(program: Program) -> ScheduleResult:
    """Schedule the regions of a program. Raises `PackingError` if that fails, or is not proven."""
    found = scheduled(program)
    for region in found.regions:
        prove_landing(region.turns(region.stages + 3) if region.interval else region)
    if any(finding.severity is Severity.ERROR for finding in found.scheduled.findings):
        raise PackingError("the scheduled program has an error")
    in_order = read_program(program.isa, sequential_text(found, 1))
    breaches = [len(certificate_of(each).breaches) for each in (in_order, found.scheduled)]
    if breaches[1] > breaches[0]:
        message = "a result that nothing reads, or one from beside the region, would be read early"
        raise PackingError(message)
    entries = [_entry_of(program, region.region.addresses[0]) for region in found.regions]
    runs, reason = 0, ""
    for entry in dict.fromkeys(entries):
        for seed in range(_RUNS):
            reason = _compare(found, entry, seed)
            if reason:
                return ScheduleResult(found, runs, reason)
            runs += 1
    return ScheduleResult(found, runs, reason)


def _entry_of(program: Program, address: int) -> str:
    """Return the label in front of an address that other files may refer to."""
    local = local_labels(program)
    labels = [(a, label) for label, a in program.label_addresses.items() if label not in local]
    return max((each for each in labels if each[0] <= address), default=(0, ""))[1]


def _compare(found: ScheduledProgram, entry: str, seed: int) -> str:
    """Compare two runs. Returns why they cannot be, and raises `PackingError` if they differ."""
    turns = max(region.region.least for region in found.regions) + seed
    counters = {region.region.counter: turns for region in found.regions if region.interval}
    old = _run(found.program, sequential_text(found, turns), entry, seed, counters)
    new = _run(found.program, found.scheduled.text, entry, seed, counters)
    for run in (old, new):
        if run.reason:
            return run.reason
    base = code_model(found.program.isa.name).data_address - _SIZE
    if old.memory(base, _SIZE) != new.memory(base, _SIZE):
        raise PackingError("memory differs after a run on random data")
    for file in found.program.isa.register_files:
        for name in file.registers:
            if name not in _OF_LOOPS and _value(old, name) != _value(new, name):
                raise PackingError(f"`{name}` differs after a run on random data")
    return ""


def _value(run: ProgramRun, name: str) -> int | None:
    try:
        return run.register(name)
    except LookupError:
        return None


def _run(
    program: Program, text: str, entry: str, seed: int, counters: dict[str, int]
) -> ProgramRun:
    random, isa = Random(seed), program.isa
    base = code_model(isa.name).data_address - _SIZE
    registers: dict[str, int] = {}
    for file in isa.register_files:
        for number, name in enumerate(file.registers):
            if name.startswith("p") and name[1:].isdigit():
                registers[name] = base + _ROOM * (number % 8) + _ROOM // 2
            elif name.startswith("m") and name[1:].isdigit():
                registers[name] = random.choice(_STEPS)
            elif name.startswith("r") and name[1:].isdigit():
                registers[name] = random.getrandbits(_BITS[seed % len(_BITS)])
    registers |= counters
    memory = {base: random.randbytes(_SIZE)}
    return run_program(text, isa.name, registers=registers, memory=memory, entry=entry)
