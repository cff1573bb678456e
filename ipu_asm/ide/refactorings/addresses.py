"""What a bundle more or less means for the distances that are written elsewhere."""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.resolve import parser_for
from ipu_asm.diagnostics import Severity, UnplacedFinding
from ipu_asm.ide.refactorings.offer import Refused
from ipu_asm.program.bundle_diff import read_slices
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program
from ipu_asm.text import TextEdit, apply_edits


def redistanced(
    program: Program, moved: Callable[[int], int], source: Callable[[Reference], int]
) -> Iterator[TextEdit]:
    """Edits of the distances that change. Raises `Refused` for one that cannot be written.

    `moved` gives the new address of what is at an old one, `source` that of a branch.
    """
    labels = {label: moved(address) for label, address in program.label_addresses.items()}
    for reference in program.references:
        if reference.target is None or not is_distance(program, reference):
            continue
        origin, target = source(reference), moved(reference.target)
        if target - origin == reference.target - program.addresses[reference.bundle]:
            continue
        text = distance(target - origin)
        if resolved(program, reference, text, origin, labels) != target:
            raise Refused(f"the distance `{reference.text}` elsewhere cannot become `{text}`")
        yield TextEdit(program.reference_span(reference), text)


def distance(bundles: int) -> str:
    """A distance as it is written."""
    return f"{bundles:+d}"


def is_distance(program: Program, reference: Reference) -> bool:
    """Whether a label operand that has a target is written as a distance."""
    nowhere: dict[str, int] = {}
    address = program.addresses[reference.bundle]
    return resolved(program, reference, reference.text, address, nowhere) == reference.target


def resolved(
    program: Program, reference: Reference, text: str, address: int, labels: dict[str, int]
) -> int | None:
    """What a text would stand for in place of a label operand; None if for nothing."""
    use = reference.use
    operand = program.bundles[reference.bundle].instructions[use.instruction].operands[use.operand]
    if operand is None:
        return None
    target = operand.type.resolve(text, address, labels, lambda _: None)
    return None if isinstance(target, UnplacedFinding) else target


def check_outcome(program: Program, edits: list[TextEdit], bundles: int) -> list[TextEdit]:
    """The edits. Raises `Refused` if they bring in errors, or make another number of bundles."""
    text = apply_edits(program.text, edits)
    read = parser_for(program.isa).bundle
    after = read_slices(program.isa, text, read, program.slices)[0].bundles
    known = set(map(id, program.bundles))
    for bundle in after:
        if bundle.findings and id(bundle) not in known:
            _check_findings(bundle)
    if sum([bundle.size for bundle in after]) != bundles:
        raise Refused("the result could not be read")
    _check_size(program, after, bundles)
    return edits


def _check_findings(bundle: Bundle) -> None:
    for finding in bundle.findings:
        if finding.severity is Severity.ERROR:
            raise Refused(finding.message)


def _check_size(program: Program, after: list[Bundle], size: int) -> None:
    """Raises `Refused` if the bundles are too many, or the last has no-ops that lead too far."""
    limit, unit = program.isa.program_limit, program.isa.unit
    if size < limit:
        return
    lasts = [next(b for b in reversed(bundles) if b.size) for bundles in (program.bundles, after)]
    if size > limit or any(last.open_slots for last in lasts):
        raise Refused(f"instruction memory holds {limit} {unit}s, and it is full")
