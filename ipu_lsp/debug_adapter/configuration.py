"""The launch configuration: its fields, and their values after validation."""

from __future__ import annotations

import os
from typing import Any, Final, Mapping

from ipu_asm.assembler.kernel import isa_name_of
from ipu_asm.config.configuration import ConfigurationError, Value
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa import DEFAULT_ISA, manifests
from ipu_asm.isa.manifest import Manifest
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.reading import Piece
from ipu_asm.testbench.data.source import Data
from ipu_lsp.debug_adapter.configured_run import finds_inputs, with_configured_run
from ipu_lsp.debug_adapter.launch_data import input_piece, output_data
from ipu_lsp.debug_adapter.object_reader import (
    ENDLESS,
    HOST_FIELDS,
    LaunchError,
    LaunchFiles,
    ObjectReader,
)
from ipu_lsp.json_types import Json

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
