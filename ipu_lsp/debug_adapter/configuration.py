"""The launch configuration: its fields, the reader of each, and its values after validation.

By hand: importing cattrs takes an eighth of the adapter's start-up (110 of 830 ms); it converts
`"5"` to 5 unless each type gets a hook, and its errors do not name the value found or what can be
written instead. The hooks would be as long as this.
"""

from __future__ import annotations

import os
from math import prod
from typing import Any, Callable, Final, Iterator, Mapping, Sequence, TypeVar

from ipu_asm.assembler.kernel import isa_name_of
from ipu_asm.config.configuration import ConfigurationError, Value
from ipu_asm.config.files import FileError, Target, input_at, read_bytes
from ipu_asm.config.host_configurations import FoundRun, configured_run
from ipu_asm.config.schema import SettingError
from ipu_asm.config.source_keys import check_name, context_value
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa import DEFAULT_ISA, manifests
from ipu_asm.isa.manifest import HostOption, Manifest
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.numpy_files import Piece, read_piece
from ipu_asm.testbench.data.source import (
    Data,
    DataError,
    DataSource,
    Place,
    Shape,
    data_of,
    dtype_of,
    shape_of,
    size_of,
    source_of,
)
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.json_types import Json

_T = TypeVar("_T")
Reader = Callable[[Any], _T]
"""Converts the value of a field. Raises `SettingError`: what it has to be, and what was found."""

HOST_FIELDS: Final = tuple(
    dict.fromkeys(
        option.field for manifest in manifests().values() for option in manifest.host_options
    )
)
"""The fields for options of machines."""
LAUNCH_FIELDS: Final = (
    "program", "isa", *HOST_FIELDS, "cr", "lr", "registers", "entry", "load", "dump", "expect",
    "stopOnEntry", "stopOnHalt", "stepOutPastBreakpoints", "maxCycles", "historyMemory", "cwd",
    "noDebug", "define", "findInputs",
)  # fmt: skip
FILE_FIELDS: Final = ("file", "address", "length", "dtype")
"""The fields of an object in `load`, `dump` or `expect`."""
_INPUTS: Final = ("cr", "lr", "registers", "load", "expect", *HOST_FIELDS)
_OF_CLIENTS: Final = ("type",)
"""Fields of clients that resemble misspelt ones of ours."""
_MAX_HINTS: Final = 100
_MEBIBYTE: Final = 1 << 20
_ENDLESS: Final = 1 << 62
_REGISTERS: Final = 16
_MIN_WORD, _MAX_WORD = -(1 << 31), (1 << 32) - 1
_ONE: Final[Shape] = (1,)


class LaunchError(Exception):
    """An invalid launch configuration; `mistakes` lists all errors."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = tuple(mistakes)


class LaunchConfiguration(NamedTuple):
    """A validated launch configuration: absolute paths, register numbers with 32-bit values.

    `code` is the content of the file `program`; `hints` are messages about possibly misspelt
    fields. `settings` are host options of the machine by name, `define` values for a template;
    `folder` is that of relative paths. `finds_inputs` is whether the comments of the program may
    give inputs, `gives_inputs` whether the launch itself does, `inputs_origin` the configuration
    file that has given some.
    """

    program: str
    code: bytes
    isa: str | None = None
    settings: Mapping[str, Any] = {}
    cr: tuple[tuple[int, int], ...] = ()
    lr: tuple[tuple[int, int], ...] = ()
    registers: Mapping[str, int] = {}
    entry: str | None = None
    load: tuple[Piece, ...] = ()
    dump: tuple[Data, ...] = ()
    expect: tuple[Piece, ...] = ()
    stop_on_entry: bool = False
    stop_on_halt: bool = True
    max_cycles: int | None = None
    history_bytes: int = MEMORY_LIMIT
    no_debug: bool = False
    define: Mapping[str, Value] = {}
    hints: tuple[str, ...] = ()
    steps_out_past_breakpoints: bool = False
    folder: str = os.curdir
    finds_inputs: bool = False
    gives_inputs: bool = False
    inputs_origin: str = ""


def read_configuration(arguments: Json) -> LaunchConfiguration:
    """Return the configuration that a client sends. Raises `LaunchError` with all mistakes."""
    files = _LaunchFiles()
    is_found = finds_inputs(arguments)
    arguments, origin = with_configured_run(arguments)
    fields = _Fields(arguments, files)
    files.folder = fields.read("cwd", files.existing_folder, os.curdir)
    program, code = _program(fields)
    no_debug = fields.read("noDebug", _flag, False)
    isa = fields.read("isa", _text("the name of an instruction set"), None)
    manifest = _manifest(code, program, isa)
    files.memory_size = manifest.memory_size
    configuration = LaunchConfiguration(
        program,
        code,
        isa,
        settings=fields.settings(manifest),
        cr=fields.registers("cr"),
        lr=fields.registers("lr"),
        registers=fields.named_registers(manifest),
        entry=fields.read("entry", _text("the name of a function"), None),
        load=tuple(filter(None, map(_input_piece, fields.objects("load")))),
        dump=tuple(filter(None, map(_output_data, fields.objects("dump")))),
        expect=tuple(filter(None, map(_input_piece, fields.objects("expect")))),
        stop_on_entry=fields.read("stopOnEntry", _flag, False) and not no_debug,
        stop_on_halt=fields.read("stopOnHalt", _flag, True) and not no_debug,
        max_cycles=fields.read("maxCycles", _number(1, _ENDLESS), None),
        history_bytes=fields.read("historyMemory", _mebibytes, MEMORY_LIMIT),
        no_debug=no_debug,
        define=fields.values("define"),
        hints=tuple(_hints(arguments)),
        steps_out_past_breakpoints=fields.read("stepOutPastBreakpoints", _flag, False),
        folder=files.folder,
        finds_inputs=fields.read("findInputs", _flag, True),
        gives_inputs=not is_found,
        inputs_origin=origin,
    )
    if files.mistakes:
        raise LaunchError(files.mistakes)
    return configuration


class _LaunchFiles:
    """What the objects of one configuration share: a folder, the input files, and all mistakes."""

    def __init__(self) -> None:
        self.memory_size = 0
        self.folder = os.curdir
        self.mistakes: list[str] = []
        self.inputs: list[Target] = []

    def content(self, path: str, read: Callable[[Target], _T], otherwise: _T) -> _T:
        """Return the content of an input; `otherwise` if it cannot be read."""
        self.inputs.append(Target(path))
        try:
            if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
                # A pipe or a device may never end.
                raise FileError("not a regular file", path)
            return read(self.inputs[-1])
        except FileError as error:
            self.mistakes.append(str(error))
            return otherwise

    def path(self, value: object) -> str:
        """Read an absolute path; relative ones start from the folder."""
        text = _text("a path")(value)
        try:
            os.fsencode(text)
            path = os.path.expanduser(path_of(text))
            return os.path.abspath(os.path.join(self.folder, path))
        except ValueError as error:
            raise SettingError(f"a path, found {_shown(value)}: {error}") from None

    def existing_folder(self, value: object) -> str:
        path = self.path(value)
        if not os.path.isdir(path):
            raise SettingError(f"a folder, found `{path}`")
        return path

    def source(self, value: object) -> DataSource:
        """Read the name of data, with an absolute path. Raises `DataError`, too."""
        source = source_of(_text("a path")(value))
        if source.generator:
            return source
        path = self.path(source.file)
        shown = f"{path}[{source.member}]" if source.member else path
        return source._replace(file=path, text=shown)


class _Fields:
    """The fields of an object; `prefix` is its place in the configuration."""

    def __init__(self, given: Json, files: _LaunchFiles, prefix: str = "") -> None:
        self.files = files
        self._given = given
        self._prefix = prefix

    def has(self, key: str) -> bool:
        return self._given.get(key) is not None

    def read(self, key: str, reader: Reader[_T], otherwise: _T, is_needed: bool = False) -> _T:
        """Return the value of a field; `otherwise` if it is missing or has a mistake."""
        value = self._given.get(key)
        if value is None and not is_needed:
            return otherwise
        try:
            return reader(value)
        except SettingError as error:
            self.reject(key, error.text(_shown))
        except DataError as error:
            self.files.mistakes.append(f"`{self._prefix}{key}`: {error}")
        return otherwise

    def reject(self, key: str, reason: str) -> None:
        self.files.mistakes.append(f"`{self._prefix}{key}` is {reason}")

    def objects(self, key: str) -> Iterator[_Fields]:
        """Yield the fields of each object of an optional list."""
        values: list[Any] = self.read(key, _list, [])
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield _Fields(value, self.files, f"{key}[{index}].")
            else:
                self.reject(f"{key}[{index}]", f"an object, found {_shown(value)}")

    def registers(self, file: str) -> tuple[tuple[int, int], ...]:
        """Parse `{"0": 4096, "lr1": "0x10"}`: registers of a file with their values."""
        values: Json = self.read(file, _object('{"0": 4096}'), {})
        fields, found = _Fields(values, self.files, f"{file}."), dict[int, int]()
        for key in values:
            index = number_value(key.lower().removeprefix(file))
            if index is None or not 0 <= index < _REGISTERS:
                message = f"`{file}` has the registers 0 to 15, found {quoted(key)}"
                self.files.mistakes.append(message)
            else:
                value = fields.read(key, _number(_MIN_WORD, _MAX_WORD), 0, is_needed=True)
                found[index] = value & _MAX_WORD
        return tuple(found.items())

    def named_registers(self, manifest: Manifest) -> dict[str, int]:
        """Parse `{"p0": "0x70000"}`, for machines whose registers are not those of the IPU."""
        if manifest.runs_machine_code:
            for key in filter(self.has, ("cr", "lr")):
                own = 'given as `"registers": {"p0": "0x70000"}`'
                self.reject(key, f"for the IPU; registers of {manifest.title} are {own}")
        values: Json = self.read("registers", _object('{"p0": "0x70000"}'), {})
        if values and not manifest.runs_machine_code:
            self.reject("registers", f"for other machines; {manifest.title} has `cr` and `lr`")
        fields = _Fields(values, self.files, "registers.")
        number = _number(-(1 << 1023), _ENDLESS)
        return {name: fields.read(name, number, 0, is_needed=True) for name in values}

    def values(self, key: str) -> dict[str, Value]:
        """Parse `{"cols": 4}`: names with numbers, booleans, texts, lists or objects of these."""
        found: dict[str, Value] = {}
        given: Json = self.read(key, _object('{"cols": 4}'), {})
        for name, value in given.items():
            try:
                check_name(name)
                found[name] = context_value(value)
            except SettingError as error:
                self.reject(f"{key}.{name:.40}", str(error).removeprefix("expected "))
        return found

    def settings(self, manifest: Manifest) -> dict[str, Any]:
        """Return the host options of a machine; refuse those of other machines."""
        known = {option.field: option for option in manifest.host_options}
        found: dict[str, Any] = {}
        for field in filter(self.has, HOST_FIELDS):
            if field not in known:
                own = ", ".join(f"`{each}`" for each in known) or "none"
                mistake = f"the options of {manifest.title} are {own}, found `{field}`"
                self.files.mistakes.append(mistake)
                continue
            value = self.read(field, _host_option(known[field]), None)
            if value is not None:
                found[known[field].name] = value
        return found


def _text(wanted: str) -> Reader[str]:
    return _of_type(str, wanted)


def _of_type(type_: type[_T], wanted: str) -> Reader[_T]:
    def read(value: object) -> _T:
        if not isinstance(value, type_):
            raise SettingError(wanted, value)
        return value

    return read


def _object(example: str) -> Reader[Json]:
    return _of_type(dict, f"an object such as {example}")


def _list(value: object) -> list[Any]:
    return _of_type(list, "a list of objects")(value)


def _flag(value: object) -> bool:
    return _of_type(bool, "true or false")(value)


def _number(least: int, most: int) -> Reader[int]:
    """A whole number, given as a number or as text such as `0x1000`."""

    def read(value: object) -> int:
        number = number_value(value) if isinstance(value, str) else value
        if type(number) is not int:
            raise SettingError("a number such as 4096 or `0x1000`", value)
        if not least <= number <= most:
            limits = f"{least} or more" if most == _ENDLESS else f"{least} to {most:#x}"
            raise SettingError(limits, value)
        return number

    return read


def _mebibytes(value: object) -> int:
    return _MEBIBYTE * _number(1, 1 << 16)(value)


def _shape(most: int) -> Reader[Shape]:
    """A length or a shape such as `20x128` of at most `most` elements."""

    def read(value: object) -> Shape:
        if not isinstance(value, str) or number_value(value) is not None:
            return (_number(1, most)(value),)
        try:
            shape = shape_of(value)
        except DataError as error:
            raise SettingError(str(error).removeprefix("expected ")) from None
        if prod(shape) > most:
            raise SettingError(f"of at most {most:,} elements, found {quoted(value)}")
        return shape

    return read


def _dtype(value: object) -> str:
    try:
        return dtype_of(_text("the name of a type such as `i8`")(value))
    except DataError as error:
        raise SettingError(str(error).removeprefix("expected ")) from None


def _host_option(option: HostOption) -> Reader[Any]:
    if option.kind == "flag":
        return _flag
    if option.kind == "integer":
        return _number(option.least or 0, option.most or _MAX_WORD)

    def choice(value: object) -> str:
        """Choices have a name and a number."""
        found = option.choice(value) if isinstance(value, str) else None
        if type(value) is int and 0 <= value < len(option.choices):
            found = option.choices[value]
        if found is None:
            raise SettingError(f"one of {', '.join(option.choices)}", value)
        return found

    def number(value: object) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingError("a number such as 0.5", value)
        return value

    return choice if option.kind == "choice" else number


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else quoted(str(value))


def _program(fields: _Fields) -> tuple[str, bytes]:
    """Path and content of the file to debug."""
    if not fields.has("program"):
        fields.reject("program", "the file to debug, found none")
    path = fields.read("program", fields.files.path, "")
    return path, fields.files.content(path, read_bytes, b"") if path else b""


def _manifest(code: bytes, program: str, isa: str | None) -> Manifest:
    """The manifest of the program's instruction set; reading the program reports a missing one."""
    try:
        found = manifests().get(isa_name_of(code, program, isa))
    except ConfigurationError:
        found = None
    is_run = found is not None and (found.has_machine or found.runs_machine_code)
    return found if found is not None and is_run else manifests()[DEFAULT_ISA]


def _hints(arguments: Mapping[str, object]) -> list[str]:
    """Return hints about misspelt fields. None is an error: clients add fields of their own."""
    unknown = [name for name in arguments if name not in (*LAUNCH_FIELDS, *_OF_CLIENTS)]
    fields = Vocabulary(LAUNCH_FIELDS)
    near = [(name, fields.nearest(name)) for name in unknown[:_MAX_HINTS]]
    return [f"`{name}` is ignored; did you mean `{meant}`?" for name, meant in near if meant]


def _input_piece(item: _Fields) -> Piece | None:
    """Read data to load or to compare with, as much as fits; None for a mistake."""
    files, size = item.files, item.files.memory_size
    address = item.read("address", _number(0, size - 1), 0, is_needed=True)
    source = item.read("file", files.source, None, is_needed=True)
    dtype = item.read("dtype", _dtype, None)
    shape = item.read("length", _shape(size), _ONE) if item.has("length") else None
    if source is None:
        return None
    if source.generator and shape is None:
        item.reject("length", f"needed for `{source.text}`, found none")
        return None
    data = Data(source, Place(address, shape, dtype), source.text)
    if source.generator:
        return Piece(data, None)
    return files.content(source.file, lambda _: read_piece(data, size), None)


def _output_data(item: _Fields) -> Data | None:
    """Return a part of memory to dump; check now that its file can be written after the run.

    None for a mistake.
    """
    files, size = item.files, item.files.memory_size
    address = item.read("address", _number(0, size - 1), 0, is_needed=True)
    dtype = item.read("dtype", _dtype, None)
    most = (size - address) // size_of(dtype)
    shape = item.read("length", _shape(most), _ONE, is_needed=True)
    source = item.read("file", files.source, None, is_needed=True)
    if source is None:
        return None
    if source.generator:
        item.reject("file", f"a file to write, found `{source.text}`")
        return None
    mistake = _unwritable(source, files.inputs)
    if mistake:
        files.mistakes.append(f"{source.file}: {mistake}")
    return Data(source, Place(address, shape, dtype), source.text)


def _unwritable(source: DataSource, inputs: Sequence[Target]) -> str | None:
    folder = os.path.dirname(source.file)
    if os.path.isdir(source.file):
        return "is a directory"
    if not os.path.isdir(folder):
        return f"there is no folder `{folder}`"
    found = input_at(source.file, inputs)
    return found and f"the dump would replace the input `{found.name}`"


def finds_inputs(arguments: Json) -> bool:
    """Return whether the inputs of a launch are looked for, because it gives none itself."""
    return arguments.get("findInputs") is not False and not any(map(arguments.get, _INPUTS))


def with_configured_run(arguments: Json) -> tuple[Json, str]:
    """Return launch arguments with the inputs of the configuration, and the name of its file.

    The arguments are as they were, and the name is empty, where there are none, where they are not
    looked for, and where reading the program will tell what is wrong. Raises `LaunchError` for data
    that cannot be used as written.
    """
    program, folder = arguments.get("program"), arguments.get("cwd") or os.curdir
    is_found = finds_inputs(arguments)
    if not is_found or not isinstance(program, str) or not isinstance(folder, str):
        return arguments, ""
    try:
        path = os.path.abspath(os.path.join(path_of(folder), os.path.expanduser(path_of(program))))
        found = configured_run(path)
    except (ValueError, ConfigurationError):
        return arguments, ""
    if found is None:
        return arguments, ""
    return {**arguments, **_launch(found, arguments.get("define"))}, found.origin


def _launch(found: FoundRun, define: Any) -> Json:
    run = found.run
    fields = {
        option.name: option.field
        for manifest in manifests().values()
        for option in manifest.host_options
    }
    launch: dict[str, Any] = {fields[name]: value for name, value in run.settings.items()}
    launch["cr"] = {str(number): value for number, value in run.cr.items()}
    launch["lr"] = {str(number): value for number, value in run.lr.items()}
    try:
        launch["load"] = [_data(text, found.folder) for text in run.load]
        launch["expect"] = [_data(text, found.folder) for text in run.expect]
    except DataError as error:
        raise LaunchError([f"{found.origin}: {error}"]) from None
    if run.define and (define is None or isinstance(define, dict)):
        launch["define"] = {**run.define, **(define or {})}
    return launch


def _data(text: str, folder: str) -> Json:
    data = data_of(text)
    source, (address, shape, dtype) = data.source.below(folder), data.place
    name = source.text if source.generator else source.file
    found: dict[str, Any] = {"file": f"{name}[{source.member}]" if source.member else name}
    found["address"] = address
    if shape is not None:
        found["length"] = "x".join(map(str, shape)) if len(shape) > 1 else shape[0]
    if dtype is not None:
        found["dtype"] = dtype
    return found
