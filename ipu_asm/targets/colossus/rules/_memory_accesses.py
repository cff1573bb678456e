"""Loads and stores at known addresses: constants that straight-line code sets.

Labels, macros and conditions end the straight line, because other code may precede them.
"""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

_BYTES = "bytes"
_CONSTANT = "constant"
_BASES = ("mBase", "mDelta")
_OFFSETS = ("mOff", "zimm")
_WORD = 8


class MemoryAccess(NamedTuple):
    """A load or store of `size` bytes at an address, or a jump there, whose size is 0."""

    bundle: int
    instruction: int
    operand: int
    address: int
    size: int

    def span(self, program: Program) -> Span:
        """The span of the operand with the base address."""
        span = program.bundles[self.bundle].span(self.instruction, self.operand)
        return program.span(self.bundle, span)


@cached_on_program
def memory_accesses_of(program: Program) -> tuple[MemoryAccess, ...]:
    """All accesses and jumps with known addresses."""
    found: list[MemoryAccess] = []
    behind = 0
    for number in program.where(_sets_constant):
        if number >= behind:
            length, accesses = program.per_bundle(_line_from, number)
            found += [each._replace(bundle=number + each.bundle) for each in accesses]
            behind = number + length
    return tuple(found)


def _line_from(program: Program, first: int) -> LocalResult[tuple[int, list[MemoryAccess]]]:
    """The accesses after a bundle that sets a constant, and the number of bundles examined."""
    bundles, known = program.bundles, dict.fromkeys(program.isa.zeros, 0)
    accesses: list[MemoryAccess] = []
    number, none = first, len(known)
    while number == first or (len(known) > none and _goes_on(bundles[number])):
        for place, instruction in enumerate(bundles[number].instructions):
            found = _access(number - first, place, instruction, known)
            if found is not None:
                accesses.append(found)
        _advance(program, bundles[number], known)
        number += 1
        if number == len(bundles):
            break
    return LocalResult(0, number - first, (number - first, accesses))


def _goes_on(bundle: Bundle) -> bool:
    return bundle.label is None and _is_certain(bundle)


def _sets_constant(_isa: Isa, bundle: Bundle) -> bool:
    return _CONSTANT in bundle.traits and _is_certain(bundle)


def _is_certain(bundle: Bundle) -> bool:
    return not (bundle.directive or bundle.is_broken or bundle.has_unknown)


def _access(
    bundle: int, place: int, instruction: Instruction, known: dict[str, int]
) -> MemoryAccess | None:
    spec = instruction.spec
    if spec is None or instruction.findings:
        return None
    size = next((int(t[len(_BYTES) :]) for t in spec.traits if t.startswith(_BYTES)), None)
    if spec.flow == "indirect":
        address = known.get(_register(instruction, 0))
        return None if address is None else MemoryAccess(bundle, place, 0, address, 0)
    if size is None:
        return None
    parts: list[int | None] = []
    first = -1
    for number, operand in enumerate(instruction.operands):
        name = operand.name if operand is not None else ""
        if name.startswith(_BASES):
            first = number if first < 0 else first
            parts.append(known.get(_register(instruction, number)))
        elif name.startswith(_OFFSETS):
            value = instruction.values[number]
            if name.startswith(_OFFSETS[0]):
                value = known.get(_register(instruction, number))
            parts.append(_scaled(value, size) if isinstance(value, int) else None)
    if first < 0 or None in parts:
        return None
    return MemoryAccess(bundle, place, first, sum(part for part in parts if part is not None), size)


def _scaled(value: int, size: int) -> int | None:
    """The bytes of an offset in elements; None for the widest accesses, whose unit is unknown."""
    return value * size if size <= _WORD or not value else None


def _register(instruction: Instruction, number: int) -> str:
    operand = instruction.operands[number]
    names = operand.type.names(instruction.words[number + 1]) if operand is not None else ()
    return names[0].register if len(names) == 1 else ""


def _advance(program: Program, bundle: Bundle, known: dict[str, int]) -> None:
    """Update the known register values after a bundle."""
    for touch in accesses_of(program.isa, bundle):
        for unit in touch.units if touch.writes else ():
            if unit not in program.isa.zeros:
                known.pop(unit, None)
    for instruction in bundle.instructions:
        spec = instruction.spec
        if spec is None or instruction.findings:
            continue
        if spec.flow == "branch" and spec.operands[0].access == "w":
            for register in set(known) - set(program.isa.zeros):
                del known[register]  # a function may have changed them
        if _CONSTANT in spec.traits and isinstance(instruction.values[-1], int):
            register = _register(instruction, 0)
            if register and register not in program.isa.zeros:
                known[register] = instruction.values[-1]
