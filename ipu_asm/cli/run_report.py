"""What `ipu-run` says at the end of a run: for people, and as JSON."""

from __future__ import annotations

import json
from typing import Any, Sequence

from ipu_asm.cli.progress import shown_rate
from ipu_asm.cli.run_machine import Outcome
from ipu_asm.cli.run_options import ELEMENT_TYPES
from ipu_asm.cli.run_state import scalars_of, state_text, vectors_of
from ipu_asm.diagnostics import Diagnostic, Kind, Severity
from ipu_asm.emulator.faults import Fault
from ipu_asm.emulator.stops import Stop, StopReason, describe_stop, describe_word
from ipu_asm.kernel import Kernel
from ipu_asm.rendering import render
from ipu_asm.text import SourceFile, Span

_FAULT = Kind("fault", "fault", Severity.ERROR)
_CYCLE_LIMIT = Kind("cycle-limit", "cycle-limit", Severity.ERROR)


def summary_text(outcome: Outcome, written: Sequence[str], with_state: bool) -> str:
    """Why it stopped, how long it took, what was written, and on request the registers."""
    rate = shown_rate(outcome.cycles_per_second)
    unit = "cycle" if outcome.cycles == 1 else "cycles"
    lines = [
        describe_stop(outcome.stop),
        f"{outcome.cycles:,} {unit} in {outcome.seconds:.3f} s, {rate} cycles per second",
    ]
    if written:
        lines.append(f"wrote {', '.join(written)}")
    if with_state:
        lines.append(state_text(outcome.ipu.state))
    return "\n".join(lines) + "\n"


def summary_json(kernel: Kernel, outcome: Outcome, with_state: bool) -> str:
    """The same as one JSON object. Registers are unsigned numbers, vectors hexadecimal bytes."""
    state, stop = outcome.ipu.state, outcome.stop
    code = state.get_cr_dtype()
    result: dict[str, Any] = {
        "stopped": stop.reason.value,
        "message": describe_stop(stop),
        "program": kernel.name,
        "pc": state.program_counter,
        "place": _place(stop),
        "cycles": outcome.cycles,
        "seconds": round(outcome.seconds, 6),
        "cycles_per_second": round(outcome.cycles_per_second),
        "dtype": ELEMENT_TYPES[code] if code < len(ELEMENT_TYPES) else None,
        "fault": stop.fault and _fault(stop.fault, kernel.source),
        "registers": scalars_of(state),
    }
    if with_state:
        result["vectors"] = {name: data.hex() for name, data in vectors_of(state).items()}
    return json.dumps(result, indent=2) + "\n"


def error_text(kernel: Kernel, outcome: Outcome, max_cycles: int, color: bool) -> str | None:
    """Why a run is no good, with the source line where there is one; None for a good run."""
    stop = outcome.stop
    if stop.fault is not None:
        span = stop.fault.span
        if span is None:
            return None
        finding = Diagnostic(_FAULT, stop.fault.cause, span)
        return f"{render(finding, kernel.source, color)}\n{_note(stop.fault)}\n"
    if stop.reason is not StopReason.CYCLE_LIMIT or stop.place is None:
        return None
    message = f"a run may take {max_cycles:,} cycles (--max-cycles), found it not halted here"
    finding = Diagnostic(_CYCLE_LIMIT, message, stop.place.span)
    return f"{render(finding, kernel.source, color)}\n"


def _note(fault: Fault) -> str:
    values = ", ".join(f"{name} = {describe_word(v)}" for name, v in fault.registers.items())
    values = f" saw {values}" if values else ""
    return f"note: bundle {fault.pc}, cycle {fault.cycle:,}, slot {fault.slot}{values}"


def _place(stop: Stop) -> dict[str, Any] | None:
    """The bundle that halted, or in front of which it stopped."""
    if stop.place is None:
        return {"pc": stop.pc} if stop.pc >= 0 else None
    return {"pc": stop.pc, "line": stop.place.line, "label": stop.place.name}


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
