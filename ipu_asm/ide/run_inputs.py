"""Inputs of a run: registers and data with the origins of their values; and totals of a run."""

from __future__ import annotations

import os
from typing import Iterable, Mapping

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.config import Configuration, Value
from ipu_asm.config.host_configurations import (
    FoundRun,
    HostConfiguration,
    configured_host,
    configured_run,
)
from ipu_asm.diagnostics import Severity
from ipu_asm.emulator.stated_options import StatedRegister, stated_registers
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.flow.host_inputs import header_values, host_registers, input_regions
from ipu_asm.flow.loop_numbers import executions_of, peak_of, total_cycles
from ipu_asm.ide.run_facts import configuration_phrase, cycles_sentence, shown_facts, size_in_memory
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes
from ipu_asm.testbench.data.source import DataError, data_of
from ipu_asm.text import counted


class RunTotals(NamedTuple):
    """The numbers of a whole program, for a status bar.

    `cycles` is None if they are not known. `text` says all of it.
    """

    isa: str
    unit: str
    bundles: int
    limit: int
    cycles: int | None
    text: str


HEADER = "header"
"""The origin of what the head comment of the program says."""

COMMENT = "comment"
"""The origin of values in `# CR` comments."""

_WORD = 1 << 32


class RunRegister(NamedTuple):
    """A register that the program reads and only the host sets.

    `purpose` is what the author says of it. `value` is an unsigned word, None if nothing tells it;
    `origin` is the name of a configuration file, `HEADER`, `COMMENT` or empty, and `words` are what
    is said there.
    """

    name: str
    purpose: str
    value: int | None
    origin: str
    words: str = ""


class RunData(NamedTuple):
    """Data in memory, as `--load` and `--expect` take them, with absolute paths of files.

    `region` is the part of memory that the head comment names.
    """

    text: str
    origin: str
    region: str = ""


class UnknownData(NamedTuple):
    """A part of memory that the program reads, and of which the size is not known."""

    region: str
    start: int
    size_text: str


class RunInputs(NamedTuple):
    """The registers and data of a run. `settings` and `define` are those of a configuration.

    `origin` is the configuration file of the run, if there is one. `missing` are registers without
    a value and `unknown` are data without a size.
    """

    registers: tuple[RunRegister, ...]
    load: tuple[RunData, ...]
    expect: tuple[RunData, ...]
    settings: Mapping[str, str | bool | float]
    define: Mapping[str, Value]
    origin: str
    unknown: tuple[UnknownData, ...]

    @property
    def missing(self) -> list[str]:
        """The registers without a value."""
        return [each.name for each in self.registers if each.value is None]


def run_inputs(
    program: Program, path: str, configuration: Configuration, given: Mapping[str, int]
) -> RunInputs:
    """Return what is known of the inputs of a program as the assembler reads it.

    A run in the configuration counts before the comments of the program. `given` are the registers
    that the user has chosen already: they decide how much the program reads. `path` is absolute;
    empty for a program without a file.
    """
    found = configured_run(path, configuration) if path and configuration.runs else None
    host = configured_host(path, configuration) if path else None
    registers = _registers(program, host, os.path.basename(configuration.path))
    known = {each.name: each.value for each in registers if each.value is not None}
    if found is not None:
        run = found.run
        if run.registers or run.args or run.entry:
            # The form of a run has no such fields: what it does not give, `ipu-run` finds itself.
            return RunInputs((), (), (), {}, {}, found.origin, ())
        load, expect = (_data(texts, found) for texts in (run.load, run.expect))
        return RunInputs(registers, load, expect, run.settings, run.define, found.origin, ())
    load, unknown = _generated(program, {**known, **given})
    return RunInputs(registers, load, (), {}, {}, "", unknown)


def stated_run_registers(stated: Iterable[StatedRegister], file: str) -> list[RunRegister]:
    """Return the registers of comments and of the configuration, whose file name is `file`."""
    return [
        RunRegister(each.name, "", each.value, COMMENT, f"CR {each.name}")
        if each.is_comment
        else RunRegister(each.name, "", each.value, file)
        for each in stated
    ]


def _registers(
    program: Program, host: HostConfiguration | None, file: str
) -> tuple[RunRegister, ...]:
    """The registers that the program reads, and those that are set besides.

    A run in the configuration counts first, then what it or comments state, then other comments.
    """
    notes, headers = register_notes(program), header_values(program)
    reset = _reset_values(program)
    every = stated_run_registers(stated_registers(LineTable(program)), file)
    stated = {each.name: each for each in every}
    configured = host.values if host is not None else {}
    result = []
    for name in dict.fromkeys((*host_registers(program), *configured, *stated)):
        purpose = notes.get(name, "")
        if host is not None and name in host.values:
            result.append(RunRegister(name, purpose, configured[name] % _WORD, host.origin))
        elif name in stated:
            result.append(stated[name]._replace(purpose=purpose))
        elif name in headers:
            result.append(
                RunRegister(name, purpose, headers[name].value, HEADER, headers[name].words)
            )
        elif name not in reset:
            result.append(RunRegister(name, purpose, None, ""))
    return tuple(result)


def _reset_values(program: Program) -> set[str]:
    """The registers of the host that have a known value after reset."""
    facts = next(iter(control_facts(program)), None)
    names = host_registers(program) if facts is not None else ()
    return {name for name in names if facts and isinstance(facts.initial(name), int)}


def _data(texts: tuple[str, ...], found: FoundRun) -> tuple[RunData, ...]:
    """The data of a configuration, with absolute paths."""
    result = []
    for text in texts:
        try:
            source = data_of(text).source
        except DataError:
            continue  # the run itself says what is wrong
        place = text.rpartition("@")[2]
        name = source.text if source.generator else source.below(found.folder).file
        name = f"{name}[{source.member}]" if source.member else name
        result.append(RunData(f"{name}@{place}", os.path.basename(found.origin)))
    return tuple(result)


def _generated(
    program: Program, values: Mapping[str, int]
) -> tuple[tuple[RunData, ...], tuple[UnknownData, ...]]:
    """Random data for the parts of memory that the program only reads."""
    load: list[RunData] = []
    unknown: list[UnknownData] = []
    for region in input_regions(program, values):
        note = region.note
        if region.size is None:
            unknown.append(UnknownData(note.name, note.start, note.size_text))
            continue
        text = f"random:{len(load) + 1}@{note.start:#x}:{region.size}"
        load.append(RunData(text, HEADER, note.name))
    return tuple(load), tuple(unknown)


def run_totals(analysis: Analysis, before: Mapping[str, int | None] = {}) -> RunTotals:
    """Return the cycles of a program and its part of instruction memory.

    The text says how many cycles more or fewer than those of `before` they are, `8 fewer` and the
    words of the key, and that lines with errors are not counted.
    """
    program = analysis.effective_program
    isa, facts = program.isa, shown_facts(program)
    size = size_in_memory(isa, program.size)
    cycles = total_cycles(program, facts)
    if facts is not None:
        cycles_text = cycles_sentence(facts) + configuration_phrase(program)
    else:
        cycles_text = _counted_cycles(program, cycles)
    compared = [
        f"{abs(cycles - count):,} {'more' if cycles > count else 'fewer'} {words}".rstrip()
        for words, count in before.items()
        if cycles is not None and count is not None and cycles != count
    ]
    text = ", ".join(filter(None, (cycles_text, *compared, size, _left_out(analysis))))
    return RunTotals(isa.name, isa.unit, program.size, isa.program_limit, cycles, text)


def _counted_cycles(program: Program, cycles: int | None) -> str:
    """Return cycles that follow from constants, or their formula, and the share of the peak."""
    executions, whole = executions_of(program, None), counted_loops(program).whole
    if cycles is None or executions is None:
        return f"{whole.formula} cycles" if whole is not None and whole.formula else ""
    peak = peak_of(program, executions, cycles)
    share = f", {100 * peak.share:.1f} % of peak" if peak and peak.share else ""
    return counted(cycles, "cycle") + share


def _left_out(analysis: Analysis) -> str:
    """Return `without line 8` if there is an error in it; empty without errors."""
    position = analysis.source.lines.position
    errors = (each for each in analysis.diagnostics if each.severity is Severity.ERROR)
    lines = sorted({position(each.span.start).line + 1 for each in errors if each.path is None})
    if len(lines) > 1:
        return f"without {len(lines):,} lines with errors"
    return f"without line {lines[0]}" if lines else ""
