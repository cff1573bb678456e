"""What `ipu-run` prints and writes of a run of machine code."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import shown_rate
from ipu_asm.cli.run.checks import check_coverage
from ipu_asm.cli.run.options import RunOptions, usage_error
from ipu_asm.cli.run.outputs import recorded_outputs, write_files
from ipu_asm.config.file_writing import Output
from ipu_asm.config.files import FileError
from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.code_runs import FAULT, UNKNOWN, CodeModel
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.stops import Fault, MachineFaultError, RunEnd, StopReason
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.memory import (
    RunSoFar,
    checked_settings,
    digest_of,
    read_saved_run,
    restore_state,
    state_file,
)
from ipu_asm.testbench.data.numbers import Numbers, dumped, listed_numbers, memory_difference
from ipu_asm.testbench.data.source import Data, DataError
from ipu_asm.text import SourceFile, counted

UNTIL = "until"
GOOD_ENDS = ("done", "returned", UNTIL)


class CodeRun(NamedTuple):
    """How a run of machine code ended, why, and after how many cycles.

    `pc` is the address of the bundle in front of which it stopped, or of the last one. `stores` are
    address, size and address of the bundle of each store, if anything is expected.
    """

    machine: Any
    end: str
    reason: str
    cycles: int
    pc: int
    seconds: float
    stores: Sequence[tuple[int, int, int]]
    recording: Recording | None
    is_settled: bool
    """Whether nothing was in flight in front of that bundle."""

    @property
    def next_bundle(self) -> int:
        """The number of the bundle that would be executed next."""
        program: CodeProgram = self.machine.program
        return program.number_at(self.pc)

    @property
    def stop(self) -> RunEnd:
        """The stop reason and place, in the form that the reports of all machines take."""
        program: CodeProgram = self.machine.program
        ended_by = self.machine.ended_by
        last = self.recording.last if self.recording is not None and ended_by else None
        number = self.next_bundle if last is None else last
        place = program.lines.place(number) if program.lines else None
        fault = None
        if self.end in (UNKNOWN, FAULT):
            lines = (place.line, place.span) if place else (None, None)
            fault = Fault(number, self.cycles, 0, "", "", self.reason, {}, *lines)
        reason = StopReason.HALTED if ended_by else StopReason.FAULT
        if not ended_by and fault is None:
            reason = StopReason(self.end)
        return RunEnd(reason, number, ended_by or None, {}, place, fault)


def place_text(program: CodeProgram, pc: int) -> str:
    place = program.place(pc)
    return f"bundle at {pc:#x}" if place is None else f"line {place.line}, bundle at {pc:#x}"


def compared(run: CodeRun, program: CodeProgram, numbers: Numbers, data: Data) -> dict[str, Any]:
    """Return how memory compares with data, with the bundle that wrote the first difference."""
    address = data.place.address
    try:
        found = run.machine.state.read_memory(address, len(numbers.data))
    except MachineFaultError as error:
        usage_error(f"argument --expect: {error}")
    difference = memory_difference(numbers, found, address)
    base = {"expected": data.source.text, "address": address, "equal": difference is None}
    if difference is None:
        return {**base, "message": "", "report": ""}
    wrote = "nothing in this run wrote it"
    for at, size, pc in reversed(run.stores):
        if at < difference.address + difference.size and difference.address < at + size:
            wrote = f"written by the {place_text(program, pc)}"
            break
    first, *rest = difference.report.splitlines()
    report = "".join(f"{line}\n" for line in rest)
    return {**base, "message": f"{data.source.text}: {first}; {wrote}", "report": report}


def printed_value(run: CodeRun, text: str) -> tuple[str, Any]:
    """Return an expression of `--print`, a register and perhaps a type, with its value."""
    state, name, kind = run.machine.state, text, ""
    try:
        return text, state.register(name)
    except LookupError:
        name, _, kind = text.rpartition(":")
    try:
        data = state.register_bytes(name or text)
    except LookupError as error:
        usage_error(f"argument --print: {error}")
    try:
        return text, listed_numbers(data, kind)
    except DataError as error:
        usage_error(f"argument --print: {error}")


def summary(
    run: CodeRun,
    program: CodeProgram,
    options: RunOptions,
    written: Sequence[str],
    printed: Sequence[tuple[str, Any]],
) -> Iterator[str]:
    yield (
        f"{message_of(run)} ({place_text(program, run.pc)})"
        if run.end == UNTIL
        else message_of(run)
    )
    rate = shown_rate(run.cycles / run.seconds if run.seconds else 0.0)
    state = run.machine.state
    stalls = f", {counted(state.stalls, 'stall')}" if state.stalls else ""
    yield (
        f"{counted(run.cycles, 'cycle')} in {run.seconds:.3f} s, {rate} cycles per second{stalls}"
    )
    if written:
        yield f"wrote {', '.join(written)}"
    for text, value in printed:
        yield f"{text} = {value if isinstance(value, list) else f'{value} ({value:#x})'}"
    if options.state:
        yield from (f"{name} = {value:#x}" for name, value in state.values().items() if value)


def message_of(run: CodeRun) -> str:
    known = {
        "done": "ended by `done`",
        "returned": "returned from the entry",
        UNTIL: "stopped by --until",
    }
    return known.get(run.end, f"{run.end}: {run.reason}")


def result_data(
    run: CodeRun,
    program: CodeProgram,
    source: SourceFile,
    comparisons: Sequence[Mapping[str, Any]],
    printed: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the result as an object; `registers` are those whose values have up to 64 bits."""
    state = run.machine.state
    place = program.place(run.pc)
    result: dict[str, Any] = {
        "stopped": run.end,
        "message": message_of(run),
        "program": source.path,
        "pc": run.pc,
        "line": place and place.line,
        "cycles": run.cycles,
        "bundles": state.executed,
        "stalls": state.stalls,
        "seconds": round(run.seconds, 6),
        "cycles_per_second": round(run.cycles / run.seconds) if run.seconds else 0,
        "warnings": list(run.machine.warnings),
        "registers": {name: value for name, value in state.values().items() if value >> 64 == 0},
    }
    if printed:
        result["printed"] = printed
    if comparisons:
        result["expected"] = [
            {name: value for name, value in each.items() if name != "report"}
            for each in comparisons
        ]
    return result


def written_files(
    run: CodeRun, program: CodeProgram, source: SourceFile, options: RunOptions
) -> list[str]:
    """Write the requested files and return a note on each. Raises `FileError`."""
    found: list[tuple[Output, str]] = []
    if run.end in GOOD_ENDS and options.dump:
        try:
            found += dumped(options.dump, run.machine.state.read_memory)
        except MachineFaultError as error:
            usage_error(f"argument --dump: {error}")
    if run.end in GOOD_ENDS and options.save_state is not None:
        output = _saved(run, program, source, options.save_state)
        found.append((output, options.save_state))
    if run.recording is not None:
        kernel = kernel_of(program, source)
        check_coverage(options.coverage, kernel)
        found += recorded_outputs(options, kernel, run)
    return write_files(found)


def begun_from(path: str, model: CodeModel, program: CodeProgram) -> tuple[Any, bool]:
    """Return the machine in the state of a file, and whether it goes on. Raises `FileError`."""
    state = model.stepping().make_state({})
    state.load_code(program)
    saved = read_saved_run(path)
    checked_settings(saved, model.stepping())
    restore_state(state, saved)
    state.take_edits()
    return state.core, not saved.is_halted


def _saved(run: CodeRun, program: CodeProgram, source: SourceFile, path: str) -> Output:
    if not run.is_settled:
        raise FileError("results are in flight in front of this bundle: a state is saved where all "
                        "have landed, as with --until after them", path)  # fmt: skip
    state = machine_for(program.isa.name).make_state({})
    state.load_code(program)
    state.take_core(run.machine)
    about = RunSoFar({}, source.path, digest_of(state.inst_mem), run.cycles)
    return Output(path, state_file(state, about))


def kernel_of(program: CodeProgram, source: SourceFile) -> Kernel:
    """Return the kernel of a program with lines."""
    lines = program.lines
    assert lines is not None
    expansions = (lines.expansion,) if lines.expansion else ()
    return Kernel(source.path, source, program.isa, (), lines.program, False, expansions, program)
