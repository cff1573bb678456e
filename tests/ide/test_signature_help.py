"""The operands of the instruction that is being written, at every moment of writing it."""

from __future__ import annotations

import re

import pytest

from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.ide.signature_help import Signature, signature_help, signatures
from ipu_asm.isa import available_isas, load_isa, manifests
from ipu_asm.isa.model import InstructionSpec
from tests.ide.cursor import fixture

ENCODABLE = [name for name, manifest in manifests().items() if manifest.is_encodable]

INCR = "incr reg value"
SPECS = [
    pytest.param(name, spec, id=f"{name}-{spec.mnemonic}")
    for name in ENCODABLE
    for spec in load_isa(name).instructions.values()
]


def check_signature(
    text_with_cursor: str, label: str | None, active: str | None = None, isa: str = "ipu"
) -> Signature | None:
    """The syntax line at the cursor, None for none, and the operand in it that is next."""
    found = signature_help(*fixture(text_with_cursor, isa))
    assert (found.label if found else None) == label
    if found is not None:
        labels = [parameter.label for parameter in found.parameters]
        assert (None if found.active is None else labels[found.active]) == active
    return found


@pytest.mark.parametrize(
    "text",
    ["$0", "inc$0r lr0 1;;", "$0incr lr0 1;;", "incr$0", "# incr $0", "incr lr0 1; $0",
     "incr lr0 1;;$0", "x: $0", "frob $0", "; $0", "x$0:"],
)  # fmt: skip
def test_without_a_mnemonic_in_front_there_is_none(text: str) -> None:
    check_signature(text, None)


def test_the_first_operand_is_next_behind_the_mnemonic() -> None:
    check_signature("incr $0", INCR, "reg")
    check_signature("x: incr\n  $0", INCR, "reg")
    check_signature("acc; incr $0; bkpt;;", INCR, "reg")


def test_an_operand_is_active_from_its_first_letter_to_its_last() -> None:
    for text in ("incr $0lr0 1;;", "incr l$0r0 1;;", "incr lr0$0 1;;", "incr lr0$0"):
        check_signature(text, INCR, "reg")
    for text in ("incr lr0 $0;;", "incr lr0 $01;;", "incr lr0 12$0;;", "incr lr0 -$0"):
        check_signature(text, INCR, "value")


def test_behind_the_last_operand_nothing_is_active() -> None:
    check_signature("incr lr0 1 $0;;", INCR)
    check_signature("incr lr0 1 2$0;;", INCR)
    check_signature("acc $0;;", "acc")


def test_wrong_operands_before_the_cursor_count_and_stray_signs_do_not() -> None:
    check_signature("add lr99 ? $0", "add dest src_a src_b", "src_a")
    check_signature("add lr0, lr1 $0", "add dest src_a src_b", "src_b")


def test_an_operand_says_what_it_is_and_what_it_takes() -> None:
    found = check_signature("incr $0", INCR, "reg")
    assert found
    assert found.summary == load_isa("ipu").instructions["incr"].doc.summary
    assert [p.markdown.count("\n\n") for p in found.parameters] == [1, 1]
    assert "`lr0` to `lr15`" in found.parameters[0].markdown


def test_operands_behind_commas_are_counted_by_them() -> None:
    line = "LOAD dst, ddr_addr, length [, flags]"
    check_signature("LOAD $0", line, "dst", "edgenpu")
    check_signature("load AB[$0", line, "dst", "edgenpu")
    check_signature("LOAD AB[ 0 ] $0", line, "dst", "edgenpu")
    check_signature("LOAD AB[0],$0 0x80, 64", line, "ddr_addr", "edgenpu")
    check_signature("LOAD AB[0], 0x80, 64$0, ASYNC", line, "length", "edgenpu")
    check_signature("LOAD AB[0], 0x80, 64, ASYNC | $0", line, "flags", "edgenpu")
    check_signature("LOAD AB[0], 0x80, 64, ASYNC, $0", line, None, "edgenpu")


def test_operands_with_a_name_are_active_by_it() -> None:
    line = "POOL dst, src [, type] [, kernel=HxW] [, stride=HxW]"
    check_signature("POOL AB[0], AB[1], $0", line, "type", "edgenpu")
    check_signature("POOL AB[0], AB[1], AVG, $0", line, "kernel=HxW", "edgenpu")
    check_signature("POOL AB[0], AB[1], stride=$0", line, "stride=HxW", "edgenpu")
    check_signature("POOL AB[0], AB[1], Stride=2$0x2", line, "stride=HxW", "edgenpu")
    check_signature("POOL AB[0], AB[1], stride=2x2, kernel=3x3, $0", line, "type", "edgenpu")
    check_signature("POOL AB[0], AB[1], AVG, stride=2x2, stride=$0", line, "kernel=HxW", "edgenpu")


def test_of_operands_that_may_be_left_out_the_word_tells_which_it_is() -> None:
    line = "SYNC [flags] [, barrier_id]"
    check_signature("SYNC WAIT$0_DMA", line, "flags", "edgenpu")
    check_signature("SYNC 0x1$00", line, "barrier_id", "edgenpu")
    check_signature("SYNC W$0", line, "flags", "edgenpu")


@pytest.mark.parametrize(("isa", "spec"), SPECS)
def test_every_operand_is_found_in_its_line_as_a_whole_word(
    isa: str, spec: InstructionSpec
) -> None:
    found = signature_help(analyze(f"{spec.mnemonic} ", isa), len(spec.mnemonic) + 1)
    assert found
    assert len(found.parameters) == len(spec.operands)
    starts = []
    for parameter in found.parameters:
        # As editors look for it: between characters that belong to no word, the first time.
        match = re.search(rf"(?<!\w){re.escape(parameter.label)}(?!\w)", found.label)
        assert match
        starts.append(match.start())
    assert starts == sorted(set(starts))


@pytest.mark.parametrize(("isa", "spec"), SPECS)
def test_an_instruction_is_typed_letter_by_letter(isa: str, spec: InstructionSpec) -> None:
    analyzer = Analyzer(load_isa(isa))
    joint = analyzer.isa.surface.operand_separator
    required = [operand for operand in spec.operands if not operand.optional]
    start = f"{spec.mnemonic} "
    text = start + joint.join(operand.type.format(0) for operand in required)
    analysis = analyzer.analyze("")
    for end in range(len(start), len(text) + 1):
        analysis = analyzer.analyze(text[:end], before=analysis)
        found = signature_help(analysis, end)
        assert found
        if required:
            due = required[text.count(joint.strip() or joint, len(start), end)]
            assert found.active == spec.operands.index(due)


def check_forms(text_with_cursor: str, isa: str, *labels: str) -> list[str | None]:
    """The first signatures at the cursor; of each of these the operand that is next."""
    found = signatures(*fixture(text_with_cursor, isa))[: len(labels)]
    assert [each.label for each in found] == list(labels)
    return [None if f.active is None else f.parameters[f.active].label for f in found]


def test_the_form_that_fits_what_is_written_comes_first() -> None:
    first = "vlda dst:w, [ptr, dj]"
    assert check_forms("vlda wl0, $0", "xdna1", first) == ["[ptr, dj]"]
    assert check_forms("nopb; vlda wl0, [p0]$0", "xdna1", "vlda dst:w, [ptr], mod:m") == ["[ptr]"]
    behind = check_forms("vlda wl0, [p0], #3$02", "xdna1", "vlda dst:w, [ptr], #offset")
    assert behind == ["offset"]


def test_inside_brackets_their_operand_is_still_next() -> None:
    for text in ("vlda wl0, [$0", "vlda wl0, [p0, $0", "vlda wl0, [p0, dj$0]"):
        assert check_forms(text, "xdna1", "vlda dst:w, [ptr, dj]") == ["[ptr, dj]"]


@pytest.mark.parametrize("isa", sorted(set(available_isas()) - set(ENCODABLE)))
def test_every_form_has_its_operands_in_its_line(isa: str) -> None:
    description = load_isa(isa)
    for mnemonic, first in description.instructions.items():
        found = signatures(analyze(f"{mnemonic} ", isa), len(mnemonic) + 1)
        assert len(found) == len({form.syntax for form in description.forms(first)})
        for shown in found:
            places = [
                re.search(rf"(?<!\w){re.escape(parameter.label)}(?!\w)", shown.label)
                for parameter in shown.parameters
            ]
            starts = [place.start() for place in places if place]
            assert len(starts) == len(places), shown.label
            assert starts == sorted(set(starts)), shown.label


def test_nothing_is_said_where_an_argument_of_a_macro_stands_among_the_operands() -> None:
    body = ".macro M a\n{}\n.endm\n"
    for line in ("add \\a, $0", "add \\a$0, $m0", "add $m0, $a\\a$0", "brz $m0, \\a\\()_x$0"):
        check_signature(body.format(line), None, isa="colossus")
    for line in ("add \\a, $0", "vlda wl0, [\\a, #$0]"):
        check_signature(body.format(line), None, isa="xdna1")
    check_signature(body.format("bri $0"), "bri target19", "target19", isa="colossus")


@pytest.mark.parametrize(
    ("value", "label"),
    [("m3", "mov $mDst0, $mSrc0"), ("a3", "mov $aDst0, $aSrc0"), ("a2:3", "mov aDst0:2, aSrc0:2")],
)
def test_a_name_of_the_file_counts_as_what_it_stands_for(value: str, label: str) -> None:
    text = f"#define NAME {value}\n mov $NAME, $0"
    check_signature(text, label, label.split(", ")[1].lstrip("$"), "colossus")


def test_a_name_that_is_a_number_is_one() -> None:
    text = "#define OFF (4+2)\n add $m0, $m1, OF$0F\n"
    check_signature(text, "add $mDst0, $mSrc0, imm16", "imm16", "colossus")


MACROS = """// Goes one step.
.macro STEP dst, src=$m2, n:req
 mov \\dst, \\src
.endm
.macro ALL first, rest:vararg
.endm
.macro STOP
.endm
"""
DEFINES = """/* Fills a register. */
#define FILL(r, v) \\
 add r, r, v
#define SUM(r, ...) add r, r, __VA_ARGS__
#define FIRST $m0
"""
STEP = "STEP dst, src=$m2, n"
FILL = "FILL(r, v)"


def check_call(
    line: str, label: str | None, active: str | None = None, isa: str = "colossus"
) -> Signature | None:
    """The same after definitions of macros; where they are known, in a set without `#define`."""
    return check_signature(MACROS + DEFINES * (isa == "colossus") + line, label, active, isa)


@pytest.mark.parametrize("isa", ["colossus", "xdna1", "xdna2"])
def test_a_macro_of_the_file_has_its_parameters(isa: str) -> None:
    check_call("STEP $0", STEP, "dst", isa)
    check_call("here: STEP r1$0", STEP, "dst", isa)
    check_call("STEP r1, $0", STEP, "src=$m2", isa)
    check_call("STEP r1, , 3$0 // that is all", STEP, "n", isa)
    check_call("STEP r1, r2, 3, $0\n nop\n", STEP, None, isa)
    check_call("STOP $0", "STOP", None, isa)
    for text in ("ST$0EP r1", "$0STEP r1", "STEP$0", "STEP // $0", "STEPS $0", "STEP r1\n$0"):
        check_call(text, None, isa=isa)


def test_a_macro_says_what_stands_above_it_and_its_line() -> None:
    found = check_call(" STEP $0", STEP, "dst")
    assert found
    assert found.summary == "Goes one step.\n\nline 2"
    assert [each.markdown for each in found.parameters] == [
        "", "`$m2` by default.", "Required."
    ]  # fmt: skip
    found = check_call(" STOP $0", "STOP")
    assert found
    assert found.summary == "line 7"
    found = check_call(" FILL($0", FILL, "r")
    assert found
    assert found.summary == "Fills a register.\n\nline 10"


def test_a_named_argument_is_active_by_its_name() -> None:
    for text in ("STEP n=$0", "STEP n = 3$0", "STEP n$0=3", "STEP $m0, n=$m1$0, 1"):
        check_call(text, STEP, "n")
    check_call("STEP n=3, $0", STEP, "dst")
    check_call("STEP dst=$m1 n=3 $0", STEP, "src=$m2")
    check_call("STEP n==$0", STEP, "dst")
    check_call("STEP other=$0", STEP, "dst")


def test_only_commas_and_blanks_outside_of_brackets_and_strings_separate_arguments() -> None:
    check_call("STEP (1, 2), $0", STEP, "src=$m2")
    check_call("STEP (1, $0", STEP, "dst")
    check_call('STEP "a, b", $0', STEP, "src=$m2")
    check_call('STEP "a, $0', STEP, "dst")
    check_call("STEP /* a, b */ $0", STEP, "dst")
    check_call("STEP $m0 + 1, 2 * $0", STEP, "src=$m2")
    check_call("STEP $m0 $0", STEP, "dst")
    check_call("STEP $m0 $m1$0", STEP, "src=$m2")
    check_call("STEP $m0 $m1 $0", STEP, "n")
    check_call("STEP $m0 , $0", STEP, "src=$m2")


def test_the_last_parameter_may_take_all_that_follows() -> None:
    for text in ("ALL 1, $0", "ALL 1, 2, 3, $0"):
        check_call(text, "ALL first, rest", "rest")
    check_call("SUM(a, b, c$0)", "SUM(r, ...)", "...")


def test_a_definition_of_the_preprocessor_has_its_parameters_between_its_parentheses() -> None:
    for text in ("FILL($0", "FILL ( $m0$0, 1)", "{ FILL((1, 2$0), 3) ; nop }", "FILL(v=$0)"):
        check_call(text, FILL, "r")
    for text in ("FILL($m0, $0)", "FILL([1, $0", 'FILL(",", $0)', "FILL(',', 1$0) // that is all"):
        check_call(text, FILL, "v")
    check_call("FILL(1, 2, $0)", FILL)
    for text in ("FI$0LL(", "FILL$0(1)", "FILL $0", "FILL(1, 2)$0", "FILL(1, 2) $0", "FIRST $0"):
        check_call(text, None)


def test_a_macro_with_several_definitions_has_all_and_first_the_one_that_takes_what_is_due() -> (
    None
):
    both = "#if A\n#define X(a) a\n#else\n#define X(a, b) a\n#endif\n"
    assert check_forms(f"{both} X($0", "colossus", "X(a)", "X(a, b)") == ["a", "a"]
    assert check_forms(f"{both} X(1, $0", "colossus", "X(a, b)", "X(a)") == ["b", None]


def test_an_instruction_stays_one_where_a_macro_has_its_name() -> None:
    text = ".macro bri a, b\n.endm\n#define mov(x) x\n"
    check_signature(f"{text} bri $0", "bri target19", "target19", "colossus")
    check_signature(f"{text} mov $m0, $0", "mov $mDst0, $mSrc0", "mSrc0", "colossus")


def test_a_set_without_macros_has_no_signatures_of_them() -> None:
    check_signature(".macro STEP a\n.endm\nSTEP $0", None)


def test_a_macro_that_is_called_in_a_body_has_its_parameters_too() -> None:
    check_call(".macro M a\n STEP \\a, $0\n.endm\n", STEP, "src=$m2")


TEMPLATE_HEAD = (
    "{% macro save(reg, n=1) %} {# keeps it #} incr {{ reg }} {{ n }};; {% endmacro %}\n"
)


@pytest.mark.parametrize(
    ("text", "active"),
    [
        ("{{ save($0", 0),
        ("{{ save($0) }}", 0),
        ("{{ save('lr1', $0) }}", 1),
        ("{{ save('lr1'$0, 2) }}", 0),
        ("{{ save(n=$0", 1),
        ("{{ save([1, 2], $0", 1),
        ("{{ save(range($0) }}", 0),
        ("{{ save(1, 2, $0", None),
    ],
)
def test_a_call_of_a_macro_shows_its_parameters(text: str, active: int | None) -> None:
    shown = signature_help(*fixture(TEMPLATE_HEAD + text))
    assert shown is not None
    assert (shown.label, shown.active) == ("save(reg, n=1)", active)
    assert shown.summary == "keeps it\n\nline 1"
    assert [each.label for each in shown.parameters] == ["reg", "n=1"]
    assert shown.parameters[1].markdown == "`1` by default"


@pytest.mark.parametrize(
    "text", ["{{ save$0(1) }}", "{{ save(1)$0 }}", "{{ other($0", "{% macro x($0"]
)
def test_outside_of_a_call_there_is_no_signature(text: str) -> None:
    assert signature_help(*fixture(TEMPLATE_HEAD + text)) is None


def test_operands_that_are_values_count() -> None:
    shown = signature_help(*fixture(TEMPLATE_HEAD + "{% set k = 'lr1' %}incr {{ k }} $0;;"))
    assert shown is not None
    assert (shown.label, shown.active) == ("incr reg value", 1)
