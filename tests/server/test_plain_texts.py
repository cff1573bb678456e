"""No text that clients show without rendering Markdown has backticks, in any example."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from ipu_asm.isa import manifests
from ipu_lsp.transport import Json, plain
from tests.server.conversation import EXIT, Conversation, asked, greeted, opened

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [
    path
    for path in sorted(EXAMPLES.rglob("*"))
    if path.suffix in {extension for each in manifests().values() for extension in each.extensions}
]
SHOWN = frozenset(("containerName", "description", "detail", "message", "name", "reason", "title"))
LENSES = {"ipu": {"codeLens": dict.fromkeys(("references", "loops", "expansions"), True)}}
CAPABILITIES: Json = {
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True, "labelDetailsSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor"]}},
            "disabledSupport": True,
        },
    }
}
_MOST_PLACES = 25


def shown_texts(answer: object, name: str = "") -> Iterator[str]:
    """The texts of an answer that people read."""
    if isinstance(answer, str):
        if name in SHOWN:
            yield answer
    elif isinstance(answer, dict):
        for key, value in answer.items():
            yield from shown_texts(value, key)
    elif isinstance(answer, list):
        for each in answer:
            yield from shown_texts(each, name)


def asked_about(path: Path, text: str) -> Conversation:
    """A session that asks for all that has such texts, at places all over a file."""
    uri, lines = path.as_uri(), text.splitlines()
    requests = [asked(1, "documentSymbol", uri), asked(2, "codeLens", uri)]
    places = [
        {"line": number, "character": column}
        for number, line in enumerate(lines)
        if line.strip() and not line.lstrip().startswith(("#", "//"))
        for column in (len(line) - len(line.lstrip()), line.find(" ", 6) + 1)
    ]
    for number, place in enumerate(places[:: len(places) // _MOST_PLACES + 1]):
        requests.append(asked(3 + 2 * number, "completion", uri, position=place))
        at, context = {"start": place, "end": place}, {"diagnostics": [], "only": ["refactor"]}
        requests.append(asked(4 + 2 * number, "codeAction", uri, range=at, context=context))
    settings = {"method": "workspace/didChangeConfiguration", "params": {"settings": LENSES}}
    messages = (opened(uri, text, "ipu-asm"), settings, *requests, EXIT)
    return greeted(*messages, capabilities=CAPABILITIES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_outline_lenses_completion_and_actions_have_no_backticks(path: Path) -> None:
    conversation = asked_about(path, path.read_text("utf-8"))
    answers = [each["result"] for each in conversation.said if "result" in each][1:]
    texts = list(shown_texts(answers))
    assert len(texts) > 20
    assert [text for text in texts if "`" in text] == []


def test_messages_and_errors_have_none() -> None:
    wrong = {"ipu": {"inlayHints": {"time": "yes"}}}
    settings = {"method": "workspace/didChangeConfiguration", "params": {"settings": wrong}}
    uri = "file:///kernel.s"
    rename = asked(1, "rename", uri, position={"line": 0, "character": 0}, newName="a b")
    late = {"method": "textDocument/didChange", "params": {"textDocument": {"uri": uri}}}
    said = greeted(opened(uri, "top: b top;;\n"), settings, rename, late, EXIT)
    texts = [said.answer(1)["error"]["message"]]
    for method in ("window/showMessage", "window/logMessage"):
        texts += [each["message"] for each in said.told(method)]
    assert len(texts) == 3
    assert [text for text in texts if "`" in text] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acc.frist;;\n", "Replace by acc.first"),
        ("set lr0 1 set lr1 2;;\n", 'Insert ";" before set'),
    ],
)
def test_a_fix_in_a_menu_has_none_and_quotes_punctuation_marks(text: str, expected: str) -> None:
    uri = "file:///kernel.s"
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    context = {"diagnostics": [], "only": ["quickfix"]}
    request = asked(1, "codeAction", uri, range=everywhere, context=context)
    said = greeted(opened(uri, text, "ipu-asm"), request, EXIT, capabilities=CAPABILITIES)
    titles = [each["title"] for each in said.answer(1)["result"]]
    assert expected in titles
    assert [title for title in titles if "`" in title] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("found `` for `write`", 'found "" for write'),
        ("found ``` in `lr1`", 'found "`" in lr1'),
        ("`;` ends it, ` a` does not", '";" ends it, " a" does not'),
        ("one ` alone", "one ` alone"),
    ],
)
def test_backticks_are_paired_as_they_quote(text: str, expected: str) -> None:
    assert plain(text) == expected
