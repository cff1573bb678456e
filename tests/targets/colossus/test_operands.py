"""What may be written for a Colossus operand, and what is said of everything else."""

from __future__ import annotations

import pytest

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa.gnu_expressions import is_local_label, read_expression
from ipu_asm.targets.colossus.description import operand_type

OPEN = None
"""The value of what only macros and labels give one."""


def check_parse(kind: str, text: str, value: int | str | None) -> None:
    """An operand is read as that value."""
    assert operand_type(kind).parse(text) == value


def check_problem(kind: str, text: str, said: str) -> UnplacedFinding:
    """An operand is refused with a sentence that has these words."""
    problem = operand_type(kind).parse(text)
    assert isinstance(problem, UnplacedFinding)
    assert said in problem.message
    return problem


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("$mDst0", "$m3", 3),
        ("$mDst0", "$sp", 11),
        ("$mDst0", "\\reg", OPEN),
        ("$mDst0", "$m\\n", OPEN),
        ("$mDst0", "REG(1)", OPEN),
        ("$aDst0:2", "$a4:5", 4),
        ("$aDst0:2", "$azeros", 14),
        ("$aDst0:4", "$a12:15", 12),
        ("$mDelta0+=", "$m3+=", 3),
        ("$mAddr0:2+=", "$m2:3+=", 2),
        ("$aSrc0:BL", "$a3:BL", 3),
        ("$aSrc0:BL", "$a3:B", 3),
        ("$aSrc0:B", "$a3:BL", 3),
        ("zimm12", "4095", 4095),
        ("zimm12", "(1<<12)-1", 4095),
        ("zimm12", "A+B", OPEN),
        ("zimm12", "A(1,2)", OPEN),
        ("zimm12", "2f", OPEN),
        ("simm8", "-128", -128),
        ("strides2", "0b1010", 10),
        ("imm16", "65535", 65535),
        ("imm16", "-32768", -32768),
        ("imm12", "575<<20", 575 << 20),
        ("imm12", "-1048576", -1048576),
        ("symbol20", "label", "label"),
        ("symbol20", "label+4", OPEN),
        ("symbol20", "-2.0h", 0xC000),
        ("target19", "1b", "1b"),
        ("target19", "524287", 524287),
        ("flags", "ANY_NAME", OPEN),
        ("flags", "3", 3),
        ("csr", "$PC", 0),
        ("csr", "$COUNT_U", 97),
        ("csr", "$SCOUNT_U", 97),
        ("csr", "$SSR", 1),
        ("csr", "$WORKER5_BASE", 38),
        ("csr", "$EXCHANGE_ADJ", 171),
        ("csr", "255", 255),
        ("csr", "$OF_ANOTHER_MACHINE", OPEN),
        ("ucsr", "$TAS", 8),
    ],
)
def test_an_operand_has_its_value(kind: str, text: str, value: int | str | None) -> None:
    check_parse(kind, text, value)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("$mDst0", "$m16", "the last register of a file is number 15"),
        ("$mDst0", "$a1", "`$a1`, an aux register"),
        ("$mDst0", "$m0:1", "`$m0:1`, a pair of main registers"),
        ("$mDst0", "$m0+=", "`$m0+=` with `+=`"),
        ("$mDst0", "7", "the number `7`"),
        ("$mDst0", "", "found nothing"),
        ("$mDst0", "$m0 $m1", "is a comma missing?"),
        ("$aDst0:2", "$a1:2", "a group of 2 begins at a multiple of 2"),
        ("$aDst0:2", "$a0:5", "a group has 2 or 4 registers"),
        ("$aDst0:2", "$a0", "`$a0`, an aux register"),
        ("$aDst0:4", "$a4:5", "`$a4:5`, a pair of aux registers"),
        ("$mDelta0+=", "$m3", "without `+=`"),
        ("$mDelta0+=", "$m3++", "with `++`"),
        ("$mAddr0:2+=", "$m1:2+=", "begins at a multiple of 2"),
        ("zimm12", "4096", "a number from 0 to 4095"),
        ("zimm12", "1<<12", "which is 4096"),
        ("zimm12", "$m0", "found `$m0`"),
        ("zimm12", "1 +", "found `1 +`"),
        ("zimm12", "1/(2-2)", "which divides by zero"),
        ("zimm12", "019", "which has `019`, which begins with a zero and is not octal"),
        ("strides2", "256", "a number from 0 to 255"),
        ("imm12", "4097", "0 to 4095 or a multiple of 0x100000"),
        ("target19", "$m0", "a label or a number"),
        ("target19", "-4", "which is -4"),
        ("csr", "256", "found `256`"),
        ("csr", "$m0", "a control and status register such as `$PC`"),
        ("flags", "$a0", "a name that a header defines"),
        ("flags", "1.5", "a name that a header defines"),
        ("target19", "1.5", "found `1.5`, a float"),
        ("target20", "0.5h", "found `0.5h`, a half constant"),
        ("zimm12", "1.5", "found `1.5`, a float"),
        ("zimm12", "4+2.0f", "found `4+2.0f`, a float"),
        ("imm16", "1e3", "a half constant is written `1e3h`"),
        ("symbol20", "0.5f", "a half constant is written `0.5h`"),
        ("symbol20", "70000.0h", "the largest half constant is `65504h`"),
        ("symbol20", "-65520h", "the largest half constant is `65504h`"),
    ],
)
def test_everything_else_is_refused(kind: str, text: str, said: str) -> None:
    assert check_problem(kind, text, said).dropped_if_defined == ()


@pytest.mark.parametrize(
    ("kind", "text", "dropped_if_defined"),
    [
        ("$mDst0", "$base", ("base", "$base")),
        ("$mDst0", "$base:1+=", ("base", "$base")),
        ("$mDst0", "base", ("base",)),
        ("$aDst0:2", "$a0:LAST", ("LAST",)),
        ("zimm12", "SIZE", ("SIZE",)),
        ("$aSrc0", "$a0:B", ()),
    ],
)
def test_what_a_macro_may_make_is_wrong_only_without_it(
    kind: str, text: str, dropped_if_defined: tuple[str, ...]
) -> None:
    assert check_problem(kind, text, "expected").dropped_if_defined == dropped_if_defined


def test_a_near_register_is_offered() -> None:
    assert check_problem("$mDelta0+=", "$mzro+=", "`$mzro`").replacement == "$mzero+="
    assert check_problem("ucsr", "$FP_CTRL", "`$FP_CTRL`").replacement == "$FP_CTL"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [("$mDelta0+=", 3, "$m3+="), ("$aDst0:4", 8, "$a8:11"), ("$aSrc0:BU", 1, "$a1:BU")],
)
def test_a_value_is_written_as_it_is_read(kind: str, value: int, text: str) -> None:
    assert operand_type(kind).format(value) == text
    check_parse(kind, text, value)


@pytest.mark.parametrize("kind", ["$mDst0", "$aDst0:2", "$mDelta0+=", "csr", "ucsr"])
def test_what_is_offered_is_right(kind: str) -> None:
    choices = operand_type(kind).complete()
    assert choices
    for choice in choices:
        assert isinstance(operand_type(kind).parse(choice.text), int)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("7/2-8/-3", 5),
        ("-7%3", -1),
        ("1<<4|1", 17),
        ("2+1<<3", 10),
        ("~0&255", 255),
        ("!3", 0),
        ("3>2", -1),
        ("1&&2", 1),
        ("0x1F", 31),
        ("0b101", 5),
        ("017", 15),
        ("'a'", 97),
        ("1.0h", 0x3C00),
        ("-1.0h", 0xBC00),
        ("1/0", None),
        ("1<<99", None),
        ("1.5", None),
        ("1.5e3", None),
        ("a+1", None),
        (".-a", None),
        ("089", None),
    ],
)
def test_an_expression_is_worth_what_the_assembler_takes_it_for(
    text: str, value: int | None
) -> None:
    expression = read_expression(text)
    assert not expression.is_broken
    assert not expression.is_opaque
    assert expression.value == value


@pytest.mark.parametrize("text", ["", "1+", "(1", "1)", "1 2", "$m0+1", "?", "+", "(" * 500])
def test_what_is_no_expression_is_broken(text: str) -> None:
    assert read_expression(text).is_broken


def test_numeric_labels_are_no_numbers() -> None:
    assert all(map(is_local_label, ("1b", "12f", "0b")))
    assert not any(map(is_local_label, ("0b1", "f", "1", "0x1f", "1bf")))
