"""Requests that execute: continue, step, pause, jump; forwards and backwards."""

from __future__ import annotations

from ipu_asm.debugger.regions import COUNTER, regions_of
from ipu_asm.emulator.stops import StopReason
from ipu_lsp.debug_adapter.argument_types import SourceArgument
from ipu_lsp.debug_adapter.execution import Move
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

_WORD_BYTES = 4


@request("continue")
def continue_(session: DebugSession) -> Json:
    """Run to the next stop."""
    _run(session, session.program.debugger.continue_, "Running", may_end=True)
    return {"allThreadsContinued": True}


@request("next", Needs.STOPPED, "supportsSteppingGranularity")
def next_(session: DebugSession, *, granularity: str = "statement") -> None:
    """Execute one bundle, or with granularity `line` all bundles of a line."""
    _step(session, granularity)


@request("stepIn")
def step_in(session: DebugSession, *, granularity: str = "statement") -> None:
    """Do the same as `next`: there are no calls to step into."""
    _step(session, granularity)


@request("stepOut")
def step_out(session: DebugSession) -> None:
    """Run until the innermost loop is left."""
    _run(session, session.program.debugger.step_out, "Leaving the loop", may_end=True)


@request("stepBack", Needs.STOPPED, "supportsStepBack")
def step_back(session: DebugSession, *, granularity: str = "statement") -> None:
    """Undo one bundle, or with granularity `line` all bundles of a line."""
    debugger = session.program.debugger
    move = debugger.step_back_line if granularity == "line" else debugger.step_back
    _run(session, move, "Stepping back")


@request("reverseContinue")
def reverse_continue(session: DebugSession) -> None:
    """Run backwards to the previous stop."""
    _run(session, session.program.debugger.reverse_continue, "Running backwards")


@request("pause", Needs.PROGRAM)
def pause(session: DebugSession) -> None:
    """Stop the machine."""
    if session.execution.is_running:
        session.later(session.execution.pause)


@request("gotoTargets", Needs.PROGRAM, "supportsGotoTargetsRequest")
def goto_targets(
    session: DebugSession, *, source: SourceArgument, line: int, column: int | None = None
) -> Json:
    """Return the bundles on a line, as targets of `goto`."""
    view = session.program.view_of(source)
    if view is None:
        return {"targets": []}
    positions, resolver = view.positions, view.resolver
    row = positions.line(line)
    found = resolver.on_line(row, None if column is None else positions.column(row, column))
    if found is None:
        return {"targets": []}
    on_line = resolver.addresses_on(row) if column is None else set()
    places = [resolver.at_address(address) for address in sorted(on_line.union(found.addresses))]
    return {
        "targets": [
            {
                "id": place.address,
                "label": f"bundle {place.address}"
                + (f" ({place.place.name})" if place.place.name else ""),
                **positions.to_client(place.place.span),
                "instructionPointerReference": f"{place.address:#x}",
            }
            for place in places
            if place is not None
        ]
    }


@request("goto")
def goto(session: DebugSession, *, target_id: int) -> None:
    """Set the program counter to a bundle without executing anything."""
    _check_begun(session)
    debugger = session.program.debugger
    if debugger.resolver.at_address(target_id) is None:
        size = session.program.kernel.program.size
        raise RequestError(f"the program has the bundles 0 to {size - 1}, found {target_id}")
    session.program.moving()
    counter = regions_of(debugger.state).whole(COUNTER)
    debugger.edit(counter, target_id.to_bytes(_WORD_BYTES, "little"))
    stop = debugger.stopped(StopReason.STEP, f"moved to bundle {target_id}")
    session.later(lambda: session.execution.report_stop(stop, "goto"))


@request("cancel", Needs.NOTHING, "supportsCancelRequest")
def cancel(
    session: DebugSession, *, request_id: int | None = None, progress_id: str | None = None
) -> None:
    """Withdraw a queued request, or pause the run whose progress is shown."""
    if progress_id is not None and progress_id == session.progress.running:
        if session.execution.is_running:
            session.later(session.execution.pause)
    elif request_id is not None:
        withdrawn = session.inbox.withdraw(request_id)
        if withdrawn is not None:
            session.outbox.send_error(withdrawn, "cancelled")


def _step(session: DebugSession, granularity: str) -> None:
    debugger = session.program.debugger
    _run(session, debugger.step_line if granularity == "line" else debugger.step, "Stepping")


def _run(session: DebugSession, move: Move, title: str, may_end: bool = False) -> None:
    _check_begun(session)
    session.run(move, title, may_end)


def _check_begun(session: DebugSession) -> None:
    if not session.is_configured:
        raise RequestError("the program has not started: send `configurationDone` first")
