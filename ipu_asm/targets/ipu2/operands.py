"""Operand types that IPU 2 alone has."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.diagnostics.errors import IMMEDIATE_OUT_OF_RANGE, WRONG_OPERAND_TYPE
from ipu_asm.isa.operand_types import IntegerType, KeywordType, RegisterType
from ipu_asm.isa.operands import Choice, NamedRegister, OperandType, number_value, quoted
from ipu_asm.isa.storage import RegisterFile


class FieldFillingInteger(IntegerType):
    """An unsigned number that takes all bits of the field that it shares."""

    is_elastic = True

    def __init__(self, name: str, width: int, every_file: Sequence[RegisterFile]) -> None:
        super().__init__(name, width, 0, (1 << width) - 1, every_file=every_file)
        self._every_file = every_file

    def fitted(self, width: int) -> OperandType:
        return FieldFillingInteger(self.name, width, self._every_file)


class OffsetInteger(IntegerType):
    """A number that is stored without its lowest value: the bits of 1 to 9 are 0 to 8."""

    def encode(self, value: int) -> int:
        return value - self.minimum

    def stored(self, value: int) -> int:
        return value

    def decode(self, bits: int) -> int | None:
        value = bits + self.minimum
        return value if value <= self.maximum else None


class NumberOrRegister(OperandType):
    """A number or one of as many registers; the highest bit of the field tells them apart.

    The value of a register is its number plus the count of registers.
    """

    is_elastic = True

    def __init__(
        self, name: str, width: int, file: RegisterFile, every_file: Sequence[RegisterFile]
    ) -> None:
        super().__init__(name, width)
        self.count = 1 << width - 1
        self.files = (file,)
        # Both halves have the words of the types that they are.
        self._file, self._every_file = file, every_file
        self._registers = RegisterType(name, width, [file], every_file)
        self._numbers = IntegerType(name, width, 0, self.count - 1)

    def fitted(self, width: int) -> OperandType:
        return NumberOrRegister(self.name, width, self._file, self._every_file)

    def parse(self, text: str) -> int | UnplacedFinding:
        number = number_value(text)
        if number is not None:
            if 0 <= number < self.count:
                return number
            kind = IMMEDIATE_OUT_OF_RANGE
        else:
            kind = WRONG_OPERAND_TYPE
            register = self._registers.parse(text)
            if isinstance(register, int) and register < self.count:
                return self.count + register
        return UnplacedFinding(kind, f"expected {self.describe()}, found {quoted(text)}")

    def names(self, text: str) -> Sequence[NamedRegister]:
        value = self.parse(text)
        register = self.register_of(value) if isinstance(value, int) else None
        return [NamedRegister(register, 0, len(text))] if register else ()

    def register_of(self, value: int) -> str | None:
        return self._file.registers[value - self.count] if value >= self.count else None

    def format(self, value: int) -> str:
        return self.register_of(value) or str(value)

    def describe(self) -> str:
        last = self._file.registers[self.count - 1]
        return (
            f"{self._numbers.describe()} or one of the {self._file.title}s "
            f"`{self._file.registers[0]}` to `{last}`"
        )

    def complete(self) -> Sequence[Choice]:
        numbers = [Choice(str(number), "number") for number in range(self.count)]
        registers = self._file.registers[: self.count]
        return numbers + [Choice(register, self._file.title) for register in registers]


class ToleratedKeyword(KeywordType):
    """A keyword type whose codes past the list act as the first keyword when they are executed."""

    def decode(self, bits: int) -> int | None:
        return super().decode(bits) or 0
