"""The test bench: one machine, its input and output data, and a kernel to run."""

from __future__ import annotations

import re
from html import escape
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Callable, Final, Iterable, Mapping, TypeAlias

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.config import Value
from ipu_asm.emulator.arguments import count as count_of
from ipu_asm.emulator.arguments import require_callable, require_path
from ipu_asm.emulator.machine import Engine, engine_of
from ipu_asm.emulator.run import DebugAction, DebugCallback
from ipu_asm.emulator.stated_options import stated_registers
from ipu_asm.emulator.stops import StopReason
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.comparison import assert_bit_exact
from ipu_asm.testbench.coverage.formats import counter_for
from ipu_asm.testbench.execution import Execution, NotReachedError, stop_test, warn_of_end
from ipu_asm.testbench.kernel_loading import (
    isa_of_file,
    isa_of_folder,
    kernel_of_file,
    kernel_of_text,
)
from ipu_asm.testbench.machine import BenchMachine, checked_run_options, options_of_kernel
from ipu_asm.testbench.registers import register_text
from ipu_asm.text import require_text

TEST_MAX_CYCLES: Final = 1_000_000
"""Limit in bundles of a run in a test, unless it is given another one."""


class Run(NamedTuple):
    """Result of a run.

    `cycles` counts the bundles executed, `pc` is the final program counter (1,024 or more).
    `halted_by` is the instruction that halted the machine, such as `bkpt`, and `line` the source
    line of its bundle; both are None if the machine reached the end of program memory, or if a
    callback ended the run. `line` is None for an image, too.
    """

    cycles: int
    pc: int
    halted_by: str | None
    line: int | None


class Bench(BenchMachine):
    """One machine to test kernels on; initially that of the IPU, or of the project, after reset.

    `BenchMachine` has its registers, memory and options.
    """

    __slots__ = ("_engine", "_execution", "_folders", "_isa", "_kernel", "_undecided")

    assert_bit_exact = staticmethod(assert_bit_exact)

    def __init__(
        self,
        folders: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        isa: str | None = None,
        **options: Any,
    ) -> None:
        """Create a machine without a kernel; relative paths are searched in `folders`, in order.

        `folders` may be a single one. `isa` is the set of kernels that do not name theirs, by
        default that of `ipu.toml` for the first folder, else the IPU.

        `options` are those of the host, as `configure` takes them. Raises LookupError for an
        instruction set without a machine, TypeError for what is no path of a folder.
        """
        __tracebackhide__ = True
        self._folders = _folders_of(folders) or [Path()]
        self._isa = isa_of_folder(self._folders[0]) if isa is None else isa
        super().__init__(self._isa, **options)
        self._engine: Engine | None = None
        self._kernel: Kernel | None = None
        self._undecided: dict[str, str] = {}
        self._execution: Execution | None = None

    def select_engine(self, name: str) -> None:
        """Execute bundles on `core`, `numpy` or, as without this call, `auto`; see `ipu-run`.

        The results are the same. Raises ValueError for another name.
        """
        self._engine = engine_of(name)

    @property
    def kernel(self) -> str | None:
        """The path of the loaded kernel; None if none is loaded."""
        return self._kernel.name if self._kernel else None

    def load(
        self,
        path: str | PathLike[str],
        *,
        defines: Mapping[str, Value] | None = None,
        entry: str | None = None,
    ) -> None:
        """Load the kernel of a source or image file; registers and memory are unchanged.

        Only registers that comments in the kernel (`# CR cr4 = 64`) or its project state get these
        values, if nothing has been assigned to them and they are as after reset.

        The kernel of another instruction set is loaded into a machine of that set, which gets the
        memory and the registers of the same names. Options of the host that were not set, such as
        `wide`, become those that comments in the kernel or its project state, as with `ipu-run`.

        A template is expanded with `defines` as variables; they also choose among the contexts that
        it has in ipu.toml. `entry` is the function or label at which machine code begins, by
        default its first function. Raises FileNotFoundError, `AssemblyError` whose notes show every
        mistake of a source, `ProgramError` for one that cannot be linked, `ImageError`, FileError
        for a file whose instruction set this machine cannot execute, and ValueError if `defines`
        or `entry` cannot be used, or if several contexts are left.
        """
        __tracebackhide__ = True
        self._load(kernel_of_file(path, self._folders, defines or {}, self._isa), entry)

    def load_text(
        self,
        text: str,
        *,
        defines: Mapping[str, Value] | None = None,
        entry: str | None = None,
    ) -> None:
        """Load a kernel given as source text, otherwise like `load`."""
        __tracebackhide__ = True
        require_text(text, "load_text")
        self._load(kernel_of_text(text, self.model.isa_name, defines or {}), entry)

    @property
    def execution(self) -> Execution | None:
        """The run of the kernel; None before it was begun, or after another kernel was loaded."""
        execution = self._execution
        return execution if execution and execution.machine.state is self.state else None

    @property
    def labels(self) -> Mapping[str, int]:
        """The addresses of the labels of the kernel; those of an image are its disassembly's."""
        return MappingProxyType(self._kernel.program.label_addresses if self._kernel else {})

    @property
    def pc(self) -> int:
        """The address of the bundle that is executed next; 1,024 or more after a halt."""
        return int(self.state.program_counter)

    @pc.setter
    def pc(self, address: int) -> None:
        __tracebackhide__ = True
        self.state.program_counter = count_of(address, "an address")

    @property
    def cycles(self) -> int:
        """The bundles executed since the kernel was begun; 0 without a run."""
        return self.execution.machine.cycles if self.execution else 0

    def run(
        self,
        max_cycles: int = TEST_MAX_CYCLES,
        *,
        assertions: bool = True,
        resume: bool = False,
        debug_callback: DebugCallback | None = None,
        **options: Any,
    ) -> Run:
        """Run the kernel from its first bundle until it halts; break instructions have no effect.

        With `resume` it goes on from where `step` or `until` has left it. `debug_callback` is
        called with the state and the cycle at each break and answers with a `DebugAction`:
        CONTINUE, STEP, which calls it before every bundle, or QUIT, which ends the run. `options`
        are those of the host for this run: in the IPU `aaq_shift`, the distance in bits, 0 to 31,
        by which `aaq` shifts words right.

        A kernel that runs off its end gives a `KernelWarning`. Raises `ExecutionFault`, with the
        state from before the bundle, `CycleLimitError`, and, unless `assertions` is false,
        AssertionError for an assertion in a comment that does not hold; their notes show the source
        location. Raises RuntimeError without a kernel, ValueError for another option, or if the
        kernel states several values of one that was not set.
        """
        __tracebackhide__ = True
        limit = count_of(max_cycles, "`max_cycles`")
        require_callable(debug_callback, "`debug_callback`")
        execution = self.execution if resume else None
        if execution is None or options:
            first = self.state.first_bundle
            execution = self._begun(assertions, options, self.pc if resume else first)
        if debug_callback is None:
            execution.advance(limit)
            execution.check_halted(limit)
        elif not execution.debug(debug_callback, limit):
            return Run(execution.machine.cycles, self.pc, None, None)
        self.state.finish()
        stop = execution.run_end(StopReason.HALTED)
        warn_of_end(execution, stop)
        line = stop.place.line if stop.place else None
        return Run(execution.machine.cycles, self.state.program_counter, stop.instruction, line)

    def step(self, count: int = 1) -> int:
        """Execute up to `count` bundles from `pc` on; return how many were: fewer after a halt.

        Raises as `run` does.
        """
        __tracebackhide__ = True
        bundles = count_of(count, "`count`")
        return (self.execution or self._begun(True, {}, self.pc)).advance(bundles)

    def until(self, place: str | int, max_cycles: int = TEST_MAX_CYCLES) -> int:
        """Run from `pc` on until the next bundle is at a place; return the bundles executed.

        A place is a label, the address of a bundle, or a condition of the debugger's language such
        as `"lr0 == 256"`, which takes far longer to run. At least one bundle is executed, so that
        the next call goes to the next visit. Raises `NotReachedError` if the kernel halts before or
        `max_cycles` bundles have been executed, ValueError and TypeError for another place, else as
        `run` does.
        """
        __tracebackhide__ = True
        limit = count_of(max_cycles, "`max_cycles`")
        execution = self.execution or self._begun(True, {}, self.pc)
        test = stop_test(execution, place)
        executed = execution.advance(limit, test)
        if self.state.is_halted or (executed == limit and not test(self.pc)):
            raise NotReachedError(f"`{place}` was not reached: {execution.end}")
        return executed

    def _begun(self, assertions: bool, options: Mapping[str, Any], pc: int) -> Execution:
        """An execution of the kernel from an address on."""
        __tracebackhide__ = True
        if self._kernel is None:
            raise RuntimeError("a kernel must be loaded before it can be run")
        settings = {**self._settings, **checked_run_options(self.model, options)}
        for name, message in self._undecided.items():
            if name not in settings:
                raise ValueError(f"{message} with `configure({name}=...)`")
        machine: AnyMachine = self.model.make_machine(self.state, settings)
        if self._engine is not None:
            machine.engine_choice = self._engine
        self.state.program_counter = pc
        execution = Execution(self._kernel, machine, settings, assertions)
        self._execution = execution
        execution.begin()
        machine.counter = counter_for(self._kernel)
        return execution

    def __repr__(self) -> str:
        return f"<Bench: {self.kernel or 'no kernel'}>"

    def _repr_html_(self) -> str:
        end = self._execution.end if self._execution else "not run yet"
        title = f"{self.kernel or 'no kernel'}: {end}"
        quoted = re.sub("`([^`]*)`", r"<code>\1</code>", escape(title))
        return f"<p>{quoted}</p>{self.state._repr_html_()}"

    def __str__(self) -> str:
        """Describe the kernel, the end of its last run, and the scalar registers that are not 0."""
        registers = register_text(self.state)
        end = self._execution.end if self._execution else "not run yet"
        return f"{self.kernel or 'no kernel'}: {end}\n{registers}"

    def _load(self, kernel: Kernel, entry: str | None) -> None:
        self._use_machine_of(kernel.isa)
        stated, self._undecided = options_of_kernel(self.model, kernel, self._options)
        self._use_stated(stated)
        self.state.load_kernel(kernel, entry)
        self.state.program_counter = self.state.first_bundle
        registers = [] if kernel.is_image else stated_registers(kernel.lines)
        self._use_stated_registers({each.name: each.value for each in registers})
        self._kernel, self._execution = kernel, None


def _folders_of(folders: Any) -> list[Path]:
    """The paths of a folder or of several. Raises TypeError."""
    __tracebackhide__ = True
    is_several = isinstance(folders, Iterable) and not isinstance(folders, (str, bytes))
    several = list(folders) if is_several else [folders]
    for folder in several:
        require_path(folder, "`folders` is the path of a folder, or several")
    return [Path(folder) for folder in several]


__all__ = ["DebugAction", "DebugCallback", "HarnessRun", "IpuApp", "run_test"]
StateFunction: TypeAlias = Callable[[Any], object]
"""Called with the state of the machine; what it returns does not matter."""


class HarnessRun(NamedTuple):
    """The state after a run, and the number of bundles executed."""

    state: Any
    cycles: int


def run_test(
    inst_path: str | PathLike[str],
    *,
    setup: StateFunction | None = None,
    teardown: StateFunction | None = None,
    max_cycles: int = TEST_MAX_CYCLES,
    debug_callback: DebugCallback | None = None,
    isa: str = DEFAULT_ISA,
    **options: Any,
) -> HarnessRun:
    """Load a kernel, call `setup(state)`, run to the halt, call `teardown(state)`.

    `inst_path` is a source or an image that `ipu-as` has written. Without `debug_callback` break
    instructions have no effect; with it, `debug_callback(state, cycle)` is called at each of them,
    and returns a `DebugAction`: CONTINUE, STEP, which calls it before every bundle, or QUIT, which
    ends the run; `teardown` is called then, too. `options` are those of the host, such as `dtype`,
    and `isa` is the set of kernels that do not say theirs. Raises as `Bench.load` and `Bench.run`
    do, and whatever the functions raise; after an error in the run `teardown` is not called.
    """
    __tracebackhide__ = True
    require_callable(setup, "`setup`")
    require_callable(teardown, "`teardown`")
    bench = Bench(isa=isa_of_file(inst_path, [Path()], isa), **options)
    bench.load(inst_path)
    state = bench.state
    if setup is not None:
        setup(state)
    run = bench.run(max_cycles, debug_callback=debug_callback)
    if teardown is not None:
        teardown(state)
    return HarnessRun(state, run.cycles)


class IpuApp:
    """A host program: a subclass prepares the state in `setup`, and takes results in `teardown`.

    Arguments other than the path of the kernel become attributes, for these two methods to use.
    Raises TypeError for what is no path.
    """

    def __init__(self, *, inst_path: str | PathLike[str], **attributes: Any) -> None:
        __tracebackhide__ = True
        require_path(inst_path, "`inst_path` is the path of a kernel")
        self.inst_path = inst_path
        for name, value in attributes.items():
            setattr(self, name, value)

    def setup(self, state: Any) -> None:
        """Prepare registers and memory before the run; by default nothing."""

    def teardown(self, state: Any) -> None:
        """Take the results after the run; by default nothing."""

    def run(
        self,
        max_cycles: int = TEST_MAX_CYCLES,
        *,
        debug_callback: DebugCallback | None = None,
        **options: Any,
    ) -> HarnessRun:
        """Run the kernel with this program as its host; otherwise as `run_test` does."""
        __tracebackhide__ = True
        return run_test(
            self.inst_path,
            setup=self.setup,
            teardown=self.teardown,
            max_cycles=max_cycles,
            debug_callback=debug_callback,
            **options,
        )
