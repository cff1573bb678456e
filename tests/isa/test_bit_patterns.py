"""Bit patterns of instructions: fields in order, in another order, in part, and twice."""

from __future__ import annotations

import pytest

from ipu_asm.isa.notations import BitPattern


@pytest.mark.parametrize(
    ("text", "values", "word"),
    [
        ("01aabb", {"a": 0b10, "b": 0b01}, 0b011001),
        ("a1ab-0", {"a": 0b10, "b": 1}, 0b110100),
        ("aa01aa a=1-0,3-2", {"a": 0b1101}, 0b010111),
        ("bbaabb b=3-2,1-0", {"a": 0b01, "b": 0b1011}, 0b100111),
        ("1aaa a=3-1", {"a": 0b1010}, 0b1101),
        ("aa0aa a=1-0,1-0", {"a": 0b10}, 0b10010),
    ],
)
def test_values_stand_at_their_bits(text: str, values: dict[str, int], word: int) -> None:
    pattern = BitPattern(text)
    assert pattern.insert(values) == word
    assert pattern.matches(word)
    assert pattern.extract(word) == values


def test_a_field_that_a_word_holds_twice_is_the_same_at_both_places() -> None:
    pattern = BitPattern("aa0aa a=1-0,1-0")
    assert [word for word in range(32) if pattern.matches(word)] == [0, 0b1001, 0b10010, 0b11011]


def test_an_order_names_each_bit_of_the_text() -> None:
    with pytest.raises(AssertionError, match="a has 2 bits, not 3-1"):
        BitPattern("0aa a=3-1")
