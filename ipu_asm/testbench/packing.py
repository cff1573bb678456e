"""Packing with proof: a packed program is returned only if it does what the program does.

The proof has two parts. `flow.packing.proof` compares the values that instructions see, decisions
and addresses, without data. Here, the emulator runs both programs on random memory and registers,
several times: all registers and all of xmem must be identical in the end.
"""

from __future__ import annotations

from typing import Container, Final, Mapping, Sequence

import numpy as np

from ipu_asm.assembler.encode import encode
from ipu_asm.config.kernel_keys import NAMED_VALUES, setting_text
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.emulator.state import AnyState, SavedState
from ipu_asm.emulator.stops import ExecutionFault
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.control_run.run import HALTED, RAN_OFF
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.packing.dependences import dependences_of, least_bundles
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, PackingPlan, plan_packing
from ipu_asm.flow.packing.proof import (
    ProofError,
    Trial,
    equal_extents,
    prove_control,
    prove_values,
    trial_of,
    unknown_registers,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import TextEdit

MOST_CYCLES: Final = 5_000
"""Bundles of the program that each run of the proof executes at most."""

_RUNS: Final = 3
_MAX_SEEDS: Final = 12
_DATA_BITS: Final = (8, 3, 1, 0)
_WORD_BYTES: Final = 4


class PackResult(NamedTuple):
    """The result of packing a program: its new text, and the edits that produce it.

    `bundles` and `cycles` are those before and after; the cycles are None if the control run does
    not know them. `blocks` are those that became shorter. `runs` is the number of runs that were
    compared, each with other data. Nothing has changed if there are no edits. With `is_at_bound`,
    no schedule of any block has fewer bundles, as lower bounds prove.
    """

    text: str
    edits: tuple[TextEdit, ...]
    blocks: tuple[PackedBlock, ...]
    bundles: tuple[int, int]
    cycles: tuple[int, int] | None
    runs: int
    is_at_bound: bool


def packed(
    program: Program,
    configurations: Sequence[Mapping[str, int]] | None = None,
    addresses: Container[int] | None = None,
) -> PackResult:
    """Pack the blocks of a program that begin at `addresses`, by default all of them.

    `configurations` are values of registers that the host sets, by default those of the program; it
    is proven for each of them. Raises `PackingError` if the program cannot be packed, or not be
    proven to do the same.
    """
    plan = plan_packing(program, addresses)
    if configurations is None:
        configurations = [each.presets for each in control_facts(program)]
    runs = 0
    if plan.saved_bundles:
        prove_values(plan)
        runs = sum(prove(plan, each) for each in configurations)
    return PackResult(
        plan.packed.text,
        plan.edits,
        tuple(block for block in plan.blocks if block.saved),
        (program.size, plan.packed.size),
        _cycles(plan, configurations[0]),
        runs,
        all(_is_at_bound(program, block) for block in plan.blocks),
    )


def _is_at_bound(program: Program, block: PackedBlock) -> bool:
    graph = dependences_of(program, block.addresses)
    return len(block.bundles) <= least_bundles(program.isa, graph)


def prove(plan: PackingPlan, presets: Mapping[str, int]) -> int:
    """Raise `ProofError` unless runs agree; return the number of runs that were compared.

    Registers of the host that `presets` do not have get random values.
    """
    runs = 0
    for seed in range(_MAX_SEEDS):
        trial = trial_of(plan, presets, seed)
        if trial is None:
            raise ProofError(_no_values(plan, presets))
        prove_control(trial.run, trial.packed_run)
        runs += _prove_run(plan, trial, seed)
        if runs == _RUNS:
            return runs
    if not runs:
        raise ProofError("every run on random data ends with a fault")
    return runs


def _no_values(plan: PackingPlan, presets: Mapping[str, int]) -> str:
    bases, others = unknown_registers(plan.program, presets)
    names = ", ".join(f"`{name}`" for name in [*others, *bases])
    if names:
        return f"no values of {names} were found with which the program halts: give them"
    return "its control run ends with a fault, or is too long"


def _prove_run(plan: PackingPlan, trial: Trial, seed: int) -> bool:
    """Compare both programs on random data; return whether they ran without a fault."""
    before, after = equal_extents(plan, trial.run, MOST_CYCLES)
    start = random_state(machine_for(plan.program.isa.name), trial.presets, seed)
    old = end_of_run(plan.program, trial.presets, start, before)
    if old is None:
        return False
    new = end_of_run(plan.packed, trial.presets, start, after)
    if new is None:
        raise ProofError("the packed program faults where the program does not")
    different = [name for name in old.differences(new) if name != "pc"]
    if different:
        raise ProofError(f"`{different[0]}` differs after a run on random data")
    return True


def random_state(model: MachineModel, presets: Mapping[str, int], seed: int) -> SavedState:
    """Return a state with random data, with smaller numbers for later seeds, so that sums fit."""
    random = np.random.default_rng(seed)
    bits = _DATA_BITS[seed // 3 % len(_DATA_BITS)]
    layout = model.layout
    state: AnyState = model.make_state(_settings(model, presets))
    state.xmem.write_address(0, _small_bytes(random, model.memory_size, bits))
    registers = state.regfile
    registers.block[:] = random.bytes(len(registers.block))
    for name, kind in model.types_in(state).vectors.items():
        if kind.size == _WORD_BYTES:
            words = np.frombuffer(registers.block[layout.vector_places[name]], "<u4")
            registers.block[layout.vector_places[name]] = (words & ((1 << 4 * bits) - 1)).tobytes()
    for place, name in enumerate(layout.scalar_names):
        if not name.startswith("lr") and place not in layout.constants:
            registers.scalars[place] = int(random.integers(1 << 4 * bits))
    if model.type_register is not None:
        registers.scalars[_place(model, model.type_register)] = seed % len(model.constants)
    for name, value in presets.items():
        if name not in NAMED_VALUES:
            registers.scalars[_place(model, name)] = value % (1 << 32)
    return state.save()


def _settings(model: MachineModel, presets: Mapping[str, int]) -> dict[str, object]:
    """Return the host options of a machine among values of the host."""
    return {
        option.name: bool(presets[option.name])
        if option.kind == "flag"
        else setting_text(option.name, presets[option.name])
        for option in model.host_options
        if option.name in presets
    }


def _small_bytes(random: np.random.Generator, size: int, bits: int) -> bytes:
    return (np.frombuffer(random.bytes(size), np.uint8) & ((1 << bits) - 1)).tobytes()


def _place(model: MachineModel, name: str) -> int:
    place = model.layout.places[name.lower()]
    assert isinstance(place, int)
    return place


def end_of_run(
    program: Program, presets: Mapping[str, int], start: SavedState, cycles: int
) -> SavedState | None:
    """Return the state after so many bundles; None if there was a fault."""
    model = machine_for(program.isa.name)
    state: AnyState = model.make_state(_settings(model, presets))
    state.restore(start)
    state.load_program(encode(program))
    try:
        model.Machine(state).run(cycles)
    except ExecutionFault:
        return None
    return state.save()


def _cycles(plan: PackingPlan, presets: Mapping[str, int]) -> tuple[int, int] | None:
    """Return the cycles of the program before and after, as the control run counts them."""
    run = control_run(plan.program, presets)
    if run.end.reason not in (HALTED, RAN_OFF):
        return None
    summary = summarise(run)
    saved = 0
    for block in plan.blocks:
        executions = summary.executions[block.addresses.start]
        if executions is None:
            return None
        saved += executions * block.saved
    return None if summary.cycles is None else (summary.cycles, summary.cycles - saved)


MAX_WHOLE_CYCLES: Final = 5_000_000
"""Cycles of the longest program that is run to its end: a second of each run on the core."""


class TooLongError(PackingError):
    """A run is too long to be compared with that of a rewritten program."""


def whole_cycles(facts: Sequence[ControlFacts], most: int = MAX_WHOLE_CYCLES) -> int:
    """Return the cycles of a program in all configurations together.

    Raises `PackingError` if the control run does not know them, `TooLongError` if there are more
    than `most`.
    """
    total = 0
    for each in facts:
        if not each.is_complete or each.summary.cycles is None:
            raise PackingError(f"its control run is not known to the end: {each.run.end.reason}")
        total += each.summary.cycles
    if total > most:
        message = f"its run of {total:,} cycles is too long to compare, which goes up to {most:,}"
        raise TooLongError(message)
    return total


def packed_cycles(program: Program) -> int:
    """Return the cycles that a program has when it is packed. Raises `PackingError`."""
    return whole_cycles(control_facts(plan_packing(program).packed))


def compare_runs(
    one: Program, other: Program, old: ControlFacts, new: ControlFacts, ignored: frozenset[str]
) -> None:
    """Raise `ProofError` unless runs on random data end with the same registers and memory.

    The second program is called the new one in messages. `ignored` registers may differ.
    """
    runs = 0
    presets = {**one.isa.resets, **old.presets}
    for seed in range(_MAX_SEEDS):
        start = random_state(machine_for(one.isa.name), presets, seed)
        first = end_of_run(one, presets, start, old.summary.cycles or 0)
        if first is None:
            continue
        second = end_of_run(other, presets, start, new.summary.cycles or 0)
        if second is None:
            raise ProofError("the new program faults where the program does not")
        different = [name for name in first.differences(second) if name not in ("pc", *ignored)]
        if different:
            raise ProofError(f"`{different[0]}` differs after a run on random data")
        runs += 1
        if runs == _RUNS:
            return
    if not runs:
        raise ProofError("every run on random data ends with a fault")
