"""What all inputs of a sweep share, as workers get it."""

from __future__ import annotations

from typing import Any, Callable, Mapping, TypeAlias

from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.state import SavedState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable

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
    source of a kernel whose assertions are checked.
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
