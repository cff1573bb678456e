"""The documentation site: its pages, links and programs."""

from __future__ import annotations

import base64
import html
import json
import re
import tomllib
import zlib
from pathlib import Path

import pytest

from docs.site import build
from tests.example_references import ROOT

# Built whole by `.ci/run`.
GENERATED = ("docs/reference/", "docs/rules/")
FOLDER = ROOT / "docs" / "site"


def test_every_link_of_a_page_leads_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "PAGES", tmp_path)
    names = [name for name in build.pages() if not name.startswith(GENERATED)]
    assert [each for name in names for each in build.write_page(name, True)] == []
    home = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "](docs/editors/vscode.md)" in home
    assert (tmp_path / "docs/images/debugging.png").is_file()


def test_a_link_to_no_file_is_told() -> None:
    missing: list[str] = []
    build.with_links("[a](absent.md)", "docs/ci.md", False, missing)
    assert missing == ["docs/ci.md: expected a file of the repository in a link, found `absent.md`"]


def test_every_page_but_those_of_rules_is_in_the_navigation() -> None:
    configuration = tomllib.loads((FOLDER / "zensical.toml").read_text(encoding="utf-8"))
    groups = [names for group in configuration["project"]["nav"] for names in group.values()]
    listed = [name for names in groups for name in names]
    expected = [name for name in build.pages() if not name.startswith("docs/rules/")]
    expected += ["docs/rules/README.md", "index.md"]
    assert sorted([*listed, "README.md"]) == sorted(expected)


@pytest.mark.parametrize("name", ["fully_connected.s", "row_filter.asm", "xdna2/matmul_bf16.aie2p"])
def test_a_coloured_program_is_its_text_and_opens_whole(name: str) -> None:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    isa = build.set_of(f"examples/{name}")
    assert isa is not None
    coloured = build.coloured(text, isa)
    assert "asm-function" in coloured
    assert html.unescape(re.sub(r"</?span[^>]*>", "", coloured)) == text
    link = build.opening("docs/ci.md", isa, text, name)
    page, _, data = link.partition("#1.")
    assert page == "../playground/index.html"
    packed = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
    shared = json.loads(zlib.decompress(packed, -15))
    assert (shared["isa"], shared["name"], shared["text"]) == (isa, name, text)


def test_content_of_lists_is_indented_as_the_generator_reads_it() -> None:
    text = "1. One:\n\n   ```sh\n   ls\n   ```\n2. Two\n"
    written = build.with_links(text, "docs/ci.md", False, [])
    assert written == "1. One:\n\n    ```sh\n    ls\n    ```\n\n2. Two\n"
