"""Comments that give a value to a register which the host sets: ``# CR cr4 = 128``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Iterator

from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.ide.control_run.configurations import shown_facts
from ipu_asm.ide.expansions import reading_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_EXAMPLE: Final = 128
_MOST: Final = 3


class HostValue(NamedTuple):
    """A register of which cycles or addresses depend, and the edit that gives it a value."""

    register: str
    comment: str
    edit: TextEdit


def missing_host_values(analysis: Analysis, span: Span) -> Iterator[HostValue]:
    """Yield the registers without a known value that the bundle at a span depends on.

    These are the base registers of its loads and stores, and what the trips of the loops around it
    depend on. The comment goes to the head of the file, with a number to be changed.
    """
    reading, offset = reading_at(analysis, span.start)
    program = reading.analysis.program
    marks = program.isa.surface.comments
    text = analysis.text
    start = int(text.startswith("\ufeff"))
    line_break = "\r\n" if "\r\n" in text else "\n"
    for register in _unknown_registers(program, offset)[:_MOST]:
        comment = f"{marks[0]} CR {register} = {_EXAMPLE}"
        edit = TextEdit(Span(start, start), f"{comment}{line_break}")
        yield HostValue(register, comment, edit)


def _unknown_registers(program: Program, offset: int) -> list[str]:
    facts, number = shown_facts(program), program.bundle_at(offset)
    if facts is None or program.addresses[number] >= program.size:
        return []
    address = program.addresses[number]
    found: dict[str, None] = {}
    for loop in enclosing_loops(program, address):
        summary = facts.summary.loops.get(loop.start)
        found.update(dict.fromkeys(summary.unknown if summary else ()))
        if facts.run.end.address in loop:
            found.update(dict.fromkeys(facts.run.end.unknown))
    for access in facts.accesses_at(address):
        if facts.base(access) is None:
            found.update(dict.fromkeys(facts.base_names(access)))
    return list(found)
