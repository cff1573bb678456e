"""What may be written for operands, and what is said of the rest."""

from __future__ import annotations

import re

import pytest

from ipu_asm.flow.accesses import accesses_of
from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import instruction_markdown
from tests.targets.aie.cases import NAMES, analyze

LABEL = re.compile(r"\b(?!r\d)\w+:([^ ,\[\]]+?)(?=,|$|\[|\.[a-z])")


def check_errors(isa: str, text: str) -> list[tuple[str, str]]:
    """The codes of the errors of a text, with what they point at."""
    analysis = analyze(isa, text)
    return [(f.code, text[f.span.start : f.span.end]) for f in analysis.program.findings]


def message_of(isa: str, text: str) -> str:
    (finding,) = analyze(isa, text).program.findings
    return finding.message


def touched(isa: str, text: str) -> list[str]:
    """What a bundle touches: the register, how, and its place in the operand."""
    bundle = analyze(isa, text).program.bundles[0]
    assert bundle.findings == ()
    return [f"{t.register} {t.access}" for t in accesses_of(load_isa(isa), bundle)]


@pytest.mark.parametrize(
    ("isa", "text"),
    [
        ("xdna1", "PADDA [P0], #4"),
        ("xdna1", "mov crsat, r0; movx CRSAT, r1"),
        ("xdna1", "mov crSomethingElse, r0"),
        ("xdna1", "vldb wl0, [ p0 , # 32 ]"),
        ("xdna1", "vldb wl0, [p0, #4*4 * 2]"),
        ("xdna1", "mova r0, #(1<<3)|2"),
        ("xdna1", "mova r0, #size"),
        ("xdna1", "mova r0, #size*4+1"),
        ("xdna1", "movxm r0, #-2147483648; nopa"),
        ("xdna1", "movxm p0, #table+32"),
        ("xdna1", 'movxm p0, #"some table"'),
        ("xdna1", "vsel.8 x0, x1, x2, r17:r16; nopx"),
        ("xdna1", "vsel.8 x0, x1, x2, l0"),
        ("xdna1", "vsel.16 x0, x1, x2, r16"),
        ("xdna1", "vinsert.8 x0, x1, r29, r2"),
        ("xdna2", "vinsert.8 x0, x1, #0, r2"),
        ("xdna2", "vmov dm0, scd, r31++"),
        ("xdna2", "vadd dm0, dm1, SCD[r31++], r0"),
        ("xdna2", "inv r0.flt2fx, s3, r1.fx2flt, s2"),
        ("xdna2", "vfloor.s32.bf16 x0, bmll0[1], s0"),
        ("xdna2", "vfloor.s32.bf16 x0, bmll0[#1], s0"),
        ("xdna2", "event #0"),
        ("xdna2", "vge.8 r1:r0, x0, x1, vaddsign1"),
        ("xdna2", "vmov lfl0, x0; vst sfh, [p2], #64"),
    ],
)
def test_an_operand_may_be_written_so(isa: str, text: str) -> None:
    assert check_errors(isa, text) == []


@pytest.mark.parametrize(
    ("isa", "text", "code", "place"),
    [
        ("xdna1", "mova r0, 5", "E104", "5"),
        ("xdna1", "add r0, r1, p2", "E104", "p2"),
        ("xdna1", "add r0, r1, r32", "E104", "r32"),
        ("xdna1", "mova r0, #1/0", "E104", "#1/0"),
        ("xdna1", "mova r0, #1024", "E106", "#1024"),
        ("xdna1", "mova r0, #0x400", "E106", "#0x400"),
        ("xdna1", "mova r0, #2*512", "E106", "#2*512"),
        ("xdna1", "padda [p0], #2", "E106", "#2"),
        ("xdna2", "padda [p0], #32", "E106", "#32"),
        ("xdna2", "padda [p0], #512", "E106", "#512"),
        ("xdna1", "vlda y0, [p0], #32", "E104", "y0"),
        ("xdna1", "vldb wl0, [p0, #48]", "E106", "#48"),
        ("xdna2", "vldb ym0, [p0, #64]", "E104", "ym0"),
        ("xdna2", "vst.flush.512 [p1, sf, r26]", "E104", "p1"),
        ("xdna1", "vmac.f bml0, bml0, x0, x2", "E102", "vmac.f"),
        ("xdna1", "nopa r0", "E103", "r0"),
        ("xdna1", "vldx wl0, [p0]", "E101", "vldx"),
    ],
)
def test_an_operand_that_may_not_be_so_is_pointed_at(
    isa: str, text: str, code: str, place: str
) -> None:
    assert check_errors(isa, text) == [(code, place)]


@pytest.mark.parametrize(
    ("isa", "text", "said"),
    [
        (
            "xdna1",
            "padda [sp], #22",
            "operand `offset`: expected an immediate from `#-131072` to `#131040` in steps of 32, "
            "found `#22`",
        ),
        (
            "xdna2",
            "mova r0, #2*600",
            "operand `imm`: expected an immediate from `#-1024` to `#1023`, found `#2*600`, 1200",
        ),
        (
            "xdna1",
            "mul r0, p1, r2",
            "operand `src1`: expected a scalar register (`r0` to `r31`), found `p1`, a pointer "
            "register",
        ),
        ("xdna1", "j #.L1", "no label `.L1` in this file"),
        ("xdna1", "vmov.hi cm0, MCD", "operand `scd`: expected `scd`, found `MCD`"),
        (
            "xdna1",
            "movx r0, #3*",
            "operand `imm`: expected an immediate from `#-1024` to `#1023`, found `#3*`, which is "
            "not complete",
        ),
    ],
)
def test_a_message_says_what_is_expected_and_what_is_there(isa: str, text: str, said: str) -> None:
    assert message_of(isa, text) == said


@pytest.mark.parametrize(
    ("isa", "text", "registers"),
    [
        ("xdna1", "vlda wl0, [p0, #32]", ["wl0 w", "p0 r"]),
        ("xdna1", "vlda wl0, [p0], #32", ["wl0 w", "p0 rw"]),
        ("xdna1", "vst.2d wl0, [p0], d1", ["wl0 r", "p0 rw", "d1 r", "dc1 w"]),
        ("xdna1", "padda.3d [p0], d1", ["p0 rw", "d1 r", "d5 r", "dc1 w", "dc5 w"]),
        ("xdna1", "padda [sp], #32", ["sp rw"]),
        ("xdna1", "sel.eqz r0, r1, r2, r27", ["r0 w", "r1 r", "r2 r", "r27 r"]),
        ("xdna1", "vsel.8 x0, x1, x2, l0", ["x0 w", "x1 r", "x2 r", "r17:r16 r"]),
        ("xdna1", "jl p3", ["p3 r", "lr w"]),
        ("xdna1", "mov r0, WL0", []),
        ("xdna2", "vlda.pop.576 EX5, [p0, lf0, r24]", ["ex5 w", "p0 rw", "lf0 rw", "r24 rw"]),
        ("xdna2", "vst.flush.512 [p2, sf, r26]", ["p2 rw", "sf rw", "r26 rw"]),
        ("xdna2", "vadd dm0, dm1, scd[r31++], r0", ["dm0 w", "dm1 r", "r31 rw", "r0 r"]),
        ("xdna2", "vmov dm0, scd, r31", ["dm0 w", "r31 r"]),
        ("xdna2", "vabs_gtz.8 x0, r17:r16, x1, vaddsign0", ["x0 w", "r17:r16 w", "x1 r"]),
        ("xdna2", "inv r0.flt2fx, s3, r1", ["r0 w", "s3 r", "r1 r"]),
    ],
)
def test_an_operand_names_the_registers_that_it_touches(
    isa: str, text: str, registers: list[str]
) -> None:
    if registers:
        assert touched(isa, text) == registers
    else:
        assert [code for code, _ in check_errors(isa, text)] == ["E104"]


def test_a_touched_register_stands_where_it_is_said_to() -> None:
    text = "vlda.pop.512 x0, [ p0,lf0 , r24, m3]; vst wl1, [p2, dj2]"
    bundle = analyze("xdna2", text).program.bundles[0]
    for touch in accesses_of(load_isa("xdna2"), bundle):
        span = bundle.syntax.part_span(touch.instruction, touch.operand, touch.start, touch.end)
        assert text[span.start : span.end] == touch.register


@pytest.mark.parametrize(
    ("isa", "register", "parts"),
    [
        ("xdna1", "cm0", "amhh0 amhl0 amlh0 amll0"),
        ("xdna1", "bmh3", "amhh3 amhl3"),
        ("xdna1", "x5", "wh5 wl5"),
        ("xdna1", "y2", "wh4 wh5 wl4 wl5"),
        ("xdna1", "d4", "dc4 dj4 dn4 m4"),
        ("xdna1", "r17:r16", "r16 r17"),
        ("xdna1", "qx1", "qh1 ql1 wh1 wl1"),
        ("xdna1", "qwl2", "ql2 wl2"),
        ("xdna1", "r5", "r5"),
        ("xdna2", "dm4", "bmhh4 bmhl4 bmlh4 bmll4"),
        ("xdna2", "cmh1", "bmhh1 bmhl1"),
        ("xdna2", "y0", "wh0 wh1 wl0 wl1"),
        ("xdna2", "ex11", "eh11 el11 wh11 wl11"),
        ("xdna2", "ey5", "eh10 eh11 el10 el11 wh10 wh11 wl10 wl11"),
        ("xdna2", "ewh3", "eh3 wh3"),
        ("xdna2", "qey1", "eh2 eh3 el2 el3 qh2 qh3 ql2 ql3 wh2 wh3 wl2 wl3"),
        ("xdna2", "lf1", "lfh1 lfl1"),
        ("xdna2", "sf", "sfh sfl"),
        ("xdna2", "r1:r0", "r0 r1"),
    ],
)
def test_a_register_is_made_of_its_parts(isa: str, register: str, parts: str) -> None:
    assert sorted(load_isa(isa).units(register)) == parts.split()


@pytest.mark.parametrize("isa", NAMES)
def test_every_file_of_registers_is_explained(isa: str) -> None:
    found = load_isa(isa)
    titles = [file.title for file in found.register_files]
    assert len(titles) == len(set(titles))
    assert all(file.summary and file.registers for file in found.register_files)
    names = [name.lower() for file in found.register_files for name in file.registers]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("isa", NAMES)
def test_a_syntax_line_calls_registers_by_the_names_of_their_files(isa: str) -> None:
    found = load_isa(isa)
    files = {file.name for file in found.register_files}
    lines = {form.syntax for spec in found.instructions.values() for form in found.forms(spec)}
    names = {name for line in lines for label in LABEL.findall(line) for name in label.split("|")}
    assert len(names) > 15
    assert {re.sub(r"\d+-\d+$", "", name) for name in names} - {"..."} <= files


def test_an_operand_of_many_files_tells_all_its_registers() -> None:
    (form,) = load_isa("xdna1").forms(load_isa("xdna1").instructions["mova"])
    assert form.syntax == "mova dst:r|p|..., #imm"
    assert form.operands[0].type.describe() == (
        "a scalar, pointer or address register (`r0-r31`, `p0-p7`, `m0-m7`, `dn0-dn7`, `dj0-dj7`, "
        "`dc0-dc7`, `lc`)"
    )
    assert form.operands[1].type.bounds == "`#-1024` to `#1023`"


def test_other_forms_are_listed_with_the_bounds_of_their_numbers() -> None:
    page = instruction_markdown(load_isa("xdna1"), load_isa("xdna1").instructions["lda"])
    assert "- `lda dst:q, [ptr, #offset]` (slot `lda`), `#-512` to `#496` in steps of 16\n" in page
