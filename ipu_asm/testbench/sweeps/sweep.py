"""Sweeps: one kernel on many inputs, in this process or on the workers of an executor."""

from __future__ import annotations

import os
import pickle
import shlex
import sys
import time
import uuid
import warnings
from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Final, Generator, Iterable, Iterator, Mapping, Sequence, TypeAlias

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.config import Value
from ipu_asm.config.file_writing import replace_file
from ipu_asm.emulator.arguments import count
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import SavedState
from ipu_asm.emulator.stops import Fault
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.testbench.bench import TEST_MAX_CYCLES
from ipu_asm.testbench.data.memory import RunSoFar, digest_of, state_file
from ipu_asm.testbench.execution import KernelWarning
from ipu_asm.testbench.kernel_loading import kernel_of_file
from ipu_asm.testbench.machine import checked_options, options_of_kernel
from ipu_asm.testbench.sweeps import (
    Check,
    Failure,
    Outcome,
    Output,
    Setup,
    SweepJob,
    SweepResult,
    SweepResults,
    Values,
)
from ipu_asm.testbench.sweeps.worker import (
    failure_folder,
    require_functions,
    require_mapping,
    require_outputs,
    rows_of,
    run_chunk,
    run_pickled,
)

CHUNK: Final = 64
"""Inputs that a worker gets at once, unless told otherwise."""

Progress: TypeAlias = Callable[[int, int | None, int], object]
"""Called with the inputs done, their number, if it is known, and the failures among them."""

_LONGEST_QUEUE: Final = 64
"""Chunks that wait for their turn, where an executor does not say how many workers it has."""
_REPORT_INTERVAL_S: Final = 0.2


def sweep(
    kernel: str | os.PathLike[str],
    inputs: Iterable[Any] | Mapping[Any, Sequence[Any]],
    executor: Executor | None = None,
    chunk: int = CHUNK,
    *,
    outputs: Mapping[str, Output] | None = None,
    common: Values | None = None,
    setup: Setup | None = None,
    check: Check | None = None,
    max_cycles: int = TEST_MAX_CYCLES,
    failures: str | os.PathLike[str] | None = None,
    progress: bool | Progress = False,
    defines: Mapping[str, Value] | None = None,
    engine: str | None = None,
    assertions: bool = True,
    **options: Any,
) -> Sweep:
    """Run a kernel on many inputs; return an iterator of their results, in the order of the inputs.

    An input is a mapping: arrays by byte address in xmem, or values by the name of a register, such
    as `{0x0: array, "cr0": 5}`; with `setup(bench, input)` it is anything that this function
    understands. `inputs` are an iterable of them, or one mapping to values stacked along the first
    axis. `common` has the same form and is set before each. `outputs` names what is read after a
    run: registers by their names, or `(address, shape, dtype)`. `check(input, outputs)` raises
    AssertionError for a wrong result.

    Without an `executor` the runs are made here, else by its workers, `chunk` inputs at once: any
    `concurrent.futures.Executor`, also that of a Dask client. Functions and inputs must be
    picklable for processes. Each worker has one machine, whose state is restored between inputs.

    Faults, the cycle limit, failed checks and, unless `assertions` is false, assertions in comments
    that do not hold are results with an `error`; with the folder `failures` their initial states
    are written there, and `command` repeats the run. Raises as `Bench.load` does, TypeError and
    ValueError for wrong arguments, and for values that no machine takes.
    """
    __tracebackhide__ = True
    chunk, limit = count(chunk, "`chunk`", 1), count(max_cycles, "`max_cycles`")
    reporter = None if isinstance(progress, bool) else progress
    require_functions({"setup": setup, "check": check, "progress": reporter}, executor)
    require_mapping(common or {}, "`common` is a mapping of addresses and registers to values")
    require_outputs(outputs or {})
    folder, (rows, total) = failure_folder(failures), rows_of(inputs)
    loaded = kernel_of_file(kernel, [Path()], defines or {})
    job = SweepJob(
        loaded.isa.name,
        tuple(loaded.words),
        common or {},
        outputs or {},
        setup,
        check,
        limit,
        _options(loaded, options),
        engine,
        loaded.lines if assertions and _has_assertions(loaded) else None,
        loaded.code,
    )
    named = "".join(f" --define {shlex.quote(f'{k}={v}')}" for k, v in (defines or {}).items())
    records = FailureRecords(loaded, job, folder, named)
    return Sweep(_results(job, rows, executor, chunk, records), total, progress)


class Sweep(Iterator[SweepResult]):
    """The results of a sweep that runs while it is iterated."""

    def __init__(
        self,
        results: Generator[SweepResult, None, None],
        total: int | None,
        progress: bool | Progress,
    ) -> None:
        self._results = results
        self._total = total
        self._done = self._failed = 0
        self._progress = _Reporter() if progress is True else progress or None

    def __next__(self) -> SweepResult:
        __tracebackhide__ = True
        result = next(self._results)
        self._done += 1
        self._failed += not result.is_ok
        if self._progress is not None:
            self._progress(self._done, self._total, self._failed)
        return result

    def close(self) -> None:
        """End the sweep; what no worker has begun is not run."""
        self._results.close()

    def collect(self) -> SweepResults:
        """Return all results that are left, together."""
        __tracebackhide__ = True
        return SweepResults(self)


class FailureRecords:
    """Failures with their places in the source, and files that repeat them."""

    def __init__(self, kernel: Kernel, job: SweepJob, folder: Path | None, arguments: str) -> None:
        self.kernel = kernel
        self._job = job
        self._folder = folder
        self._arguments = arguments

    def result(self, index: int, value: Any, outcome: Outcome) -> SweepResult:
        """Return the result of an input that failed."""
        failure = outcome.failure
        assert failure is not None
        # A saved state has no pipeline, and `ipu-run` continues no machine code.
        is_written = self._folder is not None and self.kernel.code is None
        command = self._written(index, failure.state) if is_written else ""
        error = self._error(failure)
        return SweepResult(index, value, {}, outcome.cycles, error, failure.state, command)

    def _error(self, failure: Failure) -> str:
        fault = failure.fault
        if fault is None or self.kernel.is_image:
            return failure.message
        return str(_located(fault, self.kernel))

    def _written(self, index: int, saved: SavedState) -> str:
        """Write the state before a run; return the command that repeats the run."""
        assert self._folder is not None
        state = machine_for(self.kernel.isa.name).make_state(self._job.options)
        state.restore(saved)
        state.load_program(self.kernel.words)
        digest = digest_of(self.kernel.words)
        run = RunSoFar(self._job.options, self.kernel.name, digest, 0)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"input-{index}.state"
        replace_file(str(path), state_file(state, run))
        kernel, file = shlex.quote(self.kernel.name), shlex.quote(str(path))
        # The limit of `ipu-run` is another one, and it would stop at assertions.
        ignored = " --no-assertions" if self._job.lines is None else ""
        options = f"--max-cycles {self._job.max_cycles}{ignored}{self._arguments}"
        return f"ipu-run {kernel} --load-state {file} {options}"


def _results(
    job: SweepJob,
    inputs: Iterable[Any],
    executor: Executor | None,
    chunk: int,
    records: FailureRecords,
) -> Generator[SweepResult, None, None]:
    """Yield the results in order; the queue of chunks is bounded, so inputs may be endless."""
    __tracebackhide__ = True
    is_warned = False
    for index, value, outcome in _outcomes(job, inputs, executor, chunk):
        if outcome.runs_off and not is_warned:
            is_warned = True
            message = f"the kernel runs off its end in input {index} of the sweep, and maybe others"
            warnings.warn(message, KernelWarning, stacklevel=3)
        if outcome.failure is not None:
            yield records.result(index, value, outcome)
        else:
            found = dict(zip(job.outputs, outcome.outputs))
            yield SweepResult(index, value, found, outcome.cycles)


def _outcomes(
    job: SweepJob, inputs: Iterable[Any], executor: Executor | None, chunk: int
) -> Iterator[tuple[int, Any, Outcome]]:
    __tracebackhide__ = True
    submit, first = _submission(job, executor), 0
    remaining = iter(inputs)
    waiting: deque[tuple[int, list[Any], Callable[[], list[Outcome]]]] = deque()
    cancel: dict[int, Callable[[], object]] = {}
    most = _queue_length(executor)
    try:
        while True:
            values = list(islice(remaining, chunk))
            if values:
                result, cancel[first] = submit(first, values)
                waiting.append((first, values, result))
            first += len(values)
            while waiting and (len(waiting) >= most or not values):
                start, done, result = waiting.popleft()
                found = result()
                del cancel[start]
                yield from zip(range(start, start + len(done)), done, found)
            if not values:
                return
    finally:
        for each in cancel.values():
            each()


Submit: TypeAlias = Callable[
    [int, list[Any]], tuple[Callable[[], list[Outcome]], Callable[[], object]]
]
"""Begins to run a chunk; returns what waits for its outcomes, and what cancels it."""


def _submission(job: SweepJob, executor: Executor | None) -> Submit:
    """How chunks of a job are run: here, on threads, or pickled by workers in other processes."""
    name = uuid.uuid4().hex
    if executor is None:
        return lambda first, values: (lambda: run_chunk(name, job, first, values), lambda: None)
    if isinstance(executor, ThreadPoolExecutor):

        def to_thread(first: int, values: list[Any]) -> Any:
            future = executor.submit(run_chunk, name, job, first, values)
            return future.result, future.cancel

        return to_thread
    try:
        pickled = pickle.dumps(job, 5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = "workers in other processes import `setup` and `check` from their module"
        raise TypeError(f"{message}, found what cannot be sent: {error}") from None

    return _to_processes(name, pickled, executor)


def _to_processes(name: str, job: bytes, executor: Executor) -> Submit:
    """How chunks are run by workers that keep the job; it is sent until the first has answered."""
    is_known = False

    def submit(first: int, values: list[Any]) -> Any:
        data = pickle.dumps(values, 5)
        future = executor.submit(run_pickled, name, None if is_known else job, first, data)

        def result() -> list[Outcome]:
            nonlocal is_known
            found = future.result()
            if found is None:  # a worker that has not had the job
                found = executor.submit(run_pickled, name, job, first, data).result()
            is_known = True
            outcomes: list[Outcome] = pickle.loads(found or b"")
            return outcomes

        return result, future.cancel

    return submit


def _options(kernel: Kernel, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the host: those given, else those that the kernel states."""
    __tracebackhide__ = True
    model = machine_for(kernel.isa.name)
    given = checked_options(model, options)
    stated, undecided = options_of_kernel(model, kernel, given)
    for name, message in undecided.items():
        raise ValueError(f"{message} with `{name}=...`")
    return {**stated, **given}


def _has_assertions(kernel: Kernel) -> bool:
    """Whether comments of a source have assertions."""
    told = (AssertionKind.CONFIGURATION, AssertionKind.LOG)
    comments = () if kernel.is_image else assertion_comments(kernel.program)
    return any(comment.kind not in told for comment in comments)


def _queue_length(executor: Executor | None) -> int:
    if executor is None:
        return 1
    workers = getattr(executor, "_max_workers", None)
    return 4 * workers if isinstance(workers, int) else _LONGEST_QUEUE


def _located(fault: Fault, kernel: Kernel) -> Fault:
    """A fault with its line."""
    lines, place = kernel.lines, 0
    while (text := lines.instruction(fault.pc, fault.slot, place + 1)) is not None:
        if text.lower() == fault.instruction.lower():
            return fault.located(lines, place + 1)
        place += 1
    return fault.located(lines, 0)


class _Reporter:
    """Prints the progress of a sweep on one line of standard error, on terminals only."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()

    def __call__(self, done: int, total: int | None, failed: int) -> None:
        now = time.monotonic()
        is_last = done == total
        if not sys.stderr.isatty() or (now - self._last < _REPORT_INTERVAL_S and not is_last):
            return
        self._last = now
        count = f"{done:,} of {total:,}" if total is not None else f"{done:,}"
        rate = done / max(now - self._begun, 1e-9)
        text = f"\r{count} inputs, {failed:,} failed, {rate:,.0f} a second"
        sys.stderr.write(text + ("\n" if is_last else ""))
        sys.stderr.flush()
