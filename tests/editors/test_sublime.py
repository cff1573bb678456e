"""The blocks of `docs/editors/sublime.md`, read as Sublime Text reads them.

Sublime Text itself is in no package registry; a client of ours starts what the blocks say.
"""

from __future__ import annotations

import json
import plistlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.editors.blocks import blocks_of
from tests.editors.kernels import COLUMN, MESSAGE, MISTAKEN, ROW, WRAPPED
from tests.editors.plain_client import PlainClient
from tests.editors.user import User

SETTINGS = json.loads(blocks_of("sublime.md", "json")[0])
CLIENT = SETTINGS["clients"]["ipu"]
SYNTAXES = {
    syntax["scope"]: syntax for syntax in map(yaml.safe_load, blocks_of("sublime.md", "yaml"))
}


@pytest.fixture
def user(tmp_path: Path) -> User:
    """Somebody whose Sublime Text finds our servers."""
    return User(tmp_path, "kate.md")


def check_findings(user: User, path: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings that come for a file, whose extension one of the syntaxes claims."""
    [scope] = [
        scope
        for scope, syntax in SYNTAXES.items()
        if path.suffix.removeprefix(".") in syntax["file_extensions"]
    ]
    assert scope in CLIENT["selector"].split(" | ")
    # The package LSP calls a language by its scope, without the first word.
    with PlainClient(user, CLIENT["command"], nested(settings)) as client:
        return client.findings(path, scope.removeprefix("source."))


def nested(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with dots in their names, as the package LSP sends them."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        *sections, key = name.split(".")
        place = found
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = value
    return found


@pytest.mark.parametrize("name", ["a.ipu", "b.s", "c.asm"])
def test_a_misspelt_mnemonic_is_found_whatever_the_extension(user: User, name: str) -> None:
    [finding] = check_findings(user, user.kernel(MISTAKEN, name), CLIENT["settings"])
    assert finding["range"]["start"] == {"line": ROW, "character": COLUMN}
    assert (finding["code"], finding["message"]) == ("E101", MESSAGE)


def test_an_edgenpu_file_is_checked_by_the_rules_of_edgenpu(user: User) -> None:
    path = user.kernel("; nothing to do\nNOPE 100\n", "d.edgenpu")
    [finding] = check_findings(user, path, CLIENT["settings"])
    assert (finding["code"], finding["range"]["start"]["line"]) == ("E101", 1)


def test_a_setting_where_the_document_has_one_leaves_a_rule_out(user: User) -> None:
    path = user.kernel(WRAPPED)
    found = check_findings(user, path, CLIENT["settings"])
    assert sorted(finding["code"] for finding in found) == ["E101", "W203"]
    settings = CLIENT["settings"] | {"ipu.lint.ignore": ["immediate-wraps"]}
    [finding] = check_findings(user, path, settings)
    assert finding["code"] == "E101"


def test_the_syntaxes_colour_comments_labels_registers_and_numbers() -> None:
    main = SYNTAXES["source.ipu-asm"]["contexts"]["main"]
    line = "sample: set lr1 -128; # the loop steps before it loads"
    assert {rule["scope"].split(".")[0]: matched(rule["match"], line) for rule in main} == {
        "comment": ["# the loop steps before it loads"],
        "entity": ["sample"],
        "variable": ["lr1"],
        "constant": ["-128"],
    }


def matched(pattern: str, line: str) -> list[str]:
    return [match[0] for match in re.finditer(pattern, line)]


def test_the_key_for_comments_writes_the_mark_of_the_language() -> None:
    [text] = blocks_of("sublime.md", "xml")
    preferences = plistlib.loads(text.encode())
    assert preferences["scope"] in SYNTAXES
    [variable] = preferences["settings"]["shellVariables"]
    assert variable == {"name": "TM_COMMENT_START", "value": "# "}
