"""Which macros can be written at the cursor, and how."""

from __future__ import annotations

import pytest

from ipu_asm.ide.completion import CompletionItem
from ipu_asm.ide.completion.completion import completions, resolve
from tests.ide.cursor import fixture

MACROS = """\
#define SCRATCH m11 // of nobody
#define VAL1 a0
#define VAL12 a0:1
#define OFF (4+2)
#define OFF2 OFF + 1
#define NOTHING
#define GO bri x
#define ADD2(x, y) add x, y, \\
    $m1
#define MAX(a, b) ((a) + (b))
.macro STEP dst, src=$m2, n:req
.endm
.macro END
.endm
"""
KINDS = ("macro", "value")


def check_macros(
    text_with_cursor: str, expected: str, isa: str = "colossus"
) -> dict[str, CompletionItem]:
    """Of the macros of the text these are offered, in this order; each has a page."""
    analysis, offset = fixture(MACROS + text_with_cursor, isa)
    items = [item for item in completions(analysis, offset) if item.kind in KINDS]
    assert " ".join(item.label for item in items) == expected
    for item in items:
        assert f"{item.detail}".split()[0] in (resolve(analysis, item.label, item.kind) or "") + " "
        assert item.insert_text == item.label
    return {item.label: item for item in items}


def test_macros_that_stand_for_instructions_are_offered_where_one_begins() -> None:
    items = check_macros(" $0", "ADD2 END GO STEP")
    assert items["STEP"].detail == "dst, src=$m2, n"
    assert items["STEP"].snippet == "STEP ${1:dst}, ${2:src}, ${3:n}"
    assert items["ADD2"].snippet == "ADD2(${1:x}, ${2:y})"
    assert (items["GO"].detail, items["GO"].snippet) == ("bri x", None)
    assert {item.kind for item in items.values()} == {"macro"}


def test_what_is_there_already_is_kept() -> None:
    assert check_macros(" ST$0EP $m0, $m1\n", "ADD2 END GO STEP")["STEP"].snippet is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mov $0", "$SCRATCH $VAL1 $VAL12 $VAL1:1 MAX"),
        ("ld64 $0", "$VAL12 $VAL1:1 MAX"),
        ("ld32 $m0, $0", "$SCRATCH MAX"),
        ("ld32step $m0, $mzero, $0", "$SCRATCH+= MAX"),
        ("add $m0, $m1, $0", "$SCRATCH MAX OFF OFF2"),
        ("add $m0, $m1, 2 * $0", "MAX OFF OFF2"),
        ("ld32step $SCRATCH, $mzero, $0", "$SCRATCH+= MAX"),
        ("f32v2add $0", "$VAL12 $VAL1:1 MAX"),
        ("STEP $0", "$SCRATCH $VAL1 $VAL12 MAX OFF OFF2"),
        (".macro X i\n\\i $$0", "$SCRATCH $VAL1 $VAL12 MAX OFF OFF2"),
        ("nonsense $0", ""),
        (".long $0", ""),
    ],
)
def test_values_are_offered_where_they_fit_as_they_are_written_there(
    text: str, expected: str
) -> None:
    check_macros(text, expected)


def test_a_value_says_what_it_is() -> None:
    items = check_macros("add $m0, $m1, $0", "$SCRATCH MAX OFF OFF2")
    assert (items["OFF2"].kind, items["OFF2"].detail) == ("value", "OFF + 1")
    assert (items["MAX"].kind, items["MAX"].snippet) == ("macro", "MAX(${1:a}, ${2:b})")


def check_arguments(text_with_cursor: str, expected: str, isa: str = "colossus") -> None:
    """These are all that is offered, and each replaces the word with its mark."""
    analysis, offset = fixture(text_with_cursor, isa)
    items = completions(analysis, offset)
    assert " ".join(item.label for item in items) == expected
    assert {analysis.text[slice(*item.span)][0] for item in items} == {"\\"}


def test_behind_a_mark_the_parameters_of_the_bodies_around_are_offered() -> None:
    for line in ("add \\$0", "add $m0, \\s$0, 1", "\\$0", "ld32 $a\\d$0"):
        check_arguments(f".macro STEP dst, src\n {line}\n.endm\n", "\\dst \\src")
        check_arguments(f".macro STEP dst, src\n {line}\n.endm\n", "\\dst \\src", "xdna1")
    check_arguments(".macro A x\n.irp y, 1\n .long \\$0\n", "\\y \\x")


def test_outside_of_bodies_a_mark_begins_nothing() -> None:
    analysis, offset = fixture(".macro A x\n.endm\n add \\$0", "colossus")
    assert "\\x" not in [item.label for item in completions(analysis, offset)]
