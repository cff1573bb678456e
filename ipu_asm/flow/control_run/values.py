"""Values of scalar registers: 32-bit numbers, or sums with values that are not known.

A number is an `int` in the signed range. A `Symbolic` value is a constant plus multiples of unknown
values, modulo 2^32: of registers, and of what follows from them.
"""

from __future__ import annotations

from ipu_asm.isa.scalar import OPPOSITE
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple

BITS = 32
LOWEST, HIGHEST = -(1 << (BITS - 1)), (1 << (BITS - 1)) - 1
MODULUS = 1 << BITS
_LARGEST_DECIMAL = 9
_MAX_PARTS = 24
_LONGEST_NAME = 400


class Product(NamedTuple):
    """The product of two unknown values."""

    left: Symbolic
    right: Symbolic


class Modulo(NamedTuple):
    """An unknown value modulo a power of two."""

    value: Symbolic
    modulus: int


class ByteSums(NamedTuple):
    """A value with a signed byte added to each of its bytes, which stays in 0..255."""

    value: Value
    byte: Value


class Repetitions(NamedTuple):
    """How often a comparison has an outcome before it has the other for the first time.

    It compares ``left + left_step * k`` with ``right + right_step * k`` as signed 32-bit numbers,
    for k = 0, 1 and so on; the relation is one of `isa.scalar.RELATIONS`.
    """

    relation: str
    outcome: bool
    left: Value
    right: Value
    left_step: Value
    right_step: Value

    @property
    def is_simple(self) -> bool:
        """Whether they are the difference of both numbers, but not less than 0."""
        step = minus(self.left_step, self.right_step)
        one_moves = 0 in (self.left_step, self.right_step)
        return self.relation == "<" and self.outcome and step == 1 and one_moves


Definition = Product | Modulo | ByteSums | Repetitions
"""What an unknown value is, if it is not that of a register."""


class Unknown(NamedTuple):
    """An unknown value: of the register `name`, or of what `definition` says.

    The name determines the definition. `registers` are those that it depends on.
    """

    name: str
    registers: tuple[str, ...]
    definition: Definition | None = None


class Symbolic(NamedTuple):
    """A constant plus the sum of multiples of unknown values, sorted by their names."""

    constant: int
    parts: tuple[tuple[Unknown, int], ...]

    @property
    def registers(self) -> tuple[str, ...]:
        """The names of the registers that it depends on, sorted."""
        return tuple(sorted({name for part, _ in self.parts for name in part.registers}))


Value = int | Symbolic


def is_unwieldy(value: Value) -> bool:
    """Return whether a value has so many or so long parts that following it is pointless.

    A loop that adds another unknown value in each iteration, or changes one in a way that is no
    sum, makes values that grow without end.
    """
    if type(value) is int:
        return False
    assert isinstance(value, Symbolic)
    return len(value.parts) > _MAX_PARTS or any(
        len(part.name) > _LONGEST_NAME for part, _ in value.parts
    )


def unknown(name: str) -> Symbolic:
    return Symbolic(0, ((Unknown(name, (name,)), 1),))


def registers_in(*values: Value) -> tuple[str, ...]:
    """Return the names of the registers that values depend on, sorted."""
    found = {name for v in values if isinstance(v, Symbolic) for name in v.registers}
    return tuple(sorted(found))


def wrapped(value: int) -> int:
    """Return a number modulo 2^32, as a signed number."""
    if LOWEST <= value <= HIGHEST:
        return value
    return (value - LOWEST) % MODULUS + LOWEST


def unsigned(value: int) -> int:
    """Return a signed 32-bit number as an unsigned one."""
    return value % MODULUS


def plus(a: Value, b: Value, factor: int = 1) -> Value:
    """Return ``a + factor * b``, without reducing it modulo 2^32."""
    if type(a) is int and type(b) is int:
        return a + factor * b
    parts = dict(_parts(a))
    for part, count in _parts(b):
        parts[part] = parts.get(part, 0) + factor * count
    constant = _constant(a) + factor * _constant(b)
    left = tuple(sorted((part, count) for part, count in parts.items() if count))
    return Symbolic(constant, left) if left else constant


def minus(a: Value, b: Value) -> Value:
    """Return ``a - b``, without reducing it modulo 2^32."""
    return plus(a, b, -1)


def divided(value: Value, unit: int) -> Value:
    """Return the quotient of a value that is a multiple of a number in all its parts."""
    if isinstance(value, int):
        return value // unit
    parts = tuple((part, factor // unit) for part, factor in value.parts)
    return Symbolic(value.constant // unit, parts)


def times(a: Value, b: Value) -> Value:
    """Return ``a * b``, without reducing it modulo 2^32."""
    if isinstance(a, int):
        return plus(0, b, a)
    if isinstance(b, int):
        return plus(0, a, b)
    left, right = sorted((a, b))
    name = f"({value_text(left)}) x ({value_text(right)})"
    return Symbolic(0, ((Unknown(name, registers_in(a, b), Product(left, right)), 1),))


def modulo(value: Value, modulus: int) -> Value:
    """Return a value modulo a power of two, which is at most 2^32."""
    if isinstance(value, int):
        return value % modulus
    total: Value = value.constant % modulus
    for part, factor in value.parts:
        inner: Value = Symbolic(0, ((part, 1),))
        if isinstance(part.definition, Modulo) and part.definition.modulus % modulus == 0:
            inner = part.definition.value
        total = plus(total, inner, factor % modulus)
    if isinstance(total, int):
        return total % modulus
    parts = tuple((part, factor % modulus) for part, factor in total.parts)
    found = Symbolic(total.constant % modulus, tuple(each for each in parts if each[1]))
    if not found.parts:
        return found.constant
    name = f"({term_text(found)} mod {number_text(modulus)})"
    return Symbolic(0, ((Unknown(name, found.registers, Modulo(found, modulus)), 1),))


def byte_sums(value: Value, byte: Value) -> Value:
    """Return a value with the lowest byte of another, as a signed number, added to each byte."""
    if isinstance(value, int) and isinstance(byte, int):
        step = signed(byte, 8)
        sums = (min(max(each + step, 0), 255) for each in bytes_of(value))
        return wrapped(int.from_bytes(bytes(sums), "little"))
    name = f"(bytes of {term_text(value)} + {term_text(byte)})"
    definition = ByteSums(value, byte)
    return Symbolic(0, ((Unknown(name, registers_in(value, byte), definition), 1),))


def bytes_of(value: int) -> bytes:
    """Return the four bytes of a number, the lowest first."""
    return unsigned(value).to_bytes(BITS // 8, "little")


def signed_bytes_of(value: int) -> list[int]:
    """Return four numbers in -128..127 of which a number is the sum, times 1, 256 and so on."""
    found = []
    for _ in range(BITS // 8):
        found.append(signed(value, 8))
        value = (value - found[-1]) >> 8
    return found


def holds(relation: str, left: Value, right: Value) -> bool | None:
    """Return whether a relation holds between signed numbers; None if it is not known."""
    if relation == ">=":
        is_less = holds("<", left, right)
        return None if is_less is None else not is_less
    if isinstance(left, int) and isinstance(right, int):
        return left < right if relation == "<" else (left == right) is (relation == "==")
    difference = minus(left, right)
    # Of sums with the same unknown values one may overflow, so that they say nothing about order.
    if not isinstance(difference, int) or (relation == "<" and difference):
        return None
    return relation != "<" and (difference == 0) is (relation == "==")


def repetitions(definition: Repetitions) -> Value:
    """Return how often a comparison repeats its outcome."""
    if definition.relation == ">=":
        definition = definition._replace(relation="<", outcome=not definition.outcome)
    relation, outcome, left, right, left_step, right_step = definition
    step = minus(left_step, right_step)
    if (relation == "!=") is outcome and relation != "<" and step in (1, -1):
        return reduced(minus(right, left) if step == 1 else minus(left, right))
    name = _repetitions_text(definition)
    registers = registers_in(left, right, left_step, right_step)
    return Symbolic(0, ((Unknown(name, registers, definition), 1),))


def _repetitions_text(definition: Repetitions) -> str:
    relation, outcome, left, right, left_step, right_step = definition
    if definition.is_simple:
        subtracted = "" if left == 0 else f" - {term_text(left)}"
        return f"max(0, {term_text(right)}{subtracted})"
    relation = relation if outcome else OPPOSITE[relation]
    return f"trips({_moving_text(left, left_step)} {relation} {_moving_text(right, right_step)})"


def _moving_text(start: Value, step: Value) -> str:
    if step == 0:
        return value_text(start)
    product = "k" if step == 1 else f"{term_text(step)} x k"
    return product if start == 0 else f"{value_text(start)} + {product}"


def term_text(value: Value) -> str:
    """Return a value in words, in parentheses if it is a sum or negative."""
    is_term = value >= 0 if isinstance(value, int) else not value.constant and len(value.parts) == 1
    return value_text(value) if is_term else f"({value_text(value)})"


def value_text(value: Value) -> str:
    """Return a number, or a sum of unknown values and a number: `cr1 + cr4 - 0x80`."""
    if isinstance(value, int):
        return number_text(value)
    text = ""
    for part, factor in sorted(value.parts, key=lambda part: part[1] < 0):
        term = part.name if abs(factor) == 1 else f"{number_text(abs(factor))} x {part.name}"
        text += (" - " if text else "-") + term if factor < 0 else (" + " if text else "") + term
    if value.constant:
        text += f" {'-' if value.constant < 0 else '+'} {number_text(abs(value.constant))}"
    return text


def number_text(number: int) -> str:
    """Return a number: in hexadecimal if it has more than one digit."""
    return str(number) if abs(number) <= _LARGEST_DECIMAL else hex(number)


def reduced(value: Value) -> Value:
    """Return a value with its constant and its factors reduced modulo 2^32."""
    if isinstance(value, int):
        return value if LOWEST <= value <= HIGHEST else wrapped(value)
    parts = value.parts
    if any(not LOWEST <= factor <= HIGHEST for _, factor in parts):
        parts = tuple((part, wrapped(factor)) for part, factor in parts if factor % MODULUS)
    constant = wrapped(value.constant)
    return Symbolic(constant, parts) if parts else constant


def _parts(value: Value) -> tuple[tuple[Unknown, int], ...]:
    return () if isinstance(value, int) else value.parts


def _constant(value: Value) -> int:
    return value if isinstance(value, int) else value.constant
