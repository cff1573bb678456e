"""The registers of a machine as values by name, and as text."""

from __future__ import annotations

import struct
from itertools import groupby
from typing import Iterator

from ipu_asm.emulator.element_types import RegisterTypes
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import describe_word

_COLUMNS = 4
_COLUMN = 28
_BYTES_A_ROW = 32
_WORD = 4


def settings_of_state(state: AnyState) -> dict[str, str]:
    """Return the settings of the host by name, apart from the element type."""
    values = machine_for(state.isa_name).setting_values(state.settings)
    return {name: setting.text for name, setting in values.items() if name != "dtype"}


def state_text(state: AnyState, last_bundle: int | None = None) -> str:
    """Return all registers as text; words are shown in the current element type.

    `last_bundle` is the bundle that halted the machine, if any.
    """
    types = machine_for(state.isa_name).types_in(state)
    halted = " (halted)" if state.is_halted else ""
    last = "" if last_bundle is None else f", last bundle {last_bundle}"
    settings = "".join(f", {name} {text}" for name, text in settings_of_state(state).items())
    head = f"pc = {state.program_counter}{halted}{last}, element type {types.name or 'none'}"
    lines = [f"{head}{settings}"]
    scalars = state.regfile.scalar_values()
    cells = [f"{name} = {describe_word(value)}" for name, value in scalars.items()]
    for start in range(0, len(cells), _COLUMNS):
        row = cells[start : start + _COLUMNS]
        lines.append("".join(cell.ljust(_COLUMN) for cell in row).rstrip())
    for name, content in state.regfile.vector_values().items():
        lines += _vector_lines(name, content, types)
    return "\n".join(lines)


def _vector_lines(name: str, content: bytes, types: RegisterTypes) -> Iterator[str]:
    """Yield a vector in rows; repetitions of a row are replaced by a star."""
    if not any(content):
        yield f"{name}: all zero"
        return
    yield f"{name}:"
    rows = [content[start : start + _BYTES_A_ROW] for start in range(0, len(content), _BYTES_A_ROW)]
    kind = types.vectors[name]
    has_words = kind.size == _WORD
    is_float = types.has_float_words if kind == types.word else kind.is_float
    number = 0
    for row, same in groupby(rows):
        shown = _words(row, is_float) if has_words else row.hex(" ")
        yield f"{number * (_BYTES_A_ROW // _WORD if has_words else _BYTES_A_ROW):>5}: {shown}"
        count = len(list(same))
        number += count
        if count > 1:
            yield "    *"


def _words(row: bytes, is_float: bool) -> str:
    values = struct.unpack(f"<{len(row) // 4}{'f' if is_float else 'i'}", row)
    return " ".join(f"{value:>{12}.7g}" if is_float else f"{value:>{12}}" for value in values)
