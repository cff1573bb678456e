"""Data breakpoints on registers, vector elements, mask bits and ranges of memory."""

from __future__ import annotations

from ipu_asm.debugger.breakpoints import AccessType
from ipu_asm.debugger.conditions import BreakpointError
from ipu_asm.debugger.expressions import (
    ExpressionError,
    Location,
    MachineView,
    evaluate,
    quoted,
)
from ipu_asm.debugger.regions import COUNTER
from ipu_asm.debugger.watchpoints import Watchpoint, WatchTarget, target_at, target_from_id
from ipu_lsp.debug_adapter.argument_types import DataBreakpointRequest
from ipu_lsp.debug_adapter.breakpoint_list import BreakpointKind, BreakpointOutcome
from ipu_lsp.debug_adapter.references import read_reference
from ipu_lsp.debug_adapter.request_table import Needs, request
from ipu_lsp.debug_adapter.requests.breakpoints import conditions, pending, replace, unverified
from ipu_lsp.debug_adapter.requests.variables import child, group_of_reference
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

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
            watched = _at_address(_view(session), name, bytes_)
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
    """Replace all data breakpoints."""
    return replace(
        session, BreakpointKind.DATA, "", lambda: [_set(session, each) for each in breakpoints]
    )


def _set(session: DebugSession, wanted: DataBreakpointRequest) -> BreakpointOutcome:
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
        condition, hits = conditions(session, wanted)
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


def _at_address(view: MachineView, text: str, size: int | None) -> WatchTarget:
    reference = read_reference(text, view.regions)
    if reference is None:
        raise ValueError(f"an address is like `0x1000`, found {quoted(text)}")
    size = 1 if size is None else size
    return WatchTarget(view.regions.region(reference.part, reference.start, size))


def _view(session: DebugSession) -> MachineView:
    return session.program.context.view
