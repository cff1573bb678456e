"""The types of elements against numpy and ml_dtypes, which the debugger itself does without."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator import machine_for
from ipu_asm.expressions import Number

SAME: dict[str, Any] = {
    "i8": np.int8, "u8": np.uint8, "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
    "f32": "<f4", "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
TYPES = machine_for("ipu").element_types
LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}


def check_decoding(name: str, data: bytes) -> None:
    """The same numbers as numpy reads, and the same bytes back unless they are NaN."""
    numbers = TYPES[name].decode(data)
    expected = np.frombuffer(data, SAME[name]).astype(np.float64)
    np.testing.assert_array_equal(np.array(numbers, np.float64), expected)
    size = TYPES[name].size
    for place, number in enumerate(numbers):
        if not math.isnan(number):
            assert TYPES[name].encode(number) == data[place * size : (place + 1) * size]


def check_rounding(name: str, number: Number) -> None:
    """The byte that ml_dtypes rounds a number to that does not round past the largest."""
    with np.errstate(all="ignore"):
        expected = np.array(number, np.float64).astype(SAME[name])
    if math.isfinite(float(expected)):
        assert TYPES[name].encode(number) == expected.tobytes()
    else:
        with pytest.raises(ValueError, match=f"`{name}` holds up to {LARGEST[name]:g}, found"):
            TYPES[name].encode(number)


@pytest.mark.parametrize("name", SAME)
def test_every_byte_is_read_as_numpy_reads_it(name: str) -> None:
    check_decoding(name, bytes(range(256)))
    check_decoding(name, bytes(range(255, -1, -1)))


@given(st.sampled_from(sorted(LARGEST)), st.floats(-70_000, 70_000, width=32))
def test_floats_are_rounded_to_the_nearest_element(name: str, number: float) -> None:
    check_rounding(name, number)


@given(st.sampled_from(sorted(LARGEST)), st.integers(0, 0x7A), st.sampled_from([1, -1]))
def test_ties_go_to_the_even_element(name: str, code: int, sign: int) -> None:
    low, high = TYPES[name].decode(bytes((code, code + 1)))
    check_rounding(name, sign * (low + high) / 2)
