"""States after reset, modes, what faults say, and how a run ends."""

from __future__ import annotations

import gc
import math
import struct
import weakref

import numpy as np
import pytest

from ipu_asm.emulator import ExecutionFault, machine_for
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from tests.ipu2_runs import AT_RESET, VECTORS
from tests.targets.ipu2.machine.machines import machine_with, scalars

FLOATS = {"wide": "fp32"}
INTEGERS = {"wide": "int32"}


def check_fault(machine: Ipu2, *parts: str) -> None:
    """The first bundle faults and changes nothing; the message has these parts."""
    before = machine.state.save()
    with pytest.raises(ExecutionFault) as raised:
        machine.execute_vliw_cycle()
    message = str(raised.value)
    assert all(part in message for part in parts), message
    assert machine.state.save() == before
    assert machine.cycles == 0


def words(machine: Ipu2, name: str, kind: str = "<f4") -> list[float]:
    """The first four words of a register."""
    content = machine.state.regfile.get_register_bytes(name)
    return [float(x) for x in np.frombuffer(content, kind)[:4]]


def test_a_state_is_as_after_reset() -> None:
    state = machine_for("ipu2").State()
    assert scalars(state, "lr") == [0] * 16
    assert scalars(state, "cr") == [0, 1] + [0] * 13 + [128]
    for name, content in AT_RESET.items():
        assert state.regfile.get_register_bytes(*VECTORS[name]) == content
    assert state.xmem.content == bytes(8 << 20)
    assert (state.program_counter, len(state.inst_mem)) == (0, 1024)


def test_host_writes_of_constant_registers_are_ignored() -> None:
    state = Ipu2State()
    for index in range(16):
        state.regfile.set_cr(index, 7)
    assert scalars(state, "cr") == [0, 1] + [7] * 14


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ({"dtype": "E8"}, "dtype must be one of INT8, E1, .* found 'E8'"),
        ({"dtype": 1}, "dtype must be one of .* found 1"),
        ({"wide": "fp16"}, "wide must be None, 'fp32' or 'int32', found 'fp16'"),
    ],
)
def test_a_mode_that_does_not_exist_is_refused(mode: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        machine_for("ipu2").State(**mode)


def test_a_saved_state_knows_its_mode() -> None:
    assert Ipu2State().save() != Ipu2State("E4").save()
    assert Ipu2State("E4").save() == Ipu2State("E4").save()


def test_rows_are_as_wide_as_the_elements() -> None:
    text = "LDR_MULT_REG r1 lr0 cr2;; BKPT;;"
    for mode, name, size in (({}, "r1", 128), (FLOATS, "r1_wide", 512)):
        machine = machine_with(text, **mode)
        machine.state.regfile.set_cr(2, 3)
        machine.state.xmem.write_address(3 * size, bytes([9]) * size)
        machine.run(10)
        found = machine.state.regfile.get_register_bytes(*VECTORS[name])
        assert found == bytes([9]) * size


def test_the_last_narrow_row_takes_a_store_of_512_bytes() -> None:
    machine = machine_with("STR_ACC_REG lr0 cr2; BKPT;;")
    machine.state.regfile.set_cr(2, 16_383)
    machine.state.regfile.set_r_acc_bytes(bytes([5]) * 512)
    machine.run(10)
    end = (2 << 20) - 128 + 512
    assert machine.state.xmem.read_address(end - 512, 513) == bytes([5]) * 512 + b"\0"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "STR_POST_AAQ_REG lr1 cr2;;",
            ("slot store", "`STR_POST_AAQ_REG lr1 cr2`", "must be below 16384, found 16384",
             "lr1 = 0x1", "cr2 = 0x3fff"),
        ),
        ("LDR_CYCLIC_MULT_REG lr0 cr1 lr1;;", ("must be 0, 128, 256 or 384, found 0x1",)),
        (
            "MULT.RC.VS lr0 0 lr0 cr3;;",
            ("partition (bits 12:8 of the data structure) must be 0, 2, 4, 8 or 16, found 3",),
        ),
        ("AGG.SUM lr0 cr4;;", ("pad_mode (bits 14:13 of the data structure) must be 0, 1 or 2",)),
        ("MULT.RC.VS lr0 0 lr0 cr5;;", ("pad_mode must be 0 (zero) where words are int32",)),
        (
            "ACC.STRIDE 64 off off lr1;;",
            ("must end within the 128 words of r_acc, found 128 words from word 32 on",),
        ),
        ("ACC.RESHAPE lrd0 lrd2 lr6;;", ("reshape mask must be 0 to 8, found 0x9",)),
        ("ACC.RESHAPE lrd8 lrd2 0;;", ("each index of `source` that takes part must be below 128",
                                       "found 200")),
        ("ACC.RESHAPE lrd2 lrd8 0;;", ("each index of `dest` that takes part must be below 128",)),
    ],
)  # fmt: skip
def test_a_fault_says_what_was_expected_and_what_was_found(
    text: str, parts: tuple[str, ...]
) -> None:
    machine = machine_with(text)
    registers = machine.state.regfile
    for index, value in ((2, 16_383), (3, 0x380), (4, 0x6080), (5, 0x2080)):
        registers.set_cr(index, value)
    for index, value in ((1, 1), (6, 9), (8, 200)):
        registers.set_lr(index, value)
    check_fault(machine, *parts)


def test_two_writers_of_a_register_are_a_fault() -> None:
    first, second = machine_with("INC lr3 1;;"), machine_with("NOP; NOP; ADDBI lrd2 1;;")
    slot = (1 << 20) - 1
    word = second.state.inst_mem[0]
    assert word is not None
    other = first.state.inst_mem[0] or 0
    machine = Ipu2(Ipu2State())
    machine.state.load_program([word & ~(slot << 143) | other & slot << 143])
    check_fault(machine, "slot lr", "a bundle may write `lrd2` once")


def test_narrow_activations_need_int8() -> None:
    check_fault(machine_with("ACTIVATE.QUANTIZE relu cr15;;", dtype="E4"), "must be INT8", "E4")


def test_a_nan_cannot_be_quantized() -> None:
    machine = machine_with("ACTIVATE.QUANTIZE tanh cr15;;", quantize=True, **FLOATS)
    acc = struct.pack("<4f", 1.0, math.nan, 0.0, 0.0) + bytes(496)
    machine.state.regfile.set_r_acc_bytes(acc)
    check_fault(machine, "must be a number, found NaN in word 1")


def test_a_mult_sees_the_elements_from_before_the_bundle() -> None:
    text = "LDR_CYCLIC_MULT_REG lr0 cr2 lr0; MULT.RC.VS lr0 0 lr0 cr15; ACC.ADD.FIRST;;" * 2
    machine = machine_with(text, **INTEGERS)
    machine.state.xmem.write_address(0, struct.pack("<i", -3) * 128)
    machine.execute_vliw_cycle()
    assert words(machine, "r_acc", "<i4") == [0] * 4
    machine.execute_vliw_cycle()
    assert words(machine, "r_acc", "<i4") == [9] * 4


def test_a_mult_sees_the_masks_of_its_bundle() -> None:
    machine = machine_with("LDR_MULT_MASK_REG lr0 cr2; MULT.RC.VS lr0 0 lr0 cr3;;", **FLOATS)
    machine.state.regfile.set_register_bytes("r_cyclic_wide", 0, struct.pack("<f", 2.0) * 512)
    machine.state.regfile.set_cr(3, 128 | 2 << 13)
    machine.state.xmem.write_address(0, bytes([0b0101]))
    machine.execute_vliw_cycle()
    assert words(machine, "mult_res") == [4.0, -math.inf, 4.0, -math.inf]


def test_a_bundle_without_a_branch_goes_on_and_takes_a_cycle() -> None:
    model, machine = machine_for("ipu2"), machine_with("INC lr0 1;;")
    assert model.run_until_complete(machine.state) == 1024
    assert scalars(machine.state, "lr")[0] == 1


def test_a_dropped_machine_is_freed_without_the_garbage_collector() -> None:
    gc.disable()
    try:
        for mode in ({}, FLOATS, INTEGERS):
            machine = machine_with("MULT.RC.VS lr0 0 lr0 cr15; BKPT;;", **mode)
            machine.run(10)
            reference = weakref.ref(machine)
            del machine
            assert reference() is None
    finally:
        gc.enable()
