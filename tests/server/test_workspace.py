"""Folders with many files, most of which nobody has open."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterator

import pytest
from pygls.uris import to_fs_path

from ipu_asm.cli.lint.command import main as lint
from ipu_lsp.server.server import LspServer
from ipu_lsp.server.workspace import TimeSlice
from ipu_lsp.transport import Json
from tests.server.conversation import await_bytes, opened
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
FOREIGN = "\t.text\n\t.globl main\nmain:\n\tret\n"


def test_all_sources_have_a_report_and_nothing_else_has(tmp_path: Path) -> None:
    texts = {
        "a.s": BAD,
        "deep/er/b.asm": GOOD,
        "c.ipu": BAD,
        "d.txt": BAD,
        ".hidden/e.s": BAD,
        ".f.s": BAD,
        "node_modules/g.s": BAD,
        "name with # % and \u4e2d.s": BAD,
    }
    written(tmp_path, texts)
    expected = {"a.s": ["E101"], "deep/er/b.asm": [], "c.ipu": ["E101"]}
    expected["name with # % and \u4e2d.s"] = ["E101"]
    items = pulled(tmp_path)
    check_codes(tmp_path, items, expected)
    assert {item["version"] for item in items} == {None}


def test_several_folders_are_covered_once_each(tmp_path: Path) -> None:
    written(tmp_path, {"one/a.s": BAD, "two/b.s": BAD, "three/c.s": BAD, "one/in/d.s": BAD})
    items = pulled(tmp_path / "one", tmp_path / "two", tmp_path / "one" / "in")
    codes = ["E101"]
    check_codes(tmp_path, items, {"one/a.s": codes, "two/b.s": codes, "one/in/d.s": codes})


def test_a_client_that_knows_no_folders_has_a_root(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": BAD})
    items = pulled(workspaceFolders=None, rootUri=tmp_path.as_uri())
    check_codes(tmp_path, items, {"a.s": ["E101"]})


@pytest.mark.parametrize(
    "more",
    [
        {"workspaceFolders": None, "rootUri": None},
        {"workspaceFolders": [{"uri": 3}, 4, {}], "rootUri": ["a"]},
        {"workspaceFolders": [{"uri": "https://example.org/a"}, {"uri": "file:"}]},
        {"workspaceFolders": [{"uri": "file:///no/such/folder"}]},
        {"workspaceFolders": [{"uri": "file:///a\ud800"}, {"uri": "file:///a%00"}]},
    ],
)
def test_odd_folders_are_no_folders(more: Json) -> None:
    assert pulled(**more) == []


def test_every_file_is_read_in_its_own_instruction_set(tmp_path: Path) -> None:
    npu, old = '[isa-by-glob]\n"npu/*" = "edgenpu"\n', '[lint.per-file-ignores]\n"old/*" = ["E"]\n'
    texts = {
        "ipu.toml": npu + old,
        "npu/a.s": "NOP\nNOPE\n",
        "b.edgenpu": "NOP\n",
        "c.s": "; isa: edgenpu\nNOP\n",
        "d.s": BAD,
        "old/e.s": BAD,
        "f.aie": "\tmov r0, r1\n\tnope\n",
        "g.aie2p": "\tvmul.f dm1, y3, y0, r0\n",
        "h.S": "// isa: colossus\nstart: bri start\n",
    }
    written(tmp_path, texts)
    expected: dict[str, list[str]] = {"b.edgenpu": [], "c.s": [], "old/e.s": []}
    expected |= {"npu/a.s": ["E101"], "d.s": ["E101"], "f.aie": ["E101"], "g.aie2p": []}
    expected |= {"h.S": []}
    check_codes(tmp_path, pulled(tmp_path), expected)


def test_ipu_lint_and_the_workspace_report_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"a.s": BAD, "b/c.ipu": "x: b y;;", "b/host.s": FOREIGN, "d.s": GOOD, "e.ipu": FOREIGN}
    texts["b/ipu.toml"] = '[lint]\nignore = ["unused-label"]\n'
    written(tmp_path, texts)
    lint([str(tmp_path), "--format", "json", "--exit-zero"])
    printed = [
        (f["filename"], f["code"], f["message"], f["location"]["row"], f["location"]["column"])
        for f in json.loads(capsys.readouterr().out)
    ]
    reported = [
        (
            to_fs_path(item["uri"]),
            f["code"],
            f["message"],
            f["range"]["start"]["line"] + 1,
            f["range"]["start"]["character"] + 1,
        )
        for item in pulled(tmp_path)
        for f in item["items"]
    ]
    assert sorted(reported) == sorted(printed)
    assert {finding[1] for finding in printed} > {"E101", "H102"}


def test_what_cannot_be_read_is_left_out_quietly(tmp_path: Path) -> None:
    written(tmp_path, {"good.s": GOOD})
    (tmp_path / "binary.s").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "wide.s").write_bytes(b"\xff\xfea\0")
    (tmp_path / "huge.s").write_bytes(b"#" * 5_000_001)
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "itself.s").symlink_to(tmp_path / "itself.s")
    (tmp_path / "folder.s").mkdir()
    os.mkfifo(tmp_path / "pipe.s")
    check_codes(tmp_path, pulled(tmp_path), {"good.s": []})


def test_an_open_document_wins_over_the_disk(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": BAD, "b.s": BAD})
    opening = opened((tmp_path / "a.s").as_uri(), GOOD, version=7)
    items = pulled(tmp_path, messages=(opening,))
    check_codes(tmp_path, items, {"a.s": [], "b.s": ["E101"]})
    assert sorted(str(item["version"]) for item in items) == ["7", "None"]


def test_a_closed_document_is_what_the_disk_says(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": BAD})
    uri = (tmp_path / "a.s").as_uri()
    close = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}
    check_codes(tmp_path, pulled(tmp_path, messages=(opened(uri, GOOD), close)), {"a.s": ["E101"]})


def test_a_second_pull_says_only_what_is_new(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": BAD, "b.s": BAD, "c.s": GOOD, "gone.s": BAD})

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')
        first = answers(received, 1)
        yield pull(2, names(first))
        await_bytes(received, b'"id":2,')
        written(tmp_path, {"b.s": GOOD + "# longer\n", "d.s": BAD})
        (tmp_path / "gone.s").unlink()
        yield pull(3, names(first))
        await_bytes(received, b'"id":3,')

    conversation = session_in(tmp_path, script=script)
    second = conversation.answer(2)["result"]["items"]
    assert [item["kind"] for item in second] == ["unchanged"] * 4
    third = conversation.answer(3)["result"]["items"]
    fresh = [item for item in third if item["kind"] == "full"]
    check_codes(tmp_path, fresh, {"b.s": [], "d.s": ["E101"], "gone.s": []})


def test_a_deleted_file_is_cleared_once_although_no_request_tells_of_it(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": GOOD})

    def script(received: bytearray) -> Iterator[Json]:
        yield event(tmp_path / "gone.s", 3)
        yield pull(1)
        await_bytes(received, b'"id":1,')
        yield pull(2)
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script)
    check_codes(tmp_path, conversation.answer(1)["result"]["items"], {"a.s": [], "gone.s": []})
    check_codes(tmp_path, conversation.answer(2)["result"]["items"], {"a.s": []})


def test_changed_settings_change_what_is_remembered(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": BAD, "ipu.toml": ""})

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')
        written(tmp_path, {"ipu.toml": '[lint]\nignore = ["E101"]\n'})
        yield event(tmp_path / "ipu.toml", 2)
        yield pull(2, names(answers(received, 1)))
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script)
    check_codes(tmp_path, conversation.answer(2)["result"]["items"], {"a.s": []})
    assert len(conversation.told("workspace/diagnostic/refresh")) == 1


@pytest.mark.parametrize(("is_open", "refreshes"), [(False, 1), (True, 0)])
def test_a_changed_file_is_looked_at_again_unless_it_is_open(
    tmp_path: Path, is_open: bool, refreshes: int
) -> None:
    path = tmp_path / "a.s"
    written(tmp_path, {"a.s": BAD})

    def script(_: bytearray) -> Iterator[Json]:
        if is_open:
            yield opened(path.as_uri(), GOOD)
        yield event(path, 2)

    conversation = session_in(tmp_path, script=script)
    assert len(conversation.told("workspace/diagnostic/refresh")) == refreshes


def test_folders_come_and_go(tmp_path: Path) -> None:
    written(tmp_path, {"one/a.s": BAD, "two/b.s": BAD})
    one, two = ({"uri": (tmp_path / n).as_uri(), "name": n} for n in ("one", "two"))
    params = {"event": {"added": [two], "removed": [one]}}

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')
        yield {"method": "workspace/didChangeWorkspaceFolders", "params": params}
        yield pull(2, names(answers(received, 1)))
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path / "one", script=script)
    expected = {"one/a.s": [], "two/b.s": ["E101"]}
    check_codes(tmp_path, conversation.answer(2)["result"]["items"], expected)
    assert len(conversation.told("workspace/diagnostic/refresh")) == 1
    offer = conversation.answer(0)["result"]["capabilities"]["workspace"]["workspaceFolders"]
    assert offer == {"supported": True, "changeNotifications": True}


def test_a_foreign_document_has_one_hint_until_it_is_claimed(tmp_path: Path) -> None:
    uri = (tmp_path / "boot.s").as_uri()

    def script(_: bytearray) -> Iterator[Json]:
        yield opened(uri, FOREIGN)
        yield opened(uri, "# isa: ipu\n" + FOREIGN)
        yield opened("untitled:boot.ipu", FOREIGN)

    conversation = session_in(tmp_path, script=script, capabilities={})
    pushed = [params["diagnostics"] for params in conversation.published(uri)]
    assert [finding["code"] for finding in pushed[0]] == ["H102"]
    assert pushed[0][0]["severity"] == 4
    assert "E101" in {finding["code"] for finding in pushed[1]}


def test_answers_are_about_open_documents_and_files(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": "x: b x;;", "b.s": "y: b y;;", "c.s": "z: b z;;"})
    session = LspServer().session
    session.workspace.add([tmp_path.as_uri()])
    found = session.map_workspace(
        "labels", lambda _, view: list(view.analysis.program.labels), TimeSlice()
    )
    labels = dict(answer for answer in found if answer is not None)
    assert labels == {(tmp_path / f"{n}.s").as_uri(): [x] for n, x in zip("abc", "xyz")}


def test_answers_about_files_are_remembered_until_they_change(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": "x: b x;;", "b.s": "y: b y;;"})
    session = LspServer().session
    session.workspace.add([tmp_path.as_uri()])
    made = []

    def sizes() -> list[int]:
        def size(uri: str, view: Any) -> int:
            made.append(uri)
            return len(view.analysis.text)

        return sorted(
            found[1] for found in session.map_workspace("size", size, TimeSlice()) if found
        )

    assert (sizes(), len(made)) == ([8, 8], 2)
    assert (sizes(), len(made)) == ([8, 8], 2)
    written(tmp_path, {"b.s": "longer: b longer;;"})
    assert (sizes(), len(made)) == ([8, 18], 3)
