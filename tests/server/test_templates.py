"""A template in an editor: the names of its tags, and what the assembler reads."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.server.conversation import EXIT, asked, changed, greeted, opened

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
    assert [(edit["range"], edit["newText"]) for edit in edits] == [(DEFINED, "row"), (USED, "row")]


def test_formatting_leaves_tags_alone() -> None:
    edits = result("formatting", options={"tabSize": 4, "insertSpaces": True})
    assert edits
    assert all(not edit["newText"].strip() for edit in edits)


def test_the_outline_has_the_name() -> None:
    assert "k" in [symbol["name"] for symbol in result("documentSymbol")]


@pytest.mark.parametrize(
    "bomb",
    [
        "{{ (range(99999) | list) | tojson(indent=99999) }}",
        "{{ '{:{}}'.format(1, '1999999999') }}",
        "{{ ('{0:99999}' * 9000).format(1) | length }}",
        "".join(f"{{# ipu: context n={n} #}}" for n in range(64))
        + "{% for a in range(999) %}{% for b in range(999) %}{% endfor %}{% endfor %}",
        "".join(f"{{# ipu: context n={n} #}}" for n in range(64))
        + "{% set a = range(99999) | list %}{{ a | reject('in', a) | list }}",
    ],
)
def test_other_documents_are_answered_while_a_bomb_is_open_and_edited(bomb: str) -> None:
    # Each of these took all memory, or half a minute.
    start = time.process_time()
    said = greeted(
        opened("file:///bomb.ipu", bomb),
        asked(1, "hover", "file:///bomb.ipu", position={"line": 0, "character": 4}),
        opened(URI, TEXT),
        asked(2, "hover", URI, position=NAME),
        changed("file:///bomb.ipu", 2, {"text": bomb + "\nbkpt;;"}),
        asked(3, "hover", URI, position=NAME),
        EXIT,
    )
    assert time.process_time() - start < 15
    assert said.answer(2)["result"]["range"] == said.answer(3)["result"]["range"] == USED
    (codes, *_) = [
        {finding["code"] for finding in each["diagnostics"]}
        for each in said.published("file:///bomb.ipu")
    ]
    assert codes == {"E403"}
