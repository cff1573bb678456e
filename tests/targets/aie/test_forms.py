"""Every form of both sets can be written, takes its slot and knows its cycles."""

from __future__ import annotations

import pytest

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec, Operand
from tests.marked import unmarked
from tests.targets.aie.cases import NAMES, SETS, analyze, facts, immediates_of, specs_of, written

PICKS = (0, 1, 7)


def check_written(isa: str, text: str) -> list[str]:
    """The slots of the operations of a line, which has no errors."""
    analysis = analyze(isa, f"{text}\n")
    bundle = analysis.program.bundles[0]
    assert [f for f in bundle.findings if f.severity.label == "error"] == []
    assert None not in bundle.places
    return [each.spec.slot for each in bundle.instructions if each.spec is not None]


def spec_of(isa: str, mnemonic: str, syntax: str = "") -> InstructionSpec:
    """The form of that syntax, or the first one."""
    found = load_isa(isa)
    forms = found.forms(found.instructions[mnemonic])
    return next(form for form in forms if not syntax or form.syntax == syntax)


def operand_of(spec: InstructionSpec, name: str) -> Operand:
    operand = spec.operand(name)
    assert operand is not None
    return operand


@pytest.mark.parametrize("isa", NAMES)
def test_every_form_can_be_written_in_its_slot(isa: str) -> None:
    for spec in specs_of(isa):
        for pick in PICKS:
            slots = check_written(isa, written(spec, pick))
            same = [f.slot for f in specs_of(isa) if f.mnemonic == spec.mnemonic]
            assert slots[0] == spec.slot or slots[0] in same


@pytest.mark.parametrize("isa", NAMES)
def test_every_form_can_be_written_in_capital_letters(isa: str) -> None:
    for spec in specs_of(isa):
        text = written(spec)
        check_written(isa, text.upper() if "#elsewhere" not in text else text)


@pytest.mark.parametrize("isa", NAMES)
def test_an_immediate_is_refused_outside_its_range_and_between_its_steps(isa: str) -> None:
    for spec in specs_of(isa):
        for operand in spec.operands:
            for kind in immediates_of(operand.type):
                assert kind.minimum is not None
                assert kind.maximum is not None
                wrong = [kind.minimum - kind.step, kind.maximum + kind.step]
                wrong += [kind.minimum + 1] if kind.step > 1 else []
                for value in wrong:
                    found = kind.parse(f"#{value}")
                    assert isinstance(found, UnplacedFinding), (spec.syntax, value)


def test_forms_are_as_many_as_the_facts_say() -> None:
    for arch, name in (("xdna1_aie2", "xdna1"), ("xdna2_aie2p", "xdna2")):
        found = facts(f"{arch}_instructions.json")
        entries = found["instructions"] if found else []
        slots = {(entry["mnemonic"], entry["slot"].split("(")[0]) for entry in entries}
        known = {(spec.mnemonic, spec.slot) for spec in specs_of(name)}
        assert slots <= known
        assert len(specs_of(name)) >= max(600, len(entries))


# What the tables of the document list, by mnemonic, with the slots and the cycle of the result.
TABLES = (
    ("nop", "nop", None), ("nopv", "vec", None), ("nopa", "lda", None), ("nopb", "ldb", None),
    ("nops", "st", None), ("nopx", "alu", None), ("nopm", "mv", None), ("nopxm", "lng", None),
    ("mov", "mv", 1), ("mova", "lda", 1), ("movx", "alu", 1), ("movxm", "lng", 1),
    ("lda", "lda", 7), ("vlda", "lda", 7), ("vldb", "ldb", 7), ("vlda.conv.fp32.bf16", "lda", 7),
    ("vshuffle", "mv", 2), ("add", "alu", 1), ("mul", "alu", 2), ("lt", "alu", 1),
    ("ge", "alu", 1), ("ltu", "alu", 1), ("geu", "alu", 1), ("sel.eqz", "alu", 1),
    ("sel.nez", "alu", 1), ("vmac.f", "vec", 6), ("st", "st", None), ("vst", "st", None),
    ("vst.conv.bf16.fp32", "st", None), ("padda", "lda", None), ("paddb", "ldb", None),
    ("padds", "st", None), ("j", "lng", None), ("jz", "lng", None), ("jnz", "lng", None),
    ("ret", "alu", None),
)  # fmt: skip
ONLY_XDNA2 = (
    ("vmov", "mv", 2), ("vlda.fill.512", "lda", None), ("vldb.fill.512", "ldb", None),
    ("vlda.pop.576", "lda", 8), ("vldb.pop.576", "ldb", 8),
    ("vst.push.576.conv.bfp16ebs8.fp32", "st", None), ("vst.flush.512.conv", "st", None),
)  # fmt: skip


@pytest.mark.parametrize(
    ("isa", "mnemonic", "slot", "cycle"),
    [*(("xdna1", *row) for row in TABLES), *(("xdna2", *row) for row in (*TABLES, *ONLY_XDNA2))],
)
def test_the_operations_of_the_tables_are_known_with_slot_and_latency(
    isa: str, mnemonic: str, slot: str, cycle: int | None
) -> None:
    forms = [form for form in specs_of(isa) if form.mnemonic == mnemonic and form.slot == slot]
    assert forms
    cycles = {o.def_cycle for form in forms for o in form.operands if o.name == "dst"}
    assert cycles == (set() if cycle is None else {cycle})


def test_all_rows_of_the_tables_that_exist_are_known() -> None:
    found = facts("xdna_seed_tables_check.json")
    rows = found["rows"] if found else []
    assert len(rows) in (0, 98)
    for row in rows:
        isa = load_isa(SETS[row["arch"]])
        spec = isa.spec(row["mnemonic"])
        assert (spec is not None) == row["exists"], row["mnemonic"]
        if spec is not None:
            slots = {form.slot for form in isa.forms(spec)}
            assert slots == {slot.split("(")[0] for slot in row["slots"]}
            assert {form.delay_slots for form in isa.forms(spec)} == {row["delay_slots"]}
            cycles = {o.def_cycle for f in isa.forms(spec) for o in f.operands if o.name == "dst"}
            assert not cycles or {cycle for cycle in row["result_cycles"] if cycle > 1} <= cycles


@pytest.mark.parametrize("mnemonic", ["gt", "gtu", "le", "leu", "ldb"])
def test_the_tables_name_operations_that_do_not_exist(mnemonic: str) -> None:
    assert [load_isa(isa).spec(mnemonic) for isa in NAMES] == [None, None]


def test_the_cycles_of_an_accumulation_are_those_that_the_document_explains() -> None:
    spec = spec_of("xdna1", "vmac.f")
    cycles = [(o.name, o.use_cycle, o.def_cycle) for o in spec.operands]
    assert cycles == [
        ("dst", None, 6),
        ("acc", 3, None),
        ("src1", 1, None),
        ("src2", 1, None),
        ("conf", 1, None),
    ]
    assert operand_of(spec_of("xdna2", "vmac.f"), "acc").use_cycle == 4


@pytest.mark.parametrize(
    ("isa", "syntax", "operand", "access", "use", "define"),
    [
        ("xdna1", "vlda.ups.s32.d16 dst:bm, shift:s, [ptr], mod:m", "shift", "r", 7, None),
        ("xdna1", "st.s16 src:r, [ptr], mod:m", "src", "r", 7, None),
        ("xdna1", "vldb.compr.pop dst:w, [ptr]", "dst", "w", None, 7),
        ("xdna1", "vunpack.d16.d8 dst:x, src:w", "src", "r", 7, None),
        ("xdna1", "vmax_lt.s8 dst:x, cmp:pair, src1:x, src2:x", "cmp", "w", None, 2),
        ("xdna1", "divs dst:r, r31, src1:r, src2:r", "r31", "rw", 1, 1),
        ("xdna2", "divs dst:r, r31, src1:r, src2:r", "r31", "rw", None, None),
        ("xdna2", "vups.2x dst:bm, src:w, shift:s, upssign0", "dst", "w", None, 3),
        ("xdna2", "vaddmac.f dst:dm, acc1:dm, acc2:dm, src1:x, src2:x, conf:r", "acc2", "r", 4,
         None),
        ("xdna2", "vadd.f dst:dm, acc1:dm, acc2:dm, conf:r", "acc2", "r", 4, None),
    ],
)  # fmt: skip
def test_operands_are_read_and_written_in_their_cycles(
    isa: str, syntax: str, operand: str, access: str, use: int | None, define: int | None
) -> None:
    found = operand_of(spec_of(isa, syntax.split()[0], syntax), operand)
    assert (found.access, found.use_cycle, found.def_cycle) == (access, use, define)


@pytest.mark.parametrize("isa", NAMES)
def test_branches_have_five_delay_slots_and_nothing_else_has(isa: str) -> None:
    found = {spec.mnemonic for spec in specs_of(isa) if spec.delay_slots}
    assert found == {"j", "jl", "jz", "jnz", "jnzd", "ret"}
    assert {spec.delay_slots for spec in specs_of(isa)} == {0, 5}
    flows = {spec.syntax: spec.flow for spec in specs_of(isa) if spec.delay_slots}
    assert flows == {
        "j #target": "jump",
        "j target:p": "indirect",
        "jl #target": None,
        "jl target:p": None,
        "jz cond:r, #target": "branch",
        "jnz cond:r, #target": "branch",
        "jnzd dst:r, src:r, target:p": "branch",
        "ret lr": "indirect",
    }


def test_a_call_writes_the_link_register() -> None:
    implicit = spec_of("xdna1", "jl").implicit
    assert [(each.register, each.access, each.def_cycle) for each in implicit] == [("lr", "w", 4)]
    assert spec_of("xdna2", "jl").implicit[0].def_cycle is None


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("mov r0, r1", ["mv"]),
        ("mov r0, ss", ["lda"]),
        ("mov ms, r1", ["st"]),
        ("mov r0, SS; mov r1, r2; mov ms, r3", ["lda", "mv", "st"]),
        ("j p0; vlda wl0, [p0], #32; vldb wl1, [p1], m0; vst wl2, [p2], #0; mov r0, r1; vclr cm0",
         ["alu", "lda", "ldb", "st", "mv", "vec"]),
        ("movxm r0, #1; vlda wl0, [p0], #32; vldb wl1, [p1], m0; vst wl2, [p2], #0; vclr cm0",
         ["lng", "lda", "ldb", "st", "vec"]),
    ],
)  # fmt: skip
def test_operations_take_their_slots_in_any_order(text: str, slots: list[str]) -> None:
    assert check_written("xdna1", text) == slots


@pytest.mark.parametrize(
    ("isa", "text"),
    [
        ("xdna1", "movxm r0, #1; ⟦mov⟧ r1, r2"),
        ("xdna1", "add r0, r0, r1; ⟦nopxm⟧"),
        ("xdna1", "nop; ⟦nopa⟧"),
        ("xdna1", "vlda wl0, [p0], #32; ⟦mova⟧ r0, #1"),
        ("xdna1", "mov r0, r1; nopa; nops; ⟦mov⟧ r1, #5"),
        ("xdna1", "mova r0, #1; ⟦mova⟧ r1, #1; nops; ⟦mova⟧ r2, #1; nopb"),
        ("xdna2", "vshuffle x7, x2, x4, r0; ⟦vbcst.16⟧ x0, r0"),
    ],
)
def test_an_operation_without_room_is_refused(isa: str, text: str) -> None:
    source, places = unmarked(text)
    found = analyze(isa, source).program.findings
    assert [(finding.code, finding.span) for finding in found] == [("E201", s) for s in places]
