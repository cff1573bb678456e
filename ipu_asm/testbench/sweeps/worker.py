"""The side of a sweep that runs kernels: one machine a worker, restored between inputs."""

from __future__ import annotations

import pickle
import re
import threading
from pathlib import Path
from typing import Any, Callable, Final, Iterable, Iterator, Mapping, Sequence, Sized

import numpy as np

from ipu_asm.debugger.traps import AssertionChecks
from ipu_asm.emulator.arguments import require_callable, require_path
from ipu_asm.emulator.machine import StopTest, engine_of
from ipu_asm.emulator.run import check_halted
from ipu_asm.emulator.stops import EmulatorError, ExecutionFault
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.testbench.arrays import Array
from ipu_asm.testbench.bench import Bench
from ipu_asm.testbench.registers import scalar_place
from ipu_asm.testbench.sweeps import Failure, Outcome, Output, SweepJob, Values

_MAX_KNOWN = 64


class _Decided(NamedTuple):
    """What is known before a run: why it is not begun, and what must be checked while it runs."""

    broken: str
    checks: AssertionChecks
    stop: StopTest | None


class SweepAssertions:
    """The assertions of a program on a machine.

    What the control run decides depends on the scalar registers at the start, which most inputs
    share. It is decided once for each of their values: conditions that it proves cost nothing.
    """

    def __init__(self, machine: AnyMachine, lines: LineTable) -> None:
        self._machine = machine
        self._lines = lines
        self._known: dict[tuple[int, ...], _Decided] = {}

    def run(self, limit: int) -> None:
        """Run the machine from its first bundle on, `limit` bundles at most.

        Raises AssertionError for an assertion that does not hold, and as the machine does.
        """
        decided = self._decided()
        if decided.broken:
            raise AssertionError(decided.broken)
        checks = decided.checks if decided.stop is not None else None
        failed = checks.failed_before() if checks else None
        if failed is None:
            self._machine.run(limit, decided.stop)
            failed = checks.failed() if checks else None
        if failed is not None:
            raise AssertionError(failed.message)

    def _decided(self) -> _Decided:
        key = tuple(self._machine.state.regfile.scalars)
        found = self._known.get(key)
        if found is None:
            checks = AssertionChecks(self._machine, self._lines)
            broken = "; ".join(finding.message for finding in checks.broken())
            stop = checks.stop_test if checks.has_conditions else None
            if len(self._known) == _MAX_KNOWN:
                self._known.clear()
            found = self._known[key] = _Decided(broken, checks, stop)
        return found


_SCALAR: Final = re.compile(r"([a-z]+)(\d+)")
_PROTOCOL: Final = 5
_STORE: Final = threading.local()
"""The runner of the last job of each thread, with the name of the job."""


class SweepRunner:
    """The machine of a job."""

    def __init__(self, job: SweepJob) -> None:
        self._job = job
        self._bench = Bench(isa=job.isa_name, **job.options)
        if job.code is None:
            self._bench.state.load_program(job.words)
        else:
            self._bench.state.load_code(job.code)
        self._machine = self._bench.model.make_machine(self._bench.state, job.options)
        if job.engine is not None:
            self._machine.engine_choice = engine_of(job.engine)
        self._assertions = SweepAssertions(self._machine, job.lines) if job.lines else None
        set_values(self._bench, job.common)
        self._start = self._bench.state.save()

    def run(self, value: Any) -> Outcome:
        """Run the kernel on one input.

        Faults, the cycle limit and AssertionErrors become a failure; others, which are mistakes of
        the sweep rather than of a kernel, are raised.
        """
        job, bench, machine = self._job, self._bench, self._machine
        self._prepare(value)
        try:
            if self._assertions is None:
                machine.run(job.max_cycles)
            else:
                self._assertions.run(job.max_cycles)
            check_halted(bench.state, job.max_cycles)
            bench.state.finish()
            outputs = {name: self._output(each) for name, each in job.outputs.items()}
            if job.check is not None:
                job.check(value, outputs)
        except (EmulatorError, AssertionError) as error:
            cycles = machine.cycles
            fault = error.fault if isinstance(error, ExecutionFault) else None
            self._prepare(value)
            message = str(error) or type(error).__name__
            return Outcome(cycles, (), Failure(message, bench.state.save(), fault))
        last = machine.snapshot.pc
        runs_off = job.code is None and len(job.words) <= last < bench.state.program_limit
        return Outcome(machine.cycles, tuple(outputs.values()), None, runs_off)

    def _prepare(self, value: Any) -> None:
        self._bench.state.restore(self._start)
        if self._job.setup is not None:
            self._job.setup(self._bench, value)
        else:
            set_values(self._bench, value)
        self._machine.cycles = 0
        self._bench.state.program_counter = self._bench.state.first_bundle

    def _output(self, output: Output) -> Any:
        bench = self._bench
        if not isinstance(output, str):
            return bench.get(*output)
        scalar = _scalar(bench, output)
        if scalar is not None:
            return getattr(bench, scalar[0])[scalar[1]]
        if output in bench.state.layout.files:
            return np.asarray(getattr(bench, output))
        return _vector(bench, output)


def set_values(bench: Bench, values: Values) -> None:
    """Set registers and memory. Raises as `Bench.put` and its registers do."""
    require_mapping(values, "an input is a mapping of addresses and registers to values")
    for place, value in values.items():
        if isinstance(place, str):
            _set_register(bench, place, value)
        else:
            bench.put(place, value)


def run_chunk(name: str, job: SweepJob, first: int, values: Sequence[Any]) -> list[Outcome]:
    """Run the kernel of a job on some inputs; `first` is the number of the first one.

    The machine of the last job of a thread is kept; `name` tells jobs apart.
    """
    return _run_all(_runner(name, lambda: job), first, values)


def run_pickled(name: str, job: bytes | None, first: int, values: bytes) -> bytes | None:
    """Do what `run_chunk` does with pickled arguments, for another process.

    Without `job`, it is the last one that this worker has had; None is returned if that is another.

    Bytes are what executors send fastest: Dask would search nested values for its own, and send
    every array by itself. The job is unpickled once a worker.
    """
    if job is None and not _has_runner(name):
        return None
    runner = _runner(name, lambda: pickle.loads(job or b""))
    return pickle.dumps(_run_all(runner, first, pickle.loads(values)), _PROTOCOL)


def _has_runner(name: str) -> bool:
    return bool(getattr(_STORE, "runner", ("",))[0] == name)


def _runner(name: str, job: Callable[[], SweepJob]) -> SweepRunner:
    known: tuple[str, SweepRunner] | None = getattr(_STORE, "runner", None)
    if known is None or known[0] != name:
        known = _STORE.runner = name, SweepRunner(job())
    return known[1]


def _run_all(runner: SweepRunner, first: int, values: Sequence[Any]) -> list[Outcome]:
    outcomes = []
    for number, value in enumerate(values, first):
        try:
            outcomes.append(runner.run(value))
        except Exception as error:
            error.add_note(f"in input {number} of the sweep")
            raise
    return outcomes


def _set_register(bench: Bench, name: str, value: Any) -> None:
    scalar = _scalar(bench, name)
    if scalar is not None:
        getattr(bench, scalar[0])[scalar[1]] = value
    else:
        _vector(bench, name)
        setattr(bench, name, value)


def _scalar(bench: Bench, name: str) -> tuple[str, int] | None:
    """The file and the number of a scalar register; None for another name."""
    layout = bench.state.layout
    found = _SCALAR.fullmatch(name)
    if found is not None and found[1] in layout.files:
        return found[1], int(found[2])
    return scalar_place(layout, name)


def _vector(bench: Bench, name: str) -> Array:
    """A vector register. Raises AttributeError for another name."""
    layout = bench.state.layout
    if name not in layout.vectors and name not in layout.vector_places:
        known = ", ".join(dict.fromkeys((*layout.files, *layout.vectors, *layout.vector_places)))
        raise AttributeError(f"a register is one of {known}, or one of a file; found `{name}`")
    array: Array = getattr(bench, name)
    return array


_OUTPUT: Final = "an output is the name of a register, or (address, shape, dtype)"


def require_mapping(value: Any, what: str) -> None:
    """Raise TypeError for what is no mapping; `what` says what it should have been."""
    __tracebackhide__ = True
    if not isinstance(value, Mapping):
        raise TypeError(f"{what}, found {type(value).__name__}")


def require_functions(functions: Mapping[str, Any], executor: Any) -> None:
    """Raise TypeError unless all are functions or None, and the executor can execute them."""
    __tracebackhide__ = True
    for name, function in functions.items():
        require_callable(function, f"`{name}`")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        found = type(executor).__name__
        raise TypeError(f"`executor` is a `concurrent.futures.Executor`, found {found}")


def require_outputs(outputs: Any) -> None:
    """Raise TypeError for outputs of another form than `sweep` takes."""
    __tracebackhide__ = True
    require_mapping(outputs, "`outputs` is a mapping of names to what is read")
    for name, output in outputs.items():
        is_array = isinstance(output, (tuple, list)) and len(output) == 3
        if not is_array and not isinstance(output, str):
            raise TypeError(f"{_OUTPUT}, found {output!r} for `{name}`")


def failure_folder(folder: Any) -> Path | None:
    """Return the folder for failures. Raises TypeError, and NotADirectoryError for a file."""
    __tracebackhide__ = True
    if folder is None:
        return None
    require_path(folder, "`failures` is the path of a folder")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"`failures` is the path of a folder, found the file `{path}`")
    return path


def rows_of(inputs: Any) -> tuple[Iterable[Any], int | None]:
    """Return the inputs one by one, and their number, if it is known.

    Raises TypeError for what has no inputs, ValueError for stacks of different lengths.
    """
    __tracebackhide__ = True
    if isinstance(inputs, Mapping):
        return _unstacked(inputs), _stacked_count(inputs)
    if isinstance(inputs, (str, bytes)) or not isinstance(inputs, Iterable):
        found = type(inputs).__name__
        raise TypeError(f"inputs are an iterable, or a mapping to stacked values, found {found}")
    return inputs, len(inputs) if isinstance(inputs, Sized) else None


def _unstacked(stacked: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
    """The inputs of values that are stacked along their first axes."""
    for row in zip(*stacked.values(), strict=True):
        yield dict(zip(stacked, row))


def _stacked_count(stacked: Mapping[Any, Any]) -> int:
    __tracebackhide__ = True
    for place, values in stacked.items():
        if not isinstance(values, Sized):
            found = f"found {type(values).__name__} for {place!r}"
            raise TypeError(f"stacked inputs are sequences or arrays, {found}")
    counts = {len(values) for values in stacked.values()}
    if len(counts) != 1:
        found = " and ".join(map(str, sorted(counts))) or "none"
        raise ValueError(f"stacked inputs have one length, found {found}")
    return counts.pop()
