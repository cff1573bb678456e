"""A run in which a register holds what an instruction refuses faults there, as on the machine."""

from __future__ import annotations

from random import Random
from typing import Mapping, NamedTuple

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import (
    ENDLESS,
    FAULT,
    HALTED,
    LIMIT,
    RAN_OFF,
    fault_message,
    fault_of,
)
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program

MOST_CYCLES = 600


class Ended(NamedTuple):
    """How a run ended, after so many bundles; the address and the slot of a fault."""

    reason: str
    cycles: int
    address: int = -1
    slot: str = ""


def on_the_machine(program: Program, presets: Mapping[str, int]) -> Ended:
    model = machine_for(program.isa.name)
    wide = ("off", "fp32", "int32")[presets.get("wide", 0)]
    state = model.make_state({"wide": wide} if "wide" in presets else {})
    state.load_program(encode(program))
    for name, value in presets.items():
        place = model.layout.places.get(name)
        if isinstance(place, int):
            state.regfile.scalars[place] = value % (1 << 32)
    machine = model.Machine(state)
    try:
        machine.run(MOST_CYCLES)
    except ExecutionFault as error:
        return Ended(FAULT, error.fault.cycle, error.fault.pc, error.fault.slot)
    return Ended(HALTED if state.is_halted else LIMIT, machine.cycles)


def foretold(program: Program, presets: Mapping[str, int]) -> Ended:
    run = control_run(program, presets, 20_000)
    cycles = summarise(run).cycles
    if run.end.reason in (LIMIT, ENDLESS) or cycles is None or cycles > MOST_CYCLES:
        return Ended(LIMIT, MOST_CYCLES)
    if run.end.reason == RAN_OFF:
        cycles += program.isa.program_limit - run.end.address
        return Ended(HALTED, cycles) if cycles <= MOST_CYCLES else Ended(LIMIT, MOST_CYCLES)
    fault = fault_of(program, run)
    if fault is None:
        return Ended(run.end.reason, cycles)
    bundle = program.bundles[program.bundle_at_address[fault.address]]
    spec = bundle.instructions[fault.instruction].spec
    assert spec is not None
    assert fault_message(program, run, fault)
    return Ended(FAULT, cycles, fault.address, spec.slot)


def ipu_instruction(random: Random) -> str:
    lr = [f"lr{random.randrange(8)}" for _ in range(4)]
    strides = ("off", "on", "on_inv", "on_expand", "on_inv_expand", "reserved5")
    weights = (9, 5, 5, 5, 5, 1)
    return random.choice(
        [
            f"acc.stride {random.choice((8, 16, 32, 64))} {random.choices(strides, weights)[0]} "
            f"{random.choice(strides[:3])} {lr[0]}",
            f"acc.stride 16 off on {lr[0]}",
            f"mult.ee r0 {lr[0]} {lr[1]} {lr[2]}",
            "aaq",
            f"ldr_cyclic_mult_reg {lr[0]} cr1 {lr[1]}",
            f"str_acc_reg {lr[0]} cr2",
            f"incr {lr[0]} {random.choice((1, 2, 4, 128))}",
            f"set {lr[0]} {random.choice((0, 1, 3, 128, -1))}",
            f"add {lr[0]} {lr[1]} cr4",
        ]
    )


def ipu2_instruction(random: Random) -> str:
    lr = [f"lr{random.randrange(8)}" for _ in range(4)]
    pairs = [f"lrd{random.randrange(0, 8, 2)}" for _ in range(2)]
    structure = f"cr{random.choice((5, 5, 6, 7, 15))}"
    strides = ("off", "on", "on_inv", "reserved3")
    horizontal, vertical = random.choices(strides, (9, 9, 9, 1), k=2)
    return random.choice(
        [
            f"ACC.STRIDE {random.choice((16, 32, 64))} {horizontal} {vertical} {lr[0]}",
            f"ACC.RESHAPE {pairs[0]} {pairs[1]} {random.choice((0, 3, 7, lr[0], lr[0]))}",
            f"MULT.RC.VE {lr[0]} {lr[1]} 1 {lr[2]} {structure}",
            f"MULT.EE {lr[0]} cr3 1 {lr[2]} {structure}",
            f"AGG.MAX {lr[0]} {structure}",
            f"LDR_CYCLIC_MULT_REG {lr[0]} cr3 {lr[1]}",
            f"STR_ACC_REG {lr[0]} cr3",
            f"INC {lr[0]} {random.choice((1, 2, 4, 128))}",
            f"ADDBI {pairs[0]} {random.choice((1, 5, -3, 60))}",
            f"INCR_MOD_POW2 {lr[0]} cr4 {random.randint(1, 9)}",
            f"SET {lr[0]} cr{random.randrange(16)}",
        ]
    )


def random_program(isa: str, random: Random) -> str:
    instruction = ipu_instruction if isa == "ipu" else ipu2_instruction
    branch, start, end = ("bne", "set", "bkpt") if isa == "ipu" else ("BNE", "SET", "BKPT")
    zero, step = ("0", "incr lr{} 1") if isa == "ipu" else ("cr0", "INC lr{} 1")
    lines = [f"{instruction(random)};;" for _ in range(random.randint(0, 3))]
    inner, outer = 9, 10
    lines += [f"{start} lr{outer} {zero};;", "outer:", f"{start} lr{inner} {zero};;", "inner:"]
    lines += [f"{instruction(random)};;" for _ in range(random.randint(1, 4))]
    lines += [f"{step.format(inner)};;", f"{branch} lr{inner} lr11 inner;;"]
    lines += [f"{step.format(outer)};;", f"{branch} lr{outer} lr12 outer;;", f"{end};;"]
    return "\n".join(lines)


def random_registers(isa: str, random: Random) -> dict[str, int]:
    found = {f"lr{n}": random.choice((0, 0, 1, 2, 4, 128)) for n in range(8)}
    found |= {"lr11": random.randint(1, 9), "lr12": random.randint(1, 12)}
    found |= {f"cr{n}": random.choice((0, 1, 4, 128, 640)) for n in range(2, 15)}
    if isa == "ipu":
        return found | {"cr0": 0, "cr15": random.choice((0, 0, 1, 2, 3))}
    partition = random.choice((0, 0, 2, 4, 8, 16, 3, 31))
    pad = random.choice((0, 0, 1, 2, 3))
    mode = random.choice((0, 1, 2))
    if mode == 0 and pad != 3:
        pad = 0  # what it means there depends on the type of elements
    structures = {"cr5": 128, "cr6": partition << 8 | 100, "cr7": pad << 13 | 128, "cr15": 128}
    return found | structures | {"wide": mode}


@pytest.mark.parametrize("first", range(0, 400, 200))
@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
def test_random_programs_end_as_on_the_machine(isa: str, first: int) -> None:
    reasons = []
    for seed in range(first, first + 200):
        random = Random(seed)
        text, presets = random_program(isa, random), random_registers(isa, random)
        program = read_program(load_isa(isa), text)
        assert not [each for each in program.findings if each.severity.name == "ERROR"]
        real = on_the_machine(program, presets)
        assert foretold(program, presets) == real, (seed, text, presets)
        reasons.append(real.reason)
    assert min(reasons.count(FAULT), reasons.count(HALTED)) > 20
