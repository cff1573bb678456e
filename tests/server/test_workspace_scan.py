"""A scan of many files lets others have their turn, can be cancelled, and shows how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from ipu_lsp.server.handlers.diagnostics import MANY_FILES
from ipu_lsp.transport import Json
from tests.server.conversation import asked, await_bytes, opened
from tests.server.folders import PULL, pull, session_in, written

MANY = 3 * MANY_FILES
BAD = "nope;;\n"


def many(tmp_path: Path) -> None:
    """So many files that they take a while, no two of them alike."""
    texts = {
        f"d{n % 7}/k{n}.s": "".join(f"set lr{i % 16} {n * 12 + i};;\n" for i in range(12))
        + "bkpt;;"
        for n in range(MANY)
    }
    written(tmp_path, texts)


def test_others_are_answered_while_a_scan_goes_on(tmp_path: Path) -> None:
    many(tmp_path)
    uri = "untitled:a.s"

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(uri, BAD)
        yield pull(1)
        for number in range(2, 5):
            yield asked(number, "documentSymbol", uri)
        await_bytes(received, b'"id":1,')

    conversation = session_in(tmp_path, script=script)
    order = [said["id"] for said in conversation.said if "result" in said]
    assert order == [0, 2, 3, 4, 1]
    assert len(conversation.answer(1)["result"]["items"]) == MANY + 1


def test_a_scan_that_is_cancelled_ends_and_the_next_one_is_whole(tmp_path: Path) -> None:
    many(tmp_path)

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1, partialResultToken="part")
        await_bytes(received, b'"part"')
        yield {"method": "$/cancelRequest", "params": {"id": 1}}
        await_bytes(received, b'"id":1,')
        yield pull(2)
        await_bytes(received, b'"id":2,')

    conversation = session_in(tmp_path, script=script)
    assert conversation.error(1) == -32800
    assert len(conversation.answer(2)["result"]["items"]) == MANY


def test_parts_are_handed_out_to_clients_that_take_them(tmp_path: Path) -> None:
    many(tmp_path)

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1, partialResultToken=5)
        await_bytes(received, b'"id":1,')

    conversation = session_in(tmp_path, script=script)
    parts = [told["value"]["items"] for told in conversation.told("$/progress")]
    assert {told["token"] for told in conversation.told("$/progress")} == {5}
    assert len(parts) > 1
    assert all(parts)
    assert len({item["uri"] for part in parts for item in part}) == MANY
    assert sum(map(len, parts)) == MANY
    assert conversation.answer(1)["result"] == {"items": []}


@pytest.mark.parametrize("token", ["mine", None])
def test_a_long_scan_has_a_bar_and_a_short_one_has_none(tmp_path: Path, token: str | None) -> None:
    many(tmp_path)
    more: Json = {"workDoneToken": token} if token else {}

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1, **more)
        if token is None:
            await_bytes(received, b"workDoneProgress/create")
            yield {"id": "ipu-1", "result": None}
        await_bytes(received, b'"id":1,')
        yield pull(2)
        await_bytes(received, b'"id":2,')

    capabilities = {**PULL, "window": {"workDoneProgress": True}}
    conversation = session_in(tmp_path, script=script, capabilities=capabilities)
    asked_for = conversation.told("window/workDoneProgress/create")
    assert len(asked_for) == (0 if token else 1)
    (shown,) = {told["token"] for told in conversation.told("$/progress")}
    assert shown == (token or asked_for[0]["token"])
    kinds = [told["value"]["kind"] for told in conversation.told("$/progress")]
    assert (kinds[0], kinds[-1], kinds.count("end")) == ("begin", "end", 1)


def test_no_bar_is_asked_of_clients_that_show_none(tmp_path: Path) -> None:
    many(tmp_path)

    def script(received: bytearray) -> Iterator[Json]:
        yield pull(1)
        await_bytes(received, b'"id":1,')

    conversation = session_in(tmp_path, script=script)
    assert conversation.told("$/progress") == []
    assert conversation.told("window/workDoneProgress/create") == []


def test_a_server_that_ends_refuses_what_it_has_not_finished(tmp_path: Path) -> None:
    many(tmp_path)
    conversation = session_in(
        tmp_path, script=lambda _: iter((pull(1), {"id": 2, "method": "shutdown"}))
    )
    assert conversation.error(1) == -32802
    assert conversation.answer(2)["result"] is None
    assert conversation.status == 0
