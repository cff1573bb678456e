"""Formatting with mnemonics in one case: what changes, and what does not."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.formatting.formatting import content_of, formatting
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.text import apply_edits

MIXED = """\
# Set lr1
Add:  Set lr1   0;;
    add lr1 lr1 lr2; bkpt; # SET
    B Add;;
"""
UPPER = """\
# Set lr1
Add:  SET lr1   0;;
    ADD lr1 lr1 lr2; BKPT; # SET
    B Add;;
"""
TEMPLATE = """\
{% set op = "Add" %}
Set lr1   {{ op|length }};;
{{ op }}  lr1 lr1 lr2 ;;
{% for n in [1, 2] %}
x{{ n }}: Add lr{{ n }} lr1 lr2; Bkpt;;
{% endfor %}
"""


def formatted(text: str, case: str, isa: str = "ipu2") -> str:
    """A text formatted, which keeps its words, and which is formatted then."""
    once = apply_edits(text, formatting(analyze(text, isa), case=case))
    assert content_of(analyze(once, isa).program) == content_of(analyze(text, isa).program)
    assert formatting(analyze(once, isa), case=case) == []
    return once


def test_mnemonics_change_and_labels_operands_and_comments_do_not() -> None:
    assert formatted(MIXED, "upper") == UPPER
    lower = UPPER
    for word in ("SET lr", "ADD", "BKPT", "B "):
        lower = lower.replace(word, word.lower())
    assert formatted(UPPER, "lower") == lower


def test_a_set_that_tells_cases_apart_keeps_them() -> None:
    text = "    set                   lr0 1;;\n    bkpt;;\n"
    assert formatted(text, "upper", "ipu") == text


def test_code_with_mistakes_and_unknown_words_stay_as_they_are() -> None:
    text = "    Add ( lr1;;\n    Frobnicate;;\n    Bkpt;;\n"
    assert formatted(text, "upper") == text.replace("Bkpt", "BKPT")


def test_mnemonics_between_the_tags_of_a_template_change() -> None:
    upper = formatted(TEMPLATE, "upper")
    assert [line.split() for line in upper.splitlines()] == [
        line.replace("Set ", "SET ").replace(": Add", ": ADD").replace("Bkpt", "BKPT").split()
        for line in TEMPLATE.replace(" ;;", ";;").splitlines()
    ]


def test_a_name_that_a_template_computes_with_keeps_its_case() -> None:
    text = "{% set m %}    Bkpt;;{% endset %}\n{% if 'B' in m and 'k' in m %}{{ m }}{% endif %}\n"
    assert "Bkpt" in formatted(text, "upper")


@pytest.mark.parametrize(
    ("text", "typed"), [("Set lr1 0 ;", ";"), ("Set lr1 0 ;;", ";"), ("Set lr1 0 ;\n", "\n")]
)
def test_a_mnemonic_changes_when_its_instruction_is_complete(text: str, typed: str) -> None:
    edits = formatting_on_type(analyze(text, "ipu2"), len(text), typed, case="upper")
    assert apply_edits(text, edits).lstrip().startswith("SET ")
