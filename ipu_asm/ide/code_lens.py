"""Code lenses: references, trips and cost of loops above labels; bundles of template loops."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Callable, Collection

from ipu_asm.flow.loops import SourceLoop, loops_of
from ipu_asm.ide.expansions import is_template, whole_reading
from ipu_asm.ide.kinds import EXPANSIONS, LOOPS, REFERENCES
from ipu_asm.ide.loop_counts import bound_text, loop_cost
from ipu_asm.ide.template_pages import block_sizes
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.labels import is_local
from ipu_asm.program.program import Program
from ipu_asm.text import Span, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class CodeLens(NamedTuple):
    """A text above the label at `span`."""

    span: Span
    text: str
    family: str


def code_lenses(analysis: Analysis, families: Collection[str]) -> list[CodeLens]:
    """Return the lenses of some families in source order."""
    if is_template(analysis):
        return _of_template(analysis, families)
    program = analysis.program
    comes = Counter(r.target for r in program.references if r.target is not None)
    texts = [_texts(program, family) for family in (REFERENCES, LOOPS) if family in families]
    lenses: list[CodeLens] = []
    for number, bundle in program.notable:
        if bundle.label is None or not _precedes_instruction(program, number):
            continue
        token = bundle.syntax.plan.label
        span = program.span(number, bundle.syntax.span_of(token, token + 1))
        address = program.addresses[number]
        if _is_global(program.isa, bundle.label) and not comes[address]:
            continue
        lenses += [CodeLens(span, text, kind) for kind, of in texts if (text := of(address))]
    return lenses


def _of_template(analysis: Analysis, families: Collection[str]) -> list[CodeLens]:
    """Return the lenses of the first expansion; of a label in a loop, those of the first one."""
    reading = whole_reading(analysis)
    found: dict[tuple[Span, str], CodeLens] = {}
    for lens in code_lenses(reading.analysis, families):
        lens = lens._replace(span=reading.written(lens.span))
        found.setdefault((lens.span, lens.family), lens)
    lenses = [*found.values()]
    if EXPANSIONS in families:
        lenses += [CodeLens(span, text, EXPANSIONS) for span, text in block_sizes(analysis)]
    return sorted(lenses, key=lambda lens: lens.span)


def _precedes_instruction(program: Program, number: int) -> bool:
    """Check whether a label precedes an instruction, perhaps in a bundle on a later line."""
    if program.isa.surface.bundle_end:
        return bool(program.bundles[number].size)
    return program.addresses[number] < program.size


def _is_global(isa: Isa, label: str) -> bool:
    """Check whether other files can refer to a label, so that its reference count is unknown."""
    return isa.surface.linked and not is_local(isa, label)


def _texts(program: Program, family: str) -> tuple[str, Callable[[int], str]]:
    """Return a family, and a function from an address to its lens text, "" for none."""
    if family == LOOPS:
        costs = {loop.first: _cost(program, loop) for loop in loops_of(program)}
        return family, lambda address: costs.get(address, "")
    named = Counter(r.target for r in program.references if r.target is not None)
    return family, lambda address: _count(named[address])


def _count(branches: int) -> str:
    return f"{branches} {'branch comes' if branches == 1 else 'branches come'} here"


def _cost(program: Program, loop: SourceLoop) -> str:
    """Return what a loop costs: all its cycles if they are known, else those of an iteration."""
    cost, bound, used = loop_cost(program, loop), bound_text(program, loop), loop.use_text
    if cost.has_cycles:
        return "; ".join(filter(None, (cost.text, bound, used)))
    size = f"{counted(loop.size, program.isa.unit)} an iteration"
    size = ", ".join(filter(None, (size, used)))
    return "; ".join(filter(None, (cost.text, size, bound)))
