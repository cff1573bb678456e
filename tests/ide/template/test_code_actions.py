"""Code actions on templates: only where the written text is what the assembler reads, once."""

from __future__ import annotations

from ipu_asm import analyze
from ipu_asm.ide.code_actions import CodeAction, code_actions
from ipu_asm.text import Span, apply_edits
from tests.ide.cursor import fixture


def actions_at(text_with_cursor: str) -> tuple[str, list[CodeAction]]:
    analysis, offset = fixture(text_with_cursor)
    return analysis.text, code_actions(analysis, Span(offset, offset))


def outcome(text_with_cursor: str, title: str) -> str | None:
    """What the action whose title begins so makes of a template; None if there is none."""
    text, actions = actions_at(text_with_cursor)
    found = [action for action in actions if action.title.startswith(title)]
    return apply_edits(text, found[0].edits) if found else None


def declared(text: str, name: str) -> list[str]:
    """The states of a template after each declaration of an undefined name."""
    analysis = analyze(text)
    at = text.rindex(name)
    actions = code_actions(analysis, Span(at, at), ["quickfix"])
    return [apply_edits(text, action.edits) for action in actions]


def test_a_refactoring_of_literal_text_is_offered() -> None:
    assert outcome("{% set a = 1 %}set lr0 0x$010;; bkpt;;", "Convert `0x10` to decimal") == (
        "{% set a = 1 %}set lr0 16;; bkpt;;"
    )


def test_a_refactoring_of_a_value_is_not_offered() -> None:
    assert outcome("{% set a = '0x10' %}set lr0 {{ $0a }};; bkpt;;", "Convert") is None


def test_a_refactoring_in_a_loop_is_not_offered() -> None:
    text = "{% for x in [1, 2] %}set lr{{ x }} 0x$010;;{% endfor %} bkpt;;"
    assert outcome(text, "Convert") is None


def test_a_refactoring_of_text_that_is_not_rendered_is_not_offered() -> None:
    assert outcome("{% if 0 %}set lr1 0x$010;;{% endif %} bkpt;;", "Convert") is None


def test_a_finding_in_a_loop_is_ignored_where_it_is_written() -> None:
    text = "acc;;\n{% for x in [1, 2] %}\nun$0used{{ x }}: acc;;\n{% endfor %}\nbkpt;;"
    assert outcome(text, "Ignore") == (
        "acc;;\n{% for x in [1, 2] %}\nunused{{ x }}: acc;;  # ipu: ignore[unused-label]\n"
        "{% endfor %}\nbkpt;;"
    )


def test_a_comment_is_not_put_into_a_tag() -> None:
    assert outcome("un$0used: acc;; {% if\n1 %} bkpt;; {% endif %}", "Ignore") is None


def test_an_undefined_name_is_declared_in_a_comment_on_top() -> None:
    text = "set lr0 {{ cols }};;\r\n"
    assert declared(text, "cols") == ["{# ipu: context cols=1 #}\r\n" + text]
    assert not [f for f in analyze(declared(text, "cols")[0]).diagnostics if f.code == "E402"]


def test_an_undefined_name_is_added_to_the_contexts_of_the_file() -> None:
    text = "{# ipu: context rows=2 #}{# ipu: context rows=4#}\nset lr0 {{ cols }};;"
    assert declared(text, "cols") == [
        "{# ipu: context rows=2 cols=1 #}{# ipu: context rows=4 cols=1#}\nset lr0 {{ cols }};;"
    ]
