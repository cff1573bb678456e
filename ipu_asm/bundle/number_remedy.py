"""How a number gets into a register, for a number where only a register fits."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.bundle.form_matching import read_instruction
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.isa.scalar import Computation

_CONFIG = "cr"


def number_remedy(isa: Isa, instruction: Instruction, place: int) -> str:
    """Return the instructions to write, to end a message; empty where no register holds numbers."""
    spec, words = instruction.spec, instruction.words
    number = words[place + 1] if place + 1 < len(words) else ""
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    if spec is None or operand is None or number_value(number) is None:
        return ""
    fitting = {name.lower(): name for name in getattr(operand.type, "registers", ())}
    if not fitting or operand.name in spec.writes:
        return ""
    if all(name.startswith(_CONFIG) for name in fitting):
        return "; a config register holds what the host writes to it, as `--cr N=VALUE` does"
    taken = {word.lower() for word in words}
    settable = _settable(isa)
    register = next((n for n in fitting if n in settable and n not in taken), None)
    if register is None:
        return ""
    if len(spec.operands) == 2 and _copies(spec):  # `SET lr1 5`
        steps = _filled(isa, words[1], number)
        return f"; write {' and then '.join(steps)}, in one bundle each" if steps else ""
    steps = _filled(isa, register, number)
    if not steps:
        return ""
    meant = isa.surface.operand_separator.join(
        [*words[1 : place + 1], register, *words[place + 2 :]]
    )
    bundles = "an earlier bundle" if len(steps) == 1 else "earlier bundles"
    more = "".join(f", or `{each}`" for each in _stepped(isa, spec, words, number))
    return f"; write {' and '.join(steps)} in {bundles}, then `{words[0]} {meant}`{more}"


def constant_register(isa: Isa, instruction: Instruction, place: int) -> str | None:
    """Return the register that always holds the number in an operand, if it fits there."""
    words = instruction.words
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = number_value(words[place + 1]) if operand and place + 1 < len(words) else None
    fitting = getattr(operand.type, "registers", ()) if operand else ()
    return next((n for n, held in isa.constants.items() if held == value and n in fitting), None)


def _settable(isa: Isa) -> set[str]:
    """The registers that some instruction steps by a number."""
    found = set[str]()
    for spec, _ in _with_number(isa):
        found.update(name.lower() for name in getattr(spec.operands[0].type, "registers", ()))
    return found


def _filled(isa: Isa, register: str, number: str) -> Sequence[str]:
    """The instructions that leave a number in a register; none if no number of this size fits."""
    for spec, computation in _with_number(isa):
        words = (spec.mnemonic, register, number)
        if len(computation.terms) == 1 and _is_right(isa, words):
            return [f"`{_text(isa, words)}`"]
    zero = next((name for name, value in isa.constants.items() if value == 0), None)
    copy = next((spec for spec in isa.instructions.values() if _copies(spec)), None)
    if zero is None or copy is None:
        return []
    first = f"`{_text(isa, (copy.mnemonic, register, zero))}`"
    return [first, *steps] if (steps := _steps(isa, register, number)) else []


def _stepped(isa: Isa, spec: InstructionSpec, words: Sequence[str], number: str) -> Iterator[str]:
    """Yield what adds a number to a register itself, in place of an addition of registers."""
    computed = list(spec.scalar.computes.values()) if spec.scalar else []
    is_sum = len(computed) == 1 and not any((computed[0].exponent, computed[0].byte))
    is_own = len(words) == 4 and words[1].lower() in (words[2].lower(), words[3].lower())
    if is_sum and is_own and all(term.sign > 0 and not term.bits for term in computed[0].terms):
        yield from (step.strip("`") for step in _steps(isa, words[1], number))


def _steps(isa: Isa, register: str, number: str) -> list[str]:
    for spec, computation in _with_number(isa):
        words = (spec.mnemonic, register, number)
        terms = computation.terms
        if len(terms) == 2 and all(term.sign > 0 for term in terms) and _is_right(isa, words):
            return [f"`{_text(isa, words)}`"]
    return []


def _with_number(isa: Isa) -> Iterator[tuple[InstructionSpec, Computation]]:
    """Yield the instructions with a register and a number that compute the register alone."""
    for spec in isa.instructions.values():
        computes = spec.scalar.computes if spec.scalar is not None else {}
        for computation in computes.values() if len(computes) == 1 else ():
            has_number = any(term.bits for term in computation.terms)
            if len(spec.operands) == 2 and has_number and not computation.exponent:
                yield spec, computation


def _copies(spec: InstructionSpec) -> bool:
    """Whether an instruction copies one register to another."""
    computes = spec.scalar.computes if spec.scalar is not None else {}
    return len(spec.operands) == 2 and any(
        len(each.terms) == 1 and not each.terms[0].bits and not each.byte and not each.exponent
        for each in computes.values()
    )


def _is_right(isa: Isa, words: tuple[str, ...]) -> bool:
    read = read_instruction(isa, words)
    return read is not None and not read.findings


def _text(isa: Isa, words: Sequence[str]) -> str:
    """Return an instruction of a set as it is written."""
    return f"{words[0]} {isa.surface.operand_separator.join(words[1:])}"
