"""Operand types. Each implements parse, encode, decode, format, describe and complete.

A new type is a subclass of `OperandType` in the package of the instruction set that needs it; the
shared code only calls these methods.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.named_tuple import NamedTuple

NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
    r"|0(?:_?0)*|[1-9](?:_?[0-9])*)"
)
# No field holds a longer number; converting one would only cost time.
_LONGEST_NUMBER = 100
_MOST_SHOWN = 40
# Words with `up`, such as `upper`, begin with a vowel sound; others with `u`, as `unit`, do not.
_VOWELS = ("a", "e", "i", "o", "up")


def number_value(text: str) -> int | None:
    """Return the value of a number literal, None for any other text."""
    if not NUMBER.fullmatch(text):
        return None
    if len(text) > _LONGEST_NUMBER:
        sign = "-" if text[0] == "-" else ""
        digits = text.lstrip("+-").replace("_", "")
        base = digits[:2] if digits[1].isalpha() else ""
        digits = digits[len(base) :].lstrip("0") or "0"
        text = sign + base + digits[:_LONGEST_NUMBER]
    return int(text, 0)


def quoted(text: str) -> str:
    """Return a piece of source for messages: in backticks, truncated to 40 characters."""
    return f"`{text}`" if len(text) <= _MOST_SHOWN else f"`{text[:_MOST_SHOWN]}...`"


def with_article(title: str) -> str:
    """Return a title with "a" or "an" before it."""
    return f"an {title}" if title.lower().startswith(_VOWELS) else f"a {title}"


class Choice(NamedTuple):
    """A completion for an operand: its text, and a short explanation."""

    text: str
    detail: str


class NamedRegister(NamedTuple):
    """A register in the text of an operand, from offset `start` to `end`.

    `access` ("r", "w", "rw") overrides that of the operand; empty if it does not.
    """

    register: str
    start: int
    end: int
    access: str = ""


class OperandType:
    """The syntax of an operand and its encoding.

    Values are ints, except for labels, whose value is their text until addresses are assigned.
    `prefix` is a mark before the value that is not part of it, as in ``#32`` and ``#label``. A type
    that `is_elastic` has no width of its own: its range is what the field offers that it shares
    with other types.
    """

    prefix = ""
    is_elastic = False

    def __init__(self, name: str, width: int) -> None:
        self.name = name
        self.width = width

    @property
    def label(self) -> str:
        """The type's name in syntax lines and tables."""
        return self.name

    @property
    def bounds(self) -> str:
        """The range of a number, as text; empty without one, or if syntax lines show it."""
        return ""

    def parse(self, text: str) -> int | str | UnplacedFinding | None:
        """Return the value of a written operand, or a finding about it.

        None for a text that may be valid but has no known value, as in the body of a macro.
        """
        raise NotImplementedError

    def names(self, text: str) -> Sequence[NamedRegister]:
        """Return the registers that a written operand names, with their offsets in its text."""
        return ()

    def mode(self, text: str) -> str:
        """Return the only execution mode in which the operand is valid; empty if all are."""
        return ""

    def register_of(self, value: int) -> str | None:
        """Return the register that a value stands for, None for any other value."""
        return None

    def fitted(self, width: int) -> OperandType:
        """Return the type for a field of that width: another one if its range fills its field."""
        return self

    def encode(self, value: int) -> int:
        """Return the field's bits for a value: two's complement unless a subclass overrides it."""
        return value & ((1 << self.width) - 1)

    def decode(self, bits: int) -> int | None:
        """Return the value for a field's bits, None if the bits are invalid."""
        return bits

    def format(self, value: int) -> str:
        """Return a value in assembly syntax: the inverse of `parse`."""
        return str(value)

    def describe(self) -> str:
        """Describe the valid operands in a phrase that fits after "expected"."""
        raise NotImplementedError

    def complete(self) -> Sequence[Choice]:
        """Return all valid operands, if there is a finite list."""
        return ()

    @property
    def pieces(self) -> Sequence[str | OperandType]:
        """The parts of a composite operand: types of their own, and the fixed text around them."""
        return (self,)

    def complete_part(self, begun: str) -> Sequence[Choice]:
        """Return completions for the next part of an operand that starts with `begun`."""
        return () if begun else self.complete()

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding | None:
        """Return the address of a label for an instruction at `address`, or a finding.

        Only called for types whose `parse` returns text. None for a symbol that another file may
        define. `nearest` returns a label with a similar name.
        """
        raise NotImplementedError
