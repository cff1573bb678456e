"""What is announced can be done, what can be done is announced, and both are tested."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest

from ipu_lsp.debug_adapter import requests
from ipu_lsp.debug_adapter.requests import REQUESTS, Needs, capabilities, request
from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.conversations import FOLDER as CONVERSATIONS
from tests.debug_adapter.schema import _SCHEMA
from tests.debug_adapter.well_formed import right_arguments

PAGE: Final = Path(__file__).parents[2] / "docs" / "protocol.md"

requests.load_all()

BASIC: Final = {
    "initialize", "launch", "attach", "disconnect", "threads", "stackTrace", "scopes", "variables",
    "setBreakpoints", "continue", "next", "stepIn", "stepOut", "pause", "source", "evaluate",
}  # fmt: skip
"""Requests for which the protocol has no capability."""
OURS: Final = {"ipu/memoryMap", "ipu/vector", "ipu/vectors", "ipu/showSource"}
"""Requests that the protocol does not know; docs/protocol.md describes them."""
BESIDES: Final = {
    "stepBack": {"reverseContinue"},
    "gotoTargets": {"goto"},
    "dataBreakpointInfo": {"setDataBreakpoints"},
}
"""Requests that are announced with another one."""
ANNOUNCED: Final = {
    "supportsConfigurationDoneRequest": ("configurationDone", "configured"),
    "supportsFunctionBreakpoints": ("setFunctionBreakpoints", "setFunctionBreakpoints"),
    "supportsConditionalBreakpoints": ("setBreakpoints", "condition"),
    "supportsHitConditionalBreakpoints": ("setBreakpoints", "hitCondition"),
    "supportsEvaluateForHovers": ("evaluate", '"hover"'),
    "exceptionBreakpointFilters": ("setExceptionBreakpoints", "filters"),
    "supportsStepBack": ("stepBack", "stepBack"),
    "supportsSetVariable": ("setVariable", "setVariable"),
    "supportsGotoTargetsRequest": ("gotoTargets", "gotoTargets"),
    "supportsCompletionsRequest": ("completions", "completions"),
    "completionTriggerCharacters": ("completions", "completions"),
    "supportsModulesRequest": ("modules", "modules"),
    "additionalModuleColumns": ("modules", "bundles"),
    "supportsRestartRequest": ("restart", "restart"),
    "supportsValueFormattingOptions": ("variables", "format="),
    "supportsExceptionInfoRequest": ("exceptionInfo", "exceptionInfo"),
    "supportsLoadedSourcesRequest": ("loadedSources", "loadedSources"),
    "supportsLogPoints": ("setBreakpoints", "logMessage"),
    "supportsSetExpression": ("setExpression", "setExpression"),
    "supportsTerminateRequest": ("terminate", "terminate"),
    "supportsDataBreakpoints": ("dataBreakpointInfo", "dataBreakpointInfo"),
    "supportsDataBreakpointBytes": ("dataBreakpointInfo", "bytes"),
    "supportsReadMemoryRequest": ("readMemory", "readMemory"),
    "supportsWriteMemoryRequest": ("writeMemory", "writeMemory"),
    "supportsDisassembleRequest": ("disassemble", "disassemble"),
    "supportsCancelRequest": ("cancel", "cancel"),
    "supportsBreakpointLocationsRequest": ("breakpointLocations", "breakpointLocations"),
    "supportsClipboardContext": ("evaluate", '"clipboard"'),
    "supportsSteppingGranularity": ("next", "granularity"),
    "supportsInstructionBreakpoints": ("setInstructionBreakpoints", "setInstructionBreakpoints"),
    "supportsExceptionFilterOptions": ("setExceptionBreakpoints", "filterOptions"),
}
"""Capabilities with the request that keeps the promise, and a word of the tests that it does."""

NO_SUBJECT: Final = {
    "test_capabilities.py", "test_hostile.py", "test_states.py", "test_bounds.py",
    "test_arguments.py", "test_inbox.py",
}  # fmt: skip
"""Tests that ask for everything, or for nothing in particular."""


@lru_cache
def words_of_tests() -> str:
    """What the tests of single subjects say, and the client through which they do."""
    folder = Path(__file__).parent
    found = [path for path in folder.glob("test_*.py") if path.name not in NO_SUBJECT]
    assert len(found) > 10
    found += [folder / "client.py", folder / "conversations.py"]
    said = "\n".join(path.read_text("utf-8") for path in CONVERSATIONS.glob("*.txt"))
    texts = [path.read_text("utf-8") for path in found]
    return "\n".join([*texts, re.sub(r"^> (\S+)", r'"\1"', said, flags=re.MULTILINE)])


@lru_cache
def definitions() -> Json:
    found: Json = json.loads(_SCHEMA.read_text(encoding="utf-8"))["definitions"]
    return found


def test_what_is_announced_is_known_to_the_protocol_and_here(client: DapClient) -> None:
    announced = client.initialize()
    assert set(announced) == set(ANNOUNCED)
    assert set(announced) <= set(definitions()["Capabilities"]["properties"])
    assert announced == capabilities()


@pytest.mark.parametrize("capability", ANNOUNCED)
def test_what_is_announced_is_handled_where_it_is_announced_and_tested(capability: str) -> None:
    command, word = ANNOUNCED[capability]
    assert capability in REQUESTS[command].capabilities
    assert REQUESTS[command].capabilities[capability]
    assert word in words_of_tests()


def test_what_is_handled_is_basic_or_announced() -> None:
    promised = {command for command, _ in ANNOUNCED.values()}
    for command, others in BESIDES.items():
        assert command in promised
        promised |= others
    assert set(REQUESTS) <= BASIC | OURS | promised
    assert set(REQUESTS) >= BASIC | OURS


@pytest.mark.parametrize("command", sorted(REQUESTS))
def test_every_request_has_a_test_of_its_own(command: str) -> None:
    assert re.search(rf'"{command}"', words_of_tests())


@pytest.mark.parametrize("command", sorted(REQUESTS))
def test_every_request_is_one_of_the_protocol_that_clients_send_or_documented(command: str) -> None:
    name = f"{command[0].upper()}{command[1:]}"
    is_known = {f"{name}Request", f"{name}Response"} <= set(definitions())
    assert is_known is (command not in OURS)
    assert is_known or f"\n### `{command}`\n" in PAGE.read_text("utf-8")


def test_all_requests_are_among_those_that_are_said_in_each_wrong_way() -> None:
    assert set(right_arguments(Path("kernel.s"))) == set(REQUESTS)


def test_filters_are_announced_with_all_that_a_client_shows(client: DapClient) -> None:
    known = definitions()["ExceptionBreakpointsFilter"]["properties"]
    for shown in client.initialize()["exceptionBreakpointFilters"]:
        assert {"filter", "label", "description", "supportsCondition"} <= set(shown) <= set(known)


def test_something_is_offered_behind_each_character_that_triggers_completions(
    client: DapClient,
) -> None:
    triggers = client.initialize()["completionTriggerCharacters"]
    texts = {
        ".": "acc[0 ..", "[": "acc[", "(": "sum(", ",": "lr1,", ":": "xmem[0 .. +4 :",
        " ": "lr1 + ",
    }  # fmt: skip
    assert set(texts) == set(triggers)
    client.start("acc;; bkpt;;", stopOnEntry=True)
    client.stopped()
    for text in texts.values():
        body = client.request("completions", text=text, column=len(text) + 1)
        assert len(body["targets"]) > 2, text


def test_no_request_has_two_handlers() -> None:
    with pytest.raises(AssertionError):
        request("threads", Needs.CLIENT)(lambda session: None)
