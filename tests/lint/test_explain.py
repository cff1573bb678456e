"""The pages that `--explain` shows, and what it suggests."""

from __future__ import annotations

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.lint.rules import all_rules
from ipu_asm.reports.pages import explain, instruction_markdown, rule_markdown, suggestions

IPU = load_isa("ipu")


def check_page(query: str, *expected: str) -> str:
    """There is a page for the query, with these texts in it."""
    page = explain(query, IPU)
    assert page is not None
    for text in expected:
        assert text in page
    return page


def check_suggestions(query: str, *expected: str) -> None:
    """There is no page for the query, and these are suggested, in this order."""
    assert explain(query, IPU) is None
    assert suggestions(query, IPU) == list(expected)


def test_every_rule_is_found_by_its_code_and_its_name_in_any_case() -> None:
    for rule in all_rules():
        code, name, _ = rule.id
        for query in (code, name, code.lower(), name.upper()):
            assert check_page(query, code, name, rule.summary) == rule_markdown(rule)


def test_a_page_tells_severity_and_fixes() -> None:
    check_page("unused-label", "# unused-label", "`H104` · hint · unsafe fix")
    check_page("E001", "`E001` · error · safe or unsafe fix")
    check_page("too-few-operands", "`E102` · error · no fix")
    check_page("explicit-break", "`H101` · hint · unsafe fix")


def test_every_mnemonic_has_its_page_in_any_case() -> None:
    for mnemonic, spec in IPU.instructions.items():
        assert check_page(mnemonic) == instruction_markdown(IPU, spec)
        assert explain(mnemonic.upper(), IPU) == instruction_markdown(IPU, spec)


def test_rules_are_explained_for_every_instruction_set() -> None:
    assert explain("E101", load_isa("edgenpu")) == explain("E101", IPU)


def test_near_names_are_suggested_first() -> None:
    check_suggestions("unused-lable", "unused-label")
    check_suggestions("acc.frist", "acc.first")
    check_suggestions("H1O4", "H104")
    check_suggestions("w399", "W313", "W312", "W311")


def test_names_with_the_word_in_them_are_suggested() -> None:
    labels = ["undefined-label", "duplicate-label", "unused-label", "ambiguous-label"]
    check_suggestions("label", *labels)
    check_suggestions("mult", "mult.ee", "mult.ev", "mult.ve", "mult_nop", "mult.ve.cr")
    check_suggestions("stride", "stride-past-end", "acc.stride")


@pytest.mark.parametrize("query", ["", "x", "no such thing at all", "\0\n"])
def test_nothing_is_suggested_for_nothing_near(query: str) -> None:
    check_suggestions(query)
