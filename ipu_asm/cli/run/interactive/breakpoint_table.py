"""The breakpoints of a session by number: at bundles, at data, and events that stop a run."""

from __future__ import annotations

from typing import Callable, Collection, Iterable

from ipu_asm.debugger.breakpoints import (
    AccessType,
    Breakpoint,
    DataBreakpoint,
    HitFilter,
    Trap,
    Watchpoint,
    WatchTarget,
)
from ipu_asm.debugger.conditions import ConditionReader
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.named_tuple import NamedTuple


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
        """Delete breakpoints."""
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
