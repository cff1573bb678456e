"""Findings as a terminal shows them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.diagnostics.rendering import render, render_concise
from ipu_asm.text import SourceFile, Span, TextEdit

ERROR = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
WARNING = RuleId("W101", "dead-store", Severity.WARNING)
HINT = RuleId("H101", "slow-loop", Severity.HINT)

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "\r\n\t\0\x1b\x7f\x85\u2028\u202e\ufeff\ud800\udcff\u0301\u5909\U0001f600ab "
        ),
        st.characters(exclude_categories=()),
    )
)


def check_rendering(text: str, diagnostic: Diagnostic, *expected: str) -> None:
    """The rendering consists of exactly these lines."""
    assert render(diagnostic, SourceFile(text, "a.s")).split("\n") == list(expected)


def at(text: str, culprit: str, kind: RuleId = ERROR) -> Diagnostic:
    """A finding about the first `culprit` in `text`."""
    start = text.index(culprit)
    return Diagnostic(kind, "not so", Span(start, start + len(culprit)))


def mark_lines(rendered: str) -> list[str]:
    """The lines that hold nothing but marks."""
    return [line for line in rendered.split("\n") if re.fullmatch(r" +\| +\^+(\.\.\.)?", line)]


def test_a_finding_shows_its_message_place_and_line() -> None:
    text = "nop;;\nad lr0 lr1;;\n"
    check_rendering(
        text,
        at(text, "ad"),
        "error[E101]: not so",
        " --> a.s:2:1",
        "  |",
        "2 | ad lr0 lr1;;",
        "  | ^^",
    )


def test_the_gutter_is_as_wide_as_its_widest_line_number() -> None:
    text = "x:\n" * 11 + "last"
    diagnostic = at(text, "last")._replace(related=(RelatedInformation(Span(0, 1), "see here"),))
    check_rendering(
        text,
        diagnostic,
        "error[E101]: not so",
        "  --> a.s:12:1",
        "   |",
        "12 | last",
        "   | ^^^^",
        "   |",
        "  ::: a.s:1:1",
        "   |",
        " 1 | x:",
        "   | - see here",
    )


def test_places_of_one_line_share_a_snippet() -> None:
    text = "set lr0 1; add lr0 lr1; sub lr0 lr2;;\nx"
    places = ((Span(4, 7), "first"), (Span(15, 18), "second"), (Span(38, 39), "later"))
    related = tuple(RelatedInformation(*each) for each in places)
    check_rendering(
        text,
        at(text, "sub")._replace(related=related),
        "error[E101]: not so",
        " --> a.s:1:25",
        "  |",
        "1 | set lr0 1; add lr0 lr1; sub lr0 lr2;;",
        "  |     ---        ---      ^^^",
        "  |     |          second",
        "  |     first",
        "  |",
        " ::: a.s:2:1",
        "  |",
        "2 | x",
        "  | - later",
    )
    check_rendering(
        text,
        at(text, "set")._replace(related=related[1:2]),
        "error[E101]: not so",
        " --> a.s:1:1",
        "  |",
        "1 | set lr0 1; add lr0 lr1; sub lr0 lr2;;",
        "  | ^^^            --- second",
    )


def test_a_small_fix_is_previewed() -> None:
    text = "\tad lr0;;"
    fix = Fix("write `add`", (TextEdit(Span(1, 3), "add"),), Applicability.SAFE)
    check_rendering(
        text,
        at(text, "ad", WARNING)._replace(fix=fix),
        "warning[W101]: not so",
        " --> a.s:1:2",
        "  |",
        "1 |     ad lr0;;",
        "  |     ^^",
        "  |",
        "help: write `add`",
        "  |",
        "1 -     ad lr0;;",
        "1 +     add lr0;;",
    )


def test_a_fix_of_several_edits_or_lines_shows_its_title_only() -> None:
    text = "a\nb"
    several = (TextEdit(Span(0, 1), "x"), TextEdit(Span(2, 3), "y"))
    across = (TextEdit(Span(0, 3), "x"),)
    long = (TextEdit(Span(0, 1), "x" * 100),)
    for edits in (several, across, long, ()):
        fix = Fix("mend", edits, Applicability.SAFE)
        rendered = render(at(text, "a")._replace(fix=fix), SourceFile(text))
        assert rendered.endswith("\n  |\nhelp: mend")


@pytest.mark.parametrize(
    ("applicability", "remark"),
    [
        (Applicability.SAFE, "help: mend"),
        (Applicability.UNSAFE, "help: mend (unsafe fix)"),
        (Applicability.DISPLAY, "help: mend (suggestion)"),
    ],
)
def test_the_help_line_says_how_far_a_fix_can_be_relied_on(
    applicability: Applicability, remark: str
) -> None:
    finding = at("a", "a")._replace(fix=Fix("mend", (), applicability))
    assert render(finding, SourceFile("a")).endswith(f"\n{remark}")


def test_marks_stand_under_text_after_tabs_and_wide_characters() -> None:
    text = "\t\u5909\u6570 e\u0301 bad"
    rendered = render(at(text, "bad"), SourceFile(text))
    # 4 cells for the tab, 4 for two wide characters, 1 for the accented letter, 2 blanks
    assert mark_lines(rendered) == ["  | " + " " * 11 + "^^^"]


def test_wide_text_gets_wide_marks() -> None:
    text = "\u5909\u6570"
    assert mark_lines(render(at(text, text), SourceFile(text))) == ["  | ^^^^"]


def test_an_empty_span_gets_one_mark_even_at_the_end_of_the_file() -> None:
    for text in ("", "abc", "abc\n", "abc\r\n", "abc\r"):
        diagnostic = Diagnostic(ERROR, "the end", Span(len(text), len(text)))
        column = 4 if text == "abc" else 1
        marks = mark_lines(render(diagnostic, SourceFile(text)))
        assert marks == ["  | " + " " * (column - 1) + "^"]


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    text = "one two\r\nthree\r\n"
    diagnostic = Diagnostic(ERROR, "both", Span(4, 14))
    check_rendering(
        text,
        diagnostic,
        "error[E101]: both",
        " --> a.s:1:5",
        "  |",
        "1 | one two",
        "  |     ^^^...",
    )


def test_a_span_that_ends_with_its_line_break_stays_on_its_line() -> None:
    text = "one\r\ntwo"
    assert mark_lines(render(Diagnostic(ERROR, "x", Span(0, 5)), SourceFile(text))) == ["  | ^^^"]


def test_a_line_of_a_megabyte_is_cut_around_the_finding() -> None:
    text = "a" * 500_000 + "bad" + "b" * 500_000
    rendered = render(at(text, "bad"), SourceFile(text))
    line, marks = rendered.split("\n")[3:5]
    assert max(map(len, rendered.split("\n"))) < 120
    assert line.startswith("1 | ...a")
    assert line.endswith("b...")
    assert marks.index("^^^") == line.index("bad")


def test_a_finding_longer_than_what_is_shown_is_marked_as_far_as_shown() -> None:
    text = "a" * 1_000
    rendered = render(Diagnostic(ERROR, "x", Span(0, 1_000)), SourceFile(text))
    assert mark_lines(rendered) == ["  | " + "^" * 100]


def test_control_characters_are_shown_as_pictures() -> None:
    text = "\x1b[31m\x7f\u202e"
    rendered = render(Diagnostic(ERROR, "a\nb", Span(0, 1)), SourceFile(text, "x\r.s"))
    assert "\u241b[31m\u2421\ufffd" in rendered
    assert "a\u240ab" in rendered
    assert "x\u240d.s:1:1" in rendered


def test_one_line_is_enough_where_it_is_asked_for() -> None:
    text = "nop;;\r\n  ad;;"
    concise = render_concise(at(text, "ad", HINT), SourceFile(text, "dir/a.s"))
    assert concise == "dir/a.s:2:3: hint[H101] not so"


def test_color_adds_nothing_but_color() -> None:
    text = "\tad lr0;;\nx"
    fix = Fix("write `add`", (TextEdit(Span(1, 3), "add"),), Applicability.SAFE)
    related = (RelatedInformation(Span(10, 11), "here"),)
    diagnostic = at(text, "ad")._replace(fix=fix, related=related)
    for show in (render, render_concise):
        colored = show(diagnostic, SourceFile(text), True)
        assert "\x1b[1;31m" in colored
        assert re.sub(r"\x1b\[[\d;]*m", "", colored) == show(diagnostic, SourceFile(text), False)


@given(HOSTILE, HOSTILE, st.integers(0, 30), st.integers(0, 30), HOSTILE)
def test_no_text_can_break_the_terminal(
    text: str, message: str, start: int, length: int, new_text: str
) -> None:
    span = Span(start, start + length)
    fix = Fix(message, (TextEdit(span, new_text),), Applicability.SAFE)
    related = (RelatedInformation(span, message),)
    source = SourceFile(text, message)
    diagnostic = Diagnostic(ERROR, message, span, related, fix)
    for shown in (render(diagnostic, source), render_concise(diagnostic, source)):
        shown.encode()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", shown)
    assert "\n" not in render_concise(diagnostic, source)


def test_plain_text_is_rendered_without_heavy_imports() -> None:
    program = (
        "import sys; before = set(sys.modules); import ipu_asm.diagnostics.rendering as r;"
        "from ipu_asm.diagnostics import *; from ipu_asm.text import *;"
        "r.render(Diagnostic(RuleId('E1','x',Severity.ERROR),'m',Span(0,1)), SourceFile('ab'));"
        "print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    heavy = {"dataclasses", "pathlib", "inspect", "json", "unicodedata", "textwrap", "shutil"}
    assert not heavy & set(run.stdout.split())


@given(
    text=st.text("ab\t \u5909\u0301", max_size=150),
    start=st.integers(0, 150),
    length=st.integers(0, 60),
    columns=st.integers(0, 130),
)
def test_source_lines_are_cut_at_the_width_of_a_terminal(
    text: str, start: int, length: int, columns: int
) -> None:
    span = Span(min(start, len(text)), min(start + length, len(text)))
    source = SourceFile(text, "a.s")
    finding = Diagnostic(ERROR, "not so", span)
    _, _, _, line, marks = render(finding, source, columns=columns).split("\n")
    room = max(columns, 24)
    assert cells(line) <= room
    assert cells(marks) <= room + 1  # a mark after the end of a full line
    _, _, _, whole, all_marks = render(finding, source).split("\n")
    assert render(finding, source, columns=1_000) == render(finding, source)
    if text.isascii() and cells(whole) <= room:
        assert (line, marks) == (whole, all_marks)


def cells(text: str) -> int:
    """The columns that a text takes in a terminal."""
    return sum(2 if character == "\u5909" else character != "\u0301" for character in text)


def test_marks_stay_below_what_is_meant_in_a_cut_line() -> None:
    text = "incr lr1 1; " * 5 + "acc.frist; " + "incr lr2 1; " * 3
    rows = render(at(text, "acc.frist"), SourceFile(text, "a.s"), columns=40).split("\n")
    column = rows[4].index("^")
    assert rows[3][column : column + 9] == "acc.frist"
    assert rows[4] == " " * 2 + "|" + " " * (column - 3) + "^" * 9
    assert rows[3].startswith("1 | ...")
    assert rows[3].endswith("...")
