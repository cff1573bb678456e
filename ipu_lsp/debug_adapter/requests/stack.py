"""The machine as one thread; its stack frames are the current bundle and the loops around it."""

from __future__ import annotations

from typing import Final

from ipu_asm.flow.loops import enclosing_loops
from ipu_lsp.debug_adapter.argument_types import FrameFormat
from ipu_lsp.debug_adapter.execution import THREAD
from ipu_lsp.debug_adapter.request_table import Needs, RequestError, request
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.json_types import Json

FRAME: Final = 1
"""ID of the frame of the current bundle; the frames of enclosing loops have the next numbers."""


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
    """Return the frame of the current bundle, followed by enclosing loops, innermost first.

    `supportsDelayedStackTraceLoading` is not announced: VS Code would offer to load more of them.
    """
    format_ = format_ or FrameFormat()
    address = current_address(session)
    loops = enclosing_loops(session.program.kernel.program, address)
    frames = [_frame(session, FRAME, address, None, format_)]
    frames += [
        _frame(session, FRAME + number, loop[0], loop, format_)
        for number, loop in enumerate(loops, 1)
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
    pc = session.program.debugger.state.program_counter
    if session.program.debugger.state.is_halted and stop is not None and stop.pc >= 0:
        return stop.pc
    return pc


def _frame(
    session: DebugSession, number: int, address: int, loop: range | None, shown: FrameFormat
) -> Json:
    debuggee = session.program
    found = debuggee.debugger.resolver.at_address(address)
    name = f"bundle {address:#x}" if shown.hex else f"bundle {address}"
    if found is not None and found.place.name:
        name = found.place.name
    if loop is not None:
        first, last = (f"{at:#x}" if shown.hex else str(at) for at in (loop[0], loop[-1]))
        name = f"in loop {name} (bundles {first} to {last})"
    if shown.line and found is not None:
        name += f" line {found.place.line}"
    frame: Json = {
        "id": number,
        "name": name,
        "line": 0,
        "column": 0,
        "instructionPointerReference": f"{address:#x}",
        "moduleId": "program",
        "presentationHint": "normal" if loop is None else "subtle",
    }
    if found is not None:
        frame["source"] = debuggee.source()
        # With an end, VS Code selects the bundle, and the next key pressed would replace it.
        frame.update(debuggee.positions.start_to_client(found.place.span))
    return frame
