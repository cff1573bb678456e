"""The launch configuration: its fields, and their values after validation."""

from __future__ import annotations

import os
from typing import Any, Final, Mapping

from ipu_asm.assembler.kernel import isa_name_of
from ipu_asm.config.configuration import ConfigurationError, Value
from ipu_asm.config.files import input_at
from ipu_asm.config.kernel_runs import FoundRun, configured_run
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa import DEFAULT_ISA, manifests
from ipu_asm.isa.manifest import Manifest
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.reading import Piece, read_piece
from ipu_asm.testbench.data.source import Data, DataError, DataSource, Place, data_of, size_of
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.debug_adapter.object_reader import (
    ENDLESS,
    HOST_FIELDS,
    LaunchError,
    LaunchFiles,
    ObjectReader,
)
from ipu_lsp.json_types import Json

_INPUTS: Final = ("cr", "lr", "load", "expect", *HOST_FIELDS)
_MEBIBYTE: Final = 1 << 20
LAUNCH_FIELDS: Final = (
    "program", "isa", *HOST_FIELDS, "cr", "lr", "load", "dump", "expect", "stopOnEntry",
    "stopOnHalt", "stepOutPastBreakpoints", "maxCycles", "historyMemory", "cwd", "noDebug",
    "define", "findInputs",
)  # fmt: skip
FILE_FIELDS: Final = ("file", "address", "length", "dtype")
"""The fields of an object in `load`, `dump` or `expect`."""
_MAX_HINTS: Final = 100
_OF_CLIENTS: Final = ("type",)
"""Fields of clients that resemble misspelt ones of ours."""


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
    files = LaunchFiles()
    is_found = finds_inputs(arguments)
    arguments, origin = with_configured_run(arguments)
    reader = ObjectReader(arguments, files)
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
        _pieces(reader, "load"),
        tuple(data for item in reader.objects("dump") if (data := output_data(item))),
        _pieces(reader, "expect"),
        reader.flag("stopOnEntry", False) and not no_debug,
        reader.flag("stopOnHalt", True) and not no_debug,
        reader.optional("maxCycles", 1, ENDLESS),
        _MEBIBYTE * (reader.optional("historyMemory", 1, 1 << 16) or 0) or MEMORY_LIMIT,
        no_debug,
        reader.values("define"),
        tuple(_hints(arguments)),
        reader.flag("stepOutPastBreakpoints", False),
        files.folder,
        reader.flag("findInputs", True),
        not is_found,
        origin,
    )
    if files.mistakes:
        raise LaunchError(files.mistakes)
    return configuration


def _pieces(reader: ObjectReader, key: str) -> tuple[Piece, ...]:
    return tuple(piece for item in reader.objects(key) if (piece := input_piece(item)))


def _manifest(code: bytes, program: str, isa: str | None) -> Manifest:
    """The manifest of the program's instruction set; reading the program tells if it has none."""
    try:
        found = manifests().get(isa_name_of(code, program, isa))
    except ConfigurationError:
        found = None
    return found if found is not None and found.has_machine else manifests()[DEFAULT_ISA]


def _hints(arguments: Mapping[str, object]) -> list[str]:
    """Return hints about misspelt fields. None is an error: clients add fields of their own."""
    unknown = [name for name in arguments if name not in (*LAUNCH_FIELDS, *_OF_CLIENTS)]
    fields = Vocabulary(LAUNCH_FIELDS)
    near = [(name, fields.nearest(name)) for name in unknown[:_MAX_HINTS]]
    return [f"`{name}` is ignored; did you mean `{meant}`?" for name, meant in near if meant]


def input_piece(item: ObjectReader) -> Piece | None:
    """Read data to load or to compare with, as much as fits; None for a mistake."""
    files = item.files
    address = item.number("address", 0, files.memory_size - 1)
    source, dtype = item.source("file"), item.dtype("dtype")
    shape = item.shape("length", files.memory_size)
    if source is None:
        return None
    if source.generator and shape is None:
        if item.is_missing("length"):
            item.reject("length", f"needed for `{source.text}`, found none")
        return None
    data = Data(source, Place(address, shape, dtype), source.text)
    if source.generator:
        return Piece(data, None)
    size = files.memory_size
    return files.content(source.file, lambda _: read_piece(data, size), None)


def output_data(item: ObjectReader) -> Data | None:
    """Return a part of memory to dump; check now that its file can be written after the run.

    None for a mistake.
    """
    size = item.files.memory_size
    address = item.number("address", 0, size - 1)
    dtype = item.dtype("dtype")
    shape = item.shape("length", (size - address) // size_of(dtype), is_needed=True)
    source = item.source("file")
    if source is None or shape is None:
        return None
    if source.generator:
        item.reject("file", f"a file to write, found `{source.text}`")
        return None
    mistake = _unwritable(source, item)
    if mistake:
        item.files.mistakes.append(f"{source.file}: {mistake}")
    return Data(source, Place(address, shape, dtype), source.text)


def _unwritable(source: DataSource, item: ObjectReader) -> str | None:
    folder = os.path.dirname(source.file)
    if os.path.isdir(source.file):
        return "is a directory"
    if not os.path.isdir(folder):
        return f"there is no folder `{folder}`"
    found = input_at(source.file, item.files.inputs)
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
