"""Iterations and cycles of loops, as editors show them."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.flow.accesses import LIVE
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import ENDLESS
from ipu_asm.flow.control_run.summary import LoopSummary
from ipu_asm.flow.counted_loops.loops import counted_loops, repeats_bundles
from ipu_asm.flow.loop_numbers import entry_trips_text, loop_numbers, total_cycles, trips_text
from ipu_asm.flow.loops import SourceLoop, loops_of
from ipu_asm.flow.steady_loops import LoopBound, loop_bound, register_windows, steady_loop
from ipu_asm.ide.pages.instruction import reads_of_changed_registers
from ipu_asm.ide.run_facts import configuration_phrase, listed, shown_facts, unknown_registers
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.reports.performance.picture import Cell, causes_by_slot
from ipu_asm.text import counted


class LoopCost(NamedTuple):
    """The trips and cycles of a loop in words; without known cycles, why they are not known."""

    text: str
    has_cycles: bool


class BranchRemark(NamedTuple):
    """How often a branch is taken: as a hint, and as a sentence."""

    hint: str
    sentence: str


def loop_cost(program: Program, loop: SourceLoop) -> LoopCost:
    """Return the cycles of a loop: `128 trips x 1 bundle = 128 cycles of 1,304`."""
    facts = shown_facts(program)
    found = loop_numbers(program, facts).get(loop.first)
    cycles = "" if found is None else _cycles(program, found)
    if found is None or not cycles:
        return LoopCost(_without_cycles(program, loop), False)
    trips = trips_text(found)
    if _is_product(found, loop):
        trips += f" x {counted(loop.size, program.isa.unit)}"
    return LoopCost(f"{trips} = {cycles}{configuration_phrase(program)}", True)


def bound_text(program: Program, loop: SourceLoop) -> str:
    """Return what bounds a loop: `bound by xmem, lr`; "" if it is no single block.

    That is slots or a dependence. If they take fewer bundles than the loop has: `bound by lr (11 of
    16 bundles)`.
    """
    bound = _bound(program, loop)
    if bound is None or bound.bundles > loop.size:
        return ""  # several paths, or a bundle with more instructions than slots
    is_carried = bound.recurrence.bundles == bound.bundles
    other = "a dependence" if is_carried else "its branch with delay slots"
    text = f"bound by {', '.join(bound.slots) or other}"
    if bound.bundles == loop.size:
        return text
    return f"{text} ({bound.bundles} of {counted(loop.size, program.isa.unit)})"


@cached_on_program
def causes_of_empty_slots(program: Program) -> Mapping[int, tuple[Cell | None, ...]]:
    """Map the addresses of bundles in loops to the causes of empty slots, by slot in order."""
    found: dict[int, tuple[Cell | None, ...]] = {}
    for loop in loops_of(program):
        bound = _bound(program, loop)
        if bound is not None:
            found.update(enumerate(causes_by_slot(program, loop, bound), loop.first))
    return found


def _bound(program: Program, loop: SourceLoop) -> LoopBound | None:
    """Return the bound of a loop, which a lens and the slot grid ask for."""
    known, key = _known_bounds(program), (loop.first, loop.last)
    if key not in known:
        steady = steady_loop(program, *key) if program.isa.has_exposed_pipeline else None
        known[key] = loop_bound(program, loop, shown_facts(program), steady)
    return known[key]


@cached_on_program
def _known_bounds(_program: Program) -> dict[tuple[int, int], LoopBound | None]:
    """Return the bounds of those loops that were asked for, by first and last address."""
    return {}


def loop_paragraph(program: Program, address: int) -> str:
    """Return trips, cycles and share of the loop that begins at an address; "" if there is none."""
    loop, facts = _loops_by_head(program).get(address), shown_facts(program)
    if loop is None:
        return ""
    found = loop_numbers(program, facts).get(address)
    cycles = "" if found is None else _cycles(program, found)
    if found is None or not cycles:
        text = _without_cycles(program, loop)
        return f"Loop: {text}" if text else ""
    text = f"Loop: {trips_text(found)}, {cycles}"
    total = total_cycles(program, shown_facts(program))
    if total and found.cycles is not None:
        text += f" ({100 * found.cycles // total} %)"
    if found.own_cycles is not None and found.own_cycles != found.cycles:
        text += f", {found.own_cycles:,} without the loops inside"
    return text + configuration_phrase(program)


def free_windows(program: Program, number: int, register: str) -> str:
    """Return when a register holds nothing that is read in the loop around a bundle; "" if unknown.

    A window that ends in the next iteration has an end after the last bundle.
    """
    address = program.addresses[number]
    around = [each for each in loops_of(program) if each.first <= address <= each.last]
    if not around or not program.isa.has_exposed_pipeline:
        return ""
    loop = min(around, key=lambda each: each.size)
    units = program.isa.units(register)
    for name, windows in _free_by_loop(program).get(loop.first, {}).items():
        if units <= program.isa.units(name):
            cycles = [f"{a}-{b - 1}" if b > a + 1 else str(a) for a, b in windows]
            when = f"free in cycles {', '.join(cycles)}" if cycles else "never free"
            return f"`{name}` is {when} of an iteration of {counted(loop.size, program.isa.unit)}."
    return ""


@cached_on_program
def _free_by_loop(program: Program) -> dict[int, dict[str, tuple[tuple[int, int], ...]]]:
    found: dict[int, dict[str, tuple[tuple[int, int], ...]]] = {}
    for loop in loops_of(program):
        steady = steady_loop(program, loop.first, loop.last)
        files = register_windows(steady) if steady is not None else ()
        found[loop.first] = {name: free for file in files for name, free in file.free.items()}
    return found


def loop_detail(program: Program, address: int) -> str:
    """Return the trips of the loop that begins at an address, "" if they are not known."""
    found = loop_numbers(program, shown_facts(program)).get(address)
    return "" if found is None or found.least is None else trips_text(found)


def branch_remark(program: Program, address: int, target: int | None) -> BranchRemark | None:
    """Return how often a conditional branch is taken; None if that is not known.

    The branch that closes a loop has the trips of the loop.
    """
    facts = shown_facts(program)
    if facts is None:
        return _remark_of_counter(program, address, target)
    branch = facts.run.steps[address].branch
    if branch is None:
        return None
    loop = _closed_loop(program, facts, address, target)
    settled = None if loop is None else loop_numbers(program, shown_facts(program)).get(loop.first)
    if loop is not None and (settled is None or settled.least is None):
        text = _without_cycles(program, loop)
        return _of_loop(program, address, text, f"the loop: {text}") if text else None
    taken, not_taken = facts.summary.taken.get(address, (None, None))
    if not facts.is_complete or taken is None or not_taken is None:
        return None
    times = taken + not_taken
    sentence = f"taken {taken:,} of {counted(times, 'time')}"
    if settled is None:
        hint = f"taken {taken:,} of {times:,}"
        return BranchRemark(hint, sentence) if branch.relation else None
    return _of_loop(program, address, trips_text(settled), sentence)


def repeat_remark(program: Program, address: int) -> BranchRemark | None:
    """Return how often the instruction at an address repeats the bundles after it, if known."""
    if not repeats_bundles(program, address):
        return None
    found = loop_numbers(program, None).get(address + 1)
    return None if found is None else _remark_of(found)


def _remark_of_counter(program: Program, address: int, target: int | None) -> BranchRemark | None:
    """Return the trips of a loop that a branch closes or whose head an instruction names."""
    loop = None if target is None else _loops_by_head(program).get(target)
    found = None if loop is None else loop_numbers(program, shown_facts(program)).get(loop.first)
    if loop is None or found is None:
        return None
    bundle = program.bundles[program.bundle_at_address[address]]
    closes = address + delay_slots_of(bundle) == loop.last
    return _remark_of(found) if closes or bundle.flow is None else None


def _remark_of(found: LoopSummary) -> BranchRemark:
    text = trips_text(found)
    return BranchRemark(text, f"the loop has {text}")


def _of_loop(program: Program, address: int, trips: str, sentence: str) -> BranchRemark:
    """Return the remark of a branch back to a loop; it says whether an old value is compared."""
    if "trip" not in trips or not _compares_old_value(program, address):
        return BranchRemark(trips, sentence)
    late = f"it compares the value from before the change in this {program.isa.unit}"
    return BranchRemark(f"{trips} (old value)", f"{sentence}; {late}")


@cached_on_program
def _loops_by_head(program: Program) -> dict[int, SourceLoop]:
    return {loop.first: loop for loop in loops_of(program)}


def _closed_loop(
    program: Program, facts: ControlFacts, address: int, target: int | None
) -> SourceLoop | None:
    """Return the loop of which a branch is the last one back to the head."""
    loop = None if target is None else _loops_by_head(program).get(target)
    if loop is None or not loop.first <= address <= loop.last:
        return None
    later = range(address + 1, loop.last + 1)
    return None if any(facts.run.steps[each].branch for each in later) else loop


def _compares_old_value(program: Program, address: int) -> bool:
    """Return whether a branch compares a register from before a change in the same bundle."""
    bundle = program.bundles[program.bundle_at_address[address]]
    for read in reads_of_changed_registers(program.isa, bundle):
        spec = bundle.instructions[read.instruction].spec
        if read.timing.read != LIVE and spec is not None and spec.flow == "branch":
            return True
    return False


def _without_cycles(program: Program, loop: SourceLoop) -> str:
    """Return the trips of a loop without known cycles, or why they are not known.

    That is "" if the run ends before or after the loop.
    """
    facts = shown_facts(program)
    if facts is None:
        counter = loop_numbers(program, shown_facts(program)).get(loop.first)
        argument = counted_loops(program).counts.get(loop.first)
        if counter is None and argument:
            return f"{argument} trips"
        return "" if counter is None else trips_text(counter)
    if facts.is_complete:
        found = facts.summary.loops.get(loop.first)
        return "never runs" if found is None else _unknown_trips(found)
    end, unknown = facts.run.end, unknown_registers(facts)
    if not loop.first <= end.address <= loop.last:
        return ""
    if end.reason == ENDLESS:
        return "never ends"
    return f"trips depend on {listed(unknown)}" if unknown else ""


def _unknown_trips(found: LoopSummary) -> str:
    if found.least is not None:
        return ""
    text = entry_trips_text(found)
    return f"trips {text.replace('depends', 'depend')}" if "depends" in text else f"{text} trips"


def _is_product(found: LoopSummary, loop: SourceLoop) -> bool:
    """Return whether all cycles are trips times the bundles of the loop."""
    if found.least is None or found.least != found.most:
        return False
    if found.cycles is None or found.entries is None:
        return found.entry_cycles == found.least * loop.size
    return found.cycles == found.entries * found.least * loop.size


def _cycles(program: Program, found: LoopSummary) -> str:
    """Return the cycles of a loop: `128 cycles of 1,304`, `10 cycles an entry`; "" if unknown."""
    if found.cycles is not None:
        total = total_cycles(program, shown_facts(program))
        of_total = "" if total is None else f" of {total:,}"
        return f"{counted(found.cycles, 'cycle')}{of_total}"
    if found.entry_cycles is None:
        return ""
    return f"{counted(found.entry_cycles, 'cycle')} an entry"
