"""Templates on the command line of `ipu-lint`: contexts and values from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.lint.command import main
from tests.cli.commands import give_input, run

CONFIGURATION = '[template."k/*.asm"]\ncontexts = [{reg = 3}, {reg = 30}]\n'
TEMPLATE = "set lr{{ reg }} 1;;\nbkpt;;\n"
WRONG = "operand `reg`: expected a loop register (`lr0` to `lr15`), found `lr"
AT = "k/a.asm:1:5: error[E104] "


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with a template and two contexts for it, one of which is wrong."""
    monkeypatch.chdir(tmp_path)
    Path("k").mkdir()
    Path("ipu.toml").write_text(CONFIGURATION)
    Path("k/a.asm").write_text(TEMPLATE)


def check(
    capsys: pytest.CaptureFixture[str], arguments: str, status: int, *beginnings: str
) -> None:
    """A run with these arguments prints lines that begin like this."""
    ran = run(main, ["--format", "concise", *arguments.split()], capsys)
    assert ran.status == status
    lines = (ran.out + ran.err).splitlines()
    assert [line[: len(start)] for line, start in zip(lines, beginnings)] == list(beginnings)
    assert len(lines) == len(beginnings)


def test_every_context_of_the_configuration_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "k", 1, f"{AT}in context reg=30: {WRONG}30`")


def test_a_define_selects_the_context_that_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "k --define reg=3", 0)


def test_a_define_that_no_context_has_counts_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "k --define reg=40", 1, f"{AT}{WRONG}40`")
    check(capsys, "k --define reg=4 --define reg=5", 0)


def test_defines_of_the_project_are_variables(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ipu.toml").write_text("[defines]\nreg = 50\n")
    check(capsys, "k", 1, f"{AT}{WRONG}50`")
    check(capsys, "k --define reg=5", 0)


@pytest.mark.parametrize("value", ["reg", "=3", "3=3", "a-b=3"])
def test_a_define_without_name_or_value_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], value: str
) -> None:
    check(capsys, f"k --define {value}", 2, "ipu-lint: error: argument --define: expected ")


def test_standard_input_is_read_as_the_file_that_it_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_input(monkeypatch, TEMPLATE)
    check(capsys, "- --stdin-filename k/a.asm", 1, f"{AT}in context reg=30: {WRONG}30`")


def test_without_configuration_a_template_has_no_context(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check(capsys, "k --isolated --define reg=20", 1, f"{AT}{WRONG}20`")
    Path("k/a.asm").write_text("set lr0 1;; # {{ 3 }}\nbkpt;;\n")
    check(capsys, "k --isolated", 0)


def test_a_template_that_expands_to_nothing_is_told_if_it_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("k/a.asm").write_text("{% macro _m() %}acc;;{% endmacro %}\n")
    check(capsys, "k", 0)
    check(capsys, "k/a.asm", 1, "k/a.asm:1:1: error[E001] a program has at least one bundle")
