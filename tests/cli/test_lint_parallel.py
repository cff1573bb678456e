"""`ipu-lint` with several processes: the same results as with one."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from ipu_asm.cli.lint import run as lint_run
from ipu_asm.cli.lint.command import main
from ipu_asm.cli.lint.linter import Linter, LintResult
from ipu_asm.config.files import Target
from tests.cli.commands import Ran, give_input, run


@pytest.fixture(autouse=True)
def _in_a_folder_with_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_run, "_MIN_FILES", 2)
    for number in range(7):
        Path(f"{number}.s").write_text(f"set lr{number} {number}0000;;\nACC.first;;\nbkptt;;\n")


def check_same(*arguments: str) -> Ran:
    """The run with two processes, which is that with one."""
    ran = run(main, [*arguments, "--jobs", "2"])
    assert ran == run(main, [*arguments, "--jobs", "1"])
    return ran


@pytest.mark.parametrize("name", ["text", "json", "sarif"])
def test_findings_are_those_of_one_process(name: str) -> None:
    assert check_same("--format", name).status == 1


def test_a_message_about_the_configuration_is_printed_once() -> None:
    Path("ipu.toml").write_text("isa = 3\n")
    ran = check_same()
    assert (ran.status, ran.err.count("ipu.toml:1")) == (2, 1)


def test_files_that_cannot_be_read_are_reported() -> None:
    Path("3.s").write_bytes(b"\xff\xfe")
    assert "3.s: expected UTF-8" in check_same().err


def test_differences_are_those_of_one_process() -> None:
    assert "Would fix" in check_same("--diff", "--unsafe-fixes").err


def test_standard_input_is_read_beside_files(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for jobs in "12":
        give_input(monkeypatch, "acc.frist;;\n")
        shown.append(run(main, ["-", "--jobs", jobs, *map(str, Path().glob("*.s"))]))
    assert shown[0] == shown[1]
    assert "acc.frist" in shown[0].out


def test_files_of_a_process_that_was_killed_are_linted_in_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = os.getpid()
    lint = Linter.lint

    def dying(linter: Linter, target: Target) -> LintResult | None:
        if os.getpid() != here and target.name == "4.s":
            os._exit(9)
        return lint(linter, target)

    monkeypatch.setattr(Linter, "lint", dying)
    assert check_same().status == 1


def test_the_output_file_may_not_be_a_configuration_that_only_other_processes_read() -> None:
    Path("ipu.toml").write_text('isa = "ipu"\n')
    assert "would replace the input" in check_same("-o", "ipu.toml").err


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "1.5"])
def test_a_number_of_processes_is_at_least_one(jobs: str) -> None:
    ran = run(main, ["--jobs", jobs])
    assert (ran.status, "expected a number of at least 1" in ran.err) == (2, True)


def test_the_collector_is_as_it_was_before() -> None:
    check_same()
    assert gc.isenabled()
    gc.disable()
    try:
        check_same()
        assert not gc.isenabled()
    finally:
        gc.enable()
