"""Formatting: documents, parts of them and what is typed, in the style that somebody has set."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as t

from ipu_lsp.transport import Json
from tests.server.conversation import (
    EXIT,
    INITIALIZE,
    Conversation,
    asked,
    converse,
    greeted,
    opened,
)
from tests.server.editor import Editor

URI = "untitled:kernel.s"
TEXT = "x: acc ;\n incr lr0  1 ;;\n"
TIDY = {
    "keep": "x: acc;\n    incr                  lr0 1;;\n",
    "instruction": "x:\n    acc;\n    incr                  lr0 1;;\n",
    "bundle": "x: acc; incr lr0 1;;\n",
}
OPTIONS = {"tabSize": 8, "insertSpaces": False}


def check_edits(answer: Json, text: str, expected: str) -> None:
    """The edits of an answer turn one text into the other."""
    assert edited(text, answer["result"]) == expected


def edited(text: str, edits: list[Json]) -> str:
    """A text in ASCII with edits made, the last one first; they do not overlap."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    spans = [
        tuple(starts[edit["range"][end]["line"]] + edit["range"][end]["character"] for end in ENDS)
        for edit in edits
    ]
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    for (start, end), edit in reversed(list(zip(spans, edits))):
        text = text[:start] + edit["newText"] + text[end:]
    return text


ENDS = ("start", "end")


def formatted(text: str, options: Any = None, uri: str = URI) -> Conversation:
    """A session with these `initializationOptions` that tidies one document."""
    params = {"capabilities": {}, "initializationOptions": options}
    request = asked(1, "formatting", uri, options=OPTIONS)
    return converse({**INITIALIZE, "params": params}, opened(uri, text), request, EXIT)


def lines(first: int, last: int) -> Json:
    """The range of whole lines."""
    return {"start": {"line": first, "character": 0}, "end": {"line": last + 1, "character": 0}}


def test_a_document_is_tidied() -> None:
    check_edits(formatted(TEXT).answer(1), TEXT, TIDY["keep"])


def test_a_tidy_document_has_no_edits() -> None:
    assert formatted(TIDY["keep"]).answer(1)["result"] == []


@pytest.mark.parametrize("style", list(TIDY))
def test_the_editor_sets_the_style(style: str) -> None:
    check_edits(formatted(TEXT, {"format": {"style": style}}).answer(1), TEXT, TIDY[style])


@pytest.mark.parametrize("style", list(TIDY))
def test_the_project_sets_the_style(style: str, tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text(f'[format]\nstyle = "{style}"\n')
    uri = (tmp_path / "a.s").as_uri()
    check_edits(formatted(TEXT, uri=uri).answer(1), TEXT, TIDY[style])


def test_the_editor_counts_more_than_the_project(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text('[format]\nstyle = "instruction"\n')
    uri = (tmp_path / "a.s").as_uri()
    conversation = formatted(TEXT, {"format": {"style": "bundle"}}, uri)
    check_edits(conversation.answer(1), TEXT, TIDY["bundle"])


@pytest.mark.parametrize(("case", "word"), [("keep", "Bkpt"), ("upper", "BKPT"), ("lower", "bkpt")])
def test_the_editor_sets_the_case_of_mnemonics(case: str, word: str) -> None:
    text = "# isa: ipu2\nBkpt ;;\n"
    answer = formatted(text, {"format": {"mnemonicCase": case}}).answer(1)
    check_edits(answer, text, f"# isa: ipu2\n    {word};;\n")


@pytest.mark.parametrize("odd", ["bundles", 3, True, ["keep"], {}])
def test_a_style_that_there_is_not_is_reported_and_ignored(odd: Any) -> None:
    conversation = formatted(TEXT, {"format": {"style": odd}})
    check_edits(conversation.answer(1), TEXT, TIDY["keep"])
    (shown,) = conversation.told("window/showMessage")
    wanted = "setting ipu.format.style is one of keep, instruction, bundle"
    assert shown["message"] == f"{wanted}, found {odd!r}; it is ignored"


def test_a_range_is_tidied_alone() -> None:
    request = asked(1, "rangeFormatting", URI, range=lines(1, 1), options=OPTIONS)
    answer = greeted(opened(URI, "acc ;;\nacc ;;\n"), request, EXIT).answer(1)
    check_edits(answer, "acc ;;\nacc ;;\n", "acc ;;\n    acc;;\n")


def test_ranges_are_tidied_each_and_once() -> None:
    text = "    acc;;\n    acc;;\nacc ;;\nacc ;;\nacc ;;\n    acc;;\n    acc;;\n"
    ranges = [lines(4, 4), lines(2, 2), lines(2, 2)]
    request = asked(1, "rangesFormatting", URI, ranges=ranges, options=OPTIONS)
    answer = greeted(opened(URI, text), request, EXIT).answer(1)
    tidy = "    acc;;\n"
    check_edits(answer, text, f"{tidy * 3}acc ;;\n{tidy * 3}")


@pytest.mark.parametrize(
    ("text", "character", "expected"),
    [
        ("acc ; aaq ;;", ";", "    acc; aaq;;"),
        ("incr  lr0 1 ;", ";", "    incr lr0 1;"),
        ("acc;;\n", "\n", "acc;;\n    "),
        ("acc;;\n", "x", "acc;;\n"),
    ],
)
def test_what_is_typed_is_tidied(text: str, character: str, expected: str) -> None:
    line = text.count("\n")
    position = {"line": line, "character": len(text.split("\n")[-1])}
    request = asked(1, "onTypeFormatting", URI, position=position, ch=character, options=OPTIONS)
    check_edits(greeted(opened(URI, text), request, EXIT).answer(1), text, expected)


def test_another_instruction_set_is_tidied_too() -> None:
    uri = "untitled:a.edgenpu"
    check_edits(formatted("NOP   2 ; x\n", uri=uri).answer(1), "NOP   2 ; x\n", EDGENPU)


EDGENPU = f"{'    NOP    2':<52}; x\n"


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("formatting", {}),
        ("rangeFormatting", {"range": lines(0, 0)}),
        ("rangesFormatting", {"ranges": [lines(0, 0)]}),
        ("onTypeFormatting", {"position": {"line": 0, "character": 0}, "ch": ";"}),
    ],
)
def test_a_document_that_is_not_open_is_left_alone(method: str, more: Json) -> None:
    request = asked(1, method, "untitled:gone", options=OPTIONS, **more)
    assert greeted(request, EXIT).answer(1)["result"] is None


def test_exactly_what_is_handled_is_advertised() -> None:
    offer = greeted(EXIT).answer(0)["result"]["capabilities"]
    assert offer["documentFormattingProvider"] is True
    assert offer["documentRangeFormattingProvider"] == {"rangesSupport": True}
    triggers = {"firstTriggerCharacter": ";", "moreTriggerCharacter": ["\n"]}
    assert offer["documentOnTypeFormattingProvider"] == triggers


@pytest.mark.asyncio(loop_scope="session")
async def test_columns_behind_other_alphabets_are_the_clients(editor: Editor) -> None:
    text = "acc;; # \U0001f600\U0001f600 \u00e9\n# \U0001f600\nfoo: acc ;;\n"
    options = t.FormattingOptions(tab_size=4, insert_spaces=True)
    document = t.TextDocumentIdentifier(editor.open(text).uri)
    edits = await editor.text_document_formatting_async(
        t.DocumentFormattingParams(document, options)
    )
    assert edits is not None
    assert [(edit.range, edit.new_text) for edit in edits] == [
        (editor.range(text, 0, 0), "    "),
        (editor.range(text, 6, 6), " " * 42),
        (editor.range(text, len(text) - 4, len(text) - 3), ""),
    ]
