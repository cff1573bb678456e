"""Pages lead to what there is: files, headings, and nothing that is still to be published."""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib

import pytest

from tests.docs.commands import PAGES, ROOT

REGISTRY = re.compile(
    r"(?:pip install|pipx install|uv tool install|uvx --from|--spec) ipu-asm"
    r"|OWNER/ipu-asm@v|rev: v\d|ipu-asm==\d"
)
RELEASED = "- unreleased" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def without_code(text: str) -> str:
    """A page without its fenced blocks and its code between backticks."""
    text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: str) -> set[str]:
    """What stands after `#` in links to the headings of a page."""
    text = re.sub(r"^ *```.*?^ *```$", "", read(page), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_to_files_and_headings(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(read(page))):
        if target.startswith(("https:", "http:")):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path.resolve().relative_to(ROOT).as_posix()), target


@pytest.mark.parametrize("page", PAGES)
def test_what_a_registry_must_have_is_promised_for_after_the_first_release(page: str) -> None:
    heading = ""
    for paragraph in re.split(r"\n{2,}", read(page)):
        heading = paragraph if paragraph.startswith("#") else heading
        if REGISTRY.search(paragraph):
            is_promise = "first release" in f"{heading} {paragraph}".lower().replace("\n", " ")
            assert is_promise != RELEASED, paragraph


def test_no_message_tells_to_install_what_is_not_published() -> None:
    sources = [
        *(ROOT / "vscode-extension" / "src").rglob("*.ts"),
        *(ROOT / "ipu_asm").rglob("*.py"),
        *(ROOT / "ipu_lsp").rglob("*.py"),
    ]
    found = [path.name for path in sources if REGISTRY.search(path.read_text(encoding="utf-8"))]
    assert RELEASED or found == []


def test_the_project_names_no_address_of_its_own_until_it_has_one() -> None:
    package = json.loads(read("vscode-extension/package.json"))
    assert {"repository", "homepage", "bugs"} & set(package) == set()
    assert "urls" not in tomllib.loads(read("pyproject.toml"))["project"]
    for page in (*PAGES, "action.yml", ".pre-commit-hooks.yaml", "Containerfile"):
        assert "example.com" not in read(page), page


def test_files_that_the_page_on_architecture_names_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/.-])(?:[\w.-]+/)+[\w*-]+\.(?:py|c|h|json|ts)\b", page))
    folders = [ROOT / name for name in ("ipu_asm", "ipu_lsp", "tests", "benchmarks")]
    files = [path.as_posix() for folder in folders for path in folder.rglob("*.*")]
    patterns = {name: f"*/{name.replace('NAME', '*')}" for name in named}
    assert len(named) > 30
    assert [name for name in patterns if not fnmatch.filter(files, patterns[name])] == []
