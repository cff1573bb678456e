"""Inline values while debugging: which registers to show, and where.

An answer has the expressions to evaluate; their values come from the debugger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.ide.expansions import is_template, reading_at
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


class InlineValue(NamedTuple):
    """The span of a register's name, and the expression that evaluates to its value."""

    span: Span
    expression: str


def inline_values(analysis: Analysis, span: Span, stopped: int) -> list[InlineValue]:
    """Return the scalar registers to show in `span` while the program is stopped at an offset.

    They are the registers named from the start of the innermost loop, or else from the last label,
    to the bundle that is next to execute. Each line shows a register once. In the bundle that is
    next, instructions may see different values of a register that one of them writes: it is shown
    for each of them, as `lr2@mult.ve`, which the debugger evaluates by executing the bundle.
    """
    if is_template(analysis):
        return _of_template(analysis, span, stopped)
    program = analysis.program
    last = program.bundle_at(stopped)
    first = max(_first_relevant_bundle(program, last), program.bundle_at(span.start))
    found: dict[tuple[int, str], InlineValue] = {}
    for number in range(first, last + 1):
        start = program.starts[number]
        if start > span.end:
            break
        name_all = _named_by_instruction if number == last else _named
        for name, place in name_all(program.isa, program.bundles[number]):
            where = place.shifted(start)
            line = program.text.rfind("\n", 0, where.start)
            found.setdefault((line, name), InlineValue(where, name))
    return [value for value in found.values() if span.touches(value.span.start)]


def _of_template(analysis: Analysis, span: Span, stopped: int) -> list[InlineValue]:
    """Return the values in the expansion; a line that is rendered often has each register once."""
    reading, stopped = reading_at(analysis, stopped)
    everything = Span(0, len(reading.analysis.text))
    found: dict[tuple[int, str], InlineValue] = {}
    for value in inline_values(reading.analysis, everything, stopped):
        written = value._replace(span=reading.written(value.span))
        line = analysis.source.lines.position(written.span.start).line
        found.setdefault((line, value.expression), written)
    return sorted(value for value in found.values() if span.touches(value.span.start))


def _first_relevant_bundle(program: Program, number: int) -> int:
    """Return the first bundle of the innermost loop around a bundle, else that of its label."""
    address = program.addresses[number]
    loops = enclosing_loops(program, address)
    if loops:
        return program.number_at(loops[0].start)
    labelled = (label for label in program.labels.values() if label <= number)
    return max(labelled, default=0)


@cached_on_bundle
def _named(isa: Isa, bundle: Bundle) -> tuple[tuple[str, Span], ...]:
    """Return the scalar registers that a bundle names, and their spans in it."""
    return tuple((register, place) for register, _, place in _operands(isa, bundle))


@cached_on_bundle
def _named_by_instruction(isa: Isa, bundle: Bundle) -> tuple[tuple[str, Span], ...]:
    """Return the same, with the instruction after `@` where the bundle writes the register."""
    written = {each.register for each in accesses_of(isa, bundle) if each.writes}
    return tuple(
        (f"{register}@{mnemonic}" if register in written else register, place)
        for register, mnemonic, place in _operands(isa, bundle)
    )


def _operands(isa: Isa, bundle: Bundle) -> Iterator[tuple[str, str, Span]]:
    """Yield the scalar registers that operands name, with mnemonic and span of the operand."""
    for number, instruction in enumerate(bundle.instructions):
        for place, (operand, value) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is None or not isinstance(value, int):
                continue
            register = operand.type.format(value)
            if register in isa.file_of_register and isa.file_of_register[register].elements == 1:
                yield register, instruction.mnemonic.lower(), bundle.value_span(number, place)
