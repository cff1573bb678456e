"""Annotations of machine code: it is analysed as the assembly that `ipu-as disassemble` writes."""

from __future__ import annotations

from collections import defaultdict
from typing import Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.code_files import CodeFile
from ipu_asm.assembler.code_text import CodeLine
from ipu_asm.flow.accesses import slow_writes
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.flow.loops import loops_of
from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex

_CODE_COLUMN = 48


def analysed(file: CodeFile, name: str, analyzer: Analyzer | None = None) -> Analysis:
    """Return the analysis of the assembly of a file, in which targets are labels."""
    analyzer = analyzer or Analyzer(file.isa)
    return analyzer.analyze(file.text(has_labels=True), name)


def annotated(file: CodeFile, lines: Sequence[CodeLine], name: str) -> str:
    """Return the lines of a file with comments: a text that assembles to the same bytes.

    In front are address and bytes, after where results land, delay slots and the ends of loops.
    Findings are below their lines.
    """
    analysis = analysed(file, name)
    comment = file.isa.surface.comments[0]
    notes, below = _notes(file, lines, analysis), _findings(analysis)
    width = max((line.size for line in lines if line.instructions), default=0)
    shown = []
    for number, line in enumerate(lines):
        text = line.text.rstrip()
        if notes[number]:
            text = f"{text:<{_CODE_COLUMN}} {comment} {'; '.join(notes[number])}"
        shown.append(_front(file, line, width) + text)
        shown += [f"{comment} ^ {each}" for each in below[number]]
    return "".join(f"{line}\n" for line in shown)


def _front(file: CodeFile, line: CodeLine, width: int) -> str:
    pair = next(iter(file.isa.surface.block_comments), None)
    if not line.size or pair is None:
        return ""
    section = file.code.sections[line.section]
    data = section.data[line.offset : line.offset + min(line.size, width)] if width else b""
    opening, closing = pair
    address = section.address + line.offset
    return f"{opening} {address:6x}: {data.hex(' '):<{3 * width}}{closing}"


def _findings(analysis: Analysis) -> dict[int, list[str]]:
    """Code, severity and message of findings, by line."""
    found: dict[int, list[str]] = defaultdict(list)
    for each in analysis.diagnostics:
        if each.path is None:
            line = analysis.source.lines.position(each.span.start).line
            found[line].append(f"{each.code} {each.severity.label}: {each.message}")
    return found


def _notes(file: CodeFile, lines: Sequence[CodeLine], analysis: Analysis) -> dict[int, list[str]]:
    """What is known about the units of code, by line."""
    program = analysis.effective_program
    rows = _rows(program)
    found: dict[int, list[str]] = defaultdict(list)

    def place(number: int) -> str:
        line = lines[rows[number]]
        return f"{file.code.sections[line.section].address + line.offset:#x}"

    for number, row in rows.items():
        for write in slow_writes(program, number):
            at = f" ({place(write.lands_in)})" if write.lands_in in rows else ""
            found[row].append(f"{write.access.register} lands +{write.latency}{at}")
    for number in rows:
        slots = delay_slots_of(program.bundles[number])
        behind = range(program.addresses[number] + 1, program.addresses[number] + slots + 1)
        for count, address in enumerate(behind, 1):
            if address < program.size:
                row = rows[program.bundle_at_address[address]]
                found[row].append(f"delay slot {count} of {slots}")
    for loop in loops_of(program):
        first, last = (program.bundle_at_address[each] for each in (loop.first, loop.last))
        found[rows[first]].append(f"loop of {loop.size} up to {place(last)}")
        found[rows[last]].append(f"end of the loop at {place(first)}")
    return found


def _rows(program: Program) -> dict[int, int]:
    """The line of each bundle of code, by the number of the bundle."""
    lines = LineIndex.of(program.text)
    starts = {
        number: program.span(number, program.bundles[number].first_token).start
        for number in program.bundle_at_address
    }
    return {number: lines.position(start).line for number, start in starts.items()}
