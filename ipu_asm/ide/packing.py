"""Packing of what an author wrote: of a program, or of the blocks of a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Container, Sequence

from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.template.checked import written_edits
from ipu_asm.text import TextEdit

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


def packable_blocks(analysis: Analysis) -> Container[int] | None:
    """Return the first addresses of the blocks that packing can write; None for all.

    In a template, a block must be written out, once and for each context. Raises `PackingError`.
    """
    if not is_template(analysis):
        return None
    if any(
        each.expansion.text != analysis.expanded[0].expansion.text for each in analysis.expanded
    ):
        raise PackingError("the template gives another program in each of several contexts")
    program = analysis.effective_program
    saving = [block.addresses.start for block in plan_packing(program).blocks if block.saved]
    return {
        start
        for start in saving
        if written_edits(analysis, plan_packing(program, (start,)).edits) is not None
    }


def packing_edits(analysis: Analysis, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Return the edits of the text that was written for those of the program that was packed.

    Raises `PackingError` if they cannot be written in a template.
    """
    if not is_template(analysis):
        return tuple(edits)
    written = written_edits(analysis, edits)
    if written is None:
        raise PackingError("the template has no text of its own for the packed blocks")
    return written
