"""The outline of a file: its labels and the code that belongs to each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ipu_asm.ide.place import end_of_bundle
from ipu_asm.program import Program
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis

LABEL = "label"


class Symbol(NamedTuple):
    """A named part of the file: `span` is all of it, `name_span` its name within."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def symbols(analysis: Analysis) -> list[Symbol]:
    """A symbol for each label, with what follows up to the next one, in the order of the file."""
    program = analysis.program
    labelled = [number for number, bundle in program.notable if bundle.label is not None]
    ends = [*labelled[1:], len(program.bundles)]
    return [_symbol(program, number, end) for number, end in zip(labelled, ends)]


def _symbol(program: Program, number: int, end: int) -> Symbol:
    bundle = program.bundles[number]
    token = bundle.syntax.plan.label
    name = program.span(number, bundle.syntax.span_of(token, token + 1))
    last = next((n for n in range(end - 1, number, -1) if program.bundles[n].size), number)
    first, following = program.addresses[number], program.addresses[end]
    return Symbol(
        program.bundles[number].label or "",
        LABEL,
        _addresses(program.isa.unit, first, following),
        Span(name.start, end_of_bundle(program, last)),
        name,
    )


def _addresses(unit: str, first: int, following: int) -> str:
    """The addresses from `first` up to `following`."""
    if following <= first + 1:
        return f"{unit} {first}"
    return f"{unit}s {first} to {following - 1}"
