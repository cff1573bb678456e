"""Signature help in calls of template macros, and of instructions with values as operands."""

from __future__ import annotations

import pytest

from ipu_asm.ide.signature_help import signature_help
from tests.ide.cursor import fixture

HEAD = "{% macro save(reg, n=1) %} {# keeps it #} incr {{ reg }} {{ n }};; {% endmacro %}\n"


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
    shown = signature_help(*fixture(HEAD + text))
    assert shown is not None
    assert (shown.label, shown.active) == ("save(reg, n=1)", active)
    assert shown.summary == "keeps it\n\nline 1"
    assert [each.label for each in shown.parameters] == ["reg", "n=1"]
    assert shown.parameters[1].markdown == "`1` by default"


@pytest.mark.parametrize(
    "text", ["{{ save$0(1) }}", "{{ save(1)$0 }}", "{{ other($0", "{% macro x($0"]
)
def test_outside_of_a_call_there_is_no_signature(text: str) -> None:
    assert signature_help(*fixture(HEAD + text)) is None


def test_operands_that_are_values_count() -> None:
    shown = signature_help(*fixture(HEAD + "{% set k = 'lr1' %}incr {{ k }} $0;;"))
    assert shown is not None
    assert (shown.label, shown.active) == ("incr reg value", 1)
