"""Validation of the launch configuration.

By hand, as `arguments` is: importing cattrs takes an eighth of the adapter's start-up (110 of 830
ms); it converts `"5"` to 5 unless each type gets a hook, and its errors do not name the value found
or what can be written instead. The hooks would be as long as this.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any, Callable, Final, Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.assembler.kernel import isa_name_of
from ipu_asm.config.configuration import ConfigurationError, Value
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
from ipu_asm.config.isa_choice import DEFAULT_ISA
from ipu_asm.config.setting_error import SettingError
from ipu_asm.config.source_keys import check_name, context_value
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa import manifests
from ipu_asm.isa.manifest import HostOption, Manifest
from ipu_asm.isa.operands import number_value, quoted
from ipu_lsp.json_types import Json

_REGISTERS: Final = 16
_MIN_WORD, _MAX_WORD = -(1 << 31), (1 << 32) - 1
_MEBIBYTE: Final = 1 << 20
_ENDLESS: Final = 1 << 62
_HOST_FIELDS: Final = tuple(
    dict.fromkeys(
        option.field for manifest in manifests().values() for option in manifest.host_options
    )
)
LAUNCH_FIELDS: Final = (
    "program", "isa", *_HOST_FIELDS, "cr", "lr", "load", "dump", "stopOnEntry", "stopOnHalt",
    "maxCycles", "historyMemory", "cwd", "noDebug", "define",
)  # fmt: skip
FILE_FIELDS: Final = ("file", "address", "length")
"""The fields of an object in `load` or `dump`."""
_MAX_HINTS: Final = 100
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
    fields. `settings` are host options of the machine by name, `define` values for a template.
    """

    program: str
    code: bytes
    isa: str | None = None
    settings: Mapping[str, Any] = {}
    cr: tuple[tuple[int, int], ...] = ()
    lr: tuple[tuple[int, int], ...] = ()
    load: tuple[LoadedFile, ...] = ()
    dump: tuple[DumpTarget, ...] = ()
    stop_on_entry: bool = False
    stop_on_halt: bool = True
    max_cycles: int | None = None
    history_bytes: int = MEMORY_LIMIT
    no_debug: bool = False
    define: Mapping[str, Value] = {}
    hints: tuple[str, ...] = ()


def read_configuration(arguments: Json) -> LaunchConfiguration:
    """Return the configuration that a client sends. Raises `LaunchError` with all mistakes."""
    files = _Files()
    reader = _ObjectReader(arguments, files)
    files.folder = reader.folder("cwd")
    program, code = reader.program("program")
    no_debug = reader.flag("noDebug", False)
    isa = reader.text("isa", "the name of an instruction set")
    manifest = _manifest(code, program, isa)
    files.memory_size = manifest.memory_size
    configuration = LaunchConfiguration(
        program,
        code,
        isa,
        reader.settings(manifest),
        reader.registers("cr"),
        reader.registers("lr"),
        tuple(_loaded(item) for item in reader.objects("load")),
        tuple(_dumped(item) for item in reader.objects("dump")),
        reader.flag("stopOnEntry", False) and not no_debug,
        reader.flag("stopOnHalt", True) and not no_debug,
        reader.optional("maxCycles", 1, _ENDLESS),
        _MEBIBYTE * (reader.optional("historyMemory", 1, 1 << 16) or 0) or MEMORY_LIMIT,
        no_debug,
        reader.values("define"),
        tuple(_hints(arguments)),
    )
    if files.mistakes:
        raise LaunchError(files.mistakes)
    return configuration


def _manifest(code: bytes, program: str, isa: str | None) -> Manifest:
    """The manifest of the program's instruction set; reading the program tells if it has none."""
    try:
        found = manifests().get(isa_name_of(code, program, isa))
    except ConfigurationError:
        found = None
    return found if found is not None and found.has_machine else manifests()[DEFAULT_ISA]


class _Files:
    """What the objects of one configuration share: a folder, the input files, and all mistakes."""

    def __init__(self) -> None:
        self.memory_size = 0
        self.folder = os.curdir
        self.mistakes: list[str] = []
        self.inputs: list[Target] = []

    def content(self, path: str | None, read: Callable[[Target], bytes]) -> bytes:
        """Return the content of an input; empty if it cannot be read or has no valid path."""
        self.inputs.append(Target(path or ""))
        if path is None:
            return b""
        try:
            if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
                # A pipe or a device may never end.
                raise FileError("not a regular file", path)
            return read(self.inputs[-1])
        except FileError as error:
            self.mistakes.append(str(error))
            return b""


class _ObjectReader:
    """Validates the fields of an object; `prefix` is its place in the configuration."""

    def __init__(self, fields: Json, files: _Files, prefix: str = "") -> None:
        self.files = files
        self._fields = fields
        self._prefix = prefix

    def folder(self, key: str) -> str:
        """Return an existing folder; the current one if there is none."""
        path = self.path(key) if self._fields.get(key) is not None else None
        if path is not None and not os.path.isdir(path):
            self._reject(key, f"a folder, found `{path}`")
        return path or os.curdir

    def program(self, key: str) -> tuple[str, bytes]:
        """Return the path and the content of the file to debug."""
        if self._fields.get(key) is None:
            self._reject(key, "the file to debug, found none")
            return "", b""
        path = self.path(key)
        return path or "", self.files.content(path, read_bytes)

    def text(self, key: str, wanted: str) -> str | None:
        """Return an optional string."""
        value = self._fields.get(key)
        if value is None or isinstance(value, str):
            return value
        self._reject(key, f"{wanted}, found {_shown(value)}")
        return None

    def path(self, key: str) -> str | None:
        """Return an absolute path; relative ones start from the folder."""
        value = self._fields.get(key)
        if not isinstance(value, str):
            self._reject(key, f"a path, found {_shown(value)}")
            return None
        try:
            os.fsencode(value)
            return os.path.abspath(os.path.join(self.files.folder, os.path.expanduser(value)))
        except ValueError as error:
            self._reject(key, f"a path, found {_shown(value)}: {error}")
            return None

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean, or the default."""
        value = self._fields.get(key)
        if isinstance(value, bool):
            return value
        if value is not None:
            self._reject(key, f"true or false, found {_shown(value)}")
        return default

    def number(self, key: str, least: int, most: int) -> int:
        """Return a whole number, given as a number or as text such as `0x1000`."""
        value = self._fields.get(key)
        number = number_value(value) if isinstance(value, str) else value
        if type(number) is not int:
            self._reject(key, f"a number such as 4096 or `0x1000`, found {_shown(value)}")
        elif not least <= number <= most:
            limits = f"{least} or more" if most == _ENDLESS else f"{least} to {most:#x}"
            self._reject(key, f"{limits}, found {_shown(value)}")
        else:
            return number
        return least

    def optional(self, key: str, least: int, most: int) -> int | None:
        """Return an optional whole number."""
        return None if self._fields.get(key) is None else self.number(key, least, most)

    def registers(self, file: str) -> tuple[tuple[int, int], ...]:
        """Parse `{"0": 4096, "lr1": "0x10"}`: registers of a file with their values."""
        values = self._fields.get(file)
        if values is None:
            return ()
        if not isinstance(values, dict):
            self._reject(file, f'an object such as {{"0": 4096}}, found {_shown(values)}')
            return ()
        reader, found = _ObjectReader(values, self.files, f"{file}."), {}
        for key in values:
            index = number_value(key.lower().removeprefix(file))
            if index is None or not 0 <= index < _REGISTERS:
                message = f"`{file}` has the registers 0 to 15, found {quoted(key)}"
                self.files.mistakes.append(message)
            else:
                found[index] = reader.number(key, _MIN_WORD, _MAX_WORD) & _MAX_WORD
        return tuple(found.items())

    def values(self, key: str) -> dict[str, Value]:
        """Parse `{"cols": 4}`: names with numbers, booleans, texts, lists or objects of these."""
        given, found = self._fields.get(key), {}
        if given is not None and not isinstance(given, dict):
            self._reject(key, f'an object such as {{"cols": 4}}, found {_shown(given)}')
        for name, value in given.items() if isinstance(given, dict) else ():
            try:
                check_name(name)
                found[name] = context_value(value)
            except SettingError as error:
                text = str(error).removeprefix("expected ")
                self.files.mistakes.append(f"`{key}.{name:.40}` is {text}")
        return found

    def settings(self, manifest: Manifest) -> dict[str, Any]:
        """Return the host options of a machine; refuse those of other machines."""
        known = {option.field: option for option in manifest.host_options}
        found: dict[str, Any] = {}
        for field in _HOST_FIELDS:
            if self._fields.get(field) is None:
                continue
            if field not in known:
                own = ", ".join(f"`{each}`" for each in known) or "none"
                mistake = f"the options of {manifest.title} are {own}, found `{field}`"
                self.files.mistakes.append(mistake)
                continue
            value = self._setting(known[field])
            if value is not None:
                found[known[field].name] = value
        return found

    def _setting(self, option: HostOption) -> Any:
        """Return a host option; None for a mistake. Choices have a name and a number."""
        key = option.field
        if option.kind == "choice":
            return self._choice(option)
        if option.kind == "flag":
            return self.flag(key, False)
        if option.kind == "integer":
            return self.number(key, option.least or 0, option.most or _MAX_WORD)
        value = self._fields[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._reject(key, f"a number such as 0.5, found {_shown(value)}")
            return None
        return value

    def _choice(self, option: HostOption) -> str | None:
        value = self._fields[option.field]
        choice = option.choice(value) if isinstance(value, str) else None
        if type(value) is int and 0 <= value < len(option.choices):
            choice = option.choices[value]
        if choice is None:
            names = ", ".join(option.choices)
            self._reject(option.field, f"one of {names}, found {_shown(value)}")
        return choice

    def objects(self, key: str) -> Iterator[_ObjectReader]:
        """Yield a reader for each object of an optional list."""
        values = self._fields.get(key)
        if values is None:
            return
        if not isinstance(values, list):
            self._reject(key, f"a list of objects, found {_shown(values)}")
            return
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield _ObjectReader(value, self.files, f"{key}[{index}].")
            else:
                self._reject(f"{key}[{index}]", f"an object, found {_shown(value)}")

    def _reject(self, key: str, reason: str) -> None:
        self.files.mistakes.append(f"`{self._prefix}{key}` is {reason}")


def _loaded(item: _ObjectReader) -> LoadedFile:
    """Read a file to load, up to one byte more than fits."""
    size = item.files.memory_size
    address = item.number("address", 0, size - 1)
    path = item.path("file")
    length = item.optional("length", 1, size)
    room = size - address
    most = min(length or room + 1, room + 1)
    content = item.files.content(path, partial(read_beginning, most=most))
    mistakes = item.files.mistakes
    if len(content) > room:
        found = f"more than {counted(room, 'byte')}"
        mistakes.append(f"{path}: xmem has {size:#x} bytes, found {found} for {address:#x}")
    if is_numpy_file(path or ""):
        mistakes.append(f"{path}: {NUMPY_LOAD}")
    return LoadedFile(path or "", address, content)


def _dumped(item: _ObjectReader) -> DumpTarget:
    """Return a range to dump; check now that its file can be written after the run."""
    size = item.files.memory_size
    address = item.number("address", 0, size - 1)
    length = item.number("length", 1, size - address)
    path = item.path("file")
    folder, mistakes = os.path.dirname(path or ""), item.files.mistakes
    if path and os.path.isdir(path):
        mistakes.append(f"{path}: is a directory")
    elif path and not os.path.isdir(folder):
        mistakes.append(f"{path}: there is no folder `{folder}`")
    elif is_numpy_file(path or ""):
        mistakes.append(f"{path}: {NUMPY_DUMP}")
    elif path and (found := input_at(path, item.files.inputs)) is not None:
        mistakes.append(f"{path}: the dump would replace the input `{found.name}`")
    return DumpTarget(path or "", address, length)


def _hints(arguments: Mapping[str, object]) -> list[str]:
    """Return hints about misspelt fields. None is an error: clients add fields of their own."""
    unknown = [name for name in arguments if name not in (*LAUNCH_FIELDS, *_OF_CLIENTS)]
    fields = Vocabulary(LAUNCH_FIELDS)
    near = [(name, fields.nearest(name)) for name in unknown[:_MAX_HINTS]]
    return [f"`{name}` is ignored; did you mean `{meant}`?" for name, meant in near if meant]


def _shown(value: object) -> str:
    """Describe a value for a message."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else quoted(str(value))
