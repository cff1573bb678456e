"""Evaluation, completion, commands of the debug console, and the sources and the only module."""

from __future__ import annotations

from functools import partial
from typing import Final

from ipu_asm import __version__
from ipu_asm.debugger.console import TABLE, Console
from ipu_asm.debugger.expressions import (
    Context,
    ExpressionError,
    element_text,
    evaluate,
    split_assignment,
    text_of,
    writable_location,
)
from ipu_asm.debugger.expressions.completion import Candidate
from ipu_asm.debugger.inspection import Item
from ipu_asm.debugger.inspection.bundle_values import operand_value
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator.stops import StopReason
from ipu_lsp.debug_adapter.client import SourceView
from ipu_lsp.debug_adapter.requests import (
    Needs,
    RequestCancelledError,
    RequestError,
    SourceArgument,
    ValueFormat,
    request,
)
from ipu_lsp.debug_adapter.requests.running import check_frame
from ipu_lsp.debug_adapter.requests.variables import notation_of, report_change, value_fields
from ipu_lsp.debug_adapter.session import THREAD, DebugSession
from ipu_lsp.transport import Json

_CONSOLE: Final = "repl"
_CLIPBOARD: Final = "clipboard"
_WATCH: Final = "watch"
_KINDS: Final = {
    "register": "variable", "label": "reference", "name": "variable", "function": "function",
    "type": "class", "format": "keyword", "command": "keyword",
}  # fmt: skip
_UTF_16: Final = "utf-16-le"


@request("evaluate", Needs.STOPPED, "supportsEvaluateForHovers", "supportsClipboardContext")
def evaluate_(
    session: DebugSession,
    *,
    expression: str,
    frame_id: int | None = None,
    context: str | None = None,
    format_: ValueFormat | None = None,
) -> Json:
    """Evaluate an expression; in the console, also execute an assignment or a command."""
    check_frame(frame_id)
    notation = notation_of(format_)
    debuggee = session.program
    try:
        seen = operand_value(debuggee.debugger, debuggee.context, expression)
        if seen is not None:
            return {"result": seen, "variablesReference": 0}
        if context == _CONSOLE:
            return _in_console(session, expression, notation)
        if context == _CLIPBOARD:
            text = _complete_text(session.program.context, expression, notation)
            return {"result": text, "variablesReference": 0}
        # Watch values are short, because editors also show them at the end of source lines.
        item = session.program.inspector.item_of(expression, notation, context != _WATCH)
        return _result(session, item)
    except ExpressionError as error:
        raise RequestError(error.message) from error
    except QueryInterruptedError as error:
        raise RequestCancelledError from error


@request(
    "completions",
    Needs.STOPPED,
    "supportsCompletionsRequest",
    completionTriggerCharacters=[".", "[", "(", ",", ":", " "],
)
def completions(
    session: DebugSession,
    *,
    text: str,
    column: int,
    line: int | None = None,
    frame_id: int | None = None,
) -> Json:
    check_frame(frame_id)
    client = session.program.client
    row = 0 if line is None else line - client.first_line
    offset = _offset(text, row, column - client.first_column)
    found = TABLE.complete(session.program.context, text, offset)
    return {"targets": [_target(text, offset, *each) for each in enumerate(found)]}


def _in_console(session: DebugSession, text: str, notation: str | None) -> Json:
    debuggee = session.program
    assigned = _assigned(debuggee.context, text)
    # The baseline for "changed" marks, in case the command moves the machine.
    debuggee.moving()
    shown = debuggee.shown
    result = Console(debuggee.debugger, lambda: debuggee.context).run(text)
    if debuggee.shown is not shown:
        show_source(session, debuggee.shown)
    if result.stop is not None:
        reason = "goto" if result.stop.reason is StopReason.STEP else None
        # The client takes no other stop for a new one, and would go on showing a former fault.
        continued = {"threadId": THREAD, "allThreadsContinued": True}
        session.later(partial(session.outbox.event, "continued", continued))
        session.later(partial(session.execution.report_stop, result.stop, reason))
    if result.result is not None:
        return _result(session, debuggee.inspector.item_of(text, notation))
    if result.changed and assigned is not None:
        target, where = assigned
        report_change(session, where)
        return _result(session, debuggee.inspector.item_of(target, notation))
    return {"result": result.text, "variablesReference": 0}


def _assigned(context: Context, text: str) -> tuple[str, Region] | None:
    """Return an assignment's target and its bytes; None if the text is no assignment."""
    try:
        sides = split_assignment(text)
        return sides and (sides[0], context.view.region_of(writable_location(context, sides[0])))
    except ExpressionError:
        return None


def _result(session: DebugSession, item: Item) -> Json:
    body = value_fields(session, item)
    return {"result": body.pop("value"), **body}


def _complete_text(context: Context, text: str, notation: str | None) -> str:
    """Format a whole value, untruncated, as an expression that can be pasted elsewhere."""
    result = evaluate(context, text)
    value, notation = result.value, result.notation or notation
    if notation is None and not value.is_vector:
        return element_text(value.number, value.kind)
    try:
        return text_of(value, notation, None)
    except ValueError:
        # A computed float has no bit pattern: fall back to the default notation.
        return text_of(value, None, None)


def _target(text: str, offset: int, number: int, candidate: Candidate) -> Json:
    """Encode a completion in the way that all tested clients agree on.

    They count `start` from 0, even if their columns count from 1, and replace the text from `start`
    to the cursor.
    """
    return {
        "label": candidate.text,
        "start": _units(text[: candidate.start]),
        "length": _units(text[candidate.start : offset]),
        "type": _KINDS[candidate.kind],
        "detail": candidate.detail,
        "sortText": f"{number:05}",
    }


def _offset(text: str, row: int, column: int) -> int:
    """Convert a row and a column in UTF-16 code units, both from 0, to an offset in code points."""
    rows = text.split("\n")
    row = min(max(row, 0), len(rows) - 1)
    before = rows[row].encode(_UTF_16, "surrogatepass")[: 2 * max(column, 0)]
    return sum(len(each) + 1 for each in rows[:row]) + len(before.decode(_UTF_16, "ignore"))


def _units(text: str) -> int:
    return len(text.encode(_UTF_16, "surrogatepass")) // 2


@request("loadedSources", Needs.PROGRAM, "supportsLoadedSourcesRequest")
def loaded_sources(session: DebugSession) -> Json:
    """Return the program's source; of a template, its expansion as well."""
    return {"sources": [view.source for view in session.program.views]}


@request("source", Needs.PROGRAM)
def source(
    session: DebugSession,
    *,
    source_reference: int = 0,
    source: SourceArgument | None = None,  # the argument's name in the protocol
) -> Json:
    wanted = source or SourceArgument()
    if source_reference:
        wanted = wanted._replace(source_reference=source_reference)
    view = session.program.view_of(wanted)
    if view is None:
        names, found = session.program.source_names, wanted.path or wanted.source_reference
        raise RequestError(f"the only source is {names}, found `{found}`")
    return {"content": view.text, "mimeType": "text/x-asm"}


@request("ipu/showSource", Needs.STOPPED)
def show_source_(session: DebugSession, *, source: SourceArgument | None = None) -> Json:
    """Make positions refer to a source from now on, by default to the one not shown."""
    debuggee = session.program
    view = debuggee.view_of(source) if source else None
    if source is not None and view is None:
        raise RequestError(f"a source is {debuggee.source_names}, found another one", True)
    if len(debuggee.views) == 1:
        raise RequestError("the program is not expanded: it has one source", True)
    view = view or next(each for each in debuggee.views if each is not debuggee.shown)
    show_source(session, view)
    return {"source": view.source}


def show_source(session: DebugSession, view: SourceView) -> None:
    """Make positions refer to a source, and have the client ask for the stack again."""
    session.program.debugger.show(view.resolver)
    session.program.inspector.use_lines(view.resolver.table)
    if session.client is not None and session.client.has_invalidated:
        body = {"areas": ["stacks", "variables"]}
        session.later(partial(session.outbox.event, "invalidated", body))


@request(
    "modules",
    Needs.PROGRAM,
    "supportsModulesRequest",
    additionalModuleColumns=[{"attributeName": "bundles", "label": "Bundles", "type": "string"}],
)
def modules(session: DebugSession, *, start_module: int = 0, module_count: int = 0) -> Json:
    """Return program memory as the only module."""
    kernel = session.program.kernel
    program = {
        "id": "program",
        "name": session.program.file.source["name"],
        "path": session.program.configuration.program,
        "isUserCode": True,
        "version": f"{kernel.isa.name}, ipu-asm {__version__}",
        "symbolStatus": "disassembled" if kernel.is_image else "source",
        "addressRange": f"0x0-{kernel.program.size - 1:#x}",
        "bundles": f"{kernel.program.size} of {kernel.isa.program_limit}",
    }
    end = start_module + module_count if module_count > 0 else None
    return {"modules": [program][max(0, start_module) : end], "totalModules": 1}
