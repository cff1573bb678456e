"""What the host has not given to a program: the reason of most faults of a first run."""

from __future__ import annotations

from typing import Collection

from ipu_asm.emulator.state import AnyState
from ipu_asm.flow.host_inputs import host_registers
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes

_LONGEST = 24
_MOST = 6


class MissingInputs(NamedTuple):
    """Registers that a program reads and that nobody gave, each with its purpose in brackets.

    `has_data` is whether something was loaded to memory.
    """

    registers: tuple[str, ...]
    has_data: bool

    def sentence(self, remedy: str) -> str:
        """Return what is missing and what to do; empty if nothing is."""
        missing = []
        if self.registers:
            *first, last = self.registers
            names = f"{', '.join(first)} and {last}" if first else last
            missing.append(f"no value was given for {names}")
        if not self.has_data:
            missing.append("no data were loaded")
        return f"{', and '.join(missing)}: {remedy}" if self.registers else ""


def missing_inputs(
    program: Program, state: AnyState, given: Collection[str], has_data: bool
) -> MissingInputs:
    """Return what a program reads of what only the host sets and was not given.

    `given` are the names of registers that the host has set. Constants, registers that an option of
    the machine sets, and those whose purpose in the header is to be zero, are not missing.
    """
    notes = register_notes(program)
    found = [
        name
        for name in host_registers(program)
        if name not in given
        and not _is_set(state, name)
        and notes.get(name, "").split()[:1] not in (["0"], ["0:"])
    ]
    shown = [name_with_purpose(name, notes.get(name, "")) for name in found[:_MOST]]
    if len(found) > _MOST:
        shown.append(f"{len(found) - _MOST} more")
    return MissingInputs(tuple(shown), has_data)


def name_with_purpose(name: str, note: str) -> str:
    """The register, with the first words of what the header says of it: `cr3 (SIZE)`."""
    purpose = note.split(" (")[0].split(",")[0].strip()
    return f"{name} ({purpose})" if 0 < len(purpose) <= _LONGEST else name


def _is_set(state: AnyState, name: str) -> bool:
    place = state.layout.places.get(name)
    return place is None or int(state.regfile.scalars[place]) != 0
