"""Operand types. Each owns its six verbs: parse, encode, decode, format, describe, complete.

A type that no instruction set here needs yet is a subclass of `OperandType` in the package of the
set that does; the shared code knows the verbs only.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import (
    BRANCH_OUT_OF_RANGE,
    IMMEDIATE_OUT_OF_RANGE,
    UNDEFINED_LABEL,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import RegisterFile

NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
    r"|0(?:_?0)*|[1-9](?:_?[0-9])*)"
)
_LOOKS_NUMERIC = re.compile(r"[+-]?[0-9]")
_EXPRESSION = re.compile(r"\w[+-]\w")
# A number longer than this fits no field; reading it would only cost time.
_LONGEST_NUMBER = 100
_MOST_SHOWN = 40
# Of the words that begin with `u` some are spoken so, as `upper`, and some are not, as `unit`.
_VOWELS = ("a", "e", "i", "o", "up")


def number_value(text: str) -> int | None:
    """The value of a number as assembly writes it, None for anything else."""
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
    """A piece of source as messages show it: in backticks, and never endless."""
    return f"`{text}`" if len(text) <= _MOST_SHOWN else f"`{text[:_MOST_SHOWN]}...`"


class Choice(NamedTuple):
    """One thing that can be written for an operand, and what it is."""

    text: str
    detail: str


class Named(NamedTuple):
    """A register in the text of an operand, from `start` to `end`.

    `access` is that of the register where it is not the operand's: "r", "w", "rw", or empty.
    """

    register: str
    start: int
    end: int
    access: str = ""


class OperandType:
    """What may be written for an operand and the bits that stand for it.

    Values are ints, but for labels, whose value before the program is placed is their text.
    `prefix` is a mark before the value that does not belong to it, as in ``#32`` and ``#label``.
    """

    prefix = ""

    def __init__(self, name: str, width: int) -> None:
        self.name = name
        self.width = width

    @property
    def label(self) -> str:
        """What syntax lines and tables call it."""
        return self.name

    @property
    def bounds(self) -> str:
        """Between what its number is; empty where it has none, or where syntax lines tell."""
        return ""

    def parse(self, text: str) -> int | str | UnplacedFinding | None:
        """The value of a written operand, or what is wrong with it.

        None for a text that may be right and whose value cannot be told, as in the body of a macro.
        """
        raise NotImplementedError

    def names(self, text: str) -> Sequence[Named]:
        """The registers that a written operand names, with their places in its text."""
        return ()

    def mode(self, text: str) -> str:
        """The only execution mode that knows what is written; empty if all do."""
        return ""

    def encode(self, value: int) -> int:
        """The field's bits for a value: two's complement unless a type says otherwise."""
        return value & ((1 << self.width) - 1)

    def decode(self, bits: int) -> int | None:
        """The value that a field's bits stand for; None where they stand for none."""
        return bits

    def format(self, value: int) -> str:
        """The value as assembly writes it: `parse` gives it back."""
        return str(value)

    def describe(self) -> str:
        """What may be written, in a few words that fit after "expects"."""
        raise NotImplementedError

    def complete(self) -> Sequence[Choice]:
        """All that can be written, where that is a list."""
        return ()

    def complete_behind(self, begun: str) -> Sequence[Choice]:
        """What can follow the first part of an operand, where it is written in parts."""
        return () if begun else self.complete()

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding | None:
        """The address that a written label stands for in an instruction at `address`.

        Asked only of types that parse to a text; None for what other files may define. `nearest`
        finds the label that an undefined one may have been meant to be.
        """
        raise NotImplementedError


class RegisterType(OperandType):
    """A register of one of some files; its value is its number among all of them together."""

    def __init__(
        self,
        name: str,
        width: int,
        files: Sequence[RegisterFile],
        every_file: Sequence[RegisterFile],
    ) -> None:
        super().__init__(name, width)
        self.files = tuple(files)
        self.registers = tuple(register for file in files for register in file.registers)
        self._values = {name.lower(): number for number, name in enumerate(self.registers)}
        self._others = {
            register.lower(): file.title for file in every_file for register in file.registers
        }
        self._vocabulary = Vocabulary(self.registers)

    def parse(self, text: str) -> int | UnplacedFinding:
        value = self._values.get(text)
        if value is None:
            value = self._values.get(text.lower())
        return self._problem(text) if value is None else value

    def names(self, text: str) -> Sequence[Named]:
        value = self.parse(text)
        return [Named(self.registers[value], 0, len(text))] if isinstance(value, int) else ()

    def _problem(self, text: str) -> UnplacedFinding:
        """Points at a near name only for what is no register of another sort by intention."""
        other = self._others.get(text.lower())
        if other:
            return self._wrong(f"{quoted(text)}, {with_article(other)}")
        if _EXPRESSION.search(text):
            return self._wrong(f"{quoted(text)}, an expression")
        if _LOOKS_NUMERIC.match(text):
            return self._wrong(f"the number {quoted(text)}")
        return self._wrong(quoted(text), self._vocabulary.intended_register(text))

    def _wrong(self, found: str, replacement: str | None = None) -> UnplacedFinding:
        return UnplacedFinding(
            WRONG_OPERAND_TYPE, f"expected {self.describe()}, found {found}", replacement
        )

    def decode(self, bits: int) -> int | None:
        return bits if bits < len(self.registers) else None

    def format(self, value: int) -> str:
        return self.registers[value]

    def describe(self) -> str:
        return " or ".join(f"{with_article(file.title)} ({file.spoken()})" for file in self.files)

    def complete(self) -> Sequence[Choice]:
        return [Choice(reg, file.title) for file in self.files for reg in file.registers]


def with_article(title: str) -> str:
    """A title with "a" or "an" before it."""
    return f"an {title}" if title.lower().startswith(_VOWELS) else f"a {title}"


class KeywordType(OperandType):
    """One word of a list; its code is its place in the list."""

    def __init__(
        self, name: str, width: int, title: str, words: Mapping[str, str], reserved: str = ""
    ) -> None:
        """`words` gives each word's meaning. Codes past the list are written `reserved` + code."""
        super().__init__(name, width)
        self.title = title
        self.meanings = dict(words)
        self._reserved = reserved
        spellings = list(words)
        if reserved:
            spellings += (f"{reserved}{code}" for code in range(len(words), 1 << width))
        self.spellings = tuple(spellings)
        self._values = {word.lower(): code for code, word in enumerate(spellings)}
        self._vocabulary = Vocabulary(tuple(words))

    def parse(self, text: str) -> int | UnplacedFinding:
        value = self._values.get(text.lower())
        if value is not None:
            return value
        message = f"expected {self.describe()}, found {quoted(text)}"
        return UnplacedFinding(UNKNOWN_KEYWORD, message, self._vocabulary.intended(text))

    def decode(self, bits: int) -> int | None:
        return bits if bits < len(self.spellings) else None

    def format(self, value: int) -> str:
        return self.spellings[value]

    def describe(self) -> str:
        words = [f"`{word}`" for word in self.meanings]
        listed = ", ".join(words[:-1])
        return f"{with_article(self.title)}, {listed} or {words[-1]}"

    def complete(self) -> Sequence[Choice]:
        return [Choice(word, meaning) for word, meaning in self.meanings.items()]


class IntegerType(OperandType):
    """A number between two bounds, both included.

    `signed` tells whether the machine reads the field as two's complement. The bounds may allow
    more than the field holds in that reading: `stored` is then another number than the written one.
    """

    def __init__(
        self,
        name: str,
        width: int,
        minimum: int,
        maximum: int,
        signed: bool | None = None,
        every_file: Sequence[RegisterFile] = (),
    ) -> None:
        """`every_file` has the registers of a set in which no other name stands for a number."""
        super().__init__(name, width)
        self._titles = {reg.lower(): file.title for file in every_file for reg in file.registers}
        self.minimum = minimum
        self.maximum = maximum
        self.signed = minimum < 0 if signed is None else signed

    @property
    def may_wrap(self) -> bool:
        """Whether some numbers that may be written are stored as others."""
        return any(self.stored(bound) != bound for bound in (self.minimum, self.maximum))

    def stored(self, value: int) -> int:
        """The number that the machine reads where `value` was written."""
        bits = self.encode(value)
        return bits - (1 << self.width) if self.signed and bits >> (self.width - 1) else bits

    def parse(self, text: str) -> int | UnplacedFinding:
        value = number_value(text)
        if value is None:
            kind, found = WRONG_OPERAND_TYPE, quoted(text)
            if _LOOKS_NUMERIC.match(text) or _EXPRESSION.search(text):
                found += _why_no_number(text)
            elif text.lower() in self._titles:
                found += f", {with_article(self._titles[text.lower()])}"
            elif self._titles:
                found += "; there are no named constants, write the number itself"
        elif self.minimum <= value <= self.maximum:
            return value
        else:
            kind, found = IMMEDIATE_OUT_OF_RANGE, quoted(text)
        return UnplacedFinding(kind, f"expected {self.describe()}, found {found}")

    def decode(self, bits: int) -> int | None:
        return self.stored(bits)

    def describe(self) -> str:
        return f"a number from {self.minimum} to {self.maximum}"


def _why_no_number(text: str) -> str:
    if _EXPRESSION.search(text):
        return ", which is an expression"
    digits = text.lstrip("+-")
    if re.fullmatch(r"0[0-9_]+", digits):
        return ", which begins with a zero (octal numbers are written `0o...`)"
    if digits.endswith("_") or "__" in digits:
        return ", where an underscore does not stand between two digits"
    return ", which is no number in any base"


def undefined_label(
    text: str, nearest: Callable[[str], str | None], unless: tuple[str, ...] = ()
) -> UnplacedFinding:
    """The finding about a label that the file does not define, unless a macro makes `unless`."""
    message = f"no label {quoted(text)} in this file"
    return UnplacedFinding(UNDEFINED_LABEL, message, nearest(text), unless=unless)


class LabelType(OperandType):
    """A label, or a distance ``+N``/``-N`` in bundles from the instruction's own address."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__(name, width)
        self.limit = 1 << width

    def parse(self, text: str) -> str:
        return text

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding:
        relative = text[0] in "+-" and number_value(text) is not None
        if relative and (text[0] == "+" or text not in labels):
            target = address + (number_value(text) or 0)
            meant = f"{quoted(text)} from bundle {address} is "
        elif text in labels:
            target = labels[text]
            meant = f"{quoted(text)} is at "
        else:
            return self._undefined(text, nearest)
        if 0 <= target < self.limit:
            return target
        where = f"bundle {target}" if abs(target) < 1 << 64 else "far outside"
        message = f"a target must lie in bundles 0 to {self.limit - 1}, {meant}{where}"
        return UnplacedFinding(BRANCH_OUT_OF_RANGE, message)

    @staticmethod
    def _undefined(text: str, nearest: Callable[[str], str | None]) -> UnplacedFinding:
        value = number_value(text)
        if value is not None and text[0] not in "+-":
            hint = f"; addresses are no labels: write `+{text}` for {text} bundles further on"
            return UnplacedFinding(UNDEFINED_LABEL, f"no label {quoted(text)} in this file{hint}")
        problem = undefined_label(text, nearest)
        if _EXPRESSION.search(text) and problem.replacement is None:
            hint = "; there are no expressions, and no `-` or `+` in a name"
            return problem._replace(message=problem.message + hint)
        return problem

    def format(self, value: int) -> str:
        return str(value)

    def describe(self) -> str:
        return "a label or a distance in bundles such as `+1`"
