"""Operand types for addresses in brackets."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.isa.operands import Choice, NamedRegister, OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.operands import AieType, Parsed


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
    def label(self) -> str:
        """The labels of the elements, in brackets."""
        return f"[{', '.join(element.type.label for element in self.elements)}]"

    @property
    def bounds(self) -> str:
        """The bounds of the offset."""
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
