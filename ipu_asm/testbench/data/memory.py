"""Data in the memory of a machine: loaded, dumped, compared, named; states of machines in files.

A file with a state is a ZIP archive that `numpy.load` opens, too: `xmem` and each vector register
are arrays of bytes, `state.json` has the rest. Nothing in it is unpickled, and no more is read than
the machine has. A file is the same whenever it is written from the same state.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from contextlib import suppress
from typing import Any, Final, Iterable, Iterator, Mapping, NoReturn, Sequence

import numpy as np

from ipu_asm.config.file_writing import Output
from ipu_asm.config.files import FileError
from ipu_asm.debugger.expressions import ExpressionError, Location, MachineView, Space
from ipu_asm.debugger.runner import HostData
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.state import PAGE, AnyState
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.comparison import difference_report
from ipu_asm.testbench.data.conversion import ARCHIVE_TIME, Content, MachineData, archive
from ipu_asm.testbench.data.numpy_files import (
    Piece,
    StoredArray,
    read_member,
    read_piece,
    read_text_member,
)
from ipu_asm.testbench.data.source import Data, DataError, DataSource, Place, number_of, source_of
from ipu_asm.testbench.machine import checked_options
from ipu_asm.text import Span, counted


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


class ExpectedFiles:
    """Reads the bytes that files expect in a machine's memory. Relative paths are in `folder`.

    `pieces` are the expected data of the launch: a file among them needs no address.
    """

    def __init__(self, state: AnyState, folder: str, pieces: Sequence[Piece] = ()) -> None:
        self._state = state
        self._folder = folder
        self._pieces = pieces

    def __call__(self, text: str, location: Location, view: MachineView) -> bytes:
        """Return the bytes that a file expects at a location. Raises ExpressionError."""
        name, separator, start_text = text.rpartition("@")
        try:
            start = number_of(start_text) if separator else None
            piece = self._piece(name if separator else text, location)
            content = content_of(piece, MachineData(self._state), is_load=False)
        except (DataError, FileError) as error:
            _refuse(text, str(error))
        if start is None and location.space is Space.MEMORY:
            start = self._address(piece)
        return _part(text, content, location, start)

    def _piece(self, name: str, location: Location) -> Piece:
        """All data of a file, in the type of a location. Raises `DataError` and `FileError`."""
        source = source_of(name).below(self._folder)
        if source.generator:
            raise DataError(f"a file is compared, found `{name}`")
        place = Place(0, None, location.kind.name)
        return read_piece(Data(source, place, name), self._state.xmem.size)

    def _address(self, piece: Piece) -> int | None:
        """The address at which the launch expects a file, if it does."""
        source = piece.data.source
        return next(
            (
                each.data.place.address
                for each in self._pieces
                if (each.data.source.file, each.data.source.member) == (source.file, source.member)
            ),
            None,
        )


def _part(text: str, content: Content, location: Location, start: int | None) -> bytes:
    """The bytes for a location of data that begin at a place."""
    size, elements = location.kind.size, len(content.data) // location.kind.size
    wanted = f"{counted(location.elements, 'element')} of {location.kind.name}"
    if start is None:
        if elements != location.elements:
            at = "ADDR for the address" if location.space is Space.MEMORY else "N for the element"
            which = f"; {text}@{at} with which they begin" if elements > location.elements else ""
            _refuse(text, f"expected {wanted}, found {elements:,} in {text}{which}")
        return content.data
    first = location.start - start if location.space is Space.MEMORY else start * size
    part = content.data[first : first + location.size] if first >= 0 and not first % size else b""
    if len(part) < location.size:
        _refuse(text, f"expected {wanted}, found none or only a part of them in {text}")
    return part


def _refuse(text: str, message: str) -> NoReturn:
    raise ExpressionError(message, Span(0, len(text)))


def host_data(
    state: AnyState, loaded: Iterable[Loaded], dump: Iterable[Data], expect: Iterable[Piece]
) -> tuple[HostData, ...]:
    """Return what was loaded, is expected and is dumped; what cannot be converted is left out."""
    found = [
        *((each.text, each.address, each.size, "loaded") for each in loaded),
        *_expected(state, expect),
        *((each.source.text, each.place.address, each.place.size, "dumped") for each in dump),
    ]
    return tuple(
        HostData(os.path.basename(text), address, size, role)
        for text, address, size, role in found
        if size
    )


def _expected(state: AnyState, expect: Iterable[Piece]) -> Iterator[tuple[str, int, int, str]]:
    machine = MachineData(state)
    for piece in expect:
        with suppress(FileError):
            content = content_of(piece, machine, is_load=False)
            data = piece.data
            yield data.source.text, data.place.address, len(content.data), "expected"


FORMAT: Final = "ipu-asm state"
VERSION: Final = 1
_ABOUT: Final = "state.json"
_MAX_ABOUT: Final = 1 << 16
_MEMORY: Final = "xmem"
_WORD: Final = 1 << 32
_BROKEN: Final = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError
)  # fmt: skip


class RunSoFar(NamedTuple):
    """The run that a state is of: `settings` are options of the host, `program` is its file.

    `digest` is that of its words, see `digest_of`; `cycles` are the bundles executed.
    """

    settings: Mapping[str, Any]
    program: str
    digest: str
    cycles: int


class SavedRun(NamedTuple):
    """A state in the file `path`, and the run that it is of.

    `pc` is the next bundle, `is_halted` says that there is none.
    """

    path: str
    isa_name: str
    run: RunSoFar
    pc: int
    is_halted: bool
    scalars: Mapping[str, int]
    further: Mapping[str, str]


def digest_of(words: Iterable[int | None]) -> str:
    """Return a digest of a program, which tells whether another one is the same."""
    present = [word for word in words if word is not None]
    return hashlib.sha256(",".join(map(hex, present)).encode()).hexdigest()


def state_file(state: AnyState, run: RunSoFar) -> bytes:
    """Return the content of a file with a state."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "isa": state.isa_name,
        **run._asdict(),
        "pc": state.program_counter,
        "is_halted": state.is_halted,
        "scalars": state.regfile.scalar_values(),
        **({"further": dict(state.further)} if state.further else {}),
    }
    contents = {**state.regfile.vector_values(), _MEMORY: bytes(state.xmem.content)}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, _ABOUT, json.dumps(about, indent=1).encode())
        for name, content in contents.items():
            array = io.BytesIO()
            np.save(array, np.frombuffer(content, np.uint8), allow_pickle=False)
            _write(archive, f"{name}.npy", array.getvalue())
    return file.getvalue()


def read_saved_run(path: str) -> SavedRun:
    """Return what a file with a state says of its run. Raises `FileError`."""
    content = read_text_member(path, _ABOUT, _MAX_ABOUT)
    try:
        about = json.loads(content)
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise FileError("expected a state that --save-state has written", path)
        if about.get("version") != VERSION:
            found = f"found version {about.get('version')!r:.20}"
            raise FileError(f"expected a state of version {VERSION}, {found}", path)
        settings, cycles = dict(about["settings"]), int(about["cycles"])
        run = RunSoFar(settings, str(about["program"]), str(about["digest"]), cycles)
        pc, is_halted = _word(about["pc"]), bool(about["is_halted"])
        scalars = {str(name): _word(value) for name, value in dict(about["scalars"]).items()}
        further = {str(name): str(value) for name, value in about.get("further", {}).items()}
        return SavedRun(path, str(about["isa"]), run, pc, is_halted, scalars, further)
    except _BROKEN as error:
        raise FileError(f"expected a state, found a broken one: {error}", path) from error


def checked_settings(saved: SavedRun, model: MachineModel) -> dict[str, Any]:
    """Return the options of the host in a file, for a machine of its set. Raises `FileError`."""
    if saved.isa_name != model.isa_name:
        found = f"found one of {quoted(saved.isa_name)}"
        raise FileError(f"expected a state of `{model.isa_name}`, {found}", saved.path)
    try:
        return checked_options(model, saved.run.settings)
    except (ValueError, TypeError) as error:
        raise FileError(f"expected a state, found a broken one: {error}", saved.path) from error


def restore_state(state: AnyState, saved: SavedRun) -> None:
    """Overwrite registers and memory by those of a file. Raises `FileError`; then parts may be.

    The program counter is that of the file, or 0 if its run has ended. A state from the middle of
    another program is refused.
    """
    if not saved.is_halted and saved.run.digest != digest_of(state.inst_mem):
        raise FileError(
            f"the state is from the middle of another program, {saved.run.program}, in front of "
            f"bundle {saved.pc}; only one that has halted can begin another program",
            saved.path,
        )
    layout, file = state.layout, state.regfile
    if set(saved.scalars) != set(layout.scalar_names):
        raise FileError(f"expected the registers of {state.isa_name}, found others", saved.path)
    contents = {
        name: _bytes(saved.path, name, place.stop - place.start)
        for name, place in layout.vector_places.items()
    }
    memory = _bytes(saved.path, _MEMORY, state.memory_size)
    file.scalars[:] = [saved.scalars[name] for name in layout.scalar_names]
    for index, value in layout.constants.items():
        file.scalars[index] = value
    for name, place in layout.vector_places.items():
        file.block[place] = contents[name]
    for start in range(0, len(memory), PAGE):
        page = memory[start : start + PAGE]
        if page != state.xmem.content[start : start + PAGE]:
            state.xmem.write_address(start, page)
    if not saved.is_halted:
        state.program_counter = saved.pc
        try:
            state.further = saved.further
        except (ValueError, LookupError) as error:
            raise FileError(f"expected a state, found a broken one: {error}", saved.path) from error
    else:
        state.program_counter = state.first_bundle


def _bytes(path: str, name: str, size: int) -> bytes:
    source = DataSource(f"{path}[{name}]", path, name)
    header, content = read_member(source, size)
    if len(content) != size or header.size != size:
        raise FileError(f"expected {size:,} bytes, found {len(content):,}", source.text)
    return content


def _word(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _WORD:
        raise ValueError(f"expected a number of 32 bits, found {value!r:.40}")
    return value


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, ARCHIVE_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compresslevel=1)
