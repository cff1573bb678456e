"""Every request gets one answer, and the right error where it gets no result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_lsp.server.server import FEATURES
from ipu_lsp.transport import Json, frame
from tests.server.conversation import (
    EXIT,
    INITIALIZE,
    Conversation,
    asked,
    changed,
    converse,
    converse_in_chunks,
    framed,
    greeted,
    opened,
)

METHODS = {feature.method for feature in FEATURES} - {"shutdown", "exit", "textDocument/didClose"}
URI = "untitled:kernel.s"
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "textDocument": st.just({"uri": "untitled:kernel.s"}) | st.just({"uri": 3}),
    "position": st.just({"line": 0, "character": 2}),
    "contentChanges": st.just([{"text": "x"}]) | st.just([{"range": {}, "text": "x"}]),
    "context": st.just({"diagnostics": []}),
    "settings": st.just({"ipu": {"lint": {"select": ["E"]}}}),
    "label": st.just("acc"),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(PARAMETERS)), inner, max_size=3)
    ),
    max_leaves=6,
) | st.fixed_dictionaries({}, optional=PARAMETERS)
TEXT = "acc.frist;;\n"
SHUTDOWN: Json = {"id": 99, "method": "shutdown"}
HOVER = asked(1, "hover", URI, position={"line": 0, "character": 1})
INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = -32600, -32601, -32602, -32603
PARSE_ERROR, NOT_INITIALIZED, CANCELLED = -32700, -32002, -32800


def check_conversation(
    conversation: Conversation, status: int, errors: dict[int | str | None, int]
) -> None:
    """The server ended with a status, and exactly these ids were answered with these errors."""
    assert conversation.status == status
    found = [said["id"] for said in conversation.said if "error" in said]
    assert sorted(map(str, found)) == sorted(map(str, errors))
    assert {message_id: conversation.error(message_id) for message_id in errors} == errors


def test_a_client_that_takes_its_leave_ends_the_server_well() -> None:
    conversation = converse(INITIALIZE, {"method": "initialized", "params": {}}, SHUTDOWN, EXIT)
    check_conversation(conversation, 0, {})
    assert conversation.answer(99)["result"] is None


def test_a_client_that_exits_without_shutdown_makes_the_status_1() -> None:
    check_conversation(converse(INITIALIZE, EXIT), 1, {})


def test_a_client_that_hangs_up_makes_the_status_1() -> None:
    check_conversation(converse(INITIALIZE), 1, {})


def test_a_client_that_hangs_up_after_shutdown_makes_the_status_0() -> None:
    check_conversation(converse(INITIALIZE, SHUTDOWN), 0, {})


def test_exit_works_before_anything_else() -> None:
    check_conversation(converse(EXIT), 1, {})


def test_requests_before_initialize_are_refused_and_notifications_ignored() -> None:
    conversation = converse(opened(URI, TEXT), HOVER, INITIALIZE, {**HOVER, "id": 2}, EXIT)
    check_conversation(conversation, 1, {1: NOT_INITIALIZED})
    assert conversation.answer(2)["result"] is None


def test_initialize_twice_is_refused() -> None:
    check_conversation(converse(INITIALIZE, {**INITIALIZE, "id": 5}), 1, {5: INVALID_REQUEST})


def test_requests_after_shutdown_are_refused() -> None:
    check_conversation(greeted(SHUTDOWN, HOVER, EXIT), 0, {1: INVALID_REQUEST})


def test_edits_after_shutdown_are_ignored() -> None:
    conversation = greeted(opened(URI, TEXT), SHUTDOWN, changed(URI, 2, {"text": ""}), EXIT)
    assert [params["version"] for params in conversation.published(URI)] == [1]


@pytest.mark.parametrize("method", ["textDocument/teleport", "$/unheard", "textDocument/moniker"])
def test_an_unknown_method_is_not_found(method: str) -> None:
    check_conversation(greeted({"id": 1, "method": method, "params": {}}, EXIT), 1, {1: NOT_FOUND})


def test_an_unknown_notification_is_ignored() -> None:
    conversation = greeted({"method": "textDocument/teleported", "params": {}}, EXIT)
    check_conversation(conversation, 1, {})
    assert conversation.told("window/logMessage") == []


@pytest.mark.parametrize(
    "params",
    [None, [], 7, {}, {"textDocument": URI}, {"textDocument": {"uri": URI}, "position": 3}],
)
def test_parameters_of_another_shape_are_refused(params: Any) -> None:
    request = {"id": 1, "method": "textDocument/hover", "params": params}
    check_conversation(greeted(request, EXIT), 1, {1: INVALID_PARAMS})


def test_initialize_with_odd_capabilities_is_refused_and_can_be_tried_again() -> None:
    odd = {**INITIALIZE, "id": 8, "params": {"capabilities": 3}}
    check_conversation(converse(odd, INITIALIZE, EXIT), 1, {8: INVALID_PARAMS})


@pytest.mark.parametrize("character", [-1, 1 << 31, 1 << 40])
def test_a_column_that_the_protocol_does_not_know_is_refused(character: int) -> None:
    request = asked(1, "hover", URI, position={"line": 0, "character": character})
    check_conversation(greeted(opened(URI, TEXT), request, EXIT), 1, {1: INVALID_PARAMS})


@pytest.mark.parametrize("place", [(0, 1 << 30), (1 << 30, 0), ((1 << 31) - 1, (1 << 31) - 1)])
def test_a_place_far_behind_the_text_is_its_end(place: tuple[int, int]) -> None:
    request = asked(1, "completion", URI, position={"line": place[0], "character": place[1]})
    conversation = greeted(opened(URI, "ac"), request, EXIT)
    items = conversation.answer(1)["result"]["items"]
    end = {"line": 0, "character": 2}
    ranges = [item["textEdit"]["range"] for item in items]
    assert ranges
    assert all(r == {"start": {"line": 0, "character": 0}, "end": end} for r in ranges)


@pytest.mark.parametrize("body", [b"{", b"nonsense", b'{"id": 1', b"\xff\xfe", b"", b"[" * 100_000])
def test_what_is_no_json_is_answered_without_an_id_and_logged(body: bytes) -> None:
    conversation = greeted(frame(body), HOVER, EXIT)
    check_conversation(conversation, 1, {None: PARSE_ERROR})
    assert "a message is JSON" in conversation.told("window/logMessage")[0]["message"]
    assert conversation.answer(1)["result"] is None


@pytest.mark.parametrize("body", [b"[]", b"7", b"null", b'"text"', b'[{"id":1,"method":"exit"}]'])
def test_json_that_is_no_message_is_refused(body: bytes) -> None:
    check_conversation(greeted(frame(body), EXIT), 1, {None: INVALID_REQUEST})


@pytest.mark.parametrize("message_id", [None, True, False, [1], {}, 1.0, 1.5])
def test_a_request_without_a_usable_id_is_refused(message_id: Any) -> None:
    request = {"id": message_id, "method": "shutdown"}
    conversation = greeted(request, EXIT)
    check_conversation(conversation, 1, {None: INVALID_REQUEST})
    assert [said["id"] for said in conversation.said if "error" in said] == [None]


@pytest.mark.parametrize("method", [4, None, True, ["shutdown"]])
def test_a_method_that_is_no_string_is_refused(method: Any) -> None:
    check_conversation(greeted({"id": 3, "method": method}, EXIT), 1, {3: INVALID_REQUEST})
    check_conversation(greeted({"id": True, "method": method}, EXIT), 1, {None: INVALID_REQUEST})


def test_a_boolean_cancels_no_request() -> None:
    cancel = {"method": "$/cancelRequest", "params": {"id": True}}
    conversation = greeted(opened(URI, TEXT * 200), HOVER, cancel, EXIT)
    check_conversation(conversation, 1, {})
    assert conversation.answer(1)["result"] is not None


def test_a_cancellation_that_is_a_request_has_an_answer() -> None:
    cancel = {"id": 5, "method": "$/cancelRequest", "params": {"id": 1}}
    check_conversation(greeted(HOVER, cancel, EXIT), 1, {5: NOT_FOUND})


def test_an_answer_may_say_that_there_was_no_error() -> None:
    capabilities = {"workspace": {"configuration": True}}
    settings = {"lint": {"ignore": ["E101"]}}
    answer = {"id": "ipu-1", "result": [settings], "error": None}
    conversation = greeted(answer, opened(URI, TEXT), EXIT, capabilities=capabilities)
    assert [params["diagnostics"] for params in conversation.published(URI)] == [[]]


def test_an_answer_to_nothing_is_logged() -> None:
    conversation = greeted({"id": "ipu-77", "result": None}, {"id": [], "error": 1}, {}, EXIT)
    check_conversation(conversation, 1, {})
    assert len(conversation.told("window/logMessage")) == 3


def test_ids_may_be_strings() -> None:
    assert greeted({**HOVER, "id": "seven"}, EXIT).answer("seven")["result"] is None


def test_a_handler_that_fails_is_an_error_for_one_request_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("ipu_asm.ide.hover.hover", fail)
    conversation = greeted(opened(URI, TEXT), HOVER, asked(2, "codeLens", URI), EXIT)
    check_conversation(conversation, 1, {1: INTERNAL})
    assert conversation.answer(1)["error"]["message"] == "RuntimeError: out of luck"
    assert conversation.answer(2)["result"] == []
    (logged,) = conversation.told("window/logMessage")
    assert logged["type"] == 1
    assert "out of luck" in logged["message"]
    assert conversation.told("window/showMessage") == []


def test_an_analysis_that_fails_costs_only_its_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    from ipu_asm.analysis.analyzer import Analyzer

    analyze = Analyzer.analyze

    def fail_on_some(self: Analyzer, text: str, *rest: Any, **options: Any) -> Any:
        if "acc" in text:
            raise RuntimeError("out of luck")
        return analyze(self, text, *rest, **options)

    monkeypatch.setattr(Analyzer, "analyze", fail_on_some)
    conversation = greeted(opened(URI, TEXT), opened("untitled:b.s", "nope;;"), EXIT)
    assert conversation.published(URI) == []
    assert [len(p["diagnostics"]) for p in conversation.published("untitled:b.s")] == [1]


@pytest.mark.parametrize(
    "changes",
    [
        None,
        [{}],
        [{"text": 3}],
        [{"text": "x", "range": {}}],
        [{"text": "x", "range": {"start": {"line": "0", "character": 0}, "end": None}}],
        ["x"],
        [{"text": "bkpt;;"}, {"text": None}],
    ],
)
def test_a_malformed_edit_changes_nothing(changes: Any) -> None:
    edit = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes}
    request = asked(1, "hover", URI, position={"line": 0, "character": 3})
    conversation = greeted(
        opened(URI, "acc.first;;"), {"method": "textDocument/didChange", "params": edit}, request
    )
    assert "acc.first" in conversation.answer(1)["result"]["contents"]["value"]
    assert len(conversation.told("window/logMessage")) == 1


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_messages_may_arrive_in_any_pieces(sizes: list[int]) -> None:
    data = b"".join(map(framed, (INITIALIZE, opened(URI, TEXT), HOVER, SHUTDOWN, EXIT)))
    chunks = []
    for size in sizes * (len(data) // sum(sizes) + 1):
        chunks.append(data[:size])
        data = data[size:]
    conversation = converse_in_chunks(filter(None, chunks))
    check_conversation(conversation, 0, {})
    assert "acc.first" in conversation.answer(1)["result"]["contents"]["value"]


@pytest.mark.parametrize(
    "header",
    [
        b"content-length:%d\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"CONTENT-LENGTH : %d \r\nX: y\r\n\r\n",
    ],
)
def test_headers_may_be_written_in_other_ways(header: bytes) -> None:
    body = json.dumps({"jsonrpc": "2.0", **HOVER}).encode()
    conversation = greeted(header % len(body) + body, EXIT)
    assert conversation.answer(1)["result"] is None


@pytest.mark.parametrize("wrong", [-30, -1, 1, 30])
def test_a_wrong_length_costs_a_message_or_two_but_not_the_server(wrong: int) -> None:
    body = json.dumps({"jsonrpc": "2.0", **HOVER}).encode()
    damaged = b"Content-Length: %d\r\n\r\n%b" % (len(body) + wrong, body)
    following = [{**HOVER, "id": n} for n in (2, 3)]
    conversation = greeted(damaged, *following, EXIT)
    assert conversation.answer(3)["result"] is None
    assert conversation.error(None) == PARSE_ERROR


def test_a_header_without_a_length_is_passed_over() -> None:
    conversation = greeted(b"Hello: there\r\n\r\n", HOVER, EXIT)
    assert conversation.answer(1)["result"] is None


@given(st.lists(st.tuples(st.sampled_from(sorted(METHODS)), JSON), max_size=20))
def test_every_request_has_one_answer_whatever_its_parameters(
    requests: list[tuple[str, Any]],
) -> None:
    asked_for = [
        {"id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(requests, 1)
    ]
    conversation = greeted(opened(URI, TEXT), *asked_for)
    for number in range(1, len(requests) + 1):
        assert {"result", "error"} & set(conversation.answer(number))


@given(st.lists(st.tuples(st.sampled_from(sorted(METHODS)), JSON), max_size=20))
def test_no_notification_can_end_the_server(notifications: list[tuple[str, Any]]) -> None:
    heard = [{"method": method, "params": params} for method, params in notifications]
    conversation = greeted(opened(URI, TEXT), *heard, HOVER, EXIT)
    check_conversation(conversation, 1, {})


@given(st.binary(max_size=200))
def test_no_bytes_at_all_can_end_the_server_early(noise: bytes) -> None:
    conversation = greeted(noise + b"\r\n\r\n", *({**HOVER, "id": n} for n in range(1, 40)))
    assert conversation.status == 1


def test_cancelled_requests_get_their_error_and_the_others_their_answer() -> None:
    hovers = [{**HOVER, "id": n} for n in range(1, 11)]
    cancels = [{"method": "$/cancelRequest", "params": {"id": n}} for n in range(1, 11, 2)]
    slow = opened(URI, "\n".join(f"set lr{n % 16} {n};;" for n in range(3000)))
    conversation = greeted(slow, *hovers, *cancels, EXIT)
    check_conversation(conversation, 1, dict.fromkeys(range(1, 11, 2), CANCELLED))
    assert all("result" in conversation.answer(n) for n in range(2, 11, 2))


@pytest.mark.parametrize("params", [None, {}, {"id": 12345}, {"id": [1]}, 3])
def test_a_cancellation_of_nothing_is_ignored(params: Any) -> None:
    conversation = greeted({"method": "$/cancelRequest", "params": params}, HOVER, EXIT)
    check_conversation(conversation, 1, {})
