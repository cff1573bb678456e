"""Scopes, variables and assignments; `ipu/vectors` and `ipu/vector`, see docs/protocol.md."""

from __future__ import annotations

import math
import re
from functools import lru_cache, partial
from typing import Final, Iterable

from ipu_asm.debugger.expressions import (
    ExpressionError,
    Location,
    MachineView,
    Space,
    assign_with,
    evaluate,
    writable_location,
)
from ipu_asm.debugger.expressions import quoted as quoted
from ipu_asm.debugger.inspection import Group, GroupKind, Item, VectorView, parse_displayed_value
from ipu_asm.debugger.inspection.items import without_formats
from ipu_asm.debugger.inspection.vectors import is_shown_as_vector
from ipu_asm.debugger.regions import COUNTER, Region
from ipu_lsp.debug_adapter.client import reference_of
from ipu_lsp.debug_adapter.requests import Needs, RequestError, ValueFormat, request
from ipu_lsp.debug_adapter.requests.running import check_frame
from ipu_lsp.debug_adapter.session import DebugSession
from ipu_lsp.transport import Json

_HEX: Final = "x"
_VECTOR: Final = "vector"
_OF_BITS: Final = ("x", "o", "b")
_BITS: Final = re.compile(r"\[?\s*0[xob]\w+(?:\s*,\s*0[xob]\w+)*\s*\]?", re.IGNORECASE)
_FILTERS: Final = ("named", "indexed")
_INDEXED: Final = (GroupKind.ROWS, GroupKind.ELEMENTS)


@request("scopes")
def scopes(session: DebugSession, *, frame_id: int) -> Json:
    """Return the scopes: groups of registers and memory. They are the same for every frame."""
    check_frame(frame_id)
    return {
        "scopes": [
            {
                "name": scope.name,
                "variablesReference": session.execution.variables.number(scope.group),
                "namedVariables": scope.named,
                "indexedVariables": scope.indexed,
                "expensive": scope.is_expensive,
                **({"presentationHint": scope.hint} if scope.hint else {}),
            }
            for scope in session.program.inspector.scopes()
        ]
    }


@request("variables", Needs.STOPPED, "supportsValueFormattingOptions")
def variables(
    session: DebugSession,
    *,
    variables_reference: int,
    filter_: str | None = None,
    start: int = 0,
    count: int = 0,
    format_: ValueFormat | None = None,
) -> Json:
    group = group_of_reference(session, variables_reference)
    if filter_ in _FILTERS and (filter_ == "indexed") is not (group.kind in _INDEXED):
        return {"variables": []}
    try:
        items = session.program.inspector.children(
            group, start, count or None, notation_of(format_)
        )
    except ExpressionError as error:
        raise RequestError(error.message) from error
    return {"variables": [variable(session, item, group.notation) for item in items]}


@request("setVariable", Needs.STOPPED, "supportsSetVariable")
def set_variable(
    session: DebugSession,
    *,
    variables_reference: int,
    name: str,
    value: str,
    format_: ValueFormat | None = None,
) -> Json:
    group = group_of_reference(session, variables_reference)
    item = child(session, group, name)
    if item is None:
        raise RequestError(f"no variable here is called {quoted(name)}", True)
    if not _is_writable(item):
        raise RequestError(f"{quoted(name)} cannot be changed", True)
    notation = group.notation or notation_of(format_)
    body = value_fields(session, assigned(session, item.expression, value, notation))
    return {key: text for key, text in body.items() if key != "presentationHint"}


@request("setExpression", Needs.STOPPED, "supportsSetExpression")
def set_expression(
    session: DebugSession,
    *,
    expression: str,
    value: str,
    frame_id: int | None = None,
    format_: ValueFormat | None = None,
) -> Json:
    """Assign to an expression's target. A format specifier in it applies to the response."""
    check_frame(frame_id)
    return value_fields(session, assigned(session, expression, value, notation_of(format_)))


def assigned(session: DebugSession, expression: str, value: str, notation: str | None) -> Item:
    """Assign a value and return the target as it is now. Raises `RequestError`.

    `value` is an expression, or a displayed value including its decoration.
    """
    debuggee = session.program
    context, value = debuggee.context, parse_displayed_value(value)
    try:
        target = without_formats(expression)
        location = writable_location(context, target)
        shown_in = evaluate(context, expression).notation or notation
        if location.kind.is_float and shown_in in _OF_BITS and _BITS.fullmatch(value):
            # The value is shown as a bit pattern: assign a bit pattern.
            target = f"{location.kind.unsigned().name}({target})"
        assign_with(debuggee.debugger.edit, context, target, value)
        report_change(session, context.view.region_of(location))
        return debuggee.inspector.item_of(expression, notation)
    except ExpressionError as error:
        raise RequestError(error.message, True) from error


def report_change(session: DebugSession, where: Region) -> None:
    """Send `invalidated` and `memory` events for a changed region, after the current response."""
    client = session.client
    assert client is not None
    if client.has_invalidated:
        areas = ["variables", "stacks"] if where.name == COUNTER else ["variables"]
        session.later(lambda: session.outbox.event("invalidated", {"areas": areas}))
    if not client.has_memory_events:
        return
    for text, reference in session.viewed.items():
        if reference.part == where.name:
            offset = where.start - reference.start
            body = {"memoryReference": text, "offset": offset, "count": where.size}
            session.later(partial(session.outbox.event, "memory", body))


def group_of_reference(session: DebugSession, number: int) -> Group:
    """Return the group for a `variablesReference`. Raises `RequestError` for an invalid one."""
    group = session.execution.variables.get(number)
    if group is not None:
        return group
    if session.execution.variables.was_given(number):
        reason = f"{number} is no longer valid: the machine has moved"
    else:
        reason = f"is a number that the adapter sent, found {number}"
    raise RequestError(f"`variablesReference` {reason}")


def child(session: DebugSession, group: Group, name: str) -> Item | None:
    try:
        return session.program.inspector.child(group, name)
    except ExpressionError as error:
        raise RequestError(error.message) from error


def notation_of(format_: ValueFormat | None) -> str | None:
    return _HEX if format_ is not None and format_.hex else None


def variable(session: DebugSession, item: Item, notation: str | None = None) -> Json:
    body = value_fields(session, item)
    if item.expression:
        body["evaluateName"] = f"{item.expression},{notation}" if notation else item.expression
    has_contexts = session.client is not None and session.client.has_menu_contexts
    if has_contexts and item.location is not None and is_shown_as_vector(item.location):
        # VS Code's extension to the protocol: what its menu can pin in the Vectors view.
        body["__vscodeVariableMenuContext"] = _VECTOR
    return {"name": item.name, **body}


def value_fields(session: DebugSession, item: Item) -> Json:
    """Encode the fields that variables and results of `evaluate` share."""
    opens = 0 if item.group is None else session.execution.variables.number(item.group)
    attributes = [] if _is_writable(item) else ["readOnly"]
    body: Json = {
        "value": item.value,
        "variablesReference": opens,
        "presentationHint": {"kind": item.kind, "attributes": attributes},
    }
    if session.client is not None and session.client.has_types and item.type:
        body["type"] = item.type
    if item.named:
        body["namedVariables"] = item.named
    if item.indexed:
        body["indexedVariables"] = item.indexed
    reference = memory_reference(session.program.context.view, item.location)
    if reference is not None:
        body["memoryReference"] = reference
    return body


@lru_cache(maxsize=4_096)
def memory_reference(view: MachineView, location: Location | None) -> str | None:
    """Return the memory reference of a location; None for bits and computed values."""
    if location is None or location.space not in (Space.MEMORY, Space.BLOCK, Space.SCALARS):
        return None
    return reference_of(view.region_of(location))


def _is_writable(item: Item) -> bool:
    return item.is_writable and bool(item.expression)


VECTOR = "ipu/vector"
VECTORS = "ipu/vectors"


@request(VECTORS, Needs.STOPPED)
def vectors(session: DebugSession) -> Json:
    inspector = session.program.inspector
    return {
        "vectors": [
            {
                "name": found.name,
                "note": inspector.note(found.name),
                "type": found.type,
                "types": list(found.types),
                "elements": found.elements,
                "masks": list(found.masks),
            }
            for found in inspector.vectors()
        ],
        "expected": [
            {"name": source.file + (f"[{source.member}]" if source.member else "")}
            for piece in session.program.configuration.expect
            if (source := piece.data.source).file
        ],
    }


@request(VECTOR, Needs.STOPPED)
def vector(
    session: DebugSession,
    *,
    name: str,
    type_: str | None = None,
    mask: str | None = None,
    expected: str | None = None,
    frame_id: int | None = None,
) -> Json:
    """Return the elements of a vector, their previous values, and those that a mask suppresses.

    With the file `expected`, also what they should be.
    """
    check_frame(frame_id)
    try:
        view = session.program.inspector.vector_view(name, type_, mask)
    except ExpressionError as error:
        raise RequestError(error.message) from error
    extent = view.extent
    return {
        "name": name.strip(),
        "path": view.path,
        "note": session.program.inspector.note(view.path),
        "type": view.type,
        "types": list(view.types),
        "masks": list(view.masks),
        "elements": _numbers(view.numbers),
        "texts": list(view.texts),
        "hex": list(view.bits),
        "expressions": list(view.expressions),
        "changed": list(view.changed),
        "previous": _numbers(view.previous),
        "previousTexts": list(view.previous_texts),
        "masked": list(view.masked),
        **({} if extent is None else {"minimum": extent[0], "maximum": extent[1]}),
        "nans": view.nans,
        "infinities": view.infinities,
        "numpy": view.numpy,
        **_location(view),
        **({} if expected is None else _expected(session, view, expected)),
    }


def _expected(session: DebugSession, view: VectorView, name: str) -> Json:
    """Encode the elements that a file expects in a vector, or the reason why they are unknown."""
    try:
        found = session.program.inspector.difference(
            view, name, session.program.debugger.options.read_expected
        )
    except ExpressionError as error:
        return {"expectedProblem": error.message}
    return {
        "expected": {
            "name": found.name,
            "elements": _numbers(found.expected),
            "texts": list(found.texts),
            "differing": list(found.differing),
        }
    }


def _location(view: VectorView) -> Json:
    """Encode the location of the bytes; empty for bits, which have no byte address."""
    location = view.location
    if location.space is Space.BITS:
        return {}
    where = view.view.region_of(location)
    return {
        "memoryReference": memory_reference(view.view, location),
        "location": {"part": where.name, "start": where.start, "elementSize": location.kind.size},
    }


def _numbers(numbers: Iterable[int | float]) -> list[int | float | str]:
    """Encode numbers for JSON, with strings for NaN and infinities."""
    return [number if math.isfinite(number) else _word(number) for number in numbers]


def _word(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"
