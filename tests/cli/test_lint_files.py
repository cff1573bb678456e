"""The files that `ipu-lint` takes, leaves out and shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.lint.command import main
from tests.cli.commands import Ran, give_input, run


@pytest.fixture(autouse=True)
def _in_a_folder_with_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.s", "old/b.s", "old/c.s"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("bkptt;;\n")


def check_run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """A run of `ipu-lint` that leaves every file as it is."""
    before = {path: path.read_bytes() for path in Path().rglob("*.s")}
    ran = run(main, arguments, capsys)
    assert {path: path.read_bytes() for path in Path().rglob("*.s")} == before
    return ran


def test_files_are_shown_without_being_linted(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_run(capsys, "--show-files") == Ran(0, "a.s\nold/b.s\nold/c.s\n", "")


def test_excluded_files_have_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    shown = check_run(capsys, "--format", "concise", "--exclude", "old/b*, a.s")
    assert [line.split(":")[0] for line in shown.out.splitlines()] == ["old/c.s"]


def test_a_named_file_is_linted_though_it_is_excluded(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ipu.toml").write_text('exclude = ["old"]')
    assert check_run(capsys, "--show-files", ".").out == "a.s\n"
    assert check_run(capsys, "old/b.s").status == 1


def test_force_exclude_counts_for_named_files_and_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ipu.toml").write_text('exclude = ["old"]')
    assert check_run(capsys, "--force-exclude", "a.s", "old/b.s", "--show-files").out == "a.s\n"
    assert check_run(capsys, "--force-exclude", "old/b.s").status == 0
    give_input(monkeypatch, "bkptt;;\n")
    assert check_run(capsys, "--force-exclude", "--stdin-filename", "old/b.s", "-").status == 0


def test_an_isolated_run_leaves_out_the_default_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ipu.toml").write_text('exclude = ["old"]')
    assert check_run(capsys, "--isolated", "--show-files").out == "a.s\nold/b.s\nold/c.s\n"


def test_the_configuration_of_an_option_excludes_relative_to_the_working_directory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("old/other.toml").write_text('extend-exclude = ["/old/b.s"]')
    shown = check_run(capsys, "--config", "old/other.toml", "--show-files")
    assert shown.out == "a.s\nold/c.s\n"
