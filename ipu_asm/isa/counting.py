"""How instructions count and branch, for sets whose registers may also hold data.

There control follows from a program alone only where its counters are constants. An entry states
the instructions that constants come from and that loops consist of, in the notation of terms of
`isa/scalar.py`; a term may also be a number:

- ``"computes": {"dst": "src + sext16(imm)"}``: the new value of a register operand; a number that
  is written outside of its signed 16 bits has no known value
- ``"branch": "cond != 0"``: when a branch is taken, by the value of a register operand before it;
  `==` or `!=`
- ``"pointer": "target"``: the register operand that holds the address where control continues
- ``"repeat": ("count", "length")``: the bundles behind it are executed as often as the first
  operand says; the second one is their number minus one
"""

from __future__ import annotations

import re
from typing import Any, Iterator, Mapping

from ipu_asm.isa.scalar import Term, terms
from ipu_asm.named_tuple import NamedTuple

_BRANCH = re.compile(r"(\w+) (==|!=) 0")


class Test(NamedTuple):
    """A branch is taken if a register operand is zero, or if it is not."""

    operand: str
    is_zero: bool


class Repeat(NamedTuple):
    """The operands with the number of iterations, and with that of repeated bundles minus one."""

    iterations: str
    length: str


class CountingFacts(NamedTuple):
    """What one instruction computes, tests and repeats; see the module."""

    computes: Mapping[str, tuple[Term, ...]] = {}
    test: Test | None = None
    pointer: str = ""
    repeat: Repeat | None = None


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
    unknown address in a register of `links` returns to the caller.
    """

    registers: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    repeats: RepeatLimits | None = None
    hardware_loop: LoopCounter | None = None


def counting_facts(entry: Mapping[str, Any]) -> CountingFacts:
    """Return the facts of an entry. Raises `ValueError` for a wrong notation."""
    computes = {name: terms(text) for name, text in entry.get("computes", {}).items()}
    test = _test(entry["branch"]) if "branch" in entry else None
    repeat = Repeat(*entry["repeat"]) if "repeat" in entry else None
    return CountingFacts(computes, test, entry.get("pointer", ""), repeat)


def operands_named(facts: CountingFacts) -> Iterator[str]:
    """Yield the names of all operands that facts refer to."""
    for name, sum_ in facts.computes.items():
        yield name
        yield from (term.operand for term in sum_ if not term.operand.isdigit())
    if facts.test is not None:
        yield facts.test.operand
    if facts.pointer:
        yield facts.pointer
    yield from facts.repeat or ()


def _test(text: str) -> Test:
    match = _BRANCH.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is no comparison of an operand with 0 by == or !=")
    return Test(match[1], match[2] == "==")
