"""Instruction sets with unknown encoding: forms of instructions, without bits.

Such a set defines the syntax of instructions, their slots, and the registers that they access,
with cycles where known. Every feature except assembling and executing works with that.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import Iterator, Mapping, Sequence

from ipu_asm.isa.checks import MNEMONIC
from ipu_asm.isa.description import IsaError
from ipu_asm.isa.model import InstructionSpec, Isa, Scheduling, Slot
from ipu_asm.isa.scalar import Counting, operands_counted
from ipu_asm.isa.storage import CodeSizes, Memory, RegisterFile
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

NO_LIMIT = 1 << 32


class FormsDescription(NamedTuple):
    """Everything that a package states about such an instruction set.

    `slots` come from `unit_slot`, in display order. Of several forms of a mnemonic the first one
    that fits is used. `units_of` gives the parts of registers that overlap with others; all other
    registers are their own part. The set shares the rules of `family`, the name of a folder in
    `isa`. For the last seven fields see `Isa`.
    """

    name: str
    title: str
    surface: Surface
    slots: tuple[Slot, ...]
    forms: Sequence[InstructionSpec]
    register_files: tuple[RegisterFile, ...]
    units_of: Mapping[str, frozenset[str]] = {}
    family: str = ""
    program_limit: int = NO_LIMIT
    loop_registers: tuple[str, str] | None = None
    live_at_return: frozenset[str] = frozenset()
    zeros: frozenset[str] = frozenset()
    memories: tuple[Memory, ...] = ()
    scratch: frozenset[str] = frozenset()
    scheduling: Scheduling | None = None
    counting: Counting = Counting()
    code_sizes: CodeSizes | None = None


def alternatives(line: str) -> Iterator[str]:
    """Yield the forms of a line, in which ``(a|b)`` is either text; the first one varies last."""
    parts = (text.split("|") for text in re.split(r"[()]", line))
    return map("".join, product(*parts))


def unit_slot(name: str, title: str, *units: str) -> Slot:
    """Return a slot without encoding. It occupies `units`, by default one unit of its own name."""
    return Slot(name, title, "", (), 0, (0,), False, units or (name,))


def build_forms(description: FormsDescription) -> Isa:
    """Return the instruction set of a description. Raises `IsaError` with all its errors."""
    mistakes = list(_mistakes(description))
    if mistakes:
        raise IsaError(description.name, mistakes)
    forms: dict[str, list[InstructionSpec]] = {}
    for form in description.forms:
        forms.setdefault(form.mnemonic, []).append(form)
    return Isa(
        description.name,
        description.title,
        description.surface,
        slots=description.slots,
        instructions={mnemonic: found[0] for mnemonic, found in forms.items()},
        register_files=description.register_files,
        word_bits=0,
        image_bytes=0,
        program_limit=description.program_limit,
        forms={mnemonic: tuple(found) for mnemonic, found in forms.items() if len(found) > 1},
        units_of=description.units_of,
        family=description.family,
        has_exposed_pipeline=any(
            form.delay_slots or any(operand.def_cycle for operand in form.operands)
            for form in description.forms
        ),
        loop_registers=description.loop_registers,
        live_at_return=description.live_at_return,
        zeros=description.zeros,
        memories=description.memories,
        scratch=description.scratch,
        scheduling=description.scheduling,
        counting=description.counting,
        code_sizes=description.code_sizes,
    )


def _mistakes(description: FormsDescription) -> Iterator[str]:
    slots = [slot.name for slot in description.slots]
    for name, count in Counter(slots).items():
        if count > 1:
            yield f"{name}: two slots have this name; give each its own"
    lines = Counter((form.slot, form.syntax) for form in description.forms)
    for (slot, syntax), count in lines.items():
        if count > 1:
            yield f"{slot}: `{syntax}` is described {count} times"
    for form in description.forms:
        place = f"{form.slot}.{form.mnemonic}"
        if form.slot not in slots:
            yield f"{place}: no such slot; there are {', '.join(slots)}"
        if not MNEMONIC.fullmatch(form.mnemonic):
            yield f"{place}: a mnemonic is letters, digits, `_` and `.` only"
        names = Counter(operand.name for operand in form.operands)
        yield from (
            f"{place}: operand `{name}`: two operands have this name; give each its own"
            for name, count in names.items()
            if count > 1
        )
        for operand in form.operands:
            if operand.access not in ("", "r", "w", "rw"):
                yield f"{place}: operand `{operand.name}`: `access` is r, w or rw"
        named = operands_counted(form.counting) if form.counting is not None else ()
        yield from (
            f"{place}: `counting` names an operand `{name}`, which it does not have"
            for name in dict.fromkeys(named)
            if name not in names
        )
