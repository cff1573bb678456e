"""Breakpoints on source lines and columns, on labels, and on addresses of bundles."""

from __future__ import annotations

import os
from typing import Callable, Final, Iterable, Protocol

from ipu_asm.debugger.breakpoint_resolver import ResolvedBreakpoint
from ipu_asm.debugger.breakpoints import (
    Breakpoint,
    Condition,
    HitCondition,
    LogText,
    parse_hit_condition,
)
from ipu_asm.debugger.conditions import (
    BreakpointError,
    check_condition,
    condition_test,
    read_log_message,
)
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.emulator.state import AnyState
from ipu_lsp.debug_adapter.argument_types import (
    FunctionBreakpoint,
    InstructionBreakpoint,
    SourceArgument,
    SourceBreakpoint,
)
from ipu_lsp.debug_adapter.breakpoint_list import BreakpointKind, BreakpointOutcome, Resolve
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.debug_adapter.references import code_address
from ipu_lsp.debug_adapter.request_table import Needs, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.debug_adapter.source_view import SourceView
from ipu_lsp.json_types import Json

_LAST: Final = 1 << 31


class Conditional(Protocol):
    """The fields that all types of breakpoint share."""

    @property
    def condition(self) -> str | None: ...
    @property
    def hit_condition(self) -> str | None: ...


@request(
    "setBreakpoints",
    Needs.CLIENT,
    "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints",
    "supportsLogPoints",
)
def set_breakpoints(
    session: DebugSession,
    *,
    source: SourceArgument,
    breakpoints: list[SourceBreakpoint] | None = None,
    lines: list[int] | None = None,
) -> Json:
    """Replace the breakpoints of one source."""
    if breakpoints is None:
        breakpoints = [SourceBreakpoint(line) for line in lines or ()]
    wanted, key = breakpoints, _key(session, source)
    return replace(
        session,
        BreakpointKind.SOURCE,
        key,
        lambda: [_in_source(session, source, each) for each in wanted],
    )


@request("setFunctionBreakpoints", Needs.CLIENT, "supportsFunctionBreakpoints")
def set_function_breakpoints(
    session: DebugSession, *, breakpoints: list[FunctionBreakpoint]
) -> Json:
    """Replace the breakpoints on labels."""
    return replace(
        session,
        BreakpointKind.LABEL,
        "",
        lambda: [_at_label(session, each) for each in breakpoints],
    )


@request("setInstructionBreakpoints", Needs.CLIENT, "supportsInstructionBreakpoints")
def set_instruction_breakpoints(
    session: DebugSession, *, breakpoints: list[InstructionBreakpoint]
) -> Json:
    """Replace the breakpoints on bundle addresses."""
    return replace(
        session,
        BreakpointKind.ADDRESS,
        "",
        lambda: [_at_address(session, each) for each in breakpoints],
    )


@request("breakpointLocations", Needs.PROGRAM, "supportsBreakpointLocationsRequest")
def breakpoint_locations(
    session: DebugSession,
    *,
    source: SourceArgument,
    line: int,
    column: int | None = None,
    end_line: int | None = None,
    end_column: int | None = None,
) -> Json:
    """Return the positions of the bundles that begin in a range of the source."""
    view = session.program.view_of(source)
    last = line if end_line is None else end_line
    rows = view.positions.lines(line, last) if view is not None else ()
    if view is None or not rows:
        return {"breakpoints": []}
    spans = view.resolver.bundles_on(rows[0], rows[-1])
    places = [view.positions.to_client(span) for span in spans]
    start, end = (line, column or 0), (last, _LAST if end_column is None else end_column)
    within = [place for place in places if start <= (place["line"], place["column"]) <= end]
    return {"breakpoints": within}


def conditions(
    session: DebugSession, breakpoint: Conditional
) -> tuple[Callable[[AnyState], bool] | None, HitCondition | None]:
    """Compile a breakpoint's condition and hit condition. Raises `BreakpointError`."""
    if breakpoint.condition:
        check_condition(session.program.context, breakpoint.condition)
    hits = None
    if breakpoint.hit_condition:
        try:
            hits = parse_hit_condition(breakpoint.hit_condition)
        except ValueError as error:
            raise BreakpointError(str(error)) from error
    return condition_for(session, breakpoint.condition), hits


def replace(session: DebugSession, kind: BreakpointKind, key: str, resolve: Resolve) -> Json:
    """Replace the breakpoints of one kind and source; return the response body.

    `resolve` resolves them in the loaded program, now and after each restart.
    """
    return replaced(session, session.breakpoints.replace(kind, key, resolve))


def replaced(session: DebugSession, shown: Iterable[Json]) -> Json:
    """Arm the breakpoints in the machine; return the response body."""
    use_breakpoints(session)
    return {"breakpoints": list(shown)}


def use_breakpoints(session: DebugSession) -> None:
    """Pass all breakpoints to the debugger; with `noDebug`, none."""
    debuggee = session.debuggee
    if debuggee is None:
        return
    breakpoints = debuggee.debugger.breakpoints
    if debuggee.configuration.no_debug:
        breakpoints.traps = {}
        return
    breakpoints.set_at_bundles(session.breakpoints.at_bundles)
    breakpoints.set_at_data(session.breakpoints.at_data)
    breakpoints.traps = {trap: condition_for(session, text) for trap, text in session.traps.items()}


def condition_for(session: DebugSession, text: str | None) -> Condition | None:
    """Compile a condition. If its evaluation fails, it holds, and the user is told once."""
    if not text:
        return None
    return condition_test(
        text,
        lambda: session.program.context,
        lambda message: session.outbox.tell(f"{message}\n", "stderr"),
    )


def unverified(reason: str) -> BreakpointOutcome:
    """Return an unverified breakpoint with the reason of the failure."""
    return None, {"message": reason, "reason": "failed"}


def pending() -> BreakpointOutcome:
    """Return an unverified breakpoint that is resolved when a program is loaded."""
    return None, {"message": "no program is loaded yet", "reason": "pending"}


def _key(session: DebugSession, source: SourceArgument) -> str:
    """A key of the source that is equal for all spellings of its path."""
    if source.source_reference or source.path is None or session.client is None:
        return f"{source.source_reference}"
    path = path_of(source.path)
    try:
        return os.path.normcase(os.path.realpath(path))
    except ValueError:
        return path  # no file can have this path, e.g. one with a null character


def _in_source(
    session: DebugSession, source: SourceArgument, wanted: SourceBreakpoint
) -> BreakpointOutcome:
    debuggee = session.debuggee
    if debuggee is None:
        return pending()
    view = debuggee.view_of(source)
    if view is None:
        names = debuggee.source_names
        return unverified(f"this file is not part of the program, which is {names}")
    line = view.positions.line(wanted.line)
    column = None if wanted.column is None else view.positions.column(line, wanted.column)
    found = view.resolver.on_line(line, column)
    if found is None:
        return unverified(view.resolver.reason(line))
    return _placed(session, view, found, wanted, wanted.log_message)


def _at_label(session: DebugSession, wanted: FunctionBreakpoint) -> BreakpointOutcome:
    debuggee = session.debuggee
    if debuggee is None:
        return pending()
    name = wanted.name.strip()
    found = debuggee.debugger.resolver.at_label(name)
    if found is None:
        near = nearest_of(name, tuple(debuggee.kernel.program.label_addresses))
        hint = f"; did you mean `{near}`?" if near else ""
        return unverified(f"no label is called `{name:.80}`{hint}")
    return _placed(session, debuggee.shown, found, wanted)


def _at_address(session: DebugSession, wanted: InstructionBreakpoint) -> BreakpointOutcome:
    debuggee = session.debuggee
    if debuggee is None:
        return pending()
    address = code_address(wanted.instruction_reference)
    found = None
    if address is not None:
        found = debuggee.debugger.resolver.at_address(address + wanted.offset)
    if found is None:
        size = debuggee.kernel.program.size
        return unverified(
            f"a bundle is {0:#x} to {size - 1:#x}, found `{wanted.instruction_reference:.80}`"
            + (f" and {wanted.offset}" if wanted.offset else "")
        )
    return _placed(session, debuggee.shown, found, wanted)


def _placed(
    session: DebugSession,
    view: SourceView,
    found: ResolvedBreakpoint,
    wanted: Conditional,
    log_message: str | None = None,
) -> BreakpointOutcome:
    shown: Json = {
        "source": view.source,
        **view.positions.to_client(found.place.span),
        "instructionReference": f"{found.address:#x}",
    }
    if found.message is not None:
        shown["message"] = found.message
    try:
        condition, hits = conditions(session, wanted)
        log = _log_text(session, log_message) if log_message else None
    except BreakpointError as mistake:
        return None, {**shown, "message": str(mistake), "reason": "failed"}
    return Breakpoint(found.addresses, condition, hits, log), shown


def _log_text(session: DebugSession, message: str) -> LogText:
    template = read_log_message(session.program.context, message)
    return lambda state: template.text(session.program.context)
