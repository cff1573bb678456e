"""No page of an editor lets a source write Markdown: its text is shown, never rendered."""

from __future__ import annotations

from typing import Iterator

import pytest
from hypothesis import given

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.completion.completion import completions, resolve
from ipu_asm.ide.hover import hover
from ipu_asm.ide.signature_help import signatures
from tests.hostile_markdown import lines, tokens_of

# What our own pages consist of. Links, images, HTML, headings and tables are not among it.
OWN = {
    "inline", "text", "text_special", "softbreak", "code_inline", "fence", "hr",
    "strong_open", "strong_close", "paragraph_open", "paragraph_close",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
}  # fmt: skip
# `@` is what the author writes.
IPU = """\
# lr5 = @
# @
start: set lr5 1 # @
@
;;
# @
next: set lr5 2; b @;;
@ lr5 1;;
b start;;
b next;;
"""
COLOSSUS = """\
/* @ */
#define F(@, b) @
// @
.macro STEP dst, src=@, n:req
  add \\dst, @, \\n
@
.endm
  STEP $m0
  F(1, 2)
@:
  bri @
  add $m0, @, F
"""
AIE = """\
// @
.macro G dst, src="@"
  mova r0, @
@
.endm
  G r1
lab: mova r0, #0 // @
@
"""


def pages_of(analysis: Analysis) -> Iterator[str]:
    """Every text in Markdown that an editor can get about a program."""
    for offset in range(len(analysis.text) + 1):
        found = hover(analysis, offset)
        if found is not None:
            yield found.markdown
    for offset in range(0, len(analysis.text) + 1, 7):
        for signature in signatures(analysis, offset):
            yield signature.summary
            yield from (parameter.markdown for parameter in signature.parameters)
        for item in completions(analysis, offset):
            # The pages of instructions speak of the instruction set alone.
            page = resolve(analysis, item.label, item.kind) if item.kind != "instruction" else ""
            yield page or ""


def check_nothing_is_rendered(template: str, isa: str, hostile: str) -> None:
    """No page about a program in which `hostile` stands has a token that is not of our pages."""
    analysis = analyze(template.replace("@", hostile), isa)
    for page in set(pages_of(analysis)):
        assert {token.type for token in tokens_of(page)} <= OWN, page


@pytest.mark.parametrize(
    ("template", "isa"),
    [(IPU, "ipu"), (COLOSSUS, "colossus"), (AIE, "xdna2")],
    ids=["ipu", "colossus", "xdna2"],
)
@pytest.mark.parametrize(
    "hostile",
    [
        "```",
        "`````\n\n![a](http://evil.example/a.png)",
        "`[a](http://evil.example)`",
        "``[a](http://evil.example)``",
        "<img src=x onerror=y>",
        "https://evil.example",
        "| a | b |\n|---|---|",
        "- a\n\n# b",
        "a\r```\r![b](http://evil.example)",
    ],
)
def test_a_source_writes_no_markdown(template: str, isa: str, hostile: str) -> None:
    check_nothing_is_rendered(template, isa, hostile)


@given(lines)
def test_no_text_of_a_source_writes_markdown(hostile: str) -> None:
    check_nothing_is_rendered(COLOSSUS, "colossus", hostile)
