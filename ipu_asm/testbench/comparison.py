"""Bit-exact comparison of arrays, with a report of location and size of the differences."""

from __future__ import annotations

import time
from typing import Any, Final, Sequence

import numpy as np

from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.explanations import describe_instruction, instruction_place
from ipu_asm.debugger.queries import LastWrite, QueryInterruptedError, last_write
from ipu_asm.debugger.regions import MEMORY, Region, Written, read_region
from ipu_asm.diagnostics.rendering import render_place
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.flow.accesses import decoded_accesses
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.arrays import Array, ElementOrigin, Source, origin_of
from ipu_asm.testbench.execution import Execution, Leg

_LONGEST_SEARCH_S: Final = 5.0
_MAX_RANGES: Final = 4


class Writer(NamedTuple):
    """What wrote an element, as lines of text, and the place in the source, if there is one."""

    text: str
    place: str = ""


class _Stored(NamedTuple):
    """A part of a register that a store copied; `late` has written it afterwards in its bundle."""

    register: Region
    late: str


class _Search:
    """A leg of a run, executed again by a debugger, which is at its end."""

    def __init__(self, execution: Execution, leg: Leg, deadline: float) -> None:
        self._execution = execution
        self._leg = leg
        self._source = execution.kernel.source
        options = DebugOptions(
            settings=execution.settings, pause=lambda: time.monotonic() > deadline
        )
        self.debugger = Debugger(execution.lines, _state_before(execution, leg), options)
        self.debugger.machine.engine_choice = execution.machine.engine_choice
        length = leg.last - leg.first
        if self.debugger.history.go_to(length) != length:
            raise QueryInterruptedError("the run takes too long to be repeated")

    def writer(self, where: Region, name: str) -> Writer | None:
        """The last instruction of the leg that wrote a region, and what it wrote."""
        found = last_write(self.debugger.runner, where)
        if found is None or found.pc is None:
            return None
        text = f"{name} was written by {self._author(found)}"
        stored = self._stored(found.cycle, where) if where.name == MEMORY else None
        if stored is not None:
            before, held = last_write(self.debugger.runner, stored.register), _name(stored.register)
            if before is not None and before.pc is not None:
                text += f"\nand held what {self._author(before)} had left in {held}"
                found = before
            elif before is None and self._leg.first == 0:
                text += f"\nbefore any instruction had written {held}"
            text += f"; {stored.late} beside the store comes too late" if stored.late else ""
        place = instruction_place(self.debugger, found.pc or 0, found.instruction)
        return Writer(text, render_place(self._source, place.span) if place else "")

    def stores(self) -> str:
        """What all stores of the run have written, in words; empty if the leg is not the run."""
        execution, planned = self._execution, self.debugger.planned_accesses
        is_whole = len(execution.legs) == 1 and execution.machine.state.is_halted
        if planned is None or not is_whole:
            return ""
        if not planned.writes:
            return "; it has no stores"
        shown = [f"{each.start:#x}..{each.stop - 1:#x}" for each in planned.writes[:_MAX_RANGES]]
        more = ", ..." if len(planned.writes) > _MAX_RANGES else ""
        return f"; its stores have written {', '.join(shown)}{more}"

    def _author(self, write: LastWrite) -> str:
        where = describe_instruction(self.debugger, write.pc or 0, write.instruction)
        return f"`{write.instruction}` in {where}, cycle {write.cycle + self._leg.first}"

    def _stored(self, cycle: int, where: Region) -> _Stored | None:
        """The part of a vector register that the bundle at a cycle has stored to a region.

        The debugger is left where the last write to that part is to be searched. None if the store
        is not a copy of one register.
        """
        debugger = self.debugger
        debugger.history.go_to(cycle)
        debugger.history.go_to(cycle + 1)  # a single bundle, of which every write is recorded
        machine = debugger.machine
        store = debugger.runner.accesses.has_written(where)
        starts = [start for start, old in machine.state.xmem.written if start <= where.start]
        if store is None or isinstance(store, Written) or store.spec is None or not starts:
            return None
        accesses = decoded_accesses(debugger.model.isa, store.spec, store.registers)
        vectors = machine.state.layout.vector_places
        read = {each.register for each in accesses if each.reads and each.register in vectors}
        if len(read) != 1:
            return None
        (name,) = read
        offset = where.start - max(starts)
        if offset + where.size > vectors[name].stop - vectors[name].start:
            return None
        register = Region(name, offset, where.size)
        stored = read_region(machine.state, where)
        writer = debugger.runner.accesses.has_written(register)
        order = machine.execution_order
        is_late = writer is not None and (
            order.index(writer.slot.name) > order.index(store.slot.name)
        )
        if writer is None or is_late:
            debugger.history.go_to(cycle)
        if read_region(machine.state, register) != stored:
            return None
        return _Stored(register, f"`{writer}`" if is_late else "")


_MAX_SHOWN: Final = 8
# Above this distance in ulp, the difference itself is more useful.
_MAX_STEPS: Final = 99
_WHOLE: Final = "biu"
_NO_NUMBERS: Final = "OSU"
_SMALLEST_PICTURE: Final = 16
_WIDEST_PICTURE: Final = 64


def assert_bit_exact(actual: Any, expected: Any, *, ignore_nan_signs: bool = False) -> None:
    """Raise AssertionError unless two arrays have the same shape, type and bits.

    Thus +0 and -0 differ, and NaN equals NaN only with the same sign and payload;
    `ignore_nan_signs` ignores the sign of NaNs, as the sign of a NaN created by the machine is
    unspecified. Nested lists and plain numbers in `expected` are converted to the type of `actual`.
    The message names the first element that differs, by row and element of that row, and shows both
    values in decimal and as bits. For an array from a bench, or a slice of one, it says which
    instruction of the last run has written that element.
    """
    __tracebackhide__ = True
    found = np.asarray(actual)
    if found.dtype.kind in _NO_NUMBERS:
        raise TypeError(f"an array of numbers is compared, found {_described(actual, found)}")
    wanted = _reference(expected, found.dtype)
    mistake = _mismatch_of_form(found, wanted)
    if mistake is not None:
        raise AssertionError(mistake)
    places = _differing(found, wanted, ignore_nan_signs)
    if len(places):
        writer = _writer(found, int(places[0]))
        report = difference_report(found, wanted, places, writer.text if writer else "")
        if writer is None and not _bits(found).any():
            report += "\n\nall that was found is zero: was it written at all?"
        error = AssertionError(report)
        if writer and writer.place:
            error.add_note(writer.place)
        raise error


def _described(value: Any, array: Array) -> str:
    return f"one of {array.dtype.name}" if array is value else type(value).__name__


def _writer(found: Array, place: int) -> Writer | None:
    """What wrote an element of an array that a bench has returned; None if it is not known."""
    origin = origin_of(found, place)
    if origin is None or origin.owner.execution is None:
        return None
    content = found.reshape(-1)[place : place + 1].tobytes()
    return writer_of(origin.owner.execution, origin, content)


def _reference(expected: Any, dtype: np.dtype[Any]) -> Array:
    if isinstance(expected, (np.ndarray, np.generic)):
        return np.asarray(expected)
    return np.array(expected, dtype)


def _mismatch_of_form(found: Array, wanted: Array) -> str | None:
    """Why two arrays cannot be compared element by element; None if they can."""
    if found.shape != wanted.shape:
        return f"the shapes differ: expected {wanted.shape}, found {found.shape}"
    if found.dtype.newbyteorder("=") != wanted.dtype.newbyteorder("="):
        return (
            f"the types differ: expected {wanted.dtype.name}, found {found.dtype.name}; the "
            "reference must be rounded to the type that the machine has"
        )
    return None


def _differing(found: Array, wanted: Array, ignore_nan_signs: bool) -> Array:
    """The flat indices, in ascending order, at which the bits differ."""
    mine, theirs = _bits(found), _bits(wanted)
    differs = mine ^ theirs
    if ignore_nan_signs:
        both = np.isnan(found).reshape(-1) & np.isnan(wanted).reshape(-1)
        sign = mine.dtype.type(1 << 8 * mine.itemsize - 1)
        differs = np.where(both, differs & ~sign, differs)
    return np.flatnonzero(differs)


def _bits(array: Array) -> Array:
    """The elements as unsigned integers, in one dimension."""
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return np.ascontiguousarray(native).reshape(-1).view(f"u{array.itemsize}")


def difference_report(found: Array, wanted: Array, places: Array, writer: str = "") -> str:
    """Return lines on the elements that differ, at flat indices; `writer` wrote the first."""
    shape = found.shape
    lines = [_first(found, wanted, places[0])]
    lines += [_count(shape, places)] if found.size > 1 else []
    lines += [writer] if writer else []
    if len(places) > 1:
        lines += ["", *_table(found, wanted, places[:_MAX_SHOWN])]
        hidden = len(places) - _MAX_SHOWN
        lines += [f"  and {hidden:,} more"] if hidden > 0 else []
        lines += _picture(shape, places)
    return "\n".join(lines)


def _first(found: Array, wanted: Array, place: int) -> str:
    """The first difference in one line, because test summaries show only that line."""
    names = zip(("row", "element")[-found.ndim :] if found.ndim else (), _index(found.shape, place))
    where = ", ".join(f"{name} {number}" for name, number in names) or "the value"
    expected, value = _value_and_bits(wanted, place), _value_and_bits(found, place)
    return f"{where}: expected {expected[0]} ({expected[1]}), found {value[0]} ({value[1]})"


def _count(shape: Sequence[int], places: Array) -> str:
    total = int(np.prod(shape))
    count = f"{len(places):,} of {total:,} elements differ"
    if len(shape) < 2:
        return count
    starts = np.unique(places // shape[-1]) * shape[-1]
    shown = ", ".join(_index(shape, start)[0] for start in starts[:_MAX_SHOWN])
    shown += ", ..." if len(starts) > _MAX_SHOWN else ""
    return f"{count}, in {len(starts):,} of {total // shape[-1]:,} rows: {shown}"


def _index(shape: Sequence[int], place: int) -> tuple[str, ...]:
    """Row and element of a flat index, as far as the shape has them."""
    index = [int(number) for number in np.unravel_index(place, tuple(shape))]
    if len(index) < 2:
        return tuple(map(str, index))
    *row, element = index
    return str(row if len(row) > 1 else row[0]), str(element)


def _table(found: Array, wanted: Array, places: Array) -> list[str]:
    """One line per difference, with a header, right-aligned."""
    names = ("row", "element")[-found.ndim :]
    rows = [(*names, "expected", "", "found", "", "off by")]
    rows += [
        (
            *_index(found.shape, place),
            *_value_and_bits(wanted, place),
            *_value_and_bits(found, place),
            _distance(found, wanted, place),
        )
        for place in places
    ]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(["", *map(str.rjust, row, widths)]) for row in rows]


def _picture(shape: Sequence[int], places: Array) -> list[str]:
    """Where the differences are: a line per row, `x` for elements that differ; empty if clear."""
    size = shape[-1]
    rows, counts = np.unique(places // size, return_counts=True)
    if size < _SMALLEST_PICTURE or (counts == size).all():
        return []
    each = -(-size // _WIDEST_PICTURE)
    meaning = "" if each == 1 else f"; a mark stands for {each} elements"
    lines = ["", f"where they differ (x){meaning}:"]
    labels = [_index(shape, row * size)[0] if len(shape) > 1 else "" for row in rows[:_MAX_SHOWN]]
    width = max(map(len, labels))
    for row, label in zip(rows, labels):
        differs = np.zeros(-(-size // each), bool)
        differs[places[places // size == row] % size // each] = True
        lines.append(f"  {label:>{width}}  {''.join(np.where(differs, 'x', '.'))}".rstrip())
    return lines


def _value_and_bits(array: Array, place: int) -> tuple[str, str]:
    value, bits = array.reshape(-1)[place], int(_bits(array)[place])
    if array.dtype.kind not in _WHOLE and array.itemsize == 1:
        value = np.float32(value)  # ml_dtypes would round the digits, and writes 0 for 0.0
    return str(value), f"{bits:#0{2 + 2 * array.itemsize}x}"


def _distance(found: Array, wanted: Array, place: int) -> str:
    """Difference between found and expected element: close floats in ulp, others as a number."""
    one, other = found.reshape(-1)[place], wanted.reshape(-1)[place]
    if found.dtype.kind in _WHOLE:
        return f"{int(one) - int(other):+d}"
    if np.isnan(one) or np.isnan(other):
        return "NaN"
    steps = _rank(found, place) - _rank(wanted, place)
    if abs(steps) > _MAX_STEPS:
        return f"{float(one) - float(other):+.6g}"
    return f"{steps:+d} ulp" if steps else "sign"


def _rank(array: Array, place: int) -> int:
    """The index of an element among all floats of its type, counted from zero, which is 0."""
    bits, sign = int(_bits(array)[place]), 1 << 8 * array.itemsize - 1
    return -(bits ^ sign) if bits & sign else bits


def writer_of(execution: Execution, origin: ElementOrigin, content: bytes) -> Writer | None:
    """Return what wrote an element that has a content now, in the legs that are known.

    None if they were changed since, so that nothing certain can be said.
    """
    where = _region(execution.machine.state, origin)
    if where is None:
        return None
    name, stores = _name(where), ""
    deadline = time.monotonic() + _LONGEST_SEARCH_S
    try:
        for leg in reversed(execution.legs):
            search = _Search(execution, leg, deadline)
            if read_region(search.debugger.state, where) != content:
                return Writer(f"{name} was written by the host after cycle {leg.last}")
            found = search.writer(where, name)
            if found is not None:
                return found
            stores = search.stores() if where.name == MEMORY else ""
            content = read_region(_state_before(execution, leg), where)
    except (QueryInterruptedError, EmulatorError):
        return Writer(f"what wrote {name} was not found within {_LONGEST_SEARCH_S:.0f} s")
    return Writer(f"no instruction has written {name} since the kernel was begun{stores}")


def _state_before(execution: Execution, leg: Leg) -> AnyState:
    """Make a state with the program and the content that was saved at the start of a leg."""
    kernel = execution.kernel
    state: AnyState = machine_for(kernel.isa.name).make_state(execution.settings)
    state.load_kernel(kernel)
    state.lines = execution.lines
    state.restore(leg.start)
    return state


def _region(state: AnyState, origin: ElementOrigin) -> Region | None:
    """The region of an element of the state of an execution."""
    if origin.source is Source.MEMORY:
        return Region(MEMORY, origin.start, origin.size)
    for name, place in state.layout.vector_places.items():
        if place.start <= origin.start < place.stop:
            return Region(name, origin.start - place.start, origin.size)
    return None


def _name(where: Region) -> str:
    """The text of the region of one element."""
    number = f"{where.start:#x}" if where.name == MEMORY else where.start // where.size
    return f"`{where.name}[{number}]`"
