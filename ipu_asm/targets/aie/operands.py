"""Operand types of the AI Engines: registers, immediates, labels and fixed words.

A type caches parse results: programs consist of the same few hundred operands.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import IMMEDIATE_OUT_OF_RANGE, WRONG_OPERAND_TYPE, UnplacedFinding
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.gnu_expressions import is_local_label
from ipu_asm.isa.operands import (
    Choice,
    NamedRegister,
    OperandType,
    quoted,
    undefined_label_finding,
    undefined_local_label,
    with_article,
)
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.expressions import InvalidExpressionError, has_names, value_of

MARK = "#"
LOCAL_PREFIX = ".L"
_MACRO_ARGUMENT = "\\"
_SYMBOL = re.compile(r"[A-Za-z_.$@][A-Za-z0-9_.$@]*|\"[^\"]*\"")

# The documents do not name all control and status registers.
SETTINGS = "control"
_SETTING = re.compile(r"[cs]r[a-z]\w*")
_MAX_REMEMBERED = 5_000
_MAX_FILES_TOLD = 3
_MAX_FILES_NAMED = 4
_FIRST_FILES = 2
_MAX_OFFERED = 128
Parsed = int | str | UnplacedFinding | None


class AieType(OperandType):
    """Base class: operands without encoded bits, and a cache. `_read` implements `parse`."""

    def __init__(self, name: str) -> None:
        super().__init__(name, 0)
        self._seen: dict[str, Parsed] = {}

    def parse(self, text: str) -> Parsed:
        if text in self._seen:
            return self._seen[text]
        found = None if _MACRO_ARGUMENT in text else self._read(text)
        if len(self._seen) >= _MAX_REMEMBERED:
            self._seen.clear()
        self._seen[text] = found
        return found

    def _read(self, text: str) -> Parsed:
        raise NotImplementedError

    @property
    def parts(self) -> Sequence[AieType]:
        """The types of its registers and numbers, without fixed words: one for each field."""
        return (self,)

    def split(self, text: str) -> Sequence[str]:
        """Return the text of each part of a written operand, which must be valid."""
        return (text,)

    def join(self, texts: Sequence[str]) -> str:
        """Return the operand whose parts have these texts: the inverse of `split`."""
        return texts[0]

    def _mismatch(
        self, text: str, sort: str = "", replacement: str | None = None
    ) -> UnplacedFinding:
        found = f"{quoted(text)}, {with_article(sort)}" if sort else quoted(text)
        message = f"expected {self.describe()}, found {found}"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message, replacement)


class RegisterClass(AieType):
    """A register of some files or of parts of files, case-insensitive."""

    def __init__(
        self,
        name: str,
        nouns: Sequence[str],
        files: Sequence[RegisterFile],
        sorts: Mapping[str, str],
    ) -> None:
        """`nouns` describe a class of many files, e.g. a "scalar or pointer register".

        `sorts` maps the lower-case name of every register of the set to the title of its file.
        """
        super().__init__(name)
        self.nouns = tuple(nouns)
        self.files = tuple(files)
        self._sorts = sorts
        self.registers = tuple(register for file in files for register in file.registers)
        self._numbers = {register.lower(): n for n, register in enumerate(self.registers)}
        self._has_undocumented = any(file.name == SETTINGS for file in files)

    def _read(self, text: str) -> Parsed:
        folded = text.lower()
        if folded in self._numbers:
            return self._numbers[folded]
        sort = self._sorts.get(folded, "")
        if not sort and self._has_undocumented and _SETTING.fullmatch(folded):
            return None
        return self._mismatch(text, sort, None if sort else self._vocabulary.intended(text))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.registers)

    def names(self, text: str) -> Sequence[NamedRegister]:
        number = self.parse(text)
        return (
            (NamedRegister(self.registers[number], 0, len(text)),)
            if isinstance(number, int)
            else ()
        )

    def format(self, value: int) -> str:
        return self.registers[value]

    @property
    def label(self) -> str:
        """The names of the files, abbreviated if there are many: `bm|x`, `r|p|...`."""
        names = [file.name for file in self.files]
        if len(names) > _MAX_FILES_NAMED:
            names[_FIRST_FILES:] = ["..."]
        return "|".join(names)

    def describe(self) -> str:
        if self.nouns and len(self.files) > _MAX_FILES_TOLD:
            *first, last = self.nouns
            title = with_article(f"{', '.join(first)} or {last} register")
            return f"{title} ({', '.join(file.as_ranges() for file in self.files)})"
        return " or ".join(
            f"{with_article(file.title)} ({file.as_phrase()})" for file in self.files
        )

    def complete(self) -> Sequence[Choice]:
        offered = [Choice(reg, file.title) for file in self.files for reg in file.registers]
        return offered[:_MAX_OFFERED]


class DimensionClass(RegisterClass):
    """Operand type of the register that steps a pointer in two or three dimensions.

    The access also writes the loop counters of the register. In three dimensions an operand names a
    pair of registers: `d0` is `d0` and `d4`, up to `d3` with `d7`.
    """

    def __init__(
        self,
        name: str,
        nouns: Sequence[str],
        files: Sequence[RegisterFile],
        sorts: Mapping[str, str],
        is_deep: bool,
    ) -> None:
        super().__init__(name, nouns, files, sorts)
        self._steps = (0, 4) if is_deep else (0,)

    def names(self, text: str) -> Sequence[NamedRegister]:
        number = self.parse(text)
        if not isinstance(number, int):
            return ()
        numbers = [number + step for step in self._steps]
        return [NamedRegister(f"d{n}", 0, len(text), "r") for n in numbers] + [
            NamedRegister(f"dc{n}", 0, len(text), "w") for n in numbers
        ]


class PairClass(RegisterClass):
    """A pair of scalar registers as one 64-bit operand: `r17:r16`, or its second name, `l0`."""

    def __init__(
        self,
        name: str,
        nouns: Sequence[str],
        files: Sequence[RegisterFile],
        sorts: Mapping[str, str],
        other_names: Mapping[str, str],
    ) -> None:
        super().__init__(name, nouns, files, sorts)
        numbers = self._numbers
        self._other_names = {other: pair for other, pair in other_names.items() if pair in numbers}
        self._numbers = numbers | {
            other: numbers[pair] for other, pair in self._other_names.items()
        }

    def complete(self) -> Sequence[Choice]:
        others = (Choice(other, f"`{pair}`") for other, pair in self._other_names.items())
        return [*super().complete(), *others]


class SuffixedClass(AieType):
    """A register with a suffix, such as `r0.flt2fx` or `bmll0[1]`."""

    def __init__(self, inner: RegisterClass, suffixes: Sequence[str], shown: str) -> None:
        super().__init__(inner.name + shown)
        self.inner = inner
        self.suffixes = tuple(suffixes)
        self._shown = shown

    def _cut(self, text: str) -> str | None:
        found = (suffix for suffix in self.suffixes if text.lower().endswith(suffix))
        suffix = next(found, None)
        return None if suffix is None else text[: -len(suffix)]

    @property
    def parts(self) -> Sequence[AieType]:
        return (self.inner, HALF) if len(self.suffixes) > 1 else (self.inner,)

    def split(self, text: str) -> Sequence[str]:
        register = self._cut(text) or text
        return (register, text[len(register) :].strip("[#]"))

    def join(self, texts: Sequence[str]) -> str:
        return texts[0] + (f"[{texts[1]}]" if len(self.suffixes) > 1 else self.suffixes[0])

    @property
    def label(self) -> str:
        """The register's label with the suffix."""
        return self.inner.label + self._shown

    def _read(self, text: str) -> Parsed:
        register = self._cut(text)
        return self._mismatch(text) if register is None else self.inner.parse(register)

    def names(self, text: str) -> Sequence[NamedRegister]:
        register = self._cut(text)
        return self.inner.names(register) if register is not None else ()

    def complete(self) -> Sequence[Choice]:
        return [
            Choice(choice.text + self.suffixes[0], choice.detail)
            for choice in self.inner.complete()
        ]

    def describe(self) -> str:
        return f"{self.inner.describe()} followed by `{self._shown}`"


class FixedType(AieType):
    """A fixed word, with the registers that it accesses, if any."""

    def __init__(self, word: str, registers: Sequence[NamedRegister] = ()) -> None:
        super().__init__(word)
        self.word = word
        self._registers = tuple(registers)

    def _read(self, text: str) -> int | UnplacedFinding:
        return 0 if text.lower() == self.word else self._mismatch(text)

    @property
    def parts(self) -> Sequence[AieType]:
        return ()

    def split(self, text: str) -> Sequence[str]:
        return ()

    def join(self, texts: Sequence[str]) -> str:
        return self.word

    def names(self, text: str) -> Sequence[NamedRegister]:
        return self._registers if text.lower() == self.word else ()

    def format(self, value: int) -> str:
        return self.word

    def describe(self) -> str:
        return f"`{self.word}`"

    def complete(self) -> Sequence[Choice]:
        return (Choice(self.word, "always this"),)


class ImmediateType(AieType):
    """`#` and an integer expression, with optional bounds and step.

    An expression with a symbol has no value here: only the linker knows it.
    """

    prefix = MARK

    def __init__(
        self, name: str, minimum: int | None = None, maximum: int | None = None, step: int = 1
    ) -> None:
        super().__init__(name)
        self.minimum = minimum
        self.maximum = maximum
        self.step = step

    def _read(self, text: str) -> Parsed:
        if not text.startswith(MARK):
            number = text.removeprefix("$")
            fits = number[:1].isdigit() and not isinstance(
                self._read(MARK + number), UnplacedFinding
            )
            return self._mismatch(text, replacement=MARK + number if fits else None)
        if has_names(text[1:]):
            return None
        try:
            value = value_of(text[1:])
        except InvalidExpressionError as error:
            message = f"expected {self.describe()}, found {quoted(text)}, which {error}"
            return UnplacedFinding(WRONG_OPERAND_TYPE, message)
        return self.checked(text, value)

    def checked(self, text: str, value: int) -> int | UnplacedFinding:
        """Return the value of a written operand, or the finding that it is out of range."""
        if self.minimum is None or self.maximum is None:
            return value
        if self.minimum <= value <= self.maximum and value % self.step == 0:
            return value
        shown = quoted(text) if text[1:].lstrip("-").isdigit() else f"{quoted(text)}, {value}"
        message = f"expected {self.describe()}, found {shown}"
        return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)

    def format(self, value: int) -> str:
        return f"{MARK}{value}"

    @property
    def bounds(self) -> str:
        """The bounds and the step, as text; empty if unbounded."""
        steps = f" in steps of {self.step}" if self.step > 1 else ""
        return f"`#{self.minimum}` to `#{self.maximum}`{steps}" if self.minimum is not None else ""

    def describe(self) -> str:
        return f"an immediate from {self.bounds}" if self.bounds else "an immediate such as `#4`"


class SymbolType(ImmediateType):
    """An immediate or a symbol; a symbol may be external unless it is a local label."""

    def _read(self, text: str) -> Parsed:
        if text.startswith(MARK) and (_SYMBOL.fullmatch(text, 1) or is_local_label(text[1:])):
            return text[1:]
        return super()._read(text)

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding | None:
        if is_local_label(text):
            return undefined_local_label(text)
        if text in labels or not text.startswith(LOCAL_PREFIX):
            return labels.get(text)
        return undefined_label_finding(text, nearest, dropped_if_defined=(text,))

    def describe(self) -> str:
        return f"a symbol such as `#name`, or {super().describe()}"


class TargetType(SymbolType):
    """The target of a branch: `#` and a label, or an address."""

    def describe(self) -> str:
        return "a label such as `#.LBB0_1`"


HALF = ImmediateType("half", 0, 1)
"""The number in the suffix of a register of which an operand takes one half."""


class Element(NamedTuple):
    """An element of a bracketed operand: displayed name, type, and access (`r`, `w`, `rw`)."""

    name: str
    type: AieType
    access: str


class BracketType(AieType):
    """An address in brackets: a pointer, and optionally an offset or the registers of a queue."""

    def __init__(self, shown: str, elements: Sequence[Element]) -> None:
        """`shown` is the operand's form in syntax lines."""
        super().__init__(f"[{', '.join(element.type.name for element in elements)}]")
        self.shown = shown
        self.elements = tuple(elements)

    @property
    def parts(self) -> Sequence[AieType]:
        return [part for element in self.elements for part in element.type.parts]

    def split(self, text: str) -> Sequence[str]:
        written = zip(text[1:-1].split(","), self.elements)
        return [part for each, element in written for part in element.type.split(each)]

    def join(self, texts: Sequence[str]) -> str:
        rest = iter(texts)
        written = (
            element.type.join([next(rest) for _ in element.type.parts]) for element in self.elements
        )
        return f"[{', '.join(written)}]"

    @property
    def label(self) -> str:
        """The labels of the elements, in brackets."""
        return f"[{', '.join(element.type.label for element in self.elements)}]"

    @property
    def bounds(self) -> str:
        return "".join(element.type.bounds for element in self.elements)

    def _read(self, text: str) -> Parsed:
        if len(text) < 2 or text[0] != "[" or text[-1] != "]":
            return self._mismatch(text)
        parts = text[1:-1].split(",")
        if len(parts) != len(self.elements):
            return self._mismatch(text)
        start, value = 1, 0
        for part, element in zip(parts, self.elements):
            parsed = element.type.parse(part)
            if isinstance(parsed, UnplacedFinding):
                return parsed._replace(part=(start, start + len(part)))
            start += len(part) + 1
        return value

    def names(self, text: str) -> Sequence[NamedRegister]:
        found: list[NamedRegister] = []
        start = 1
        for part, element in zip(text[1:-1].split(","), self.elements):
            found += (
                NamedRegister(
                    name.register,
                    name.start + start,
                    name.end + start,
                    name.access or element.access,
                )
                for name in element.type.names(part)
            )
            start += len(part) + 1
        return found

    @property
    def pieces(self) -> Sequence[str | OperandType]:
        first, *others = (element.type for element in self.elements)
        return ("[", first, *(piece for each in others for piece in (", ", each)), "]")

    def complete_part(self, begun: str) -> Sequence[Choice]:
        if not begun.startswith("["):
            return ()
        *before, rest = begun[1:].split(",")
        if len(before) >= len(self.elements):
            return ()
        parts = list(zip(before, self.elements))
        if any(isinstance(element.type.parse(part), UnplacedFinding) for part, element in parts):
            return ()
        return self.elements[len(before)].type.complete_part(rest)

    def format(self, value: int) -> str:
        return self.shown

    def describe(self) -> str:
        parts = [element.type.describe() for element in self.elements]
        return f"an address `{self.shown}` with {' and '.join(parts)}"


def aie_type(operand_type: OperandType) -> AieType:
    assert isinstance(operand_type, AieType)
    return operand_type
