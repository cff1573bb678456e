"""The files that `ipu-lint` takes, leaves out and shows."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.cli.lint.command import main
from tests.cli.commands import Ran, run

FILES = dict.fromkeys(("a.s", "old/b.s", "old/c.s"), "bkptt;;\n")


def check_run(*arguments: str) -> Ran:
    """A run of `ipu-lint` that leaves every file as it is."""
    before = {path: path.read_bytes() for path in Path().rglob("*.s")}
    ran = run(main, arguments)
    assert {path: path.read_bytes() for path in Path().rglob("*.s")} == before
    return ran


def test_a_named_file_is_linted_though_it_is_excluded() -> None:
    Path("ipu.toml").write_text('exclude = ["old"]')
    assert check_run("--show-files", ".").out == "a.s\n"
    assert check_run("old/b.s").status == 1


def test_an_isolated_run_leaves_out_the_default_alone() -> None:
    Path("ipu.toml").write_text('exclude = ["old"]')
    assert check_run("--isolated", "--show-files").out == "a.s\nold/b.s\nold/c.s\n"
