"""What a fault says, and that nothing of its bundle has happened."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble, encode
from ipu_asm.emulator import ExecutionFault, Fault, Ipu, IpuState
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

OUTSIDE = "an access must end within the 0x200000 bytes of xmem, found 128 bytes at 0x1fffff"
STRIDE = "the result must end within the 128 elements of r_acc, found 128 elements from element 32"
KNOWN = "an element type is one of 0 (INT8), 1 (FP8_E4M3), 2 (FP8_E5M2), found 9"


def check_fault(
    text: str, cr: dict[int, int] | None = None, words: list[int] | None = None, **expected: Any
) -> Fault:
    """The program faults as expected, with the state from before the bundle."""
    program = read_program(load_isa("ipu"), text)
    state = IpuState()
    state.load_program(words or encode(program), LineTable(program))
    for index, value in (cr or {}).items():
        state.regfile.set_cr(index, value)
    ipu = Ipu(state)
    ipu.run(expected.get("cycle", 0))
    before = state.save()
    with pytest.raises(ExecutionFault) as raised:
        ipu.run(10)
    fault = raised.value.fault
    assert state.save() == before
    assert str(raised.value) == str(fault)
    assert {name: getattr(fault, name) for name in expected} == expected
    return fault


def test_a_fault_names_place_cause_and_registers() -> None:
    text = "# far out\nset lr4 -2;;\n\nacc;\n  incr lr4 1; ldr_mult_reg r1 LR4\n cr2;;"
    fault = check_fault(
        text,
        {2: 0x10_0000},
        pc=1,
        cycle=1,
        slot="xmem",
        instruction="ldr_mult_reg r1 lr4 cr2",
        registers={"lr4": 0xFFFF_FFFF, "cr2": 0x10_0000},
        line=5,
    )
    assert fault.word == assemble(text)[1]
    assert fault.span is not None
    assert text[slice(*fault.span)] == "ldr_mult_reg r1 LR4\n cr2"
    assert str(fault).startswith(
        "bundle 1 (line 5), cycle 1, slot xmem, `ldr_mult_reg r1 lr4 cr2`: an access must end "
    )
    assert str(fault).endswith(" (lr4 = 0xffffffff, cr2 = 0x100000)")


@pytest.mark.parametrize(
    ("text", "cr", "slot", "cause"),
    [
        ("incr lr0 1; ldr_mult_mask_reg lr0 cr0;;", {0: 0x1F_FFFE}, "xmem", OUTSIDE),
        ("incr lr0 1; xmem.store_aaq_result lr0 cr0;;", {0: 0x1F_FFFE}, "xmem", OUTSIDE),
        ("set lr0 64; ldr_cyclic_mult_reg lr1 cr0 lr0;;", {}, "xmem", "the cyclic index must"),
        ("incr lr0 1; str_acc_reg lr0 cr0; mult.ee r0 lr0 lr0 lr0;;", {15: 9}, "mult", KNOWN),
        ("mult.ee r0 lr0 lr0 lr0; acc; aaq;;", {15: 1}, "aaq", "cr15 must be 0 (INT8), found 1"),
        ("set lr0 1; str_acc_reg lr0 cr0; acc.stride 8 off off lr0;;", {}, "acc", STRIDE),
        ("acc.stride 8 reserved5 off lr0;;", {}, "acc", "must not be reserved"),
        ("acc.stride 8 off reserved3 lr0;;", {}, "acc", "must not be reserved"),
    ],
)
def test_each_slot_says_what_it_expects(
    text: str, cr: dict[int, int], slot: str, cause: str
) -> None:
    fault = check_fault(text, cr, slot=slot, pc=0, cycle=0, line=1)
    assert cause in fault.cause


def test_an_aggregate_that_does_not_fit_is_a_fault_and_memory_is_as_before() -> None:
    text = """
        set lr15 512; str_acc_reg lr0 cr2;
        mult.ve.cr lr15 lr0 lr0 cr3; acc.first; agg sum value_cr cr4 aaq0;;
    """
    fault = check_fault(text, {2: 4000, 3: 1, 4: 0x7FFF_FFFF}, slot="aaq", line=3)
    assert fault.instruction == "agg sum value_cr cr4 aaq0"
    assert fault.cause.startswith("an aggregate must fit into 32 bits, found ")
    assert fault.registers == {"cr4": 0x7FFF_FFFF, "aaq0": 0}


@pytest.mark.parametrize(
    ("bits", "slot", "instruction"),
    [
        (3 << 177, "break", "<invalid> (opcode 3)"),
        (7 << 154, "xmem", "<invalid> (opcode 7)"),
        (7 << 137, "mult", "<invalid> (opcode 7)"),
        (15 << 109, "acc", "<invalid> (opcode 15)"),
        (3 << 94, "aaq", "<invalid> (opcode 3)"),
    ],
)
def test_an_opcode_past_its_list_is_a_fault(bits: int, slot: str, instruction: str) -> None:
    fault = check_fault("acc;;", words=[bits], slot=slot, instruction=instruction, line=1)
    assert fault.cause.endswith(f"stands for no instruction of slot {slot}")


def test_a_field_that_names_no_register_is_a_fault() -> None:
    word = 1 << 154 | 3 << 152 | 3 << 137
    fault = check_fault("acc;;", words=[word], instruction="ldr_mult_reg <invalid> lr0 cr0")
    assert fault.cause.startswith("operand `dest` must be a mult-stage register")


def test_two_writes_of_a_loop_register_are_a_fault() -> None:
    first, second = assemble("set lr3 1; set lr4 2;; set lr4 1; set lr3 2;;")
    words = [first & ~(0xFFFF_FFFF << 21) | second & 0xFFFF_FFFF << 21]
    text = "set lr3 1;\nset lr4 2;;"
    check_fault(text, words=words, slot="lr", cause="a bundle may write `lr3` once", line=2)


def test_adding_nothing_is_no_write() -> None:
    state = IpuState()
    state.load_program(assemble("set lr3 1; incr lr3 0; bkpt;;"))
    assert Ipu(state).run(10) == 1
    assert state.regfile.get_lr(3) == 1


def test_a_fault_without_a_source_has_no_line() -> None:
    state = IpuState()
    state.load_program(assemble("set lr1 1; ldr_cyclic_mult_reg lr0 cr0 lr1;;"))
    with pytest.raises(ExecutionFault) as raised:
        Ipu(state).run(10)
    assert raised.value.fault.line is None
    assert str(raised.value).startswith("bundle 0, cycle 0, slot xmem, ")
