"""What `ipu-run` prints and writes of a run of machine code."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.cli.console import shown_rate, write_bytes
from ipu_asm.cli.run.checks import is_page
from ipu_asm.cli.run.options import RunOptions, usage_error
from ipu_asm.config.file_writing import Output, replace_files
from ipu_asm.config.files import STANDARD_INPUT, FileError
from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.faults import MachineFaultError
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.coverage.formats import coverage_page, lcov_text
from ipu_asm.testbench.coverage.model import Coverage, KernelCoverage, Place, WrittenBundle
from ipu_asm.testbench.data.numbers import Numbers, dumped, listed_numbers, memory_difference
from ipu_asm.testbench.data.source import Data, DataError
from ipu_asm.text import SourceFile, counted

UNTIL = "until"
GOOD_ENDS = ("done", "returned", UNTIL)


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
    if options.other_outputs:
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
            write_bytes(output.data)
    replace_files([output for output, _ in found if output.path != STANDARD_INPUT])
    return [note for _, note in found]


class ExecutedPath:
    """The addresses of the bundles that a run has executed, in their order."""

    def __init__(self, program: CodeProgram, path: Sequence[int], source: SourceFile) -> None:
        self._program = program
        self._path = path
        self._source = source
        self._counts = Counter(path)

    def trace(self, last: int) -> str:
        """Return the last bundles as a Chrome trace: one track for each slot."""
        slots = [slot.name for slot in self._program.isa.slots]
        events: list[dict[str, Any]] = [
            {"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": slot}}
            for number, slot in enumerate(slots, 1)
        ]
        first = max(len(self._path) - last, 0)
        for cycle, pc in enumerate(self._path[first:], first):
            unit = self._program.unit_at(pc)
            place = self._program.place(pc)
            about = {"pc": pc, **({"line": place.line} if place else {})}
            for each in unit.instructions if unit else ():
                if not each.form.nop:
                    text = " ".join((each.mnemonic, ", ".join(each.operands))).strip()
                    track = slots.index(each.form.slot) + 1
                    events.append({"ph": "X", "pid": 1, "tid": track, "ts": cycle, "dur": 1,
                                   "name": text, "args": about})  # fmt: skip
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}) + "\n"

    def profile(self) -> str:
        """Return how often bundles and lines were executed, and how busy the units were."""
        bundles, lines = [], Counter[int]()
        busy: Counter[str] = Counter()
        units = {slot.name: slot.units for slot in self._program.isa.slots}
        for pc, count in sorted(self._counts.items()):
            unit, place = self._program.unit_at(pc), self._program.place(pc)
            used = [each for each in (unit.instructions if unit else ()) if not each.form.nop]
            for each in used:
                busy.update(dict.fromkeys(units[each.form.slot], count))
            if place is not None:
                lines[place.line] += count
            bundles.append({
                "pc": pc, "line": place and place.line, "bundles": count,
                "instructions": [" ".join((e.mnemonic, ", ".join(e.operands))) for e in used],
            })  # fmt: skip
        total = len(self._path)
        result = {
            "program": self._source.path,
            "bundles_executed": total,
            "units": {
                unit: {"bundles": count, "share": round(count / total, 6)}
                for unit, count in sorted(busy.items())
            },
            "lines": [{"line": line, "bundles": count} for line, count in sorted(lines.items())],
            "bundles": bundles,
        }
        return json.dumps(result, indent=1) + "\n"

    def lcov(self) -> str:
        """Return the coverage for lcov. Raises `FileError` unless the program is a source."""
        coverage = Coverage()
        coverage.add(self._covered())
        return lcov_text(coverage)

    def coverage_page(self) -> str:
        """Return the coverage as an HTML page. Raises `FileError` as `lcov` does."""
        covered = self._covered()
        message = f"one run of {len(self._path):,} bundles"
        return coverage_page(covered, message=message, sources={covered.path: self._source})

    def _covered(self) -> KernelCoverage:
        if not os.path.isfile(self._source.path) or self._program.lines is None:
            raise FileError("coverage counts the lines of a source, and this is none",
                            self._source.path)  # fmt: skip
        path = os.path.abspath(self._source.path)
        found = KernelCoverage(path, self._program.isa.name)
        found.runs = 1
        for pc in sorted(self._program.bundles):
            place = self._program.place(pc)
            if place is not None:
                file = path if place.path == MAIN else os.path.abspath(place.path)
                lines = tuple((file, line) for line in range(place.line, place.end_line + 1))
                written = WrittenBundle(Place(file, place.line, 1), lines)
                found.add_bundle(written, self._counts[pc])
        return found
