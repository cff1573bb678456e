"""Numbers that become elements of a machine, and back."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator import machine_for
from ipu_asm.testbench import Bench, from_fp8, to_fp8

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TYPES = ["fp8_e4m3", "fp8_e5m2", *(f"E{bits}" for bits in range(1, 8))]
ALL = np.arange(256, dtype=np.uint8)


def check_elements(values: Any, dtype: str, expected: Any, **options: bool) -> None:
    """Numbers become the elements with these values; NaN equals NaN."""
    found = from_fp8(to_fp8(values, dtype, **options), dtype)
    np.testing.assert_array_equal(found, np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", TYPES)
def test_every_element_that_is_a_number_comes_back(dtype: str) -> None:
    values = from_fp8(ALL, dtype)
    kept = np.isfinite(values)
    codes = to_fp8(values[kept], dtype).view(np.uint8)
    np.testing.assert_array_equal(codes, ALL[kept])


@pytest.mark.parametrize("dtype", TYPES)
@given(st.floats(width=32))
def test_a_number_becomes_one_of_its_two_neighbours(dtype: str, number: float) -> None:
    (found,) = from_fp8(to_fp8([number], dtype), dtype)
    if np.isnan(number):
        assert np.isnan(found)
        return
    values = from_fp8(ALL, dtype)
    values = values[np.isfinite(values)]
    below, above = values[values <= number], values[values >= number]
    neighbours = [below.max()] if below.size else []
    assert found in [*neighbours, *([above.min()] if above.size else [])]


def test_ties_go_to_the_even_code() -> None:
    check_elements([17, 19, 1.0625, 2**-10], "fp8_e4m3", [16, 20, 1, 0])
    check_elements([9, 11, 1.125], "fp8_e5m2", [8, 12, 1])
    check_elements([17, 19], "E4", [16, 20])


def test_what_is_too_large_becomes_the_largest_element_unless_told_otherwise() -> None:
    check_elements([1e9, -np.inf, 464.1], "fp8_e4m3", [448, -448, 448])
    check_elements([1e9, -np.inf, 61441], "fp8_e5m2", [57344, -57344, 57344])
    check_elements([1e9, -np.inf], "E4", [240, -240])
    check_elements([1e9, -1e9, np.inf], "fp8_e4m3", [np.nan] * 3, saturate=False)
    check_elements([1e9, -1e9], "fp8_e5m2", [np.inf, -np.inf], saturate=False)
    check_elements([1e9, np.inf, 240], "e4", [np.nan, np.nan, 240], saturate=False)


def test_elements_have_the_type_and_the_shape_that_a_bench_takes() -> None:
    bench = Bench(dtype="fp8_e5m2")
    found = bench.to_elements(np.ones((2, 3)))
    assert found.dtype == np.dtype(E5M2)
    bench.put(0, found)
    np.testing.assert_array_equal(bench.to_float32(bench.get(0, (2, 3), E5M2)), np.ones((2, 3)))
    assert to_fp8(1.0, "fp8_e4m3").dtype == np.dtype(E4M3)
    other = Bench(isa="ipu2", dtype="E3")
    assert other.to_elements([[1.5, -2]]).tolist() == [[0x38, 0xC0]]
    assert other.to_float32(np.array([0x38], np.uint8)).tolist() == [1.5]


def test_integers_are_rounded_and_saturated_as_well() -> None:
    bench = Bench()
    assert bench.to_elements([0.5, 1.5, -2.5, 1e3, -np.inf]).tolist() == [0, 2, -2, 127, -128]
    for wrong in (128, np.nan, -128.51):
        with pytest.raises(ValueError, match=f"`i8` takes -128 to 127, found {wrong}"):
            bench.to_elements([0, wrong], saturate=False)
    with pytest.raises(ValueError, match="found nan"):
        bench.to_elements(np.nan)


def test_elements_of_the_other_ipu_are_those_that_its_machine_stores() -> None:
    numbers = np.random.default_rng(3).normal(0, 3, 128).astype(np.float32)
    for bits in range(1, 8):
        kind = machine_for("ipu2").element_types[f"e{bits}"]
        assert kind.format is not None
        expected = [
            kind.format.encode(float(np.clip(n, -kind.format.most, kind.format.most)))
            for n in numbers
        ]
        assert to_fp8(numbers, f"E{bits}").tolist() == expected


def test_wrong_types_are_named() -> None:
    with pytest.raises(ValueError, match=r"one of e4m3, e5m2, e1, .*, e7, found `fp8`"):
        to_fp8([1], "fp8")
    with pytest.raises(TypeError, match="elements of `e4m3` are float8_e4m3fn, found float8_e5m2"):
        from_fp8(np.zeros(3, E5M2), "fp8_e4m3")
