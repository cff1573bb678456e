"""Sweeps: one kernel on many inputs, in this process or on the workers of an executor.

Inputs go to workers in chunks; each worker restores one machine for each of them. Begin with
`sweep.py`.
"""

from __future__ import annotations

import csv
import io
from typing import Any, Callable, Final, Iterable, Mapping, TypeAlias

import numpy as np

from ipu_asm.emulator.html_tables import table
from ipu_asm.emulator.state import SavedState
from ipu_asm.emulator.stops import Fault
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.testbench.arrays import Array

Values: TypeAlias = Mapping[Any, Any]
"""What the host sets: arrays by byte address in xmem or by the name of a vector register, and
numbers by the name of a scalar register, such as `cr0`."""

Output: TypeAlias = Any
"""A register by its name, or address, shape and type of an array in xmem, as `Bench.get` has."""

Setup: TypeAlias = Callable[[Any, Any], object]
"""Called with a `Bench` and one input, to set registers and memory."""

Check: TypeAlias = Callable[[Any, Mapping[str, Any]], object]
"""Called with one input and its outputs; raises AssertionError if they are wrong."""


class SweepJob(NamedTuple):
    """A kernel, and what is done for each input; it can be pickled if its functions can.

    `common` is set once, before all inputs. Without `setup` each input is a mapping of the same
    form. `options` are those of the host, `engine` is the name of one, or None. `lines` has the
    source of a kernel whose assertions are checked, `code` is that of a set with machine code.
    """

    isa_name: str
    words: tuple[int, ...]
    common: Values
    outputs: Mapping[str, Output]
    setup: Setup | None
    check: Check | None
    max_cycles: int
    options: Mapping[str, Any]
    engine: str | None
    lines: LineTable | None = None
    code: Any = None


class Failure(NamedTuple):
    """Why an input has no result, and the state in which its run began.

    `fault` is that of the machine, if one has ended the run.
    """

    message: str
    state: SavedState
    fault: Fault | None = None


class Outcome(NamedTuple):
    """What a worker returns for one input. `runs_off` tells that no instruction halted it."""

    cycles: int
    outputs: tuple[Any, ...]
    failure: Failure | None = None
    runs_off: bool = False


_MAX_SHOWN: Final = 10


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
        failed = [(each.number, each.cycles, each.error) for each in self.failures[:_MAX_SHOWN]]
        more = f", the first {_MAX_SHOWN}" if len(self.failures) > _MAX_SHOWN else ""
        caption = f"{len(self.failures):,} of {self.count:,} inputs failed{more}"
        shown = table(("input", "cycles", "error"), failed, caption)
        return table(("array", "type", "shape"), arrays) + shown

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self.arrays.items())
        failed = f"{len(self.failures):,} of {self.count:,} inputs failed"
        return f"<SweepResults: {failed}{'; ' if shapes else ''}{shapes}>"
