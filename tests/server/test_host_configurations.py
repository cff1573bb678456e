"""Registers of the host from launches and tests, and the choice among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

from ipu_lsp.transport import Json
from tests.server.conversation import await_bytes, changed, opened
from tests.server.folders import event, session_in, written

TEXT = "add lr1 lr0 cr3;;\nl: incr lr0 1;;\nblt lr0 lr1 l;;\nbkpt;;\n"
LAUNCH = '{"configurations": [{"type": "ipu", "name": "one", "program": "a.s", "cr": {"3": 8}}]}'
TEST = 'def test_a(ipu):\n    ipu.load("a.s")\n    ipu.cr[3] = 2\n'
FILES = {"a.s": TEXT, ".vscode/launch.json": LAUNCH, "tests/test_a.py": TEST}


def command(number: int, command_: str, uri: str, **more: Any) -> Json:
    params = {"command": f"ipu.{command_}", "arguments": [{"uri": uri, **more}]}
    return {"id": number, "method": "workspace/executeCommand", "params": params}


def answers(folder: Path, *messages: Json) -> list[Any]:
    """The results of the requests among some messages about `a.s`, in order."""
    numbers = [message["id"] for message in messages if "id" in message]

    def script(received: bytearray) -> Iterator[Json]:
        yield opened((folder / "a.s").as_uri(), TEXT)
        for message in messages:
            yield message
            if "id" in message:
                await_bytes(received, b'"id":%d,' % message["id"])

    conversation = session_in(folder, script=script)
    return [conversation.answer(number)["result"] for number in numbers]


def cycles(number: int, uri: str) -> Json:
    params = {"textDocument": {"uri": uri}}
    return {"id": number, "method": "ipu/runTotals", "params": params}


def test_a_configuration_can_be_selected(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    uri = (tmp_path / "a.s").as_uri()
    names = ["launch configuration one", "test_a.py:1"]
    first, known, chosen, second = answers(
        tmp_path,
        cycles(1, uri),
        command(2, "selectConfiguration", uri),
        command(3, "selectConfiguration", uri, configuration=1),
        cycles(4, uri),
    )
    assert first["text"].startswith("18 cycles with cr3 = 8 (launch configuration one)")
    assert known == {"configurations": names, "selected": 0}
    assert chosen == {"configurations": names, "selected": 1}
    assert second["text"].startswith("6 cycles with cr3 = 2 (test_a.py:1)")


def test_a_choice_outlives_an_edit(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    uri = (tmp_path / "a.s").as_uri()
    _, totals = answers(
        tmp_path,
        command(1, "selectConfiguration", uri, configuration=1),
        changed(uri, 2, {"text": f"acc;;\n{TEXT}"}),
        cycles(2, uri),
    )
    assert totals["cycles"] == 7


def test_the_last_launch_comes_first(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    uri = (tmp_path / "a.s").as_uri()
    _, _, totals = answers(
        tmp_path,
        cycles(1, uri),
        command(2, "launched", uri, name="mine", cr={"3": "0x3"}, lr={}),
        cycles(3, uri),
    )
    assert totals["text"].startswith("8 cycles with cr3 = 3 (last launch, mine)")


def test_a_test_that_changes_is_read_again(tmp_path: Path) -> None:
    written(tmp_path, {"a.s": TEXT, "test_a.py": TEST})
    uri = (tmp_path / "a.s").as_uri()

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(uri, TEXT)
        yield cycles(1, uri)
        await_bytes(received, b'"id":1,')
        written(tmp_path, {"test_a.py": TEST.replace("= 2", "= 4")})
        yield event(tmp_path / "test_a.py", 2)
        yield cycles(2, uri)

    conversation = session_in(tmp_path, script=script)
    assert [conversation.answer(number)["result"]["cycles"] for number in (1, 2)] == [6, 10]


def test_a_number_without_a_configuration_is_refused(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    uri = (tmp_path / "a.s").as_uri()

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(uri, TEXT)
        yield command(1, "selectConfiguration", uri, configuration=2)
        await_bytes(received, b'"id":1,')

    error = session_in(tmp_path, script=script).answer(1)["error"]
    assert error["message"].endswith("configuration is a number below 2, found 2")
