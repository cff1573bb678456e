"""One program under the terminal debugger: its breakpoints, moves and stops, and how it ends."""

from __future__ import annotations

import os
import shutil
import sys
from enum import Enum
from typing import Any, Callable, Collection, Final, Iterable, Mapping, Sequence, TextIO

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import ProgressBar, is_terminal, wants_color, write
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.debugger.breakpoints import (
    DEFAULT_TRAPS,
    AccessType,
    Breakpoint,
    DataBreakpoint,
    HitFilter,
    Stop,
    Trap,
    Watchpoint,
    WatchTarget,
)
from ipu_asm.debugger.conditions import ConditionReader
from ipu_asm.debugger.console import Console
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.debugger.expressions.program_names import live_context, names_from_template
from ipu_asm.debugger.inspection import Inspector, MemoryRange, StateAtCycle
from ipu_asm.debugger.inspection.comparison import Comparison
from ipu_asm.debugger.runner import HostData
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.machine import engine_of
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.run import run_end_of
from ipu_asm.emulator.run_length import RunLength
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import RunEnd, StopReason
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.register_notes import register_notes
from ipu_asm.testbench.data.memory import ExpectedFiles


class Target(NamedTuple):
    """What a breakpoint is set on: `addresses` of bundles, or `watched` data and its accesses."""

    text: str
    addresses: tuple[int, ...] = ()
    watched: WatchTarget | None = None
    access: AccessType = AccessType.WRITE


class Conditions(NamedTuple):
    """Texts of the condition, of the condition on the number of hits, and of the log message."""

    condition: str = ""
    hits: str = ""
    log: str = ""


class Entry:
    """A breakpoint with its number; `stops` counts how often it has stopped the session."""

    def __init__(self, number: int, target: Target, conditions: Conditions, once: bool) -> None:
        self.number, self.target, self.conditions = number, target, conditions
        self.is_temporary = once
        self.is_enabled = True
        self.stops = 0
        self.filter: HitFilter | None = None

    @property
    def kind(self) -> str:
        """What sort of breakpoint it is, in a word."""
        if self.target.watched is not None:
            return "watchpoint"
        return "log point" if self.conditions.log else "breakpoint"


class BreakpointTable:
    """The breakpoints of a session; each change of them is passed on to the debugger.

    `context` returns the state for conditions, `report` gets what goes wrong in them; `texts` reads
    them. `traps` are the events that stop a run.
    """

    def __init__(
        self,
        debugger: Debugger,
        context: Callable[[], LiveContext],
        report: Callable[[str], None],
        traps: Collection[Trap],
    ) -> None:
        self._debugger, self._context = debugger, context
        self.texts = ConditionReader(context, report)
        self._next = 1
        self.entries: dict[int, Entry] = {}
        self.traps: dict[Trap, str] = dict.fromkeys(traps, "")
        self._use()

    def add(self, target: Target, conditions: Conditions, is_temporary: bool = False) -> Entry:
        """Add a breakpoint. Raises `BreakpointError` for a wrong condition or log message."""
        entry = Entry(self._next, target, conditions, is_temporary)
        entry.filter = self._filter(target, conditions)
        self.entries[entry.number] = entry
        self._next += 1
        self._use()
        return entry

    def change(self, entry: Entry, conditions: Conditions) -> None:
        """Give a breakpoint other conditions; hits are counted anew. Raises `BreakpointError`."""
        entry.filter = self._filter(entry.target, conditions)
        entry.conditions = conditions
        self._use()

    def enable(self, entries: Iterable[Entry], is_enabled: bool) -> None:
        """Enable or disable breakpoints."""
        for entry in entries:
            entry.is_enabled = is_enabled
        self._use()

    def delete(self, entries: Iterable[Entry]) -> None:
        for entry in list(entries):
            self.entries.pop(entry.number, None)
        self._use()

    def set_trap(self, trap: Trap, condition: str | None) -> None:
        """Let an event stop runs where a condition holds, always for "", or never for None."""
        if condition is None:
            self.traps.pop(trap, None)
        else:
            self.texts.checked(condition)
            self.traps[trap] = condition
        self._use()

    def stopped_by(self, hits: Collection[HitFilter]) -> list[Entry]:
        """Count a stop; return the breakpoints that caused it, and delete the temporary ones."""
        found = [entry for entry in self.entries.values() if entry.filter in hits]
        for entry in found:
            entry.stops += 1
        if any(entry.is_temporary for entry in found):
            self.delete([entry for entry in found if entry.is_temporary])
        return found

    def with_temporary(self, breakpoint: Breakpoint) -> None:
        """Use one more breakpoint, which has no number, until `without_temporary`."""
        self._use(breakpoint)

    def without_temporary(self) -> None:
        """Use the numbered breakpoints only."""
        self._use()

    def _filter(self, target: Target, conditions: Conditions) -> HitFilter:
        condition = self.texts.checked(conditions.condition)
        hits = self.texts.hits(conditions.hits)
        if target.watched is not None:
            return Watchpoint(
                target.watched, target.access, lambda: self._context().view, condition, hits
            )
        return Breakpoint(target.addresses, condition, hits, self.texts.log(conditions.log))

    def _use(self, further: Breakpoint | None = None) -> None:
        used = [each.filter for each in self.entries.values() if each.is_enabled]
        at_bundles = [each for each in used if isinstance(each, Breakpoint)]
        breakpoints = self._debugger.breakpoints
        breakpoints.set_at_bundles([*at_bundles, *([further] if further else [])])
        breakpoints.set_at_data([each for each in used if isinstance(each, DataBreakpoint)])
        breakpoints.traps = {trap: self.texts.condition(text) for trap, text in self.traps.items()}


_RESET: Final = "\x1b[0m"
_MIN_WIDTH: Final = 40
_WIDTH_OF_FILES: Final = 100


class Style(Enum):
    """What coloured text means."""

    STOP = "the cause of a stop"
    FAULT = "an error"
    HERE = "where the machine is"
    SLOT = "a slot"
    FAINT = "what matters less"
    CHANGED = "a value that has changed"
    NEGATIVE = "a negative value"
    SPECIAL = "NaN or infinity"
    HEADING = "a heading"


_CODES: Final = {
    Style.STOP: "1;33", Style.FAULT: "1;31", Style.HERE: "1;32", Style.SLOT: "36",
    Style.FAINT: "2", Style.CHANGED: "1;33", Style.NEGATIVE: "34", Style.SPECIAL: "1;31",
    Style.HEADING: "1",
}  # fmt: skip


class Screen:
    """Where a session writes: `width` in columns, and whether there are colours."""

    def __init__(self, stream: TextIO | None = None, has_color: bool | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self.has_color = wants_color("auto", self._stream) if has_color is None else has_color
        self.is_terminal = is_terminal(self._stream)

    @property
    def width(self) -> int:
        """Columns of the terminal as it is now; those of a page for a file or a pipe."""
        if not self.is_terminal:
            return _WIDTH_OF_FILES
        return max(shutil.get_terminal_size((80, 24)).columns, _MIN_WIDTH)

    def paint(self, text: str, style: Style | None) -> str:
        """Return a text in a style, unchanged without colours."""
        if style is None or not self.has_color or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}{_RESET}"

    def show(self, text: str) -> None:
        """Write lines."""
        if text:
            write(f"{text}\n", self._stream)


HALTED: Final = (StopReason.BKPT, StopReason.HALTED, StopReason.ENDED)
"""Reasons of a stop after the last bundle."""

VIEWS: Final = {
    "full": "the source beside the instructions of the bundle, with the values that they see",
    "bundle": "the instructions of the bundle, with the values that they see",
    "source": "the source around the bundle",
    "line": "where the machine is",
}
"""What is shown at each stop."""


class Session:
    """A debugged program, and what the commands of a session share.

    `state` is the machine before its first bundle, `settings` are those of the host,
    `ranges` the parts of xmem that it has loaded, `data` all data of the host in it. `displays` are
    the expressions that are shown at each stop; `view` is one of `VIEWS`. `listed_to` is the last
    line that `list` has shown.
    """

    def __init__(
        self,
        kernel: Kernel,
        state: AnyState,
        options: RunOptions,
        *,
        settings: Mapping[str, Any],
        screen: Screen,
        ranges: Sequence[MemoryRange] = (),
        data: Sequence[HostData] = (),
    ) -> None:
        self.kernel, self.options, self.screen = kernel, options, screen
        self._interrupts: Interrupts | None = None
        self._progress: ProgressBar | None = None
        self._length = RunLength(kernel.program, state)
        self.debugger = Debugger(
            kernel.lines,
            state,
            DebugOptions(
                max_cycles=options.max_cycles,
                settings=settings,
                pause=self._should_pause,
                log=lambda text: screen.show(text),
                data=data,
                read_expected=ExpectedFiles(state, os.curdir),
            ),
        )
        self.debugger.machine.engine_choice = engine_of(options.engine)
        self._live = live_context(kernel.lines, state)
        self.console = Console(self.debugger, lambda: self.context)
        self.before: StateAtCycle | None = None
        template = names_from_template(kernel.expansion, machine_for(kernel.isa.name))
        self.inspector = Inspector(
            state,
            self._live,
            self.debugger.lines,
            notes={**template.remarks, **register_notes(kernel.program)},
            aliases=template.names,
            ranges=[*ranges, *dumped_ranges(options)],
        )
        traps = set(DEFAULT_TRAPS) - (set() if options.assertions else {Trap.ASSERTION})
        self.table = BreakpointTable(self.debugger, lambda: self.context, self.warn, traps)
        self.displays: dict[int, str] = {}
        self.view = "line"
        self.has_ended = False
        self.listed_to: int | None = None
        self.stop = self.debugger.stopped(StopReason.ENTRY, "at the first bundle")

    @property
    def context(self) -> LiveContext:
        """The current state of the machine, as context of expressions."""
        self._live.cycle = self.debugger.cycle
        return self._live

    @property
    def comparison(self) -> Comparison:
        """The current state compared with that at the previous stop."""
        return Comparison(self.debugger.state, self.context, self.before)

    @property
    def address(self) -> int:
        """The bundle that is executed next, or that halted the machine."""
        state = self.debugger.state
        return self.stop.pc if state.is_halted and self.stop.pc >= 0 else state.program_counter

    def warn(self, message: str) -> None:
        """Show a message about something that goes on nevertheless."""
        self.screen.show(self.screen.paint(f"warning: {message}", Style.STOP))

    def interruptible(self, action: Callable[[], object]) -> bool:
        """Do something that the first Ctrl-C pauses; return whether it was pressed."""
        with Interrupts(is_quiet=True) as interrupts:
            self._interrupts = interrupts
            try:
                action()
            finally:
                self._interrupts = None
        return interrupts.is_pending

    def move(self, move: Callable[[], Stop]) -> Stop:
        """Move the machine; the state before is what values are compared with afterwards."""
        debugger, self.listed_to = self.debugger, None
        self.before = StateAtCycle(debugger.state.save(), debugger.cycle)
        self._progress = ProgressBar(
            self.options.max_cycles, sys.stderr, length=lambda: self._length.cycles
        )
        try:
            self.stop = move()
        finally:
            self._progress.clear()
            self._progress = None
            self.refresh()
        return self.stop

    def recover(self) -> None:
        """Bring the machine to a whole bundle after a move that was broken off within one."""
        debugger = self.debugger
        cycle = debugger.cycle
        self.move(lambda: debugger.go_to(cycle - 1))
        self.screen.show(f"interrupted; cycle {debugger.cycle:,}")

    def refresh(self) -> None:
        """Update the inspector after a stop, or after a change of the displayed source."""
        state, stop = self.debugger.state, self.stop
        is_last = state.is_halted and 0 <= stop.pc < state.program_limit
        _ = self.context  # brings the cycle up to date
        self.inspector.update_after_stop(
            self.before, stop.description, stop.pc if is_last else None
        )
        self.inspector.use_lines(self.debugger.lines)

    def run_end(self) -> RunEnd:
        """Return where and why the session leaves the machine, for the report."""
        machine, stop = self.debugger.machine, self.stop
        lines = None if self.kernel.is_image else self.kernel.lines
        if machine.state.is_halted:
            return run_end_of(machine, StopReason.HALTED, lines)
        ends = (StopReason.FAULT, StopReason.CYCLE_LIMIT, StopReason.BREAK, StopReason.ASSERTION)
        reason = stop.reason if stop.reason in ends else StopReason.PAUSE
        return run_end_of(machine, reason, lines, stop.fault)

    def _should_pause(self) -> bool:
        if self._progress is not None:
            self._progress.show(self.debugger.cycle)
        return self._interrupts is not None and self._interrupts.is_pending


def dumped_ranges(options: RunOptions) -> list[MemoryRange]:
    """Return the ranges of xmem that are written to files or compared with them."""
    return [
        MemoryRange(data.source.text, data.place.address, data.place.size)
        for data in (*options.dump, *options.expect)
        if data.place.size
    ]
