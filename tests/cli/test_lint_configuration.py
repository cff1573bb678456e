"""`ipu-lint` and the configuration of the project it is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm.cli.lint.command import main
from tests.cli.commands import Ran, run

TEXT = "acc.frist;;\nset lr0 40000;;\nacc; break;;\nbkpt;;\n"


FILES = dict.fromkeys(("a.s", "old/b.s"), TEXT)


def check_codes(arguments: str, codes: str, status: int = 1) -> Ran:
    """The codes of what is found, by file."""
    ran = run(main, [*arguments.split(), "--format", "json"])
    files: dict[str, list[str]] = {}
    for finding in json.loads(ran.out):
        files.setdefault(finding["filename"], []).append(finding["code"])
    found = "; ".join(f"{name} {' '.join(codes)}" for name, codes in files.items())
    assert (found, ran.status) == (codes, status)
    return ran


def configure(text: str, name: str = "ipu.toml") -> None:
    """Write a configuration file."""
    Path(name).write_text(text)


def test_rules_are_chosen_by_the_configuration() -> None:
    configure('[lint]\nselect = ["E", "W"]\nignore = ["W203"]\nextend-select = ["H101"]\n')
    check_codes("a.s", "a.s E101 H101")


def test_the_command_line_adds_to_the_configuration() -> None:
    configure('[lint]\nselect = ["E"]\nignore = ["E101"]\n')
    check_codes("--extend-select W a.s", "a.s W203")
    check_codes("--ignore W a.s", "", 0)


def test_select_on_the_command_line_begins_anew() -> None:
    configure('[lint]\nselect = ["W"]\nignore = ["E101"]\n')
    check_codes("--select E a.s", "a.s E101")


def test_a_file_full_of_unknown_rules_is_told_in_a_hundred_lines() -> None:
    configure(f"[lint]\nignore = {[f'Q{n}' for n in range(20_000)]}\n")
    ran = run(main, ["."])
    assert (ran.status, ran.out) == (2, "")
    path = Path("ipu.toml").absolute()
    first, *_, last = ran.err.splitlines()
    assert first == f"ipu-lint: error: {path}:2: no rule has the code, name or prefix `Q0`"
    assert last == f"ipu-lint: error: {path}: 19,900 more mistakes"
    assert ran.err.count("\n") == 101


def test_rules_are_ignored_in_some_files() -> None:
    configure('[tool.ipu.lint.per-file-ignores]\n"old/*.s" = ["W", "H"]\n', "pyproject.toml")
    check_codes(".", "a.s E101 W203 H101; old/b.s E101")
    check_codes("--select E,W .", "a.s E101 W203; old/b.s E101")


def test_the_nearest_configuration_counts_for_each_file() -> None:
    configure('lint.select = ["E"]\n')
    configure('lint.select = ["W"]\n', "old/ipu.toml")
    check_codes(".", "a.s E101; old/b.s W203")


def test_a_named_configuration_counts_for_all() -> None:
    configure('lint.select = ["E"]\n')
    configure('lint.select = ["W"]\nlint.per-file-ignores = {"old/b.s" = ["W"]}\n', "my.toml")
    check_codes("--config my.toml .", "a.s W203")


def test_the_fail_level_can_be_configured() -> None:
    configure('[lint]\nselect = ["W", "H"]\nfail-level = "error"\n')
    check_codes("a.s", "a.s W203 H101", 0)
    check_codes("--fail-level hint a.s", "a.s W203 H101", 1)


def test_the_instruction_set_can_be_configured() -> None:
    configure('[isa-by-glob]\n"old/*" = "edgenpu"\n')
    check_codes("a.s", "a.s E101 W203 H101")
    check_codes("old/b.s", "old/b.s E101 E101 E001 E101 E101")


def test_a_broken_configuration_is_told_once_with_all_its_mistakes() -> None:
    configure('lint.slect = []\nisa = "ipx"\n', "old/ipu.toml")
    Path("old/c.s").write_text(TEXT)
    ran = check_codes(".", "a.s E101 W203 H101", 2)
    place = f"ipu-lint: error: {Path.cwd() / 'old' / 'ipu.toml'}"
    lines = ran.err.splitlines()
    assert lines[0].startswith(f"{place}:2: `isa`: expected one of colossus, ")
    assert lines[1:] == [f"{place}:1: `lint.slect`: unknown key; did you mean `select`?"]


def test_unknown_rules_are_told_where_they_are_named() -> None:
    configure('lint.ignore = ["immediate-warps"]\n')
    unknown = "no rule has the code, name or prefix"
    ran = run(main, ["a.s", "old", "--select", "X9", "--ignore", "Y9"])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "".join(f"ipu-lint: error: {unknown} `{name}`\n" for name in ("X9", "Y9"))
    ran = run(main, ["a.s", "old", "--select", "E"])
    assert (ran.status, ran.out) == (2, "")
    path = Path.cwd() / "ipu.toml"
    hint = "did you mean `immediate-wraps`?"
    assert ran.err == f"ipu-lint: error: {path}:1: {unknown} `immediate-warps`; {hint}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "my.toml: no such file or directory"),
        ("isa = \n", "my.toml:1: invalid value"),
        (
            "lint.select = ['E1', 'E0815']\n",
            "my.toml:1: no rule has the code, name or prefix `E0815`",
        ),
    ],
)
def test_a_named_configuration_that_is_none_is_told(text: str | None, message: str) -> None:
    if text is not None:
        configure(text, "my.toml")
    ran = run(main, ["--config", "my.toml", "a.s"])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"ipu-lint: error: {message}\n"
