"""The pages of `docs/editors` are found, and name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EDITORS = ROOT / "docs" / "editors"
EXTENSION = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))
OFFERED = EXTENSION["contributes"]
VSCODE = (EDITORS / "vscode.md").read_text(encoding="utf-8")


def check_links(page: Path) -> set[str]:
    """The names of the files that a page links to; all of them are there."""
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"\]\((?!https:)([^)#]+)(?:#[^)]*)?\)", text))
    assert [name for name in names if not (page.parent / name).exists()] == []
    return names


@pytest.mark.parametrize("name", sorted(path.name for path in EDITORS.glob("*.md")))
def test_what_a_page_links_to_is_there(name: str) -> None:
    assert check_links(EDITORS / name) != set()


def test_the_index_leads_to_every_page() -> None:
    pages = {path.name for path in EDITORS.glob("*.md")} - {"README.md"}
    assert pages <= check_links(EDITORS / "README.md")


def test_the_page_of_vscode_tells_of_every_command_and_of_no_other() -> None:
    titles = {f"{command['category']}: {command['title']}" for command in OFFERED["commands"]}
    (debugger,) = OFFERED["debuggers"]
    snippets = {snippet["label"] for snippet in debugger["configurationSnippets"]}
    told = set(re.findall(r"\*(IPU: [^*]+)\*", VSCODE))
    assert titles <= told <= titles | snippets


def test_the_page_of_vscode_names_settings_that_there_are() -> None:
    settings = set(OFFERED["configuration"]["properties"])
    named = re.findall(r"`(ipu\.[a-z]\w*[\w.*]*)`", VSCODE)
    for name in set(named) - {"ipu.toml"}:
        assert name == "ipu.*" or any(re.match(name.replace("*", ".*"), had) for had in settings)


def test_the_configuration_of_the_page_of_vscode_can_be_launched() -> None:
    [block] = re.findall(r"^```json\n(.*?)^```$", VSCODE, re.DOTALL | re.MULTILINE)
    [configuration] = json.loads(block)["configurations"]
    (debugger,) = OFFERED["debuggers"]
    known = set(debugger["configurationAttributes"]["launch"]["properties"])
    assert configuration.pop("type") == debugger["type"]
    assert configuration.pop("request") == "launch"
    assert set(configuration) - {"name"} <= known
