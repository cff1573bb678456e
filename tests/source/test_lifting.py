"""Findings about an expansion stand where the author wrote what they are about."""

from __future__ import annotations

from ipu_asm import analyze


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
