"""Operand types of Colossus: registers and groups, numbers, branch targets, named constants.

Files are not preprocessed before the checks. An operand that a macro may produce has no value and
is no error; a finding's `dropped_if_defined` lists the names whose definition as macros would
resolve it.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import IMMEDIATE_OUT_OF_RANGE, WRONG_OPERAND_TYPE, UnplacedFinding
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.gnu_expressions import Expression, is_local_label, read_expression
from ipu_asm.isa.operands import (
    Choice,
    NamedRegister,
    OperandType,
    quoted,
    undefined_label_finding,
    undefined_local_label,
    with_article,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.colossus.registers import (
    ALIASES,
    CSR_MODES,
    UNITS,
    ZEROS,
    group,
    title,
)

LOCAL_PREFIX = ".L"
_MAX_PROBLEMS = 256
_SHAPE = re.compile(r"\$([\w.$]*)(?::([\w.$]+))?(\+=|\+\+|@|>>)?")
_GROUP = re.compile(r"([ma])([0-9]{1,3})")
_NAME = re.compile(r"[A-Za-z_.][\w.$]*")
LARGEST_HALF = 65504
_INFINITIES = {"infh": 0x7C00, "-infh": 0xFC00}
_HALF_BITS, _OF_CODE = 16, "of a word"
_HALVES = ("B", "BL", "BU")
# The last pair of main registers that the vendor's tools read from a word.
_LAST_MAIN_PAIR = 10

# Production code uses one for the other: the assembler seems to default to the lower half.
_ALSO_WRITTEN = {":B": ":BL", ":BL": ":B"}
_OTHER_FILE = {"m": "a", "a": "m"}
_BY_NAME = {**{name: name for name in UNITS}, **ALIASES}

_PLACES = {
    "+=": "`+=` after it (it is advanced by the stride)",
    "++": "`++` after it (it is advanced)",
    "@": "`@` after it",
    ">>": "`>>` after it (it is shifted)",
}


class RegisterOperand(OperandType):
    """A register or an aligned group of 2 or 4 registers, with the suffix that its form requires.

    A group starts at a multiple of its width. `suffix` follows the register: ``+=``, ``++``, ``@``,
    ``>>``, or ``:B``, ``:BL``, ``:BU`` for a broadcast value. With `by_number`, a register of the
    other file is accepted, too: only the number is encoded, so it means the register of that number
    in this file.
    """

    def __init__(self, file: str, width: int, suffix: str, by_number: bool = False) -> None:
        super().__init__(f"{file}{width}{suffix}", 4)
        self.file = file
        self.group_width = width
        self.suffix = suffix
        numbers = _numbers(file, width)
        self.registers = tuple(numbers)
        written = numbers | _numbers(_OTHER_FILE[file], width) if by_number else numbers
        marks = (suffix, _ALSO_WRITTEN[suffix]) if suffix in _ALSO_WRITTEN else (suffix,)
        # By written form: the number of the first register, and the length without suffix.
        self._written = {
            name + mark: (number, len(name)) for name, number in written.items() for mark in marks
        }
        self._vocabulary = Vocabulary(self.registers)
        # Names that macros give to registers are tried in each form of a mnemonic.
        self._problems: dict[str, UnplacedFinding | None] = {}

    def parse(self, text: str) -> int | UnplacedFinding | None:
        known = self._written.get(text)
        if known is not None:
            return known[0]
        if text not in self._problems:
            if len(self._problems) >= _MAX_PROBLEMS:
                self._problems.clear()
            self._problems[text] = self._problem_of(text)
        return self._problems[text]

    def names(self, text: str) -> Sequence[NamedRegister]:
        if text not in self._written:
            return ()
        number, end = self._written[text]
        return [NamedRegister(group(self.file, number, self.group_width), 0, end)]

    def _problem_of(self, text: str) -> UnplacedFinding | None:
        expression = read_expression(text)
        if expression.is_opaque:
            return None
        match = _SHAPE.fullmatch(text)
        if match is None:
            return self._no_register(text, expression)
        made: tuple[str, ...] = (match[1],) if match[1] else ()
        if match[2] and not match[2].isdigit() and match[2] not in _HALVES:
            made += (match[2],)
        base, last, mark = "$" + match[1], match[2], match[3] or ""
        made += (base,) if made else ()
        known = _GROUP.fullmatch(match[1])
        if known is None and base not in ALIASES:
            nearest = self._vocabulary.intended(base)
            replacement = nearest + text[len(base) :] if nearest else None
            message = f"no register is called {quoted(base)}; expected {self.describe()}"
            return UnplacedFinding(
                WRONG_OPERAND_TYPE, message, replacement, dropped_if_defined=made
            )
        found = self._found(base, last, mark, text)
        problem = UnplacedFinding(WRONG_OPERAND_TYPE, f"expected {self.describe()}, found {found}")
        group_made = [name for name in made[1:] if name != base]
        return problem._replace(dropped_if_defined=tuple(group_made)) if group_made else problem

    def _found(self, base: str, last: str | None, mark: str, text: str) -> str:
        """Describe the operand that was found instead."""
        meant = ALIASES.get(base, base)
        whole = meant if last is None or last in _HALVES else f"{meant}:{last}"
        if meant[1] != self.file:
            return f"{quoted(text)}, {with_article(title(meant[1], _width_of(whole)))}"
        if whole not in UNITS:
            return f"{quoted(text)}, {_why_no_group(whole)}"
        if len(UNITS[whole]) != self.group_width:
            return f"{quoted(text)}, {with_article(title(meant[1], len(UNITS[whole])))}"
        written = f":{last}" if last in _HALVES else mark
        if self.suffix and not written:
            return f"{quoted(text)} without `{self.suffix}`"
        return f"{quoted(text)} with `{written}`"

    def _no_register(self, text: str, expression: Expression) -> UnplacedFinding:
        if " " in text:
            found = f"{quoted(text)}; is a comma missing?"
        elif expression.value is not None:
            found = f"the number {quoted(text)}"
        else:
            found = quoted(text) if text else "nothing"
        message = f"expected {self.describe()}, found {found}"
        marked = "$" + text.removeprefix("%")
        replacement = marked if marked in self._written else None
        return UnplacedFinding(
            WRONG_OPERAND_TYPE, message, replacement, dropped_if_defined=expression.names
        )

    def encode(self, value: int) -> int:
        return value

    def decode(self, bits: int) -> int | None:
        is_beyond = self.file == "m" and self.group_width == 2 and bits > _LAST_MAIN_PAIR
        return None if bits % self.group_width or is_beyond else bits

    def format(self, value: int) -> str:
        return group(self.file, value, self.group_width) + self.suffix

    def describe(self) -> str:
        examples = [group(self.file, first, self.group_width) for first in (0, self.group_width)]
        said = f"{with_article(title(self.file, self.group_width))} such as "
        said += (
            f"`{examples[0]}`" if self.group_width == 1 else f"`{examples[0]}` or `{examples[1]}`"
        )
        if not self.suffix:
            return said
        return f"{said} with {_PLACES.get(self.suffix, f'`{self.suffix}` after it')}"

    def complete(self) -> Sequence[Choice]:
        said = title(self.file, self.group_width)
        return [Choice(name + self.suffix, _detail(name, said)) for name in self.registers]


def _numbers(file: str, width: int) -> dict[str, int]:
    """Map all names of the registers or groups of a file, aliases included, to their numbers."""
    numbers = {group(file, first, width): first for first in range(0, 16, width)}
    aliases = {alias: numbers[meant] for alias, meant in ALIASES.items() if meant in numbers}
    return numbers | aliases


def _detail(name: str, said: str) -> str:
    meant = _BY_NAME[name]
    detail = said if meant == name else f"{said} `{meant}`"
    return f"{detail}, zero" if meant in ZEROS else detail


def _width_of(whole: str) -> int:
    return len(UNITS[whole]) if whole in UNITS else 1


def _why_no_group(whole: str) -> str:
    first, _, last = whole[2:].partition(":")
    if not last:
        return "but the last register of a file is number 15"
    if not last.isdigit():
        return "which is no group of registers"
    width = int(last) - int(first) + 1
    if width not in (2, 4):
        return "but a group has 2 or 4 registers"
    if int(first) % width:
        return f"but a group of {width} begins at a multiple of {width}"
    return "but the last register of a file is number 15"


class Range(NamedTuple):
    """Numbers from `first` to `last`, both included, that are multiples of `step`."""

    first: int
    last: int
    step: int = 1

    def describe(self) -> str:
        """Describe the range for messages."""
        if self.step == 1:
            return f"{self.first} to {self.last}"
        return f"a multiple of 0x{self.step:x} up to 0x{self.last:x}"


class NumberOperand(OperandType):
    """A number, or an expression whose value may depend on macros that are not expanded.

    With `symbols`, a label of this or another file is accepted, too; a half constant unless the
    number is the address of code. A number with a range of multiples is encoded without the zeros
    at its end; one that is `negated`, as its negative.
    """

    def __init__(
        self,
        name: str,
        width: int,
        *ranges: Range,
        symbols: bool = False,
        note: str = "",
        negated: bool = False,
    ) -> None:
        super().__init__(name, width)
        self.ranges = ranges
        self.symbols = symbols
        self.note = note
        self.negated = negated

    def parse(self, text: str) -> int | str | UnplacedFinding | None:
        expression = read_expression(text)
        if expression.is_opaque:
            return None
        if text in _INFINITIES and self._takes_halves:
            return self.checked(_INFINITIES[text], text)
        if expression.float_literal or expression.half_literal:
            problem = self._not_an_integer(text, expression)
            if problem is not None:
                return problem
        if self.symbols and _has_one_label(text, expression.register):
            return text
        if expression.register is not None or expression.is_broken or expression.problem:
            return self._no_number(text, expression)
        if expression.value is not None:
            return self.checked(expression.value, text)
        if _NAME.fullmatch(text) or is_local_label(text):
            return self._name(text)
        return None

    def _no_number(self, text: str, expression: Expression) -> UnplacedFinding:
        found = quoted(text) if text else "nothing"
        if " " in text:
            found += "; is a comma missing?"
        elif expression.problem:
            found += f", which {expression.problem}"
        message = f"expected {self.describe()}, found {found}"
        return UnplacedFinding(
            WRONG_OPERAND_TYPE, message, dropped_if_defined=_made_names(expression)
        )

    def _not_an_integer(self, text: str, expression: Expression) -> UnplacedFinding | None:
        """Return the finding about a float, or about a half constant that does not fit here."""
        if expression.has_infinite_half:
            message = f"the largest half constant is `{LARGEST_HALF}h`, found {quoted(text)}"
            return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message)
        if expression.float_literal:
            found = f"{quoted(text)}, a float"
            if self._takes_halves:
                literal = expression.float_literal.removesuffix("f")
                found += f"; a half constant is written `{literal}h`"
        elif not self._takes_halves:
            found = f"{quoted(text)}, a half constant"
        else:
            return None
        message = f"expected {self.describe()}, found {found}"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message)

    @property
    def _takes_halves(self) -> bool:
        return self.width >= _HALF_BITS and not self.note.endswith(_OF_CODE)

    def encode(self, value: int) -> int:
        value = -value if self.negated else value // self.ranges[0].step
        return value & ((1 << self.width) - 1)

    def decode(self, bits: int) -> int:
        first, _, step = self.ranges[0]
        if first < 0 and step == 1 and bits >> (self.width - 1):
            bits -= 1 << self.width
        return -bits if self.negated else bits * step

    def holds(self, value: int) -> bool:
        return any(
            first <= value <= last and value % step == 0 for first, last, step in self.ranges
        )

    def checked(self, value: int, text: str) -> int | UnplacedFinding:
        """Return the value of an operand, or the finding that it is out of range."""
        if self.holds(value):
            return value
        shown = quoted(text) if text.isdigit() else f"{quoted(text)}, which is {value}"
        return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, f"expected {self.describe()}, found {shown}")

    def _name(self, text: str) -> str | UnplacedFinding | None:
        if self.symbols:
            return text
        if is_local_label(text) or text == ".":
            return None
        message = f"expected {self.describe()}, found {quoted(text)}, which nothing here defines"
        return UnplacedFinding(WRONG_OPERAND_TYPE, message, dropped_if_defined=(text,))

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding | None:
        if text in labels:
            return labels[text]
        expression = read_expression(text)
        if expression.register is not None:
            return None if expression.register in labels else self._no_number(text, expression)
        if is_local_label(text):
            return undefined_local_label(text)
        if text.startswith(LOCAL_PREFIX):
            return undefined_label_finding(text, nearest, dropped_if_defined=(text,))
        return None

    def describe(self) -> str:
        ranges = " or ".join(each.describe() for each in self.ranges)
        said = f"a number ({ranges})" if self.ranges[0].step != 1 else f"a number from {ranges}"
        if self.symbols:
            said = f"a label or {said}"
        return f"{said}{self.note}"


def _made_names(expression: Expression) -> tuple[str, ...]:
    """The names in an expression that may be macros, including one that looks like a register."""
    register = expression.register or "$"
    if register == "$" or _is_register(register):
        return expression.names
    return (*expression.names, register[1:], register)


def _has_one_label(text: str, register: str | None) -> bool:
    """Whether the only register in an expression is no register, and so may be a label."""
    if register is None or _is_register(register):
        return False
    return not read_expression(text.replace(register, "label")).is_broken


def _is_register(text: str) -> bool:
    return text in ALIASES or _GROUP.fullmatch(text[1:]) is not None or text in CSR_MODES


class WordOperand(OperandType):
    """A named constant that a header defines. Any name is accepted, and numbers that fit."""

    def __init__(self, name: str, width: int, what: str) -> None:
        super().__init__(name, width)
        self.what = what
        self._number = NumberOperand(name, width, Range(0, (1 << width) - 1))

    def parse(self, text: str) -> int | UnplacedFinding | None:
        expression = read_expression(text)
        is_number = not expression.float_literal and not expression.half_literal
        if expression.register is None and not expression.is_broken and is_number:
            value = expression.value
            return None if value is None else self.checked(value, text)
        message = f"expected {self.describe()}, found {quoted(text) if text else 'nothing'}"
        return UnplacedFinding(
            WRONG_OPERAND_TYPE, message, dropped_if_defined=_made_names(expression)
        )

    def describe(self) -> str:
        return f"{self.what}: a name that a header defines, or {self._number.describe()}"

    def checked(self, value: int, text: str) -> int | UnplacedFinding:
        """Return the value of an operand, or the finding that it is out of range."""
        return self._number.checked(value, text)
