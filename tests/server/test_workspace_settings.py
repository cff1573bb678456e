"""Mistakes in files with settings are shown in these files, pushed or pulled."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import asked, await_bytes, changed, opened
from tests.server.folders import (
    answers,
    check_codes,
    event,
    names,
    pull,
    pulled,
    session_in,
    written,
)

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


HOSTILE = {
    "brackets": "x=" + "[" * 60_000,
    "digits": "x=" + "1" * 4_301,
    "keys": "".join(f"key{n} = 1\n" for n in range(4_000)),
    "names": f"[lint]\nselect = {[f'Q{n}' for n in range(20_000)]}\n",
    "control characters": 'isa = "\\u001b[31m\\u0007"\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_pops_up_once_and_requests_are_answered(tmp_path: Path, name: str) -> None:
    written(tmp_path, {"ipu.toml": HOSTILE[name]})
    document = (tmp_path / "a.s").as_uri()

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(document, "x: acc;;\nb x;;\n")
        yield asked(1, "documentSymbol", document)
        yield changed(document, 2, {"text": "x: acc;;\nb x;;\nacc.frist;;\n"})
        yield asked(2, "hover", document, position={"line": 0, "character": 3})
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script, capabilities={})
    assert conversation.answer(1)["result"]
    assert conversation.answer(2)["result"]
    (shown,) = conversation.told("window/showMessage")
    assert shown["message"].isprintable()
    assert len(shown["message"]) < 500
    (pushed,) = conversation.published((tmp_path / "ipu.toml").as_uri())
    assert 1 <= len(pushed["diagnostics"]) <= 101


def test_of_many_files_with_mistakes_ten_pop_up_and_the_others_are_logged(tmp_path: Path) -> None:
    written(tmp_path, {f"{n}/ipu.toml": "isa = 3\n" for n in range(30)})
    written(tmp_path, {f"{n}/a.s": GOOD for n in range(30)})

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')
        rewrite(tmp_path / "0" / "ipu.toml", "isa = 4\n")
        yield event(tmp_path / "0" / "ipu.toml", 2)
        yield pull(2)
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script)
    assert len(conversation.told("window/showMessage")) == 10 + 1
    assert len(conversation.told("window/logMessage")) == 20


def test_links_out_of_the_workspace_are_not_read(tmp_path: Path) -> None:
    written(tmp_path, {"in/a.s": BAD, "other/b.s": BAD, "out/secret.s": BAD})
    (tmp_path / "in" / "secret.s").symlink_to(tmp_path / "out" / "secret.s")
    (tmp_path / "in" / "b.s").symlink_to(tmp_path / "other" / "b.s")
    (tmp_path / "in" / "zero.s").symlink_to("/dev/zero")
    check_codes(tmp_path, pulled(tmp_path / "in"), {"in/a.s": ["E101"]})
    expected = {"in/a.s": ["E101"], "in/b.s": ["E101"], "other/b.s": ["E101"]}
    check_codes(tmp_path, pulled(tmp_path / "in", tmp_path / "other"), expected)


def test_a_file_that_is_not_utf_8_has_one_finding_in_a_workspace_report(tmp_path: Path) -> None:
    (tmp_path / "a.s").write_bytes(b"bkpt;; # gr\xf6\xdfer\n")
    (item,) = pulled(tmp_path)
    (finding,) = item["items"]
    assert finding["message"].startswith("expected UTF-8, found the byte 0xF6")
    assert finding["range"]["start"] == {"line": 0, "character": 11}
