"""What the author calls the registers: the lines ``# lr5 = row offset`` at the top of a file."""

from __future__ import annotations

import re

from ipu_asm.isa.model import Isa
from ipu_asm.program import Program

_MOST_LINES = 200
# Registers, then `=` or `:`, then what they are for.
_NOTE = re.compile(r"\s*([\w.,\[\]\- \t]+?)[ \t]*[=:][ \t]*(\S.*)")
_WORD = re.compile(r"[\w.\[\]]+|-")


def register_notes(program: Program) -> dict[str, str]:
    """The note of each register that the comments above the first bundle speak of.

    A line may speak of several: ``# lr0, lr1 = ...``, ``# lr7-lr11: ...``.
    """
    isa, bundle = program.isa, program.bundles[0]
    header = bundle.syntax.text
    if bundle.syntax.words:
        header = header[: bundle.first_token.start]
    notes: dict[str, str] = {}
    for line in header.split("\n", _MOST_LINES)[:_MOST_LINES]:
        text = line.strip()
        mark = max((m for m in isa.surface.comments if text.startswith(m)), key=len, default="")
        match = _NOTE.fullmatch(text[len(mark) :]) if mark else None
        for register in _registers(isa, match[1]) if match else ():
            notes.setdefault(register, match[2] if match else "")
    return notes


def _registers(isa: Isa, text: str) -> list[str]:
    """The registers of a list such as `lr0, lr1`, `lr7-lr11`, `r0 and r1`; none if it is none."""
    found: list[str] = []
    is_range = False
    for word in _WORD.findall(text):
        register = word if word in isa.file_of_register else word.lower()
        if word in ("-", "to"):
            is_range = bool(found)
        elif register in isa.file_of_register:
            found += _up_to(isa, found[-1], register) if is_range else [register]
            is_range = False
        elif word != "and":
            return []
    return found


def _up_to(isa: Isa, first: str, last: str) -> list[str]:
    """The registers behind `first` up to `last`."""
    registers = isa.file_of_register[first].registers
    if last not in registers:
        return [last]
    return list(registers[registers.index(first) + 1 : registers.index(last) + 1])
