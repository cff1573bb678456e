"""The language of conditions and watches: values, places, formats, mistakes."""

from __future__ import annotations

import pytest

from ipu_asm.debugger.expressions import (
    ExpressionError,
    LiveContext,
    SavedContext,
    evaluate,
    evaluate_condition,
)
from ipu_asm.emulator import IpuState

LABELS = {"loop": 3, "lr1": 9, "row": 5}
NAMES = {"row": "lr5 + 1", "window": "r0[0..3]", "circle": "circle", "broken": "lr5 +"}


def machine(dtype: int = 0) -> LiveContext:
    state = IpuState()
    registers = state.regfile
    registers.set_lr(5, -3)
    registers.set_lr(1, 9)
    registers.set_cr(0, 0x100)
    registers.set_register_bytes("r", 0, bytes(range(128)))
    registers.set_register_bytes("r_mask", 0, bytes([0b101]) + bytes(127))
    state.xmem.write_address(0x100, bytes(range(64)))
    state.set_cr_dtype(dtype)
    state.program_counter = 4
    return LiveContext(state, 7, LABELS, NAMES)


def check_text(expression: str, expected: str, dtype: int = 0) -> None:
    """The text of a value, the same of the live and of the saved machine."""
    context = machine(dtype)
    assert evaluate(context, expression).text() == expected
    saved = SavedContext(context._state.save(), 7)
    saved.labels, saved.names = LABELS, NAMES
    assert evaluate(saved, expression).text() == expected


def check_mistake(expression: str, message: str, span: str) -> None:
    """The message, and the part of the expression that it is about."""
    with pytest.raises(ExpressionError) as caught:
        evaluate(machine(), expression)
    assert caught.value.message == message
    assert expression[slice(*caught.value.span)] == span


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("lr5", "-3 (0xfffffffd)"),
        ("LR5,x", "0xfffffffd"),
        ("lr5,u", "4294967293"),
        ("lr1,b", "0b00000000000000000000000000001001"),
        ("lr5,d", "-3"),
        ("u32(lr5)", "4294967293 (0xfffffffd)"),
        ("pc", "4"),
        ("cycle", "7"),
        ("dtype == int8", "true"),
        ("loop", "3"),
        ("lr1", "9"),
        ("label(lr1)", "9"),
        ("label(loop) + 0x1_0", "19 (0x13)"),
    ],
)
def test_scalars_are_signed_decimals_first(expression: str, expected: str) -> None:
    check_text(expression, expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("r0[3]", "3"),
        ("acc[0..7]", "[0, 0, 0, 0, 0, 0, 0, 0]"),
        ("r0[8 .. +4]", "[8, 9, 10, 11]"),
        ("r0[1..2][1]", "2"),
        ("r0", "[0, 1, 2, 3, 4, 5, 6, 7, … 128 values]"),
        ("r0[1 : u32],x", "0x07060504"),
        ("xmem[cr0 + lr1 .. +3]", "[9, 10, 11]"),
        ("xmem[0x100 .. 0x107 : i32],x", "[0x03020100, 0x07060504]"),
        ("xmem[4095 .. +2]", "[0, 0]"),
        ("xmem[0x102]", "2"),
        ("mask[0][0..3]", "[1, 0, 1, 0]"),
        ("mask[0] == 5", "true"),
        ("sum(mask[0])", "2"),
        ("len(mask[1])", "128 (0x80)"),
        ("mask[0..1],x", f"[0x{'0' * 31}5, 0x{'0' * 32}]"),
        ("acc[0..511 : u8],u", "[0, 0, 0, 0, 0, 0, 0, 0, … 512 values]"),
    ],
)
def test_slices_take_both_ends_or_a_count(expression: str, expected: str) -> None:
    check_text(expression, expected)


@pytest.mark.parametrize(
    ("expression", "dtype", "expected"),
    [
        ("r0[0x38]", 1, "1.0 (0x38)"),
        ("r0[0x3c]", 2, "1.0 (0x3c)"),
        ("r0[0x7d]", 2, "nan (0x7d)"),
        ("r0[0x7c..0x7e],x", 2, "[0x7c, 0x7d, 0x7e]"),
        ("nan_count(r0)", 2, "3"),
        ("max(r0[0..0x7e])", 1, "448.0"),
        ("argmax(r0)", 1, "126 (0x7e)"),
        ("acc[0]", 1, "0.0 (0x00000000)"),
        ("mult_res[0]", 7, "0"),
        ("aaq_result[0]", 1, "0"),
        ("e5m2(r0)[0x3c]", 1, "1.0 (0x3c)"),
        ("f32(0.1)", 0, "0.1 (0x3dcccccd)"),
        ("f32(0.1) == 0.1", 0, "false"),
        ("r0[0..3],f32", 0, "[3.8204714e-37]"),
    ],
)
def test_bytes_have_the_type_that_cr15_or_the_user_says(
    expression: str, dtype: int, expected: str
) -> None:
    check_text(expression, expected, dtype)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2 + 3 * 4", "14 (0xe)"),
        ("-2 ** 2", "-4 (-0x4)"),
        ("7 // -2", "-4 (-0x4)"),
        ("7 / 2", "3.5"),
        ("1.0 / 0", "inf"),
        ("6 & 3 == 2", "true"),
        ("1 < 2 < 3", "true"),
        ("1 < 3 < 3", "false"),
        ("not 1 == 2", "true"),
        ("!0 && true || false", "true"),
        ("false and 1 // 0", "false"),
        ("lr5 < 0 ? 1 : 2", "1"),
        ("[1, 2, 3] * 2", "[2, 4, 6]"),
        ("r0[1..2] + r0[3..4]", "[4, 6]"),
        ("all(r0[1..3] > 0 and r0[1..3] < 4)", "true"),
        ("count(r0 > 100)", "27 (0x1b)"),
        ("min(lr1, lr5) + max(1, 2)", "-1 (-0x1)"),
        ("abs([-1, 2])", "[1, 2]"),
        ("argmin([3, 1, 1])", "1"),
        ("int(2.9) + int(-2.9)", "0"),
        ("min(1 << 4000, 1.5)", "1.5"),
        ("nan_count([nan, 1]) + nan_count(1 << 4000)", "1"),
        ("max(nan, 2) == 2 and nan != nan", "true"),
        ("i8(pc) + sum(i8(mask[0][0..3]))", "6"),
        ("i8(0xff)", "-1 (0xff)"),
        ("row", "-2 (-0x2)"),
        ("window * 2", "[0, 2, 4, 6]"),
        ("0b1_0 + 0o7 + 1e1", "19.0"),
    ],
)
def test_operators_bind_as_people_expect(expression: str, expected: str) -> None:
    check_text(expression, expected)


@pytest.mark.parametrize(
    ("expression", "message", "span"),
    [
        ("1 + looop",
         "no register, label or name is called `looop`; did you mean `loop`?", "looop"),
        ("summ(r0)", "no function is called `summ`; did you mean `sum`?", "summ"),
        ("label(lop)", "no label is called `lop`; did you mean `loop`?", "lop"),
        ("r0[128]", "an index is 0 to 127, found 128", "128"),
        ("r0[3..1]", "a slice ends where it starts or later, found 3 .. 1", "1"),
        ("r0[120 .. +9]", "a slice ends at 127 at the latest, found 128", "9"),
        ("lr0[1]", "an index takes an element of a vector, found a single value before it",
         "lr0[1]"),
        ("xmem[-1]", "an address lies within the 0x200000 bytes of xmem, found 1 byte at -1", "-1"),
        ("xmem[0..4 : i32]", "a slice of `i32` has a multiple of 4 bytes, found 5", "4"),
        ("xmem[0 .. +65_537]", "a slice has at most 65,536 elements, found 65537", "65_537"),
        ("xmem + 1", "`xmem` takes an address, `xmem[0x100 .. +16]`, found none", "xmem"),
        ("1 / 0", "the divisor must not be zero, found 1 divided by 0", "1 / 0"),
        ("1 << 5000", "a shift goes 0 to 4,096 bits far, found 5000", "1 << 5000"),
        ("2 ** 9999", "a number has at most 4,096 bits, found a longer power", "2 ** 9999"),
        ("[1] << 128", "a number in a vector has at most 128 bits, found 129 bits", "[1] << 128"),
        ("[1, 2] + [1]", "`+` takes vectors of equal length, found 2 and 1 values", "[1, 2] + [1]"),
        ("acc ? 1 : 2",
         "a condition is a single value, found 128 values; use `any(...)` or `all(...)`", "acc"),
        ("010", "a number is decimal without leading zeros, 0x, 0o or 0b, found `010`", "010"),
        ("1 2", "expected an operator or the end, found `2`", "2"),
        ("1 +", "expected a value, found the end", ""),
        ("(1", "expected `)` for the `(` before, found the end", ""),
        ("1 $ 2", "an expression has names, numbers and operators, found `$`", "$"),
        ("0.5,x", "`x` shows bits, found the computed float 0.5; give it a type: `f32(...)`", "x"),
        ("circle", "`circle` stands for `circle`: `circle` stands for itself", "circle"),
        ("broken", "`broken` stands for `lr5 +`: expected a value, found the end", "broken"),
        ("sum", "`sum` takes its argument in parentheses, found none", "sum"),
        ("abs(1, 2)", "`abs` takes one argument, found 2", "2"),
        ("i8(1.5)", "`i8` takes a whole number, found 1.5; use `int(...)`", "1.5"),
        ("f32(1 << 4000)", "`f32` holds up to 3.4028235e+38, found a number of 4,001 bits",
         "1 << 4000"),
        ("e5m2(1 << 4000)", "`e5m2` holds up to 57344, found a number of 4,001 bits", "1 << 4000"),
        ("i8(lr5)",
         "a 32-bit register is read as i32, u32 or f32, found `i8`; `& 0xff` takes its low byte",
         "i8(lr5)"),
        ("i32(r0[0..2])", "`i32` reads multiples of 4 bytes, found 3 of `i8`", "i32(r0[0..2])"),
        ("1.5 & 1", "bits are those of whole numbers, found 1.5", "1.5 & 1"),
    ],
)  # fmt: skip
def test_a_mistake_says_what_was_expected_and_where(
    expression: str, message: str, span: str
) -> None:
    check_mistake(expression, message, span)


def test_conditions_are_true_or_false() -> None:
    assert evaluate_condition(machine(), "lr5 == -3 and row == -2")
    assert not evaluate_condition(machine(), "any(acc)")
    with pytest.raises(ExpressionError, match="a condition is a single value"):
        evaluate_condition(machine(), "acc")


def test_the_long_form_of_a_vector_is_an_expression_of_the_same_value() -> None:
    context = machine(1)
    for expression in ("r0[0..0x7e]", "acc", "mask", "mask[0],b", "r0[3 .. +9],x", "xmem[0 .. +9]"):
        result = evaluate(context, expression)
        again = evaluate(context, result.text(None))
        if not expression.endswith("x"):
            assert again.value.numbers == result.value.numbers
        assert len(again.value.numbers) == len(result.value.numbers)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3 in 0..3", "1"),
        ("4 in 0..3", "0"),
        ("2 + 2 in 1 + 1..2 * 2 and 5 in [1, 5]", "1"),
        ("not 5 in [1, 2]", "1"),
        ("-1 in -2..-1 ? 7 : 8", "7"),
    ],
)
def test_a_value_is_in_a_range_or_a_list(text: str, value: str) -> None:
    assert int(evaluate(machine(), text).value.number) == int(value)


@pytest.mark.parametrize("text", ["3 in 4", "3 in", "3 in 0..", "in 0..3", "3 in []"])
def test_a_range_or_a_list_follows_in(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(machine(), text)
