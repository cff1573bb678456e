"""What instructions compute for a register: a constant, a step by a constant, or something else."""

from __future__ import annotations

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.flow.packing.rebasing.webs import Place
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program


class ConstantUpdate(NamedTuple):
    """An instruction that sets a register to `value`, or steps it by that.

    `operand` is the number of the operand with the value, which has `bits`.
    """

    is_step: bool
    value: int
    operand: int
    bits: int

    def fits(self, value: int) -> bool:
        """Return whether the operand can have another value."""
        half = 1 << (self.bits - 1)
        return -half <= value < half


def computes(instruction: Instruction) -> bool:
    """Return whether an instruction does nothing but update such a register."""
    spec = instruction.spec
    return spec is not None and spec.scalar is not None and bool(spec.scalar.computes)


def instruction_at(program: Program, place: Place) -> Instruction:
    """Return the instruction at a place."""
    address, number = place
    return program.bundles[program.bundle_at_address[address]].instructions[number]


def constant_update(program: Program, place: Place) -> ConstantUpdate | None:
    """Return the constant that an instruction sets or steps by; None if it does another thing."""
    instruction = instruction_at(program, place)
    spec = instruction.spec
    form = None if spec is None else _form(spec)
    if form is None:
        return None
    is_step, name, bits = form
    value = instruction.value(name)
    if not isinstance(value, int):
        return None
    half = 1 << (bits - 1)
    return ConstantUpdate(is_step, (value + half) % (2 * half) - half, _position(spec, name), bits)


def setting_text(isa: Isa, register: str, value: int) -> str | None:
    """Return the instruction that sets a register to a number; None if there is none."""
    for spec in isa.instructions.values():
        form = _form(spec)
        if form is not None and not form[0] and _position(spec, form[1]) == 1:
            half = 1 << (form[2] - 1)
            return f"{spec.mnemonic} {register} {value}" if -half <= value < half else None
    return None


def _form(spec: InstructionSpec) -> tuple[bool, str, int] | None:
    """Return whether an instruction steps a register, and the name and the bits of its constant."""
    if spec.scalar is None or len(spec.scalar.computes) != 1:
        return None
    [(target, (terms, exponent, byte))] = spec.scalar.computes.items()
    numbers = [term for term in terms if term.bits and term.sign > 0 and term.is_signed]
    others = [(term.operand, term.sign) for term in terms if not term.bits]
    if exponent or byte or len(numbers) != 1 or len(numbers) + len(others) < len(terms):
        return None
    if others not in ([], [(target, 1)]):
        return None
    return bool(others), numbers[0].operand, numbers[0].bits


def _position(spec: InstructionSpec | None, name: str) -> int:
    assert spec is not None
    return next(n for n, operand in enumerate(spec.operands) if operand.name == name)
