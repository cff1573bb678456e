"""`ipu-run` for programs of machine code: a source, a template, an object or a listing."""

from __future__ import annotations

import json
import sys
import time
from array import array
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from ipu_asm.assembler.encode import AssemblyError
from ipu_asm.assembler.kernel import RejectedSourceError, chosen_isa
from ipu_asm.cli.console import ExitStatus, ProgressBar, print_message, write
from ipu_asm.cli.programs import read_source, show_findings
from ipu_asm.cli.run.checks import check_outputs
from ipu_asm.cli.run.code_outputs import (
    GOOD_ENDS,
    UNTIL,
    CodeRun,
    begun_from,
    compared,
    kernel_of,
    place_text,
    printed_value,
    result_data,
    summary,
    written_files,
)
from ipu_asm.cli.run.host_options import number, read_pieces
from ipu_asm.cli.run.options import PROGRAM, RunOptions, usage_error
from ipu_asm.cli.run.outputs import changed_costs, read_baseline
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, decoded, is_code_file
from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.stops import (
    MachineFaultError,
    ProgramError,
    UnknownResultError,
    describe_stop,
)
from ipu_asm.testbench.data.source import Data
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.emulator.code_program import CodeProgram
    from ipu_asm.emulator.code_runs import CodeMachine, CodeModel
    from ipu_asm.reports.recorded_profiles import RecordedProfile
    from ipu_asm.testbench.data.numbers import Numbers

_PIECE = 5_000
"""Bundles between two checks for Ctrl-C: some hundredths of a second."""

_LIMIT = "cycle-limit"
_INTERRUPTED = "interrupted"


def run_code(options: RunOptions, data: bytes, target: Target) -> int:
    """Run a program of machine code as `options` say; return the exit status.

    Raises `FileError` and `ConfigurationError`.
    """
    _check_options(options)
    check_outputs(options)
    read = _program(options, data, target)
    if read is None:
        return ExitStatus.FINDINGS
    program, source = read
    from ipu_asm.emulator.code_runs import code_model

    model = code_model(program.isa.name)
    loads, expects = (
        [_numbers(each, program.isa.name) for each in requests]
        for requests in (options.load, options.expect)
    )
    if options.is_debugged:
        return _debugged(options, program, source, model, loads)
    baseline = read_baseline(options)
    machine: Any = model.make_machine(program)
    is_resumed = False
    try:
        if options.load_state is not None:
            begun, is_resumed = begun_from(options.load_state, model, program)
            machine.take(begun)
        _set_up(machine, program, model, options, loads, is_resumed=is_resumed)
        if not is_resumed:
            machine.start(program.entry(options.entry))
        stop = _stop(program, options)
    except ProgramError as error:
        usage_error(str(error))
    run = _executed(machine, program, options, stop)
    return _finished(run, program, source, options, expects, baseline=baseline)


_REFUSED: Mapping[str, Callable[[RunOptions], object]] = {
    "--cr": lambda options: options.cr,
    "--lr": lambda options: options.lr,
    "--break": lambda options: options.breaks,
}


def _check_options(options: RunOptions) -> None:
    given = [name for name, value in _REFUSED.items() if value(options)]
    given += [f"--{name.replace('_', '-')}" for name in options.host]
    if given:
        usage_error(f"argument {given[0]}: a program of machine code takes no such option")
    asked: dict[str, object] = {"--dump": options.dump, "--expect": options.expect}
    asked |= {"--load-state": options.load_state, "--save-state": options.save_state}
    name = next((name for name, value in asked.items() if value), None)
    if options.is_debugged and name is not None:
        usage_error(f"argument {name}: a session with a program of machine code takes none")


def _program(
    options: RunOptions, data: bytes, target: Target
) -> tuple[CodeProgram, SourceFile] | None:
    """Return the program and its source; None if it has errors, which are printed."""
    from ipu_asm.emulator.code_program import CodeProgram, linked, linked_kernel
    from ipu_asm.emulator.code_runs import code_model

    if is_code_file(data) and (options.is_debugged or options.other_outputs):
        try:
            kernel = linked_kernel(
                data, target.name, lambda isa: code_model(isa).data_address, options.isa
            )
        except RejectedSourceError as error:
            show_findings(error.findings, error.source, "nothing run")
            return None
        except (LookupError, ProgramError) as error:
            raise FileError(str(error), target.name) from None
        return kernel.code, kernel.source
    if is_code_file(data):
        from ipu_asm.assembler.code_files import read_code_file

        file = read_code_file(data, target.name, options.isa)
        try:
            address = code_model(file.isa.name).data_address
            return CodeProgram(file.isa, file.code, address), SourceFile("", target.name)
        except (LookupError, ProgramError) as error:
            raise FileError(str(error), target.name) from None
    text = decoded(data, target.name).text
    isa, _ = chosen_isa(text, target.name, options.isa)
    source = SourceFile(text, target.name)
    effective, warnings = read_source(isa, source, options.defines, options.warnings)
    try:
        program = linked(effective, source, code_model(isa.name).data_address)
    except AssemblyError as error:
        show_findings([*error.findings, *warnings], source, "nothing run", effective.expansion)
        return None
    except ProgramError as error:
        show_findings(warnings, source, expansion=effective.expansion)
        raise FileError(str(error), target.name) from None
    show_findings(warnings, source, expansion=effective.expansion)
    return program, source


def _numbers(data: Data, isa_name: str) -> tuple[Numbers, Data]:
    """Read data; a file is read whole, because lengths count numbers. Raises `FileError`."""
    from ipu_asm.testbench.data.numbers import numbers_of

    is_file = not data.source.generator
    whole = data._replace(place=data.place._replace(shape=None)) if is_file else data
    (piece,) = read_pieces([whole], isa_name)
    return numbers_of(piece._replace(data=data)), data


def _set_up(
    machine: CodeMachine,
    program: CodeProgram,
    model: CodeModel,
    options: RunOptions,
    loads: Sequence[tuple[Numbers, Data]],
    *,
    is_resumed: bool = False,
) -> None:
    """Set registers and memory. Exits the process for names and values that do not fit."""
    from ipu_asm.emulator.code_runs import argument_registers, set_up

    try:
        arguments = argument_registers(model, options.arguments)
    except ValueError as error:
        usage_error(f"argument --arg: {error}")
    registers = {name: number(value) for name, value in options.registers.items()} | arguments
    try:
        set_up(machine, program, registers, {}, is_resumed=is_resumed)
    except (LookupError, ValueError) as error:
        usage_error(f"argument --set: {error}")
    for numbers, data in loads:
        try:
            machine.state.write_memory(data.place.address, numbers.data)
        except MachineFaultError as error:
            usage_error(f"argument --load: {error}")


def _debugged(
    options: RunOptions,
    program: CodeProgram,
    source: SourceFile,
    model: CodeModel,
    loads: Sequence[tuple[Numbers, Data]],
) -> int:
    """Run a session of the terminal debugger; return the exit status."""
    from ipu_asm.cli.run.interactive.session import Screen, Session
    from ipu_asm.cli.run.interactive.terminal import converse

    if program.lines is None:
        usage_error("a session needs a source; `ipu-as disassemble` makes one of an object")
    state = model.stepping().make_state({})
    try:
        state.load_code(program, options.entry)
    except ProgramError as error:
        usage_error(str(error))
    _set_up(state.core, program, model, options, loads)
    session = Session(kernel_of(program, source), state, options, settings={}, screen=Screen())
    status = converse(session, options)
    write(f"{describe_stop(session.run_end())}; cycle {session.debugger.cycle:,}\n", sys.stdout)
    return status


def _stop(program: CodeProgram, options: RunOptions) -> Callable[[int], bool] | None:
    if options.until is None:
        return None
    address = program.entry(options.until)
    return lambda pc: pc == address


def _executed(
    machine: CodeMachine,
    program: CodeProgram,
    options: RunOptions,
    stop: Callable[[int], bool] | None,
) -> CodeRun:
    """Run to the end, in pieces between checks for Ctrl-C, and let everything land."""
    state = machine.state
    stores: list[tuple[int, int, int]] = []
    if options.expect:
        state.observe_stores(lambda at, data, pc: stores.append((at, len(data), pc)))
    recording = Recording(options.trace_limit) if options.is_recorded else None
    path, number_at = array("H"), program.number_at
    trace = None if recording is None else lambda pc: path.append(number_at(pc))
    end, reason = "", ""
    progress = ProgressBar(options.max_cycles, sys.stderr)
    start = time.perf_counter()
    try:
        with Interrupts(is_quiet=True) as interrupts:
            while not (end := state.end):
                if interrupts.is_pending:
                    end, reason = _INTERRUPTED, "interrupted by Ctrl-C"
                elif state.cycle >= options.max_cycles:
                    end, reason = _LIMIT, f"no end within {options.max_cycles:,} cycles"
                elif stop is not None and state.executed and stop(state.pc):
                    end = UNTIL
                if end:
                    break
                before = state.executed
                try:
                    machine.run(min(_PIECE, options.max_cycles - state.cycle), stop, trace)
                finally:
                    if recording is not None and state.executed > before:
                        recording.add_addresses(path[: state.executed - before])
                        del path[:]
                progress.show(state.cycle)
    except UnknownResultError as error:
        end, reason = "unknown", str(error)
    except MachineFaultError as error:
        end, reason = "fault", str(error)
    finally:
        progress.clear()
    seconds, cycles, pc = time.perf_counter() - start, state.cycle, state.pc
    is_settled = bool(state.end) or state.is_settled
    try:
        state.drain()
    except (UnknownResultError, MachineFaultError) as error:
        if end in GOOD_ENDS:
            end = "unknown" if isinstance(error, UnknownResultError) else "fault"
            reason = str(error)
    return CodeRun(machine, end, reason, cycles, pc, seconds, stores, recording, is_settled)


def _finished(
    run: CodeRun,
    program: CodeProgram,
    source: SourceFile,
    options: RunOptions,
    expects: Sequence[tuple[Numbers, Data]],
    *,
    baseline: RecordedProfile | None,
) -> int:
    """Print and write the results; return the exit status. Raises `FileError`."""
    is_good = run.end in GOOD_ENDS
    for warning in run.machine.warnings:
        print_message(PROGRAM, warning, "warning")
    if not is_good:
        kind = "unknown" if run.end == "unknown" else "error"
        print_message(PROGRAM, f"{run.reason} ({place_text(program, run.pc)})", kind)
    status = {"unknown": ExitStatus.UNKNOWN, _INTERRUPTED: ExitStatus.INTERRUPTED}.get(
        run.end, ExitStatus.OK if is_good else ExitStatus.FINDINGS
    )
    if not is_good and (options.dump or options.save_state):
        print_message(PROGRAM, "nothing was dumped", "note")
    comparisons = [compared(run, program, *each) for each in expects] if is_good else []
    for comparison in comparisons:
        if comparison["message"]:
            print_message(PROGRAM, f"{source.path}: {comparison['message']}")
            write(comparison["report"], sys.stderr)
            status = ExitStatus.FINDINGS
    printed = [printed_value(run, text) for text in options.prints]
    has_outputs = is_good or options.other_outputs
    written = written_files(run, program, source, options) if has_outputs else []
    costs = changed_costs(baseline, kernel_of(program, source), run) if baseline else None
    if options.json:
        result = result_data(run, program, source, comparisons, dict(printed))
        if costs is not None:
            result["baseline"] = costs.data
        if options.state:
            result["state"] = {
                name: hex(value) for name, value in run.machine.state.values().items()
            }
        write(json.dumps(result, indent=2) + "\n", sys.stdout)
        return status
    stream = sys.stderr if STANDARD_INPUT in options.outputs else sys.stdout
    lines = [*summary(run, program, options, written, printed), *(costs.text if costs else ())]
    write("\n".join(lines) + "\n", stream)
    return status
