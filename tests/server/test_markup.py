"""Pages for editors that show Markdown as it is written."""

from __future__ import annotations

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import instruction_markdown
from ipu_lsp.server.convert import markup


def check_plain_text(markdown: str, expected: str) -> None:
    """The page without its marks; editors that show Markdown get it as it is."""
    assert markup(markdown, False) == {"kind": "plaintext", "value": expected}
    assert markup(markdown, True) == {"kind": "markdown", "value": markdown}


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", ""),
        ("**In this bundle**\n\n- `lr0` is read\n", "In this bundle\n\n- lr0 is read"),
        ("## Why\ntext", "Why\ntext"),
        (r"a \* b \_ c\\d", "a * b _ c\\d"),
        ("one\n\n---\ntwo", "one\n\ntwo"),
        ("[the rule](https://example.org/x)", "the rule"),
        (
            "```ipu-asm\nacc;;   # a `b` **c**\n\n\n-- x\n```\nend",
            "acc;;   # a `b` **c**\n\n-- x\nend",
        ),
        ("````ipu-asm\n```\n``` [a](b)\n````\nend", "```\n``` [a](b)\nend"),
        ("**`` a`b ``** is ``c`` and `d`", "a`b is c and d"),
        (r"\[a\](b) \`c\` \*\*d\*\*", "[a](b) `c` **d**"),
        ("sign_extend_16(value) 2^32", "sign_extend_16(value) 2^32"),
    ],
)
def test_marks_are_left_out(markdown: str, expected: str) -> None:
    check_plain_text(markdown, expected)


def test_no_page_of_an_instruction_keeps_a_mark() -> None:
    isa = load_isa("ipu")
    for spec in isa.instructions.values():
        text = markup(instruction_markdown(isa, spec), False)["value"]
        assert "**" not in text
        assert "`" not in text
        assert spec.doc.title in text
