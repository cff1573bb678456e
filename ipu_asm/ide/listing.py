"""Views of a whole program: its listing, its expansion, and its grid of slots."""

from __future__ import annotations

import os
from typing import Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.assembler.images import WrittenLines, listed_words, listing_rows
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.flow.loop_numbers import executions_of
from ipu_asm.flow.loops import SourceLoop, loops_of
from ipu_asm.ide.expansions import Reading, is_template, reading_at, whole_reading
from ipu_asm.ide.loop_counts import causes_of_empty_slots
from ipu_asm.ide.run_facts import shown_facts
from ipu_asm.ide.syntax_element import end_of_bundle
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.picture import Cell
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, Span


class GridCell(NamedTuple):
    """An instruction: its words, with one blank before each operand, and its span.

    `slot` is None for an unknown mnemonic; `is_idle` means that the instruction has no effect.
    """

    mnemonic: str
    text: str
    span: Span
    slot: str | None
    is_idle: bool


class GridRow(NamedTuple):
    """The bundle at an address; `cells` has the instructions of each slot, in slot order.

    `label` is the last one at the address. `strays` are instructions without a slot, or more than
    their slot holds. `executions` is None if the control run does not tell it. `causes` say why
    slots of a loop are empty, in slot order; it is empty outside of loops that have one path.
    """

    address: int
    span: Span
    label: str | None
    cells: tuple[tuple[GridCell, ...], ...]
    strays: tuple[GridCell, ...]
    executions: int | None = None
    causes: tuple[Cell | None, ...] = ()


class SlotGrid(NamedTuple):
    """The table; `current` is the number of the row at the requested offset, if any."""

    slots: tuple[Slot, ...]
    rows: tuple[GridRow, ...]
    loops: tuple[SourceLoop, ...]
    current: int | None


class ExpansionLine(NamedTuple):
    """The file and line, counted from 0, in which a line of an expansion was written.

    `path` is `MAIN` or that of a header. `line` is None where nothing was written, in an empty
    expansion.
    """

    path: str
    line: int | None


class ExpansionView(NamedTuple):
    """The text of an expansion, where its lines were written, and the contexts to choose from."""

    text: str
    lines: tuple[ExpansionLine, ...]
    context: str = ""
    contexts: tuple[str, ...] = ()


class ListingLine(NamedTuple):
    """The address whose word a listing line shows, and the source line (from 0) that it shows."""

    address: int | None
    line: int | None


class Listing(NamedTuple):
    """The text of a listing, and the contents of each of its lines."""

    text: str
    lines: tuple[ListingLine, ...]


def listed_program(analysis: Analysis) -> Program:
    """Return the program that a listing shows: of a template, that of its first expansion."""
    return analysis.effective_program if is_template(analysis) else analysis.program


def listing(analysis: Analysis, words: Sequence[int | None] | None) -> Listing:
    """Return the listing of a program, given its words; a bundle with errors has the word None.

    Without words only addresses stand before the source, which then fits half a window.
    That of a template is the listing of its first expansion, with the lines of the template.
    """
    name = os.path.basename(analysis.source.path) or analysis.source.path
    written = None
    if is_template(analysis):
        written = WrittenLines(analysis.expanded[0].expansion, analysis.source)
    program = listed_program(analysis)
    rows = list(listing_rows(program, listed_words(program, words), name, written))
    text = "".join(f"{row.text}\n" for row in rows)
    return Listing(text, tuple(ListingLine(row.address, row.line) for row in rows))


def expansion_view(analysis: Analysis, context: int = 0) -> ExpansionView:
    """Return the expansion of a file in one of its contexts; the file itself if it has none.

    A number that no context has means the first one.
    """
    if not analysis.expanded:
        count = len(analysis.source.lines.starts)
        return ExpansionView(analysis.text, tuple(ExpansionLine(MAIN, n) for n in range(count)))
    contexts = tuple(each.expansion.context for each in analysis.expanded)
    number = context if 0 <= context < len(contexts) else 0
    expansion = analysis.expanded[number].expansion
    lines = tuple(_lines(analysis, expansion))
    return ExpansionView(expansion.text, lines, expansion.context, contexts)


def _lines(analysis: Analysis, expansion: Expansion) -> list[ExpansionLine]:
    """Return where the first character of each line was written; blanks count in blank lines."""
    text, index = expansion.text, LineIndex.of(expansion.text)
    found = []
    for number in range(len(index.starts)):
        start, end = index.line_span(number)
        blanks = end - start - len(text[start:end].lstrip())
        first = start + blanks if start + blanks < end else start
        place = expansion.source_map.written(Span(first, min(first + 1, len(text))))
        if place is None:
            found.append(ExpansionLine(MAIN, None))
            continue
        source = analysis.source if place.path == MAIN else expansion.files[place.path]
        found.append(ExpansionLine(place.path, source.lines.position(place.span.start).line))
    return found


def slot_grid(analysis: Analysis, offset: int | None = None) -> SlotGrid:
    """Return the table of a program; the row of the bundle at `offset` is the current one."""
    if analysis.expanded:
        return _of_expansion(analysis, offset)
    program = analysis.program
    labels = _labels(program)
    rows = [
        _row(program, number, address)._replace(label=labels.get(address))
        for address, number in enumerate(program.bundle_at_address)
    ]
    for address, causes in causes_of_empty_slots(program).items():
        rows[address] = rows[address]._replace(causes=causes)
    counts = executions_of(program, shown_facts(program))
    if counts is not None:
        rows = [row._replace(executions=count) for row, count in zip(rows, counts)]
    current = None if offset is None else _current(program, offset)
    return SlotGrid(program.isa.slots, tuple(rows), tuple(loops_of(program)), current)


def _labels(program: Program) -> dict[int, str]:
    """Return the last label at each address; it may stand lines before its bundle."""
    labelled = zip(program.addresses, program.bundles)
    return {address: bundle.label for address, bundle in labelled if bundle.label is not None}


def _of_expansion(analysis: Analysis, offset: int | None) -> SlotGrid:
    """Return the table of the first expansion, with the written places of its bundles.

    A macro call has the instructions that it becomes, all of them written in its place.
    """
    reading = whole_reading(analysis)
    here = None
    if offset is not None:
        occasion = reading_at(analysis, offset)
        here = occasion.offset if occasion.reading.source_map is reading.source_map else None
    grid = slot_grid(reading.analysis, here)
    return grid._replace(rows=tuple(_written_row(reading, row) for row in grid.rows))


def _written_row(reading: Reading, row: GridRow) -> GridRow:
    *cells, strays = (
        tuple(cell._replace(span=reading.in_file(cell.span)) for cell in group)
        for group in (*row.cells, row.strays)
    )
    return row._replace(span=reading.in_file(row.span), cells=tuple(cells), strays=strays)


def _row(program: Program, number: int, address: int) -> GridRow:
    bundle, start = program.bundles[number], program.starts[number]
    placed = _cells(program.isa, bundle)
    span = Span(start + bundle.first_token.start, end_of_bundle(program, number))
    *cells, strays = (
        tuple(cell._replace(span=cell.span.shifted(start)) for cell in group) for group in placed
    )
    return GridRow(address, span, None, tuple(cells), strays)


@cached_on_bundle
def _cells(isa: Isa, bundle: Bundle) -> tuple[tuple[GridCell, ...], ...]:
    """Return the instructions of each slot, then those without a place; spans are in the bundle."""
    groups: dict[str | None, list[GridCell]] = {slot.name: [] for slot in isa.slots}
    strays = groups[None] = []
    for number, (instruction, place) in enumerate(zip(bundle.instructions, bundle.places)):
        cell = GridCell(
            instruction.mnemonic,
            _text(isa, instruction),
            bundle.syntax.instruction_span(number),
            instruction.spec.slot if instruction.spec else None,
            instruction.is_idle,
        )
        (strays if place is None else groups[cell.slot]).append(cell)
    return tuple(map(tuple, groups.values()))


def _text(isa: Isa, instruction: Instruction) -> str:
    mnemonic, *operands = instruction.words
    return f"{mnemonic} {isa.surface.operand_separator.join(operands)}".rstrip()


def _current(program: Program, offset: int) -> int | None:
    """Return the row of the bundle at an offset, or of the one that ends before it on its line."""
    number = program.bundle_at(offset)
    start, syntax = program.starts[number], program.bundles[number].syntax
    is_ahead = not syntax.words or offset < start + syntax.spans[0].start
    if number and is_ahead and not set(program.text[start - 1 : offset]) & {"\n", "\r"}:
        number -= 1
    return program.addresses[number] if program.bundles[number].size else None
