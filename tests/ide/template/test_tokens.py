"""Semantic tokens of templates."""

from __future__ import annotations

from ipu_asm import analyze
from ipu_asm.ide.semantic_tokens import template_tokens


def tokens_of(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (text[token.span.start : token.span.end], token.kind, token.modifiers)
        for token in template_tokens(analyze(text))
    ]


def kinds_of(text: str) -> dict[str, str]:
    return {word: kind for word, kind, _ in tokens_of(text)}


def test_a_name_of_a_register_has_the_colour_of_the_register() -> None:
    tokens = tokens_of('{% set k = "lr5" %}set {{ k }} 1;;')
    assert ("k", "variable", ("definition", "lr")) in tokens
    assert ("k", "variable", ("lr",)) in tokens


def test_words_of_tags_have_their_kinds() -> None:
    kinds = kinds_of(
        "{% macro m(a) %}{# c #}{% endmacro %}"
        "{% for x in range(3) %}{{ m('t') | upper }}{% endfor %}"
    )
    assert kinds == {
        "{%": "macro",
        "%}": "macro",
        "{{": "macro",
        "}}": "macro",
        "macro": "keyword",
        "endmacro": "keyword",
        "for": "keyword",
        "in": "keyword",
        "endfor": "keyword",
        "m": "function",
        "a": "parameter",
        "{# c #}": "comment",
        "x": "variable",
        "range": "function",
        "3": "number",
        "'t'": "string",
        "upper": "function",
    }


def test_literal_text_has_the_tokens_of_the_expansion_once() -> None:
    tokens = tokens_of("{% for x in [1, 2] %}incr lr{{ x }} 7;;{% endfor %}")
    assert tokens.count(("incr", "function", ("lr",))) == 1
    assert ("lr", "variable", ("lr",)) in tokens
    assert ("7", "number", ()) in tokens


def test_text_that_is_not_rendered_has_tokens_too() -> None:
    tokens = tokens_of("{% if 0 %}incr lr7 {{ y }};;{% endif %}acc;;")
    assert ("incr", "function", ("lr",)) in tokens
    assert ("lr7", "variable", ("lr",)) in tokens


def test_a_broken_template_has_tokens() -> None:
    assert ("incr", "function", ("lr",)) in tokens_of("{% if %}\nincr lr7 1;;")


def test_a_comment_of_several_lines_has_a_token_for_each() -> None:
    assert tokens_of("{# a\n  b #}acc;;")[:2] == [("{# a", "comment", ()), ("b #}", "comment", ())]
