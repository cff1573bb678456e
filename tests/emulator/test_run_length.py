"""How long a run will take is known before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import Ipu, IpuState
from ipu_asm.emulator.run_length import RunLength
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BY_HOST = "l: incr lr1 1;;\nbne lr1 lr2 l;;\nbkpt;;\n"


def length_of(text: str, lr2: int = 0, pc: int = 0) -> int | None:
    state = IpuState()
    state.regfile.set_lr(2, lr2)
    state.program_counter = pc
    return RunLength(read_program(load_isa("ipu"), text), state).cycles


@pytest.mark.parametrize("name", ["fully_connected", "max_pool_2x2"])
def test_the_length_is_that_of_the_run(name: str) -> None:
    program = read_program(load_isa("ipu"), (EXAMPLES / f"{name}.s").read_text("utf-8"))
    state = IpuState()
    state.load_program(encode(program))
    for number, value in enumerate((0, 0x20000, 0x40000, 1024, 512)):
        state.regfile.set_cr(number, value)
    length = RunLength(program, state)
    machine = Ipu(state)
    machine.run(10_000)
    assert state.is_halted
    assert length.cycles == machine.cycles


def test_registers_of_the_host_count() -> None:
    assert length_of(BY_HOST, lr2=5) == 11


def test_a_run_without_an_end_and_one_from_elsewhere_have_no_length() -> None:
    assert length_of("l: acc;;\nb l;;\n") is None
    assert length_of("acc;;\nbkpt;;\n", pc=1) is None
    assert length_of("nonsense;;\n") is None
