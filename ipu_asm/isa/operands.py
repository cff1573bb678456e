"""Operand types. Each implements parse, encode, decode, format, describe and complete.

A new type is a subclass of `OperandType` in the package of the instruction set that needs it; the
shared code only calls these methods.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import (
    BRANCH_OUT_OF_RANGE,
    IMMEDIATE_OUT_OF_RANGE,
    UNDEFINED_LABEL,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
    UnplacedFinding,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple

NUMBER = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
    r"|0(?:_?0)*|[1-9](?:_?[0-9])*)"
)

# No field holds a longer number; converting one would only cost time.
_MAX_NUMBER_LENGTH = 100
_MAX_SHOWN = 40

# Words with `up`, such as `upper`, begin with a vowel sound; others with `u`, as `unit`, do not.
_VOWELS = ("a", "e", "i", "o", "up")


def number_value(text: str) -> int | None:
    """Return the value of a number literal, None for any other text."""
    if not NUMBER.fullmatch(text):
        return None
    if len(text) > _MAX_NUMBER_LENGTH:
        sign = "-" if text[0] == "-" else ""
        digits = text.lstrip("+-").replace("_", "")
        base = digits[:2] if digits[1].isalpha() else ""
        digits = digits[len(base) :].lstrip("0") or "0"
        text = sign + base + digits[:_MAX_NUMBER_LENGTH]
    return int(text, 0)


def quoted(text: str) -> str:
    """Return a piece of source for messages: in backticks, truncated to 40 characters."""
    return f"`{text}`" if len(text) <= _MAX_SHOWN else f"`{text[:_MAX_SHOWN]}...`"


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
        """Return the register of a value, None for any other value."""
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
        # The name of a register with a blank in it, as older sources have.
        whole = "".join(text.lower().split())
        meant = whole if whole in self._values else self._vocabulary.intended_register(text)
        return self._wrong(quoted(text), meant)

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


_MAX_NAME_LENGTH = 24
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
    name = text if text.isidentifier() and len(text) <= _MAX_NAME_LENGTH else "N"
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


def undefined_local_label(text: str) -> UnplacedFinding:
    """Return the finding for ``1b`` or ``1f`` without such a numeric label, void for a macro."""
    message = f"no label `{text[:-1]}:` {'before' if text[-1] == 'b' else 'after'} this"
    return UnplacedFinding(UNDEFINED_LABEL, message, dropped_if_defined=(text,))


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
