"""The launch configuration: its fields, its values after validation, and inputs that are found."""

from __future__ import annotations

import os
from typing import Any, Final, Mapping, Sequence

from ipu_asm.assembler.kernel import Kernel, isa_name_of
from ipu_asm.config import Configuration, ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import Target, input_at, read_bytes
from ipu_asm.config.host_configurations import FoundRun, configured_run
from ipu_asm.config.kernel_keys import foreign_keys
from ipu_asm.debugger.explanations import name_with_purpose
from ipu_asm.debugger.history import MEMORY_LIMIT
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.emulator.stated_options import stated_registers, stated_text
from ipu_asm.ide.run_inputs import (
    COMMENT,
    HEADER,
    RunInputs,
    RunRegister,
    run_inputs,
    stated_run_registers,
)
from ipu_asm.isa import DEFAULT_ISA, Manifest, manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.numpy_files import Piece, read_piece
from ipu_asm.testbench.data.source import (
    Data,
    DataError,
    DataSource,
    Place,
    Shape,
    data_of,
    size_of,
)
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.debug_adapter.launch_fields import (
    ENDLESS,
    HOST_FIELDS,
    Fields,
    LaunchFiles,
    arguments_reader,
    dtype_reader,
    flag,
    mebibytes,
    number_reader,
    shape_reader,
    text_reader,
)
from ipu_lsp.transport import Json

LAUNCH_FIELDS: Final = (
    "program", "isa", *HOST_FIELDS, "cr", "lr", "registers", "entry", "args", "load", "dump",
    "expect", "stopOnEntry", "stopOnHalt", "stepOutPastBreakpoints", "maxCycles", "historyMemory",
    "cwd", "noDebug", "define", "findInputs",
)  # fmt: skip
FILE_FIELDS: Final = ("file", "address", "length", "dtype")
"""The fields of an object in `load`, `dump` or `expect`."""
_INPUTS: Final = ("cr", "lr", "registers", "entry", "args", "load", "expect", *HOST_FIELDS)
_OF_CLIENTS: Final = ("type",)
"""Fields of clients that resemble misspelt ones of ours."""
_MAX_HINTS: Final = 100
_ONE: Final[Shape] = (1,)
_WORD = 1 << 32
_MAX_DECIMAL = 1000
_TURNED_OFF = '"findInputs": false in the launch configuration turns this off.'
_ORIGINS = ((HEADER, "The head comment gives"), (COMMENT, "Comments give"))


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
    args: tuple[str, ...] = ()
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
    arguments, run = with_configured_run(arguments)
    fields = Fields(arguments, files)
    files.folder = fields.read("cwd", files.existing_folder, os.curdir)
    program, code = _program(fields)
    no_debug = fields.read("noDebug", flag, False)
    isa = fields.read("isa", text_reader("the name of an instruction set"), None)
    manifest = _manifest(code, program, isa)
    files.memory_size = manifest.memory_size
    if run is not None and (mistake := foreign_keys(run.run, manifest)):
        raise LaunchError([f"{run.origin}: {mistake}"])
    configuration = LaunchConfiguration(
        program,
        code,
        isa,
        settings=fields.settings(manifest),
        cr=fields.registers("cr"),
        lr=fields.registers("lr"),
        registers=fields.named_registers(manifest),
        entry=fields.read("entry", text_reader("the name of a function"), None),
        args=fields.read("args", arguments_reader, ()),
        load=tuple(filter(None, map(_input_piece, fields.objects("load")))),
        dump=tuple(filter(None, map(_output_data, fields.objects("dump")))),
        expect=tuple(filter(None, map(_input_piece, fields.objects("expect")))),
        stop_on_entry=fields.read("stopOnEntry", flag, False) and not no_debug,
        stop_on_halt=fields.read("stopOnHalt", flag, True) and not no_debug,
        max_cycles=fields.read("maxCycles", number_reader(1, ENDLESS), None),
        history_bytes=fields.read("historyMemory", mebibytes, MEMORY_LIMIT),
        no_debug=no_debug,
        define=fields.values("define"),
        hints=tuple(_hints(arguments)),
        steps_out_past_breakpoints=fields.read("stepOutPastBreakpoints", flag, False),
        folder=files.folder,
        finds_inputs=fields.read("findInputs", flag, True),
        gives_inputs=not is_found,
        inputs_origin=run.origin if run else "",
    )
    if files.mistakes:
        raise LaunchError(files.mistakes)
    return configuration


def _program(fields: Fields) -> tuple[str, bytes]:
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


def _input_piece(item: Fields) -> Piece | None:
    """Read data to load or to compare with, as much as fits; None for a mistake."""
    files, size = item.files, item.files.memory_size
    address = item.read("address", number_reader(0, size - 1), 0, is_needed=True)
    source = item.read("file", files.source, None, is_needed=True)
    dtype = item.read("dtype", dtype_reader, None)
    shape = item.read("length", shape_reader(size), _ONE) if item.has("length") else None
    if source is None:
        return None
    if source.generator and shape is None:
        item.reject("length", f"needed for `{source.text}`, found none")
        return None
    data = Data(source, Place(address, shape, dtype), source.text)
    if source.generator:
        return Piece(data, None)
    return files.content(source.file, lambda _: read_piece(data, size), None)


def _output_data(item: Fields) -> Data | None:
    """Return a part of memory to dump; check now that its file can be written after the run.

    None for a mistake.
    """
    files, size = item.files, item.files.memory_size
    address = item.read("address", number_reader(0, size - 1), 0, is_needed=True)
    dtype = item.read("dtype", dtype_reader, None)
    most = (size - address) // size_of(dtype)
    shape = item.read("length", shape_reader(most), _ONE, is_needed=True)
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


def with_configured_run(arguments: Json) -> tuple[Json, FoundRun | None]:
    """Return launch arguments with the inputs of the configuration, and these.

    The arguments are as they were, without a run, where there is none, where it is not looked for,
    and where reading the program will tell what is wrong. Raises `LaunchError` for data that cannot
    be used as written.
    """
    program, folder = arguments.get("program"), arguments.get("cwd") or os.curdir
    is_found = finds_inputs(arguments)
    if not is_found or not isinstance(program, str) or not isinstance(folder, str):
        return arguments, None
    try:
        path = os.path.abspath(os.path.join(path_of(folder), os.path.expanduser(path_of(program))))
        found = configured_run(path)
    except (OSError, ValueError, ConfigurationError):
        return arguments, None
    if found is None:
        return arguments, None
    return {**arguments, **_launch(found, arguments.get("define"))}, found


def _launch(found: FoundRun, define: Any) -> Json:
    run = found.run
    fields = {
        option.name: option.field
        for manifest in manifests().values()
        for option in manifest.host_options
    }
    launch: dict[str, Any] = {fields[name]: value for name, value in run.settings.items()}
    for file, values in (("cr", run.cr), ("lr", run.lr), ("registers", run.registers)):
        if values:
            launch[file] = {str(key): value for key, value in values.items()}
    launch |= {"entry": run.entry, "args": [*run.args]}
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


def with_known_inputs(configuration: LaunchConfiguration, kernel: Kernel) -> LaunchConfiguration:
    """Return a launch with the registers and data that its program and project state.

    It is what the form of a run begins with (`ipu/runInputs`): the configuration file has given its
    part already and counts first. A launch with inputs of its own takes only the registers that
    `# CR` comments and `[kernel."GLOB"]` state, as `ipu-run` does. A hint names the origins.
    """
    origin = configuration.inputs_origin
    if kernel.code is not None:
        hints = (f"Registers and data are those of {origin}.",) if origin else ()
        return configuration._replace(hints=(*hints, *configuration.hints))
    if not configuration.finds_inputs or kernel.is_image:
        return configuration
    if configuration.gives_inputs:
        return _with_stated(configuration, kernel)
    found = run_inputs(kernel.program, configuration.program, _nearest(configuration.program), {})
    given = {f"cr{n}" for n, _ in configuration.cr} | {f"lr{n}" for n, _ in configuration.lr}
    registers = [each for each in found.registers if each.name not in given]
    made_up = [] if origin else [data_of(each.text) for each in found.load]
    regions = [each.region for each in found.load]
    sentences = _origin_hint(origin, registers, list(zip(regions, made_up)), found)
    return configuration._replace(
        cr=configuration.cr + _values(registers, "cr"),
        lr=configuration.lr + _values(registers, "lr"),
        load=configuration.load + tuple(Piece(data, None) for data in made_up),
        hints=(*sentences, *configuration.hints),
    )


def _with_stated(configuration: LaunchConfiguration, kernel: Kernel) -> LaunchConfiguration:
    options = manifests()[kernel.isa.name].host_options
    given = {f"cr{n}" for n, _ in configuration.cr} | {f"lr{n}" for n, _ in configuration.lr}
    given |= {option.register for option in options if option.name in configuration.settings}
    stated = [each for each in stated_registers(kernel.lines) if each.name not in given]
    if not stated:
        return configuration
    file = os.path.basename(_nearest(configuration.program).path)
    registers = stated_run_registers(stated, file)
    return configuration._replace(
        cr=configuration.cr + _values(registers, "cr"),
        lr=configuration.lr + _values(registers, "lr"),
        hints=(f"{stated_text(stated, file)}. {_TURNED_OFF}", *configuration.hints),
    )


def _nearest(program: str) -> Configuration:
    try:
        return Configurations().nearest(os.path.dirname(program)) or Configuration()
    except ConfigurationError:
        return Configuration()  # reading the program reports its mistakes


def _values(registers: Sequence[RunRegister], file: str) -> tuple[tuple[int, int], ...]:
    """The numbers and values of the registers of a file."""
    ours = [each for each in registers if each.name.startswith(file)]
    return tuple((int(each.name[2:]), each.value) for each in ours if each.value is not None)


def _origin_hint(
    origin: str,
    registers: Sequence[RunRegister],
    made_up: Sequence[tuple[str, Data]],
    found: RunInputs,
) -> tuple[str, ...]:
    """One line with the origins of the inputs; none without inputs."""
    sentences = [f"Registers and data are those of {origin}."] if origin else []
    file = os.path.basename(origin)
    others = {each.origin for each in registers} - {HEADER, COMMENT, "", file}
    for kind, beginning in (*_ORIGINS, *((name, f"{name} gives") for name in sorted(others))):
        values = [
            f"{each.name} = {_word(each.value)}"
            for each in registers
            if each.value is not None and each.origin == kind
        ]
        sentences += [f"{beginning} {', '.join(values)}."] if values else []
    if made_up:
        sentences.append(f"Made up: {', '.join(_region(name, data) for name, data in made_up)}.")
    if not sentences:
        return ()
    missing = [
        name_with_purpose(each.name, each.purpose) for each in registers if each.value is None
    ]
    missing += [f"data for {each.region} ({each.size_text})" for each in found.unknown]
    sentences += [f"Not known, so 0: {', '.join(missing)}."] if missing else []
    if not origin:
        sentences.append(_TURNED_OFF)
    return (" ".join(sentences),)


def _word(value: int) -> str:
    """Small numbers of both signs as decimals, others as addresses."""
    signed = value - _WORD if value >= _WORD // 2 else value
    return str(signed) if abs(signed) < _MAX_DECIMAL else f"{value:#x}"


def _region(name: str, data: Data) -> str:
    return f"{name} (random numbers, {data.place.size or 0:,} bytes at {data.place.address:#x})"
