"""The machine as one thread; its frames are the current bundle and what it is in."""

from __future__ import annotations

from typing import Final

from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.text import numbered
from ipu_lsp.debug_adapter.argument_types import FrameFormat
from ipu_lsp.debug_adapter.execution import THREAD
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

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
    """Raise `RequestError` for an ID that no frame can have."""
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
    """The name of the frame of a loop: its trip, or else its bundles."""
    for trip in session.program.debugger.trips:
        if trip.loop.head == loop.start:
            return f"{name}, trip {trip.number:,} of {trip.trips:,}"
    first, last = (f"{at:#x}" if shown.hex else str(at) for at in (loop[0], loop[-1]))
    return f"in loop {name} ({numbered('bundle', first, last)})"


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
