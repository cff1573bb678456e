"""What instructions do to registers that never depend on data, stated in descriptions.

On a machine whose branches and addresses depend on such registers alone, the order of execution and
every address follow from the program and the values that the host presets. An entry of an
instruction states it in a small notation of terms, joined by `+` and `-`; a term is an operand, or
a number operand of which 16 bits count: ``sext16(operand)`` sign-extended, ``zext16(operand)`` not:

- ``"computes": {"reg": "reg + sext16(value)"}``: the new value of a register operand;
  ``"(reg + step) mod 2^k"`` reduces it by the number in operand `k`, and
  ``"bytes(pair) + sext8(value)"`` adds a signed byte to each byte of a register or of a pair, which
  stays in 0..255; the byte is that of a number, or the lowest of a register
- ``"condition": "reg1 < reg2"``: when a branch is taken; `==`, `!=`, `<` or `>=`, as signed
  numbers; a register may be named where there is no operand
- ``"accesses": ["read 128 xmem[offset + base]"]``: bytes that it reads or writes in a memory;
  ``read row`` accesses a whole row of a memory that is addressed by rows
- ``"windows": ["128 r_cyclic[offset]"]``: elements that it reads of a register, which count modulo
  the size of the register; with `clipped`, those past its end are not read; with `if lr`,
  only if the operand names a register of that file
- ``"requires": ["cr_idx[12:8] in 0 2 4 8 16"]``: numbers, or ranges such as ``0..2``, of which a
  register must hold one, or bits of it; else the instruction faults. The register is that of an
  operand, or the one of that name. ``bytes(pair) from mask in 0..127`` means the bytes of a pair
  from the number in another operand on. With ``if operand word word, ...`` at its end, only if each
  of these operands is one of the words; `wide` stands for the mode of the machine. ``never if ...``
  faults whatever a register holds; with `perhaps` in front, what else the instruction faults
  depends on is not known

Sets whose registers may also hold data, so that control follows from a program only where its
counters are constants, state the instructions that constants come from and that loops consist of. A
term may also be a number:

- ``"computes": {"dst": "src + sext16(imm)"}``: the new value of a register operand; a number that
  is written outside of its signed 16 bits has no known value
- ``"branch": "cond != 0"``: when a branch is taken, by the value of a register operand before it;
  `==` or `!=`
- ``"pointer": "target"``: the register operand that holds the address where control continues
- ``"repeat": ("count", "length")``: the bundles after it are executed as often as the first
  operand says; the second one is their number minus one
- ``"shape": ("conf", "src1")``: a matrix operation, with the register operand that holds its
  configuration, and its first source
"""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping

from ipu_asm.named_tuple import NamedTuple

_WORD_BITS = 32
RELATIONS = ("==", "!=", "<", ">=")
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<"}
_TERM = re.compile(r"\s*([+-]?)\s*(?:([sz])ext(\d+)\((\w+)\)|(\w+))")
_MODULO = re.compile(r"\s*\((.+)\) mod 2\^(\w+)\s*")
_BYTES = re.compile(r"\s*bytes\((\w+)\) \+ sext8\((\w+)\)\s*")
_CONDITION = re.compile(r"\s*(\w+)\s*(==|!=|<|>=)\s*(\w+)\s*")
_WINDOW = re.compile(r"(\d+) (\w+)\[(\w+)\]( clipped)?(?: if (\w+))?")

_REQUIREMENT = re.compile(
    r"(perhaps )?(?:(?:(\w+)(?:\[(\d+):(\d+)\])?|bytes\((\w+)\) from (\w+)) in ([\d. ]+?)|never)"
    r"(?: if (.+))?"
)

_ACCESS = re.compile(r"(read|write) (\d+|row) (\w+)\[([^\]]+)\]")


class Term(NamedTuple):
    """An operand in a sum: a register's value, or a number of which `bits` count, if not 0."""

    operand: str
    sign: int
    bits: int = 0
    is_signed: bool = True


class Computation(NamedTuple):
    """The new value of a register: a sum, modulo two to the power of operand `exponent` if any.

    With an operand `byte`, the signed byte in it is added to each byte, which stays in 0..255.
    """

    terms: tuple[Term, ...]
    exponent: str = ""
    byte: str = ""


class Condition(NamedTuple):
    """When a branch is taken: a relation between two registers, as signed numbers.

    `left` and `right` name an operand, or a register.
    """

    left: str
    relation: str
    right: str


class MemoryAccess(NamedTuple):
    """`size` bytes of a memory or register at the sum of `address`; `kind` is read or write.

    With size 0 it is a row of the memory.
    """

    kind: str
    size: int
    memory: str
    address: tuple[Term, ...]


class Window(NamedTuple):
    """The `size` elements of a register, from the number in a register operand on.

    Numbers past its end count from its beginning, or name no element if `is_clipped`. Without an
    operand that names a register of `file`, if there is one, nothing is read.
    """

    size: int
    memory: str
    operand: str
    is_clipped: bool
    file: str = ""


class NeededValue(NamedTuple):
    """What must hold of the bits from `low` on of a register, or an instruction faults.

    They are one of the `numbers`. With the operand `first_byte`, it must hold of each byte of a
    pair from that number on. It only counts where each of the `words` of operands is as stated.
    Unless `is_certain`, the instruction may not fault.
    """

    register: str
    low: int
    bits: int
    numbers: tuple[range, ...]
    first_byte: str = ""
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_certain: bool = True


class ScalarFacts(NamedTuple):
    """What one instruction computes, compares, accesses and needs; see the module."""

    computes: Mapping[str, Computation] = {}
    condition: Condition | None = None
    accesses: tuple[MemoryAccess, ...] = ()
    windows: tuple[Window, ...] = ()
    needs: tuple[NeededValue, ...] = ()


def scalar_facts(entry: Mapping[str, Any]) -> ScalarFacts | None:
    """Return the facts of an entry that has any. Raises `ValueError` for a wrong notation."""
    computes = {name: _computation(text) for name, text in entry.get("computes", {}).items()}
    condition = _condition(entry["condition"]) if "condition" in entry else None
    accesses = tuple(_access(text) for text in entry.get("accesses", ()))
    windows = tuple(_window(text) for text in entry.get("windows", ()))
    needs = tuple(_needed(text) for text in entry.get("requires", ()))
    if not computes and condition is None and not accesses and not windows and not needs:
        return None
    return ScalarFacts(computes, condition, accesses, windows, needs)


def operands_named(facts: ScalarFacts) -> Iterator[str]:
    """Yield the names of all operands that facts refer to; a condition may name registers."""
    for name, (sum_, exponent, byte) in facts.computes.items():
        yield name
        yield from (term.operand for term in sum_)
        yield from filter(None, (exponent, byte))
    if facts.condition is not None:
        yield from (facts.condition.left, facts.condition.right)
    for access in facts.accesses:
        yield from (term.operand for term in access.address)
    yield from (window.operand for window in facts.windows)
    for needed in facts.needs:
        yield from filter(None, (needed.register, needed.first_byte))


def terms(text: str) -> tuple[Term, ...]:
    """Return the terms of a sum. Raises `ValueError` for a wrong notation."""
    found: list[Term] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TERM.match(text, position)
        if match is None or bool(found) != bool(match[1]):
            raise ValueError(f"`{text}` is no sum of operands")
        sign = -1 if match[1] == "-" else 1
        found.append(Term(match[4] or match[5], sign, int(match[3] or 0), match[2] != "z"))
        position = match.end()
    return tuple(found)


def _computation(text: str) -> Computation:
    modulo, bytes_ = _MODULO.fullmatch(text), _BYTES.fullmatch(text)
    if modulo is not None:
        return Computation(terms(modulo[1]), modulo[2])
    if bytes_ is not None:
        return Computation((Term(bytes_[1], 1),), byte=bytes_[2])
    return Computation(terms(text))


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no comparison of two operands by ==, !=, < or >=")
    return Condition(*match.groups())


def _access(text: str) -> MemoryAccess:
    match = _ACCESS.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no access: write `read 128 xmem[offset + base]`")
    size = 0 if match[2] == "row" else int(match[2])
    return MemoryAccess(match[1], size, match[3], terms(match[4]))


def _window(text: str) -> Window:
    match = _WINDOW.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no window: write `128 r_cyclic[offset]`")
    return Window(int(match[1]), match[2], match[3], match[4] is not None, match[5] or "")


def _needed(text: str) -> NeededValue:
    match = _REQUIREMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no requirement: write `offset[1:0] in 0..2 if stride off`")
    perhaps, register, high, low, pair, first, numbers, condition = match.groups()
    parts = [each.split() for each in condition.split(",")] if condition else []
    words = tuple((name, tuple(alternatives)) for name, *alternatives in parts)
    low_bit = int(low or 0)
    bits = 8 if pair else int(high or _WORD_BITS - 1) - low_bit + 1
    ranges = tuple(_range(each) for each in (numbers or "").split())
    name = register or pair or ""
    return NeededValue(name, low_bit, bits, ranges, first or "", words, not perhaps)


def _range(text: str) -> range:
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


_BRANCH = re.compile(r"(\w+) (==|!=) 0")


class Test(NamedTuple):
    """A branch is taken if a register operand is zero, or if it is not."""

    operand: str
    is_zero: bool


class Repeat(NamedTuple):
    """The operands with the number of iterations, and with that of repeated bundles minus one."""

    iterations: str
    length: str


class Shape(NamedTuple):
    """The operands of a matrix operation with its configuration, and with its first source."""

    configuration: str
    source: str


class CountingFacts(NamedTuple):
    """What one instruction computes, tests, repeats and multiplies; see the module."""

    computes: Mapping[str, tuple[Term, ...]] = {}
    test: Test | None = None
    pointer: str = ""
    repeat: Repeat | None = None
    shape: Shape | None = None


class RepeatLimits(NamedTuple):
    """What a repeating instruction can do: the bytes of each bundle that it repeats, and the most
    iterations. What it does with a higher number in a register is not known.
    """

    bundle_bytes: int
    most: int


class LoopCounter(NamedTuple):
    """The register that counts the iterations of a hardware loop, which has at least one.

    All registers of the loop are written at least `distance` bundles before its last one.
    """

    register: str
    distance: int


class Counting(NamedTuple):
    """What an instruction set counts with; empty for a set that does not describe it.

    Constants are followed in `registers`, which hold numbers of at least 20 bits. A jump to an
    unknown address in a register of `links` returns to the caller. `products` has the
    multiplications of a matrix operation by bits 1 to 7 of its configuration; a negative number
    counts for each part of its first source. `wide_files` are the register files that data streams
    through, vector registers and accumulators by their smallest parts.
    """

    registers: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    repeats: RepeatLimits | None = None
    hardware_loop: LoopCounter | None = None
    products: Mapping[int, int] = {}
    wide_files: tuple[str, ...] = ()


def counting_facts(entry: Mapping[str, Any]) -> CountingFacts:
    """Return the facts of an entry. Raises `ValueError` for a wrong notation."""
    computes = {name: terms(text) for name, text in entry.get("computes", {}).items()}
    test = _test(entry["branch"]) if "branch" in entry else None
    repeat = Repeat(*entry["repeat"]) if "repeat" in entry else None
    shape = Shape(*entry["shape"]) if "shape" in entry else None
    return CountingFacts(computes, test, entry.get("pointer", ""), repeat, shape)


def operands_counted(facts: CountingFacts) -> Iterator[str]:
    """Yield the names of all operands that facts refer to."""
    for name, sum_ in facts.computes.items():
        yield name
        yield from (term.operand for term in sum_ if not term.operand.isdigit())
    if facts.test is not None:
        yield facts.test.operand
    if facts.pointer:
        yield facts.pointer
    yield from facts.repeat or ()
    yield from facts.shape or ()


def _test(text: str) -> Test:
    match = _BRANCH.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no comparison of an operand with 0 by == or !=")
    return Test(match[1], match[2] == "==")
