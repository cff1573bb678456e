"""The pages in `docs/rules` say what the rules say."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.lint.rules import all_rules
from ipu_asm.reports.pages import FOLDER, pages, write_pages


def check_written(folder: Path) -> None:
    """A folder has exactly the pages that are due, with the text that is due."""
    written = {path.name: path.read_bytes().decode() for path in folder.iterdir()}
    assert written == pages()


def test_the_pages_of_the_project_are_up_to_date() -> None:
    check_written(FOLDER)


def test_there_is_a_page_for_each_rule_and_a_row_in_the_table() -> None:
    table = pages()["README.md"]
    for rule in all_rules():
        assert f"{rule.id.name}.md" in pages()
        row = f"| {rule.id.code} | [{rule.id.name}]({rule.id.name}.md) | "
        assert table.count(row) == 1


def test_writing_removes_the_page_of_a_rule_that_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    write_pages(folder)
    (folder / "gone.md").write_text("gone")
    (folder / "unused-label.md").write_text("old")
    write_pages(folder)
    check_written(folder)
