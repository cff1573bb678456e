"""Breakpoints on lines, labels and addresses, and data breakpoints on registers and memory."""

from __future__ import annotations

import os
from typing import Final, Iterable, Protocol

from ipu_asm.debugger.breakpoint_resolver import ResolvedBreakpoint
from ipu_asm.debugger.breakpoints import (
    AccessType,
    Breakpoint,
    Watchpoint,
    WatchTarget,
    target_at,
    target_from_id,
)
from ipu_asm.debugger.conditions import BreakpointError, ConditionReader
from ipu_asm.debugger.expressions import ExpressionError, Location, MachineView, evaluate, quoted
from ipu_asm.debugger.regions import COUNTER
from ipu_asm.diagnostics.suggestions import hint_of
from ipu_lsp.debug_adapter.client import SourceView, code_address, path_of, read_reference
from ipu_lsp.debug_adapter.requests import (
    DataBreakpointRequest,
    FunctionBreakpoint,
    InstructionBreakpoint,
    Needs,
    SourceArgument,
    SourceBreakpoint,
    request,
)
from ipu_lsp.debug_adapter.requests.variables import child, group_of_reference
from ipu_lsp.debug_adapter.session import BreakpointKind, BreakpointOutcome, DebugSession, Resolve
from ipu_lsp.transport import Json

_LAST: Final = 1 << 31


class Conditional(Protocol):
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


def replace(session: DebugSession, kind: BreakpointKind, key: str, resolve: Resolve) -> Json:
    """Replace the breakpoints of one kind and source; return the response body.

    `resolve` resolves them in the loaded program, now and after each restart.
    """
    return replaced(session, session.breakpoints.replace(kind, key, resolve))


def replaced(session: DebugSession, shown: Iterable[Json]) -> Json:
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
    texts = condition_reader(session)
    breakpoints.traps = {trap: texts.condition(text) for trap, text in session.traps.items()}


def condition_reader(session: DebugSession) -> ConditionReader:
    """Return the reader of conditions in the state of the program; the console gets messages."""
    return ConditionReader(
        lambda: session.program.context,
        lambda message: session.outbox.tell(f"{message}\n", "stderr"),
    )


def unverified(reason: str) -> BreakpointOutcome:
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
        hint = hint_of(name, debuggee.kernel.program.label_addresses)
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
        texts = condition_reader(session)
        condition, hits = (texts.checked(wanted.condition), texts.hits(wanted.hit_condition))
        log = texts.log(log_message)
    except BreakpointError as mistake:
        return None, {**shown, "message": str(mistake), "reason": "failed"}
    return Breakpoint(found.addresses, condition, hits, log), shown


_VERBS = {AccessType.READ: "reads", AccessType.WRITE: "writes", AccessType.BOTH: "reads or writes"}


@request(
    "dataBreakpointInfo", Needs.STOPPED, "supportsDataBreakpoints", "supportsDataBreakpointBytes"
)
def data_breakpoint_info(
    session: DebugSession,
    *,
    name: str,
    variables_reference: int = 0,
    frame_id: int | None = None,
    bytes_: int | None = None,
    as_address: bool = False,
) -> Json:
    """Return the ID and access types of a data breakpoint on a value, or why there is none."""
    del frame_id  # all frames share one machine state
    try:
        if as_address:
            watched = _target_at_address(_view(session), name, bytes_)
        else:
            watched = _sized(
                _view(session), _resolve_name(session, name, variables_reference), bytes_
            )
    except (ExpressionError, ValueError) as error:
        message = error.message if isinstance(error, ExpressionError) else str(error)
        return {"dataId": None, "description": message}
    # Reads of the program counter are not observable.
    accesses = [AccessType.WRITE] if watched.region.name == COUNTER else list(AccessType)
    return {
        "dataId": watched.id,
        "description": watched.name(_view(session)),
        "accessTypes": [access.value for access in accesses],
        "canPersist": True,
    }


@request("setDataBreakpoints", Needs.CLIENT)
def set_data_breakpoints(
    session: DebugSession, *, breakpoints: list[DataBreakpointRequest]
) -> Json:
    return replace(
        session, BreakpointKind.DATA, "", lambda: [_at_data(session, each) for each in breakpoints]
    )


def _at_data(session: DebugSession, wanted: DataBreakpointRequest) -> BreakpointOutcome:
    if session.debuggee is None:
        return pending()
    try:
        watched = target_from_id(_view(session), wanted.data_id)
        access = AccessType(wanted.access_type)
    except ValueError:
        return unverified(
            "`dataId` is one that `dataBreakpointInfo` returned, found "
            f"{quoted(wanted.data_id)} for {quoted(wanted.access_type)}"
        )
    try:
        texts = condition_reader(session)
        condition, hits = (texts.checked(wanted.condition), texts.hits(wanted.hit_condition))
    except BreakpointError as mistake:
        return unverified(str(mistake))
    watch = Watchpoint(watched, access, lambda: _view(session), condition, hits)
    if watch.bundles(session.program.debugger.runner.accesses):
        return watch, {}
    name = watched.name(_view(session))
    return watch, {"message": f"no bundle of the program {_VERBS[access]} `{name}`"}


def _resolve_name(session: DebugSession, name: str, variables_reference: int) -> WatchTarget:
    """Resolve a name: a child of an open variable, else an expression.

    Some clients send a variable's expression instead of its name. Raises `ValueError` and
    `ExpressionError`.
    """
    item = None
    if variables_reference:
        item = child(session, group_of_reference(session, variables_reference), name)
    location = evaluate(session.program.context, name).location if item is None else item.location
    return _watched(_view(session), location, name)


def _watched(view: MachineView, location: Location | None, name: str) -> WatchTarget:
    """Return the target at the location of a name, None for a computed value.

    Raises `ValueError`.
    """
    wanted = f"a data breakpoint is on a register or on xmem, found {quoted(name)}"
    if location is None:
        raise ValueError(f"{wanted}, which is computed")
    try:
        return target_at(view, location)
    except ValueError as error:
        raise ValueError(f"{wanted}: {error}") from None


def _sized(view: MachineView, watched: WatchTarget, size: int | None) -> WatchTarget:
    """Return a target of `size` bytes at the same start. Raises `ValueError` if out of range."""
    if size is None:
        return watched
    return WatchTarget(view.regions.region(watched.region.name, watched.region.start, size))


def _target_at_address(view: MachineView, text: str, size: int | None) -> WatchTarget:
    reference = read_reference(text, view.regions)
    if reference is None:
        raise ValueError(f"an address is like `0x1000`, found {quoted(text)}")
    size = 1 if size is None else size
    return WatchTarget(view.regions.region(reference.part, reference.start, size))


def _view(session: DebugSession) -> MachineView:
    return session.program.context.view
