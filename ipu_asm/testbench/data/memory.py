"""Data in the memory of a machine: loaded before a run, dumped and compared after it."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np

from ipu_asm.config.file_writing import Output
from ipu_asm.config.files import FileError
from ipu_asm.emulator.state import AnyState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.comparison import difference_report
from ipu_asm.testbench.data.conversion import Content, MachineData, archive
from ipu_asm.testbench.data.numpy_files import StoredArray
from ipu_asm.testbench.data.reading import Piece
from ipu_asm.testbench.data.source import Data, DataError
from ipu_asm.text import counted


class Difference(NamedTuple):
    """How memory differs from what was expected.

    `report` has several lines, of which the first tells of the first element; `place` is its index
    in the array, `address` and `size` its bytes in memory. `differing` of all `elements` differ.
    """

    report: str
    place: tuple[int, ...]
    address: int
    size: int
    differing: int
    elements: int


class Loaded(NamedTuple):
    """What was loaded: the data as written, the address, and the bytes."""

    text: str
    address: int
    size: int
    described: str


def load_pieces(state: AnyState, pieces: Iterable[Piece]) -> list[Loaded]:
    """Copy data to memory, in order. Raises `FileError`, also for data of a wrong type."""
    loaded, machine = [], MachineData(state)
    for piece in pieces:
        content, address = content_of(piece, machine), piece.data.place.address
        state.xmem.write_address(address, content.data)
        shape = "x".join(map(str, content.shape)) or "scalar"
        described = piece.described or f"{content.kind.name} {shape}"
        loaded.append(Loaded(piece.data.source.text, address, len(content.data), described))
    return loaded


def content_of(piece: Piece, machine: MachineData, is_load: bool = True) -> Content:
    """Return data as bytes for a machine. Raises `FileError`."""
    data, stored = piece
    try:
        if stored is None:
            return machine.generated(data)
        if isinstance(stored, StoredArray):
            return machine.of_array(stored, data.place, is_load)
        return machine.raw(stored, data.place)
    except DataError as error:
        raise FileError(str(error), data.source.text) from error


def difference(state: AnyState, wanted: Content, address: int) -> Difference | None:
    """Compare memory with what is expected there, bit by bit; None if they are equal."""
    size = len(wanted.data)
    found = bytes(state.xmem.read_address(address, size))
    if found == wanted.data:
        return None
    machine = MachineData(state)
    shape = wanted.shape or (1,)
    arrays: list[Any] = [machine.array(data, wanted.kind, shape) for data in (found, wanted.data)]
    unit = wanted.kind.size
    both = (np.frombuffer(data, np.uint8).reshape(-1, unit) for data in (found, wanted.data))
    places = np.flatnonzero((next(both) != next(both)).any(axis=1))
    first = int(places[0])
    place = tuple(int(number) for number in np.unravel_index(first, shape))
    report = difference_report(arrays[0], arrays[1], places)
    return Difference(report, place, address + first * unit, unit, len(places), size // unit)


def dump_outputs(state: AnyState, targets: Sequence[Data]) -> list[tuple[Output, str]]:
    """Return the files to write, each with a note on it. Raises `FileError`."""
    machine = MachineData(state)
    found: list[tuple[Output, str]] = []
    archives: dict[str, dict[str, bytes]] = {}
    for target in targets:
        (source, place, _), content = target, dumped_bytes(state, machine, target)
        if source.is_archive:
            arrays = archives.setdefault(source.file, {})
            arrays[source.member or "arr_0"] = machine.npy(content, place)
        else:
            data = machine.npy(content, place) if source.is_numpy else content
            found.append((Output(source.file, data), f"{source.text} ({_size(target, content)})"))
    for path, arrays in archives.items():
        note = f"{path} ({counted(len(arrays), 'array')})"
        found.append((Output(path, archive(arrays)), note))
    return found


def dumped_bytes(state: AnyState, machine: MachineData, target: Data) -> bytes:
    """Return the bytes of memory that a target names. Raises `FileError`."""
    place = target.place
    try:
        kind, count = machine.kind_of(place.dtype), place.elements or 0
    except DataError as error:
        raise FileError(str(error), target.source.text) from error
    return bytes(state.xmem.read_address(place.address, count * kind.size))


def _size(target: Data, content: bytes) -> str:
    if not target.source.is_numpy:
        unit = "byte" if len(content) == 1 else "bytes"
        return f"{len(content):,} {unit}"
    assert target.place.shape is not None
    return f"{target.place.dtype or 'u8'} {'x'.join(map(str, target.place.shape))}"
