"""Text of an author in Markdown is shown as it is, whatever it says."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given

from ipu_asm.reports.markdown import escaped, fenced_code, inline_code
from tests.hostile_markdown import lines, renderer, texts, tokens_of


@given(texts)
@example("see https://evil.example and www.evil.example")
@example("- a\n===\n1. b")
def test_escaped_text_is_paragraphs_that_say_what_it_says(text: str) -> None:
    page = escaped(text)
    kinds = {token.type for token in tokens_of(page)}
    plain = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "softbreak"}
    assert kinds <= plain
    shown = "".join(
        "\n" if token.type == "softbreak" else token.content
        for token in tokens_of(page)
        if token.type != "inline"
    )
    assert shown.split() == text.split()


@given(lines)
@example("`")
@example("``` ` ``")
def test_inline_code_is_one_piece_of_code(text: str) -> None:
    page = f"**{inline_code(text)}** · in [a] sentence"
    (inline,) = (token for token in renderer().parse(page) if token.type == "inline")
    code = [token.content for token in inline.children or () if token.type == "code_inline"]
    assert code == ([text] if text.strip() else [])


@given(texts)
@example("a\n```\n![b](http://evil.example)\n````")
def test_fenced_code_is_one_block(text: str) -> None:
    (fence,) = renderer().parse(fenced_code(text, "ipu-asm"))
    assert (fence.type, fence.info) == ("fence", "ipu-asm")
    assert fence.content == re.sub(r"\r\n?", "\n", f"{text}\n")


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("a*b_c", r"a\*b\_c"),
        ("row offset: 4.0 (bytes)", "row offset: 4.0 (bytes)"),
        ("- a\n  + b", "\\- a\n\\+ b"),
        ("1. a", "1\\. a"),
        ("https://x www.y a@b", r"https\://x www\.y a\@b"),
    ],
)
def test_only_marks_are_escaped(text: str, page: str) -> None:
    assert escaped(text) == page


def test_inline_code_has_an_end_and_stays_on_its_line() -> None:
    assert inline_code("a\nb") == "`a b`"
    assert inline_code("a`b") == "``a`b``"
    assert inline_code("``") == "` `` `"
    assert inline_code("x" * 1000) == f"`{'x' * 200}...`"
    assert inline_code(" ") == ""
