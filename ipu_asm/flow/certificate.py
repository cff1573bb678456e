"""The latency certificate of a text: whether each instruction gets the value that is meant for it.

A read before a result has landed sees the value from before. That is right, and good style in a
pipelined loop, where the result reaches another reader in time; so the certificate asks of every
result on every path that it is not lost:

- no read comes too early for a result that nothing else reads, or of what nothing has written, and
  none gets the same value in the first two iterations of a loop
- no read gets one part of a register from a result and another part from before it
- no result stays behind that a later instruction was to replace unread
- no operand that is read late is overwritten before
- across calls and returns no read is early at all: nobody relies on that

What a file does not contain is not certified: results that are on their way where control leaves
it, or cycles that no public text states.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping

from ipu_asm.flow.accesses import RegisterAccess, needed_distance
from ipu_asm.flow.control_flow import functions_of
from ipu_asm.flow.landing import LOST_TRACK, Departure, Flights, Meeting, flights_of, pipeline_graph
from ipu_asm.flow.lost_results import MAX_BACK, FunctionBody, is_torn, losses_of, main_results
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

EARLY, UNWRITTEN, TORN, STALE, OVERWRITTEN = "early", "unwritten", "torn", "stale", "overwritten"


class Breach(NamedTuple):
    """A latency that a path breaks; `kind` is one of the constants above."""

    kind: str
    meeting: Meeting


class Certificate(NamedTuple):
    """What is certain about all results of a text.

    `paths` is the number of different paths that results were followed on until they landed.
    `overlaps` are the reads of an earlier value on purpose. Of `relied`, code outside of the text
    must let the result land; `unclear` are those that could not be followed, and early reads where
    a cycle is not public.
    """

    breaches: tuple[Breach, ...]
    relied: tuple[Departure, ...]
    unclear: tuple[Departure | Meeting, ...]
    overlaps: int
    paths: int


@cached_on_program
def certificate_of(program: Program) -> Certificate:
    """Return the certificate of a text in a set that declares when results land."""
    flights = flights_of(program)
    breaches = [*_breaches(program, flights)]
    unclear: list[Departure | Meeting] = [m for m in flights.early if m.needed is None]
    unclear += [each for each in flights.departures if each.how == LOST_TRACK]
    broken = {_key(each.meeting) for each in breaches}
    overlaps = {_key(each) for each in flights.early if each.needed is not None} - broken
    return Certificate(
        tuple(_by_place(breaches)),
        tuple(each for each in flights.departures if each.how != LOST_TRACK),
        tuple(unclear),
        len(overlaps),
        flights.paths,
    )


def _key(meeting: Meeting) -> tuple[int, int, int, int, int]:
    read = meeting.other
    write = meeting.write.instruction
    return meeting.address, write, meeting.other_address, read.instruction, read.operand


def _by_place(breaches: Iterable[Breach]) -> Iterator[Breach]:
    """Yield one breach for each pair of operands, in the order of the text."""
    seen = set()
    for breach in sorted(breaches, key=lambda each: (each.meeting.other_address, each.meeting[4])):
        key = _key(breach.meeting)
        if key not in seen:
            seen.add(key)
            yield breach


def _breaches(program: Program, flights: Flights) -> Iterator[Breach]:
    lost = dict(_lost(program))
    for meeting in flights.early:
        if meeting.needed is None:
            continue
        place = meeting.address, meeting.write, meeting.other_address, meeting.other
        if place in lost:
            yield Breach(UNWRITTEN if lost[place] else EARLY, meeting)
        elif meeting.crosses:
            yield Breach(EARLY, meeting)
    for meeting in _torn_reads(program, flights):
        yield Breach(TORN, meeting)
    for meeting in flights.overtaken:
        if meeting.crosses or _is_lost(program, meeting):
            yield Breach(STALE, meeting)
    for meeting in flights.overwritten:
        yield Breach(OVERWRITTEN, meeting)


_Pair = tuple[int, RegisterAccess, int, RegisterAccess]


def _lost(program: Program) -> Iterator[tuple[_Pair, bool]]:
    """Yield the early reads of lost results, and whether nothing has written what they read."""
    for function in functions_of(program):
        body = FunctionBody(program.isa, program.bundles[function.start : function.stop])
        for number, write, read in losses_of(body, is_strict=True):
            places = [program.addresses[function.start + n] for n in (number, read.number)]
            yield (places[0], write, places[1], read.access), read.uninitialised


def _torn_reads(program: Program, flights: Flights) -> Iterator[Meeting]:
    """Yield reads of a whole register between the landings of its parts, which belong together."""
    numbers, bundles = program.bundle_at_address, program.bundles
    for meeting in flights.early:
        write, read = meeting.write, meeting.other
        if meeting.needed is None or read.units <= write.units:
            continue
        first = max(0, meeting.address - MAX_BACK)
        window = [bundles[numbers[address]] for address in range(first, meeting.address + 1)]
        if is_torn(program.isa, window, write, read, meeting.distance):
            yield meeting


def _is_lost(program: Program, meeting: Meeting) -> bool:
    """Return whether a newer result is replaced by an older one that lands later, unread."""
    accesses = pipeline_graph(program).accesses
    older, newer = meeting.write, meeting.other
    mains = main_results(accesses[meeting.other_address])
    if newer not in mains or not newer.units <= older.units:
        return False
    first = meeting.other_address
    return not any(
        meeting.distance + distance < (needed_distance(older, read) or 0)
        and distance >= (needed_distance(newer, read) or 0)
        for distance, read in _reads_behind(program, first, older.timing.def_cycle or 0)
        if not read.units.isdisjoint(newer.units)
    )


def _reads_behind(
    program: Program, start: int, bundles: int
) -> Iterator[tuple[int, RegisterAccess]]:
    """Yield all reads up to so many bundles after an address, with their distances."""
    graph = pipeline_graph(program)
    level: Mapping[int, None] = {start: None}
    for distance in range(1, bundles + 1):
        level = {target: None for each in level for target in graph.following[each]}
        for address in level:
            for access in graph.accesses[address]:
                if access.reads:
                    yield distance, access
