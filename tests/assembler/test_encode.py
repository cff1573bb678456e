"""From texts to words, or to every reason why there are none."""

from __future__ import annotations

from typing import Any

import pytest

import ipu_asm
from ipu_asm.assembler.encode import AssemblyError, assemble, encode, errors_of
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.program.build import read_program
from ipu_asm.text import Span

LIMIT = 1024


def check_words(text: str, *words: int) -> None:
    """The words of a program, by every way to them."""
    isa = load_isa("ipu")
    assert assemble(text) == list(words)
    assert assemble(text, "ipu") == assemble(text, isa) == encode(read_program(isa, text))


def check_refusal(text: str, *names: str) -> AssemblyError:
    """The error of a program that has these findings, by position."""
    with pytest.raises(AssemblyError) as refusal:
        assemble(text)
    findings = refusal.value.findings
    assert [finding.name for finding in findings] == list(names)
    assert sorted(findings, key=lambda finding: finding.span) == list(findings)
    assert all(finding.severity is Severity.ERROR for finding in findings)
    assert errors_of(read_program(load_isa("ipu"), text)) == list(findings)
    return refusal.value


NOTHING = assemble("acc_nop; b +0;;")[0]
BRANCH_FIELDS = (1 << 21) - 1


def test_one_word_for_each_bundle() -> None:
    word = 0x1 << 109 | NOTHING & ~(0xF << 109)
    check_words("acc.first; b +0;;", word)
    check_words("acc.first; b +0;; acc.first; b -1;; # c", word, word)


def test_a_branch_field_holds_the_absolute_address() -> None:
    words = assemble("acc;; x: acc;; b x;; b +1;; b -1;;")
    assert [word & 0x3FF for word in words] == [1, 2, 1, 4, 3]


def test_a_bundle_without_a_branch_goes_on_at_the_next_address() -> None:
    words = assemble("acc_nop;;" * 1023 + "acc_nop; b +0;;")
    assert [word & 0x3FF for word in words] == [*range(1, 1024), 1023]
    assert {word >> 21 for word in words} == {NOTHING >> 21}


def test_a_full_memory_ends_in_a_bundle_with_a_branch() -> None:
    assert len(assemble("bkpt;;" * LIMIT)) == LIMIT
    error = check_refusal("bkpt;;" * (LIMIT - 1) + "acc;;", "program-too-large")
    assert error.findings[0].span.start == len("bkpt;;") * (LIMIT - 1)
    assert "1024" in str(error)


def test_one_bundle_more_than_memory_holds_is_refused() -> None:
    error = check_refusal("bkpt;;" * (LIMIT + 3), "program-too-large")
    assert error.findings[0].span.start == len("bkpt;;") * LIMIT


@pytest.mark.parametrize("text", ["", "\n\n", "# acc;;", "\ufeff", " // x"])
def test_a_text_without_a_bundle_is_refused_at_its_start(text: str) -> None:
    error = check_refusal(text, "syntax-error")
    assert error.findings[0].span == Span(0, 0)


def test_a_label_alone_is_refused_for_what_it_is() -> None:
    error = check_refusal("\nx:", "syntax-error")
    assert error.findings[0].span == Span(1, 2)


def test_all_errors_of_a_text_are_told_at_once() -> None:
    check_refusal(
        "b x;; foo;; incr lr0 lr1;; @;; acc; acc;; set lr0 1; set lr0 2;; y:",
        "undefined-label", "unknown-mnemonic", "wrong-operand-type", "syntax-error",
        "duplicate-slot", "lr-write-conflict", "syntax-error",
    )  # fmt: skip


def test_the_error_speaks_of_the_first_finding_and_counts_the_others() -> None:
    error = check_refusal("foo;; bar;;", "unknown-mnemonic", "unknown-mnemonic")
    assert str(error) == "unknown mnemonic `foo` (E101) and 1 more"
    assert str(check_refusal("foo;;", "unknown-mnemonic")) == "unknown mnemonic `foo` (E101)"


def test_warnings_refuse_nothing() -> None:
    text = "unused: mult.ev r0 lr0 lr1 lr2; break; incr lr0 40000;;"
    assert len(ipu_asm.analyze(text).diagnostics) > 2
    assert len(assemble(text)) == 1


def test_a_suppressed_error_is_still_an_error() -> None:
    check_refusal("foo;; # ipu: ignore[unknown-mnemonic] no", "unknown-mnemonic")


def test_the_package_offers_assembling_and_its_error() -> None:
    assert ipu_asm.assemble is assemble
    assert ipu_asm.AssemblyError is AssemblyError


def test_an_unknown_instruction_set_is_refused_by_name() -> None:
    with pytest.raises(UnknownIsaError, match="z80"):
        assemble("acc;;", "z80")


TEMPLATE = """\
{% set k = "lr5" %}
{% for row in range(2) %}
incr {{ k }} {{ row }};;
{% endfor %}
bkpt;;
"""


def test_a_template_gives_the_words_of_its_expansion() -> None:
    assert assemble(TEMPLATE) == assemble("incr lr5 0;; incr lr5 1;; bkpt;;")


def test_the_errors_of_a_template_are_where_they_were_written() -> None:
    text = TEMPLATE.replace('"lr5"', '"lr55"')
    with pytest.raises(AssemblyError) as refusal:
        assemble(text)
    (finding,) = refusal.value.findings
    assert (finding.code, text[slice(*finding.span)]) == ("E104", "{{ k }}")


def test_a_template_that_cannot_be_rendered_has_no_other_error() -> None:
    with pytest.raises(AssemblyError) as refusal:
        assemble("acc;;\n{% for %}\n")
    assert [finding.code for finding in refusal.value.findings] == ["E401"]


def test_a_template_without_a_bundle_is_refused() -> None:
    with pytest.raises(AssemblyError, match="at least one bundle"):
        assemble("{# nothing #}")


def test_defines_are_the_variables_of_a_template() -> None:
    words = assemble("set lr{{ reg }} {{ n }};;", defines={"reg": 3, "n": 1})
    assert words == assemble("set lr3 1;;")
    assert assemble("set lr3 1;;", defines={"reg": 3}) == words


@pytest.mark.parametrize("defines", [{"a-b": 1}, {"": 1}, {"a": float("inf")}, {"a": object()}])
def test_defines_that_no_template_can_use_are_refused(defines: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        assemble("bkpt;;", defines=defines)
