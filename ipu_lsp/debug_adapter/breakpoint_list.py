"""All breakpoints that a client has set, and what they have become in the program."""

from __future__ import annotations

from enum import Enum
from itertools import count
from typing import Callable, Iterable, NamedTuple, Sequence

from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, HitFilter
from ipu_lsp.json_types import Json


class BreakpointKind(Enum):
    """Sorts of breakpoints, by the reason of the stops that they make.

    Of a filter nothing is known here but how the client sees it.
    """

    SOURCE = "breakpoint"
    LABEL = "function breakpoint"
    ADDRESS = "instruction breakpoint"
    DATA = "data breakpoint"
    FILTER = "exception"


class BreakpointRecord(NamedTuple):
    """A breakpoint: `shown` is how the client sees it, `actual` what stops; None if nothing can."""

    id: int
    kind: BreakpointKind
    shown: Json
    actual: HitFilter | None


BreakpointOutcome = tuple[HitFilter | None, Json]
Resolve = Callable[[], Sequence[BreakpointOutcome]]


class BreakpointBatch(NamedTuple):
    """The breakpoints of one request, and how to find them in another program."""

    records: list[BreakpointRecord]
    place: Resolve


class BreakpointList:
    """Breakpoints in batches: each request replaces the one before it of its kind and source."""

    def __init__(self) -> None:
        self._batches: dict[tuple[BreakpointKind, str], BreakpointBatch] = {}
        self._numbers = count(1)

    def replace(self, kind: BreakpointKind, source: str, place: Resolve) -> list[Json]:
        """Set the breakpoints of a kind in a source; how the client sees them.

        `place` looks for them in the program that is loaded then.
        """
        records = [self._record(kind, next(self._numbers), *found) for found in place()]
        self._batches[kind, source] = BreakpointBatch(records, place)
        return [record.shown for record in records]

    def place_again(self) -> list[Json]:
        """Look for all of them in another program; those that the client sees differently now."""
        changed = []
        for (kind, source), batch in list(self._batches.items()):
            records = [
                self._record(kind, old.id, *found)
                for old, found in zip(batch.records, batch.place())
            ]
            changed += [
                new.shown for old, new in zip(batch.records, records) if new.shown != old.shown
            ]
            self._batches[kind, source] = BreakpointBatch(records, batch.place)
        return changed

    def records_of(self, hits: Iterable[HitFilter]) -> list[BreakpointRecord]:
        """The records of breakpoints that have stopped the machine."""
        wanted = [id(hit) for hit in hits]
        return [record for record in self._records() if id(record.actual) in wanted]

    @property
    def at_bundles(self) -> list[Breakpoint]:
        """What stops in front of bundles."""
        return [r.actual for r in self._records() if isinstance(r.actual, Breakpoint)]

    @property
    def at_data(self) -> list[DataBreakpoint]:
        """What stops behind accesses."""
        return [r.actual for r in self._records() if isinstance(r.actual, DataBreakpoint)]

    def _records(self) -> list[BreakpointRecord]:
        return [record for batch in self._batches.values() for record in batch.records]

    def _record(
        self, kind: BreakpointKind, number: int, actual: HitFilter | None, shown: Json
    ) -> BreakpointRecord:
        return BreakpointRecord(
            number, kind, {"id": number, "verified": actual is not None, **shown}, actual
        )
