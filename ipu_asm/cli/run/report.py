"""Summary of `ipu-run` at the end of a run, as text and as JSON."""

from __future__ import annotations

import json
import os
import struct
from itertools import groupby
from typing import Any, Iterator, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import shown_rate
from ipu_asm.cli.programs import configuration_of
from ipu_asm.cli.run.execution import RunOutcome
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.cli.run.results import Comparison
from ipu_asm.diagnostics import ASSERTION_FALSE, Diagnostic, RuleId, Severity
from ipu_asm.diagnostics.rendering import printable, render
from ipu_asm.emulator.element_types import RegisterTypes
from ipu_asm.emulator.model import machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import (
    Fault,
    RunEnd,
    StopReason,
    describe_stop,
    describe_word,
    summarize_stop,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.recorded_profiles import ChangedCosts
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import SourceFile, Span, counted

_FAULT = RuleId("fault", "fault", Severity.ERROR)
_CYCLE_LIMIT = RuleId("cycle-limit", "cycle-limit", Severity.ERROR)


def summary_text(
    outcome: RunOutcome,
    options: RunOptions,
    written: Sequence[str],
    comparisons: Sequence[Comparison],
    costs: ChangedCosts | None = None,
) -> str:
    """Return the stop reason, the duration, the files written, and what else is asked for.

    The cause of a fault is omitted: it is in `failure_of`, which is printed as an error.
    """
    stop = outcome.stop
    lines = [
        summarize_stop(stop) if stop.fault is not None else describe_stop(stop),
        _duration(outcome),
    ]
    if options.verbose:
        lines.append(f"engine: {outcome.machine.engine_used}")
        if outcome.host.saved is not None:
            saved, run = outcome.host.saved, outcome.host.saved.run
            place = "after its end" if saved.is_halted else f"in front of bundle {saved.pc}"
            lines.append(f"began with a state of {run.program}, {place}, cycle {run.cycles:,}")
        for text, address, size, described in outcome.loaded:
            what = f"{counted(size, 'byte')} at {address:#x}: {described}"
            lines.append(f"loaded {printable(text)}, {what}")
    if written:
        lines.append(f"wrote {printable(', '.join(written))}")
    equal = [f"{each.text} at {each.address:#x}" for each in comparisons if not each.difference]
    if equal:
        lines.append(f"as expected: {printable(', '.join(equal))}")
    for printed in outcome.printed:
        lines += printed.lines
    if costs is not None:
        lines += costs.text
    if options.state:
        lines.append(state_text(outcome.machine.state, outcome.last_bundle))
    return "\n".join(lines) + "\n"


def _duration(outcome: RunOutcome) -> str:
    """The cycles and the speed; a session has none, as it also goes back."""
    cycles = f"{outcome.cycles:,} {'cycle' if outcome.cycles == 1 else 'cycles'}"
    if outcome.session is not None:
        return cycles
    rate = shown_rate(outcome.cycles_per_second)
    return f"{cycles} in {outcome.seconds:.3f} s, {rate} cycles per second"


def summary_json(
    kernel: Kernel,
    outcome: RunOutcome,
    options: RunOptions,
    comparisons: Sequence[Comparison],
    costs: ChangedCosts | None = None,
) -> str:
    """Return the summary as one JSON object.

    Registers are unsigned numbers, vectors are bytes in hexadecimal. `pc` is the program counter,
    1,024 or more after a halt. `last_bundle` is the bundle that halted the machine, or null if it
    can go on. `place` is the source location of that bundle or of the next one.
    """
    state, stop = outcome.machine.state, outcome.stop
    types = machine_for(state.isa_name).types_in(state)
    result: dict[str, Any] = {
        "stopped": stop.reason.value,
        "message": describe_stop(stop),
        "program": kernel.name,
        "pc": state.program_counter,
        "last_bundle": outcome.last_bundle,
        "place": _place(stop),
        "cycles": outcome.cycles,
        "seconds": round(outcome.seconds, 6),
        "cycles_per_second": round(outcome.cycles_per_second),
        "dtype": types.name,
        "engine": "core" if outcome.machine.bundles_on_core else "numpy",
        "fault": stop.fault and _fault(stop.fault, kernel.source),
        "registers": state.regfile.scalar_values(),
    }
    if settings := settings_of_state(state):
        result["settings"] = settings
    if outcome.host.found:
        configuration = os.path.basename(configuration_of(kernel.source.path, False).path)
        result["found_inputs"] = [
            {
                "register": each.name,
                "value": each.value,
                "origin": "comment" if each.is_comment else configuration,
                "row": each.line or None,
            }
            for each in outcome.host.found
        ]
    if outcome.printed:
        result["printed"] = {printed.text: printed.json() for printed in outcome.printed}
    if outcome.loaded:
        result["loaded"] = [loaded._asdict() for loaded in outcome.loaded]
    if comparisons:
        result["expected"] = [comparison.json() for comparison in comparisons]
    if costs is not None:
        result["baseline"] = costs.data
    if options.state:
        vectors = state.regfile.vector_values()
        result["vectors"] = {name: data.hex() for name, data in vectors.items()}
    return json.dumps(result, indent=2) + "\n"


class RunFailure(NamedTuple):
    """Why a run failed: its rule, a message, the span in the source if known, and details."""

    rule: RuleId
    message: str
    span: Span | None
    note: str = ""


def failure_of(outcome: RunOutcome, max_cycles: int) -> RunFailure | None:
    """Return why a run failed; None if it succeeded or a user interrupted it."""
    stop, failed = outcome.stop, outcome.failed
    if failed is not None:
        span = failed.written.span if failed.written.path == MAIN else None
        note = f"cycle {outcome.cycles:,}"
        return RunFailure(ASSERTION_FALSE, failed.message, span, note)
    fault = stop.fault
    if fault is not None:
        return RunFailure(_FAULT, fault.cause, fault.span, _note(fault))
    if stop.reason is not StopReason.CYCLE_LIMIT:
        return None
    limit = f"{max_cycles:,} {'cycle' if max_cycles == 1 else 'cycles'}"
    place = "this bundle" if stop.place else f"bundle {stop.pc}"
    message = f"the program did not halt within {limit} (--max-cycles); {place} is next"
    return RunFailure(_CYCLE_LIMIT, message, stop.place.span if stop.place else None)


def warnings_of(outcome: RunOutcome) -> list[str]:
    """Return warnings about the end of a run that is not a failure."""
    stop, found = outcome.stop, []
    if stop.reason is StopReason.HALTED and stop.instruction is None and stop.pc >= 0:
        found.append(
            "the program ran past its last bundle and off the end of program memory, without an "
            "instruction that halts it, such as `bkpt`"
        )
    if outcome.missed:
        found.append(f"the program halted before --until {outcome.missed}")
    return found


def failure_text(
    failure: RunFailure, source: SourceFile, color: bool, columns: int | None = None
) -> str:
    """Return a failure rendered with its source line, cut at `columns`."""
    assert failure.span is not None
    finding = Diagnostic(failure.rule, failure.message, failure.span)
    note = f"note: {failure.note}\n" if failure.note else ""
    return f"{render(finding, source, color, columns=columns)}\n{note}"


def _note(fault: Fault) -> str:
    values = ", ".join(f"{name} = {describe_word(v)}" for name, v in fault.registers.items())
    values = f" saw {values}" if values else ""
    levels = f" ({fault.levels})" if fault.levels else ""
    return f"bundle {fault.pc}{levels}, cycle {fault.cycle:,}, slot {fault.slot}{values}"


def _place(stop: RunEnd) -> dict[str, Any] | None:
    """Return the location of the bundle that halted, or of the next one to execute."""
    if stop.place is None:
        return {"bundle": stop.pc} if stop.pc >= 0 else None
    place = {"bundle": stop.pc, "line": stop.place.line, "label": stop.place.name}
    levels = [frame.label for frame in stop.place.stack]
    return {**place, "stack": levels} if levels else place


def _fault(fault: Fault, source: SourceFile) -> dict[str, Any]:
    return {
        "pc": fault.pc,
        "cycle": fault.cycle,
        "slot": fault.slot,
        "instruction": fault.instruction,
        "cause": fault.cause,
        "registers": dict(fault.registers),
        "word": f"{fault.word:#x}",
        "filename": source.path,
        "location": fault.span and _location(source, fault.span, 0),
        "end_location": fault.span and _location(source, fault.span, 1),
    }


def _location(source: SourceFile, span: Span, end: int) -> dict[str, int]:
    line, column = source.lines.position(span[end])
    return {"row": line + 1, "column": column + 1}


_COLUMNS = 4
_COLUMN = 28
_BYTES_A_ROW = 32
_WORD = 4


def settings_of_state(state: AnyState) -> dict[str, str]:
    """Return the settings of the host by name, apart from the element type."""
    values = machine_for(state.isa_name).setting_values(state.settings)
    return {name: setting.text for name, setting in values.items() if name != "dtype"}


def state_text(state: AnyState, last_bundle: int | None = None) -> str:
    """Return all registers as text; words are shown in the current element type.

    `last_bundle` is the bundle that halted the machine, if any.
    """
    types = machine_for(state.isa_name).types_in(state)
    halted = " (halted)" if state.is_halted else ""
    last = "" if last_bundle is None else f", last bundle {last_bundle}"
    settings = "".join(f", {name} {text}" for name, text in settings_of_state(state).items())
    head = f"pc = {state.program_counter}{halted}{last}, element type {types.name or 'none'}"
    lines = [f"{head}{settings}"]
    scalars = state.regfile.scalar_values()
    cells = [f"{name} = {describe_word(value)}" for name, value in scalars.items()]
    for start in range(0, len(cells), _COLUMNS):
        row = cells[start : start + _COLUMNS]
        lines.append("".join(cell.ljust(_COLUMN) for cell in row).rstrip())
    for name, content in state.regfile.vector_values().items():
        lines += _vector_lines(name, content, types)
    return "\n".join(lines)


def _vector_lines(name: str, content: bytes, types: RegisterTypes) -> Iterator[str]:
    """Yield a vector in rows; repetitions of a row are replaced by a star."""
    if not any(content):
        yield f"{name}: all zero"
        return
    yield f"{name}:"
    rows = [content[start : start + _BYTES_A_ROW] for start in range(0, len(content), _BYTES_A_ROW)]
    kind = types.vectors[name]
    has_words = kind.size == _WORD
    is_float = types.has_float_words if kind == types.word else kind.is_float
    number = 0
    for row, same in groupby(rows):
        shown = _words(row, is_float) if has_words else row.hex(" ")
        yield f"{number * (_BYTES_A_ROW // _WORD if has_words else _BYTES_A_ROW):>5}: {shown}"
        count = len(list(same))
        number += count
        if count > 1:
            yield "    *"


def _words(row: bytes, is_float: bool) -> str:
    values = struct.unpack(f"<{len(row) // 4}{'f' if is_float else 'i'}", row)
    return " ".join(f"{value:>{12}.7g}" if is_float else f"{value:>{12}}" for value in values)
