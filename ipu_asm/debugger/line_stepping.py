"""Steps by source lines: where they end, forwards and backwards."""

from __future__ import annotations

from functools import partial

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.debugger.history import History, Pause
from ipu_asm.emulator.state import AnyState


def ends_of_line(resolver: BreakpointResolver, state: AnyState) -> frozenset[int]:
    """Return the addresses where a step from a state ends: other lines, or its line's start."""
    line = resolver.bundles_on_same_line(state.program_counter)
    return frozenset(range(state.program_limit)).difference(line[1:])


def last_line_start(
    history: History, resolver: BreakpointResolver, until: int, pause: Pause
) -> tuple[tuple[int, int] | None, bool]:
    """Return cycle and bundle of the last line start on the way, and whether it was paused.

    A line starts in front of its first bundle, and wherever control enters it from another line.
    """
    state, found = history.machine.state, None
    while history.cycle < until:
        inside = resolver.bundles_on_same_line(state.program_counter)[1:]
        history.run_to_mark(until, partial(_is_outside, inside))
        pc = state.program_counter
        if pc not in inside:
            found = history.cycle, pc
        history.apply_edits()
        if pause():
            return found, True
    return found, False


def _is_outside(inside: range, pc: int) -> bool:
    return pc not in inside
