"""What is advertised has a handler, and what has a handler is advertised."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any, Callable

import pytest
from lsprotocol import types as t

from ipu_lsp.server.server import FEATURES, Feature
from ipu_lsp.transport import Json
from tests.server.capability_sets import EDITORS, ENCODINGS, PULLING
from tests.server.conversation import greeted
from tests.server.editor import Editor

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "ipu_lsp" / "server"
METHODS = {feature.method for feature in FEATURES}

# For every way in which a server can say that it answers something: the methods it then answers.
MEANINGS: dict[str, Callable[[Any], set[str]]] = {
    "positionEncoding": lambda _: set(),
    "textDocumentSync": lambda sync: {
        f"textDocument/did{name}"
        for name, is_on in (
            ("Open", sync["openClose"]),
            ("Close", sync["openClose"]),
            ("Change", sync["change"] == 2),
            ("Save", "save" in sync),
        )
        if is_on
    },
    "hoverProvider": lambda _: {t.TEXT_DOCUMENT_HOVER},
    "completionProvider": lambda options: {
        t.TEXT_DOCUMENT_COMPLETION,
        *([t.COMPLETION_ITEM_RESOLVE] if options["resolveProvider"] else ()),
    },
    "definitionProvider": lambda _: {t.TEXT_DOCUMENT_DEFINITION},
    "documentLinkProvider": lambda _: {t.TEXT_DOCUMENT_DOCUMENT_LINK},
    "documentSymbolProvider": lambda _: {t.TEXT_DOCUMENT_DOCUMENT_SYMBOL},
    "workspaceSymbolProvider": lambda _: {t.WORKSPACE_SYMBOL},
    "referencesProvider": lambda _: {t.TEXT_DOCUMENT_REFERENCES},
    "documentHighlightProvider": lambda _: {t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT},
    "renameProvider": lambda options: {
        t.TEXT_DOCUMENT_RENAME,
        *([t.TEXT_DOCUMENT_PREPARE_RENAME] if options is not True else ()),
    },
    "signatureHelpProvider": lambda _: {t.TEXT_DOCUMENT_SIGNATURE_HELP},
    "foldingRangeProvider": lambda _: {t.TEXT_DOCUMENT_FOLDING_RANGE},
    "selectionRangeProvider": lambda _: {t.TEXT_DOCUMENT_SELECTION_RANGE},
    "semanticTokensProvider": lambda options: {
        *([t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL] if options["full"] else ()),
        *([t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA] if options["full"]["delta"] else ()),
        *([t.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE] if options["range"] else ()),
    },
    "codeActionProvider": lambda options: {
        t.TEXT_DOCUMENT_CODE_ACTION,
        *([t.CODE_ACTION_RESOLVE] if options["resolveProvider"] else ()),
    },
    "inlayHintProvider": lambda _: {t.TEXT_DOCUMENT_INLAY_HINT},
    "inlineValueProvider": lambda _: {t.TEXT_DOCUMENT_INLINE_VALUE},
    "codeLensProvider": lambda _: {t.TEXT_DOCUMENT_CODE_LENS},
    "executeCommandProvider": lambda _: {t.WORKSPACE_EXECUTE_COMMAND},
    "experimental": lambda methods: {method for method, is_on in methods.items() if is_on},
    "documentFormattingProvider": lambda _: {t.TEXT_DOCUMENT_FORMATTING},
    "documentRangeFormattingProvider": lambda options: {
        t.TEXT_DOCUMENT_RANGE_FORMATTING,
        *([t.TEXT_DOCUMENT_RANGES_FORMATTING] if options["rangesSupport"] else ()),
    },
    "documentOnTypeFormattingProvider": lambda _: {t.TEXT_DOCUMENT_ON_TYPE_FORMATTING},
    "diagnosticProvider": lambda options: {
        t.TEXT_DOCUMENT_DIAGNOSTIC,
        *([t.WORKSPACE_DIAGNOSTIC] if options["workspaceDiagnostics"] else ()),
    },
    "workspace": lambda workspace: (
        {
            method
            for name, method in [("changeNotifications", t.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)]
            if name in workspace["workspaceFolders"]
        }
        | ({t.WORKSPACE_TEXT_DOCUMENT_CONTENT} if "textDocumentContent" in workspace else set())
    ),
}
UNADVERTISED = {
    t.INITIALIZE,
    t.INITIALIZED,
    t.SHUTDOWN,
    t.EXIT,
    t.WORKSPACE_DID_CHANGE_CONFIGURATION,
    t.WORKSPACE_DID_CHANGE_WATCHED_FILES,
}


def check_capabilities(capabilities: Json) -> Json:
    """What a client with these capabilities is offered means exactly the methods in the table."""
    offer: Json = greeted(capabilities=capabilities).answer(0)["result"]["capabilities"]
    promised = {method for name, value in offer.items() for method in MEANINGS[name](value)}
    expected = METHODS - UNADVERTISED
    if "diagnostic" not in capabilities.get("textDocument", {}):
        expected -= {t.TEXT_DOCUMENT_DIAGNOSTIC, t.WORKSPACE_DIAGNOSTIC}
    workspace = capabilities.get("workspace")
    if not isinstance(workspace, dict) or "textDocumentContent" not in workspace:
        expected -= {t.WORKSPACE_TEXT_DOCUMENT_CONTENT}
    if offer["renameProvider"] is True:
        expected -= {t.TEXT_DOCUMENT_PREPARE_RENAME}
    assert promised == expected
    return offer


def test_a_client_that_says_nothing_is_offered_what_it_may_use() -> None:
    assert check_capabilities({})["positionEncoding"] == "utf-16"


def test_a_client_that_pulls_is_offered_reports() -> None:
    offer = check_capabilities({"textDocument": {"diagnostic": {}}})
    assert offer["diagnosticProvider"]["identifier"] == "ipu"


def test_a_client_that_asks_before_it_renames_may_do_so() -> None:
    offer = check_capabilities({"textDocument": {"rename": {"prepareSupport": True}}})
    assert offer["renameProvider"] == {"prepareProvider": True}
    assert check_capabilities({"textDocument": {"rename": {}}})["renameProvider"] is True


def test_a_client_that_shows_documents_of_servers_is_offered_listings() -> None:
    offer = check_capabilities({"workspace": {"textDocumentContent": {}}})
    assert offer["workspace"]["textDocumentContent"] == {
        "schemes": ["ipu-listing", "ipu-expansion", "ipu-memory-map"]
    }


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", "utf-16", "utf-8"], "utf-16"),
        (["utf-7"], "utf-16"),
        ([], "utf-16"),
        ("utf-8", "utf-16"),
        ([["utf-8"]], "utf-16"),
    ],
)
def test_the_clients_first_known_encoding_is_chosen(offered: Any, chosen: str) -> None:
    offer = check_capabilities({"general": {"positionEncodings": offered}})
    assert offer["positionEncoding"] == chosen


@pytest.mark.parametrize(
    "odd",
    [
        {"textDocument": {"completion": {"completionItemKind": {"valueSet": [999]}}}},
        {"textDocument": []},
        {"workspace": 3, "general": None},
        {"textDocument": {"hover": {"contentFormat": {"markdown": 1}}}},
    ],
)
def test_odd_capabilities_still_get_a_server(odd: Json) -> None:
    check_capabilities(odd)


@pytest.mark.asyncio(loop_scope="session")
async def test_real_editors_agree_on_an_encoding(editor: Editor) -> None:
    assert editor.encoding == ENCODINGS.get(editor.name, "utf-16")


@pytest.mark.asyncio(loop_scope="session")
async def test_real_editors_are_asked_to_watch_files_only_if_they_can(editor: Editor) -> None:
    watching = ("vscode", "vscode-2022", "emacs")
    await editor.findings(editor.open("").uri)
    assert (t.WORKSPACE_DID_CHANGE_WATCHED_FILES in editor.registered) == (editor.name in watching)


def test_the_editors_of_the_tests_differ_in_what_matters() -> None:
    assert set(PULLING) < set(EDITORS)
    assert set(ENCODINGS.values()) == {"utf-8", "utf-32"}


def test_every_module_of_handlers_answers_a_feature() -> None:
    handlers = {path.stem for path in (SERVER / "handlers").glob("[a-z]*.py")}
    assert {feature.module.rpartition(".")[2] for feature in FEATURES} == handlers


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.method)
def test_every_feature_names_a_handler_of_its_module(feature: Feature) -> None:
    handler = feature.load()
    assert handler.__module__ == feature.module
    assert next(iter(signature(handler).parameters)).strip("_") == "session"


@pytest.mark.parametrize("word", ['"character"', '"utf-16"', "utf-16-le", "newText"])
def test_one_module_alone_knows_what_columns_count(word: str) -> None:
    knowing = {path.name for path in SERVER.rglob("*.py") if word in path.read_text("utf-8")}
    assert knowing == {"convert.py"}
