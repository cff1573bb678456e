"""Findings about an expansion stand where the author wrote what they are about."""

from __future__ import annotations

from ipu_asm import analyze
from ipu_asm.text import apply_edits


def check(text: str, *expected: tuple[str, str]) -> None:
    """A template has these findings: code and written text."""
    found = [(f.code, text[slice(*f.span)]) for f in analyze(text).diagnostics]
    assert found == list(expected)


def test_a_finding_in_literal_text_stands_at_that_text() -> None:
    check('{% set k = "lr5" %}\nincrr {{ k }} 1;;\nbkpt;;', ("E101", "incrr"))


def test_a_finding_in_a_value_stands_at_its_use() -> None:
    check('{% set k = "lr55" %}\nincr {{ k }} 1;;\nbkpt;;', ("E104", "{{ k }}"))


def test_a_finding_in_each_iteration_is_reported_once() -> None:
    check("{% for i in range(3) %}\nincrr lr0 {{ i }};;\n{% endfor %}\nbkpt;;", ("E101", "incrr"))


def fixed(text: str) -> str | None:
    """A text with the fix of its only finding, if it has one."""
    [finding] = analyze(text).diagnostics
    return apply_edits(text, finding.fix.edits) if finding.fix else None


def test_a_fix_that_holds_in_each_iteration_is_offered() -> None:
    loop = "{{% for i in range(3) %}}\n    {} lr0 1;;\n{{% endfor %}}\n    bkpt;;\n"
    assert fixed(loop.format("incrr")) == loop.format("incr")


def test_a_fix_that_holds_in_some_iterations_only_is_not_offered() -> None:
    text = """{% for ending in ["", "r"] %}
    incr{{ ending }} lr0 1;;
{% endfor %}
    bkpt;;
"""
    assert fixed(text) is None
    argument = """{% macro step(name) %}    {{ name }} lr0 1;;
{% endmacro %}{{ step("incr") }}{{ step("incrr") }}    bkpt;;
"""
    assert fixed(argument) is None
