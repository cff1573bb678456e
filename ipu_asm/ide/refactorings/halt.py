"""Add a missing halt behind the last bundle."""

from __future__ import annotations

from ipu_asm.flow.reachability import reachability_of
from ipu_asm.ide.kinds import REWRITE
from ipu_asm.ide.refactorings.addresses import check_result
from ipu_asm.ide.refactorings.bundle_position import bundles_in
from ipu_asm.ide.refactorings.offer import RefactoringOffer, make_offer
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit


def add_halt(program: Program, span: Span) -> list[RefactoringOffer]:
    """Return the offer if the selection touches the last bundle and control can run past it."""
    isa = program.isa
    if not isa.branches or not program.size or not isa.surface.bundle_end:
        return []
    last = program.bundle_at_address[-1]
    halts = [s for s in isa.instructions.values() if s.flow == "halt" and not s.operands]
    if not halts or last not in bundles_in(program, span):
        return []
    if all(step.target != program.size for step in reachability_of(program).leaving):
        return []
    halt = halts[0].mnemonic
    title = f"Add `{halt}` behind the last {isa.unit}"
    offer = make_offer(title, REWRITE, lambda: _behind(program, last, halt))
    return [offer]


def _behind(program: Program, last: int, halt: str) -> list[TextEdit]:
    surface, syntax = program.isa.surface, program.bundles[last].syntax
    end = program.span(last, syntax.spans[-1]).end
    mark = syntax.words[-1]
    missing = ""
    if mark == surface.separator:
        missing = surface.bundle_end.removeprefix(surface.separator)
    elif mark != surface.bundle_end:
        missing = surface.bundle_end
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    text = f"{missing}{line_break}{_indent(program, last)}{halt}{surface.bundle_end}"
    return check_result(program, [TextEdit(Span(end, end), text)], program.size + 1)


def _indent(program: Program, last: int) -> str:
    """Return the blanks before the last bundle if it begins a line, else ""."""
    start = program.span(last, program.bundles[last].first_token).start
    ahead = program.text[program.text.rfind("\n", 0, start) + 1 : start]
    return "" if ahead.strip(" \t") else ahead
