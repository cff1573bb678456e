"""Settings from the editor and from files, and which instruction set a document is in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_lsp.server import session
from ipu_lsp.transport import Json
from tests.server.conversation import (
    EXIT,
    INITIALIZE,
    Conversation,
    asked,
    await_bytes,
    changed,
    converse,
    dialogue,
    framed,
    greeted,
    opened,
)

URI = "untitled:kernel.s"
# An error, a warning and a hint.
TEXT = "nope; break;;\nset lr0 40000; bkpt;;\n"
ALL = ["E101", "H101", "W203"]
CONFIGURATION: Json = {"workspace": {"configuration": True}}


def check_codes(conversation: Conversation, uri: str, *codes: str) -> None:
    """The findings that were pushed last have exactly these codes."""
    found = conversation.published(uri)[-1]["diagnostics"]
    assert sorted(finding["code"] for finding in found) == sorted(codes)


def configured(options: Any, *messages: Json, uri: str = URI, text: str = TEXT) -> Conversation:
    """A session with these `initializationOptions` and one document."""
    params = {"capabilities": {}, "initializationOptions": options}
    return converse({**INITIALIZE, "params": params}, opened(uri, text), *messages, EXIT)


def warnings(conversation: Conversation) -> list[str]:
    """What was shown to the user."""
    return [shown["message"] for shown in conversation.told("window/showMessage")]


@pytest.mark.parametrize("options", [None, {}, {"ipu": {}}, {"other": {"isa": 3}}, {"ipu": None}])
def test_without_settings_all_findings_are_shown(options: Any) -> None:
    conversation = configured(options)
    check_codes(conversation, URI, *ALL)
    assert warnings(conversation) == []


@pytest.mark.parametrize(
    ("lint", "codes"),
    [
        ({"select": ["E", "H"]}, ["E101", "H101"]),
        ({"select": ["immediate-wraps"]}, ["W203"]),
        ({"ignore": ["W", "explicit-break"]}, ["E101"]),
        ({"select": ["E"], "extendSelect": ["W203"]}, ["E101", "W203"]),
        ({"enable": False}, ["E101"]),
        ({"enable": True, "select": None}, ALL),
    ],
)
@pytest.mark.parametrize("wrapped", [True, False])
def test_the_editor_selects_findings(lint: Json, codes: list[str], wrapped: bool) -> None:
    options = {"ipu": {"lint": lint}} if wrapped else {"lint": lint}
    check_codes(configured(options), URI, *codes)


def test_values_of_another_type_are_reported_once_and_ignored() -> None:
    odd = {"isa": 7, "lint": {"select": "E", "ignore": ["W", 1], "enable": "no"}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": {"ipu": odd}}}
    conversation = configured({"ipu": odd}, change, change)
    check_codes(conversation, URI, *ALL)
    assert warnings(conversation) == [
        "setting ipu.isa is a string, found 7; it is ignored",
        "setting ipu.lint.enable is true or false, found 'no'; it is ignored",
        "setting ipu.lint.select is a list of strings, found 'E'; it is ignored",
        "setting ipu.lint.ignore is a list of strings, found ['W', 1]; it is ignored",
    ]


def test_a_section_that_is_no_object_is_reported() -> None:
    conversation = configured({"ipu": [1]})
    check_codes(conversation, URI, *ALL)
    assert warnings(conversation) == ["setting ipu is an object, found [1]; it is ignored"]


def test_a_selector_that_means_nothing_is_reported() -> None:
    conversation = configured({"lint": {"ignore": ["W999"]}})
    check_codes(conversation, URI, *ALL)
    assert warnings(conversation) == ["ipu.lint: no finding has the code or name W999"]


def test_changed_settings_change_findings_at_once() -> None:
    settings = {"ipu": {"lint": {"select": ["W"]}}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
    conversation = configured(None, change)
    check_codes(conversation, URI, "W203")
    assert len(conversation.published(URI)) == 2


def test_clients_that_give_settings_are_asked_for_them() -> None:
    conversation = talk({"lint": {"ignore": ["W"]}}, opened(URI, TEXT))
    check_codes(conversation, URI, "E101", "H101")
    (question,) = conversation.told("workspace/configuration")
    assert question == {"items": [{"section": "ipu"}]}


def test_the_first_findings_wait_for_the_settings() -> None:
    hover = asked(1, "hover", URI, position={"line": 0, "character": 1})
    seen: list[bool] = []

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": {"capabilities": CONFIGURATION}})
        yield framed({"method": "initialized", "params": {}}) + framed(opened(URI, TEXT))
        yield framed(hover)
        await_bytes(received, b'"id":1')
        seen.append(b"publishDiagnostics" in received)
        yield framed({"id": "ipu-1", "result": [{"lint": {"select": ["W"]}}]})
        await_bytes(received, b"publishDiagnostics")
        yield framed(EXIT)

    conversation = dialogue(script)
    assert seen == [False]
    assert len(conversation.published(URI)) == 1
    check_codes(conversation, URI, "W203")


def test_findings_that_are_asked_for_wait_for_the_settings_and_nothing_else_does() -> None:
    capabilities: Json = {**CONFIGURATION, "textDocument": {"diagnostic": {}}}
    hover = asked(2, "hover", URI, position={"line": 0, "character": 1})
    workspace = {"id": 3, "method": "workspace/diagnostic", "params": {"previousResultIds": []}}
    answer = {"id": "ipu-1", "result": [{"lint": {"select": ["W"]}}]}

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": {"capabilities": capabilities}})
        yield framed({"method": "initialized", "params": {}}) + framed(opened(URI, TEXT))
        yield framed(asked(1, "diagnostic", URI)) + framed(workspace) + framed(hover)
        await_bytes(received, b'"id":2')
        yield framed(answer)
        await_bytes(received, b'"id":1')
        await_bytes(received, b'"id":3')
        yield framed(EXIT)

    conversation = dialogue(script)
    order = [said["id"] for said in conversation.said if said.get("id") in (1, 2, 3)]
    assert order[0] == 2
    (whole,) = conversation.answer(3)["result"]["items"]
    for report in (conversation.answer(1)["result"], whole):
        assert [item["code"] for item in report["items"]] == ["W203"]


@pytest.mark.parametrize("pulls", [True, False])
def test_a_client_that_never_gives_its_settings_gets_findings_all_the_same(
    pulls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_WAIT_FOR_SETTINGS_S", 0.05)
    more: Json = {"textDocument": {"diagnostic": {}}} if pulls else {}

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": {"capabilities": {**CONFIGURATION, **more}}})
        yield framed({"method": "initialized", "params": {}}) + framed(opened(URI, TEXT))
        if pulls:
            yield framed(asked(1, "diagnostic", URI))
        await_bytes(received, b'"code":"E101"')
        yield framed(EXIT)

    conversation = dialogue(script)
    if pulls:
        assert len(conversation.answer(1)["result"]["items"]) == len(ALL)
    else:
        check_codes(conversation, URI, *ALL)


@pytest.mark.parametrize(
    "told",
    [
        {"id": "ipu-1", "error": {"code": -32601, "message": "no such method"}},
        {"method": "workspace/didChangeConfiguration", "params": {"settings": {"ipu": {}}}},
    ],
)
def test_findings_wait_no_longer_when_the_settings_are_settled_otherwise(
    told: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_WAIT_FOR_SETTINGS_S", 1_000_000)
    conversation = greeted(opened(URI, TEXT), told, EXIT, capabilities=CONFIGURATION)
    check_codes(conversation, URI, *ALL)


def test_clients_that_give_settings_are_asked_again_when_they_change() -> None:
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": None}}
    conversation = talk({"lint": {"select": ["H"]}}, opened(URI, TEXT), change)
    check_codes(conversation, URI, "H101")
    assert len(conversation.told("workspace/configuration")) == 2


@pytest.mark.parametrize("answer", [None, {"error": 1}, {"result": 3}, {"result": []}])
def test_a_client_that_gives_no_settings_after_all_has_none(answer: Any) -> None:
    reply = {"id": "ipu-1", **(answer if isinstance(answer, dict) else {"result": [None]})}
    conversation = greeted(opened(URI, TEXT), reply, EXIT, capabilities=CONFIGURATION)
    check_codes(conversation, URI, *ALL)


def test_pulling_clients_are_told_to_ask_again() -> None:
    capabilities: Json = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    settings = {"ipu": {"lint": {"select": ["W"]}}}
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
    report = asked(1, "diagnostic", URI)
    messages = (opened(URI, TEXT), change, report, EXIT)
    conversation = greeted(*messages, capabilities=capabilities)
    assert conversation.told("workspace/diagnostic/refresh") == [None]
    assert [item["code"] for item in conversation.answer(1)["result"]["items"]] == ["W203"]


def test_headers_of_c_are_registered_for_names_alone() -> None:
    dynamic = {"dynamicRegistration": True}
    features = ("synchronization", "hover", "definition", "references", "rename")
    capabilities = {"textDocument": dict.fromkeys(features, dynamic)}
    (asked_for,) = greeted(capabilities=capabilities).told("client/registerCapability")
    options = {e["method"]: e["registerOptions"] for e in asked_for["registrations"]}
    assert options.keys() == {
        *(f"textDocument/{name}" for name in ("didOpen", "didChange", "didClose", *features[1:]))
    }
    selectors = options["textDocument/hover"]["documentSelector"]
    assert [selector["language"] for selector in selectors] == ["c", "cpp"]


def test_keys_of_a_configuration_file_are_completed_and_told(tmp_path: Path) -> None:
    """The file is no program: it has no findings but those of the file on the disk."""
    uri = (tmp_path / "ipu.toml").as_uri()
    dynamic = {"dynamicRegistration": True}
    features = ("synchronization", "hover", "completion")
    capabilities = {"textDocument": dict.fromkeys(features, dynamic)}
    end = {"line": 1, "character": 2}
    conversation = greeted(
        opened(uri, "[format]\n"),
        changed(uri, 2, {"range": {"start": end, "end": end}, "text": "st"}),
        asked(1, "completion", uri, position=end),
        changed(uri, 3, {"text": "isa = 'ipu2'\n"}),
        asked(2, "hover", uri, position={"line": 0, "character": 1}),
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}},
        asked(3, "completion", uri, position=end),
        EXIT,
        capabilities=capabilities,
    )
    style = conversation.answer(1)["result"]["items"][0]
    start = {"line": 1, "character": 0}
    assert style["label"] == "style"
    assert style["textEdit"] == {"range": {"start": start, "end": end}, "newText": "style = "}
    assert "The instruction set of all files" in str(conversation.answer(2)["result"]["contents"])
    assert conversation.answer(3)["result"] is None
    assert conversation.published(uri) == []
    (asked_for,) = conversation.told("client/registerCapability")
    selectors = [each["registerOptions"]["documentSelector"] for each in asked_for["registrations"]]
    assert selectors == [[{"scheme": "file", "pattern": "**/ipu.toml"}]] * 5


def test_a_broken_file_can_be_opened_from_its_message(tmp_path: Path) -> None:
    file, uri = tmp_path / "ipu.toml", (tmp_path / "a.s").as_uri()
    file.write_text('[lint]\nfail-level = "eror"\n')
    capabilities = {"window": {"showDocument": {"support": True}}}

    def script(received: bytearray) -> Iterator[bytes]:
        params = {"capabilities": capabilities}
        yield framed({**INITIALIZE, "params": params})
        yield framed({"method": "initialized", "params": {}}) + framed(opened(uri, TEXT))
        await_bytes(received, b"window/showMessageRequest")
        asked_for = re.search(rb'"id": ?("[^"]*"|\d+)[^{}]*showMessageRequest', bytes(received))
        assert asked_for is not None
        chosen = {"id": json.loads(asked_for[1]), "result": {"title": "Open ipu.toml"}}
        yield framed(chosen)
        await_bytes(received, b"window/showDocument")
        yield framed(EXIT)

    conversation = dialogue(script)
    (message,) = conversation.told("window/showMessageRequest")
    assert "lint.fail-level: expected one of error, warning, hint, found" in message["message"]
    assert conversation.told("window/showDocument") == [{"uri": file.as_uri(), "takeFocus": True}]


def test_clients_that_watch_files_are_asked_to() -> None:
    dynamic = {"dynamicRegistration": True}
    capabilities = {
        "workspace": {"didChangeWatchedFiles": dynamic, "didChangeConfiguration": dynamic}
    }
    (asked_for,) = greeted(capabilities=capabilities).told("client/registerCapability")
    options = {e["method"]: e["registerOptions"] for e in asked_for["registrations"]}
    assert options == {
        "workspace/didChangeConfiguration": {"section": "ipu"},
        "workspace/didChangeWatchedFiles": {
            "watchers": [
                {"globPattern": "**/ipu.toml"},
                {"globPattern": "**/pyproject.toml"},
                {"globPattern": "**/*.{S,aie,aie2,aie2p,asm,def,edgenpu,h,hh,hpp,inc,ipu,s}"},
                {"globPattern": "**/.vscode/launch.json"},
                {"globPattern": "**/test_*.py"},
                {"globPattern": "**/*_test.py"},
            ]
        },
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ipu.toml", '[lint]\nselect = ["W"]\n'),
        ("pyproject.toml", '[tool.ipu.lint]\nignore = ["E", "H"]\n'),
        ("ipu.toml", '[lint.per-file-ignores]\n"kernels/*.s" = ["E", "H"]\n'),
    ],
)
def test_the_nearest_file_with_settings_counts(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    uri = (tmp_path / "kernels" / "a.s").as_uri()
    check_codes(configured(None, uri=uri), uri, "W203")


def test_the_editor_counts_more_than_the_file(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text('[lint]\nselect = ["W"]\n')
    uri = (tmp_path / "a.s").as_uri()
    check_codes(configured({"lint": {"select": ["E"]}}, uri=uri), uri, "E101")
    check_codes(configured({"lint": {"extendSelect": ["H101"]}}, uri=uri), uri, "H101", "W203")


def test_a_broken_file_is_reported_once_and_ignored(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text("[lint]\nselect = 3\n")
    uri = (tmp_path / "a.s").as_uri()
    conversation = configured(None, changed(uri, 2, {"text": TEXT + "\n"}), uri=uri)
    check_codes(conversation, uri, *ALL)
    (warning,) = warnings(conversation)
    assert warning.startswith(f"{tmp_path / 'ipu.toml'}:2: ")
    assert warning.endswith("; the file is ignored")


@pytest.mark.parametrize("watched", [True, False])
def test_a_changed_file_changes_findings(tmp_path: Path, watched: bool) -> None:
    """The client says so, or, if it cannot, saves a document."""
    file, uri = tmp_path / "ipu.toml", (tmp_path / "a.s").as_uri()
    capabilities = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": watched}}}
    events = {"changes": [{"uri": file.as_uri(), "type": 1}]}
    if watched:
        event = {"method": "workspace/didChangeWatchedFiles", "params": events}
    else:
        event = {"method": "textDocument/didSave", "params": {"textDocument": {"uri": uri}}}

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": {"capabilities": capabilities}})
        yield framed(opened(uri, TEXT))
        await_bytes(received, b"publishDiagnostics")
        file.write_text('[lint]\nselect = ["W"]\n')
        yield framed(event) + framed(EXIT)

    conversation = dialogue(script)
    assert len(conversation.published(uri)[0]["diagnostics"]) == len(ALL)
    check_codes(conversation, uri, "W203")


@pytest.mark.parametrize(
    ("text", "name", "language", "options", "isa"),
    [
        ("", "a.s", "ipu-asm", None, "ipu"),
        ("", "a.s", "plaintext", None, "ipu"),
        ("", "a.s", "edgenpu-asm", None, "edgenpu"),
        ("", "a.edgenpu", "ipu-asm", None, "edgenpu"),
        ("", "a.ipu", "edgenpu-asm", None, "ipu"),
        ("", "a.edgenpu", "edgenpu-asm", {"isa": "ipu"}, "ipu"),
        ("# isa: edgenpu\n", "a.ipu", "ipu-asm", {"isa": "ipu"}, "edgenpu"),
        ("# isa: ipu\n", "a.edgenpu", "edgenpu-asm", None, "ipu"),
    ],
)
def test_comment_then_settings_then_extension_then_language_choose_the_set(
    tmp_path: Path, text: str, name: str, language: str, options: Any, isa: str
) -> None:
    uri = (tmp_path / name).as_uri()
    params = {"capabilities": {}, "initializationOptions": options}
    request = asked(1, "completion", uri, position={"line": text.count("\n"), "character": 0})
    conversation = converse(
        {**INITIALIZE, "params": params}, opened(uri, text, language), request, EXIT
    )
    labels = {item["label"] for item in conversation.answer(1)["result"]["items"]}
    assert ("acc.first" in labels) == (isa == "ipu")
    assert labels


def test_a_comment_that_is_typed_changes_the_set() -> None:
    request = asked(1, "completion", URI, position={"line": 1, "character": 0})
    edit = changed(URI, 2, {"text": "# isa: edgenpu\n"})
    conversation = greeted(opened(URI, "# isa: ipu\n"), edit, request, EXIT)
    assert "acc.first" not in {i["label"] for i in conversation.answer(1)["result"]["items"]}


def test_an_instruction_set_that_is_not_there_is_reported_once_and_nothing_else() -> None:
    edit = changed(URI, 2, {"text": "# isa: future\nnope nope\n"})
    hover = asked(1, "hover", URI, position={"line": 1, "character": 1})
    conversation = greeted(opened(URI, "# isa: future\n"), edit, hover, EXIT)
    check_codes(conversation, URI)
    (warning,) = warnings(conversation)
    assert warning.startswith(f"{URI}:1: instruction set future is unknown")
    assert conversation.answer(1)["result"] is None


def talk(settings: Json, *messages: Json) -> Conversation:
    """A session with a client that answers with its settings as soon as it is asked for them."""

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed({**INITIALIZE, "params": {"capabilities": CONFIGURATION}})
        asking = [{"method": "initialized", "params": {}}]
        asking += [m for m in messages if m["method"] == "workspace/didChangeConfiguration"]
        for message in (*asking[:1], *messages):
            yield framed(message)
            if message in asking:
                number = asking.index(message) + 1
                await_bytes(received, b"workspace/configuration", number)
                yield framed({"id": f"ipu-{number}", "result": [settings]})
        yield framed(EXIT)

    return dialogue(script)


def test_a_section_that_is_taken_away_leaves_what_the_session_began_with() -> None:
    change = {"method": "workspace/didChangeConfiguration", "params": {"settings": None}}
    answers = [{"lint": {"select": ["H"]}}, None]
    replies = [{"id": f"ipu-{n}", "result": [answer]} for n, answer in enumerate(answers, 1)]
    conversation = greeted(
        opened(URI, TEXT), replies[0], change, replies[1], EXIT, capabilities=CONFIGURATION
    )
    check_codes(conversation, URI, *ALL)
    assert len(conversation.told("workspace/configuration")) == 2
