"""Random programs on the machine and on a plain model that shares nothing with it."""

import pytest

from ipu_asm.emulator.code_program import read_code_program
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.targets.aie.machine.machine import CoreMachine
from tests.targets.aie.machine.plain_machine import MEMORY, SIZE, PlainMachine, Programs, text_of

PARTS = {
    "xdna1": [f"am{h}{q}{n}" for n in range(4) for h in "lh" for q in "lh"],
    "xdna2": [f"bm{h}{q}{n}" for n in range(4) for h in "lh" for q in "lh"],
}
SHARED = [
    *(f"r{n}" for n in range(16)), *(f"p{n}" for n in range(6)), "dc1", "lc", "ls", "le",
    *(f"w{h}{n}" for n in range(2, 8) for h in "lh"),
]  # fmt: skip


def check(isa: str, seed: int) -> int:
    """Compare both after every bundle; returns how many were executed."""
    programs = Programs(isa, seed)
    bundles = programs.program()
    model = code_model(isa)
    code = read_code_program(text_of(bundles), isa, model.data_address)
    programs.places = sorted(code.bundles)
    machine = model.make_machine(code)
    plain = PlainMachine(isa, bundles, programs.places)
    registers = dict(programs.registers())
    set_up(machine, code, registers, {})
    machine.start(0)
    for name, value in registers.items():
        plain.set_register(name, value)
    state, names = machine.state, [*SHARED, *PARTS[isa]]
    while not state.end:
        assert plain.places[plain.next] == state.pc
        machine.step()
        plain.step()
        assert plain.cycle == state.cycle
        for name in names:
            assert plain.get(name, plain.cycle) == state.register(name), name
        assert plain.memory == state.memory[MEMORY : MEMORY + SIZE]
        assert landings(machine) == plain.landings()
    executed: int = state.executed
    return executed


def landings(machine: CoreMachine) -> set[tuple[str, int]]:
    """The parts with writes in flight, and when they land; the carry left out."""
    state = machine.state
    parts = state.storage.parts
    found = {(parts[write.part].name, write.landing) for write in state.writes_in_flight()}
    for _, late in state.late_operations():
        found |= {(parts[part].name, late.issue + at) for part, at in late.targets}
    return {each for each in found if each[0] != "srcarry"}


@pytest.mark.parametrize("isa", sorted(PARTS))
def test_random_programs_agree_with_the_plain_model_after_every_bundle(isa: str) -> None:
    assert sum(check(isa, seed) for seed in range(12)) > 250
