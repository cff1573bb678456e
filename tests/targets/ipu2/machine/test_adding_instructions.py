"""The "Adding Instructions" document, followed step by step for the IPU 2."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble, disassemble
from ipu_asm.emulator import ExecutionFault, InstructionError, ProgramError, machine_for
from ipu_asm.isa import load_isa
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC, InstructionDoc
from ipu_asm.targets.ipu2.machine.ipu2 import Ipu2
from ipu_asm.targets.ipu2.machine.state import Ipu2State

ENTRY = {
    "operands": [
        {"name": "dest", "type": "MultStageReg"},
        {"name": "src_a", "type": "MultStageReg", "read": "snapshot"},
        {"name": "src_b", "type": "MultStageReg", "read": "snapshot"},
    ],
    "doc": InstructionDoc(
        title="My New Operation",
        summary="Performs a custom operation on two source registers.",
        syntax="MY_NEW_INSTRUCTION Rd Ra Rb",
        operands=[
            "Rd: Destination mult stage register (r0 or r1)",
            "Ra: First source mult stage register",
            "Rb: Second source mult stage register",
        ],
        operation="for i in [0, R_REG_SIZE):\n    Rd[i] = custom_operation(Ra[i], Rb[i])",
        example="MY_NEW_INSTRUCTION r0 r1 r1;;",
    ),
    "execute_fn": "execute_my_new_instruction",
    "writes": ["dest"],
}


class MyIpu2(Ipu2):
    """The machine with the new method."""

    def execute_my_new_instruction(self, *, dest: int, src_a: bytearray, src_b: bytearray) -> None:
        """Add two registers, element by element."""
        result = bytes(a + b & 0xFF for a, b in zip(src_a, src_b, strict=True))
        self.state.regfile.set_register_bytes("r", dest, result)


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The entry, appended to the mult slot for one test."""
    return add_entry(monkeypatch, "mult", "MY_NEW_INSTRUCTION", ENTRY)


def add_entry(
    monkeypatch: pytest.MonkeyPatch, slot: str, mnemonic: str, entry: dict[str, Any]
) -> dict[str, Any]:
    """Append a copy of an entry to a slot for one test."""
    added = copy.deepcopy(entry)
    monkeypatch.setitem(INSTRUCTION_SPEC, slot, {**INSTRUCTION_SPEC[slot], mnemonic: added})
    return added


def check_execution(text: str, machine: type[Ipu2] = MyIpu2) -> Ipu2State:
    """The state after the first bundle, begun with r0 = 0, 1, 2, ..., r1 = 1 and lr1 = 5."""
    state = Ipu2State()
    state.regfile.set_register_bytes("r", 0, bytearray(range(128)))
    state.regfile.set_register_bytes("r", 1, bytearray([1] * 128))
    state.regfile.set_lr(1, 5)
    words = assemble(text, "ipu2")
    assert assemble(disassemble(words, "ipu2"), "ipu2") == words
    state.load_program(words)
    machine(state).execute_vliw_cycle()
    assert state.program_counter == 1
    return state


@pytest.mark.usefixtures("entry")
def test_the_new_instruction_is_executed() -> None:
    state = check_execution("MY_NEW_INSTRUCTION r0 r0 r1;;")
    expected = bytearray((i + 1) & 0xFF for i in range(128))
    assert state.regfile.get_register_bytes("r", 0) == expected


@pytest.mark.usefixtures("entry")
def test_it_finds_room_in_the_word() -> None:
    isa = load_isa("ipu2")
    assert isa.word_bits == 186
    opcode = isa.instructions["MY_NEW_INSTRUCTION"].opcode
    assert opcode == len(INSTRUCTION_SPEC["mult"]) - 1
    assert assemble("my_new_instruction r1 r0 r1;;", "ipu2")[0] >> 86 & 0x7 == opcode


@pytest.mark.usefixtures("entry")
def test_its_sources_are_those_from_before_the_bundle() -> None:
    state = check_execution("LDR_MULT_REG r1 lr0 cr2; MY_NEW_INSTRUCTION r0 r0 r1;;")
    assert state.regfile.get_register_bytes("r", 0) == bytes(range(1, 129))
    assert state.regfile.get_register_bytes("r", 1) == bytes(128)


@pytest.mark.usefixtures("entry")
def test_all_other_instructions_work_as_before() -> None:
    state = check_execution("INC lr1 2; ADD lr2 lr1 cr1; ACC.ADD.FIRST; BNE lr1 lr0 +1;;")
    assert [state.regfile.get_lr(index) for index in range(3)] == [0, 7, 6]


def test_an_instruction_that_widens_the_word_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clearing(Ipu2):
        def execute_clear(self, *, limit: int) -> None:
            assert limit == 128
            self.state.regfile.set_register_bytes("post_aaq_reg", 0, bytes(512))
            self.state.regfile.set_lr(0, 7)

    operands = [{"name": "limit", "type": "DstructureCrIdx", "read": "live"}]
    doc = InstructionDoc("Clear", "Clears the result.", "CLEAR limit")
    entry = {"operands": operands, "doc": doc, "execute_fn": "execute_clear"}
    add_entry(monkeypatch, "aaq", "CLEAR", entry)
    state = check_execution("CLEAR cr15; BNE lr1 lr0 +1;;", Clearing)
    assert load_isa("ipu2").word_bits == 187
    assert state.regfile.get_lr(0) == 7


@pytest.mark.usefixtures("entry")
def test_a_missing_method_is_reported_with_what_to_add() -> None:
    state = Ipu2State()
    state.load_program(assemble("INC lr0 1;; MY_NEW_INSTRUCTION r0 r0 r1;;", "ipu2"))
    with pytest.raises(ProgramError, match="`Ipu2` has no method for it; add `def execute_my_new"):
        machine_for("ipu2").run_until_complete(state)
    assert state.regfile.get_lr(0) == 0


@pytest.mark.usefixtures("entry")
def test_what_it_refuses_is_a_fault_and_all_is_as_before() -> None:
    class Refusing(Ipu2):
        def execute_my_new_instruction(self, *, dest: int, src_a: bytes, src_b: bytes) -> None:
            self.state.regfile.set_register_bytes("r", dest, bytes(128))
            self.state.xmem.write_address(100, b"\1")
            raise InstructionError("no such luck")

    state = Ipu2State()
    state.regfile.set_register_bytes("r", 1, bytes([1] * 128))
    state.load_program(assemble("INC lr1 1; MY_NEW_INSTRUCTION r1 r0 r1;;", "ipu2"))
    before = state.save()
    with pytest.raises(ExecutionFault, match="`MY_NEW_INSTRUCTION r1 r0 r1`: no such luck"):
        Refusing(state).execute_vliw_cycle()
    assert state.save() == before


def test_every_instruction_of_the_table_has_its_method() -> None:
    isa = load_isa("ipu2")
    specs = [
        spec
        for slot, entries in INSTRUCTION_SPEC.items()
        for spec in isa.instructions_of(slot)
        if spec.mnemonic in entries
    ]
    assert len(specs) == sum(map(len, INSTRUCTION_SPEC.values()))
    assert Ipu2.binding_errors(specs) == []
