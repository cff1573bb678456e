"""The registers that a bundle names, with their spans and accesses."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.operand_matching import value_start
from ipu_asm.flow.accesses import access_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import NamedRegister
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span


class RegisterUse(NamedTuple):
    """A register that a bundle names; its span counts from the start of the bundle.

    `access` is "r", "w" or "rw", or empty if the register is only named. `instruction` and
    `operand` are the numbers of the instruction and of its operand.
    """

    register: str
    span: Span
    access: str
    instruction: int
    operand: int


@cached_on_bundle
def registers_in(isa: Isa, bundle: Bundle) -> tuple[RegisterUse, ...]:
    """Return the registers that a bundle names, including those that are invalid operands."""
    return tuple(
        RegisterUse(
            named.register,
            bundle.syntax.part_span(number, place, named.start, named.end),
            named.access,
            number,
            place,
        )
        for number, instruction in enumerate(bundle.instructions)
        for place in range(len(instruction.words) - 1)
        for named in registers_in_operand(isa, instruction, place)
    )


def registers_in_operand(isa: Isa, instruction: Instruction, place: int) -> Sequence[NamedRegister]:
    """Return the registers in the text of one operand, each with its access."""
    word = instruction.words[place + 1]
    start = value_start(word)
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = instruction.values[place] if place < len(instruction.values) else None
    if isinstance(value, str):
        return ()
    if instruction.spec is None or operand is None or value is None:
        names = operand.type.names(word[start:]) if operand else ()
        return list(_registers_in_invalid_operand(isa, names, word, start))
    access = access_of(instruction.spec, operand)
    found: dict[str, NamedRegister] = {}
    for register, begin, end, own in operand.type.names(word[start:]):
        known = found.get(register)
        accesses = (known.access if known else "") + (own or access)
        both = "".join(letter for letter in "rw" if letter in accesses)
        found[register] = NamedRegister(register, begin + start, end + start, both)
    return list(found.values())


def _registers_in_invalid_operand(
    isa: Isa, names: Sequence[NamedRegister], word: str, start: int
) -> Iterator[NamedRegister]:
    """Yield the registers in an operand that is invalid or whose value is unknown."""
    if names:
        yield from (NamedRegister(n.register, n.start + start, n.end + start) for n in names)
        return
    value = word[start:]
    for spelling in (value, value.lower()):
        if spelling in isa.file_of_register:
            yield NamedRegister(spelling, start, len(word))
            return
