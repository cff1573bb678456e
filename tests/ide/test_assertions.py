"""Assertions in comments in an editor: colours, what is known, and completion."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.hover import hover
from ipu_asm.ide.semantic_tokens import COMMENT, KEYWORD, REGISTER, semantic_tokens
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.ide.cursor import fixture

IPU = load_isa("ipu")
TEXT = """set lr1 3;;
loop:  # LOOP 4
    # ASSERT lr0 in 0..3, sum(acc) == 0
    incr lr0 1; bne lr0 lr1 loop;;
    # ASSERT lr0 == 3
    bkpt;;
"""


def page(text_with_cursor: str) -> str | None:
    found = hover(*fixture(text_with_cursor))
    return found.markdown if found else None


def with_cursor(before: str) -> str:
    return TEXT.replace(before, f"{before}│" if "│" not in before else before, 1)


def test_the_words_of_an_assertion_have_colours() -> None:
    program = read_program(IPU, "# REGION out = cr2 + 0..512 write  # mine\nacc;;")
    text = program.bundles[0].syntax.text
    tokens = [
        (text[token.span.start : token.span.end], token.kind)
        for token in semantic_tokens(IPU, program.bundles[0])
    ]
    assert tokens[:7] == [
        ("# ", COMMENT), ("REGION", KEYWORD), (" out = ", COMMENT), ("cr2", REGISTER),
        (" + 0..512 ", COMMENT), ("write", KEYWORD), ("  # mine", COMMENT),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keyword", "lines"),
    [
        ("LOOP", ["Holds: proven for all executions."]),
        ("ASSERT", ["Not decided while typing: `sum(acc) == 0`. It is checked when the program"]),
    ],
)
def test_the_page_of_an_assertion_says_what_is_known(keyword: str, lines: list[str]) -> None:
    offset = TEXT.index(keyword)
    found = hover(analyze(TEXT), offset)
    assert found is not None
    meaning, *verdict = found.markdown.split("\n\n")
    assert meaning.startswith(f"**`{keyword}`** · ")
    assert len(verdict) == len(lines)
    assert verdict[0].startswith(lines[0])


def test_the_page_of_a_false_assertion_has_its_finding() -> None:
    found = hover(analyze(TEXT), TEXT.rindex("ASSERT"))
    assert found is not None
    assert "`lr0 == 3` must hold before each execution, found lr0 = 4" in found.markdown


def test_a_register_in_an_assertion_has_its_page() -> None:
    found = hover(analyze(TEXT), TEXT.index("lr0 in"))
    assert found is not None
    assert TEXT[found.span.start : found.span.end] == "lr0"


def labels_at(text: str) -> list[str]:
    return [item.label for item in completions(analyze(text), len(text))]


@pytest.mark.parametrize("typed", ["#A", "# A", "acc;;  # AS", "    # LO"])
def test_keywords_are_proposed_behind_a_comment_mark(typed: str) -> None:
    assert labels_at(typed)[:3] == ["ASSERT", "ASSERT-AFTER", "LOOP"]


def test_registers_are_proposed_in_an_assertion() -> None:
    found = labels_at("acc;;\n# ASSERT lr0 == l")
    assert {"lr0", "lr15", "cr0"} <= set(found)


@pytest.mark.parametrize("typed", ["# what ", "# the row", "# x = A", "#", "# "])
def test_nothing_is_proposed_in_prose(typed: str) -> None:
    assert labels_at(typed) == []


def test_an_accepted_keyword_is_an_assertion_without_findings() -> None:
    for item in completions(analyze("# A"), 3):
        assert item.snippet is not None
        text = _filled(item.snippet)
        assert analyze(f"x: #{text}\nincr lr0 1; bne lr0 lr1 x;;\nbkpt;;").program.findings == []


def _filled(snippet: str) -> str:
    import re

    text = re.sub(r"\$\{\d\|(\w+),[^}]*\}", r"\1", snippet)
    return re.sub(r"\$\{\d:([^}]*)\}", r"\1", text)
