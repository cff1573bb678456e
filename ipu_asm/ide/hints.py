"""Inlay hints, code lenses, and the values to show beside a program that is debugged."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Collection, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.flow.accesses import LIVE, accesses_of, cycles_of, slow_writes
from ipu_asm.flow.loop_numbers import executions_of
from ipu_asm.flow.loops import SourceLoop, enclosing_loops, loops_of
from ipu_asm.ide import (
    ADDRESSES,
    CYCLES,
    EXPANSIONS,
    IMMEDIATES,
    LANDINGS,
    LOOPS,
    REFERENCES,
    TIME,
    TRIPS,
    VALUES,
)
from ipu_asm.ide.expansions import is_template, reading_at, whole_reading
from ipu_asm.ide.loop_counts import bound_text, branch_remark, loop_cost, repeat_remark
from ipu_asm.ide.macros import bodies
from ipu_asm.ide.pages.instruction import line_text, reads_of_changed_registers
from ipu_asm.ide.run_facts import shown_facts
from ipu_asm.ide.symbols.parameters import MARK
from ipu_asm.ide.syntax_element import comment_at, end_of_bundle
from ipu_asm.ide.template_pages import block_sizes, output_values
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import IntegerType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.code_positions import ALIGNING
from ipu_asm.program.program import Program, is_local
from ipu_asm.text import Span, counted


class InlineValue(NamedTuple):
    """The span of a register's name, and the expression that evaluates to its value."""

    span: Span
    expression: str


class CodeLens(NamedTuple):
    """A text above the label at `span`."""

    span: Span
    text: str
    family: str


class InlayHint(NamedTuple):
    """A hint after the word that ends at `offset`; `tooltip` is the same as a sentence."""

    offset: int
    text: str
    family: str
    tooltip: str


def inlay_hints(analysis: Analysis, span: Span, families: Collection[str]) -> list[InlayHint]:
    """Return the hints of some families in a span, sorted by offset."""
    if is_template(analysis):
        return _of_template(analysis, span, families)
    program = analysis.program
    first, last = program.bundle_at(span.start), program.bundle_at(span.end)
    found: list[InlayHint] = []
    for number in range(first, last + 1):
        start = program.starts[number]
        for hint in _of_bundle(analysis.isa, program.bundles[number]):
            if hint.family in families:
                found.append(hint._replace(offset=start + hint.offset))
    if ADDRESSES in families:
        found += _addresses(analysis, first, last)
        found += _no_ops(analysis, first, last)
    if LANDINGS in families:
        found += _latencies(analysis, first, last)
    if TRIPS in families:
        found += _trips(analysis, first, last)
    if CYCLES in families:
        found += _cycles(analysis, first, last)
    return sorted((hint for hint in found if span.touches(hint.offset)), key=_order)


def _order(hint: InlayHint) -> tuple[int, bool, str]:
    """Sort by offset; what belongs to an operand comes before what only follows it."""
    return hint.offset, hint.text.startswith(" "), hint.text


def _of_template(analysis: Analysis, span: Span, families: Collection[str]) -> list[InlayHint]:
    """Return the hints of the first expansion: where a place is rendered often, those of the first.

    A hint after a value is after the whole tag.
    """
    reading = whole_reading(analysis)
    everything = Span(0, len(reading.analysis.text))
    found: dict[tuple[int, str], InlayHint] = {}
    for hint in inlay_hints(reading.analysis, everything, families):
        end = reading.written(Span(hint.offset - 1, hint.offset)).end
        found.setdefault((end, hint.family), hint._replace(offset=end))
    hints = [hint for hint in found.values() if span.touches(hint.offset)]
    if VALUES in families:
        for (_, end), text in output_values(analysis, span):
            hints.append(InlayHint(end, f" = {text}", VALUES, f"expands to `{text}`"))
    return sorted(hints, key=_order)


def _addresses(analysis: Analysis, first: int, last: int) -> Iterator[InlayHint]:
    """Yield the addresses of labels, at their definitions and at references to them.

    Bundles in macro bodies have no address.
    """
    program = analysis.program
    unit = analysis.isa.unit
    in_bodies = bodies(program)
    for number in range(first, last + 1):
        if number in in_bodies:
            continue
        bundle = program.bundles[number]
        if bundle.label is not None and bundle.size:
            token = bundle.syntax.plan.label
            end = program.span(number, bundle.syntax.span_of(token, token + 1)).end
            address = program.addresses[number]
            yield InlayHint(end, f" {address}", ADDRESSES, f"the label is at {unit} {address}")
        for reference in program.references_of(number):
            if reference.target is not None:
                end = program.reference_span(reference).end
                text = f"the target is {unit} {reference.target}"
                yield InlayHint(end, f" → {reference.target}", ADDRESSES, text)


def _no_ops(analysis: Analysis, first: int, last: int) -> Iterator[InlayHint]:
    """Yield the no-ops that the assembler inserts at alignments, where their number is known."""
    program, sizes = analysis.program, analysis.isa.code_sizes
    for number in range(first, last + 1):
        bundle = program.bundles[number]
        if sizes is not None and bundle.size and bundle.directive in ALIGNING:
            count, syntax = bundle.size, bundle.syntax
            text = f"{count} {sizes.no_op}" if count > 1 else f"a {sizes.no_op}"
            of_bytes = "" if sizes.layouts else f" of {sizes.single} bytes"
            tooltip = f"the assembler inserts {text}{of_bytes} here{_in_loop(analysis, number)}"
            end = program.starts[number] + syntax.spans[syntax.plan.directive + 1].end
            yield InlayHint(end, f" +{count} {sizes.no_op}", ADDRESSES, tooltip)


def _in_loop(analysis: Analysis, number: int) -> str:
    """Name the innermost loop that executes what the assembler inserts at an alignment."""
    program = analysis.program
    address = program.addresses[number]
    loop = next((loop for loop in enclosing_loops(program, address) if loop.start < address), None)
    if loop is None:
        return ""
    number = program.bundle_at_address[loop.start]
    first = line_text(program, analysis.source.lines, number)
    return f", executed in each iteration of the loop{first}"


def _latencies(analysis: Analysis, first: int, last: int) -> Iterator[InlayHint]:
    """Yield the latencies of slow results, and the durations of instructions that have one.

    An instruction with arguments of a macro has no hint: its form is unknown.
    """
    program = analysis.program
    for number in range(first, last + 1):
        bundle = program.bundles[number]
        is_known = [not any(MARK in word for word in each.words) for each in bundle.instructions]
        for access, latency, lands_in in slow_writes(program, number):
            if access.operand == ON_MNEMONIC or not is_known[access.instruction]:
                continue
            operand = bundle.syntax.operand_span(access.instruction, access.operand)
            end = program.span(number, operand)
            there = line_text(program, analysis.source.lines, lands_in)
            tooltip = f"`{access.register}` lands {latency} bundles later{there}"
            yield InlayHint(end.end, f" +{latency}{there}", LANDINGS, tooltip)
        for place, instruction in enumerate(bundle.instructions):
            cycles = cycles_of(instruction) if is_known[place] else None
            if cycles is not None:
                end = program.span(number, bundle.syntax.instruction_span(place))
                unit = "cycle" if cycles == 1 else "cycles"
                tooltip = f"takes about {cycles} {unit}, estimated from its operands"
                yield InlayHint(end.end, f" {cycles} {unit}", LANDINGS, tooltip)


def _trips(analysis: Analysis, first: int, last: int) -> Iterator[InlayHint]:
    """Yield the trips of loops after their branches, and how often other branches are taken."""
    program = analysis.program
    # The hint of a bundle may be where the next one begins.
    for number in range(max(first - 1, 0), last + 1):
        for reference in program.references_of(number):
            remark = branch_remark(program, program.addresses[number], reference.target)
            if remark is not None:
                end = program.reference_span(reference).end
                rest = program.text[end : end_of_bundle(program, number)]
                # Not between the last instruction and what ends its bundle.
                if not rest.strip(" ;"):
                    end += len(rest)
                end = _after_comment(program, end)
                yield InlayHint(end, f" {remark.hint}", TRIPS, remark.sentence)
        size = program.bundles[number].size
        remark = repeat_remark(program, program.addresses[number]) if size else None
        if remark is not None:
            end = _after_comment(program, end_of_bundle(program, number))
            yield InlayHint(end, f" {remark.hint}", TRIPS, remark.sentence)


def _cycles(analysis: Analysis, first: int, last: int) -> Iterator[InlayHint]:
    """Yield the cycles of each bundle that is executed more or less often than the one before."""
    program, unit = analysis.program, analysis.isa.unit
    executions = executions_of(program, shown_facts(program))
    if executions is None:
        return
    # The hint of a bundle is where the next one begins.
    for number in range(max(first - 1, 0), last + 1):
        address = program.addresses[number]
        if not program.bundles[number].instructions:
            continue
        count = executions[address]
        if count is not None and (address == 0 or count != executions[address - 1]):
            text = counted(count, "cycle") if count else "never runs"
            tooltip = f"this {unit} is executed {counted(count, 'time')}"
            end = _after_comment(program, end_of_bundle(program, number))
            yield InlayHint(end, f" {text}", CYCLES, tooltip)


def _after_comment(program: Program, offset: int) -> int:
    """Return the end of the line if it ends in a comment, which so keeps its column."""
    line_end = program.text.find("\n", offset)
    line_end = len(program.text) if line_end < 0 else line_end
    end = offset + len(program.text[offset:line_end].rstrip())
    last = comment_at(program, program.bundle_at(end), end)
    return end if last is not None and last.start >= offset else offset


@cached_on_bundle
def _of_bundle(isa: Isa, bundle: Bundle) -> tuple[InlayHint, ...]:
    """Return the hints that depend on the bundle alone; offsets count from its start."""
    return (*_immediates(bundle), *_read_timing(isa, bundle))


def _immediates(bundle: Bundle) -> Iterator[InlayHint]:
    """Yield the stored values of immediates that are written in another way."""
    for number, instruction in enumerate(bundle.instructions):
        for place, (operand, value) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is None or not isinstance(operand.type, IntegerType):
                continue
            span = bundle.value_span(number, place)
            stored = operand.type.stored(value) if isinstance(value, int) else None
            if stored is not None and bundle.syntax.text[span.start : span.end] != str(stored):
                tooltip = f"operand `{operand.name}` is {stored} ({stored:#x})"
                yield InlayHint(span.end, f" = {stored}", IMMEDIATES, tooltip)


def _read_timing(isa: Isa, bundle: Bundle) -> Iterator[InlayHint]:
    """Yield whether a read sees the old or the new value of a register that its bundle changes."""
    for access in reads_of_changed_registers(isa, bundle):
        seen = "new" if access.timing.read == LIVE else "old"
        tooltip = f"sees the {seen} value of `{access.register}`, which this {isa.unit} changes"
        if access.operand == ON_MNEMONIC:
            # After the mnemonic it would move the operands out of their column.
            end = bundle.syntax.instruction_span(access.instruction).end
            yield InlayHint(end, f" {access.register}: {seen}", TIME, tooltip)
        else:
            end = bundle.value_span(access.instruction, access.operand).end
            yield InlayHint(end, f": {seen}", TIME, tooltip)


def code_lenses(analysis: Analysis, families: Collection[str]) -> list[CodeLens]:
    """Return the lenses of some families in source order."""
    if is_template(analysis):
        return _lenses_of_template(analysis, families)
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


def _lenses_of_template(analysis: Analysis, families: Collection[str]) -> list[CodeLens]:
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


def inline_values(analysis: Analysis, span: Span, stopped: int) -> list[InlineValue]:
    """Return the scalar registers to show in `span` while the program is stopped at an offset.

    They are the registers named from the start of the innermost loop, or else from the last label,
    to the bundle that is next to execute. Each line shows a register once. In the bundle that is
    next, instructions may see different values of a register that one of them writes: it is shown
    for each of them, as `lr2@mult.ve`, which the debugger evaluates by executing the bundle.
    """
    if is_template(analysis):
        return _inline_values_of_template(analysis, span, stopped)
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


def _inline_values_of_template(analysis: Analysis, span: Span, stopped: int) -> list[InlineValue]:
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
