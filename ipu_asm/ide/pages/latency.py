"""Sentences about latency: when a result lands, and which value an operand sees before that.

Only straight-line order counts; branches into the code are not followed.
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.accesses import RegisterAccess, accesses_of
from ipu_asm.flow.latency import reaching_writes, slow_writes
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import LineIndex, Span


def sentences_about_latency(
    program: Program, lines: LineIndex, number: int, instruction: int, operand: int
) -> Iterator[str]:
    """Yield the sentences about the registers of one operand of bundle `number`."""
    for access, latency, lands_in in slow_writes(program, number):
        if (access.instruction, access.operand) == (instruction, operand):
            there = line_text(program, lines, lands_in)
            yield f"`{access.register}` lands {latency} bundles later{there}."
    for access in accesses_of(program.isa, program.bundles[number]):
        if access.reads and (access.instruction, access.operand) == (instruction, operand):
            yield from _about_read(program, lines, number, access)


def _about_read(
    program: Program, lines: LineIndex, number: int, read: RegisterAccess
) -> Iterator[str]:
    for write in reaching_writes(program, number, read):
        mnemonic = program.bundles[write.number].instructions[write.access.instruction].mnemonic
        place = f"{inline_code(mnemonic)}{line_text(program, lines, write.number)}"
        if write.remaining:
            more = "bundle" if write.remaining == 1 else "bundles"
            yield (
                f"Sees the value of `{read.register}` from **before** {place}, whose result lands "
                f"{write.remaining} {more} later."
            )
        else:
            yield f"Sees the result of {place}."


def line_text(program: Program, lines: LineIndex, number: int | None) -> str:
    """Return the line of a bundle in parentheses; "" for no bundle."""
    if number is None:
        return ""
    start = program.span(number, _first(program.bundles[number])).start
    return f" (line {lines.position(start).line + 1})"


def _first(bundle: Bundle) -> Span:
    return bundle.syntax.mnemonic_span(0) if bundle.instructions else bundle.first_token
