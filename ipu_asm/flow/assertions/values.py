"""Conditions over the values that registers take in all executions of a bundle.

The values of one folded execution are affine: a start, and a stride for each loop around it. Sums,
and comparisons of sums, are decided for all executions at once by their extremes; other operators
by looking at the executions one by one, if they are few and the `Budget` lasts.
"""

from __future__ import annotations

from itertools import islice, product
from math import prod
from typing import Iterator, Mapping, Sequence

from ipu_asm.expressions import MAX_BITS, OPERATIONS, SIGNS, Number
from ipu_asm.expressions.tree import Binary, Call, ConditionalExpression, Name, Node, Unary
from ipu_asm.expressions.tree import Number as Literal
from ipu_asm.flow.control_run.trace import Dimension, Progression
from ipu_asm.flow.control_run.values import Symbolic, Value, plus
from ipu_asm.named_tuple import NamedTuple

MAX_EXECUTIONS = 4_096
"""The executions of a bundle at which a condition is evaluated one by one, at most."""

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_MAX_CORNERS = 256
_MAX_WORK = 1 << 18
_WORK_FOR_ALL = 4
_CHARACTERS_A_UNIT = 16
_UNSIGNED = "u32"
_CONSTANTS = {"true": 1, "false": 0}


class Undecided(Exception):
    """The value of an expression does not follow from registers that are free of data."""


class Affine(NamedTuple):
    """The values ``start + sum(stride * k)``, one stride for each dimension."""

    start: Value
    strides: tuple[Value, ...] = ()

    @property
    def number(self) -> int | None:
        """The value, if it is the same number in all executions."""
        return self.start if isinstance(self.start, int) and not any(self.strides) else None


class Executions(NamedTuple):
    """The joint values of registers in some executions of a bundle.

    `counts` are those of the dimensions, which all `values` share; `constants` are other names.
    """

    values: Mapping[str, Progression]
    constants: Mapping[str, int]

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The number of iterations in each dimension, innermost first, if it is known."""
        counts = (count for _, count in self._dimensions)
        return tuple(count if isinstance(count, int) else None for count in counts)

    @property
    def are_certain(self) -> bool:
        """Whether there are any; an unknown number of iterations may be none."""
        return not any(isinstance(count, Symbolic) for _, count in self._dimensions)

    @property
    def _dimensions(self) -> tuple[Dimension, ...]:
        return next((values.dimensions for values in self.values.values()), ())


class Budget:
    """The work that is left for the conditions of a program, some microseconds a unit: 1 s.

    An evaluation is more work for a longer condition.
    """

    def __init__(self, left: int = _MAX_WORK) -> None:
        self.left = left

    def spend(self, node: Node, times: int = 1) -> None:
        """Pay for evaluations of a condition. Raises `Undecided` if nothing is left."""
        self.left -= times * (1 + (node.span.end - node.span.start) // _CHARACTERS_A_UNIT)
        if self.left < 0:
            raise Undecided


def refutation(node: Node, executions: Executions, budget: Budget) -> dict[str, int] | None:
    """Return values with which a condition does not hold; None if it holds in all executions.

    Raises `Undecided`.
    """
    budget.spend(node, _WORK_FOR_ALL)
    decided = _truth(_affine(node, executions), executions.counts)
    if decided:
        return None
    if not executions.are_certain:
        raise Undecided
    are_numbers = _are_numbers(executions)
    if decided is False:
        return _at(executions, [0] * len(executions.counts)) if are_numbers else {}
    counts = [count for count in executions.counts if count is not None]
    if len(counts) < len(executions.counts) or not are_numbers:
        raise Undecided
    for values in _points(executions, counts):
        budget.spend(node)
        if not _number(node, values, executions.constants):
            return values
    if prod(counts) <= MAX_EXECUTIONS:
        return None
    for values in islice(_corners(executions, counts), _MAX_CORNERS):
        budget.spend(node)
        if not _number(node, values, executions.constants):
            return values
    raise Undecided


def _are_numbers(executions: Executions) -> bool:
    return all(
        isinstance(start, int) and all(isinstance(stride, int) for stride, _ in dimensions)
        for start, dimensions in executions.values.values()
    )


def _points(executions: Executions, counts: Sequence[int]) -> Iterator[dict[str, int]]:
    """Yield the values of the first executions in order; all are numbers."""
    for number in range(min(prod(counts), MAX_EXECUTIONS)):
        place: list[int] = []
        for count in counts:
            number, inner = divmod(number, count)
            place.append(inner)
        yield _at(executions, place)


def _corners(executions: Executions, counts: Sequence[int]) -> Iterator[dict[str, int]]:
    """Yield the values in the first and last iterations of each dimension."""
    for place in product(*({0, count - 1} for count in counts)):
        yield _at(executions, place)


def _at(executions: Executions, place: Sequence[int]) -> dict[str, int]:
    found = {}
    for name, (start, dimensions) in executions.values.items():
        assert isinstance(start, int)
        for (stride, _), number in zip(dimensions, place):
            assert isinstance(stride, int)
            start += stride * number
        found[name] = start
    return found


def number_of(node: Node, constants: Mapping[str, int]) -> Number:
    """Return the value of an expression of constants. Raises `Undecided`."""
    return _number(node, {}, constants)


def _number(node: Node, values: Mapping[str, int], constants: Mapping[str, int]) -> Number:
    """Return the value of an expression in one execution. Raises `Undecided`."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Name):
        return _named(node, values, constants)
    try:
        if isinstance(node, Unary):
            return SIGNS[node.operator](_number(node.operand, values, constants))
        if isinstance(node, Binary):
            return _binary(node, values, constants)
    except (ValueError, ArithmeticError):
        raise Undecided from None
    if isinstance(node, ConditionalExpression):
        holds = _number(node.condition, values, constants)
        return _number(node.one if holds else node.other, values, constants)
    if isinstance(node, Call) and node.name.text == _UNSIGNED and len(node.arguments) == 1:
        return int(_number(node.arguments[0], values, constants)) % (1 << 32)
    raise Undecided


def _named(node: Name, values: Mapping[str, int], constants: Mapping[str, int]) -> int:
    name = node.text.lower()
    for known in (values, _CONSTANTS, constants):
        if name in known:
            return known[name]
    if node.text in constants:
        return constants[node.text]
    raise Undecided


def _binary(node: Binary, values: Mapping[str, int], constants: Mapping[str, int]) -> Number:
    left = _number(node.left, values, constants)
    if node.operator in ("and", "or") and bool(left) is (node.operator == "or"):
        return bool(left)
    right = _number(node.right, values, constants)
    return OPERATIONS[node.operator](left, right, MAX_BITS)


def _affine(node: Node, executions: Executions) -> Affine | None:
    """Return the values of an expression if they are affine; a condition is 0 or 1."""
    if isinstance(node, Literal):
        return Affine(node.value) if isinstance(node.value, int) else None
    if isinstance(node, Name):
        progression = executions.values.get(node.text.lower())
        if progression is not None:
            return Affine(progression.start, tuple(s for s, _ in progression.dimensions))
        return Affine(_named(node, {}, executions.constants))
    if isinstance(node, Unary):
        return _affine_unary(node, executions)
    if isinstance(node, Binary):
        return _affine_binary(node, executions)
    return None


def _affine_unary(node: Unary, executions: Executions) -> Affine | None:
    operand = _affine(node.operand, executions)
    if operand is None:
        return None
    if node.operator == "-":
        return _sum(Affine(0), operand, -1)
    if node.operator == "not":
        decided = _truth(operand, executions.counts)
        return None if decided is None else Affine(int(not decided))
    return None


def _affine_binary(node: Binary, executions: Executions) -> Affine | None:
    left, right = _affine(node.left, executions), _affine(node.right, executions)
    if node.operator in ("and", "or"):
        return _joined(node.operator, left, right, executions.counts)
    if left is None or right is None:
        return None
    if node.operator in ("+", "-"):
        return _sum(left, right, 1 if node.operator == "+" else -1)
    if node.operator in _COMPARISONS:
        decided = _compared(node.operator, _sum(left, right, -1), executions.counts)
        return None if decided is None else Affine(int(decided))
    if node.operator == "*" and right.number is not None:
        return _sum(Affine(0), left, right.number)
    if node.operator == "*" and left.number is not None:
        return _sum(Affine(0), right, left.number)
    if node.operator == "%" and right.number:
        return _remainder(left, right.number)
    return None


def _joined(
    operator: str, left: Affine | None, right: Affine | None, counts: Sequence[int | None]
) -> Affine | None:
    truths = (_truth(left, counts), _truth(right, counts))
    deciding = operator == "or"
    if deciding in truths:
        return Affine(int(deciding))
    return None if None in truths else Affine(int(not deciding))


def _truth(value: Affine | None, counts: Sequence[int | None]) -> bool | None:
    """Return whether a value is not zero in all executions, or zero in all; else None."""
    return None if value is None else _compared("!=", value, counts)


def _sum(left: Affine, right: Affine, factor: int) -> Affine:
    length = max(len(left.strides), len(right.strides))
    strides = zip(_padded(left.strides, length), _padded(right.strides, length))
    return Affine(
        plus(left.start, right.start, factor), tuple(plus(a, b, factor) for a, b in strides)
    )


def _padded(strides: tuple[Value, ...], length: int) -> tuple[Value, ...]:
    return strides + (0,) * (length - len(strides))


def _remainder(value: Affine, divisor: int) -> Affine | None:
    """Return the remainder if it is the same in all executions."""
    parts = (value.start, *value.strides)
    if not all(isinstance(part, int) for part in parts):
        return None
    numbers = [part % divisor for part in parts if isinstance(part, int)]
    return None if any(numbers[1:]) else Affine(numbers[0])


def _compared(relation: str, difference: Affine, counts: Sequence[int | None]) -> bool | None:
    """Return whether a difference has a relation to 0 in all executions, or in none; else None."""
    extremes = _extremes(difference, counts)
    if extremes is None:
        return None
    low, high = extremes
    if relation in ("!=", "=="):
        differs = True if low > 0 or high < 0 else False if low == high else None
        return differs if relation == "!=" or differs is None else not differs
    lows, highs = (OPERATIONS[relation](number, 0, MAX_BITS) for number in extremes)
    return bool(lows) if bool(lows) == bool(highs) else None


def _extremes(value: Affine, counts: Sequence[int | None]) -> tuple[int, int] | None:
    if isinstance(value.start, Symbolic):
        return None
    low = high = value.start
    for stride, count in zip(value.strides, counts):
        if not isinstance(stride, int) or (count is None and stride):
            return None
        change = stride * ((count or 1) - 1)
        low, high = low + min(0, change), high + max(0, change)
    return low, high
