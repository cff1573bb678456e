"""What an editor shows about macros and what they take."""

from __future__ import annotations

from ipu_asm.ide.hover import hover
from tests.ide.cursor import fixture


def check_hover(
    text_with_cursor: str, about: str | None, *paragraphs: str, isa: str = "colossus"
) -> None:
    """The hover is about that text and its page begins with these paragraphs; None for no hover."""
    analysis, offset = fixture(text_with_cursor, isa)
    found = hover(analysis, offset)
    if found is None:
        assert about is None
        return
    assert analysis.text[found.span.start : found.span.end] == about
    assert tuple(found.markdown.split("\n\n")[: len(paragraphs)]) == paragraphs


def test_a_macro_shows_its_first_line_its_body_and_what_it_takes() -> None:
    text = (
        "// goes one step\n.macro STEP dst, src=$m2, n:req, more:vararg\n"
        "    add \\dst, \\src, \\n\n.endm\n"
    )
    page = (
        "**`STEP`** · macro, line 2",
        "goes one step",
        "```colossus-asm\n.macro STEP dst, src=$m2, n:req, more:vararg\n"
        "    add \\dst, \\src, \\n\n.endm\n```",
        "- `src`: `$m2` by default\n- `n`: required\n- `more`: takes all remaining arguments",
    )
    check_hover(f"{text} ST$0EP $m0\n", "STEP", *page)
    check_hover(text.replace("STEP", "ST$0EP"), "STEP", *page)


def test_a_long_macro_shows_its_first_line_only() -> None:
    text = ".macro LONG a\n" + " nop\n" * 30 + ".endm\n LO$0NG 1\n"
    code = "```colossus-asm\n.macro LONG a\n... 31 more lines\n```"
    check_hover(text, "LONG", "**`LONG`** · macro, line 1", code)


def test_a_value_in_an_operand_shows_its_definition_and_then_the_operand() -> None:
    check_hover(
        "#define OFF (4 + 2)\n add $m0, $m1, O$0FF\n",
        "OFF",
        "**`OFF`** · macro, line 1",
        "```colossus-asm\n#define OFF (4 + 2)\n```",
        "---",
        "`mSrc1` of `add`: a source",
    )
    check_hover("#define N 4\n nop // $0N\n", None)


def test_a_macro_with_several_definitions_names_their_lines() -> None:
    text = "#if A\n#define N 4\n#else\n#define N 5\n#endif\n .long $0N\n"
    check_hover(text, "N", "**`N`** · macro, lines 2, 4")


def test_an_argument_names_its_macro() -> None:
    body = ".macro STEP dst, n=4, m:req\n add \\dst, \\n, \\m\n.endm\n"
    title = "parameter of the macro `STEP`, line 1"
    check_hover(body.replace("\\dst", "\\$0dst"), "\\dst", f"**`dst`** · {title}")
    check_hover(body.replace("\\n", "$0\\n"), "\\n", f"**`n`** · {title}", "`4` by default.")
    check_hover(body.replace("\\m", "\\m$0"), "\\m", f"**`m`** · {title}", "Required.")
    check_hover(body.replace("n=4", "$0n=4"), "n", f"**`n`** · {title}", "`4` by default.")
    check_hover(".macro A x\n\\x\\()_y$0:\n nop\n.endm\n", "\\x\\()_y")
    check_hover(".macro A x\n\\$0x\\()_y:\n nop\n.endm\n", "\\x")
    check_hover(".macro A x\n vadd.8 x0, x1, \\$0x\n", "\\x", isa="xdna1")


def test_a_name_in_a_repetition_takes_its_values_in_turn() -> None:
    check_hover(
        ".irp r, $m0, $m1 // two\n mov \\$0r, $m2\n.endr\n",
        "\\r",
        "**`r`** · takes each value of `.irp` in turn",
        "Takes `$m0, $m1`.",
    )


def test_an_argument_of_no_body_shows_nothing_of_macros() -> None:
    check_hover(".macro A x\n.endm\n .long \\$0x\n", None)
