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
from ipu_asm.config.setting_error import SettingError
from ipu_asm.config.source_keys import checked_values
from ipu_asm.debugger.assertions import AssertionChecks
from ipu_asm.diagnostics.rendering import render, render_place
from ipu_asm.emulator.faults import CycleLimitError, EmulatorError, ExecutionFault, InstructionError
from ipu_asm.emulator.run import MAX_CYCLES, check_halted, run_until_complete
from ipu_asm.emulator.run_end import run_end_of
from ipu_asm.emulator.stops import StopReason, describe_current_bundle, describe_stop
from ipu_asm.isa import load_isa
from ipu_asm.isa.ipu.machine.elements import DType, element_type
from ipu_asm.isa.ipu.machine.ipu import Ipu
from ipu_asm.isa.ipu.machine.registers import AAQ_START, CR, LR, SCALAR_NAMES
from ipu_asm.isa.ipu.machine.state import IpuState
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
from ipu_asm.testbench.arrays import Array, Buffer, bytes_of, dtype_named, numpy_type
from ipu_asm.testbench.comparison import assert_bit_exact
from ipu_asm.testbench.registers import (
    MaskRegister,
    QuantizedRegister,
    ScalarRegisters,
    VectorRegister,
    WordRegister,
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
    """One machine to test kernels on; initially all zero, so the element type is int8.

    Vector registers are read as read-only arrays, and assigned arrays or bytes of their exact size:
    128 elements in `r0`, `r1` and `mem_bypass`, 512 in `r_cyclic`, 128 words in `r_acc` and
    `mult_res`, 128 int8 in `aaq_result`, 8 x 128 truth values in `r_mask`. `state` is the machine
    itself, for everything not offered here.
    """

    __slots__ = ("_folders", "_kernel", "_last", "_lines", "state")

    r0 = VectorRegister("r", 0)
    r1 = VectorRegister("r", 1)
    mem_bypass = VectorRegister("mem_bypass")
    r_cyclic = VectorRegister("r_cyclic")
    r_mask = MaskRegister("r_mask")
    r_acc = WordRegister("r_acc")
    mult_res = WordRegister("mult_res")
    aaq_result = QuantizedRegister("aaq_result")

    assert_bit_exact = staticmethod(assert_bit_exact)

    def __init__(self, folders: Iterable[str | PathLike[str]] = ()) -> None:
        """Create a machine without a kernel; relative paths are searched in `folders`, in order."""
        self.state = IpuState()
        self._folders = [Path(folder) for folder in folders] or [Path()]
        self._kernel: Kernel | None = None
        self._lines: LineTable | None = None
        self._last = "not run yet"

    @property
    def lr(self) -> ScalarRegisters:
        """The 16 loop registers."""
        return ScalarRegisters("lr", self.state.regfile.scalars, LR, CR - LR)

    @property
    def cr(self) -> ScalarRegisters:
        """The 16 config registers; `cr[15]` is the element type, see `dtype`."""
        return ScalarRegisters("cr", self.state.regfile.scalars, CR, AAQ_START - CR)

    @property
    def aaq(self) -> ScalarRegisters:
        """The 4 aaq registers."""
        scalars = self.state.regfile.scalars
        return ScalarRegisters("aaq", scalars, AAQ_START, len(scalars) - AAQ_START)

    @property
    def dtype(self) -> str:
        """The element type, held in cr15: `int8`, `fp8_e4m3` or `fp8_e5m2`.

        Raises ValueError for another value.
        """
        __tracebackhide__ = True
        return self._dtype.name.lower()

    @dtype.setter
    def dtype(self, name: str) -> None:
        __tracebackhide__ = True
        self.state.set_cr_dtype(dtype_named(name))

    @property
    def element_type(self) -> np.dtype[Any]:
        """The numpy type of elements: int8, float8_e4m3fn or float8_e5m2."""
        __tracebackhide__ = True
        return numpy_type(self.dtype)

    @property
    def word_type(self) -> np.dtype[Any]:
        """The numpy type of accumulator elements: int32 for int8 elements, else float32."""
        __tracebackhide__ = True
        return np.dtype("<i4" if self._dtype is DType.INT8 else "<f4")

    @property
    def kernel(self) -> str | None:
        """The path of the loaded kernel; None if none is loaded."""
        return self._kernel.name if self._kernel else None

    def load(
        self, path: str | PathLike[str], *, defines: Mapping[str, Value] | None = None
    ) -> None:
        """Load the kernel of a source or image file; registers and memory are unchanged.

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
        self._load(lambda: assemble_kernel(source, load_isa("ipu"), read), _TEXT_NAME)

    def put(self, address: int, data: Array | np.generic | Buffer) -> None:
        """Write an array into xmem, in row-major order, from a byte address on.

        Its type must be one that elements or words have: int8, uint8, float8_e4m3fn, float8_e5m2,
        int32, uint32, float32. Raises TypeError for another type, IndexError if the array does not
        fit.
        """
        __tracebackhide__ = True
        content = bytes_of(data)
        try:
            self.state.xmem.write_address(address, content)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None

    def get(self, address: int, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Return a copy of xmem from a byte address on, as an array of a shape and type.

        `dtype` is a type as `put` takes it, or the name of an element type. Raises as `put` does.
        """
        __tracebackhide__ = True
        kind = numpy_type(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        try:
            content = self.state.xmem.read_address(address, size)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None
        return np.frombuffer(content, kind).reshape(shape)

    def run(
        self, max_cycles: int = MAX_CYCLES, *, aaq_shift: int = 0, assertions: bool = True
    ) -> Run:
        """Run the kernel from its first bundle until it halts; break instructions have no effect.

        `aaq_shift` is the distance in bits, 0 to 31, by which `aaq` shifts words right. Raises
        `ExecutionFault`, with the state from before the bundle, `CycleLimitError`, and, unless
        `assertions` is false, AssertionError for an assertion in a comment that does not hold;
        their notes show the source location. Raises RuntimeError without a kernel, ValueError for
        another shift.
        """
        __tracebackhide__ = True
        if self._kernel is None:
            raise RuntimeError("a kernel must be loaded before it can be run")
        try:
            ipu = Ipu(self.state, aaq_shift)
        except ValueError as error:
            raise error.with_traceback(None) from None
        self.state.program_counter = 0
        self._last = "interrupted"
        checks = AssertionChecks(ipu, self._lines) if assertions and self._lines else None
        if checks is not None:
            self._check_before_run(checks)
        try:
            cycles = self._execute(ipu, max_cycles, checks)
        except EmulatorError as error:
            raise self._with_location_notes(error, ipu) from None
        stop = run_end_of(ipu, StopReason.HALTED, self._lines)
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

    def _execute(self, ipu: Ipu, max_cycles: int, checks: AssertionChecks | None) -> int:
        """Run to the end, and return the cycles. Raises as `run` does."""
        __tracebackhide__ = True
        if checks is None or not checks.has_conditions:
            return run_until_complete(ipu, max_cycles)
        cycles, failed = 0, checks.failed_before()
        if failed is None:
            cycles = ipu.run(max_cycles, checks.has_failed)
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
        registers = register_text(SCALAR_NAMES, self.state.regfile.scalars)
        return f"{self.kernel or 'no kernel'}: {self._last}\n{registers}"

    @property
    def _dtype(self) -> DType:
        __tracebackhide__ = True
        try:
            return element_type(self.state.get_cr_dtype())
        except ValueError as error:
            raise error.with_traceback(None) from None

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
        self.state.load_program(kernel.words, None if kernel.is_image else kernel.lines)
        self._lines = None if kernel.is_image else kernel.lines
        self._kernel, self._last = kernel, "not run yet"

    def _with_location_notes(self, error: EmulatorError, ipu: Ipu) -> EmulatorError:
        """The error with notes on its location, and without the traceback of the emulator."""
        if isinstance(error, ExecutionFault):
            self._last = "stopped by a fault"
            self._note_place(error, error.fault.span)
        elif isinstance(error, CycleLimitError):
            self._last = "stopped at the cycle limit"
            stop = run_end_of(ipu, StopReason.CYCLE_LIMIT, self._lines)
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
