"""A template in an editor: the names of its tags, and what the assembler reads."""

from __future__ import annotations

from typing import Any

from tests.server.conversation import EXIT, asked, greeted, opened

URI = "file:///kernel.ipu"
TEXT = '{% set k = "lr5" %} {# role #}\nset {{ k }}  1;;\nbkpt;;\n'
NAME = {"line": 1, "character": 7}
DEFINED = {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 8}}
USED = {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 8}}


def result(method: str, **params: Any) -> Any:
    return greeted(opened(URI, TEXT), asked(1, method, URI, **params), EXIT).answer(1)["result"]


def test_hover_on_a_name_shows_its_register_and_its_role() -> None:
    found = result("hover", position=NAME)
    assert "lr5" in str(found["contents"])
    assert "role" in str(found["contents"])
    assert found["range"] == USED


def test_a_name_is_completed_in_a_tag() -> None:
    items = result("completion", position=NAME)["items"]
    assert (items[0]["label"], items[0]["detail"]) == ("k", "lr5, role")


def test_a_name_leads_to_its_definition_and_its_uses() -> None:
    assert result("definition", position=NAME)["range"] == DEFINED
    context = {"includeDeclaration": True}
    found = result("references", position=NAME, context=context)
    assert [each["range"] for each in found] == [DEFINED, USED]


def test_a_name_is_renamed() -> None:
    edits = result("rename", position=NAME, newName="row")["changes"][URI]
    assert [(edit["range"], edit["newText"]) for edit in edits] == [
        (DEFINED, "row"),
        (USED, "row"),
    ]


def test_formatting_leaves_tags_alone() -> None:
    edits = result("formatting", options={"tabSize": 4, "insertSpaces": True})
    assert edits
    assert all(not edit["newText"].strip() for edit in edits)


def test_the_outline_has_the_name() -> None:
    assert "k" in [symbol["name"] for symbol in result("documentSymbol")]
