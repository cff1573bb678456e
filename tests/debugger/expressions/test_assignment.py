"""Giving places values: what fits goes in whole, what does not leaves everything as it was."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.expressions import (
    ExpressionError,
    LiveContext,
    LocationError,
    assign,
    evaluate,
    split_assignment,
    text_of,
)
from ipu_asm.emulator import IpuState


def check_assignment(place: str, value: str, expected: str, dtype: int = 0) -> None:
    """What is there afterwards; nothing else has changed."""
    state = IpuState()
    state.set_cr_dtype(dtype)
    context = LiveContext(state, 0, {}, {"half": "r0[0..1]"})
    before = state.save()
    assert text_of(assign(context, place, value)) == expected
    assert evaluate(context, place).text() == expected
    assert len(before.differences(state.save())) == 1


def check_refusal(place: str, value: str, message: str, dtype: int = 0) -> None:
    """The message; nothing has changed."""
    state = IpuState()
    state.set_cr_dtype(dtype)
    before = state.save()
    with pytest.raises(ExpressionError) as caught:
        assign(LiveContext(state), place, value)
    assert caught.value.message == message
    assert state.save() == before


@pytest.mark.parametrize(
    ("place", "value", "expected", "dtype"),
    [
        ("lr0", "0xffff_ffff", "-1 (0xffffffff)", 0),
        ("aaq3", "-5 * 2", "-10 (0xfffffff6)", 0),
        ("f32(aaq0)", "0.5", "0.5 (0x3f000000)", 0),
        ("r0[0..3]", "[1, -2, 3, 255]", "[1, -2, 3, -1]", 0),
        ("half", "9", "[9, 9]", 0),
        ("acc[0 : f32]", "0.1", "0.1 (0x3dcccccd)", 0),
        ("acc[127]", "1", "1.0 (0x3f800000)", 1),
        ("r1[5]", "449", "448.0 (0x7e)", 1),
        ("r1[5]", "0.3", "0.3125 (0x2a)", 1),
        ("r1[5]", "-inf", "-inf (0xfc)", 2),
        ("r1[5]", "nan", "nan (0x7f)", 1),
        ("mask[7][127]", "true", "1", 0),
        ("mask[2][3..6]", "[1, 0, 1, 1]", "[1, 0, 1, 1]", 0),
        ("xmem[0x1ffffc : i32]", "-2", "-2 (0xfffffffe)", 0),
        ("xmem[5 .. +3]", "7", "[7, 7, 7]", 0),
        ("pc", "1023", "1023 (0x000003ff)", 0),
        ("dtype", "fp8_e5m2", "2", 0),
    ],
)
def test_a_value_that_fits_is_put_there(place: str, value: str, expected: str, dtype: int) -> None:
    check_assignment(place, value, expected, dtype)


@pytest.mark.parametrize(
    ("place", "value", "message", "dtype"),
    [
        ("lr0", "1 << 32", "`i32` takes -2147483648 to 4294967295, found 4294967296", 0),
        ("r0[0]", "-129", "`i8` takes -128 to 255, found -129", 0),
        ("r0[0..1]", "[1, 300]", "`i8` takes -128 to 255, found 300", 0),
        ("r0[0..1]", "[1]", "this place takes 2 values or a single one, found 1 values", 0),
        ("aaq0", "0.5", "`i32` takes a whole number, found 0.5", 0),
        ("r0[0]", "1000", "`e4m3` holds up to 448, found 1000.0", 1),
        ("acc[0]", "1e39", "`f32` holds up to 3.4028235e+38, found 1e+39", 1),
        ("mask[0][0]", "2", "`bit` takes 0 to 1, found 2", 0),
        ("pc", "1024", "`pc` holds 0 to 1023, found 1024", 0),
        ("cycle", "1",
         "a value goes into a register, an element, a slice or xmem, found `cycle`", 0),
        ("lr0 + 1", "1",
         "a value goes into a register, an element, a slice or xmem, found a computed value", 0),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_changes_nothing(
    place: str, value: str, message: str, dtype: int
) -> None:
    check_refusal(place, value, message, dtype)


def test_a_mistake_on_the_left_is_told_from_one_on_the_right() -> None:
    context = LiveContext(IpuState())
    with pytest.raises(LocationError):
        assign(context, "lr77", "1")
    with pytest.raises(ExpressionError) as caught:
        assign(context, "lr7", "lr77")
    assert not isinstance(caught.value, LocationError)


def test_an_assignment_is_cut_at_its_sign_and_keeps_places() -> None:
    assert split_assignment("lr0 == 5") is None
    parts = split_assignment("lr0 = 1 + x")
    assert parts is not None
    assert (parts[0].strip(), parts[1].strip()) == ("lr0", "1 + x")
    assert parts[1].index("x") == "lr0 = 1 + x".index("x")
