"""Mistakes in files with settings are shown in these files, pushed or pulled."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.server.conversation import Json, await_bytes, opened
from tests.server.folders import answers, check_codes, event, names, pull, session_in, written

BAD, GOOD = "nope;;\n", "acc; bkpt;;\n"


def rewrite(path: Path, text: str) -> None:
    """Give a file another content at one moment: the server may look at any time."""
    draft = path.with_name("draft.txt")
    draft.write_text(text)
    draft.replace(path)


def check_mistakes(pushed: list[Json], *counts: int) -> None:
    """So many findings were pushed about a file, in this order; all are marked as ours."""
    assert [len(params["diagnostics"]) for params in pushed] == list(counts), pushed
    assert {f["source"] for params in pushed for f in params["diagnostics"]} <= {"ipu"}


@pytest.mark.parametrize("name", ["ipu.toml", "pyproject.toml"])
@pytest.mark.parametrize("has_document", [True, False])
def test_mistakes_in_settings_are_pushed_and_taken_back_when_mended(
    tmp_path: Path, name: str, has_document: bool
) -> None:
    path, table = tmp_path / name, "" if name == "ipu.toml" else "tool.ipu."
    written(tmp_path, {name: f"# \u4e2d\n[{table}lint]\n  select = 3\n"})
    shown = name.encode() + b'","diagnostics":[{'

    def script(received: bytearray) -> Iterator[Json]:
        if has_document:
            yield opened((tmp_path / "in" / "a.s").as_uri(), BAD)
        await_bytes(received, shown)
        rewrite(path, f'[{table}lint]\nselect = ["E", "Q7"]\n')
        yield event(path, 2)
        await_bytes(received, shown, 2)
        rewrite(path, f'[{table}lint]\nselect = ["E"]\n')
        yield event(path, 2)

    conversation = session_in(tmp_path, script=script, capabilities={})
    pushed = conversation.published(path.as_uri())
    check_mistakes(pushed, 1, 1, 0)
    (first,), (second,), _ = (params["diagnostics"] for params in pushed)
    assert first["range"]["start"] == {"line": 2, "character": 2}
    assert first["severity"] == 1
    assert second["range"]["start"] == {"line": 1, "character": 15}
    assert second["severity"] == 2


def test_mistakes_of_a_file_that_is_gone_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "ipu.toml"
    written(tmp_path, {"ipu.toml": "isa = 3\n"})

    def script(received: bytearray) -> Iterator[Json]:
        await_bytes(received, b'"diagnostics":[{')
        path.unlink()
        yield event(path, 3)

    conversation = session_in(tmp_path, script=script, capabilities={})
    check_mistakes(conversation.published(path.as_uri()), 1, 0)


def test_a_workspace_report_has_the_mistakes_in_settings(tmp_path: Path) -> None:
    path = tmp_path / "in" / "ipu.toml"
    written(tmp_path, {"in/ipu.toml": "isa = 3\n", "in/a.s": GOOD})

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')
        rewrite(path, "")
        yield event(path, 2)
        yield pull(2, names(answers(received, 1)))
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script)
    assert conversation.published(path.as_uri()) == []
    check_codes(
        tmp_path, conversation.answer(1)["result"]["items"], {"in/ipu.toml": [""], "in/a.s": []}
    )
    fresh = [i for i in conversation.answer(2)["result"]["items"] if i["kind"] == "full"]
    check_codes(tmp_path, fresh, {"in/ipu.toml": []})


def test_pushed_mistakes_give_way_to_the_workspace_report(tmp_path: Path) -> None:
    path = tmp_path / "ipu.toml"
    written(tmp_path, {"ipu.toml": "isa = 3\n", "a.s": GOOD})

    def script(received: bytearray) -> Iterator[Json]:
        await_bytes(received, b'"diagnostics":[{')
        yield pull(1)
        await_bytes(received, b'"id":1,')

    conversation = session_in(tmp_path, script=script)
    check_mistakes(conversation.published(path.as_uri()), 1, 0)
    items = {item["uri"]: item["items"] for item in conversation.answer(1)["result"]["items"]}
    assert len(items[path.as_uri()]) == 1
