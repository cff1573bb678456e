"""An expansion after an edit is that of the new text, and most of it is not computed again."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.compiled import CompiledTags
from ipu_asm.source.jinja.sandbox import Recorder
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.text import Change, change_between
from tests.source.jinja.test_rendering import CONTEXT, TEMPLATES

SURFACE = load_isa("ipu").surface
SETTINGS = SourceSettings({}, (CONTEXT, {**CONTEXT, "n": 1, "flag": False}))
SPLINTERS = (
    "a", " ", "\n", "\r\n", "\r", "\t", "{", "}", "%", "{{", "}}", "{%", "%}", "{#", "#}", "-",
    "{{ n }}",
    "{% if flag %}", "{% endif %}", "acc;;", "é", "\\", "{{- name -}}", "{# ipu: context n=5 #}",
)  # fmt: skip


def facts(expansion: Expansion) -> tuple[Any, ...]:
    """All that an expansion says."""
    return (
        *expansion[:4],
        list(expansion.source_map.segments),
        list(expansion.definitions),
        list(expansion.uses),
        expansion.is_partial,
        expansion.unknown,
    )


def check_edit(before: tuple[Expansion, ...], old: str, new: str) -> tuple[Expansion, ...]:
    """Expanded after an edit and expanded anew, a text is the same."""
    after = expand(SURFACE, new, None, SETTINGS, before, change_between(old, new))
    anew = expand(SURFACE, new, None, SETTINGS)
    assert len(after) == len(anew)
    for one, two in zip(after, anew):
        left, right = list(facts(one)), list(facts(two))
        assert left[0] == right[0]
        assert left[2:4] == right[2:4]
        assert left[4:] == right[4:]
    return after


def edited(random: Random, text: str) -> str:
    """A text with a small change."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 0, 1, 2, 5)))
    return text[:start] + random.choice((*SPLINTERS, "")) + text[end:]


@pytest.mark.parametrize("text", TEMPLATES)
def test_an_expansion_after_edits_is_that_of_the_text(text: str) -> None:
    random = Random(text)
    expansions = expand(SURFACE, text, None, SETTINGS)
    for _ in range(25):
        new = edited(random, text)
        expansions = check_edit(expansions, text, new)
        text = new


def test_findings_after_edits_are_those_of_the_text() -> None:
    random = Random(1)
    text = (
        "{% set k = 'lr5' %} {# role #}\nset {{ k }} 0;;\n{% for x in range(3) %}\n"
        "incr {{ k }} {{ x }};;\nlabel{{ x }}: acc;;\n{% endfor %}\nbkpt;;\n"
    )
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze(text, settings=SETTINGS)
    for _ in range(300):
        new = edited(random, text)
        if len(new) < 1_000:
            analysis = analyzer.analyze(new, None, analysis, settings=SETTINGS)
            anew = Analyzer(load_isa("ipu")).analyze(new, settings=SETTINGS)
            assert analysis.diagnostics == anew.diagnostics
            text = new


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("acc;;", "aaq;;", 0),
        ("acc;;", "acc;;  # a longer line\r\n", 0),
        ("lr5", "lr6", 1),
        ("{{ k }} 1", "{{ k  }} 1", 1),
        ("incr", "{{ 1 }}incr", 1),
        ("# role", "# other", 0),
    ],
)
def test_only_an_edit_of_a_tag_compiles(
    old: str, new: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "{% set k = 'lr5' %}{# role #}\nacc;;\nincr {{ k }} 1;;\nbkpt;;"
    expansions = expand(SURFACE, text)
    made = []
    make = CompiledTags.__init__

    def noted(tags: CompiledTags, tokens: Tokens, *others: Any) -> None:
        made.append(tokens)
        make(tags, tokens, *others)

    monkeypatch.setattr(CompiledTags, "__init__", noted)
    after = text.replace(old, new)
    expand(SURFACE, after, None, SourceSettings(), expansions, change_between(text, after))
    assert len(made) == expected


def test_an_edit_of_literal_text_does_not_render(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{% for x in range(3) %}acc;;{{ x }}{% endfor %}bkpt;;"
    expansions = expand(SURFACE, text)
    monkeypatch.setattr(Recorder, "output", None)
    after = text.replace("acc", "aaq")
    (expansion,) = expand(SURFACE, after, None, SourceSettings(), expansions, Change(24, 27, 27))
    assert expansion.text == "aaq;;0aaq;;1aaq;;2bkpt;;"


def test_literal_text_that_the_template_measures_is_rendered_again() -> None:
    text = "{% set x %}abc{% endset %}{{ x|length }}{% macro m() %}de{% endmacro %}{{ m()|upper }}"
    expansions = expand(SURFACE, text, None, SETTINGS)
    expansions = check_edit(expansions, text, text.replace("abc", "abcd"))
    check_edit(expansions, text.replace("abc", "abcd"), text.replace("de", "def"))
