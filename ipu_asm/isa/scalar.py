"""What instructions do to registers that never depend on data, stated in descriptions.

On a machine whose branches and addresses depend on such registers alone, the order of execution and
every address follow from the program and the values that the host presets. An entry of an
instruction states it in a small notation of terms, joined by `+` and `-`; a term is an operand, or
``sext16(operand)``, a number of which 16 bits count, sign-extended:

- ``"computes": {"reg": "reg + sext16(value)"}``: the new value of a register operand
- ``"condition": "reg1 < reg2"``: when a branch is taken; `==`, `!=` or `<`, as signed numbers
- ``"accesses": ["read 128 xmem[offset + base]"]``: bytes that it reads or writes in a memory
- ``"windows": ["128 r_cyclic[offset]"]``: elements that it reads of a register, which count modulo
  the size of the register; with `clipped` behind, those past its end are not read
"""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping, NamedTuple

RELATIONS = ("==", "!=", "<")

_TERM = re.compile(r"\s*([+-]?)\s*(?:sext(\d+)\((\w+)\)|(\w+))")
_CONDITION = re.compile(r"\s*(\w+)\s*(==|!=|<)\s*(\w+)\s*")
_WINDOW = re.compile(r"(\d+) (\w+)\[(\w+)\]( clipped)?")
_ACCESS = re.compile(r"(read|write) (\d+) (\w+)\[([^\]]+)\]")


class Term(NamedTuple):
    """An operand in a sum: a register's value, or a number of which `bits` count, if not 0."""

    operand: str
    sign: int
    bits: int = 0


class Condition(NamedTuple):
    """When a branch is taken: a relation between two register operands, as signed numbers."""

    left: str
    relation: str
    right: str


class MemoryAccess(NamedTuple):
    """`size` bytes of a memory or register at the sum of `address`; `kind` is read or write."""

    kind: str
    size: int
    memory: str
    address: tuple[Term, ...]


class Window(NamedTuple):
    """The `size` elements of a register, from the number in a register operand on.

    Numbers past its end count from its beginning, or name no element if `is_clipped`.
    """

    size: int
    memory: str
    operand: str
    is_clipped: bool


class ScalarFacts(NamedTuple):
    """What one instruction computes, compares and accesses; see the module."""

    computes: Mapping[str, tuple[Term, ...]] = {}
    condition: Condition | None = None
    accesses: tuple[MemoryAccess, ...] = ()
    windows: tuple[Window, ...] = ()


def scalar_facts(entry: Mapping[str, Any]) -> ScalarFacts | None:
    """Return the facts of an entry that has any. Raises `ValueError` for a wrong notation."""
    computes = {name: terms(text) for name, text in entry.get("computes", {}).items()}
    condition = _condition(entry["condition"]) if "condition" in entry else None
    accesses = tuple(_access(text) for text in entry.get("accesses", ()))
    windows = tuple(_window(text) for text in entry.get("windows", ()))
    if not computes and condition is None and not accesses and not windows:
        return None
    return ScalarFacts(computes, condition, accesses, windows)


def operands_named(facts: ScalarFacts) -> Iterator[str]:
    """Yield the names of all operands that facts refer to."""
    for name, sum_ in facts.computes.items():
        yield name
        yield from (term.operand for term in sum_)
    if facts.condition is not None:
        yield from (facts.condition.left, facts.condition.right)
    for access in facts.accesses:
        yield from (term.operand for term in access.address)
    yield from (window.operand for window in facts.windows)


def terms(text: str) -> tuple[Term, ...]:
    """Return the terms of a sum. Raises `ValueError` for a wrong notation."""
    found: list[Term] = []
    position = 0
    while position < len(text.rstrip()):
        match = _TERM.match(text, position)
        if match is None or bool(found) != bool(match[1]):
            raise ValueError(f"`{text}` is no sum of operands")
        sign = -1 if match[1] == "-" else 1
        found.append(Term(match[3] or match[4], sign, int(match[2] or 0)))
        position = match.end()
    return tuple(found)


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no comparison of two operands by ==, != or <")
    return Condition(*match.groups())


def _access(text: str) -> MemoryAccess:
    match = _ACCESS.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no access: write `read 128 xmem[offset + base]`")
    return MemoryAccess(match[1], int(match[2]), match[3], terms(match[4]))


def _window(text: str) -> Window:
    match = _WINDOW.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no window: write `128 r_cyclic[offset]`")
    return Window(int(match[1]), match[2], match[3], match[4] is not None)
