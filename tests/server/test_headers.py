"""Headers: their findings, and the findings of what includes them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import Conversation, await_bytes, changed, opened
from tests.server.folders import PULL, answers, event, session_in, written

COLOSSUS = "colossus-asm"
MAIN = '#include "regs.h"\nadd $TOTAL, $m1, 1\n'
RELATED: Json = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}


def whole(text: str) -> Json:
    """A change of the whole text."""
    return {"text": text}


def document(path: Path) -> Json:
    """The notification that a file is open as it is on the disk."""
    language = COLOSSUS if path.suffix == ".S" else "c"
    return opened(path.as_uri(), path.read_text(encoding="utf-8"), language)


def check_last(said: Conversation, path: Path, *messages: str) -> list[Json]:
    """The findings that were pushed last about a file have these messages."""
    found: list[Json] = said.published(path.as_uri())[-1]["diagnostics"]
    assert [finding["message"] for finding in found] == list(messages)
    return found


UNKNOWN = "unknown mnemonic `ad`; did you mean `add`?"


def test_a_finding_in_a_header_is_told_at_the_include(tmp_path: Path) -> None:
    written(
        tmp_path, {"main.S": MAIN, "regs.h": "#define TOTAL m3\n// \U0001f600\n  ad $m0, $m0, 1\n"}
    )
    main, header = tmp_path / "main.S", tmp_path / "regs.h"

    def script(received: bytearray) -> Iterator[Json]:
        yield document(main)
        await_bytes(received, b"publishDiagnostics")

    said = session_in(tmp_path, script=script, capabilities=RELATED)
    (finding,) = check_last(said, main, f"in `regs.h`, line 3: {UNKNOWN}")
    assert finding["range"] == {
        "start": {"line": 0, "character": 9},
        "end": {"line": 0, "character": 17},
    }
    first = finding["relatedInformation"][0]
    assert first["location"]["uri"] == header.as_uri()
    assert first["location"]["range"]["start"] == {"line": 2, "character": 2}


def test_an_open_header_has_its_findings_once_with_the_ways_there(tmp_path: Path) -> None:
    written(tmp_path, {"a.S": MAIN, "b.S": MAIN, "regs.h": "#define TOTAL m3\nad $m0, $m0, 1\n"})
    header = tmp_path / "regs.h"

    def script(received: bytearray) -> Iterator[Json]:
        for number, name in enumerate(("regs.h", "a.S", "b.S"), 1):
            yield document(tmp_path / name)
            await_bytes(received, b"publishDiagnostics", 2 * number - 1)

    said = session_in(tmp_path, script=script, capabilities=RELATED)
    (finding,) = check_last(said, header, UNKNOWN)
    assert finding["range"]["start"] == {"line": 1, "character": 0}
    ways = {place["location"]["uri"] for place in finding["relatedInformation"]}
    assert ways == {(tmp_path / "a.S").as_uri(), (tmp_path / "b.S").as_uri()}


def test_a_header_that_nothing_includes_has_no_findings(tmp_path: Path) -> None:
    written(tmp_path, {"regs.h": "typedef struct { int a; } b;\nad $m0, $m0, 1\n"})

    def script(received: bytearray) -> Iterator[Json]:
        yield document(tmp_path / "regs.h")
        await_bytes(received, b"publishDiagnostics")

    check_last(session_in(tmp_path, script=script, capabilities={}), tmp_path / "regs.h")


def test_an_edit_of_an_open_header_checks_its_includers_again(tmp_path: Path) -> None:
    written(tmp_path, {"main.S": MAIN, "regs.h": "#define TOTAL m3\n"})
    main, header = tmp_path / "main.S", tmp_path / "regs.h"

    def script(received: bytearray) -> Iterator[Json]:
        yield document(main)
        yield document(header)
        await_bytes(received, b"publishDiagnostics", 2)
        yield changed(header.as_uri(), 2, whole("#define TOTAL m99\n"))
        await_bytes(received, b"publishDiagnostics", 4)

    said = session_in(tmp_path, script=script, capabilities={})
    (finding,) = said.published(main.as_uri())[-1]["diagnostics"]
    assert finding["range"]["start"] == {"line": 1, "character": 4}


@pytest.mark.parametrize(("kind", "text"), [(2, "#define TOTAL m99\n"), (1, "#define TOTAL m99\n")])
def test_a_header_that_changes_on_the_disk_checks_its_includers_again(
    tmp_path: Path, kind: int, text: str
) -> None:
    written(tmp_path, {"main.S": MAIN} | ({"regs.h": "#define TOTAL m3\n"} if kind == 2 else {}))
    main, header = tmp_path / "main.S", tmp_path / "regs.h"

    def script(received: bytearray) -> Iterator[Json]:
        yield document(main)
        await_bytes(received, b"publishDiagnostics")
        header.write_text(text, encoding="utf-8")
        yield event(header, kind)
        await_bytes(received, b"publishDiagnostics", 2)

    said = session_in(tmp_path, script=script, capabilities={})
    before, after = said.published(main.as_uri())
    assert before["diagnostics"] != after["diagnostics"]
    assert [finding["range"]["start"]["line"] for finding in after["diagnostics"]] == [1]


def test_a_pulling_client_is_asked_to_pull_again_and_gets_another_result(tmp_path: Path) -> None:
    written(tmp_path, {"main.S": MAIN, "regs.h": "#define TOTAL m3\n"})
    main, header = tmp_path / "main.S", tmp_path / "regs.h"
    results: list[Any] = []

    def pull(number: int) -> Json:
        params = {"textDocument": {"uri": main.as_uri()}}
        return {"id": number, "method": "textDocument/diagnostic", "params": params}

    def script(received: bytearray) -> Iterator[Json]:
        yield document(main)
        yield document(header)
        yield pull(1)
        results.append(answers(received, 1))
        yield changed(header.as_uri(), 2, whole("#define TOTAL m99\n"))
        await_bytes(received, b"workspace/diagnostic/refresh")
        yield pull(2)
        results.append(answers(received, 2))

    said = session_in(tmp_path, script=script, capabilities=PULL)
    assert [len(items) for items in results] == [0, 1]
    provider = said.answer(0)["result"]["capabilities"]["diagnosticProvider"]
    assert provider["interFileDependencies"] is False


def test_a_client_that_cannot_be_told_asks_again_itself(tmp_path: Path) -> None:
    capabilities: Json = {"textDocument": {"diagnostic": {}}}
    said = session_in(tmp_path, script=lambda _: iter(()), capabilities=capabilities)
    provider = said.answer(0)["result"]["capabilities"]["diagnosticProvider"]
    assert provider["interFileDependencies"] is True


def test_a_hover_is_answered_while_forty_files_are_checked_again(tmp_path: Path) -> None:
    files = {f"{number}.S": MAIN for number in range(40)}
    written(tmp_path, {**files, "regs.h": "#define TOTAL m3\n"})
    header = tmp_path / "regs.h"
    spent: list[float] = []

    def script(received: bytearray) -> Iterator[Json]:
        for name in files:
            yield document(tmp_path / name)
        yield document(header)
        await_bytes(received, b"publishDiagnostics", 41)
        spent.append(time.process_time())
        yield changed(header.as_uri(), 2, whole("#define TOTAL m99\n"))
        params = {"textDocument": {"uri": (tmp_path / "39.S").as_uri()}}
        where = {"position": {"line": 1, "character": 1}}
        yield {"id": 1, "method": "textDocument/hover", "params": {**params, **where}}
        await_bytes(received, b"publishDiagnostics", 41 + 41)
        spent.append(time.process_time())

    said = session_in(tmp_path, script=script, capabilities={})
    for name in files:
        assert len(said.published((tmp_path / name).as_uri())[-1]["diagnostics"]) == 1
    last = max(n for n, each in enumerate(said.said) if "diagnostics" in each.get("params", {}))
    assert said.said.index(said.answer(1)) < last - 20
    assert spent[1] - spent[0] < 1


def first_findings(folder: Path) -> list[str]:
    """The codes of the findings of `main.S` when it is opened."""
    main = folder / "main.S"

    def script(received: bytearray) -> Iterator[Json]:
        yield document(main)
        await_bytes(received, b"publishDiagnostics")

    said = session_in(folder, script=script, capabilities={})
    return [finding["code"] for finding in said.published(main.as_uri())[-1]["diagnostics"]]


def test_a_pipe_is_no_header(tmp_path: Path) -> None:
    written(tmp_path, {"main.S": MAIN})
    os.mkfifo(tmp_path / "regs.h")
    assert first_findings(tmp_path) == ["H103"]


def test_a_link_out_of_the_workspace_is_no_header(tmp_path: Path) -> None:
    written(tmp_path, {"project/main.S": MAIN, "secret.h": "#define TOTAL m3\n"})
    (tmp_path / "project" / "regs.h").symlink_to(tmp_path / "secret.h")
    assert first_findings(tmp_path / "project") == ["H103"]


def test_a_header_outside_of_the_workspace_is_read_from_configured_folders(tmp_path: Path) -> None:
    configuration = f'include-paths = ["{(tmp_path / "sdk").as_posix()}"]\n'
    files = {"project/main.S": MAIN, "project/ipu.toml": configuration}
    written(tmp_path, {**files, "sdk/regs.h": "#define TOTAL m3\n"})
    assert first_findings(tmp_path / "project") == []


def test_the_editor_gives_values_and_folders(tmp_path: Path) -> None:
    text = '#include "regs.h"\nadd $TOTAL, $WHICH, 1\n'
    written(tmp_path, {"main.S": text, "sdk/regs.h": "#define TOTAL m3\n"})
    settings = {"includePaths": ["sdk"], "defines": {"WHICH": "m99"}}

    def script(received: bytearray) -> Iterator[Json]:
        yield document(tmp_path / "main.S")
        await_bytes(received, b"publishDiagnostics")

    said = session_in(tmp_path, script=script, capabilities={}, initializationOptions=settings)
    (finding,) = said.published((tmp_path / "main.S").as_uri())[-1]["diagnostics"]
    assert finding["range"]["start"] == {"line": 1, "character": 12}
