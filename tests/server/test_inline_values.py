"""Inline values on the wire."""

from __future__ import annotations

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, asked, greeted, opened

URI = "file:///kernel.s"
TEXT = "# \U0001f600\nx: incr lr0 1;;  # \U0001f600\nadd lr1 lr0 lr0; b x;;\nbkpt;;\n"


def span(line: int, start: int, end_line: int, end: int) -> Json:
    places = ((line, start), (end_line, end))
    first, last = ({"line": line, "character": column} for line, column in places)
    return {"start": first, "end": last}


def check_values(within: Json, stopped: Json, *expected: tuple[int, int, str]) -> None:
    """For a machine that stands there, the answer has these lines, columns and expressions."""
    context = {"frameId": 1, "stoppedLocation": stopped}
    request = asked(1, "inlineValue", URI, range=within, context=context)
    answer = greeted(opened(URI, TEXT), request, EXIT).answer(1)["result"]
    found = [(value["range"]["start"], value["expression"]) for value in answer]
    assert [(at["line"], at["character"], text) for at, text in found] == list(expected)
    for value in answer:
        width = value["range"]["end"]["character"] - value["range"]["start"]["character"]
        register = value["expression"].partition("@")[0]
        assert (set(value), width) == ({"range", "expression"}, len(register))


def test_registers_are_shown_up_to_where_the_machine_stands() -> None:
    check_values(span(0, 0, 9, 0), span(1, 3, 1, 15), (1, 8, "lr0@incr"))
    check_values(
        span(0, 0, 9, 0), span(2, 0, 2, 22), (1, 8, "lr0"), (2, 4, "lr1@add"), (2, 8, "lr0")
    )


def test_only_the_range_is_answered() -> None:
    check_values(span(2, 0, 2, 6), span(2, 0, 2, 22), (2, 4, "lr1@add"))
    check_values(span(3, 0, 4, 0), span(2, 0, 2, 22))


def test_a_document_that_is_not_open_has_none() -> None:
    context = {"frameId": 1, "stoppedLocation": span(0, 0, 0, 0)}
    request = asked(1, "inlineValue", "untitled:gone", range=span(0, 0, 9, 0), context=context)
    assert greeted(request, EXIT).answer(1)["result"] is None
