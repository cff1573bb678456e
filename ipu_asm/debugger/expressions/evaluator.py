"""From a tree to a value, or to the place where it lies."""

from __future__ import annotations

import math
from functools import partial
from typing import Callable, Final, NamedTuple, TypeVar

from ipu_asm.debugger.expressions import operators
from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.element_types import (
    FP8,
    OTHER_NAMES,
    TYPES,
    ElementType,
    element_of,
    named_type,
)
from ipu_asm.debugger.expressions.element_types import (
    Number as NumberValue,
)
from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.mistake import ExpressionError, shown, shown_number
from ipu_asm.debugger.expressions.parser import DEEPEST, parse
from ipu_asm.debugger.expressions.places import (
    MOST_ELEMENTS,
    REGISTER_NAMES,
    Place,
    Space,
    memory_place,
    read,
    register_place,
)
from ipu_asm.debugger.expressions.tree import (
    Binary,
    Call,
    Choice,
    Index,
    Name,
    Node,
    Number,
    Range,
    Unary,
    Values,
)
from ipu_asm.debugger.expressions.values import Value
from ipu_asm.emulator.elements import DType
from ipu_asm.emulator.memory import XMEM_SIZE
from ipu_asm.emulator.registers import DTYPE
from ipu_asm.spelling import nearest_of
from ipu_asm.text import Span

MOST_WORK: Final = 400_000
"""How many elements one evaluation may look at, all its steps together."""
MEMORY: Final = "xmem"
LABEL: Final = "label"
CONSTANTS: Final[dict[str, NumberValue]] = {
    "true": True,
    "false": False,
    "nan": math.nan,
    "inf": math.inf,
    **{dtype.name.lower(): dtype.value for dtype in DType},
}
TYPE_NAMES: Final = (*TYPES, FP8, *OTHER_NAMES)
_T = TypeVar("_T")


class Found(NamedTuple):
    """A value and, unless it was computed, where it lies."""

    value: Value
    place: Place | None = None


class _MistakeBehindName(ExpressionError):
    """A mistake in what an author's name stands for; the innermost name says so."""


class Evaluator:
    """Evaluates trees in one context, within one allowance of work."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._dtype = context.scalars[DTYPE]
        self._work = 0
        self._depth = 0
        self._stands_for: list[str] = []

    def evaluate(self, node: Node) -> Found:
        """The value of a tree, and where it lies. Raises ExpressionError."""
        place = self.place(node)
        if place is not None:
            self._spend(place.elements, node.span)
            return Found(read(self._context, place), place)
        return Found(self.value(node))

    def seen_as(self, found: Found, kind: ElementType, span: Span) -> Found:
        """The same bits, or what was computed, as another type. Raises ExpressionError."""
        if found.place is None or not found.place.has_bytes:
            return Found(self._checked(lambda: converted(found.value, kind), span))
        place = self._read_as(found.place, kind, span)
        return Found(read(self._context, place), place)

    def value(self, node: Node) -> Value:
        """The value of a tree. Raises ExpressionError."""
        self._enter(node)
        value = self._computed(node)
        self._depth -= 1
        self._spend(len(value.numbers), node.span)
        return value

    def place(self, node: Node) -> Place | None:
        """Where the value of a tree lies; None if it is computed. Raises ExpressionError."""
        self._enter(node)
        place = None
        if isinstance(node, Name):
            place = self._place_of_name(node)
        elif isinstance(node, Index):
            place = self._place_of_index(node)
        elif isinstance(node, Call) and node.name.text in TYPE_NAMES and len(node.arguments) == 1:
            base = self.place(node.arguments[0])
            if base is not None and base.has_bytes:
                place = self._read_as(base, self.type_of(node.name), node.span)
        self._depth -= 1
        return place

    def _enter(self, node: Node) -> None:
        self._depth += 1
        if self._depth > 2 * DEEPEST:
            message = f"an expression nests at most {DEEPEST} deep, found more behind a name"
            raise ExpressionError(message, node.span)

    def type_of(self, name: Name) -> ElementType:
        """The type of a name. Raises ExpressionError."""
        kind = named_type(name.text.lower(), self._dtype)
        if kind is None:
            raise ExpressionError(
                f"a type is one of {', '.join((*TYPES, FP8))}, found {shown(name.text)}", name.span
            )
        return kind

    def _computed(self, node: Node) -> Value:
        if isinstance(node, Number):
            return Value((node.value,))
        if isinstance(node, Name):
            return self._named(node)
        if isinstance(node, Unary):
            operand = self.value(node.operand)
            return self._checked(lambda: operators.unary(node.operator, operand), node.span)
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, Choice):
            holds = self._truth(node.condition)
            return self.value(node.one if holds else node.other)
        if isinstance(node, Index):
            return self._indexed(node)
        if isinstance(node, Call):
            return self._call(node)
        return self._listed(node)

    def _named(self, node: Name) -> Value:
        place = self._place_of_name(node)
        if place is not None:
            return read(self._context, place)
        if node.text.lower() in CONSTANTS:
            return Value((CONSTANTS[node.text.lower()],))
        if node.text in self._context.names:
            return self._behind(node, self.value)
        if node.text in self._context.labels:
            return Value((self._context.labels[node.text],))
        raise self._unknown(node)

    def _unknown(self, node: Name) -> ExpressionError:
        if node.text.lower() == MEMORY:
            return ExpressionError(
                "`xmem` takes an address, `xmem[0x100 .. +16]`, found none", node.span
            )
        if node.text in FUNCTIONS or node.text in TYPE_NAMES or node.text == LABEL:
            message = f"`{node.text}` takes its argument in parentheses, found none"
            return ExpressionError(message, node.span)
        known = (*REGISTER_NAMES, *CONSTANTS, *self._context.names, *self._context.labels, MEMORY)
        return _unknown_name("register, label or name", node, known)

    def _place_of_name(self, node: Name) -> Place | None:
        place = register_place(node.text, self._dtype)
        if (
            place is None
            and node.text in self._context.names
            and (node.text.lower() not in CONSTANTS)
        ):
            return self._behind(node, self.place)
        return place

    def _behind(self, node: Name, look: Callable[[Node], _T]) -> _T:
        """What the expression is that the author's name stands for."""
        if node.text in self._stands_for:
            raise ExpressionError(f"`{node.text}` stands for itself", node.span)
        self._stands_for.append(node.text)
        text = self._context.names[node.text]
        try:
            self._spend(1, node.span)
            found = look(parse(text).node)
        except ExpressionError as error:
            message = error.message
            if not isinstance(error, _MistakeBehindName):
                message = f"`{node.text}` stands for {shown(text)}: {message}"
            raise _MistakeBehindName(message, node.span) from None
        self._stands_for.pop()
        return found

    def _binary(self, node: Binary) -> Value:
        left = self.value(node.left)
        if node.operator in ("and", "or") and not left.is_vector:
            if bool(left.number) is (node.operator == "or"):
                return Value((bool(left.number),))
            right = self.value(node.right)
            return Value(tuple(map(bool, right.numbers)), None, right.is_vector)
        right = self.value(node.right)
        return self._checked(lambda: operators.binary(node.operator, left, right), node.span)

    def _truth(self, node: Node) -> bool:
        value = self.value(node)
        return self._checked(lambda: operators.truth(value), node.span)

    def _call(self, node: Call) -> Value:
        name = node.name.text
        if name == LABEL:
            return self._label(node)
        if name in FUNCTIONS:
            function = FUNCTIONS[name]
            values = [self.value(argument) for argument in node.arguments]
            if function.together is None:
                self._expect_one(node)
            self._spend(sum(len(value.spread().numbers) for value in values), node.span)
            return self._checked(lambda: function.apply(values), node.span)
        if name not in TYPE_NAMES:
            raise _unknown_name("function", node.name, (*FUNCTIONS, *TYPE_NAMES, LABEL))
        self._expect_one(node)
        place = self.place(node)
        if place is not None:
            self._spend(place.elements, node.span)
            return read(self._context, place)
        value, kind = self.value(node.arguments[0]), self.type_of(node.name)
        return self._checked(lambda: converted(value, kind), node.arguments[0].span)

    def _expect_one(self, node: Call) -> None:
        if len(node.arguments) != 1:
            raise ExpressionError(
                f"`{node.name.text}` takes one argument, found {len(node.arguments)}",
                node.arguments[1].span,
            )

    def _label(self, node: Call) -> Value:
        self._expect_one(node)
        argument = node.arguments[0]
        if not isinstance(argument, Name):
            raise ExpressionError("`label` takes a label, found an expression", argument.span)
        labels = self._context.labels
        if argument.text not in labels:
            raise _unknown_name("label", argument, tuple(labels))
        return Value((labels[argument.text],))

    def _listed(self, node: Values) -> Value:
        numbers = []
        for item in node.items:
            value = self.value(item)
            if value.is_vector:
                message = f"a list takes single values, found {value.describe()}"
                raise ExpressionError(message, item.span)
            numbers.append(
                self._checked(
                    partial(operators.bounded, value.number, operators.MOST_BITS_IN_VECTOR),
                    item.span,
                )
            )
        return Value(tuple(numbers), None, True)

    def _place_of_index(self, node: Index) -> Place | None:
        if isinstance(node.base, Name) and node.base.text.lower() == MEMORY:
            return self._memory(node)
        base = self.place(node.base)
        if base is None:
            return None
        if node.part.kind is not None:
            base = self._read_as(base, self.type_of(node.part.kind), node.part.kind.span)
        base = base.bits() or base
        if base.length is None:
            message = "an index takes an element of a vector, found a single value before it"
            raise ExpressionError(message, node.span)
        first, count = self._bounds(node.part, base.length)
        return base.part(first, count)

    def _indexed(self, node: Index) -> Value:
        place = self._place_of_index(node)
        if place is not None:
            return read(self._context, place)
        value = self.value(node.base)
        if node.part.kind is not None:
            message = "a type in brackets is for registers and xmem, found computed values"
            raise ExpressionError(message, node.part.kind.span)
        if not value.is_vector:
            message = f"an index takes an element of a vector, found {value.describe()} before it"
            raise ExpressionError(message, node.span)
        first, count = self._bounds(node.part, len(value.numbers))
        numbers = value.numbers[first : first + (count or 1)]
        return Value(numbers, value.kind, count is not None)

    def _bounds(self, part: Range, length: int) -> tuple[int, int | None]:
        """First element and number of elements; None for a single one."""
        first = self._whole(part.first)
        if not 0 <= first < length:
            message = f"an index is 0 to {length - 1}, found {shown_number(first)}"
            raise ExpressionError(message, part.first.span)
        if part.last is None and part.length is None:
            return first, None
        count = self._count(part, first)
        if first + count > length:
            span = (part.last or part.length or part.first).span
            message = f"a slice ends at {length - 1} at the latest, found {first + count - 1}"
            raise ExpressionError(message, span)
        return first, count

    def _count(self, part: Range, first: int) -> int:
        if part.length is not None:
            count, span = self._whole(part.length), part.length.span
            if count < 1:
                message = f"a slice has at least one element, found {shown_number(count)}"
                raise ExpressionError(message, span)
        else:
            assert part.last is not None
            last, span = self._whole(part.last), part.last.span
            if last < first:
                message = (
                    f"a slice ends where it starts or later, found {first} .. {shown_number(last)}"
                )
                raise ExpressionError(message, span)
            count = last - first + 1
        if count > MOST_ELEMENTS:
            message = f"a slice has at most {MOST_ELEMENTS:,} elements, found {shown_number(count)}"
            raise ExpressionError(message, span)
        return count

    def _memory(self, node: Index) -> Place:
        """Elements of xmem: the address counts bytes, so does an end; `+` counts elements."""
        part = node.part
        kind = element_of(self._dtype) if part.kind is None else self.type_of(part.kind)
        first = self._whole(part.first)
        count = None
        if part.last is not None:
            size = self._count(part, first)
            count, rest = divmod(size, kind.size)
            if rest:
                message = f"a slice of `{kind.name}` has a multiple of {kind.size} bytes"
                raise ExpressionError(f"{message}, found {size}", part.last.span)
        elif part.length is not None:
            count = self._count(part, first)
        place = memory_place(first, kind, count)
        if place is None:
            size = kind.size * (count or 1)
            message = f"an address lies within the {XMEM_SIZE:#x} bytes of xmem"
            found = f"found {size} byte{'s' if size > 1 else ''} at {shown_number(first)}"
            raise ExpressionError(f"{message}, {found}", node.part.first.span)
        return place

    def _whole(self, node: Node) -> int:
        value = self.value(node)
        if value.is_vector or not isinstance(value.number, int):
            message = f"an index is a whole number, found {value.describe()}"
            raise ExpressionError(message, node.span)
        return value.number

    def _read_as(self, place: Place, kind: ElementType, span: Span) -> Place:
        other = place.read_as(kind)
        if other is None and place.space is Space.SCALARS:
            message = f"a 32-bit register is read as i32, u32 or f32, found `{kind.name}`"
            raise ExpressionError(f"{message}; `& 0xff` takes its low byte", span)
        if other is None:
            message = f"`{kind.name}` reads multiples of {kind.size} bytes"
            raise ExpressionError(f"{message}, found {place.elements} of `{place.kind.name}`", span)
        return other

    def _spend(self, elements: int, span: Span) -> None:
        self._work += elements
        if self._work > MOST_WORK:
            message = f"an expression looks at most at {MOST_WORK:,} elements, found more"
            raise ExpressionError(message, span)

    def _checked(self, compute: Callable[[], _T], span: Span) -> _T:
        try:
            return compute()
        except ValueError as error:
            raise ExpressionError(str(error), span) from None
        except OverflowError:
            message = "a float is below 1.8e308, found a greater number"
            raise ExpressionError(message, span) from None


def converted(value: Value, kind: ElementType) -> Value:
    """Computed numbers as elements of a type: the low bits of whole numbers; floats are rounded.

    Raises ValueError.
    """
    data = b"".join(_element(number, kind) for number in value.numbers)
    return Value(kind.decode(data), kind, value.is_vector)


def _element(number: NumberValue, kind: ElementType) -> bytes:
    if isinstance(number, int) and not kind.is_float:
        return (number & kind.highest).to_bytes(kind.size, "little")
    if not kind.is_float:
        raise ValueError(f"`{kind.name}` takes a whole number, found {number!r}; use `int(...)`")
    return kind.encode(number)


def _unknown_name(what: str, node: Name, known: tuple[str, ...]) -> ExpressionError:
    near = nearest_of(node.text, known)
    hint = f"; did you mean `{near}`?" if near is not None else ""
    return ExpressionError(f"no {what} is called {shown(node.text)}{hint}", node.span)
