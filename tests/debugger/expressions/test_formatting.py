"""Floats as text: the fewest digits that give the same bits back."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.expressions import element_text
from ipu_asm.emulator.element_types import TYPES


def check_float(pattern: int) -> None:
    """The text of a float32 has its bits, and none with fewer digits does."""
    (number,) = struct.unpack("<f", struct.pack("<I", pattern))
    text = element_text(number, TYPES["f32"])
    if math.isfinite(number):
        assert struct.pack("<f", float(text)) == struct.pack("<f", number)
        assert text == _shortest(number)
    else:
        assert text == repr(number)


def _shortest(number: float) -> str:
    """The same by trying all lengths."""
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        # A number rounded up past the largest float32 has no bits.
        if abs(short) < 3.4028236e38 and struct.pack("<f", short) == struct.pack("<f", number):
            return repr(short)
    return repr(number)


@given(st.integers(0, (1 << 32) - 1))
def test_a_float_has_the_fewest_digits_that_give_its_bits(pattern: int) -> None:
    check_float(pattern)


@given(st.integers(0, 0x0100_0000), st.sampled_from([0, 0x8000_0000]))
def test_so_has_one_so_small_that_it_lost_precision(pattern: int, sign: int) -> None:
    check_float(pattern | sign)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (0x0000_0000, "0.0"), (0x8000_0000, "-0.0"), (0x0000_0001, "1e-45"),
        (0x7F7F_FFFF, "3.4028235e+38"), (0x0080_0000, "1.1754944e-38"), (0x3DCC_CCCD, "0.1"),
        (0x4B80_0000, "16777216.0"), (0x7FC0_0001, "nan"), (0xFF80_0000, "-inf"),
    ],
)  # fmt: skip
def test_well_known_floats_read_as_people_write_them(pattern: int, text: str) -> None:
    check_float(pattern)
    (number,) = struct.unpack("<f", struct.pack("<I", pattern))
    assert element_text(number, TYPES["f32"]) == text
