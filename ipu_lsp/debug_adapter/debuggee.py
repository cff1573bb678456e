"""The program that is debugged: loaded, on its machine, with the launch configuration."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, Callable, Mapping, Sequence

from ipu_asm.assembler.images import ImageError
from ipu_asm.assembler.kernel import (
    Kernel,
)
from ipu_asm.config import ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.file_writing import replace_files
from ipu_asm.config.files import FileError, scanned_text, version_of
from ipu_asm.debugger.breakpoints import Stop
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.explanations import missing_inputs, writer_of
from ipu_asm.debugger.expressions import LiveContext
from ipu_asm.debugger.expressions.program_names import live_context, names_from_template
from ipu_asm.debugger.inspection import Inspector, MemoryRange, StateAtCycle
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.debugger.regions import MEMORY, Region
from ipu_asm.emulator.code_runs import argument_registers, code_model, read_any_kernel, set_up
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stated_options import (
    SeveralOptionsError,
    stated_options,
)
from ipu_asm.emulator.stops import ProgramError, StopReason
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import EffectiveProgram, read_effective_program
from ipu_asm.program.register_notes import register_notes
from ipu_asm.source.expand import is_template
from ipu_asm.source.expansion import source_settings
from ipu_asm.testbench.data.conversion import MachineData
from ipu_asm.testbench.data.memory import (
    ExpectedFiles,
    Loaded,
    content_of,
    difference,
    dump_outputs,
    host_data,
    load_pieces,
)
from ipu_asm.testbench.data.numpy_files import Piece
from ipu_asm.text import SourceFile
from ipu_lsp.debug_adapter.client import DebugClient, SourceView, view_of_expansion, view_of_file
from ipu_lsp.debug_adapter.configuration import (
    LaunchConfiguration,
    LaunchError,
    with_known_inputs,
)
from ipu_lsp.debug_adapter.requests import SourceArgument
from ipu_lsp.transport import Json

_REMEDY = "give them in the launch configuration (cr, load) or in ipu.toml"


class Debuggee:
    """A kernel on its machine. The constructor raises `RejectedSourceError` and `LaunchError`."""

    def __init__(
        self,
        configuration: LaunchConfiguration,
        client: DebugClient,
        pause: Callable[[], bool],
        log: Callable[[str], None],
    ) -> None:
        """`pause` and `log` are those of `DebugOptions`."""
        self.kernel = _kernel(configuration)
        self.is_linked = self.kernel.code is not None
        self.configuration = configuration = with_known_inputs(configuration, self.kernel)
        model = machine_for(self.kernel.isa.name)
        settings = _settings(model, configuration, self.kernel)
        state = _state(model, configuration, self.kernel, settings)
        loaded = _loaded(configuration, state)
        options = DebugOptions(
            stop_on_halt=configuration.stop_on_halt,
            max_cycles=configuration.max_cycles,
            settings=settings,
            memory_limit=configuration.history_bytes,
            pause=pause,
            log=log,
            steps_out_past_breakpoints=configuration.steps_out_past_breakpoints,
            read_expected=ExpectedFiles(state, configuration.folder, configuration.expect),
            data=host_data(state, loaded, configuration.dump, configuration.expect),
        )
        try:
            self.debugger = Debugger(self.kernel.lines, state, options)
        except ProgramError as error:
            raise LaunchError(error.mistakes) from error
        self.client = client
        self.file = view_of_file(self.kernel, self.debugger.written, client)
        program = self.kernel.program
        template = names_from_template(self.kernel.expansion, model)
        self._live = live_context(self.kernel.lines, state)
        notes = {**template.remarks, **register_notes(program)}
        self.inspector = Inspector(
            state,
            self._live,
            self.debugger.lines,
            notes=notes,
            aliases=template.names,
            ranges=_ranges(loaded, configuration),
        )
        self._before: StateAtCycle | None = None
        self._written = version_of(self.kernel.name)
        self._is_outdated = False
        self._has_stopped = False

    @property
    def hints(self) -> list[str]:
        """Messages about the launch: possible mistakes, and the context of a template."""
        hints, expansions = [*self.configuration.hints], self.kernel.expansions
        if self.configuration.define and not expansions:
            hints.append(f"`define` is ignored: {self.file.source['name']} is no template")
        if len(expansions) > 1:
            which = f"the first of {len(expansions)} contexts, {expansions[0].context}"
            hints.append(f"expanded in {which}; `define` chooses other values")
        return hints

    @property
    def context(self) -> LiveContext:
        """The current state of the machine, as context of expressions."""
        self._live.cycle = self.debugger.cycle
        return self._live

    @property
    def last_cycle(self) -> int | None:
        return self.debugger.last_cycle

    def moving(self) -> None:
        """Store the state before the machine moves from a stop, to mark what changes."""
        if self._has_stopped:
            self._before = StateAtCycle(self.debugger.state.save(), self.debugger.cycle)

    def stopped(self, stop: Stop) -> None:
        self._live.cycle, self._has_stopped = self.debugger.cycle, True
        is_last = self.debugger.state.is_halted and 0 <= stop.pc < self.debugger.state.program_limit
        self.inspector.update_after_stop(
            self._before, stop.description, stop.pc if is_last else None
        )

    def new_text(self) -> str:
        """Return a sentence when it is first seen that the source was changed since the start."""
        path, written = self.kernel.name, version_of(self.kernel.name)
        if self._is_outdated or written in (None, self._written) or self.kernel.is_image:
            return ""
        self._written = written
        # Once: a save that is read half-way would be told again as soon as it is whole.
        self._is_outdated = scanned_text(path) != self.kernel.source.text
        if not self._is_outdated:
            return ""
        name = os.path.basename(path)
        return f"{name} was changed since the start: restart to debug the new text"

    @property
    def views(self) -> list[SourceView]:
        return [self.file] if self._expansion is None else [self.file, self._expansion]

    @property
    def shown(self) -> SourceView:
        """The source that stack frames refer to."""
        return next(view for view in self.views if view.resolver is self.debugger.resolver)

    def view_of(self, source: SourceArgument) -> SourceView | None:
        return next((view for view in self.views if view.is_meant(source)), None)

    @property
    def source_names(self) -> str:
        return " or ".join(view.source["name"] for view in self.views)

    @cached_property
    def _expansion(self) -> SourceView | None:
        resolver = self.debugger.expansion
        if resolver is None:
            return None
        return view_of_expansion(self.kernel, resolver, self.client)

    def output_location(self, address: int) -> Json:
        """Return the location of a bundle as fields of an `output` event; empty if it has none."""
        place = self.debugger.lines.place(address)
        return {} if place is None else self.shown.start(place)

    def missing_inputs(self, stop: Stop) -> str:
        """Return which inputs a program that failed did not get; empty if it got all, or ran."""
        if self.is_linked or stop.reason not in (StopReason.FAULT, StopReason.CYCLE_LIMIT):
            return ""
        launch, state = self.configuration, self.debugger.state
        registers = (("cr", launch.cr), ("lr", launch.lr))
        given = [f"{file}{number}" for file, values in registers for number, _ in values]
        missing = missing_inputs(self.kernel.program, state, given, bool(launch.load))
        return missing.sentence(_REMEDY)

    def finish(self, tell: Callable[..., None]) -> None:
        """Write dumps, all or none, compare memory with what is expected, and tell both."""
        state = self.debugger.state
        try:
            outputs = dump_outputs(state, self.configuration.dump)
            replace_files([output for output, _ in outputs])
        except FileError as error:
            tell(f"{error}\n", "stderr")
        else:
            for _, note in outputs:
                tell(f"wrote {note}\n")
        for piece in self.configuration.expect:
            self._compare(piece, tell)

    def _compare(self, piece: Piece, tell: Callable[..., None]) -> None:
        """Compare memory with data, and tell which instruction wrote the first wrong element."""
        name, address = piece.data.source.text, piece.data.place.address
        state = self.debugger.state
        try:
            differs = difference(state, content_of(piece, MachineData(state), False), address)
        except FileError as error:
            tell(f"{error}\n", "stderr")
            return
        if differs is None:
            tell(f"as expected: {name}\n")
            return
        region = Region(MEMORY, differs.address, differs.size)
        writer = None
        with suppress(QueryInterruptedError):
            writer = writer_of(self.debugger, region)
        wrote = f"written by {writer}" if writer else "nothing in this run wrote it"
        first, *rest = differs.report.splitlines()
        location = self.output_location(writer.pc) if writer else {}
        tell("\n".join([f"{name}: {first}; {wrote}", *rest, ""]), "stderr", **location)


def _kernel(configuration: LaunchConfiguration) -> Kernel:
    """Return the kernel; with its linked code if its set has units of code instead of words."""
    data, name = configuration.code, configuration.program
    try:
        return read_any_kernel(data, name, configuration.isa, partial(_read, configuration.define))
    except ProgramError as error:
        raise LaunchError(error.mistakes) from error
    except FileError as error:
        raise LaunchError([str(error)]) from error
    except ConfigurationError as error:
        raise LaunchError([str(finding) for finding in error.findings]) from error
    except ImageError as error:
        lines = [
            f"{name}:{line}: {text}" if line else f"{name}: {text}" for line, text in error.mistakes
        ]
        raise LaunchError(lines) from error


def _read(define: Mapping[str, Value], isa: Isa, source: SourceFile) -> EffectiveProgram:
    """Return the program of a source, expanded as its configuration says.

    A configuration with mistakes matters to a template only.
    """
    try:
        nearest = Configurations().nearest(os.path.dirname(source.path))
    except ConfigurationError:
        if is_template(isa.surface, source.text):
            raise
        return read_effective_program(isa, source)
    return read_effective_program(isa, source, source_settings(source.path, nearest, define))


def _ranges(loaded: Sequence[Loaded], configuration: LaunchConfiguration) -> list[MemoryRange]:
    """The ranges of xmem that the configuration names, for the inspector."""
    parts = [(each.text, each.address, each.size) for each in loaded]
    parts += [(dump.text, dump.place.address, dump.place.size or 0) for dump in configuration.dump]
    return [MemoryRange(os.path.basename(file), start, size) for file, start, size in parts if size]


def _settings(
    model: MachineModel, configuration: LaunchConfiguration, kernel: Kernel
) -> dict[str, Any]:
    """The options of the machine: stated by the program, overridden by the launch.

    Raises `LaunchError`.
    """
    given = configuration.settings
    try:
        return {**stated_options(kernel.program, model.host_options, given), **given}
    except SeveralOptionsError as error:
        raise LaunchError([f"`{error.option.field}`: {error}"]) from error


def _state(
    model: MachineModel,
    configuration: LaunchConfiguration,
    kernel: Kernel,
    settings: Mapping[str, Any],
) -> Any:
    """Create the machine in its state before the first bundle. Raises `LaunchError`."""
    state = model.make_state(settings)
    code = kernel.code
    if code is None:
        state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
        _set_registers(model, configuration, state)
        return state
    try:
        state.load_code(code, configuration.entry)
        given = argument_registers(code_model(model.isa_name), configuration.args)
    except ProgramError as error:
        raise LaunchError(error.mistakes) from error
    except ValueError as error:
        raise LaunchError([f"`args`: {error}"]) from error
    try:
        set_up(state.core, code, {**configuration.registers, **given}, {})
    except (LookupError, ValueError) as error:
        raise LaunchError([f"`registers`: {error.args[0]}"]) from error
    return state


def _loaded(configuration: LaunchConfiguration, state: AnyState) -> list[Loaded]:
    """Load the inputs, and check that the outputs can be written. Raises `LaunchError`."""
    try:
        # The types of data depend on registers.
        loaded = load_pieces(state, configuration.load)
        dump_outputs(state, configuration.dump)
    except FileError as error:
        raise LaunchError([str(error)]) from error
    return loaded


def _set_registers(
    model: MachineModel, configuration: LaunchConfiguration, state: AnyState
) -> None:
    options = (option for option in model.host_options if option.name in configuration.settings)
    chosen = {option.register for option in options}
    for file, values in (("cr", configuration.cr), ("lr", configuration.lr)):
        count = len(model.layout.files.get(file, ()))
        for index, value in values:
            if index >= count:
                raise LaunchError([f"`{file}` has {count} registers, found `{index}`"])
            if f"{file}{index}" not in chosen:
                state.regfile.set_scalar(file, index, value)
