"""Addresses of accesses in words: `cr1 + 0x80 x k, k = 0..127`."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.trace import Dimension, Progression
from ipu_asm.flow.control_run.values import Value, minus, plus, unknown

_MOST_TEXTS = 3
_LETTERS = "kji"
_LARGEST_DECIMAL = 9


def addresses_text(bases: Sequence[str], offsets: Sequence[Progression]) -> str:
    """Return the addresses of an access: base registers plus offsets.

    Several progressions are separated by `;`, of which the first three are named.
    """
    texts = [progression_text(offset, bases) for offset in offsets[:_MOST_TEXTS]]
    if len(offsets) > _MOST_TEXTS:
        texts.append(f"{len(offsets) - _MOST_TEXTS} more")
    return "; ".join(texts)


def progression_text(progression: Progression, bases: Sequence[str] = ()) -> str:
    """Return a progression in words, with the names of registers that are added to it."""
    start = progression.start
    for base in bases:
        start = plus(start, unknown(base))
    steps = [each for each in progression.dimensions if each[0] != 0 and each[1] != 1]
    # The variable of the outermost dimension comes last: `0x80 x j + 0x4000 x k`.
    letters: Sequence[str] = _LETTERS[: len(steps)][::-1]
    if len(steps) > len(_LETTERS):
        letters = [f"k{number}" for number in range(1, len(steps) + 1)]
    named = list(zip(steps, letters))
    text = value_text(start)
    for (stride, _), letter in named:
        text += _product_text(stride, letter)
    text = text.removeprefix("0 + ")
    return ", ".join([text, *(_range_text(dimension, letter) for dimension, letter in named)])


def value_text(value: Value) -> str:
    """Return a number, or a sum of unknown values and a number: `cr1 + cr4 - 0x80`."""
    if isinstance(value, int):
        return number_text(value)
    text = ""
    for name, factor in sorted(value.parts, key=lambda part: part[1] < 0):
        term = name if abs(factor) == 1 else f"{number_text(abs(factor))} x {name}"
        text += (" - " if text else "-") + term if factor < 0 else (" + " if text else "") + term
    if value.constant:
        text += f" {'-' if value.constant < 0 else '+'} {number_text(abs(value.constant))}"
    return text


def number_text(number: int) -> str:
    """Return a number: in hexadecimal if it has more than one digit."""
    return str(number) if abs(number) <= _LARGEST_DECIMAL else hex(number)


def _product_text(stride: Value, letter: str) -> str:
    if isinstance(stride, int):
        product = letter if abs(stride) == 1 else f"{number_text(abs(stride))} x {letter}"
        return f" {'-' if stride < 0 else '+'} {product}"
    return f" + ({value_text(stride)}) x {letter}"


def _range_text(dimension: Dimension, letter: str) -> str:
    count = dimension[1]
    if count is None:
        return f"{letter} = 0.."
    last = minus(count, 1)
    return f"{letter} = 0..{last if isinstance(last, int) else value_text(last)}"
