"""The "Adding Instructions" document, followed step by step with the names of this project.

Its third step fills a dictionary of raw fields; here the test assembles text.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import (
    R_REG_SIZE,
    DType,
    ExecutionFault,
    InstructionError,
    Ipu,
    IpuState,
    ProgramError,
    ipu_add,
    ipu_mult,
)
from ipu_asm.isa import load_isa
from ipu_asm.isa.build import IsaError
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC, InstructionDoc
from ipu_asm.targets.ipu.machine.ipu import _MULT_STAGE_MAP
from ipu_asm.targets.ipu_family.descriptions import Notation

ENTRY = {
    "operands": [
        {"name": "dest", "type": "MultStageReg"},
        {"name": "src_a", "type": "MultStageReg", "read": "snapshot"},
        {"name": "src_b", "type": "MultStageReg", "read": "snapshot"},
    ],
    "doc": InstructionDoc(
        title="My New Operation",
        summary="Performs a custom operation on two source registers.",
        syntax="my_new_instruction Rd Ra Rb",
        operands=[
            "Rd: Destination mult stage register (r0, r1, or mem_bypass)",
            "Ra: First source mult stage register",
            "Rb: Second source mult stage register",
        ],
        operation="for i in [0, R_REG_SIZE):\n    Rd[i] = custom_operation(Ra[i], Rb[i])",
        example="my_new_instruction r0 r1 mem_bypass;;",
    ),
    "execute_fn": "execute_my_new_instruction",
}
PLACE = "mult instruction `my_new_instruction`"


class MyIpu(Ipu):
    """The machine with the new method."""

    def execute_my_new_instruction(self, *, dest: int, src_a: bytearray, src_b: bytearray) -> None:
        """Execute my_new_instruction: performs custom operation."""
        result = bytearray(R_REG_SIZE)
        dtype = DType(self.state.get_cr_dtype())
        for i in range(R_REG_SIZE):
            result[i] = int(ipu_add(src_a[i], ipu_mult(src_b[i], 1, dtype), dtype)) & 0xFF
        reg_name, elem_idx = _MULT_STAGE_MAP[dest]
        self.state.regfile.set_register_bytes(reg_name, elem_idx, result)


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The entry, appended to the mult slot for one test."""
    return add_entry(monkeypatch, "mult", "my_new_instruction", ENTRY)


def add_entry(
    monkeypatch: pytest.MonkeyPatch, slot: str, mnemonic: str, entry: dict[str, Any]
) -> dict[str, Any]:
    """Append a copy of an entry to a slot for one test."""
    added = copy.deepcopy(entry)
    monkeypatch.setitem(INSTRUCTION_SPEC, slot, {**INSTRUCTION_SPEC[slot], mnemonic: added})
    return added


def check_execution(text: str, machine: type[Ipu] = MyIpu) -> IpuState:
    """The state after the first bundle, begun with r0 = 0, 1, 2, ..., r1 = 1 and lr1 = 5."""
    state = IpuState()
    ipu = machine(state)
    state.regfile.set_register_bytes("r", 0, bytearray(range(128)))
    state.regfile.set_register_bytes("r", 1, bytearray([1] * 128))
    state.regfile.set_lr(1, 5)
    state.inst_mem = assemble(text)
    state.regfile.set_pc(0)
    ipu.execute_vliw_cycle()
    assert state.program_counter == 1
    return state


def check_refusal(machine: type[Ipu], *parts: str) -> None:
    """A program with the new instruction is refused before it runs; the message has these parts."""
    state = IpuState()
    state.load_program(assemble("set lr0 1;; my_new_instruction r0 r0 r1;;"))
    with pytest.raises(ProgramError) as raised:
        machine(state).execute_vliw_cycle()
    assert all(part in str(raised.value) for part in parts), str(raised.value)
    assert state.regfile.get_lr(0) == 0


@pytest.mark.usefixtures("entry")
def test_the_new_instruction_is_executed() -> None:
    state = check_execution("my_new_instruction r0 r0 r1;;")
    expected = bytearray((i + 1) & 0xFF for i in range(128))
    assert state.regfile.get_register_bytes("r", 0) == expected


@pytest.mark.usefixtures("entry")
def test_the_layout_grows_to_183_bits() -> None:
    isa = load_isa("ipu")
    assert isa.word_bits == 183
    opcode = isa.instructions["my_new_instruction"].opcode
    assert opcode == len(INSTRUCTION_SPEC["mult"]) - 1
    word = assemble("my_new_instruction mem_bypass r0 r1;;")[0]
    assert word >> 181 == isa.instructions["break_nop"].opcode
    assert word >> 135 & 0x1FF == opcode << 6 | 2 << 4 | 0 << 2 | 1


@pytest.mark.usefixtures("entry")
def test_its_sources_are_those_from_before_the_bundle() -> None:
    state = check_execution("ldr_mult_reg r1 lr0 cr0; my_new_instruction mem_bypass r0 r1;;")
    assert state.regfile.get_register_bytes("mem_bypass") == bytes(range(1, 129))
    assert state.regfile.get_register_bytes("r", 1) == bytes(128)


def test_with_a_live_source_it_sees_what_the_bundle_has_loaded(entry: dict[str, Any]) -> None:
    entry["operands"][2]["read"] = "live"
    state = check_execution("ldr_mult_reg r1 lr0 cr0; my_new_instruction mem_bypass r0 r1;;")
    assert state.regfile.get_register_bytes("mem_bypass") == bytes(range(128))


@pytest.mark.usefixtures("entry")
def test_all_other_instructions_work_as_before() -> None:
    state = check_execution("incr lr1 2; add lr2 lr1 cr0; acc.first; bne lr1 lr0 +1;;")
    assert [state.regfile.get_lr(index) for index in range(3)] == [0, 7, 5]


def test_the_machine_itself_does_not_know_it_afterwards() -> None:
    isa = load_isa("ipu")
    assert (isa.word_bits, isa.spec("my_new_instruction")) == (179, None)


@pytest.mark.usefixtures("entry")
def test_a_missing_method_is_reported_with_what_to_add() -> None:
    check_refusal(
        Ipu,
        f"{PLACE}: `Ipu` has no method for it; add "
        "`def execute_my_new_instruction(self, *, dest, src_a, src_b)`",
    )


@pytest.mark.usefixtures("entry")
def test_parameters_that_are_not_the_operands_are_reported() -> None:
    class Misnamed(Ipu):
        def execute_my_new_instruction(self, *, dest: int, a: bytearray, b: bytearray) -> None:
            raise AssertionError

    class Positional(Ipu):
        def execute_my_new_instruction(self, dest: int, src_a: bytes, src_b: bytes) -> None:
            raise AssertionError

    for machine in (Misnamed, Positional):
        method = f"`{machine.__name__}.execute_my_new_instruction`"
        remedy = "make it `def execute_my_new_instruction(self, *, dest, src_a, src_b)`"
        check_refusal(machine, f"{PLACE}: the keyword-only parameters of {method} ", remedy)


def test_reading_what_is_no_register_is_reported(entry: dict[str, Any]) -> None:
    class Shifting(Ipu):
        def execute_my_new_instruction(self, *, dest: int, count: int) -> None:
            raise AssertionError

    entry["operands"] = [
        {"name": "dest", "type": "MultStageReg"},
        {"name": "count", "type": "VerticalStride", "read": "live"},
    ]
    state = IpuState()
    state.load_program(assemble("my_new_instruction r0 on;;"))
    with pytest.raises(ProgramError, match=r"operand `count` is no register.*remove") as raised:
        Shifting(state).execute_vliw_cycle()
    assert len(raised.value.mistakes) == 1


def test_all_mistakes_of_an_entry_are_reported_with_place_and_remedy(entry: dict[str, Any]) -> None:
    entry["operands"][1]["type"] = "MultStageRegister"
    entry["operands"][2]["read"] = "later"
    del entry["execute_fn"]
    with pytest.raises(IsaError) as raised:
        load_isa("ipu")
    assert len(raised.value.mistakes) == 3
    for mistake, part in zip(
        raised.value.mistakes,
        ("execute_fn", "unknown type 'MultStageRegister'", '"live", "snapshot" or absent'),
    ):
        assert mistake.startswith("mult.my_new_instruction: ")
        assert part in mistake


@pytest.mark.usefixtures("entry")
def test_what_it_refuses_is_a_fault_and_all_is_as_before() -> None:
    class Refusing(Ipu):
        def execute_my_new_instruction(self, *, dest: int, src_a: bytes, src_b: bytes) -> None:
            self.state.regfile.set_register_bytes("r", dest, bytes(128))
            self.state.regfile.set_cr(3, 9)
            self.state.xmem.write_address(100, b"\1")
            self.state.xmem.write_address(100, b"\2")
            assert self.snapshot.get_lr(1) == 5
            assert self.snapshot.get_register_bytes("r", 1) == bytes([1] * 128)
            raise InstructionError("no such luck")

    state = IpuState()
    state.regfile.set_lr(1, 5)
    state.regfile.set_register_bytes("r", 1, bytes([1] * 128))
    state.load_program(assemble("incr lr1 1; my_new_instruction r1 r0 r1;;"))
    before = state.save()
    with pytest.raises(ExecutionFault, match="`my_new_instruction r1 r0 r1`: no such luck"):
        Refusing(state).execute_vliw_cycle()
    assert state.save() == before


@pytest.mark.usefixtures("entry")
def test_an_error_in_its_method_is_not_hidden_and_all_is_as_before() -> None:
    class Failing(Ipu):
        def execute_my_new_instruction(self, *, dest: int, src_a: bytes, src_b: bytes) -> None:
            self.state.regfile.set_register_bytes("mem_bypass", 0, src_b)
            raise ZeroDivisionError

    state = IpuState()
    state.regfile.set_register_bytes("r", 1, bytes([1] * 128))
    state.load_program(assemble("incr lr1 1; my_new_instruction r1 r0 r1;;"))
    before = state.save()
    with pytest.raises(ZeroDivisionError):
        Failing(state).execute_vliw_cycle()
    assert state.save() == before


def test_an_instruction_can_read_scalars_and_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Branching(Ipu):
        def execute_bgt(self, *, limit: int, reg: int, label: int) -> None:
            assert limit == 7
            if self.state.regfile.get_lr(reg) > limit:
                self.state.regfile.set_pc(label)

    operands = [
        {"name": "limit", "type": "LcrIdx", "read": "live"},
        {"name": "reg", "type": "LrIdx"},
        {"name": "label", "type": "Label"},
    ]
    doc = InstructionDoc("Branch if Greater", "Branches.", "bgt limit reg label")
    new = {"operands": operands, "doc": doc, "execute_fn": "execute_bgt", "flow": "branch"}
    add_entry(monkeypatch, "cond", "bgt", new)
    for value, pc in ((7, 1), (8, 3)):
        state = IpuState()
        state.regfile.set_cr(2, 7)
        state.load_program(assemble(f"set lr4 {value}; bgt cr2 lr4 +3;;"))
        Branching(state).execute_vliw_cycle()
        assert state.program_counter == pc


BLOCK = """\
my_new_instruction {dest:MultStageReg} {src_a:MultStageReg@old} {src_b:MultStageReg@old}
    My New Operation | Performs a custom operation on two source registers.
    dest: Destination mult stage register (r0, r1, or mem_bypass)
    src_a: First source mult stage register
    src_b: Second source mult stage register
    = for i in [0, R_REG_SIZE):
    =     Rd[i] = custom_operation(Ra[i], Rb[i])
    > my_new_instruction r0 r1 mem_bypass;;
"""


def test_a_block_of_text_gives_the_entry_of_the_document() -> None:
    entry = Notation("").entries(BLOCK)["my_new_instruction"]
    doc = entry.pop("doc")
    assert entry == {key: value for key, value in ENTRY.items() if key != "doc"}
    expected = ENTRY["doc"]
    assert isinstance(expected, InstructionDoc)
    names = doc.syntax.replace("dest", "Rd").replace("src_a", "Ra").replace("src_b", "Rb")
    assert doc._replace(syntax=names, operands=expected.operands) == expected


@pytest.mark.parametrize(
    ("block", "mistake"),
    [
        (f"{BLOCK}{BLOCK}", "two blocks of the slot begin with this mnemonic"),
        ("new {dest:MultStageReg@late}\n    New | New.\n", "found `{dest:MultStageReg@late}`"),
        ("new {dest:MultStageReg}\n    New | New.\n", "new: a line `dest: text` is missing"),
        ("new {dest}\n    New | New.\n", "`{dest}` is no shared operand"),
    ],
)
def test_a_mistake_in_a_block_is_reported(block: str, mistake: str) -> None:
    with pytest.raises(ValueError, match=re.escape(mistake)):
        Notation("").entries(block)


def test_every_instruction_of_the_table_has_its_method() -> None:
    assert Ipu.binding_errors(load_isa("ipu").instructions.values()) == []
