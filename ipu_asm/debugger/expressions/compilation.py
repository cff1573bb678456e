"""Compilation of conditions to checks, which a core evaluates between two bundles.

A check gives what `Evaluator` gives, or is in doubt. What has no check is asked of the evaluator,
which takes over 50 times as long: two million bundles with a condition that never holds at a bundle
of the inner loop take 0.5 to 2 s with checks, and minutes without.
"""

from __future__ import annotations

import struct
from typing import Callable, Final

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.evaluator import Evaluator
from ipu_asm.debugger.expressions.machine_view import LABEL, Location, Space
from ipu_asm.debugger.expressions.program_names import is_fixed, note_of, registers_read
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.core import checks
from ipu_asm.emulator.core.checks import Check, Kind, Opcode
from ipu_asm.emulator.element_types import ElementType
from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    ExpressionError,
    Index,
    Name,
    Node,
    Unary,
)
from ipu_asm.named_tuple import NamedTuple

_KINDS: Final = {kind.name.lower(): kind for kind in Kind}
_MAX_LANES: Final = 1024
_MAX_NODES: Final = 60
"""With so few and so short vectors no expression exceeds the evaluator's limit on work."""

_WHOLE: Final = {
    "//": Opcode.DIVIDE, "%": Opcode.REMAINDER, "&": Opcode.AND, "|": Opcode.OR, "^": Opcode.XOR,
    "<<": Opcode.SHIFT_LEFT, ">>": Opcode.SHIFT_RIGHT,
}  # fmt: skip
_OF_BOTH_TYPES: Final = {
    "+": (Opcode.ADD, Opcode.REAL_ADD),
    "-": (Opcode.SUBTRACT, Opcode.REAL_SUBTRACT),
    "*": (Opcode.MULTIPLY, Opcode.REAL_MULTIPLY),
}
_COMPARISONS: Final = {
    "==": (Opcode.EQUAL, Opcode.REAL_EQUAL),
    "<": (Opcode.LESS, Opcode.REAL_LESS),
    "<=": (Opcode.LESS_OR_EQUAL, Opcode.REAL_LESS_OR_EQUAL),
}
_SWAPPED: Final = {">": "<", ">=": "<="}


class _NoCheckError(Exception):
    """The expression cannot be compiled to a check."""


class _Part(NamedTuple):
    """A check for the values of a node: floats or whole numbers, `lanes` of them if a vector.

    `is_folded`: it combines lanes, so it cannot be part of what is computed for each lane.
    """

    check: Check
    is_real: bool = False
    lanes: int | None = None
    is_folded: bool = False


def compile_condition(context: Context, node: Node) -> Check | None:
    """Return the check for a condition in the present mode of a machine; None if it has none."""
    try:
        found = _Compiler(context).part(node)
        return None if found.lanes is not None else _truth(found).check
    except (_NoCheckError, ExpressionError, struct.error):
        return None


class _Compiler:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._view = context.view
        # One for all parts, so that all of them are within its limit on work.
        self._evaluator = Evaluator(context)
        self._nodes = 0
        self._is_inner = False

    def part(self, node: Node) -> _Part:
        """Return the check of a node. Raises `_NoCheckError` and ExpressionError."""
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise _NoCheckError
        if registers_read(self._context, node, self._is_inner) == frozenset():
            return self._constant(node)
        if isinstance(node, Name | Index | Call) and is_fixed(self._context, node, self._is_inner):
            location = self._evaluator.location(node)
            if location is not None:
                return self._loaded(location)
        if isinstance(node, Name):
            return self._note(node)
        if isinstance(node, Index):
            return self._memory(node)
        if isinstance(node, Unary):
            return _signed(node.operator, self.part(node.operand))
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, ConditionalExpression):
            return self._choice(node)
        if isinstance(node, Call) and node.name.text != LABEL and len(node.arguments) == 1:
            return _applied(node.name.text, self.part(node.arguments[0]))
        raise _NoCheckError

    def _constant(self, node: Node) -> _Part:
        value = self._evaluator.evaluate(node).value
        if value.is_vector:
            raise _NoCheckError
        if isinstance(value.number, float):
            return _Part(checks.real(value.number), is_real=True)
        return _Part(checks.number(value.number))

    def _loaded(self, location: Location) -> _Part:
        space, start, lanes = location.space, location.start, location.length
        if space is Space.PC:
            return _Part(checks.NEXT_PC)
        if space is Space.CYCLE:
            return _Part(checks.CYCLE)
        if space is Space.BITS:
            return self._bit(location)
        kind = _kind(location.kind)
        stride = 0 if lanes is None else kind.size
        if space is Space.MEMORY:
            check = checks.load_memory(checks.number(start), kind, stride, lanes or 1)
        else:
            at_scalars = self._view.model.layout.block_size
            offset = at_scalars + 4 * start if space is Space.SCALARS else start
            check = checks.load(kind, offset, stride)
        return _Part(check, location.kind.is_float, _checked(lanes))

    def _bit(self, location: Location) -> _Part:
        if location.length is not None:
            raise _NoCheckError
        byte = checks.load(Kind.U8, location.start // 8)
        shifted = checks.binary(Opcode.SHIFT_RIGHT, byte, checks.number(location.start % 8))
        return _Part(checks.binary(Opcode.AND, shifted, checks.number(1)))

    def _note(self, node: Name) -> _Part:
        found = None if self._is_inner else note_of(self._context, node)
        if found is None:
            raise _NoCheckError
        self._is_inner = True
        part = self.part(found)
        self._is_inner = False
        return part

    def _memory(self, node: Index) -> _Part:
        """Elements of memory at an address that is computed."""
        is_memory = isinstance(node.base, Name) and node.base.text.lower() == MEMORY
        part = node.part
        if not is_memory or part.last is not None:
            raise _NoCheckError
        address = self._single(part.first)
        kind = self._view.element if part.kind is None else self._evaluator.type_of(part.kind)
        lanes = None if part.length is None else self._count(part.length)
        if address.is_real:
            raise _NoCheckError
        stride = 0 if lanes is None else kind.size
        check = checks.load_memory(address.check, _kind(kind), stride, _checked(lanes) or 1)
        return _Part(check, kind.is_float, lanes, address.is_folded)

    def _count(self, node: Node) -> int:
        if registers_read(self._context, node, self._is_inner) != frozenset():
            raise _NoCheckError
        count = self._evaluator.evaluate(node).value.number
        if not isinstance(count, int) or count < 1:
            raise _NoCheckError
        return count

    def _single(self, node: Node) -> _Part:
        found = self.part(node)
        if found.lanes is not None:
            raise _NoCheckError
        return found

    def _binary(self, node: Binary) -> _Part:
        left = self.part(node.left)
        if node.operator in ("and", "or"):
            return self._logical(node.operator, left, self.part(node.right))
        return _combined(node.operator, left, self.part(node.right))

    def _logical(self, operator: str, left: _Part, right: _Part) -> _Part:
        one, other = _truth(left), _truth(right)
        if left.lanes is not None:
            return _pair(Opcode.AND if operator == "and" else Opcode.OR, one, other)
        if right.lanes is not None:
            raise _NoCheckError
        yes, no = checks.number(1), checks.number(0)
        branches = (other.check, no) if operator == "and" else (yes, other.check)
        check = checks.choice(one.check, *branches)
        return _Part(check, is_folded=one.is_folded or other.is_folded)

    def _choice(self, node: ConditionalExpression) -> _Part:
        test, one, other = map(self._single, (node.condition, node.one, node.other))
        if one.is_real is not other.is_real:
            raise _NoCheckError
        check = checks.choice(_truth(test).check, one.check, other.check)
        is_folded = test.is_folded or one.is_folded or other.is_folded
        return _Part(check, one.is_real, is_folded=is_folded)


def _kind(kind: ElementType) -> Kind:
    if kind.name not in _KINDS:
        raise _NoCheckError
    return _KINDS[kind.name]


def _checked(lanes: int | None) -> int | None:
    if lanes is not None and lanes > _MAX_LANES:
        raise _NoCheckError
    return lanes


def _unary(opcode: Opcode, operand: _Part, is_real: bool = False) -> _Part:
    return operand._replace(check=checks.unary(opcode, operand.check), is_real=is_real)


def _truth(operand: _Part) -> _Part:
    return _unary(Opcode.REAL_TO_TRUTH if operand.is_real else Opcode.TO_TRUTH, operand)


def _real(operand: _Part) -> _Part:
    return operand if operand.is_real else _unary(Opcode.TO_REAL, operand, is_real=True)


def _signed(operator: str, operand: _Part) -> _Part:
    if operator == "not":
        return _unary(Opcode.NOT, _truth(operand))
    if operator == "+":
        return operand
    if operator == "-":
        opcode = Opcode.REAL_NEGATE if operand.is_real else Opcode.NEGATE
        return _unary(opcode, operand, operand.is_real)
    if operand.is_real:
        raise _NoCheckError
    return _unary(Opcode.INVERT, operand)


def _combined(operator: str, left: _Part, right: _Part) -> _Part:
    if operator in _SWAPPED:
        return _combined(_SWAPPED[operator], right, left)
    if operator == "!=":
        return _unary(Opcode.NOT, _combined("==", left, right))
    is_real = left.is_real or right.is_real
    if operator in _WHOLE and not is_real:
        return _pair(_WHOLE[operator], left, right)
    if operator == "/" and is_real:
        return _pair(Opcode.REAL_DIVIDE, _real(left), _real(right), is_real)
    opcodes = _OF_BOTH_TYPES.get(operator) or _COMPARISONS.get(operator)
    if opcodes is None:
        raise _NoCheckError
    if is_real:
        left, right = _real(left), _real(right)
    return _pair(opcodes[is_real], left, right, is_real and operator in _OF_BOTH_TYPES)


def _pair(opcode: Opcode, left: _Part, right: _Part, is_real: bool = False) -> _Part:
    """The check for an operation on two numbers, or on two numbers of each lane."""
    lanes = left.lanes if right.lanes is None else right.lanes
    if None not in (left.lanes, right.lanes) and left.lanes != right.lanes:
        raise _NoCheckError
    check = checks.binary(opcode, left.check, right.check)
    return _Part(check, is_real, lanes, left.is_folded or right.is_folded)


def _applied(function: str, argument: _Part) -> _Part:
    if function in ("abs", "int", "float"):
        return _mapped(function, argument)
    if function not in _FOLDS:
        raise _NoCheckError
    start, opcode, prepare = _FOLDS[function][argument.is_real]
    body = prepare(argument)
    if argument.lanes is None:
        return body._replace(lanes=None)
    if argument.is_folded:
        raise _NoCheckError
    check = checks.folded(opcode, start, body.check, argument.lanes)
    return _Part(check, body.is_real, is_folded=True)


def _mapped(function: str, argument: _Part) -> _Part:
    if function == "float":
        return _real(argument)
    if function == "abs":
        opcode = Opcode.REAL_ABSOLUTE if argument.is_real else Opcode.ABSOLUTE
        return _unary(opcode, argument, argument.is_real)
    if argument.is_real:
        raise _NoCheckError
    return argument


def _same(argument: _Part) -> _Part:
    return argument


def _is_nan(argument: _Part) -> _Part:
    if argument.is_real:
        return _unary(Opcode.IS_NAN, argument)
    return _pair(Opcode.AND, _truth(argument), _Part(checks.number(0)))


def _one(argument: _Part) -> _Part:
    """One for each value, which is computed, as it may be in doubt."""
    return _pair(Opcode.OR, _truth(argument), _Part(checks.number(1)))


_Fold = tuple[Check, Opcode, Callable[[_Part], _Part]]
_NAN: Final = checks.real(float("nan"))
_COUNTED: Final[_Fold] = checks.number(0), Opcode.ADD, _truth
_FOLDS: Final[dict[str, tuple[_Fold, _Fold]]] = {
    "sum": ((checks.number(0), Opcode.ADD, _same), (checks.real(0.0), Opcode.REAL_ADD, _same)),
    "min": (
        (checks.number((1 << 63) - 1), Opcode.MINIMUM, _same),
        (_NAN, Opcode.REAL_MINIMUM, _same),
    ),
    "max": ((checks.number(-1 << 63), Opcode.MAXIMUM, _same), (_NAN, Opcode.REAL_MAXIMUM, _same)),
    "any": ((checks.number(0), Opcode.OR, _truth),) * 2,
    "all": ((checks.number(1), Opcode.AND, _truth),) * 2,
    "count": (_COUNTED,) * 2,
    "len": ((checks.number(0), Opcode.ADD, _one),) * 2,
    "nan_count": ((checks.number(0), Opcode.ADD, _is_nan),) * 2,
}
"""How functions combine whole numbers and floats: start value, operation, and the operand."""
