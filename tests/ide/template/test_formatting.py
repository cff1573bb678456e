"""Formatting of templates: blanks of literal text change, tags and expansions do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm import analyze
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.formatting.formatting import KEEP, content_of, formatting
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.templates import tags_of
from ipu_asm.text import Span, apply_edits
from tests.ide.test_formatting import HOUSE

UNTIDY = """{% set k_index = "lr5" %}   {# role #}
{%   set rows = 3 %}
  {% macro save(reg, n=1) -%}
 incr   {{ reg }}   {{ n }}  ;;
  {% endmacro %}
start:
set {{ k_index }} 7 ;;   {# remark #}
{% for row in range(rows) %}
row_{{ row }}:
set lr{{ row }}  {{ row * 2 }};   incr lr5 1;;
{{ save("lr9",   2) }}
  {% if rows > 5 %}
set lr7 99;;   b start;;
{% endif %}
{% endfor %}
{% if rows == 3 %} acc;; {% else %} break;; {% endif %}
b    start;;  # c {{ k_index }}
bkpt;;"""

TIDY = """{% set k_index = "lr5" %}   {# role #}
{%   set rows = 3 %}
  {% macro save(reg, n=1) -%}
    incr                  {{ reg }} {{ n }};;
  {% endmacro %}
start:
    set                   {{ k_index }} 7;;         {# remark #}
{% for row in range(rows) %}
row_{{ row }}:
    set lr{{ row }} {{ row * 2 }}; incr lr5 1;;
{{ save("lr9",   2) }}
  {% if rows > 5 %}
    set lr7 99;; b start;;
{% endif %}
{% endfor %}
{% if rows == 3 %} acc;; {% else %} break;; {% endif %}
    b                     start;;                   # c {{ k_index }}
    bkpt;;
"""

PIECES = (
    "{% set a = 'lr1' %}", "{% if 1 %}", "{% else %}", "{% endif %}", "{% for x in [1, 2] %}",
    "{% endfor %}", "{{ a }}", "{{ '#' }}", "{{ ';;' }}", "{{ 'set lr0 1;;\\nacc;;' }}", "{# c #}",
    "{%- set b %} x  y {% endset -%}", "{{ b|length }}", "set lr0 1", "incr {{ a }}  2", ";;", ";",
    "l{{ 1 }}:", " ", "   ", "\n", "\n\n", "\r\n", "# note", "acc", "b +1",
    "{% raw %} acc ;; {% endraw %}",
)  # fmt: skip


def formatted(text: str, style: str = KEEP, span: Span | None = None) -> str:
    return apply_edits(text, formatting(analyze(text), style, span))


def check_unchanged(text: str, new: str) -> None:
    """Two states of a template have the same tags and the same words in their expansions."""
    assert [text[a:b] for a, b in (tag.span for tag in tags_of(text))] == [
        new[a:b] for a, b in (tag.span for tag in tags_of(new))
    ]
    before, after = (
        [content_of(each.analysis.program) for each in analyze(state).expanded]
        for state in (text, new)
    )
    assert before == after


def test_literal_text_is_laid_out_and_tags_stay_as_they_are() -> None:
    assert formatted(HOUSE["ipu"] + UNTIDY) == HOUSE["ipu"] + TIDY


@pytest.mark.parametrize("style", STYLES)
def test_a_formatted_template_stays_as_it_is(style: str) -> None:
    once = formatted(UNTIDY, style)
    check_unchanged(UNTIDY, once)
    assert formatting(analyze(once), style) == []


def test_a_bundle_whose_operands_are_values_of_any_type_is_formatted() -> None:
    text = HOUSE["ipu"] + "{% set v = 5 %}\n"
    tidy = "    set                   lr0 {{ v }};;\n"
    assert formatted(text + "set   lr0   {{ v }};;") == text + tidy


def test_a_range_is_formatted_alone() -> None:
    text = HOUSE["ipu"] + UNTIDY
    at = text.index("set {{")
    changed = formatted(text, KEEP, Span(at, at + 1))
    assert changed == text.replace(
        "set {{ k_index }} 7 ;;   {#", "    set                   {{ k_index }} 7;;         {#"
    )


def test_an_end_mark_formats_its_bundle_as_it_is_typed() -> None:
    first = HOUSE["ipu"] + '{% set k = "lr5" %}\n'
    text = first + "set   {{ k }}  7 ;;"
    edits = formatting_on_type(analyze(text), len(text), ";")
    assert apply_edits(text, edits) == first + "    set                   {{ k }} 7;;"


def test_another_context_may_be_the_first_one() -> None:
    text = (
        "set   lr0 {{ cols }};;\n{% for x in range(cols) %}\nacc  ;;\nacc;;\n{% endfor %}bkpt;;\n"
    )
    contexts = SourceSettings(contexts=({"cols": 2}, {"cols": 3}))
    analysis = Analyzer(load_isa("ipu")).analyze(text, settings=contexts)
    turned = Analysis(
        analysis.source,
        lambda: analysis.program,
        analysis.isa,
        analysis.diagnostics,
        analysis.expanded[::-1],
        analysis.settings,
    )
    assert formatting(turned) == formatting(analysis) != []


def test_a_template_with_an_error_is_left_alone() -> None:
    assert formatted("{% if %}\nset   lr0  1;;") == "{% if %}\nset   lr0  1;;"


def test_blanks_that_the_template_computes_with_stay_and_others_are_formatted() -> None:
    text = "{% set b %} x  y {% endset %}\nset lr0  {{ b|length }};;\nset  lr1   1 ;;\n"
    text = HOUSE["ipu"] + text
    new = formatted(text)
    check_unchanged(text, new)
    assert new.endswith("    set                   lr1 1;;\n")


def test_a_value_that_begins_a_comment_keeps_its_line() -> None:
    text = "{% set off = '#' %}\n{{ off }} acc;; set lr0 1;;\nbkpt  ;;\n"
    text = HOUSE["ipu"] + text
    new = formatted(text)
    check_unchanged(text, new)
    assert "    bkpt;;" in new


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join), st.sampled_from(STYLES))
def test_no_template_changes_its_expansion_and_formatting_twice_changes_nothing(
    text: str, style: str
) -> None:
    once = formatted(text, style)
    check_unchanged(text, once)
    assert formatted(once, style) == once
