"""Exception filters: faults, break instructions, NaNs, overflows, assertions in comments."""

from __future__ import annotations

from typing import Final

from ipu_asm.debugger.breakpoints import DEFAULT_TRAPS, Trap
from ipu_asm.debugger.conditions import BreakpointError
from ipu_asm.debugger.explanations import FaultAddress, address_lines, fault_address, last_in_range
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.emulator.stops import Fault, StopReason, describe_word
from ipu_lsp.debug_adapter.requests import FilterOptions, Needs, RequestError, request
from ipu_lsp.debug_adapter.requests.breakpoints import condition_reader, replace, unverified
from ipu_lsp.debug_adapter.session import BreakpointKind, BreakpointOutcome, DebugSession
from ipu_lsp.transport import Json

_MAX_CYCLES: Final = 2_000_000
"""Of a history that is searched without being asked: half a second on the core."""
_CONDITION: Final = "an expression such as lr5 > 3 && cycle > 100"
_TEXTS: Final = {
    Trap.BREAK: ("Break instructions", "break and a matching break.ifeq stop"),
    Trap.BKPT: ("Halting by bkpt", "the instruction that halts the machine stops"),
    Trap.FAULT: ("Faults", "a bundle that cannot be executed stops"),
    Trap.NAN: ("NaN produced", "a NaN that appears in a result stops"),
    Trap.OVERFLOW: ("Accumulator overflow", "an int32 sum that wraps around stops"),
    Trap.ASSERTION: ("Assertions", "an assertion in a comment that does not hold stops"),
}
FILTERS: Final[list[Json]] = [
    {
        "filter": trap.value,
        "label": label,
        "description": description,
        "default": trap in DEFAULT_TRAPS,
        "supportsCondition": True,
        "conditionDescription": _CONDITION,
    }
    for trap, (label, description) in _TEXTS.items()
]


@request(
    "setExceptionBreakpoints",
    Needs.CLIENT,
    "supportsExceptionFilterOptions",
    exceptionBreakpointFilters=FILTERS,
)
def set_exception_breakpoints(
    session: DebugSession, *, filters: list[str], filter_options: list[FilterOptions] | None = None
) -> Json:
    """Replace the enabled filters, each with an optional condition."""
    wanted = [FilterOptions(name) for name in filters] + list(filter_options or ())
    return replace(session, BreakpointKind.FILTER, "", lambda: _set_filters(session, wanted))


@request("exceptionInfo", Needs.STOPPED, "supportsExceptionInfoRequest")
def exception_info(session: DebugSession, *, thread_id: int) -> Json:
    """Return details of the exception that stopped the machine.

    Raises `RequestError` if the last stop was not an exception.
    """
    del thread_id
    stop = session.execution.stop
    name = None if stop is None else _id(stop.reason)
    if stop is None or name is None:
        raise RequestError("the machine is not stopped by an exception")
    description = stop.description
    details: Json = {}
    if stop.fault is not None:
        # The place and the registers are in the lines below, where an editor shows both.
        description = stop.fault.cause
        details["stackTrace"] = _fault_text(session, stop.fault)
    if missing := session.program.missing_inputs(stop):
        description += f"\n{missing[0].upper()}{missing[1:]}"
    details |= {"message": description, "typeName": name, "fullTypeName": name}
    return {
        "exceptionId": name,
        "description": description,
        "breakMode": "always",
        "details": details,
    }


def _set_filters(session: DebugSession, wanted: list[FilterOptions]) -> list[BreakpointOutcome]:
    """Enable exactly these filters; those that cannot be set are reported as failed."""
    session.traps = {}
    return [_set_filter(session, each) for each in wanted]


def _set_filter(session: DebugSession, wanted: FilterOptions) -> BreakpointOutcome:
    try:
        trap = Trap(wanted.filter_id)
    except ValueError:
        known = ", ".join(f"`{trap.value}`" for trap in Trap)
        return unverified(f"a filter is one of {known}, found `{wanted.filter_id:.40}`")
    if session.debuggee is not None and wanted.condition:
        try:
            condition_reader(session).checked(wanted.condition)
        except BreakpointError as mistake:
            return unverified(str(mistake))
    session.traps[trap] = wanted.condition or None
    return None, {"verified": True}


def _id(reason: StopReason) -> str | None:
    names = {
        StopReason.FAULT: Trap.FAULT.value,
        StopReason.ASSERTION: Trap.ASSERTION.value,
        StopReason.NAN: Trap.NAN.value,
        StopReason.OVERFLOW: Trap.OVERFLOW.value,
        StopReason.BREAK: Trap.BREAK.value,
        StopReason.BKPT: Trap.BKPT.value,
        StopReason.CYCLE_LIMIT: "cycle-limit",
    }
    return names.get(reason)


def _fault_text(session: DebugSession, fault: Fault) -> str:
    """The place of a fault, its registers, and where its address was last within memory."""
    debugger = session.program.debugger
    line = f", line {fault.line}" if fault.line is not None else ""
    line += f", {fault.levels}" if fault.levels else ""
    rows = [fault.instruction, f"bundle {fault.pc}{line}, cycle {fault.cycle:,}"]
    found = fault_address(debugger)
    known = (*found.offsets, *found.bases) if found is not None else ()
    if found is not None:
        rows += address_lines(debugger, found)
    others = [name for name in fault.registers if name not in known]
    rows += [f"{name} = {describe_word(fault.registers[name])}" for name in others]
    if found is not None and (cycle := _last_in_range(session, found)) is not None:
        register = found.offsets[0] if found.offsets else "the address"
        rows.append(
            f"{register} was last in range at cycle {cycle:,}; "
            'to go back there, type "inrange" in the debug console'
        )
    return "\n".join(rows)


def _last_in_range(session: DebugSession, found: FaultAddress) -> int | None:
    debuggee = session.program
    if debuggee.debugger.cycle > _MAX_CYCLES:
        return None
    try:
        return last_in_range(debuggee.debugger, debuggee.context, found)
    except QueryInterruptedError:
        return None
