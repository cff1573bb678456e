"""Validation of the launch configuration."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Final, Mapping, NamedTuple, Sequence, TypeVar

from ipu_asm.config.files import (
    NUMPY_DUMP,
    NUMPY_LOAD,
    FileError,
    Target,
    counted,
    input_at,
    is_numpy_file,
    read_beginning,
    read_bytes,
)
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.emulator.elements import DType
from ipu_asm.emulator.memory import XMEM_SIZE
from ipu_asm.isa.operands import number_value, quoted
from ipu_lsp.debug_adapter.arguments import camel_case, shaped
from ipu_lsp.debug_adapter.shapes import DumpRequest, LaunchArguments, LoadRequest
from ipu_lsp.json_types import Json

_T = TypeVar("_T")

_REGISTERS: Final = 16
_LEAST, _MOST = -(1 << 31), (1 << 32) - 1
_MEBIBYTE: Final = 1 << 20
_ENDLESS: Final = 1 << 62
_FIELDS: Final = [camel_case(name) for name in LaunchArguments._fields]
_MOST_HINTS: Final = 100
_OF_CLIENTS: Final = ("type",)
"""Fields of clients that resemble misspelt ones of ours."""


class LaunchError(Exception):
    """An invalid launch configuration; `mistakes` lists all errors."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = tuple(mistakes)


class LoadedFile(NamedTuple):
    """Bytes that are loaded into xmem at `address`, and the file that they come from."""

    file: str
    address: int
    content: bytes


class DumpTarget(NamedTuple):
    """A range of xmem that is written to a file after the machine has halted. Length in bytes."""

    file: str
    address: int
    length: int


class LaunchConfiguration(NamedTuple):
    """A validated launch configuration: absolute paths, register numbers with 32-bit values.

    `code` is the content of the file `program`; `hints` are messages about possibly misspelt
    fields.
    """

    program: str
    code: bytes
    isa: str | None = None
    dtype: int | None = None
    cr: tuple[tuple[int, int], ...] = ()
    lr: tuple[tuple[int, int], ...] = ()
    load: tuple[LoadedFile, ...] = ()
    dump: tuple[DumpTarget, ...] = ()
    stop_on_entry: bool = False
    stop_on_halt: bool = True
    max_cycles: int | None = None
    aaq_shift: int = 0
    history_bytes: int = MEMORY_LIMIT
    no_debug: bool = False
    hints: tuple[str, ...] = ()


def read_configuration(arguments: Json) -> LaunchConfiguration:
    """Return the configuration that a client sends. Raises `LaunchError` with all mistakes."""
    given = shaped(LaunchArguments, arguments)
    reader = _LaunchReader()
    reader.enter(given.cwd)
    program, code = reader.program(given.program)
    no_debug = reader.flag("noDebug", given.no_debug, False)
    configuration = LaunchConfiguration(
        program,
        code,
        reader.text("isa", given.isa, "the name of an instruction set"),
        reader.dtype(given.dtype),
        reader.registers("cr", given.cr),
        reader.registers("lr", given.lr),
        reader.each("load", given.load, reader.load),
        reader.each("dump", given.dump, reader.dump),
        reader.flag("stopOnEntry", given.stop_on_entry, False) and not no_debug,
        reader.flag("stopOnHalt", given.stop_on_halt, True) and not no_debug,
        reader.optional("maxCycles", given.max_cycles, 1, _ENDLESS),
        reader.optional("aaqShift", given.aaq_shift, 0, 31) or 0,
        reader.history_bytes(given.history_memory),
        no_debug,
        tuple(_hints(arguments)),
    )
    if reader.mistakes:
        raise LaunchError(reader.mistakes)
    return configuration


class _LaunchReader:
    """Validates values one by one and collects the mistakes."""

    def __init__(self) -> None:
        self.folder = os.curdir
        self.mistakes: list[str] = []
        self._inputs: list[Target] = []

    def enter(self, folder: object) -> None:
        """Set the folder that relative paths start from."""
        path = self.path("cwd", folder) if folder is not None else None
        if path is not None and not os.path.isdir(path):
            self.mistakes.append(f"`cwd` is a folder, found `{path}`")
        self.folder = path or os.curdir

    def program(self, value: object) -> tuple[str, bytes]:
        """Return the path and the content of the file to debug."""
        if value is None:
            self.mistakes.append("`program` is the file to debug, found none")
            return "", b""
        path = self.path("program", value)
        return path or "", self._content(path, read_bytes)

    def text(self, name: str, value: object, wanted: str) -> str | None:
        """Return an optional string."""
        if value is not None and not isinstance(value, str):
            self.mistakes.append(f"`{name}` is {wanted}, found {_shown(value)}")
            return None
        return value

    def path(self, name: str, value: object) -> str | None:
        """Return an absolute path; relative ones start from the folder."""
        if not isinstance(value, str):
            self.mistakes.append(f"`{name}` is a path, found {_shown(value)}")
            return None
        try:
            os.fsencode(value)
            return os.path.abspath(os.path.join(self.folder, os.path.expanduser(value)))
        except ValueError as error:
            self.mistakes.append(f"`{name}` is a path, found {_shown(value)}: {error}")
            return None

    def flag(self, name: str, value: object, otherwise: bool) -> bool:
        """Return a boolean, or the default."""
        if value is not None and not isinstance(value, bool):
            self.mistakes.append(f"`{name}` is true or false, found {_shown(value)}")
            return otherwise
        return otherwise if value is None else value

    def number(self, name: str, value: object, least: int, most: int) -> int:
        """Return a whole number, given as a number or as text such as `0x1000`."""
        number = number_value(value) if isinstance(value, str) else value
        if type(number) is not int:
            message = f"`{name}` is a number such as 4096 or `0x1000`, found {_shown(value)}"
            self.mistakes.append(message)
        elif not least <= number <= most:
            limits = f"{least} or more" if most == _ENDLESS else f"{least} to {most:#x}"
            self.mistakes.append(f"`{name}` is {limits}, found {_shown(value)}")
        else:
            return number
        return least

    def optional(self, name: str, value: object, least: int, most: int) -> int | None:
        """Return an optional whole number."""
        return None if value is None else self.number(name, value, least, most)

    def registers(self, name: str, values: object) -> tuple[tuple[int, int], ...]:
        """Parse `{"0": 4096, "lr1": "0x10"}`: registers of the file `name` with their values."""
        if values is None:
            return ()
        if not isinstance(values, dict):
            message = f'`{name}` is an object such as {{"0": 4096}}, found {_shown(values)}'
            self.mistakes.append(message)
            return ()
        found = {}
        for key, value in values.items():
            index = number_value(key.lower().removeprefix(name))
            if index is None or not 0 <= index < _REGISTERS:
                self.mistakes.append(f"`{name}` has the registers 0 to 15, found {quoted(key)}")
                continue
            found[index] = self.number(f"{name}.{key}", value, _LEAST, _MOST) & _MOST
        return tuple(found.items())

    def dtype(self, value: object) -> int | None:
        """Return an element type, given by name or by its number in `cr15`."""
        names = [kind.name.lower() for kind in DType]
        if isinstance(value, str) and value.lower() in names:
            return DType[value.upper()].value
        if value is None or (type(value) is int and value in [kind.value for kind in DType]):
            return value
        self.mistakes.append(f"`dtype` is one of {', '.join(names)}, found {_shown(value)}")
        return None

    def each(self, name: str, values: object, read: Callable[[str, Json], _T]) -> tuple[_T, ...]:
        """Apply `read` to the objects of an optional list."""
        if values is None:
            return ()
        if not isinstance(values, list):
            self.mistakes.append(f"`{name}` is a list of objects, found {_shown(values)}")
            return ()
        found = []
        for place, value in enumerate(values):
            if isinstance(value, dict):
                found.append(read(f"{name}[{place}]", value))
            else:
                message = f"`{name}[{place}]` is an object, found {_shown(value)}"
                self.mistakes.append(message)
        return tuple(found)

    def load(self, name: str, item: Json) -> LoadedFile:
        """Read a file to load, up to one byte more than fits."""
        request = shaped(LoadRequest, item)
        address = self.number(f"{name}.address", request.address, 0, XMEM_SIZE - 1)
        path = self.path(f"{name}.file", request.file)
        length = self.optional(f"{name}.length", request.length, 1, XMEM_SIZE)
        room = XMEM_SIZE - address
        most = min(length or room + 1, room + 1)
        content = self._content(path, partial(read_beginning, most=most))
        if len(content) > room:
            size = f"more than {counted(room, 'byte')}"
            message = f"{path}: xmem has {XMEM_SIZE:#x} bytes, found {size} for {address:#x}"
            self.mistakes.append(message)
        if is_numpy_file(path or ""):
            self.mistakes.append(f"{path}: {NUMPY_LOAD}")
        return LoadedFile(path or "", address, content)

    def dump(self, name: str, item: Json) -> DumpTarget:
        """Return a range to dump; check now that its file can be written after the run."""
        request = shaped(DumpRequest, item)
        address = self.number(f"{name}.address", request.address, 0, XMEM_SIZE - 1)
        length = self.number(f"{name}.length", request.length, 1, XMEM_SIZE - address)
        path = self.path(f"{name}.file", request.file)
        folder = os.path.dirname(path or "")
        if path and os.path.isdir(path):
            self.mistakes.append(f"{path}: is a directory")
        elif path and not os.path.isdir(folder):
            self.mistakes.append(f"{path}: there is no folder `{folder}`")
        elif is_numpy_file(path or ""):
            self.mistakes.append(f"{path}: {NUMPY_DUMP}")
        elif path and (found := input_at(path, self._inputs)) is not None:
            self.mistakes.append(f"{path}: the dump would replace the input `{found.name}`")
        return DumpTarget(path or "", address, length)

    def history_bytes(self, mebibytes: object) -> int:
        """Return the memory limit of the history in bytes."""
        number = self.optional("historyMemory", mebibytes, 1, 1 << 16)
        return MEMORY_LIMIT if number is None else number * _MEBIBYTE

    def _content(self, path: str | None, read: Callable[[Target], bytes]) -> bytes:
        """Return the content of a file; empty if its path is already invalid."""
        self._inputs.append(Target(path or ""))
        if path is None:
            return b""
        try:
            if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
                # A pipe or a device may never end.
                raise FileError("not a regular file", path)
            return read(self._inputs[-1])
        except FileError as error:
            self.mistakes.append(str(error))
            return b""


def _hints(arguments: Mapping[str, object]) -> list[str]:
    """Return hints about misspelt fields. None is an error: clients add fields of their own."""
    unknown = [name for name in arguments if name not in (*_FIELDS, *_OF_CLIENTS)]
    fields = Vocabulary(_FIELDS)
    near = [(name, fields.nearest(name)) for name in unknown[:_MOST_HINTS]]
    return [f"`{name}` is not looked at; did you mean `{meant}`?" for name, meant in near if meant]


def _shown(value: object) -> str:
    """Describe a value for a message."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else quoted(str(value))
