"""Requests that execute, forwards and backwards, and the stack of the machine, the only thread."""

from __future__ import annotations

from functools import partial
from typing import Final

from ipu_asm.debugger.regions import COUNTER, regions_of
from ipu_asm.emulator.stops import StopReason
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.text import numbered
from ipu_lsp.debug_adapter.requests import (
    FrameFormat,
    Needs,
    RequestError,
    SourceArgument,
    request,
)
from ipu_lsp.debug_adapter.session import THREAD, DebugSession, Move
from ipu_lsp.transport import Json

_WORD_BYTES = 4


@request("continue")
def continue_(session: DebugSession) -> Json:
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
    _run(session, session.program.debugger.step_out, "Leaving the loop", may_end=True)


@request("stepBack", Needs.STOPPED, "supportsStepBack")
def step_back(session: DebugSession, *, granularity: str = "statement") -> None:
    debugger = session.program.debugger
    move = debugger.step_back_line if granularity == "line" else debugger.step_back
    _run(session, move, "Stepping back")


@request("reverseContinue")
def reverse_continue(session: DebugSession) -> None:
    _run(session, session.program.debugger.reverse_continue, "Running backwards")


@request("pause", Needs.PROGRAM)
def pause(session: DebugSession) -> None:
    if session.execution.is_running:
        session.later(session.execution.pause)


@request("gotoTargets", Needs.PROGRAM, "supportsGotoTargetsRequest")
def goto_targets(
    session: DebugSession, *, source: SourceArgument, line: int, column: int | None = None
) -> Json:
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
    session.later(partial(session.execution.start, move, title, may_end))


def _check_begun(session: DebugSession) -> None:
    if not session.is_configured:
        raise RequestError("the program has not started: send `configurationDone` first")


FRAME: Final = 1
"""ID of the frame of the current bundle; the frames around it have the next numbers."""


@request("threads", Needs.CLIENT)
def threads(session: DebugSession) -> Json:
    """Return the machine as the only thread."""
    return {"threads": [{"id": THREAD, "name": "IPU"}]}


@request("stackTrace", Needs.STOPPED)
def stack_trace(
    session: DebugSession,
    *,
    start_frame: int = 0,
    levels: int = 0,
    format_: FrameFormat | None = None,
) -> Json:
    """Return the frame of the current bundle, followed by what it is in, innermost first.

    In a template that is what it was expanded from; then come the loops of the machine.
    `supportsDelayedStackTraceLoading` is not announced: VS Code would offer to load more of them.
    """
    format_ = format_ or FrameFormat()
    address = current_address(session)
    loops = enclosing_loops(session.program.kernel.program, address)
    frames = [_frame(session, FRAME, address, None, format_)]
    frames += _expansion_frames(session, address, FRAME + 1)
    frames += [
        _frame(session, number, loop[0], loop, format_)
        for number, loop in enumerate(loops, FRAME + len(frames))
    ]
    start = max(0, start_frame)
    shown = frames[start : start + levels if levels > 0 else None]
    return {"stackFrames": shown, "totalFrames": len(frames)}


def check_frame(frame_id: int | None) -> None:
    if frame_id is not None and frame_id < FRAME:
        raise RequestError(f"a frame is one that `stackTrace` lists, found {frame_id}")


def current_address(session: DebugSession) -> int:
    """Return the address of the bundle that is executed next, or that halted the machine."""
    stop = session.execution.stop
    pc: int = session.program.debugger.state.program_counter
    if session.program.debugger.state.is_halted and stop is not None and stop.pc >= 0:
        return stop.pc
    return pc


def _frame(
    session: DebugSession, number: int, address: int, loop: range | None, shown: FrameFormat
) -> Json:
    debuggee = session.program
    place = debuggee.debugger.lines.place(address)
    stop = session.execution.stop
    if number == FRAME and stop is not None and stop.fault is not None:
        # The instruction, which may be lines below the beginning of its bundle.
        slot, index = stop.fault.slot, stop.fault.place
        place = debuggee.debugger.lines.instruction_place(address, slot, index)
    name = f"bundle {address:#x}" if shown.hex else f"bundle {address}"
    if place is not None and place.name:
        name = place.name
    if loop is not None:
        name = _loop_name(session, name, loop, shown)
    if shown.line and place is not None:
        name += f" line {place.line}"
    frame: Json = {
        "id": number,
        "name": name,
        "line": 0,
        "column": 0,
        "instructionPointerReference": f"{address:#x}",
        "moduleId": "program",
        "presentationHint": "normal",
    }
    if place is not None:
        # With an end, VS Code selects the bundle, and the next key pressed would replace it.
        frame.update(debuggee.shown.start(place))
    return frame


def _loop_name(session: DebugSession, name: str, loop: range, shown: FrameFormat) -> str:
    """Name the stack frame of a loop by its current trip, else by its bundles and trip count."""
    trip = session.program.debugger.trip_text(loop.start)
    if trip.startswith("trip "):
        return f"{name}, {trip}"
    first, last = (f"{at:#x}" if shown.hex else str(at) for at in (loop[0], loop[-1]))
    bundles = ", ".join(filter(None, (numbered("bundle", first, last), trip)))
    return f"in loop {name} ({bundles})"


def _expansion_frames(session: DebugSession, address: int, first: int) -> list[Json]:
    """Return the calls and iterations of a template that the current bundle came from."""
    file = session.program.file
    place = file.resolver.table.place(address)
    return [
        {
            "id": number,
            # A stack is plain text.
            "name": level.label.replace("`", ""),
            "moduleId": "program",
            "presentationHint": "subtle",
            "source": file.source,
            **file.positions.start_to_client(level.call.span),
        }
        for number, level in enumerate(place.stack if place else (), first)
    ]
