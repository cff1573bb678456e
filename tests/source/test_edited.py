"""An edit of an ordinary line moves what is after it, and expands nothing again."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.source.edited import EditMemo
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Change, Span, change_between

SURFACE = load_isa("colossus").surface
TEXT = """#define POINTER $m3 // next
#define STEP(r, n) add r, r, n
.macro twice reg
    sub \\reg, \\reg, 1
    sub \\reg, \\reg, 1
.endm
.worker
first:
    mov $m1, $m2
    STEP(POINTER, 4)
    or $m1, $m1, $m2
#ifdef NOTHING
    and $m1, $m1, 7
    and $m1, $m1, 8
#endif
.rept 2
    xor $m4, $m4, $m1
.endr
    twice $m5
    add $m1, $m1, 1 // the end
    { add $m2, $m2, 1
      zero $a0 }
    exitz $mzero
"""

RICH = """/* A file with all that may be
   around a line. */
#define POINTER $m3 // next
#define BOTH(r, n) add r, r, n ; \\
    sub r, r, n
#define EMPTY
#if UNKNOWN
#define WIDTH 4
#else
#define WIDTH 8
#endif
.macro load reg, from=POINTER, to:vararg
    // \\reg is read
.Lagain\\@:
    ld32step \\reg, \\from, POINTER+=, WIDTH
    brnzdec \\reg, .Lagain\\@
.ifc "\\reg", "$m5"
    add \\reg, \\reg, WIDTH EMPTY
.else
    sub \\reg, \\reg, 1 ; nop
.endif
    \\to
.endm
.macro outer a
.irp r, $m1, $m2
    add \\r, \\r, \\a
    load \\r
.endr
    xor \\a, \\a, POINTER
.endm
.set SIZE, 4
.ifdef first
    zero $a0
.endif
first: mov $m1, $m2
    BOTH(POINTER, WIDTH)
    BOTH(
      $m1, 2)

    outer 3
    load $m5
    load $m6, $m7, nop
.rept 2
    st64 $a0:1, $mzero, POINTER+=, SIZE
.endr
    unknown $m1, POINTER
    // a remark
#define LAST EMPTY
    exitz $mzero
"""


def check_same(edited: tuple[Expansion, ...], text: str) -> None:
    """Expansions after edits are those of the text, in every position."""
    fresh = expand(SURFACE, text)
    assert len(edited) == len(fresh)
    for one, other in zip(edited, fresh):
        assert one.text == other.text
        for offset in range(len(one.text)):
            span = Span(offset, min(offset + 3, len(one.text)))
            assert one.source_map.written(span) == other.source_map.written(span), span
            assert one.source_map.verbatim(span) == other.source_map.verbatim(span), span
            assert one.source_map.frame_at(offset) == other.source_map.frame_at(offset)
        for offset in range(len(text)):
            assert one.source_map.expanded(MAIN, offset) == other.source_map.expanded(MAIN, offset)
        assert [*one.definitions] == [*other.definitions]
        assert [*one.uses] == [*other.uses]
        assert one.findings == other.findings


def after(before: tuple[Expansion, ...], old: str, new: str) -> tuple[Expansion, ...]:
    return expand(SURFACE, new, before=before, change=change_between(old, new))


def is_reused(expansions: tuple[Expansion, ...]) -> bool:
    memo = expansions[0].memo
    assert isinstance(memo, EditMemo)
    return bool(memo.patches)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mov $m1", "mov $m11"),
        ("or $m1", "o $m1"),
        ("and $m1, $m1, 7", "andc $m1, $m1, 7"),
        ("// the end", "// the very end"),
        ("{ add $m2, $m2, 1", "{ add $m2, $m2, 1 ;"),
        ("    exitz", "    or $m1, $m1, $m2\n    exitz"),
        ("STEP(POINTER, 4)", "STEP(POINTER, 5)"),
        ("STEP(POINTER, 4)", "STEP(POINTE, 4)"),
        ("mov $m1, $m2", "mov $m1, POINTER"),
        ("xor $m4", "or $m4"),
        ("sub \\reg, \\reg, 1\n.endm", "sub \\reg, \\reg, POINTER\n.endm"),
        ("sub \\reg", "add $m1"),
        ("sub \\reg", "sub \\@\\()1, \\reg"),
        ("    mov $m1, $m2\n    STEP", "    STEP"),
        ("$m2\n#ifdef", "$m2\n    nop\n#ifdef"),
        ("    or $m1, $m1, $m2\n#ifdef", "#ifdef"),
    ],
)
def test_an_edit_of_a_line_of_assembly_expands_nothing_again(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    edited = after(expand(SURFACE, TEXT), TEXT, text)
    assert is_reused(edited)
    check_same(edited, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("POINTER $m3", "POINTER $m4"),
        ("STEP(POINTER, 4)", "STEP(POINTER, 5"),
        ("twice $m5", "twice $m6"),
        (".rept 2", ".rept 3"),
        ("7\n    and", "77\n    an"),
        ("mov $m1, $m2", "mov $m1, $m2 ; twice $m1"),
        ("mov $m1, $m2", "(POINTER)"),
        ("or $m1, $m1, $m2\n", "STEP\n"),
        ("sub \\reg", "sub \\re\\reg"),
        ("mov $m1, $m2", "mov $m1, $m2 /*"),
        ("    mov $m1, $m2", "#define or and"),
        ("mov $m1, $m2", "mov $m1, __LINE__"),
        ("    mov $m1, $m2", "    mov $m1, __COUNTER__"),
    ],
)
def test_an_edit_that_matters_to_expansion_expands_again(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    edited = after(expand(SURFACE, TEXT), TEXT, text)
    assert not is_reused(edited)
    check_same(edited, text)


def test_a_predefined_name_may_come_and_go_without_a_directive() -> None:
    texts = [".worker\n    nop\n", ".worker\n    add $m1, $m1, __LINE__\n"] * 2
    edited = expand(SURFACE, texts[0])
    for old, new in pairwise(texts):
        edited = after(edited, old, new)
        check_same(edited, new)


@pytest.mark.parametrize("comment", ["/* 1\n\n 2 */", "/* 1 2 */", "/* 1\n 2"])
def test_lines_in_a_comment_of_a_skipped_branch_keep_their_line_breaks(comment: str) -> None:
    text = TEXT.replace("and $m1, $m1, 7", "/* 1\n 2 */")
    edited_text = text.replace("/* 1\n 2 */", comment)
    edited = after(expand(SURFACE, text), text, edited_text)
    check_same(edited, edited_text)


PIECES = (
    "1", "m", " ", "$", "\n", "#", "or", "POINTER", "(", "", "twice", "WIDTH", "\\reg", "\\@",
    ":", ";", "+=", " = ", "// ", "EMPTY", "BOTH(", ")", ".", "load", "first", "/*", "*/", "\\",
)  # fmt: skip


@pytest.mark.parametrize("original", [TEXT, RICH], ids=["short", "rich"])
@pytest.mark.parametrize("seed", range(4))
def test_any_edits_give_the_expansions_of_the_text(seed: int, original: str) -> None:
    random, text = Random(seed), original
    expansions = expand(SURFACE, text)
    place = 0
    for number in range(16):
        if number % 4 == 0:
            place = random.randrange(len(text))
        start = min(len(text), place + random.randrange(3))
        end = min(len(text), start + random.choice((0, 0, 1, 2)))
        piece = random.choice(PIECES)
        new = text[:start] + piece + text[end:]
        change = Change(start, end, start + len(piece))
        expansions = expand(SURFACE, new, before=expansions, change=change)
        text = new
        check_same(expansions, text)
