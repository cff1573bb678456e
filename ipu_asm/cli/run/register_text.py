"""The registers of a machine as values by name, and as text."""

from __future__ import annotations

import struct
from itertools import groupby
from typing import Iterator

from ipu_asm.cli.run.options import ELEMENT_TYPES
from ipu_asm.emulator.stops import describe_word
from ipu_asm.isa.ipu.machine.registers import SCALAR_NAMES, VECTORS
from ipu_asm.isa.ipu.machine.state import IpuState

_COLUMNS = 4
_COLUMN = 28
_BYTES_A_ROW = 32
_WORD_VECTORS = ("r_acc", "mult_res")


def scalars_of(state: IpuState) -> dict[str, int]:
    """Return the 32-bit values of the lr, cr and aaq registers by name, as unsigned numbers."""
    return dict(zip(SCALAR_NAMES, state.regfile.scalars))


def vectors_of(state: IpuState) -> dict[str, bytes]:
    """Return the bytes of the vector registers by name."""
    block = state.regfile.block
    return {
        f"{name}{element}" if vector.elements > 1 else name: bytes(block[vector.place(element)])
        for name, vector in VECTORS.items()
        for element in range(vector.elements)
    }


def state_text(state: IpuState, last_bundle: int | None = None) -> str:
    """Return all registers as text; words are shown in the current element type.

    `last_bundle` is the bundle that halted the machine, if any.
    """
    code = state.get_cr_dtype()
    dtype = ELEMENT_TYPES[code] if code < len(ELEMENT_TYPES) else "none"
    halted = " (halted)" if state.is_halted else ""
    last = "" if last_bundle is None else f", last bundle {last_bundle}"
    lines = [f"pc = {state.program_counter}{halted}{last}, element type {dtype}"]
    cells = [f"{name} = {describe_word(value)}" for name, value in scalars_of(state).items()]
    for start in range(0, len(cells), _COLUMNS):
        row = cells[start : start + _COLUMNS]
        lines.append("".join(cell.ljust(_COLUMN) for cell in row).rstrip())
    for name, content in vectors_of(state).items():
        lines += _vector_lines(name, content, is_float=code != 0)
    return "\n".join(lines)


def _vector_lines(name: str, content: bytes, is_float: bool) -> Iterator[str]:
    """Yield a vector in rows; repetitions of a row are replaced by a star."""
    if not any(content):
        yield f"{name}: all zero"
        return
    yield f"{name}:"
    rows = [content[start : start + _BYTES_A_ROW] for start in range(0, len(content), _BYTES_A_ROW)]
    has_words = name in _WORD_VECTORS
    number = 0
    for row, same in groupby(rows):
        shown = _words(row, is_float) if has_words else row.hex(" ")
        yield f"{number * (8 if has_words else _BYTES_A_ROW):>5}: {shown}"
        count = len(list(same))
        number += count
        if count > 1:
            yield "    *"


def _words(row: bytes, is_float: bool) -> str:
    values = struct.unpack(f"<{len(row) // 4}{'f' if is_float else 'i'}", row)
    return " ".join(f"{value:>{12}.7g}" if is_float else f"{value:>{12}}" for value in values)
