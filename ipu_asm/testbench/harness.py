"""Kernel tests in the style of a C host program: set up the state, run, look at the state.

`run_test` runs a kernel between two functions, and `IpuApp` is a host program as a class with both
as methods. They work on the state of the machine, `ipu_asm.emulator.IpuState` in the IPU, so that
host programs written for it need no other change than their imports. `Bench` has the same machine
with arrays instead of bytes.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Callable, TypeAlias

from ipu_asm.emulator.arguments import require_callable, require_path
from ipu_asm.emulator.run import DebugAction, DebugCallback
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.bench import TEST_MAX_CYCLES, Bench
from ipu_asm.testbench.kernel_loading import isa_of_file

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
