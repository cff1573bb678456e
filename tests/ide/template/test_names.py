"""Definition, references and rename of the names of templates."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.navigation import definition, highlights, prepare_rename, references, rename
from ipu_asm.ide.symbols import OccurrenceKind, RenameError
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.text import apply_edits
from tests.ide.cursor import CURSOR, fixture


def renamed(text_with_cursor: str, new_name: str) -> str:
    analysis, offset = fixture(text_with_cursor)
    return apply_edits(analysis.text, rename(analysis, offset, new_name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{% set k = "lr5" %}set {{ $0k }} 1;;', 'k = "lr5"'),
        ("{% for x in [1] %}set lr0 {{ x$0 }};;{% endfor %}", "x in"),
        ("{% macro m(a, b=2) %}set {{ a }} {{ $0b }};;{% endmacro %}{{ m('lr1') }}", "b=2"),
        ("{% macro m(a) %}set {{ a }} 1;;{% endmacro %}{{ $0m('lr1') }}", "m(a)"),
        ("{# ipu: context cols=4 #}set lr0 {{ co$0ls }};;", "cols=4"),
    ],
)
def test_a_name_leads_to_its_definition(text: str, name: str) -> None:
    analysis, offset = fixture(text)
    found = definition(analysis, offset)
    assert found is not None
    assert analysis.text.startswith(name, found.name.start)


def test_references_of_a_name_respect_scopes() -> None:
    analysis, offset = fixture(
        "{% for x in [1] %}set lr{{ $0x }} {{ x }};;{% endfor %}"
        "{% for x in [2] %}set lr0 {{ x }};;{% endfor %}"
    )
    assert [span.start for span in references(analysis, offset)] == [7, 27, 35]
    assert highlights(analysis, offset)[0].kind is OccurrenceKind.DEFINES
    assert len(references(analysis, offset, with_definition=False)) == 2


def test_a_name_is_renamed_in_its_scope() -> None:
    assert (
        renamed(
            "{% set k = 1 %}set lr0 {{ $0k }};;{% for k in [2] %}set lr1 {{ k }};;{% endfor %}",
            "row",
        )
        == "{% set row = 1 %}set lr0 {{ row }};;{% for k in [2] %}set lr1 {{ k }};;{% endfor %}"
    )


def test_a_parameter_is_renamed_where_it_is_given_by_name() -> None:
    text = "{% macro m(a) %}set {{ a }} 1;;{% endmacro %}{{ m(a='lr1') }}"
    assert renamed(text.replace("{{ a", "{{ $0a"), "reg") == (
        "{% macro m(reg) %}set {{ reg }} 1;;{% endmacro %}{{ m(reg='lr1') }}"
    )


def test_a_macro_is_renamed_with_its_calls() -> None:
    text = "{% macro m$0() %}acc;;{% endmacro %}{{ m() }}{{ m() }}"
    assert renamed(text, "go") == "{% macro go() %}acc;;{% endmacro %}{{ go() }}{{ go() }}"


@pytest.mark.parametrize(
    ("text", "new_name", "reason"),
    [
        ("{% set k = 1 %}set lr0 {{ $0k }};;", "2x", "cannot be `2x`"),
        ("{% set k = 1 %}set lr0 {{ $0k }};;", "loop", "cannot be `loop`"),
        ("{% set k = 1 %}{% set j = 2 %}set lr0 {{ $0k }};;", "j", "already, on line 1"),
        ("{% set k = 1 %}{{ $0k }}{% if %}", "j", "the template has an error"),
        ("set lr0 {{ $0k }};;", "j", "nothing in the template defines `k`"),
        ("{# ipu: context k=1 #}set lr0 {{ $0k }};;", "j", "given by the context"),
    ],
)
def test_a_rename_that_would_change_the_meaning_is_refused(
    text: str, new_name: str, reason: str
) -> None:
    with pytest.raises(RenameError, match=reason):
        renamed(text, new_name)


def test_a_name_that_a_context_gives_is_taken() -> None:
    before, after = "{% set k = 1 %}set lr0 {{ $0k }};;".split(CURSOR)
    settings = SourceSettings(contexts=({"cols": 1},))
    analysis = Analyzer(load_isa("ipu")).analyze(before + after, settings=settings)
    assert prepare_rename(analysis, len(before)).name == "k"
    with pytest.raises(RenameError, match="given by the context already"):
        rename(analysis, len(before), "cols")
