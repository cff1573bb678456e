"""Corrections of written branch distances for a change of addresses, and checks of the result."""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Severity
from ipu_asm.ide.refactorings.offer import RefactoringError
from ipu_asm.program.bundle_diff import read_slices
from ipu_asm.program.distances import distance, is_distance, resolve_target
from ipu_asm.program.labels import Reference
from ipu_asm.program.program import Program
from ipu_asm.text import TextEdit, apply_edits


def adjusted_distances(
    program: Program, moved: Callable[[int], int], source: Callable[[Reference], int]
) -> Iterator[TextEdit]:
    """Yield the edits of all distances that change.

    `moved` maps an old address to the new one, `source` maps a reference to the new address of its
    bundle. Raises `RefactoringError` for a distance that cannot be encoded.
    """
    labels = {label: moved(address) for label, address in program.label_addresses.items()}
    for reference in program.references:
        if reference.target is None or not is_distance(program, reference):
            continue
        origin, target = source(reference), moved(reference.target)
        if target - origin == reference.target - program.addresses[reference.bundle]:
            continue
        text = distance(target - origin)
        if resolve_target(program, reference, text, origin, labels) != target:
            raise RefactoringError(f"another distance, `{reference.text}`, cannot become `{text}`")
        yield TextEdit(program.reference_span(reference), text)


def check_result(program: Program, edits: list[TextEdit], bundles: int) -> list[TextEdit]:
    """Return the edits if the edited program is valid.

    Raises `RefactoringError` if they introduce errors in bundles, if the result has not `bundles`
    addresses, or if it does not fit into instruction memory.
    """
    text = apply_edits(program.text, edits)
    read = parser_for(program.isa).bundle
    after = read_slices(program.isa, text, read, program.slices)[0].bundles
    known = set(map(id, program.bundles))
    for bundle in after:
        if bundle.findings and id(bundle) not in known:
            _check_findings(bundle)
    if sum([bundle.size for bundle in after]) != bundles:
        raise RefactoringError("the result would not be a valid program")
    _check_size(program, after, bundles)
    return edits


def _check_findings(bundle: Bundle) -> None:
    for finding in bundle.findings:
        if finding.severity is Severity.ERROR:
            raise RefactoringError(finding.message)


def _check_size(program: Program, after: list[Bundle], size: int) -> None:
    """Raise `RefactoringError` if the program is too large for instruction memory.

    A full memory is refused as well if the last bundle has address-dependent no-ops: these would
    lead past the end.
    """
    limit, unit = program.isa.program_limit, program.isa.unit
    if size < limit:
        return
    lasts = [next(b for b in reversed(bundles) if b.size) for bundles in (program.bundles, after)]
    if size > limit or any(last.open_slots for last in lasts):
        raise RefactoringError(f"instruction memory holds {limit} {unit}s, and it is full")
