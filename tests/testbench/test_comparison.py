"""What `assert_bit_exact` lets pass, and what it says of the rest."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ipu_asm.testbench import assert_bit_exact

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
NAN, MINUS_NAN, OTHER_NAN = 0x7FC0_0000, 0xFFC0_0000, 0x7FC0_0001


def check_difference(actual: Any, expected: Any, *report: str, **options: bool) -> None:
    """Two arrays are told apart, with these lines in the report; with none they are the same."""
    if not report:
        assert_bit_exact(actual, expected, **options)
        return
    with pytest.raises(AssertionError) as raised:
        assert_bit_exact(actual, expected, **options)
    assert str(raised.value).splitlines() == list(report)


def floats(*words: int) -> Any:
    """float32 of these bits."""
    return np.array(words, np.uint32).view(np.float32)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint32, np.float32, E4M3, E5M2])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 3, 4)])
def test_what_has_the_same_bits_passes(kind: Any, shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(1).integers(0, 256, (*shape, 4), np.uint8)
    array = np.ascontiguousarray(bits[..., : np.dtype(kind).itemsize]).view(kind)[..., 0]
    check_difference(array, array.copy())
    check_difference(array.T, array.copy(order="F").T)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.float32, E4M3, E5M2])
@pytest.mark.parametrize("bit", range(8))
def test_any_bit_counts(kind: Any, bit: int) -> None:
    actual = np.zeros((2, 5), kind)
    expected = actual.copy()
    expected.view(np.uint8)[1, -1] = 1 << bit
    with pytest.raises(AssertionError, match=r"^row 1, element 4: expected .*, found 0"):
        check_difference(actual, expected)


def test_a_table_shows_where_and_by_how_much() -> None:
    expected = np.arange(12, dtype=np.int32).reshape(3, 4)
    actual = expected.copy()
    actual[1, 3] = -7
    actual[2, 0] = 1000
    check_difference(
        actual,
        expected,
        "row 1, element 3: expected 7 (0x00000007), found -7 (0xfffffff9)",
        "2 of 12 elements differ, in 2 of 3 rows: 1, 2",
        "",
        "  row  element  expected              found              off by",
        "    1        3         7  0x00000007     -7  0xfffffff9     -14",
        "    2        0         8  0x00000008   1000  0x000003e8    +992",
    )


def test_one_difference_needs_no_table() -> None:
    check_difference(
        np.array([1, 2, 3], np.int8),
        np.array([1, 2, -3], np.int8),
        "element 2: expected -3 (0xfd), found 3 (0x03)",
        "1 of 3 elements differ",
    )
    check_difference(
        np.array([[1, 2]], np.uint8),
        np.array([[1, 255]], np.uint8),
        "row 0, element 1: expected 255 (0xff), found 2 (0x02)",
        "1 of 2 elements differ, in 1 of 1 rows: 0",
    )


def test_a_row_of_many_axes_is_named_by_all_of_them_but_the_last() -> None:
    expected = np.ones((2, 3, 4), np.int8)
    actual = expected.copy()
    actual[1, 0, 2] = actual[1, 2, 3] = 0
    check_difference(
        actual,
        expected,
        "row [1, 0], element 2: expected 1 (0x01), found 0 (0x00)",
        "2 of 24 elements differ, in 2 of 6 rows: [1, 0], [1, 2]",
        "",
        "     row  element  expected        found        off by",
        "  [1, 0]        2         1  0x01      0  0x00      -1",
        "  [1, 2]        3         1  0x01      0  0x00      -1",
    )


def test_a_single_value_has_no_place() -> None:
    check_difference(
        np.float32(1.5),
        np.float32(-0.0),
        "the value: expected -0.0 (0x80000000), found 1.5 (0x3fc00000)",
    )


def test_of_many_differences_the_first_are_shown() -> None:
    with pytest.raises(AssertionError) as raised:
        check_difference(np.ones((1000, 2), np.int8), np.full((1000, 2), 3, np.int8))
    lines = str(raised.value).splitlines()
    assert lines[1] == (
        "2,000 of 2,000 elements differ, in 1,000 of 1,000 rows: 0, 1, 2, 3, 4, 5, 6, 7, ..."
    )
    assert lines[-2:] == ["    3        1         3  0x03      1  0x01      -2", "  and 1,992 more"]


def test_floats_nearby_are_apart_by_steps_and_others_by_their_difference() -> None:
    check_difference(
        floats(0x3F80_0001, 0xBF80_0002, 0x4000_0000, 0x0000_0001, 0x7F80_0000),
        floats(0x3F80_0000, 0xBF80_0000, 0x3F80_0000, 0x8000_0001, 0x7F7F_FFFF),
        "element 0: expected 1.0 (0x3f800000), found 1.0000001 (0x3f800001)",
        "5 of 5 elements differ",
        "",
        "  element       expected                   found              off by",
        "        0            1.0  0x3f800000   1.0000001  0x3f800001  +1 ulp",
        "        1           -1.0  0xbf800000  -1.0000002  0xbf800002  -2 ulp",
        "        2            1.0  0x3f800000         2.0  0x40000000      +1",
        "        3         -1e-45  0x80000001       1e-45  0x00000001  +2 ulp",
        "        4  3.4028235e+38  0x7f7fffff         inf  0x7f800000  +1 ulp",
    )


def test_zeros_differ_by_their_sign() -> None:
    check_difference(
        np.array([0.0, -0.0], E5M2),
        np.array([-0.0, 0.0], E5M2),
        "element 0: expected -0.0 (0x80), found 0.0 (0x00)",
        "2 of 2 elements differ",
        "",
        "  element  expected        found        off by",
        "        0      -0.0  0x80    0.0  0x00    sign",
        "        1       0.0  0x00   -0.0  0x80    sign",
    )


def test_a_nan_is_itself_alone() -> None:
    check_difference(floats(NAN), floats(NAN))
    check_difference(
        floats(NAN, NAN, NAN),
        floats(MINUS_NAN, OTHER_NAN, 0x3F80_0000),
        "element 0: expected nan (0xffc00000), found nan (0x7fc00000)",
        "3 of 3 elements differ",
        "",
        "  element  expected              found              off by",
        "        0       nan  0xffc00000    nan  0x7fc00000     NaN",
        "        1       nan  0x7fc00001    nan  0x7fc00000     NaN",
        "        2       1.0  0x3f800000    nan  0x7fc00000     NaN",
    )


def test_the_sign_of_a_nan_can_be_free_and_nothing_else_is() -> None:
    check_difference(floats(NAN), floats(MINUS_NAN), ignore_nan_signs=True)
    check_difference(E4M3(np.nan), -E4M3(np.nan), ignore_nan_signs=True)
    check_difference(np.array([-1]), np.array([-1]), ignore_nan_signs=True)
    for other in (OTHER_NAN, 0x8000_0000 | OTHER_NAN, 0xFF80_0000, 0):
        with pytest.raises(AssertionError):
            check_difference(floats(NAN), floats(other), ignore_nan_signs=True)
    check_difference(
        floats(0x8000_0000),
        floats(0),
        "element 0: expected 0.0 (0x00000000), found -0.0 (0x80000000)",
        ignore_nan_signs=True,
    )


def test_truth_values_are_compared_as_bits_are() -> None:
    masks = np.eye(2, dtype=bool)
    check_difference(masks, masks.copy())
    check_difference(
        masks,
        np.array([[True, False], [True, False]]),
        "row 1, element 0: expected True (0x01), found False (0x00)",
        "2 of 4 elements differ, in 1 of 2 rows: 1",
        "",
        "  row  element  expected        found        off by",
        "    1        0      True  0x01  False  0x00      -1",
        "    1        1     False  0x00   True  0x01      +1",
    )


def test_only_zeros_are_pointed_out() -> None:
    check_difference(
        np.zeros((2, 2), np.int8),
        np.array([[0, 0], [0, 5]], np.int8),
        "row 1, element 1: expected 5 (0x05), found 0 (0x00)",
        "1 of 4 elements differ, in 1 of 2 rows: 1",
        "",
        "all that was found is zero: was it written at all?",
    )


def test_shapes_must_be_the_same() -> None:
    check_difference(
        np.zeros((2, 3), np.int8),
        np.zeros((3,), np.int8),
        "the shapes differ: expected (3,), found (2, 3)",
    )
    check_difference(np.zeros(3, np.int8), 0, "the shapes differ: expected (), found (3,)")


def test_types_must_be_the_same() -> None:
    check_difference(
        np.zeros(3, np.float32),
        np.zeros(3),
        "the types differ: expected float64, found float32; the reference must be rounded to the "
        "type that the machine has",
    )
    check_difference(np.arange(3, dtype="<i4"), np.arange(3, dtype=">i4"))


def test_plain_numbers_take_the_type_of_what_was_found() -> None:
    check_difference(np.array([[1, -2]], np.int8), [[1, -2]])
    check_difference(np.float32(0.1), 0.1)
    with pytest.raises(OverflowError):
        check_difference(np.array([1], np.int8), [300])
