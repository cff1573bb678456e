"""The word of IPU 2, bit by bit, compared with the recorded table of its fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_asm import assemble, disassemble
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC, InstructionDoc

FACTS = json.loads((Path(__file__).parents[2] / "data" / "ipu2_facts.json").read_text("utf-8"))
IPU2 = load_isa("ipu2")
NOPS = 0x3000004000040000400006000C000018000008040200000
PLACES = [(slot, place, low) for slot in IPU2.slots for place, low in enumerate(slot.lows)]

# As in the "Adding Instructions" document, with types of this set.
NEW_INSTRUCTION: dict[str, Any] = {
    "operands": [
        {"name": "dest", "type": "MultStageReg"},
        {"name": "src_a", "type": "MultStageReg", "read": "snapshot"},
        {"name": "src_b", "type": "MultStageReg", "read": "snapshot"},
    ],
    "doc": InstructionDoc(title="My New Operation", summary="Adds.", syntax=""),
    "execute_fn": "execute_my_new_instruction",
}


def fields_of(spec: InstructionSpec, low: int) -> list[tuple[str, str, int, int]]:
    """Name, type, lowest bit in the word and field width of each operand."""
    return [(o.name, o.type.name, low + o.low, o.field_width) for o in spec.operands]


def test_a_word_has_the_recorded_bits_and_slots() -> None:
    assert IPU2.word_bits == FACTS["bits"] == 186
    assert IPU2.image_bytes == FACTS["bytes_in_image"]
    assert IPU2.program_limit == FACTS["program_limit"]
    assert [slot.name for slot, _, _ in PLACES] == FACTS["slot_order_high_to_low"]
    assert assemble("NOP;;", IPU2) == [int(FACTS["default_word"], 16)] == [NOPS]


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_a_slot_has_the_recorded_opcodes_operands_and_fields(number: int) -> None:
    slot, place, low = PLACES[number]
    recorded = FACTS["slots"][number]
    assert (slot.name, place) == (recorded["name"], recorded.get("sub_slot", 0))
    assert (low, slot.width) == (recorded["low"], recorded["width"])
    opcode, *fields = [(low + field.low, field.width) for field in slot.fields]
    assert opcode == (recorded["opcode"]["offset"], recorded["opcode"]["width"])
    assert fields == [(field["offset"], field["width"]) for field in recorded["fields"]]
    assert slot.simulation_only == recorded.get("simulation_only", False)
    specs = [spec for spec in IPU2.instructions_of(slot.name) if not spec.becomes]
    assert [(spec.opcode, spec.mnemonic) for spec in specs] == [
        (each["opcode"], each["mnemonic"]) for each in recorded["instructions"]
    ]
    for spec, each in zip(specs, recorded["instructions"]):
        assert fields_of(spec, low) == [
            (o["name"], o["type"], o["offset"], o["width"]) for o in each["operands"]
        ]


def test_registers_and_state_are_read_when_the_table_says() -> None:
    for slot in FACTS["slots"]:
        specs = {spec.mnemonic: spec for spec in IPU2.instructions_of(slot["name"])}
        for each in slot["instructions"]:
            spec = specs[each["mnemonic"]]
            read = dict(spec.reads) | {o.name: o.read for o in spec.operands if o.read}
            recorded = {o["name"]: o["read"] for o in each["operands"] if "read" in o}
            for entry in each["implicit_reads"]:
                names, _, time = entry.partition(": ")
                recorded |= dict.fromkeys(names.removesuffix(" pair").split(", "), time)
            for name, time in recorded.items():
                # A live read of xmem sees what is there before the stores of the bundle.
                time = "snapshot" if name == "xmem" else time
                if time in ("live", "snapshot"):
                    assert read[name] == time, (spec.mnemonic, name)
    # The table has a sentence for what depends on the operand that is written.
    spec = IPU2.instructions["MULT.RC.VE"]
    assert spec.reads["src"] == "live"
    assert spec.register_reads == {("src", "lr"): {"r0": "snapshot", "r1": "snapshot"}}


def test_the_pseudo_instructions_become_the_recorded_ones() -> None:
    pseudo = [spec for spec in IPU2.instructions.values() if spec.becomes]
    for spec, each in zip(pseudo, FACTS["pseudo_instructions"], strict=True):
        assert [spec.mnemonic, *spec.becomes] == [each["mnemonic"], *each["expands_to"]]
        assert [(o.name, o.type.name) for o in spec.operands] == [
            (o["name"], o["type"]) for o in each["operands"]
        ]


@pytest.mark.parametrize(
    ("pseudo", "real"),
    [
        ("BGT lr1 cr2 +1", "BLT cr2 lr1 +1"),
        ("BLE lr1 cr2 +1", "BGE cr2 lr1 +1"),
        ("BZ cr3 +0", "BEQ cr3 cr0 +0"),
        ("bnz LR4 +0", "BNE lr4 cr0 +0"),
        ("B +2", "BEQ cr0 CR0 +2"),
    ],
)
def test_a_pseudo_instruction_has_the_word_of_the_real_one(pseudo: str, real: str) -> None:
    words = assemble(f"{pseudo};;", IPU2)
    assert words == assemble(f"{real};;", IPU2)
    assert real.split()[0] in disassemble(words, IPU2)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("NOP; SET lr1 cr2;;", "SET lr1 cr2;;"),
        ("BKPT; NOP; NOP; NOP;;", "BKPT;;"),
        ("; ".join(["NOP"] * 11) + ";;", "nop;;"),
        ("INC lr3 1; NOP; NOP; NOP;;", "INC lr3 1;;"),
    ],
)
def test_written_no_ops_change_nothing_where_the_slots_are_free(text: str, same: str) -> None:
    assert assemble(text, IPU2) == assemble(same, IPU2)


def test_a_written_no_op_takes_the_first_free_slot() -> None:
    first, second = IPU2.slot_by_name["lr"].lows[:2]
    (word,) = assemble("BKPT; NOP; INC lr0 1;;", IPU2)
    assert [word >> low + 16 & 15 for low in (first, second)] == [8, 4]


def test_bits_outside_of_a_type_decode_to_nothing() -> None:
    # The field of `src` has eight bits, a config register four.
    (word,) = assemble("SET lr0 cr15;;", IPU2)
    assert "SET lr0 <invalid>" in disassemble([word | 1 << 155], IPU2)
    (word,) = assemble("ACTIVATE.QUANTIZE identity cr0;;", IPU2)
    assert "ACTIVATE.QUANTIZE <invalid> cr0" in disassemble([word | 12 << 44], IPU2)


def test_opcodes_of_no_instruction_are_described_instead_of_an_error() -> None:
    for slot, _, low in PLACES:
        opcode = slot.fields[0]
        for bits in range(1 << opcode.width):
            word = NOPS & ~((1 << slot.width) - 1 << low) | bits << low + opcode.low
            is_known = bits < len(INSTRUCTION_SPEC[slot.name])
            assert ("stands for no instruction" in disassemble([word], IPU2)) != is_known


@pytest.fixture
def _entry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(INSTRUCTION_SPEC["mult"], "MY_NEW_INSTRUCTION", NEW_INSTRUCTION)
    yield
    monkeypatch.undo()
    load_isa("ipu2")


@pytest.mark.usefixtures("_entry")
def test_one_more_instruction_makes_room_for_itself() -> None:
    isa = load_isa("ipu2")
    # The first operand shares a field with `ra`, the others fit beside the data structure and
    # the mask: registers of the stage have two bits.
    assert [(field.low, field.width) for field in isa.slot_by_name["mult"].fields] == [
        (20, 3),
        (15, 5),
        (11, 4),
        (7, 4),
        (3, 4),
        (0, 3),
    ]
    (word,) = assemble("INC lr0 1; my_new_instruction r0 r1 r1; BKPT;;", isa)
    assert "MY_NEW_INSTRUCTION r0 r1 r1" in disassemble([word], isa)
    assert assemble(disassemble([word], isa), isa) == [word]
    assert word >> 86 & 7 == 6
