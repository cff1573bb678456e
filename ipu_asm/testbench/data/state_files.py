"""States of machines in files: registers and memory, to continue a run or to inspect it.

A file is a ZIP archive that `numpy.load` opens, too: `xmem` and each vector register are arrays of
bytes, `state.json` has the rest. Nothing in it is unpickled, and no more is read than the machine
has. A file is the same whenever it is written from the same state.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any, Final, Iterable, Mapping

import numpy as np

from ipu_asm.config.files import FileError
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.state import PAGE, AnyState
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.conversion import ARCHIVE_TIME
from ipu_asm.testbench.data.numpy_files import read_member, read_text_member
from ipu_asm.testbench.data.source import DataSource
from ipu_asm.testbench.machine import checked_options

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
