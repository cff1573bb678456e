"""Descriptions of instruction sets: one that holds becomes one, every mistake is reported."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import AssemblyError, assemble, disassemble
from ipu_asm.isa.build import IsaDescription, IsaError, SlotDescription, build_isa
from ipu_asm.isa.model import Field, InstructionDoc, Isa
from ipu_asm.isa.operands import IntegerType, LabelType, RegisterType
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.isa.surface import Surface

DOC = InstructionDoc(title="Toy", summary="For tests.", syntax="")
FILE = RegisterFile("x", "x register", ("x0", "x1", "x2", "x3"), "8 bits")
TYPES = (RegisterType("Reg", 2, [FILE], [FILE]), IntegerType("Imm", 8, 0, 255), LabelType("To", 4))
TOY = IsaDescription(
    name="toy",
    title="Toy",
    surface=Surface("ipu", "toy-asm", ("#",), bundle_end=";;", separator=";"),
    slots=(
        SlotDescription("alu", "Arithmetic", "rest", ("Reg", "Imm")),
        SlotDescription("go", "Control flow", "jump +1", ("To",)),
    ),
    instructions={
        "alu": {
            "rest": {"operands": [], "doc": DOC, "nop": True},
            "put": {
                "operands": [{"name": "dest", "type": "Reg"}, {"name": "value", "type": "Imm"}],
                "doc": DOC,
            },
        },
        "go": {"jump": {"operands": [{"name": "to", "type": "To"}], "doc": DOC, "flow": "jump"}},
    },
    operand_types={operand_type.name: operand_type for operand_type in TYPES},
    register_files=(FILE,),
    program_limit=16,
)
FIXED = SlotDescription("alu", "Arithmetic", "rest", width=16)
JUMP = TOY.instructions["go"]
REST = TOY.instructions["alu"]["rest"]


def check_build(description: IsaDescription, *mistakes: str) -> Isa | None:
    """The description has just these mistakes; without any, the instruction set that it makes."""
    if not mistakes:
        return build_isa(description)
    with pytest.raises(IsaError) as error:
        build_isa(description)
    assert error.value.mistakes == mistakes
    assert [mistake for mistake in mistakes if mistake not in str(error.value)] == []
    return None


def with_entry(
    slots: tuple[SlotDescription, ...] = TOY.slots, name: str = "new", **keys: Any
) -> IsaDescription:
    """The toy with one more instruction in `alu`, which has these keys besides what it needs."""
    entry = {"operands": [], "doc": DOC, **keys}
    return TOY._replace(slots=slots, instructions={"alu": {"rest": REST, name: entry}, "go": JUMP})


def with_operands(*operands: Any, **keys: Any) -> IsaDescription:
    """The toy with one more instruction in `alu`, which has these operands."""
    return with_entry(operands=list(operands), **keys)


def fixed(*operands: Any, slot: SlotDescription = FIXED, **keys: Any) -> IsaDescription:
    """The toy with a slot of 16 bits whose instructions say where their operands are."""
    entries = {
        "rest": {**REST, "fixed_bits": 0},
        "new": {"operands": list(operands), "doc": DOC, "fixed_bits": 1 << 15, **keys},
    }
    return TOY._replace(slots=(slot, TOY.slots[1]), instructions={"alu": entries, "go": JUMP})


def test_a_toy_instruction_set_assembles_on_the_grammar_of_another() -> None:
    isa = check_build(TOY)
    assert isa is not None
    text = "again: put x3 0x55; jump again;;\nput x1 1;;\nrest;;"
    # go is bits 4:0, its opcode one bit wide; alu is bits 15:5: opcode 15, x 14:13, number 12:5.
    words = [0b1_11_01010101_0_0000, 0b1_01_00000001_0_0010, 0b0_00_00000000_0_0011]
    assert isa.word_bits == 16
    assert assemble(text, isa) == words
    assert assemble(disassemble(words, isa), isa) == words
    assert Analyzer(isa).analyze(text).program.label_addresses == {"again": 0}


def test_a_toy_instruction_set_refuses_what_it_does_not_know() -> None:
    isa = check_build(TOY)
    assert isa is not None
    with pytest.raises(AssemblyError) as error:
        assemble("putt x1 1;;\nput x4 256; jump nowhere;;", isa)
    names = [finding.name for finding in error.value.findings]
    assert names == [
        "unknown-mnemonic",
        "wrong-operand-type",
        "immediate-out-of-range",
        "undefined-label",
    ]


def test_an_instruction_set_can_lack_what_executes_it() -> None:
    method = {"execute_fn": "execute_new"}
    executed = TOY._replace(
        executor="Machine", slots=TOY.slots[:1], instructions={"alu": {"rest": {**REST, **method}}}
    )
    isa = check_build(executed)
    assert isa is not None
    assert isa.instructions["rest"].execute_fn == "execute_new"
    missing = executed._replace(instructions={"alu": {"rest": REST}})
    check_build(missing, "alu.rest: key `execute_fn` is missing")
    number = executed._replace(instructions={"alu": {"rest": {**REST, "execute_fn": "1"}}})
    check_build(number, "alu.rest: `execute_fn` must be the name of a method of Machine")


@pytest.mark.parametrize(
    ("keys", "mistake"),
    [
        (
            {"flow": "loop"},
            "`flow` must be one of branch, jump, indirect, halt, break or absent, not 'loop'",
        ),
        ({"doc": "text"}, "`doc` must be an InstructionDoc"),
        ({"idle": {"value": 0}}, "`idle` names `value`, which is no operand"),
        (
            {"reads": {"acc": "later"}},
            '`reads` of `acc` must be "live" or "snapshot", not \'later\'',
        ),
    ],
)
def test_a_wrong_value_of_a_key_is_reported(keys: dict[str, Any], mistake: str) -> None:
    check_build(with_entry(**keys), f"alu.new: {mistake}")


def test_a_missing_and_an_unknown_key_are_reported() -> None:
    allowed = (
        "operands, doc, reads, writes, flow, deprecated, idle, nop, opcode, fixed_bits, traits, "
        "cycles, computes, condition, accesses, windows, requires, register_reads"
    )
    instructions = {"alu": {"rest": REST, "new": {"opreands": []}}, "go": JUMP}
    check_build(
        TOY._replace(instructions=instructions),
        "alu.new: key `operands` is missing",
        "alu.new: key `doc` is missing",
        f"alu.new: unknown key `opreands`; there are {allowed}",
    )


def test_entries_and_operands_of_another_shape_are_reported() -> None:
    check_build(
        TOY._replace(instructions={"alu": {"rest": REST, "new": None}, "go": JUMP}),  # type: ignore[dict-item]
        "alu.new: an entry is a mapping with the keys operands, doc, not None",
    )
    check_build(
        with_operands("dest"),
        "alu.new: an operand is a mapping with the keys name, type, read, low, optional, keyword, "
        "default, positional_allowed, advice, suggested",
    )


@pytest.mark.parametrize(
    ("operand", "mistake"),
    [
        ({"name": "a", "type": "Regg"}, "unknown type 'Regg'; there are Imm, Reg, To"),
        ({"name": "a"}, "unknown type None; there are Imm, Reg, To"),
        (
            {"name": "a", "type": "Reg", "read": "later"},
            '`read` must be "live", "snapshot" or absent, not \'later\'',
        ),
        (
            {"name": "a", "type": "Reg", "raed": "live"},
            "unknown key `raed`; there are name, type, read, low, optional, keyword, default, "
            "positional_allowed, advice, suggested",
        ),
        (
            {"name": "a", "type": "Reg", "low": 3},
            "`low` is for slots of a given width; here the layout places operands",
        ),
        (
            {"name": "a", "type": "Reg", "default": 2},
            "`default` is for operands that may be left out; set `optional`",
        ),
        (
            {"name": "a", "type": "Reg", "optional": True, "default": 4},
            "`default` 4 is no value of type Reg",
        ),
        (
            {"name": "a", "type": "Reg", "suggested": True},
            "`suggested` is for operands that may be left out; set `optional`",
        ),
        (
            {"name": "a", "type": "Reg", "positional_allowed": True},
            "`positional_allowed` is for operands with a `keyword`; the others always are",
        ),
    ],
)
def test_a_mistake_in_an_operand_is_reported(operand: dict[str, Any], mistake: str) -> None:
    check_build(with_operands(operand), f"alu.new: operand `a`: {mistake}")


def test_operands_without_a_name_of_their_own_are_reported() -> None:
    register = {"name": "a", "type": "Reg"}
    check_build(
        with_operands(register, register),
        "alu.new: operand `a`: two operands have this name; give each its own",
    )
    check_build(with_operands({"type": "Reg"}), "alu.new: operand number 1 has no `name`")
    named = [{"name": name, "type": "Reg", "keyword": "k"} for name in "ab"]
    check_build(
        with_operands(*named),
        "alu.new: operand `k`: two operands have this keyword; give each its own",
    )


def test_an_operand_that_must_be_written_cannot_follow_one_that_need_not() -> None:
    optional, due = {"name": "a", "type": "Reg", "optional": True}, {"name": "b", "type": "Imm"}
    check_build(
        with_operands(optional, due),
        "alu.new: operand `b`: one that must be written cannot follow an optional one",
    )
    assert check_build(with_operands(optional, {**due, "keyword": "b"})) is not None


def test_mnemonics_without_a_place_of_their_own_are_reported() -> None:
    twice = {"alu": TOY.instructions["alu"], "go": {**JUMP, "put": JUMP["jump"]}}
    check_build(
        TOY._replace(instructions=twice), "go.put: alu.put has this mnemonic; each needs its own"
    )
    assert check_build(with_entry(name="REST")) is not None
    any_case = with_entry(name="REST")._replace(surface=TOY.surface._replace(case_insensitive=True))
    check_build(any_case, "alu.REST: alu.rest has this mnemonic; each needs its own")
    check_build(with_entry(name="a-b"), "alu.a-b: a mnemonic is letters, digits, `_` and `.` only")


def test_slots_and_instructions_that_do_not_belong_together_are_reported() -> None:
    check_build(
        TOY._replace(instructions={**TOY.instructions, "alx": {}}),
        "alx: no such slot; there are alu, go",
    )
    for empty in ({"alu": TOY.instructions["alu"]}, {**TOY.instructions, "go": {}}):
        check_build(
            TOY._replace(instructions=empty),
            "go: the slot has no instruction; add one or drop the slot",
        )
    check_build(
        TOY._replace(slots=(TOY.slots[0], TOY.slots[1]._replace(default="stay"))),
        "go: default `stay` is no instruction of the slot",
    )
    check_build(
        TOY._replace(slots=(*TOY.slots, TOY.slots[1])),
        *["go: two slots have this name; give each its own"] * 2,
    )


def test_impossible_slots_are_reported() -> None:
    alu, go = TOY.slots
    check_build(
        TOY._replace(slots=(alu._replace(fields=("Reg", "Immm")), go)),
        "alu: unknown field type 'Immm'; there are Imm, Reg, To",
    )
    check_build(
        TOY._replace(slots=(alu, go._replace(capacity=0))),
        "go: capacity is 0; a slot carries at least one instruction",
    )


def test_a_slot_of_a_given_width_has_its_operands_where_they_say() -> None:
    isa = check_build(fixed({"name": "a", "type": "Imm", "low": 4}, fixed_bits=0x8003))
    assert isa is not None
    assert assemble("new 0xAB;;", isa) == [0x8AB3 << 5 | 1]


def test_operands_that_do_not_fit_a_slot_of_a_given_width_are_reported() -> None:
    check_build(
        fixed({"name": "a", "type": "Imm"}),
        "alu.new: operand `a`: key `low` is missing; a slot of a given width does not place "
        "operands",
    )
    for low in (-1, 9):
        check_build(
            fixed({"name": "a", "type": "Imm", "low": low}),
            f"alu.new: operand `a`: 8 bits from bit {low} on leave the slot's 16",
        )


def test_a_slot_of_a_given_width_says_where_its_opcodes_are() -> None:
    layout = (Field("opcode", 12, 4), Field("rest", 0, 12))
    needless = {"operands": [], "doc": DOC}
    description = TOY._replace(
        slots=(FIXED._replace(layout=layout), TOY.slots[1]),
        instructions={"alu": {"rest": REST, "new": needless}, "go": JUMP},
    )
    isa = check_build(description)
    assert isa is not None
    assert isa.instructions["new"].opcode_bits == 1 << 12
    check_build(
        description._replace(slots=(FIXED, TOY.slots[1])),
        *[
            f"alu.{name}: key `fixed_bits` is missing; a slot of a given width without a layout "
            "needs it"
            for name in ("rest", "new")
        ],
    )
    check_build(
        description._replace(slots=(FIXED._replace(layout=layout[1:]), TOY.slots[1])),
        "alu: `layout` must begin with the opcode",
        "alu: `layout` has 12 bits, `width` says 16",
    )


def test_opcodes_that_do_not_fit_or_belong_to_others_are_reported() -> None:
    check_build(with_entry(opcode=2), "alu.new: opcode 2 does not fit into a field of width 1")
    check_build(with_entry(opcode=0), "alu.new: opcode 0 is that of rest; give another")
    layout = (Field("opcode", 12, 4), Field("rest", 0, 12))
    check_build(
        fixed(slot=FIXED._replace(layout=layout), opcode=16),
        "alu.new: opcode 16 does not fit into a field of width 4",
    )


def test_an_operand_that_is_left_out_has_its_default() -> None:
    isa = check_build(with_operands({"name": "a", "type": "Reg", "optional": True, "default": 2}))
    assert isa is not None
    # alu is bits 7:5: opcode 7, x 6:5.
    words = [0b1_10_0_0001, 0b1_10_0_0010, 0b1_00_0_0011]
    assert assemble("new;;\nnew x2;;\nnew x0;;", isa) == words


def test_all_mistakes_of_a_description_are_reported_at_once() -> None:
    check_build(
        with_entry(
            flow="loop", idle={"b": 0}, operands=[{"name": "a", "type": "Regg", "read": "later"}]
        )._replace(slots=(*TOY.slots, SlotDescription("mem", "Memory", ""))),
        "mem: the slot has no instruction; add one or drop the slot",
        "alu.new: `flow` must be one of branch, jump, indirect, halt, break or absent, not 'loop'",
        "alu.new: operand `a`: unknown type 'Regg'; there are Imm, Reg, To",
        'alu.new: operand `a`: `read` must be "live", "snapshot" or absent, not \'later\'',
        "alu.new: `idle` names `b`, which is no operand",
    )
