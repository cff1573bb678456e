"""The core does what numpy does, in all modes, and leaves to it what it cannot do."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator.machine import Engine
from ipu_asm.isa import load_isa
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu2.machine.ipu2 import METHODS, SLOTS, Ipu2
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from tests.emulator.core.engines import CORE_NAME, first_difference, log_of
from tests.ipu2_runs import differences
from tests.targets.ipu2.machine.machines import contents_of, machine_with, state_of
from tests.targets.ipu2.machine.random_states import random_state, random_word
from tests.vectors import records

CORE = Path(__file__).resolve().parents[4] / "ipu_asm" / "targets" / "ipu2" / "machine" / "core"
STRUCTURES = {
    "break": "Break", "lr": "Lr", "load": "Transfer", "mult": "Mult", "acc": "Acc", "aaq": "Aaq",
    "store": "Transfer", "acc_store": "Transfer", "cond": "Cond",
}  # fmt: skip


def machine_on(engine: Engine, state: Ipu2State) -> Ipu2:
    """A machine that uses an engine from its first bundle on."""
    machine = Ipu2(state)
    machine.engine_choice = engine
    return machine


def check_same(rng: Random) -> int:
    """A random program gives the same on both engines; returns how many bundles the core ran."""
    start = random_state(rng)
    saved, mode = start.save(), start.settings
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    seed, logs, machines = rng.random(), [], []
    for engine in (Engine.NUMPY, Engine.CORE):
        state = Ipu2State(mode.dtype.name, mode.wide, mode.quantize, mode.elu_alpha)
        state.restore(saved)
        state.load_program(program)
        machines.append(machine_on(engine, state))
        logs.append(log_of(machines[-1], len(program), Random(seed)))  # type: ignore[arg-type]
    assert logs[0] == logs[1], first_difference(*logs)
    return machines[1].bundles_on_core


@given(st.randoms(use_true_random=True))
def test_random_programs_end_alike_on_both_engines(rng: Random) -> None:
    check_same(rng)


def test_the_core_runs_most_bundles_of_the_recorded_runs() -> None:
    on_core = cycles = 0
    for record in records("ipu2_exec"):
        machine = machine_on(Engine.CORE, state_of(record))
        machine.run(100_000)
        assert differences(contents_of(machine), record, record["final"]) == [], record["id"]
        on_core, cycles = on_core + machine.bundles_on_core, cycles + machine.cycles
    assert on_core > 0.98 * cycles or CORE_NAME != "core"


def test_functions_of_a_mathematical_library_are_left_to_numpy() -> None:
    bundle = "ACTIVATE.QUANTIZE {} cr15; INC lr0 1;;"
    for function, expected in (("relu", 20), ("rsqrt", 20), ("tanh", 0)):
        machine = machine_with(bundle.format(function) * 20 + "BKPT;;")
        machine.engine_choice = Engine.CORE
        machine.run(20)
        assert machine.cycles == 20
        assert machine.bundles_on_core == (expected if CORE_NAME == "core" else 0)


@pytest.mark.parametrize("slot", SLOTS)
def test_the_fields_of_a_slot_are_those_of_its_structure(slot: str) -> None:
    text = (CORE / "machine.h").read_text(encoding="utf-8")
    found = re.search(rf"typedef struct {{([^}}]*)}} {STRUCTURES[slot]}Instruction;", text)
    assert found
    names = re.findall(r"(\w+)(?:\[\d\])?[,;]", found[1])
    assert tuple(name for name in names if name != "unused") == ("op", *SLOTS[slot].fields)


def test_every_instruction_has_a_row_that_agrees_with_its_entry() -> None:
    isa = load_isa("ipu2")
    specs = [spec for slot in SLOTS for spec in isa.instructions_of(slot)]
    for spec in specs:
        if not spec.nop and spec.mnemonic in INSTRUCTION_SPEC[spec.slot]:
            operands = {operand.name: operand.read for operand in spec.operands}
            sources = METHODS[spec.execute_fn].sources.values()
            assert {each.operand: each.read for each in sources} == operands, spec.mnemonic


def test_opcodes_are_those_of_the_enumerators() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in CORE.glob("*.h"))
    numbers: dict[str, int] = {}
    for body in re.findall(r"enum {\s*(NO_\w+,[^}]*)}", text):
        names = [name.strip() for name in body.split(",") if name.strip()]
        numbers |= {name: number for number, name in enumerate(names)}
    for method, row in METHODS.items():
        name = method.removeprefix("execute_").upper()
        name = "STORE" if name.startswith("STR_") else name
        assert numbers[f"OP_{name}"] == row.opcode, method
