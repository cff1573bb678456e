"""The breakpoints that a client has set, and what they resolve to in the program."""

from __future__ import annotations

from enum import Enum
from itertools import count
from typing import Callable, Iterable, Sequence

from ipu_asm.debugger.breakpoints import Breakpoint, DataBreakpoint, HitFilter
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.json_types import Json


class BreakpointKind(Enum):
    """Types of breakpoint; the values are the `reason` of `stopped` events.

    For a filter, only the client's view is stored here.
    """

    SOURCE = "breakpoint"
    LABEL = "function breakpoint"
    ADDRESS = "instruction breakpoint"
    DATA = "data breakpoint"
    FILTER = "exception"


class BreakpointRecord(NamedTuple):
    """A breakpoint as the client sees it, and the debugger's one; None if it is unresolved."""

    id: int
    kind: BreakpointKind
    client_view: Json
    breakpoint: HitFilter | None


BreakpointOutcome = tuple[HitFilter | None, Json]
Resolve = Callable[[], Sequence[BreakpointOutcome]]


class BreakpointBatch(NamedTuple):
    """The breakpoints of one request, and the function that resolves them in a program."""

    records: list[BreakpointRecord]
    resolve: Resolve


class BreakpointList:
    """Breakpoints in batches: a request replaces the previous batch of its kind and source."""

    def __init__(self) -> None:
        self._batches: dict[tuple[BreakpointKind, str], BreakpointBatch] = {}
        self._numbers = count(1)

    def replace(self, kind: BreakpointKind, source: str, resolve: Resolve) -> list[Json]:
        """Replace the breakpoints of a kind in a source; return the client's view of them.

        `resolve` resolves them in the program that is loaded at the time of the call.
        """
        records = [self._record(kind, next(self._numbers), *found) for found in resolve()]
        self._batches[kind, source] = BreakpointBatch(records, resolve)
        return [record.client_view for record in records]

    def resolve_again(self) -> list[Json]:
        """Resolve all breakpoints in a new program; return those whose client's view changed."""
        changed = []
        for (kind, source), batch in list(self._batches.items()):
            records = [
                self._record(kind, old.id, *found)
                for old, found in zip(batch.records, batch.resolve())
            ]
            changed += [
                new.client_view
                for old, new in zip(batch.records, records)
                if new.client_view != old.client_view
            ]
            self._batches[kind, source] = BreakpointBatch(records, batch.resolve)
        return changed

    def records_of(self, hits: Iterable[HitFilter]) -> list[BreakpointRecord]:
        """Return the records of the breakpoints that stopped the machine."""
        wanted = [id(hit) for hit in hits]
        return [record for record in self._records() if id(record.breakpoint) in wanted]

    @property
    def at_bundles(self) -> list[Breakpoint]:
        """The breakpoints on bundles."""
        return [r.breakpoint for r in self._records() if isinstance(r.breakpoint, Breakpoint)]

    @property
    def at_data(self) -> list[DataBreakpoint]:
        """The breakpoints on accesses to data."""
        return [r.breakpoint for r in self._records() if isinstance(r.breakpoint, DataBreakpoint)]

    def _records(self) -> list[BreakpointRecord]:
        return [record for batch in self._batches.values() for record in batch.records]

    def _record(
        self, kind: BreakpointKind, number: int, breakpoint: HitFilter | None, client_view: Json
    ) -> BreakpointRecord:
        client_view = {"id": number, "verified": breakpoint is not None, **client_view}
        return BreakpointRecord(number, kind, client_view, breakpoint)
