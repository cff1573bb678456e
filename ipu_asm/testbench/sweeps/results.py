"""Results of a sweep: one by one, and together as arrays or as a table."""

from __future__ import annotations

import csv
import io
from typing import Any, Final, Iterable, Mapping

import numpy as np

from ipu_asm.emulator.html_tables import table
from ipu_asm.emulator.state import SavedState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.arrays import Array

_MOST_SHOWN: Final = 10


class SweepResult(NamedTuple):
    """The result for an `input`, whose `number` counts from 0.

    `outputs` are arrays by name, empty if the input failed: then `error` says why, `state` is the
    one in which its run began, and `command` repeats the run, if the sweep has written that state.
    `cycles` counts the bundles executed.
    """

    number: int
    input: Any
    outputs: Mapping[str, Any]
    cycles: int
    error: str | None = None
    state: SavedState | None = None
    command: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether the kernel has halted and the check, if there is one, has passed."""
        return self.error is None


class SweepResults:
    """All results of a sweep. `arrays` and `cycles` are those of `indices`, which did not fail.

    Each of `arrays` has the results of one output, stacked along a first axis.
    """

    def __init__(self, results: Iterable[SweepResult]) -> None:
        every = list(results)
        self.count = len(every)
        passed = [each for each in every if each.is_ok]
        self.failures = [each for each in every if not each.is_ok]
        self.indices: Array = np.array([each.number for each in passed], np.int64)
        self.cycles: Array = np.array([each.cycles for each in passed], np.int64)
        names = passed[0].outputs if passed else ()
        self.arrays: dict[str, Array] = {
            name: np.stack([each.outputs[name] for each in passed]) for name in names
        }
        self._rows = [
            {"index": each.number, "cycles": each.cycles, "error": each.error or ""}
            for each in every
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each input, as `pandas.DataFrame` takes them: index, cycles, error."""
        return [dict(row) for row in self._rows]

    def csv(self) -> str:
        """Return the table as CSV with a header."""
        file = io.StringIO()
        writer = csv.DictWriter(file, ("index", "cycles", "error"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows)
        return file.getvalue()

    def _repr_html_(self) -> str:
        arrays = [(name, array.dtype.name, str(array.shape)) for name, array in self.arrays.items()]
        failed = [(each.number, each.cycles, each.error) for each in self.failures[:_MOST_SHOWN]]
        more = f", the first {_MOST_SHOWN}" if len(self.failures) > _MOST_SHOWN else ""
        caption = f"{len(self.failures):,} of {self.count:,} inputs failed{more}"
        shown = table(("input", "cycles", "error"), failed, caption)
        return table(("array", "type", "shape"), arrays) + shown

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.arrays.items())
        failed = f"{len(self.failures):,} of {self.count:,} inputs failed"
        return f"<SweepResults: {failed}{'; ' if shapes else ''}{shapes}>"
