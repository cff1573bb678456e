"""The generated parts of the extension for Visual Studio Code."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from ipu_asm.config.configuration_file import FILE_NAMES
from ipu_asm.config.files import source_extensions
from ipu_asm.config.host_search import WATCHED
from ipu_asm.reports.vscode import EXTENSION, formatted, vscode_files, write_vscode_files
from ipu_lsp.server.sources import HEADER_EXTENSIONS

PROJECT = Path(__file__).resolve().parents[2]


def test_the_files_of_the_extension_are_up_to_date() -> None:
    """If this fails, run `python -m ipu_asm.reports.vscode`."""
    for name, text in vscode_files().items():
        assert (EXTENSION / name).read_text(encoding="utf-8") == text, name


def test_the_web_copies_what_the_server_watches() -> None:
    source = vscode_files()["src/languages.ts"]
    (read,) = re.findall(r"READ_FILES =\s+/(.+)/;", source)
    extensions = {*source_extensions(), *HEADER_EXTENSIONS}
    names = {f"a{extension}" for extension in extensions}
    names |= {glob.replace("*", "a").rpartition("/")[2] for glob in (*FILE_NAMES, *WATCHED)}
    assert {name for name in names if not re.search(read, name)} == set()
    assert not any(re.search(read, name) for name in ("notes.md", "package.json", "conftest.py"))


def test_what_a_stale_package_says_by_hand_stays(tmp_path: Path) -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    current = formatted(package)
    package["contributes"]["languages"] = package["contributes"]["languages"][-1:]
    package["contributes"]["configuration"]["properties"]["ipu.isa"]["enum"].pop()
    package["activationEvents"].insert(0, "onLanguage:gone")
    for folder in ("src", "languages"):
        (tmp_path / folder).mkdir()
    (tmp_path / "package.json").write_text(json.dumps(package), encoding="utf-8")
    write_vscode_files(tmp_path)
    after = json.loads((tmp_path / "package.json").read_text(encoding="utf-8"))
    descriptions = after["contributes"]["configuration"]["properties"]["ipu.isa"]
    assert descriptions["markdownEnumDescriptions"][-1] == "XDNA2"
    descriptions["markdownEnumDescriptions"][-1] = "XDNA2 (AIE2P)"
    assert formatted(after) == current


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"a": [1, "ü"]}, '{ "a": [1, "ü"] }'),
        ({"a": ["b" * 90, 1]}, '{\n  "a": [\n    "' + "b" * 90 + '",\n    1\n  ]\n}'),
    ],
)
def test_json_that_fits_on_a_line_is_on_one(value: object, text: str) -> None:
    assert formatted(value) == text + "\n"


def test_every_module_that_make_generate_runs_exists() -> None:
    text = (PROJECT / "Makefile").read_text(encoding="utf-8")
    modules = re.findall(r"\$\(PYTHON\) -m (ipu_asm[\w.]*)", text)
    assert modules
    assert [name for name in modules if find_spec(name) is None] == []
