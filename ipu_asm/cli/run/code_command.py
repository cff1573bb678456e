"""`ipu-run` for programs of machine code: a source, a template, an object or a listing."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

from ipu_asm.assembler.encode import AssemblyError
from ipu_asm.assembler.kernel import Kernel, chosen_isa
from ipu_asm.cli.console import ExitStatus, ProgressBar, print_message, shown_rate, write
from ipu_asm.cli.programs import read_source, show_findings
from ipu_asm.cli.run.checks import check_outputs, is_page
from ipu_asm.cli.run.host_options import number, read_pieces
from ipu_asm.cli.run.options import PROGRAM, RunOptions, usage_error
from ipu_asm.config.file_writing import Output, replace_files
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, decoded, is_code_file
from ipu_asm.emulator.faults import MachineFaultError, ProgramError, UnknownResultError
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.emulator.stops import describe_stop
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.source import Data
from ipu_asm.text import SourceFile, counted

if TYPE_CHECKING:
    from ipu_asm.emulator.code_program import CodeProgram
    from ipu_asm.emulator.code_runs import CodeMachine, CodeModel
    from ipu_asm.testbench.data.numbers import Numbers

_PIECE = 5_000
"""Bundles between two checks for Ctrl-C: some hundredths of a second."""

_LIMIT = "cycle-limit"
_INTERRUPTED = "interrupted"
_UNTIL = "until"
_GOOD = ("done", "returned", _UNTIL)
_POINTER = "*"


class CodeRun(NamedTuple):
    """The end of a run; `pc` is the bundle in front of which it stopped, or the last one."""

    machine: Any
    end: str
    reason: str
    cycles: int
    pc: int
    seconds: float
    stores: Sequence[tuple[int, int, int]]
    """Address, size and address of the bundle of each store, if anything is expected."""

    path: Sequence[int]
    """Addresses of executed bundles, if they are recorded."""


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
    machine: CodeMachine = model.make_machine(program)
    try:
        _set_up(machine, program, model, options, loads)
        machine.start(program.entry(options.entry))
        stop = _stop(program, options)
    except ProgramError as error:
        usage_error(str(error))
    run = _executed(machine, options, stop)
    return _finished(run, program, source, options, expects)


_REFUSED: Mapping[str, Callable[[RunOptions], object]] = {
    "--cr": lambda options: options.cr,
    "--lr": lambda options: options.lr,
    "--load-state": lambda options: options.load_state,
    "--save-state": lambda options: options.save_state,
    "--break": lambda options: options.breaks,
}


def _check_options(options: RunOptions) -> None:
    given = [name for name, value in _REFUSED.items() if value(options)]
    given += [f"--{name.replace('_', '-')}" for name in options.host]
    if given:
        usage_error(f"argument {given[0]}: a program of machine code takes no such option")
    if options.is_debugged and (options.dump or options.expect):
        name = "--dump" if options.dump else "--expect"
        usage_error(f"argument {name}: a session with a program of machine code takes none")
    if options.profile is not None and not options.profile.lower().endswith(".json"):
        usage_error("argument --profile: of machine code a profile is data, found no `.json`")


def _program(
    options: RunOptions, data: bytes, target: Target
) -> tuple[CodeProgram, SourceFile] | None:
    """Return the program and its source; None if it has errors, which are printed."""
    from ipu_asm.emulator.code_program import CodeProgram, linked
    from ipu_asm.emulator.code_runs import code_model

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
) -> None:
    """Set registers and memory. Exits the process for names and values that do not fit."""
    from ipu_asm.emulator.code_runs import set_up

    registers = {name: number(value) for name, value in options.registers.items()}
    counts = dict.fromkeys(model.arguments, 0)
    for text in options.arguments:
        file = "p" if text.startswith(_POINTER) else "r"
        if counts[file] == len(model.arguments[file]):
            usage_error(
                f"argument --arg: functions take {counts[file]} such arguments in registers"
            )
        value = _argument(text.removeprefix(_POINTER))
        registers[model.arguments[file][counts[file]]] = value
        counts[file] += 1
    try:
        set_up(machine, program, registers, {})
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

    lines = program.lines
    if lines is None:
        usage_error("a session needs a source; `ipu-as disassemble` makes one of an object")
    state = model.stepping().make_state({})
    try:
        state.load_code(program, options.entry)
    except ProgramError as error:
        usage_error(str(error))
    _set_up(state.core, program, model, options, loads)
    expansions = (lines.expansion,) if lines.expansion else ()
    kernel = Kernel(source.path, source, program.isa, (), lines.program, False, expansions)
    session = Session(kernel, state, options, settings={}, screen=Screen())
    status = converse(session, options)
    write(f"{describe_stop(session.run_end())}; cycle {session.debugger.cycle:,}\n", sys.stdout)
    return status


def _argument(text: str) -> int:
    from ipu_asm.isa.operands import number_value

    value = number_value(text)
    if value is None:
        usage_error(f"argument --arg: expected a number such as 4 or *0x70000, found `{text}`")
    return value


def _stop(program: CodeProgram, options: RunOptions) -> Callable[[int], bool] | None:
    if options.until is None:
        return None
    address = program.entry(options.until)
    return lambda pc: pc == address


def _executed(
    machine: CodeMachine, options: RunOptions, stop: Callable[[int], bool] | None
) -> CodeRun:
    """Run to the end, in pieces between checks for Ctrl-C, and let everything land."""
    state = machine.state
    stores: list[tuple[int, int, int]] = []
    if options.expect:
        state.observe_stores(lambda at, data, pc: stores.append((at, len(data), pc)))
    path: list[int] = []
    is_recorded = any((options.trace, options.profile, options.coverage))
    trace = path.append if is_recorded else None
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
                    end = _UNTIL
                if end:
                    break
                machine.run(min(_PIECE, options.max_cycles - state.cycle), stop, trace)
                progress.show(state.cycle)
    except UnknownResultError as error:
        end, reason = "unknown", str(error)
    except MachineFaultError as error:
        end, reason = "fault", str(error)
    finally:
        progress.clear()
    seconds, cycles, pc = time.perf_counter() - start, state.cycle, state.pc
    try:
        state.drain()
    except (UnknownResultError, MachineFaultError) as error:
        if end in _GOOD:
            end = "unknown" if isinstance(error, UnknownResultError) else "fault"
            reason = str(error)
    return CodeRun(machine, end, reason, cycles, pc, seconds, stores, path)


def _finished(
    run: CodeRun,
    program: CodeProgram,
    source: SourceFile,
    options: RunOptions,
    expects: Sequence[tuple[Numbers, Data]],
) -> int:
    """Print and write the results; return the exit status. Raises `FileError`."""
    is_good = run.end in _GOOD
    for warning in run.machine.warnings:
        print_message(PROGRAM, warning, "warning")
    if not is_good:
        kind = "unknown" if run.end == "unknown" else "error"
        print_message(PROGRAM, f"{run.reason} ({_place(program, run.pc)})", kind)
    status = {"unknown": ExitStatus.UNKNOWN, _INTERRUPTED: ExitStatus.INTERRUPTED}.get(
        run.end, ExitStatus.OK if is_good else ExitStatus.FINDINGS
    )
    if not is_good and options.dump:
        print_message(PROGRAM, "nothing was dumped", "note")
    comparisons = [_compared(run, program, *each) for each in expects] if is_good else []
    for comparison in comparisons:
        if comparison["message"]:
            print_message(PROGRAM, f"{source.path}: {comparison['message']}")
            write(comparison["report"], sys.stderr)
            status = ExitStatus.FINDINGS
    printed = [_printed(run, text) for text in options.prints]
    written = _write(run, program, source, options) if is_good or options.other_outputs else []
    if options.json:
        result = _json(run, program, source, comparisons, dict(printed))
        if options.state:
            result["state"] = {
                name: hex(value) for name, value in run.machine.state.values().items()
            }
        write(json.dumps(result, indent=2) + "\n", sys.stdout)
        return status
    stream = sys.stderr if STANDARD_INPUT in options.outputs else sys.stdout
    write("\n".join(_summary(run, program, options, written, printed)) + "\n", stream)
    return status


def _place(program: CodeProgram, pc: int) -> str:
    place = program.place(pc)
    return f"bundle at {pc:#x}" if place is None else f"line {place.line}, bundle at {pc:#x}"


def _compared(run: CodeRun, program: CodeProgram, numbers: Numbers, data: Data) -> dict[str, Any]:
    """Return how memory compares with data, with the bundle that wrote the first difference."""
    from ipu_asm.testbench.data.numbers import memory_difference

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
            wrote = f"written by the {_place(program, pc)}"
            break
    first, *rest = difference.report.splitlines()
    report = "".join(f"{line}\n" for line in rest)
    return {**base, "message": f"{data.source.text}: {first}; {wrote}", "report": report}


def _printed(run: CodeRun, text: str) -> tuple[str, Any]:
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
    from ipu_asm.testbench.data.numbers import listed_numbers
    from ipu_asm.testbench.data.source import DataError

    try:
        return text, listed_numbers(data, kind)
    except DataError as error:
        usage_error(f"argument --print: {error}")


def _summary(
    run: CodeRun,
    program: CodeProgram,
    options: RunOptions,
    written: Sequence[str],
    printed: Sequence[tuple[str, Any]],
) -> Iterator[str]:
    yield f"{_message(run)} ({_place(program, run.pc)})" if run.end == _UNTIL else _message(run)
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


def _message(run: CodeRun) -> str:
    known = {
        "done": "ended by `done`",
        "returned": "returned from the entry",
        _UNTIL: "stopped by --until",
    }
    return known.get(run.end, f"{run.end}: {run.reason}")


def _json(
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
        "message": _message(run),
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


def _write(
    run: CodeRun, program: CodeProgram, source: SourceFile, options: RunOptions
) -> list[str]:
    """Write the requested files and return a note on each. Raises `FileError`."""
    found: list[tuple[Output, str]] = []
    if run.end in _GOOD and options.dump:
        from ipu_asm.testbench.data.numbers import dumped

        try:
            found += dumped(options.dump, run.machine.state.read_memory)
        except MachineFaultError as error:
            usage_error(f"argument --dump: {error}")
    if options.other_outputs:
        from ipu_asm.testbench.executed_path import ExecutedPath

        path = ExecutedPath(program, run.path, source)
        if options.trace is not None:
            last = options.trace_limit
            found.append((Output(options.trace, path.trace(last).encode()), options.trace))
        if options.profile is not None:
            found.append((Output(options.profile, path.profile().encode()), options.profile))
        if options.coverage is not None:
            text = path.coverage_page() if is_page(options.coverage) else path.lcov()
            found.append((Output(options.coverage, text.encode()), options.coverage))
    for output, _ in found:
        if output.path == STANDARD_INPUT:
            from ipu_asm.cli.console import write_bytes

            write_bytes(output.data)
    replace_files([output for output, _ in found if output.path != STANDARD_INPUT])
    return [note for _, note in found]
