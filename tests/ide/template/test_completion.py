"""Completion in templates: in tags, in unfinished tags, and of names in literal text."""

from __future__ import annotations

import re

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.completion import CompletionItem
from ipu_asm.ide.completion.completion import completions, resolve
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.text import TextEdit, apply_edits
from tests.ide.cursor import CURSOR, fixture

HEAD = """{% set k_index = "lr5" %} {# role #}
{% set step = 3 %}
{% macro save(reg, n=1) %} incr {{ reg }} {{ n }};; {% endmacro %}
"""


def items_at(text_with_cursor: str) -> list[CompletionItem]:
    return completions(*fixture(HEAD + text_with_cursor))


def labels_at(text_with_cursor: str) -> list[str]:
    return [item.label for item in items_at(text_with_cursor)]


def accepted(text_with_cursor: str, label: str) -> str:
    """The text after the head when an item is accepted."""
    analysis, offset = fixture(HEAD + text_with_cursor)
    item = next(each for each in completions(analysis, offset) if each.label == label)
    return apply_edits(analysis.text, [TextEdit(item.span, item.insert_text)])[len(HEAD) :]


def test_a_name_is_offered_with_its_value_and_remark() -> None:
    item = items_at("set {{ $0")[0]
    assert (item.label, item.detail) == ("k_index", "lr5, role")


@pytest.mark.parametrize(
    "rest", ["{{ k_$0", "{{ k_$0\nacc;;", "{{ k_$0 }} 5;;", "{{k_$0{{ step }}"]
)
def test_an_unfinished_output_is_completed(rest: str) -> None:
    assert accepted(f"set {rest}", "k_index").startswith("set {{")
    assert "k_index" in accepted(f"set {rest}", "k_index")


def test_names_that_fit_the_operand_come_first() -> None:
    assert labels_at("set {{ $0 }} 1;;")[:2] == ["k_index", "save"]
    assert labels_at("set lr0 {{ $0 }};;")[:2] == ["step", "k_index"]


def test_a_name_of_a_register_is_offered_as_an_operand() -> None:
    assert labels_at("set $0 5;;")[0] == "k_index"
    assert accepted("set $0 5;;", "k_index") == "set {{ k_index }} 5;;"
    assert accepted("set lr0 $0;;", "step") == "set lr0 {{ step }};;"
    assert "k_index" not in labels_at("set lr0 $0;;")


def test_literal_text_has_the_proposals_of_a_plain_file() -> None:
    assert "incr" in labels_at("in$0")
    assert accepted("in$0", "incr") == "incr"
    assert "lr7" in labels_at("{% if 0 %} incr $0 {% endif %}")


def test_proposals_in_literal_text_are_known_while_a_tag_elsewhere_is_broken() -> None:
    assert "k_index" in labels_at("{% if %}\nincr $0 1;;\n{% endif %}")
    assert "incr" in labels_at("{{ x + \n in$0")


def test_a_statement_begins_with_a_keyword_and_ends_the_block_first() -> None:
    assert labels_at("{% se$0")[0] == "set"
    assert labels_at("{% for x in [1] %} acc;; {% $0")[0] == "endfor"
    assert labels_at("{% if 1 %}{% else %} acc;; {% $0")[0] == "endif"


def test_loop_variables_and_parameters_are_known_inside_alone() -> None:
    assert "x" in labels_at("{% for x in [1] %} {{ $0 }} {% endfor %}")
    assert "x" not in labels_at("{% for x in [1] %} {% endfor %} {{ $0 }}")
    assert "a" in labels_at("{% macro m(a, b=2) %} {{ $0 }} {% endmacro %}")
    assert "reg" not in labels_at("{{ $0 }}")


def test_a_macro_is_offered_as_a_call() -> None:
    (item,) = (each for each in items_at("{{ $0 }}") if each.label == "save")
    assert (item.detail, item.snippet) == ("macro(reg, n=1)", "save(${1:reg})")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("{{ step | $0", "abs"),
        ("{% if step is $0", "defined"),
        ("{% if step is not de$0 %}", "defined"),
        ("{% for x in [1] %}{{ loop.$0", "index0"),
        ("{% for x in $0", "range"),
        ("{% for x $0", "in"),
        ('{% set other = "$0', "lr0"),
        ('{% set other = "l$0" %}', "lr0"),
        ("{# $0 #}", "ipu: context "),
    ],
)
def test_words_of_jinja_are_offered_where_they_fit(text: str, label: str) -> None:
    assert label in labels_at(text)


@pytest.mark.parametrize("text", ["{% set $0", "{% for $0", "{% macro m$0", "{# a $0", "{{ a.$0"])
def test_a_new_name_or_a_comment_has_no_proposals(text: str) -> None:
    assert labels_at(text) == []


def test_names_of_contexts_are_offered_with_their_values() -> None:
    before, after = "set lr0 {{ $0 }};;".split(CURSOR)
    settings = SourceSettings(contexts=({"cols": 4},))
    analysis = Analyzer(load_isa("ipu")).analyze(before + after, settings=settings)
    item = completions(analysis, len(before))[0]
    assert (item.label, item.detail) == ("cols", "4, given by the context")


def test_a_proposal_of_the_plain_file_has_its_page() -> None:
    analysis, _ = fixture(HEAD + "acc;;$0")
    assert "slot `acc`" in (resolve(analysis, "acc", "instruction") or "")


TYPED = """start:
    set {{ k_index }} 7;;
{% for row in range(3) %}
    incr {{ k_index }} {{ row }}; acc;;
{% if row > 1 %}
    {{ save("lr9", step) }}
{% endif %}
{% endfor %}
    b start;;
"""


def test_completion_is_never_lost_while_a_template_is_typed() -> None:
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze(HEAD)
    asked = [0, 0]
    for end in range(1, len(TYPED)):
        text = HEAD + TYPED[:end]
        analysis = analyzer.analyze(text, before=analysis)
        labels = [item.label for item in completions(analysis, len(text))]
        if re.search(r"\{\{ ?\w*$|\{% (if|for \w+ in) \w*$", text):
            asked[0] += 1
            assert "k_index" in labels, text[-20:]
        elif re.search(r"\n *[a-z]*$", text):
            asked[1] += 1
            assert "incr" in labels, text[-20:]
    assert min(asked) > 20
