"""Evaluation of syntax trees to values or, where they are assignable, to locations.

Every node is evaluated once. A value in a register or in memory remains a `Location` until its
value is needed.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Final, TypeVar

from ipu_asm.debugger.expressions.context import Context, read
from ipu_asm.debugger.expressions.machine_view import (
    LABEL,
    MAX_ELEMENTS,
    Location,
    MachineNames,
    MachineView,
    Space,
)
from ipu_asm.debugger.expressions.program_names import missing_value_error, unknown_name_error
from ipu_asm.debugger.expressions.values import (
    FUNCTIONS,
    NOTATIONS,
    Value,
    binary_operation,
    converted,
    refuse_floats_without_bits,
    text_of,
    truth,
    unary_operation,
)
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.element_types import ElementType
from ipu_asm.expressions import MAX_BITS_IN_VECTOR, bounded
from ipu_asm.expressions.parser import MAX_DEPTH, parse
from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    ExpressionError,
    Index,
    IndexRange,
    ListLiteral,
    Name,
    Node,
    Number,
    Parsed,
    Unary,
    number_text,
    quoted,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, counted

Whole = Callable[[Node], int]
"""Evaluates a tree to a whole number."""
MAX_WORK: Final = 400_000
"""Limit on the work of one `Evaluator`, in elements, summed over all steps."""
_STEP: Final = 12
"""Cost of one tree node, in elements."""
_CONVERSION: Final = 2
"""Additional cost of converting one computed element to a type, in elements."""
_LETTER: Final = 4
"""Cost of parsing one character of the expression of a register note, in elements."""
_MAX_TOTAL_DEPTH: Final = MAX_DEPTH + 16
"""Limit on nesting, including the expressions of register notes."""
_T = TypeVar("_T")


class Result(NamedTuple):
    """A value, its location (None if it was computed) and the notation to format it in."""

    value: Value
    location: Location | None = None
    notation: str | None = None

    def text(self, most: int | None = 8) -> str:
        return text_of(self.value, self.notation, most)


class _RegisterNoteError(ExpressionError):
    """An error in the expression of a register note; its message names the innermost note."""


class Evaluator:
    """Evaluates trees in one context, all of them within one budget of `MAX_WORK` elements."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._view = context.view
        self.names = self._view.names
        self._work = 0
        self._depth = 0
        self._open_notes: list[str] = []

    def evaluate(self, node: Node) -> Result:
        found = self._evaluate_root(node)
        if isinstance(found, Location):
            return Result(self._read(found, node.span), found)
        return Result(found)

    def location(self, node: Node) -> Location | None:
        if not isinstance(node, Name | Index | Call):
            return None
        found = self._evaluate_root(node)
        return found if isinstance(found, Location) else None

    def reinterpret(self, found: Result, kind: ElementType, span: Span) -> Result:
        if found.location is None or not found.location.has_bytes:
            return Result(self._converted(found.value, kind, span))
        location = reinterpreted(found.location, kind, span)
        return Result(self._read(location, span), location)

    def type_of(self, name: Name) -> ElementType:
        kind = self._view.type_named(name.text.lower())
        if kind is None:
            known = ", ".join(self.names.plain_types)
            raise ExpressionError(f"a type is one of {known}, found {quoted(name.text)}", name.span)
        return kind

    def _evaluate_root(self, node: Node) -> Location | Value:
        """Evaluate a tree from a clean state, after any earlier error."""
        self._depth = 0
        self._open_notes.clear()
        return self._evaluate(node)

    def _evaluate(self, node: Node) -> Location | Value:
        self._depth += 1
        if self._depth > _MAX_TOTAL_DEPTH:
            message = f"an expression nests at most {MAX_DEPTH} deep, found more after a name"
            raise ExpressionError(message, node.span)
        self._spend(_STEP, node.span)
        found = self._dispatch(node)
        if isinstance(found, Value):
            self._spend(len(found.numbers), node.span)
        self._depth -= 1
        return found

    def _value(self, node: Node) -> Value:
        found = self._evaluate(node)
        return self._read(found, node.span) if isinstance(found, Location) else found

    def _read(self, location: Location, span: Span) -> Value:
        self._spend(location.elements, span)
        return read(self._context, location)

    def _dispatch(self, node: Node) -> Location | Value:
        if isinstance(node, Number):
            return Value((node.value,))
        if isinstance(node, Name):
            return self._named(node)
        if isinstance(node, Unary):
            operand = self._value(node.operand)
            return self._checked(lambda: unary_operation(node.operator, operand), node.span)
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, ConditionalExpression):
            holds = self._truth(node.condition)
            return self._value(node.one if holds else node.other)
        if isinstance(node, Index):
            return self._indexed(node)
        if isinstance(node, Call):
            return self._call(node)
        return self._listed(node)

    def _named(self, node: Name) -> Location | Value:
        location, name = self._view.location(node.text), node.text.lower()
        if location is not None:
            return location
        if name in self._context.settings:
            return Value((self._context.settings[name].number,))
        if name in self.names.constants:
            return Value((self.names.constants[name],))
        if node.text in self._context.names:
            return self._resolve_note(node)
        if node.text in self._context.labels:
            return Value((self._context.labels[node.text],))
        if numbers := self._context.block_numbers(name):
            return Value(tuple(numbers), None, True)
        given = (*self._context.settings, *self._context.names, *self._context.labels)
        raise missing_value_error(node, self.names, given)

    def _resolve_note(self, node: Name) -> Location | Value:
        """The value or location of the expression of a register note."""
        if node.text in self._open_notes:
            raise ExpressionError(f"`{node.text}` stands for itself", node.span)
        self._open_notes.append(node.text)
        text = self._context.names[node.text]
        try:
            self._spend(_LETTER * len(text), node.span)
            found = self._evaluate(parse(text).node)
        except ExpressionError as error:
            message = error.message
            if not isinstance(error, _RegisterNoteError):
                message = f"`{node.text}` stands for {quoted(text)}: {message}"
            raise _RegisterNoteError(message, node.span) from None
        self._open_notes.pop()
        return found

    def _binary(self, node: Binary) -> Value:
        left = self._value(node.left)
        if node.operator in ("and", "or") and not left.is_vector:
            if bool(left.number) is (node.operator == "or"):
                return Value((bool(left.number),))
            right = self._value(node.right)
            return Value(tuple(map(bool, right.numbers)), None, right.is_vector)
        right = self._value(node.right)
        return self._checked(lambda: binary_operation(node.operator, left, right), node.span)

    def _truth(self, node: Node) -> bool:
        value = self._value(node)
        return self._checked(lambda: truth(value), node.span)

    def _call(self, node: Call) -> Location | Value:
        name = node.name.text
        if name == LABEL:
            return self._label(node)
        if name in FUNCTIONS:
            function = FUNCTIONS[name]
            values = [self._value(argument) for argument in node.arguments]
            if function.reduce is None:
                self._expect_one(node)
            self._spend(sum(len(value.expand_mask().numbers) for value in values), node.span)
            return self._checked(lambda: function.apply(values), node.span)
        if name not in self.names.types:
            known = (*FUNCTIONS, *self.names.types, LABEL)
            raise unknown_name_error("function", node.name, known)
        self._expect_one(node)
        (argument,) = node.arguments
        found, kind = self._evaluate(argument), self.type_of(node.name)
        if isinstance(found, Location):
            if found.has_bytes:
                return reinterpreted(found, kind, node.span)
            found = self._read(found, argument.span)
        return self._converted(found, kind, argument.span)

    def _converted(self, value: Value, kind: ElementType, span: Span) -> Value:
        self._spend(_CONVERSION * len(value.numbers), span)
        return self._checked(partial(converted, value, kind), span)

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
            raise unknown_name_error("label", argument, tuple(labels))
        return Value((labels[argument.text],))

    def _listed(self, node: ListLiteral) -> Value:
        numbers = []
        for item in node.items:
            value = self._value(item)
            if value.is_vector:
                message = f"a list takes single values, found {value.describe()}"
                raise ExpressionError(message, item.span)
            checked = partial(bounded, value.number, MAX_BITS_IN_VECTOR)
            numbers.append(self._checked(checked, item.span))
        return Value(tuple(numbers), None, True)

    def _indexed(self, node: Index) -> Location | Value:
        part = node.part
        if isinstance(node.base, Name) and node.base.text.lower() == MEMORY:
            kind = self._view.element if part.kind is None else self.type_of(part.kind)
            return memory_slice(self._view, part, kind, self._whole)
        base = self._evaluate(node.base)
        if isinstance(base, Value):
            return self._part_of_computed(node, base)
        if part.kind is not None:
            base = reinterpreted(base, self.type_of(part.kind), part.kind.span)
        base = base.bits() or base
        if base.length is None:
            message = "an index takes an element of a vector, found a single value before it"
            raise ExpressionError(message, node.span)
        return base.part(*bounds(part, base.length, self._whole))

    def _part_of_computed(self, node: Index, value: Value) -> Value:
        if node.part.kind is not None:
            message = "a type in brackets is for registers and xmem, found computed values"
            raise ExpressionError(message, node.part.kind.span)
        if not value.is_vector:
            message = f"an index takes an element of a vector, found {value.describe()} before it"
            raise ExpressionError(message, node.span)
        first, count = bounds(node.part, len(value.numbers), self._whole)
        return Value(value.numbers[first : first + (count or 1)], value.kind, count is not None)

    def _whole(self, node: Node) -> int:
        value = self._value(node)
        if value.is_vector or not isinstance(value.number, int):
            message = f"an index is a whole number, found {value.describe()}"
            raise ExpressionError(message, node.span)
        return value.number

    def _spend(self, elements: int, span: Span) -> None:
        self._work += elements
        if self._work > MAX_WORK:
            message = f"an expression looks at most at {MAX_WORK:,} elements, found more"
            raise ExpressionError(message, span)

    def _checked(self, compute: Callable[[], _T], span: Span) -> _T:
        try:
            return compute()
        except ValueError as error:
            raise ExpressionError(str(error), span) from None
        except OverflowError:
            message = "a float is below 1.8e308, found a greater number"
            raise ExpressionError(message, span) from None


def bounds(part: IndexRange, length: int, whole: Whole) -> tuple[int, int | None]:
    """Return first element and element count, None for a single one. Raises ExpressionError."""
    first = whole(part.first)
    if not 0 <= first < length:
        message = f"an index is 0 to {length - 1}, found {number_text(first)}"
        raise ExpressionError(message, part.first.span)
    if part.last is None and part.length is None:
        return first, None
    count = _count(part, first, whole)
    if first + count > length:
        span = (part.last or part.length or part.first).span
        message = f"a slice ends at {length - 1} at the latest, found {first + count - 1}"
        raise ExpressionError(message, span)
    return first, count


def memory_slice(view: MachineView, part: IndexRange, kind: ElementType, whole: Whole) -> Location:
    """Return the location of elements of xmem; both ends are byte addresses, `+` counts elements.

    Raises ExpressionError.
    """
    first = whole(part.first)
    count = None
    if part.last is not None:
        size = _count(part, first, whole)
        count, rest = divmod(size, kind.size)
        if rest:
            message = f"a slice of `{kind.name}` has a multiple of {kind.size} bytes"
            raise ExpressionError(f"{message}, found {size}", part.last.span)
    elif part.length is not None:
        count = _count(part, first, whole)
    location = view.memory_location(first, kind, count)
    if location is None:
        size = kind.size * (count or 1)
        message = f"an address lies within the {view.model.memory_size:#x} bytes of xmem"
        at = f"{first:#x}" if 0 <= first < 1 << 64 else number_text(first)
        found = f"found {counted(size, 'byte')} at {at}"
        raise ExpressionError(f"{message}, {found}", part.first.span)
    return location


def reinterpreted(location: Location, kind: ElementType, span: Span) -> Location:
    other = location.reinterpreted(kind)
    if other is None and location.space is Space.SCALARS:
        message = f"a 32-bit register is read as i32, u32 or f32, found `{kind.name}`"
        raise ExpressionError(f"{message}; `& 0xff` takes its low byte", span)
    if other is None:
        message = f"`{kind.name}` reads multiples of {kind.size} bytes"
        raise ExpressionError(
            f"{message}, found {location.elements} of `{location.kind.name}`", span
        )
    return other


def _count(part: IndexRange, first: int, whole: Whole) -> int:
    if part.length is not None:
        count, span = whole(part.length), part.length.span
        if count < 1:
            message = f"a slice has at least one element, found {number_text(count)}"
            raise ExpressionError(message, span)
    else:
        assert part.last is not None
        last, span = whole(part.last), part.last.span
        if last < first:
            found = f"{number_text(first)} .. {number_text(last)}"
            message = f"a slice ends where it starts or later, found {found}"
            raise ExpressionError(message, span)
        count = last - first + 1
    if count > MAX_ELEMENTS:
        message = f"a slice has at most {MAX_ELEMENTS:,} elements, found {number_text(count)}"
        raise ExpressionError(message, span)
    return count


def evaluate(context: Context, text: str) -> Result:
    return evaluate_parsed(Evaluator(context), parse(text))


def evaluate_parsed(evaluator: Evaluator, parsed: Parsed) -> Result:
    found, notation = evaluator.evaluate(parsed.node), None
    for name in parsed.formats:
        check_format(name, evaluator.names)
        if name.text.lower() in NOTATIONS:
            notation = name.text.lower()
        else:
            found = evaluator.reinterpret(found, evaluator.type_of(name), name.span)
    if notation is not None:
        try:
            refuse_floats_without_bits(found.value, notation)
        except ValueError as error:
            raise ExpressionError(str(error), parsed.formats[-1].span) from None
    return found._replace(notation=notation)


def check_format(name: Name, names: MachineNames) -> None:
    if name.text.lower() not in (*NOTATIONS, *names.types):
        known = ", ".join((*NOTATIONS, *names.plain_types))
        raise ExpressionError(f"a format is one of {known}, found {quoted(name.text)}", name.span)


def evaluate_condition(context: Context, text: str) -> bool:
    parsed = parse(text)
    value = Evaluator(context).evaluate(parsed.node).value
    try:
        return truth(value)
    except ValueError as error:
        raise ExpressionError(str(error), parsed.node.span) from None
