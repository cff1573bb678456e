"""When a result lands, and which value an operand sees that is read before one has landed.

Only the way straight down the text is looked at: what comes in by branches is another story.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.dataflow import RegisterAccess, accesses_of
from ipu_asm.flow.latency import LATEST, needed_distance
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import inline_code
from ipu_asm.text import LineIndex, Span


class Landing(NamedTuple):
    """A write whose result is there `bundles` later, in bundle number `number` of the program.

    `number` is None where the text ends before.
    """

    touch: RegisterAccess
    bundles: int
    number: int | None


class Source(NamedTuple):
    """A write before a read: the bundle it stands in, and in how many more bundles it lands.

    What has landed already waits for none.
    """

    number: int
    touch: RegisterAccess
    waits: int


def landings_of(program: Program, number: int) -> Iterator[Landing]:
    """What a bundle writes that does not land before the next one."""
    for touch in accesses_of(program.isa, program.bundles[number]):
        if touch.writes and touch.def_cycle is not None and touch.def_cycle > 1:
            yield Landing(touch, touch.def_cycle, _behind(program, number, touch.def_cycle))


def sources_of(program: Program, number: int, read: RegisterAccess) -> list[Source]:
    """The writes that a read comes too early for, the nearest first, and the one that it sees.

    That one is the last of the list, if it stands within reach and waits for nothing.
    """
    found: list[Source] = []
    address = program.addresses[number]
    for distance in range(1, min(address, 2 * LATEST) + 1):
        before = program.bundle_at_address[address - distance]
        if program.bundles[before].flow in ("jump", "indirect"):
            break
        for touch in accesses_of(program.isa, program.bundles[before]):
            if not touch.writes or touch.units.isdisjoint(read.units):
                continue
            needed = needed_distance(touch, read)
            if needed is None:
                return found
            found.append(Source(before, touch, max(needed - distance, 0)))
            if needed <= distance and touch.units >= read.units:
                return found
    return found


def sentences_about_landing(
    program: Program, lines: LineIndex, number: int, instruction: int, operand: int
) -> Iterator[str]:
    """What there is to say about the registers of one operand."""
    bundle = program.bundles[number]
    for landing in landings_of(program, number):
        if (landing.touch.instruction, landing.touch.operand) == (instruction, operand):
            there = line_text(program, lines, landing.number)
            yield f"`{landing.touch.register}` lands {landing.bundles} bundles later{there}."
    for touch in accesses_of(program.isa, bundle):
        if touch.reads and (touch.instruction, touch.operand) == (instruction, operand):
            yield from _about_read(program, lines, number, touch)


def _about_read(
    program: Program, lines: LineIndex, number: int, read: RegisterAccess
) -> Iterator[str]:
    for source in sources_of(program, number, read):
        mnemonic = program.bundles[source.number].instructions[source.touch.instruction].mnemonic
        place = f"{inline_code(mnemonic)}{line_text(program, lines, source.number)}"
        if source.waits:
            more = "bundle" if source.waits == 1 else "bundles"
            yield (
                f"Sees the value of `{read.register}` from **before** {place}, whose result lands "
                f"{source.waits} {more} later."
            )
        else:
            yield f"Sees the result of {place}."


def _behind(program: Program, number: int, bundles: int) -> int | None:
    address = program.addresses[number] + bundles
    return program.bundle_at_address[address] if address < program.size else None


def line_text(program: Program, lines: LineIndex, number: int | None) -> str:
    """The line of a bundle in brackets; nothing where there is no bundle."""
    if number is None:
        return ""
    start = program.span(number, _first(program.bundles[number])).start
    return f" (line {lines.position(start).line + 1})"


def _first(bundle: Bundle) -> Span:
    return bundle.syntax.mnemonic_span(0) if bundle.instructions else bundle.first_token
