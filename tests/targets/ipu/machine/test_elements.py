"""Elements, words, and the arithmetic on them that new instructions can use."""

from __future__ import annotations

import math
import struct
from random import Random

import numpy as np
import pytest

from ipu_asm.emulator import DType, ipu_add, ipu_mult
from ipu_asm.emulator.words import sum_in_order, sum_words, to_float, to_word
from ipu_asm.targets.ipu.machine.state import element_values, products_of
from tests import scalar_machine
from tests.emulator.random_programs import SPECIAL_WORDS


def check_products(dtype: DType) -> None:
    """The table has the words of all products, and its parts agree."""
    table = products_of(dtype)
    for a in range(256):
        row = [scalar_machine.product(a, b, dtype) for b in range(256)]
        assert table.rows[a].tolist() == table.pairs[a << 8 : a + 1 << 8].tolist() == row


@pytest.mark.parametrize("dtype", DType)
def test_all_products_of_two_elements_are_in_the_table(dtype: DType) -> None:
    check_products(dtype)


@pytest.mark.parametrize("dtype", DType)
def test_the_product_of_two_elements_is_a_number(dtype: DType) -> None:
    values = element_values(dtype).tolist()
    for a in range(0, 256, 5):
        for b in range(256):
            expected = values[a] * values[b]
            found = ipu_mult(a, b, dtype)
            assert found == expected or (math.isnan(found) and math.isnan(expected))
            assert isinstance(found, int) == (dtype is DType.INT8)


def test_bytes_may_be_given_as_signed_numbers() -> None:
    assert ipu_mult(-3, 5, DType.INT8) == ipu_mult(253, 5, DType.INT8) == -15


def test_sums_of_int8_words_wrap() -> None:
    assert ipu_add(0x7FFF_FFFF, 1, DType.INT8) == -0x8000_0000
    assert ipu_add(-0x8000_0000, -1, DType.INT8) == 0x7FFF_FFFF
    assert ipu_add(-5, 3, DType.INT8) == -2


def test_sums_of_fp8_words_are_rounded_to_float32() -> None:
    assert ipu_add(1.0, 2.0**-30, DType.FP8_E4M3) == 1.0
    assert ipu_add(3e38, 3e38, DType.FP8_E5M2) == math.inf
    assert math.isnan(ipu_add(math.inf, -math.inf, DType.FP8_E5M2))


@pytest.mark.parametrize("code", [3, -1, 0xFFFF_FFFF])
def test_there_are_no_other_element_types(code: int) -> None:
    with pytest.raises(ValueError, match=f"one of 0 .INT8.*found {code}"):
        ipu_mult(1, 1, code)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="element type"):
        ipu_add(1, 1, code)  # type: ignore[arg-type]


def test_words_become_floats_and_back_with_their_payload() -> None:
    for word in SPECIAL_WORDS:
        is_nan = word & 0x7FFF_FFFF > 0x7F80_0000
        assert to_word(to_float(word)) == (word | 0x0040_0000 if is_nan else word)


def test_rounding_to_a_word_overflows_to_infinity() -> None:
    assert to_word(1e300) == 0x7F80_0000
    assert to_word(-(2.0**128)) == 0xFF80_0000
    assert to_word(math.nextafter(2.0**128 - 2.0**103, 0)) == 0x7F7F_FFFF


@pytest.mark.parametrize("count", [2, 3])
def test_sums_settle_nans_by_the_order_of_the_operands(count: int) -> None:
    rng = Random(count)
    operands = [np.array(rng.choices(SPECIAL_WORDS, k=2000), "<u4") for _ in range(count)]
    with np.errstate(all="ignore"):
        sums = sum_words(*operands)
    for *words, found in zip(*(operand.tolist() for operand in operands), sums.tolist()):
        number = scalar_machine.float_sum(scalar_machine.to_number(words[0]), words[1:])
        assert found == scalar_machine.to_word(number), [hex(word) for word in words]


def test_a_sum_is_made_from_the_first_number_to_the_last() -> None:
    assert sum_in_order([1.0, 1e300, -1e300]) == 0.0
    assert sum_in_order([1e300, -1e300, 1.0]) == 1.0
    assert to_word(sum_in_order([math.inf, -math.inf, to_float(0x7FC0_0001)])) == 0x7FC0_0000
    assert to_word(sum_in_order([1.0, to_float(0xFFC0_0001), math.nan])) == 0xFFC0_0001


def test_the_values_of_fp8_elements_are_those_of_their_formats() -> None:
    for dtype in (DType.FP8_E4M3, DType.FP8_E5M2):
        for found, number in zip(element_values(dtype), scalar_machine.element_values(dtype)):
            word = struct.unpack("<I", struct.pack("<f", found))[0]
            assert word == scalar_machine.to_word(number)
