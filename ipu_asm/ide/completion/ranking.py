"""Ranks of instructions in completion: what the file uses, and what a fresh bundle begins with."""

from __future__ import annotations

from ipu_asm.isa.model import InstructionSpec
from ipu_asm.isa.operand_types import IntegerType
from ipu_asm.program.program import Program

# A bound, so that the time does not grow with the file.
_MOST_BUNDLES = 100


def nearby_mnemonics(program: Program, number: int) -> frozenset[str]:
    """Return the mnemonics, as the set spells them, of the bundles near bundle `number`."""
    bundles = program.bundles
    return frozenset(
        instruction.spec.mnemonic
        for other in range(
            max(0, number - _MOST_BUNDLES), min(number + _MOST_BUNDLES, len(bundles))
        )
        if other != number
        for instruction in bundles[other].instructions
        if instruction.spec is not None
    )


def rank_in_fresh_bundle(spec: InstructionSpec) -> int:
    """Return 0 for setting and counting registers by constants, 1 for loads, 2 for all others."""
    facts = spec.scalar
    has_number = any(isinstance(operand.type, IntegerType) for operand in spec.operands)
    if facts is not None and facts.computes and has_number:
        return 0
    is_load = "load" in spec.traits
    if facts is not None:
        is_load = is_load or any(access.kind == "read" for access in facts.accesses)
    return 1 if is_load else 2
