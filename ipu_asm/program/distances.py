"""Label operands that are written as distances, such as `+2`."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program


def distance(bundles: int) -> str:
    """Return a distance in source form, with its sign."""
    return f"{bundles:+d}"


def is_distance(program: Program, reference: Reference) -> bool:
    """Check whether a resolved label operand is written as a distance, not as a label."""
    nowhere: dict[str, int] = {}
    address = program.addresses[reference.bundle]
    return resolve_target(program, reference, reference.text, address, nowhere) == reference.target


def resolve_target(
    program: Program, reference: Reference, text: str, address: int, labels: Mapping[str, int]
) -> int | None:
    """Return the target that `text` would have in place of a label operand; None if it has none."""
    use = reference.use
    operand = program.bundles[reference.bundle].instructions[use.instruction].operands[use.operand]
    if operand is None:
        return None
    target = operand.type.resolve(text, address, labels, lambda _: None)
    return None if isinstance(target, UnplacedFinding) else target
