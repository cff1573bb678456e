"""Sessions in folders with many files, most of which nobody has open."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

from pygls.uris import to_fs_path

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, INITIALIZE, Conversation, await_bytes, dialogue, framed

PULL: Json = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def written(folder: Path, files: dict[str, str]) -> None:
    """Put files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def session_in(
    *folders: Path,
    script: Callable[[bytearray], Iterable[Json]],
    capabilities: Json | None = None,
    **more: Any,
) -> Conversation:
    """A session in these folders; `script` sees what the server says and yields messages."""
    params = {
        "capabilities": PULL if capabilities is None else capabilities,
        "workspaceFolders": [{"uri": f.as_uri(), "name": f.name} for f in folders],
        **more,
    }

    def lines(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": params})
        yield framed({"method": "initialized", "params": {}})
        for message in script(received):
            yield framed(message)
        yield framed(EXIT)

    return dialogue(lines)


def pull(message_id: int, previous: list[Json] | None = None, **more: Any) -> Json:
    """The request for the findings of everything."""
    params = {"previousResultIds": previous or [], **more}
    return {"id": message_id, "method": "workspace/diagnostic", "params": params}


def pulled(*folders: Path, messages: tuple[Json, ...] = (), **more: Any) -> list[Json]:
    """The items of one answer about these folders."""

    def script(received: bytearray) -> Iterator[Json]:
        yield from messages
        yield pull(1)
        await_bytes(received, b'"id":1,')

    answer = session_in(*folders, script=script, **more).answer(1)
    items: list[Json] = answer["result"]["items"]
    return items


def check_codes(folder: Path, items: list[Json], expected: dict[str, list[str]]) -> None:
    """The report has exactly these files of a folder, with the codes of their findings."""
    found = {
        os.path.relpath(str(to_fs_path(item["uri"])), folder): sorted(
            finding.get("code", "") for finding in item["items"]
        )
        for item in items
    }
    assert {name.replace(os.sep, "/"): codes for name, codes in found.items()} == expected


def event(path: Path, kind: int) -> Json:
    """The client has seen a file come (1), change (2) or go (3)."""
    changes = [{"uri": path.as_uri(), "type": kind}]
    return {"method": "workspace/didChangeWatchedFiles", "params": {"changes": changes}}


def names(items: list[Json]) -> list[Json]:
    """What a client remembers of reports."""
    return [{"uri": item["uri"], "value": item["resultId"]} for item in items]


def answers(received: bytearray, message_id: int) -> list[Json]:
    """The items of an answer that has come already."""
    await_bytes(received, b'"id":%d,' % message_id)
    _, _, rest = bytes(received).partition(b'{"jsonrpc":"2.0","id":%d,' % message_id)
    answer, _ = json.JSONDecoder().raw_decode("{" + rest.decode())
    items: list[Json] = answer["result"]["items"]
    return items
