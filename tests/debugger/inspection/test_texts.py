"""Many elements as text at once, and values as users change them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import NOTATIONS, element_text
from ipu_asm.debugger.inspection import parse_displayed_value
from ipu_asm.debugger.inspection.texts import element_texts, single_texts
from ipu_asm.emulator import machine_for
from ipu_asm.emulator.element_types import MASK, ElementType

TYPES = machine_for("ipu").element_types
EDGES = [
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x007F_FFFF, 0x0080_0000, 0x7F7F_FFFF, 0x7F80_0000,
    0xFF80_0000, 0x7FC0_0000, 0xFFFF_FFFF, 0x3DCC_CCCD, 0x4B80_0000, 0x5A0E_1BCA, 0x38D1_B717,
    0x5A0E_1BC9, 0x38D1_B716, 0x7FFF_FFFF, 0x0F80_0000, 0x6B00_0000,
]  # fmt: skip
WORDS = st.lists(st.sampled_from(EDGES) | st.integers(0, 0xFFFF_FFFF), min_size=4, max_size=8)


def check_texts(kind: ElementType, data: bytes, notation: str | None) -> None:
    """All together read as one by one; of floats, a shorter text may do as well."""
    if kind.is_float and notation not in (None, "d"):
        numbers, shown = kind.unsigned().decode(data), kind.unsigned()
    else:
        numbers, shown = kind.decode(data), kind
    if kind == MASK and notation is None:
        notation = "x"
    expected = [element_text(number, shown, notation) for number in numbers]
    found = element_texts(kind, data, notation)
    if kind == TYPES["f32"] and shown == kind:
        content = [kind.encode(float(text)) for text in expected]
        assert [kind.encode(float(text)) for text in found] == content
        assert all(len(one) <= len(other) for one, other in zip(found, expected))
    else:
        assert found == expected


@given(WORDS, st.sampled_from([*TYPES.values(), MASK]), st.sampled_from([None, *NOTATIONS]))
def test_elements_read_together_as_they_do_one_by_one(
    words: list[int], kind: ElementType, notation: str | None
) -> None:
    words = words[: len(words) // 4 * 4]
    check_texts(kind, b"".join(word.to_bytes(4, "little") for word in words), notation)


def test_a_number_alone_shows_its_bits_unless_they_are_evident() -> None:
    assert single_texts(TYPES["i8"], bytes([0, 9, 10, 0xFF]), None) == [
        "0", "9", "10 (0xa)", "-1 (0xff)",
    ]  # fmt: skip
    assert single_texts(TYPES["e4m3"], bytes([0x38, 0x7F]), None) == ["1.0 (0x38)", "nan (0x7f)"]
    assert single_texts(TYPES["i16"], bytes([0xFE, 0xFF]), None) == ["-2 (0xfffe)"]
    assert single_texts(TYPES["i16"], bytes([0xFE, 0xFF]), "u") == ["65534"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 (0xc) was 8  # row offset", "12"),
        ("12 (0xc)", "12"),
        ("0x1000 (4096) was 0x200  # results", "0x1000"),
        ("-1 (0xffffffff) was nan", "-1"),
        ("0.5 (0x3f000000) was -1.5e-07", "0.5"),
        ("inf (0x7f800000)", "inf"),
        ("0xff was 0x00", "0xff"),
        ("[1, 2], 16 changed", "[1, 2]"),
        ("1  # fp8_e4m3; element type", "1"),
        ("3 masked, 0..127: 1110", "0b0111"),
        ("3 masked, 1 changed, 0..127: 0110 1000", "0b00010110"),
        ("3 masked, as a number: 0x7", "0x7"),
        ("lr5 + 1", "lr5 + 1"),
        ("f32 (0x3f000000)", "f32 (0x3f000000)"),
        ("lr0 * (0x4)", "lr0 * (0x4)"),
        ("", ""),
    ],
)
def test_a_value_as_it_is_shown_becomes_an_expression_again(text: str, expected: str) -> None:
    assert parse_displayed_value(text) == expected
