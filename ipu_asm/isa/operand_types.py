"""The operand types that instruction sets share: registers, keywords, integers and labels."""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import (
    BRANCH_OUT_OF_RANGE,
    IMMEDIATE_OUT_OF_RANGE,
    UNDEFINED_LABEL,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.operands import (
    Choice,
    NamedRegister,
    OperandType,
    number_value,
    quoted,
    with_article,
)
from ipu_asm.isa.storage import RegisterFile

_LOOKS_NUMERIC = re.compile(r"[+-]?[0-9]")
_EXPRESSION = re.compile(r"\w[+-]\w")


class RegisterType(OperandType):
    """A register of some files; its value is its index in the concatenation of the files."""

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

    def names(self, text: str) -> Sequence[NamedRegister]:
        value = self.parse(text)
        return (
            [NamedRegister(self.registers[value], 0, len(text))] if isinstance(value, int) else ()
        )

    def _problem(self, text: str) -> UnplacedFinding:
        """Suggest a similar register, unless the text is clearly another kind of operand."""
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

    def register_of(self, value: int) -> str | None:
        return self.registers[value]

    def format(self, value: int) -> str:
        return self.registers[value]

    def describe(self) -> str:
        return " or ".join(
            f"{with_article(file.title)} ({file.as_phrase()})" for file in self.files
        )

    def complete(self) -> Sequence[Choice]:
        return [Choice(reg, file.title) for file in self.files for reg in file.registers]


class KeywordType(OperandType):
    """A keyword of a list; its code is its index in the list."""

    def __init__(
        self, name: str, width: int, title: str, words: Mapping[str, str], reserved: str = ""
    ) -> None:
        """`words` maps keywords to meanings. Further codes are written `reserved` + code."""
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


_LONGEST_NAME = 24
"""A longer one is not repeated in a message."""


class IntegerType(OperandType):
    """A number between two bounds, both included.

    `signed`: the machine reads the field as two's complement. The bounds may exceed the range of
    that reading: `stored` then differs from the number that is written.
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
        """`every_file` lists all registers, in sets where only a template can name a number."""
        super().__init__(name, width)
        self._titles = {reg.lower(): file.title for file in every_file for reg in file.registers}
        self.minimum = minimum
        self.maximum = maximum
        self.signed = minimum < 0 if signed is None else signed

    @property
    def may_wrap(self) -> bool:
        """Whether some valid numbers are stored as different ones."""
        return any(self.stored(bound) != bound for bound in (self.minimum, self.maximum))

    def stored(self, value: int) -> int:
        """Return the number that the machine reads for a written one."""
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
                found += _how_to_name(text)
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


def _how_to_name(text: str) -> str:
    """Return what to write for a name in place of a number: templates are the way to name one."""
    name = text if text.isidentifier() and len(text) <= _LONGEST_NAME else "N"
    return (
        "; there are no named constants: write the number itself, or name it in a template, with "
        f"`{{% set {name} = 128 %}}` at the top and `{{{{ {name} }}}}` here"
    )


def undefined_label_finding(
    text: str, nearest: Callable[[str], str | None], dropped_if_defined: tuple[str, ...] = ()
) -> UnplacedFinding:
    """Return the finding for a label that the file does not define, void if a macro does."""
    message = f"no label {quoted(text)} in this file"
    return UnplacedFinding(
        UNDEFINED_LABEL, message, nearest(text), dropped_if_defined=dropped_if_defined
    )


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
        problem = undefined_label_finding(text, nearest)
        if _EXPRESSION.search(text) and problem.replacement is None:
            hint = "; there are no expressions, and no `-` or `+` in a name"
            return problem._replace(message=problem.message + hint)
        return problem

    def format(self, value: int) -> str:
        return str(value)

    def describe(self) -> str:
        return "a label or a distance in bundles such as `+1`"
