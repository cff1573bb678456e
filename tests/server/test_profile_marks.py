"""The marks of a profile on the wire."""

from __future__ import annotations

import json
from typing import Any

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, greeted


def profile(**cycles: int) -> str:
    """A profile of bundles that are named by their instruction, one a line."""
    bundles = [
        {"instructions": [name], "cycles": count, "line": line, "end_line": line}
        for line, (name, count) in enumerate(cycles.items(), 1)
    ]
    return json.dumps({"program": "a.s", "cycles": sum(cycles.values()), "bundles": bundles})


def answer(**params: Any) -> Json:
    request = {"id": 1, "method": "ipu/profileMarks", "params": params}
    found: Json = greeted(request, EXIT).answer(1)
    return found


def check_marks(*texts: str, **params: Any) -> list[Json]:
    """The marks that parameters ask for, whose texts are these."""
    marks: list[Json] = answer(**params)["result"]["marks"]
    assert [mark["text"] for mark in marks] == [*texts]
    return marks


def test_marks_have_shares_in_columns_and_heat() -> None:
    texts = (" 0.1 %      1", "99.8 %  1,298", "      not run", " 0.1 %      1")
    marks = check_marks(*texts, profile=profile(a=1, b=1298, c=0, d=1))
    assert [(mark["line"], mark["endLine"]) for mark in marks] == [(n, n) for n in range(4)]
    assert [mark["heat"] for mark in marks] == [1, 4, 0, 1]
    assert marks[1]["tooltip"] == "1,298 cycles of 1,300 in the last run: 99.8 %"


def test_what_changed_since_the_run_before_is_at_its_first_line() -> None:
    now, before = profile(a=1, x=5, b=40, c=44), profile(a=1, b=50, c=60)
    texts = (" 1.1 %   1", " 5.6 %   5  +5", "44.4 %  40  -26", "48.9 %  44")
    marks = check_marks(*texts, profile=now, before=before)
    assert marks[2]["tooltip"].splitlines() == [
        "40 cycles of 90 in the last run: 44.4 %  ",
        "lines 3 to 4: 26 fewer than before, 110 -> 84 cycles",
    ]
    check_marks(" 1.1 %   1", " 5.6 %   5", "44.4 %  40", "48.9 %  44", profile=now, before=now)


def test_another_text_is_refused() -> None:
    for params in ({"profile": "{}"}, {"profile": profile(a=1), "before": "<html>"}):
        error = answer(**params)["error"]
        assert error["code"] == -32602
        assert error["message"] == "expected a profile that --profile FILE.json has written"
