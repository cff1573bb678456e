"""Assignment of instructions to slots that compete for functional units.

An instruction is assigned to the slot of its first form, or of another form if that leaves no
units for other instructions of the bundle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Mapping, Sequence

from ipu_asm.bundle.findings import slot_clash
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.syntax.bundle import BundleSyntax

_NO_SLOTS: frozenset[str] = frozenset()
Assigned = tuple[tuple[Instruction, ...], tuple[int | None, ...]]


def assign_slots(
    isa: Isa,
    syntax: BundleSyntax,
    instructions: tuple[Instruction, ...],
    findings: list[Diagnostic],
) -> Assigned:
    """Return the instructions in their slots' forms, and their positions (None without a slot).

    Adds a finding for each instruction that has no slot, however those before it are assigned.
    """
    known = [number for number, each in enumerate(instructions) if each.spec is not None]
    placed = _fit(isa, [instructions[number] for number in known])
    chosen = dict(zip(known, placed or ()))
    if placed is None:
        for number in known:
            with_it = [*chosen, number]
            placed = _fit(isa, [instructions[n] for n in with_it])
            if placed is not None:
                chosen = dict(zip(with_it, placed))
            else:
                findings.append(slot_clash(isa, syntax, chosen, instructions[number], number))
    return (
        tuple(chosen.get(number, each) for number, each in enumerate(instructions)),
        tuple(_low(isa, chosen.get(number)) for number in range(len(instructions))),
    )


def leaves_room(isa: Isa, instructions: Sequence[Instruction], slot: Slot) -> bool:
    """Return whether a bundle with these instructions has room for one more in `slot`.

    The instructions must have their readings for other slots in `others`.
    """
    known = [instruction for instruction in instructions if instruction.spec is not None]
    if len(known) >= sum(len(each.units) for each in isa.slots):
        return False
    return _fit_rest(isa, known, _rivals(isa)[slot.name]) is not None


def _fit(isa: Isa, wanted: Sequence[Instruction]) -> list[Instruction] | None:
    """Return the earliest forms that exclude no other; None if there are none."""
    units = sum(len(slot.units) for slot in isa.slots)
    return _fit_rest(isa, wanted, frozenset()) if len(wanted) <= units else None


def _fit_rest(
    isa: Isa, wanted: Sequence[Instruction], excluded: frozenset[str]
) -> list[Instruction] | None:
    if not wanted:
        return []
    first, *rest = wanted
    for option in (first, *first.others):
        slot = option.spec.slot if option.spec else ""
        if slot not in excluded:
            following = _fit_rest(isa, rest, excluded | _rivals(isa).get(slot, _NO_SLOTS))
            if following is not None:
                return [option._replace(others=()), *following]
    return None


@lru_cache(maxsize=8)
def _rivals(isa: Isa) -> Mapping[str, frozenset[str]]:
    """Return the slots that each slot excludes, itself too."""
    return {
        slot.name: frozenset(
            other.name
            for other in isa.slots
            if not (other.name in slot.beside or slot.name in other.beside)
            and not set(slot.units).isdisjoint(other.units)
        )
        for slot in isa.slots
    }


def units_of(isa: Isa, instruction: Instruction) -> tuple[str, ...]:
    return isa.slot_by_name[instruction.spec.slot].units if instruction.spec else ()


def _low(isa: Isa, instruction: Instruction | None) -> int | None:
    if instruction is None or instruction.spec is None:
        return None
    return isa.slot_by_name[instruction.spec.slot].lows[0]
