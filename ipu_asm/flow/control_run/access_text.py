"""Addresses of accesses in words: `cr1 + 0x80 x k, k = 0..127`."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.flow.control_run.trace import Dimension, Progression
from ipu_asm.flow.control_run.values import (
    Repetitions,
    Symbolic,
    Value,
    minus,
    number_text,
    plus,
    term_text,
    times,
    unknown,
    value_text,
)

_MOST_TEXTS = 3
_LETTERS = "kji"
_DEPENDS = "depends on"


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


def _product_text(stride: Value, letter: str) -> str:
    if isinstance(stride, int):
        product = letter if abs(stride) == 1 else f"{number_text(abs(stride))} x {letter}"
        return f" {'-' if stride < 0 else '+'} {product}"
    return f" + ({value_text(stride)}) x {letter}"


def _range_text(dimension: Dimension, letter: str) -> str:
    count = dimension[1]
    if count is None:
        return f"{letter} = 0.."
    if isinstance(count, int):
        return f"{letter} = 0..{count - 1}"
    text = count_text(count)
    return f"{letter} = 0.. ({text})" if text.startswith(_DEPENDS) else f"{letter} < {text}"


def count_text(count: Value) -> str:
    """Return a number of iterations in words: `128`, `cr5 - 1`, `max(1, cr5)`, `cr4 / 0x80`.

    What has no short words is said as `depends on cr5`.
    """
    if isinstance(count, int):
        return f"{count:,}"
    definitions = [part.definition for part, _ in count.parts]
    if not any(definitions):
        return value_text(count)
    definition = definitions[0]
    if isinstance(definition, Repetitions) and len(count.parts) == 1 and count.parts[0][1] == 1:
        text = _repetitions_text(definition, count.constant)
        if text is not None:
            return text
    return f"{_DEPENDS} {', '.join(count.registers)}"


def _repetitions_text(definition: Repetitions, more: int) -> str | None:
    """Return the repetitions of a comparison, plus `more`, if that has short words."""
    relation, outcome, left, right, left_step, right_step = definition
    step, difference = minus(left_step, right_step), minus(right, left)
    if not isinstance(step, int):
        return None
    if step < 0:
        step, difference = -step, times(-1, difference)
    whole = plus(difference, step * more)
    if isinstance(difference, int) or any(part.definition for part, _ in difference.parts):
        return None
    if relation == "<" and outcome and definition.is_simple:
        return f"max({more}, {value_text(whole)})"
    if relation != "<" and isinstance(whole, Symbolic) and whole.constant % step == 0:
        return f"{term_text(whole)} / {number_text(step)}"
    return None
