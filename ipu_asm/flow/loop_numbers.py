"""Trips and cycles of loops, whichever way they are known, and trips in words.

Where no data decides control, they come from the control run; in other sets from constants.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.summary import Count, LoopSummary, count_text
from ipu_asm.flow.counted_loops.loops import CountedLoop, CountedLoops, counted_loops
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


def loop_numbers(program: Program, facts: ControlFacts | None) -> Mapping[int, LoopSummary]:
    """Return the numbers of loops by their first address: those of a control run, if there is one.

    There are none of a run that does not reach its end.
    """
    if facts is not None:
        return facts.summary.loops if facts.is_complete else {}
    return _counted_numbers(program)


def executions_of(program: Program, facts: ControlFacts | None) -> Sequence[Count] | None:
    """Return how often the bundle at each address is executed; None if the end is not known."""
    if facts is not None:
        return facts.summary.executions if facts.is_complete else None
    whole = counted_loops(program).whole
    if whole is None or whole.issued is None:
        return None
    return [whole.issued.get(address, 0) for address in range(program.size)]


def total_cycles(program: Program, facts: ControlFacts | None) -> Count:
    """Return the cycles from the first bundle to the end; None if they are not known."""
    if facts is not None:
        return cycles_of_run(facts)
    whole = counted_loops(program).whole
    return None if whole is None else whole.cycles


class Peak(NamedTuple):
    """What the widest matrix operation of a program does in a cycle, and how much of it is done.

    A multiplication and the addition of its result are two operations.
    """

    flop_per_cycle: int
    share: float | None


def peak_of(program: Program, executions: Sequence[Count], cycles: Count) -> Peak | None:
    """Return the peak of a run; None without a matrix operation whose shape is known."""
    products = counted_loops(program).products
    known = [count for count in products.values() if count is not None]
    if not known:
        return None
    most, done = max(known), 0
    for address, count in products.items():
        times = executions[address]
        if count is None or times is None:
            return Peak(2 * most, None)
        done += count * times
    return Peak(2 * most, ratio(done, None if cycles is None else cycles * most))


def ratio(part: Count, whole: Count) -> float | None:
    """Return a fraction with four digits; None if it is not known."""
    return round(part / whole, 4) if part is not None and whole else None


def cycles_of_run(facts: ControlFacts) -> Count:
    """Return the cycles of a run up to its end; None if they are not known."""
    return facts.summary.cycles if facts.is_complete else None


def entry_trips_text(loop: LoopSummary) -> str:
    """Return the trips of an entry in words: `128`, `1..8`, `cr5`, `depends on cr5`."""
    if loop.least is not None and loop.most is not None:
        several = f"{loop.least:,}..{loop.most:,}"
        return several if loop.least < loop.most else f"{loop.most:,}"
    if loop.trips is not None:
        return count_text(loop.trips)
    return f"depends on {', '.join(loop.unknown)}" if loop.unknown else "endless"


def trips_text(loop: LoopSummary) -> str:
    """Return the trips of a loop: `128 trips`, `10 x 3 to 5 trips` if it is entered 10 times."""
    least, most, entries = loop.least, loop.most, loop.entries
    if least is None or most is None:
        return "trips not known"
    trips = f"{most:,} {'trip' if most == 1 else 'trips'}"
    trips = trips if least == most else f"{least:,} to {trips}"
    return trips if entries in (1, None) else f"{entries:,} x {trips}"


@cached_on_program
def _counted_numbers(program: Program) -> Mapping[int, LoopSummary]:
    counted = counted_loops(program)
    return {head: _summary(counted, loop) for head, loop in counted.loops.items()}


def _summary(counted: CountedLoops, loop: CountedLoop) -> LoopSummary:
    """Return the numbers of a loop.

    Where it is not known how often it is entered, its cycles are those of one entry.
    """
    whole = counted.whole
    entries = cycles = own = None
    if whole is not None and whole.issued is not None:
        entries = whole.issued.get(loop.first, 0) // loop.trips
    if entries is not None and loop.issued is not None:
        outside = _outside_of_inner(counted, loop)
        cycles = entries * sum(loop.all_issued.values())
        own = entries * sum(loop.all_issued.get(address, 0) for address in outside)
    trips = loop.trips
    numbers = (entries, trips, trips, cycles, own)
    return LoopSummary(loop.first, *numbers, trips, (), loop.entry_cycles)


def _outside_of_inner(counted: CountedLoops, loop: CountedLoop) -> list[int]:
    """Return the addresses of a loop that are in none of the loops inside it."""
    inner = [
        other
        for other in counted.loops.values()
        if other is not loop and loop.first <= other.first and other.last <= loop.last
    ]
    every = range(loop.first, loop.last + 1)
    return [a for a in every if not any(each.first <= a <= each.last for each in inner)]
