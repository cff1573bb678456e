"""An edit of an ordinary line moves what is behind it, and expands nothing again."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.source import expand as expansion_of
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
    return memo.change is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mov $m1", "mov $m11"),
        ("or $m1", "o $m1"),
        ("and $m1", "andc $m1"),
        ("// the end", "// the very end"),
        ("{ add $m2, $m2, 1", "{ add $m2, $m2, 1 ;"),
        ("    exitz", "    or $m1, $m1, $m2\n    exitz"),
    ],
)
def test_an_edit_of_an_ordinary_line_expands_nothing(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    edited = after(expand(SURFACE, TEXT), TEXT, text)
    assert is_reused(edited)
    check_same(edited, text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("POINTER $m3", "POINTER $m4"),
        ("STEP(POINTER, 4)", "STEP(POINTER, 5)"),
        ("sub \\reg", "add \\reg"),
        ("mov $m1, $m2", "mov $m1, POINTER"),
        ("xor $m4", "or $m4"),
        (".rept 2", ".rept 3"),
        ("mov $m1, $m2", "mov $m1, $m2 /*"),
        ("    mov $m1, $m2", "#define or and"),
    ],
)
def test_an_edit_that_matters_to_expansion_expands_again(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    edited = after(expand(SURFACE, TEXT), TEXT, text)
    assert not is_reused(edited)
    check_same(edited, text)


@pytest.mark.parametrize("seed", range(20))
def test_any_edits_give_the_expansions_of_the_text(seed: int) -> None:
    random, text = Random(seed), TEXT
    expansions = expand(SURFACE, text)
    place = 0
    for number in range(25):
        if number % 4 == 0:
            place = random.randrange(len(text))
        start = min(len(text), place + random.randrange(3))
        end = min(len(text), start + random.choice((0, 0, 1, 2)))
        piece = random.choice(("1", "m", " ", "$", "\n", "#", "or", "POINTER", "(", "", "twice"))
        new = text[:start] + piece + text[end:]
        change = Change(start, end, start + len(piece))
        expansions = expansion_of.expand(SURFACE, new, before=expansions, change=change)
        text = new
        check_same(expansions, text)
