"""The test bench: one machine, its input and output data, and a kernel to run."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Final, Iterable, Mapping, NamedTuple

import numpy as np

from ipu_asm.assembler.encode import AssemblyError
from ipu_asm.assembler.images import ImageError
from ipu_asm.assembler.kernel import Kernel, RejectedSourceError, assemble_kernel, read_kernel
from ipu_asm.config.configuration import ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import FileError
from ipu_asm.config.isa_choice import DEFAULT_ISA, choose_isa
from ipu_asm.config.setting_error import SettingError
from ipu_asm.config.source_keys import checked_values
from ipu_asm.debugger.assertions import AssertionChecks
from ipu_asm.diagnostics.rendering import render, render_place
from ipu_asm.emulator.engine import Engine, engine_of
from ipu_asm.emulator.faults import CycleLimitError, EmulatorError, ExecutionFault, InstructionError
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.run import MAX_CYCLES, check_halted, run_until_complete
from ipu_asm.emulator.run_end import run_end_of
from ipu_asm.emulator.state import AnyState, SavedState
from ipu_asm.emulator.stops import StopReason, describe_current_bundle, describe_stop
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.program.effective_program import (
    ContextChoiceError,
    EffectiveProgram,
    read_effective_program,
    require_one_context,
)
from ipu_asm.program.line_table import LineTable
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.settings import source_settings
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.arrays import Array, ArrayTypes, Buffer, array_types
from ipu_asm.testbench.comparison import assert_bit_exact
from ipu_asm.testbench.host_options import checked_options
from ipu_asm.testbench.registers import (
    ScalarRegisters,
    VectorRegister,
    copy_registers,
    register_text,
)
from ipu_asm.text import SourceFile, Span

_TEXT_NAME: Final = "<kernel>"


class Run(NamedTuple):
    """Result of a run.

    `cycles` counts the bundles executed, `pc` is the final program counter (1,024 or more).
    `halted_by` is the instruction that halted the machine, such as `bkpt`, and `line` the source
    line of its bundle; both are None if the machine reached the end of program memory. `line` is
    None for an image, too.
    """

    cycles: int
    pc: int
    halted_by: str | None
    line: int | None


class Bench:
    """One machine to test kernels on; initially that of the IPU after reset.

    Vector registers are attributes: they are read as read-only arrays, and assigned arrays or bytes
    of their exact size. In the IPU these are 128 elements in `r0`, `r1` and `mem_bypass`, 512 in
    `r_cyclic`, 128 words in `r_acc` and `mult_res`, 128 int8 in `aaq_result`, 8 x 128 truth values
    in `r_mask`; other machines have the registers of their instruction set. `lr`, `cr` and `aaq`
    are its scalar registers. `state` is the machine itself, for everything not offered here.
    """

    __slots__ = ("_engine", "_folders", "_kernel", "_last", "_lines", "_options", "model", "state")

    r0 = VectorRegister()
    r1 = VectorRegister()
    mem_bypass = VectorRegister()
    r_cyclic = VectorRegister()
    r_mask = VectorRegister()
    r_acc = VectorRegister()
    mult_res = VectorRegister()
    aaq_result = VectorRegister()

    assert_bit_exact = staticmethod(assert_bit_exact)

    def __init__(
        self, folders: Iterable[str | PathLike[str]] = (), isa: str = DEFAULT_ISA, **options: Any
    ) -> None:
        """Create a machine without a kernel; relative paths are searched in `folders`, in order.

        `options` are those of the host, as `configure` takes them. Raises LookupError for an
        instruction set without a machine.
        """
        self.model = machine_for(isa)
        self._options = checked_options(self.model, options)
        self.state: Any = self.model.make_state(self._options)
        self._engine: Engine | None = None
        self._folders = [Path(folder) for folder in folders] or [Path()]
        self._kernel: Kernel | None = None
        self._lines: LineTable | None = None
        self._last = "not run yet"

    def select_engine(self, name: str) -> None:
        """Execute bundles on `core`, `numpy` or, as without this call, `auto`; see `ipu-run`.

        The results are the same. Raises ValueError for another name.
        """
        self._engine = engine_of(name)

    def configure(self, **options: Any) -> None:
        """Set options of the host, such as `dtype`, by the names that `ipu-run` has for them.

        Registers and memory are unchanged, but `state` may be another object. Raises ValueError for
        an option or a value that the machine does not have.
        """
        __tracebackhide__ = True
        checked = checked_options(self.model, options)
        held = {option.name: option for option in self.model.host_options if option.register}
        for name, value in checked.items():
            if name in held:
                self._set_register(held[name].register, held[name].choices.index(value))
        rest = {name: value for name, value in checked.items() if name not in held}
        if rest:
            self._options = {**self._options, **rest}
            self._replace(self.model.make_state(self._options), self.state.save())

    def _replace(self, state: AnyState, saved: SavedState) -> None:
        words, lines = self.state.inst_mem, self.state.lines
        self.state = state
        self.state.restore(saved)
        self.state.load_program(words, lines)

    def _set_register(self, name: str, value: int) -> None:
        place = self.state.layout.places[name]
        assert isinstance(place, int)
        self.state.regfile.scalars[place] = value

    def __getattr__(self, name: str) -> Any:
        """Return a vector register that other machines have."""
        __tracebackhide__ = True
        if name.startswith("_") or name in self.__slots__:
            raise AttributeError(name)
        return VectorRegister(name).__get__(self, type(self))

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if hasattr(type(self), name) or name not in self.state.layout.vector_places:
            object.__setattr__(self, name, value)
        else:
            VectorRegister(name).__set__(self, value)

    @property
    def lr(self) -> ScalarRegisters:
        """The 16 loop registers."""
        return self._file("lr")

    @property
    def cr(self) -> ScalarRegisters:
        """The 16 config registers; in the IPU, `cr[15]` is the element type, see `dtype`."""
        return self._file("cr")

    @property
    def aaq(self) -> ScalarRegisters:
        """The 4 aaq registers."""
        return self._file("aaq")

    def _file(self, name: str) -> ScalarRegisters:
        __tracebackhide__ = True
        files = self.state.layout.files
        if name not in files:
            isa, known = self.model.isa_name, ", ".join(files)
            raise AttributeError(f"the scalar registers of {isa} are {known}, found `{name}`")
        return ScalarRegisters(name, self.state, self._arrays)

    @property
    def _arrays(self) -> ArrayTypes:
        return array_types(self.model)

    @property
    def dtype(self) -> str:
        """The element type: in the IPU `int8`, `fp8_e4m3` or `fp8_e5m2`, held in cr15.

        Raises ValueError if the machine has no element type of this kind at present.
        """
        __tracebackhide__ = True
        name = self.model.types_in(self.state).name
        if name is None:
            register = self.model.type_register or ""
            found = self.state.regfile.scalars[self.state.layout.places[register]]
            choices = enumerate(self.model.constants)
            known = ", ".join(f"{number} ({each.upper()})" for number, each in choices)
            raise ValueError(f"an element type is one of {known}, found {found}")
        return name

    @dtype.setter
    def dtype(self, name: str) -> None:
        __tracebackhide__ = True
        self.configure(dtype=name)

    @property
    def element_type(self) -> np.dtype[Any]:
        """The numpy type of elements: in the IPU int8, float8_e4m3fn or float8_e5m2."""
        __tracebackhide__ = True
        self.dtype  # noqa: B018  # raises ValueError without an element type
        return self._arrays.of_kind(self.model.types_in(self.state).element)

    @property
    def word_type(self) -> np.dtype[Any]:
        """The numpy type of results: in the IPU int32 for int8 elements, else float32."""
        __tracebackhide__ = True
        self.dtype  # noqa: B018  # raises ValueError without an element type
        return self._arrays.of_kind(self.model.types_in(self.state).word)

    @property
    def kernel(self) -> str | None:
        """The path of the loaded kernel; None if none is loaded."""
        return self._kernel.name if self._kernel else None

    def load(
        self, path: str | PathLike[str], *, defines: Mapping[str, Value] | None = None
    ) -> None:
        """Load the kernel of a source or image file; registers and memory are unchanged.

        The kernel of another instruction set is loaded into a machine of that set, which gets the
        memory and the registers of the same names.

        A template is expanded with `defines` as variables; they also choose among the contexts that
        it has in ipu.toml. Raises FileNotFoundError, `AssemblyError` whose notes show every mistake
        of a source, `ImageError`, FileError for a file whose instruction set this machine cannot
        execute, and ValueError if `defines` cannot be used or leave several contexts.
        """
        __tracebackhide__ = True
        found = self._find_file(path)
        name = _display_path(found)

        def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
            folder = os.path.dirname(os.path.abspath(found))
            configuration = Configurations().nearest(folder)
            settings = source_settings(str(found), configuration, checked_values(defines or {}))
            return read_effective_program(isa, source, settings)

        self._load(lambda: read_kernel(found.read_bytes(), name, read=read), name)

    def load_text(self, text: str, *, defines: Mapping[str, Value] | None = None) -> None:
        """Load a kernel given as source text, otherwise like `load`."""
        __tracebackhide__ = True

        def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
            settings = SourceSettings(overrides=checked_values(defines or {}))
            return read_effective_program(isa, source, settings)

        source = SourceFile(text, _TEXT_NAME)
        self._load(lambda: assemble_kernel(source, self._isa_of(text), read), _TEXT_NAME)

    def put(self, address: int, data: Array | np.generic | Buffer) -> None:
        """Write an array into xmem, in row-major order, from a byte address on.

        Its type must be one that elements or words have: int8, uint8, float8_e4m3fn, float8_e5m2,
        int32, uint32, float32. Raises TypeError for another type, IndexError if the array does not
        fit.
        """
        __tracebackhide__ = True
        content = self._arrays.bytes_of(data)
        try:
            self.state.xmem.write_address(address, content)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None

    def get(self, address: int, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Return a copy of xmem from a byte address on, as an array of a shape and type.

        `dtype` is a type as `put` takes it, or the name of an element type. Raises as `put` does.
        """
        __tracebackhide__ = True
        kind = self._arrays.numpy_type(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        try:
            content = self.state.xmem.read_address(address, size)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None
        return np.frombuffer(content, kind).reshape(shape)

    def run(self, max_cycles: int = MAX_CYCLES, *, assertions: bool = True, **options: Any) -> Run:
        """Run the kernel from its first bundle until it halts; break instructions have no effect.

        `options` are those of the host for this run: in the IPU `aaq_shift`, the distance in bits,
        0 to 31, by which `aaq` shifts words right. Raises
        `ExecutionFault`, with the state from before the bundle, `CycleLimitError`, and, unless
        `assertions` is false, AssertionError for an assertion in a comment that does not hold;
        their notes show the source location. Raises RuntimeError without a kernel, ValueError for
        another option.
        """
        __tracebackhide__ = True
        if self._kernel is None:
            raise RuntimeError("a kernel must be loaded before it can be run")
        settings = {**self._options, **checked_options(self.model, options)}
        machine: AnyMachine = self.model.make_machine(self.state, settings)
        self.state.program_counter = 0
        self._last = "interrupted"
        if self._engine is not None:
            machine.engine_choice = self._engine
        checks = AssertionChecks(machine, self._lines) if assertions and self._lines else None
        if checks is not None:
            self._check_before_run(checks)
        try:
            cycles = self._execute(machine, max_cycles, checks)
        except EmulatorError as error:
            raise self._with_location_notes(error, machine) from None
        stop = run_end_of(machine, StopReason.HALTED, self._lines)
        self._last = f"{describe_stop(stop)}, cycles: {cycles:,}"
        line = stop.place.line if stop.place else None
        return Run(cycles, self.state.program_counter, stop.instruction, line)

    def _check_before_run(self, checks: AssertionChecks) -> None:
        """Raise AssertionError for assertions that the loop registers alone refute."""
        __tracebackhide__ = True
        broken = checks.broken()
        if broken and self._kernel is not None:
            self._last = "not run: an assertion does not hold"
            error = AssertionError("; ".join(finding.message for finding in broken))
            error.add_note("\n\n".join(render(each, self._kernel.source) for each in broken))
            raise error

    def _execute(self, machine: AnyMachine, max_cycles: int, checks: AssertionChecks | None) -> int:
        """Run to the end, and return the cycles. Raises as `run` does."""
        __tracebackhide__ = True
        if checks is None or not checks.has_conditions:
            return run_until_complete(machine, max_cycles)
        cycles, failed = 0, checks.failed_before()
        if failed is None:
            cycles = machine.run(max_cycles, checks.stop_test)
            failed = checks.failed()
        if failed is not None:
            self._last = "stopped by an assertion"
            error = AssertionError(failed.message)
            if failed.written.path == MAIN:
                self._note_place(error, failed.written.span)
            raise error
        check_halted(self.state, max_cycles)
        return cycles

    def __repr__(self) -> str:
        return f"<Bench: {self.kernel or 'no kernel'}>"

    def __str__(self) -> str:
        """Describe the kernel, the end of its last run, and the scalar registers that are not 0."""
        registers = register_text(self.state)
        return f"{self.kernel or 'no kernel'}: {self._last}\n{registers}"

    def _isa_of(self, text: str) -> Isa:
        """The instruction set that a text names in a comment, else that of the machine."""
        return load_isa(choose_isa(text, _TEXT_NAME, otherwise=self.model.isa_name).name)

    def _use_machine_of(self, isa: Isa) -> None:
        """Change to a machine of another instruction set, unless it is the present one."""
        model = machine_for(isa.name)
        if model is self.model:
            return
        known = {option.name for option in model.host_options}
        self._options = {name: v for name, v in self._options.items() if name in known}
        old, new = self.state, model.make_state(self._options)
        size = min(len(old.xmem.content), len(new.xmem.content))
        new.xmem.write_address(0, memoryview(old.xmem.content)[:size])
        copy_registers(old, new)
        self.model, self.state = model, new

    def _find_file(self, path: str | PathLike[str]) -> Path:
        """The file of that path in the first folder that has it. Raises FileNotFoundError."""
        __tracebackhide__ = True
        places = [folder / path for folder in self._folders]
        for place in places:
            if place.is_file():
                return place
        tried = " or ".join(dict.fromkeys(f"`{_display_path(place)}`" for place in places))
        raise FileNotFoundError(f"a kernel is the path of a source file, found no {tried}")

    def _load(self, read: Callable[[], Kernel], name: str) -> None:
        """Load the kernel that `read` returns from the file `name`."""
        __tracebackhide__ = True
        try:
            kernel = read()
            require_one_context(kernel.expansions)
        except RejectedSourceError as rejected:
            error = AssemblyError(rejected.findings)
            error.add_note("\n\n".join(render(f, rejected.source) for f in rejected.findings))
            raise error from None
        except ImageError as image_error:
            image_error.add_note(f"in the image `{name}`")
            raise image_error.with_traceback(None) from None
        except (FileError, ConfigurationError) as problem:
            raise problem.with_traceback(None) from None
        except (SettingError, ContextChoiceError) as unusable:
            raise ValueError(f"`defines` of `{name}`: {unusable}") from None
        self._use_machine_of(kernel.isa)
        self.state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
        self._lines = None if kernel.is_image else kernel.lines
        self._kernel, self._last = kernel, "not run yet"

    def _with_location_notes(self, error: EmulatorError, machine: AnyMachine) -> EmulatorError:
        """The error with notes on its location, and without the traceback of the emulator."""
        if isinstance(error, ExecutionFault):
            self._last = "stopped by a fault"
            self._note_place(error, error.fault.span)
        elif isinstance(error, CycleLimitError):
            self._last = "stopped at the cycle limit"
            stop = run_end_of(machine, StopReason.CYCLE_LIMIT, self._lines)
            error.add_note(describe_current_bundle(stop))
            self._note_place(error, stop.place.span if stop.place else None)
        return error.with_traceback(None)

    def _note_place(self, error: Exception, span: Span | None) -> None:
        if self._kernel is not None and span is not None:
            error.add_note(render_place(self._kernel.source, span))


def _display_path(path: Path) -> str:
    """The path relative to the current directory, if it is inside it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
