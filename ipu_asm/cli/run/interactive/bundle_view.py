"""The next bundle, slot by slot: its instructions, and the values that their operands see."""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.cli.run.interactive.screen import Screen, Style
from ipu_asm.cli.run.interactive.session import Session
from ipu_asm.debugger.console.listing import instruction_text
from ipu_asm.debugger.inspection.bundle_values import InstructionValues, bundle_values
from ipu_asm.named_tuple import NamedTuple

_GAP: Final = "  "
_LEAST_VALUES: Final = 24
"""Columns that values need beside the instructions; with fewer they stand below."""


class SlotRow(NamedTuple):
    """An instruction of the bundle; `values` says what its operands see, without colours."""

    slot: str
    code: str
    values: str


def slot_rows(session: Session) -> list[SlotRow]:
    """Return the instructions of the next bundle that do something, in order of execution."""
    debugger, address = session.debugger, session.address
    labels = {at: name for name, at in debugger.program.label_addresses.items()}
    return [
        SlotRow(
            each.instruction.slot.name,
            instruction_text(each.instruction, address, labels),
            ", ".join(_values(each)),
        )
        for each in bundle_values(debugger, session.context, address)
    ]


def widest(rows: Sequence[SlotRow]) -> int:
    """Return the columns that rows take if none is broken."""
    slots, codes = _columns(rows)
    return slots + codes + max((len(row.values) for row in rows), default=0) + 2 * len(_GAP)


def slot_lines(rows: Sequence[SlotRow], screen: Screen, width: int) -> list[str]:
    """Return rows as text; values are broken into lines of at most `width` columns."""
    slots, codes = _columns(rows)
    beside = slots + codes + 2 * len(_GAP)
    is_beside = width - beside >= _LEAST_VALUES
    indent = beside if is_beside else slots + 2 * len(_GAP)
    lines = []
    for row in rows:
        head = f"{screen.paint(row.slot.ljust(slots), Style.SLOT)}{_GAP}{row.code.ljust(codes)}"
        values = list(_wrapped(row.values, width - indent))
        if is_beside and values:
            lines.append(f"{head}{_GAP}{values.pop(0)}".rstrip())
        else:
            lines.append(head.rstrip())
        lines += [" " * indent + value for value in values if value]
    return lines


def _columns(rows: Sequence[SlotRow]) -> tuple[int, int]:
    """The widths of the columns for slots and instructions."""
    slots = max((len(row.slot) for row in rows), default=0)
    return slots, max((len(row.code) for row in rows), default=0)


def _wrapped(values: str, width: int) -> Iterator[str]:
    """Yield a list of values in lines, broken behind commas."""
    line = ""
    for part in values.split(", "):
        longer = f"{line}, {part}" if line else part
        if line and len(longer) >= width:
            yield f"{line},"
            longer = part
        line = longer
    yield line


def _values(shown: InstructionValues) -> Iterator[str]:
    yield from (f"{name} {value}" for name, value in shown.registers.items())
    yield from (f"{name} (old)" for name in shown.old_vectors)
    if shown.is_faulting:
        yield "faults"
    if shown.memory is not None:
        yield f"xmem[{shown.memory[0]:#x} .. +{shown.memory[1]}]"
