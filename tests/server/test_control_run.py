"""What the control run says, on the wire: lenses, hints and hovers."""

from __future__ import annotations

from urllib.parse import quote

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, INITIALIZE, Conversation, changed, converse, opened

URI = "file:///kernel.s"
TEXT = "set lr1 3;;\nl: incr lr0 1; ldr_mult_reg r0 lr0 cr0;;\nblt lr0 lr1 l;;\nbkpt;;\n"


def session(settings: Json, *messages: Json) -> Conversation:
    params = {"capabilities": {}, "initializationOptions": settings}
    return converse({**INITIALIZE, "params": params}, opened(URI, TEXT), *messages, EXIT)


def request(method: str, **params: object) -> Json:
    document = {"textDocument": {"uri": URI}}
    return {"id": 1, "method": f"textDocument/{method}", "params": {**document, **params}}


def test_a_lens_has_trips_and_cycles() -> None:
    conversation = session({"codeLens": {"loops": True}}, request("codeLens"))
    (lens,) = conversation.answer(1)["result"]
    title = "3 trips x 2 bundles = 6 cycles of 8; bound by xmem, cond, lr (1 of 2 bundles); "
    assert lens["command"]["title"] == f"{title}3 of 14 slots used (21 %)"


def test_trips_and_cycles_are_hints_of_their_own_switches() -> None:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
    shown = []
    for family in ("trips", "cycles"):
        conversation = session(
            {"inlayHints": {"trips": False, family: True}}, request("inlayHint", range=whole)
        )
        shown.append([hint["label"] for hint in conversation.answer(1)["result"]])
    assert shown == [["3 trips"], ["1 cycle", "3 cycles", "1 cycle"]]


def test_a_hover_of_a_load_has_its_addresses() -> None:
    conversation = session({}, request("hover", position={"line": 1, "character": 16}))
    contents = conversation.answer(1)["result"]["contents"]
    text = contents if isinstance(contents, str) else contents["value"]
    assert "128 bytes at cr0 + 1 + k, k = 0..2" in text
    assert "3 times" in text


def custom(method: str) -> Json:
    return {"id": 1, "method": method, "params": {"textDocument": {"uri": URI}}}


def test_totals_are_cycles_and_bundles() -> None:
    assert session({}, custom("ipu/runTotals")).answer(1)["result"] == {
        "isa": "ipu",
        "unit": "bundle",
        "bundles": 4,
        "limit": 1024,
        "cycles": 8,
        "text": "8 cycles, 4 of 1,024 bundles",
    }


def test_totals_are_compared_with_the_last_save() -> None:
    def edit(version: int, old: str, new: str) -> Json:
        return changed(URI, version, {"text": TEXT.replace(old, new)})

    save = {"method": "textDocument/didSave", "params": {"textDocument": {"uri": URI}}}
    asks = [{**custom("ipu/runTotals"), "id": number} for number in (1, 2, 3)]
    shorter, longer = edit(2, "lr1 3", "lr1 2"), edit(3, "bkpt", "acc;;\nbkpt")
    conversation = session({}, shorter, asks[0], longer, asks[1], save, asks[2])
    texts = [conversation.answer(number)["result"]["text"].split(", ")[:2] for number in (1, 2, 3)]
    assert texts == [
        ["6 cycles", "2 fewer"],
        ["9 cycles", "1 more"],
        ["9 cycles", "5 of 1,024 bundles"],
    ]


def test_totals_are_compared_with_a_commit() -> None:
    ask = custom("ipu/runTotals")
    ask["params"]["committed"] = TEXT.replace("bkpt", "acc;;\nbkpt")
    edit = changed(URI, 2, {"text": TEXT.replace("lr1 3", "lr1 2")})
    unsaved = session({}, edit, ask).answer(1)["result"]["text"]
    assert unsaved == "6 cycles, 2 fewer, 3 fewer than committed, 4 of 1,024 bundles"
    assert session({}, ask).answer(1)["result"]["text"].startswith("8 cycles, 1 fewer than comm")


def test_the_memory_map_has_strips_accesses_and_a_text() -> None:
    result = session({}, custom("ipu/memoryMap")).answer(1)["result"]
    (strip,) = result["strips"]
    region = {"start": 1, "end": 131, "name": "", "kind": "read", "through": ["cr0"]}
    region["accesses"] = [0]
    assert strip == {
        "memory": "xmem",
        "size": 2_097_152,
        "base": "cr0",
        "regions": [region],
        "unknown": [],
    }
    (access,) = result["accesses"]
    start, end = {"line": 1, "character": 15}, {"line": 1, "character": 38}
    assert access == {
        "range": {"start": start, "end": end},
        "text": "ldr_mult_reg r0 lr0 cr0",
        "kind": "read",
        "size": 128,
        "addresses": "128 bytes at cr0 + 1 + k, k = 0..2",
        "executions": 3,
        "ranges": [[1, 131]],
    }
    lines = result["text"].splitlines()
    assert [line["line"] for line in result["lines"]] == [None] * 4 + [1]
    assert lines[4].startswith("    line 2: ldr_mult_reg r0 lr0 cr0")


def test_the_memory_map_is_a_command_and_a_document() -> None:
    command = {"command": "ipu.memoryMap", "arguments": [{"uri": URI}]}
    request = {"id": 1, "method": "workspace/executeCommand", "params": command}
    text = session({}, request).answer(1)["result"]["text"]
    uri = f"ipu-memory-map:/kernel?{quote(URI, safe='')}"
    shown = {"id": 1, "method": "workspace/textDocumentContent", "params": {"uri": uri}}
    assert session({}, shown).answer(1)["result"]["text"] == text


def test_a_document_that_is_not_open_has_neither() -> None:
    for method in ("ipu/runTotals", "ipu/memoryMap"):
        message = {**custom(method), "params": {"textDocument": {"uri": "file:///gone.s"}}}
        assert session({}, message).answer(1)["result"] is None
