"""Steps from line to line of the source: where forward ones end, and where backward ones do."""

from __future__ import annotations

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.history import History, Pause
from ipu_asm.emulator.state import INST_MEM_SIZE


def ends_of_line(resolver: BreakpointResolver, address: int) -> frozenset[int]:
    """Where a step from a bundle ends: in front of other lines, or of its own line's beginning."""
    line = resolver.bundles_beside(address)
    return frozenset(range(INST_MEM_SIZE)).difference(line[1:])


def last_line_start(
    history: History, resolver: BreakpointResolver, until: int, pause: Pause
) -> tuple[tuple[int, int] | None, bool]:
    """Cycle and bundle at which the last line on the way was begun, and whether a pause came.

    A line begins in front of its first bundle, and wherever one comes to it from another line.
    """
    state, found = history.ipu.state, None
    arrivals: list[int] = []

    def note(pc: int) -> bool:
        arrivals.append(pc)
        return False

    def stay() -> bool:
        arrivals.append(state.program_counter)
        return True

    while history.cycle < until:
        first, inside = history.cycle + 1, resolver.bundles_beside(state.program_counter)[1:]
        arrivals.clear()
        history.advance(until, note, stay)
        for cycle, pc in enumerate(arrivals, first):
            if pc not in inside:
                found, inside = (cycle, pc), resolver.bundles_beside(pc)[1:]
        if pause():
            return found, True
    return found, False
