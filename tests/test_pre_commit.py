"""The hooks for pre-commit call commands that exist, for files that they can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ipu_asm.cli.fmt import main as fmt
from ipu_asm.cli.lint.command import main as lint
from ipu_asm.isa import manifests

ROOT = Path(__file__).parents[1]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").split("\n- ")[1:]


def check_hook(hook: str) -> dict[str, str]:
    """The fields of a hook, which are all there; each is written on one line."""
    fields = dict(re.findall(r"^ *([a-z]+): (.+)$", hook, re.MULTILINE))
    assert set(fields) == {"id", "name", "description", "entry", "language", "files"}
    return fields


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_calls_a_command_of_this_package(
    hook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = check_hook(hook)
    program, *options = fields["entry"].split()
    main = {"ipu-lint": lint, "ipu-fmt": fmt}[program]
    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'{program} = "ipu_asm.cli:{program.replace("-", "_")}"' in scripts
    path = tmp_path / "a.s"
    path.write_text("ACC.first;;\nbkpt  ;;\n")
    edits = fields["id"] != "ipu-lint"
    assert main([*options, str(path)]) == (0 if edits else 1)
    assert (path.read_text() != "ACC.first;;\nbkpt  ;;\n") == edits
    assert str(path) in capsys.readouterr().out or edits
    assert fields["language"] == "python"


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_takes_the_files_of_the_sets_that_are_there(hook: str) -> None:
    files = re.compile(check_hook(hook)["files"].strip("'"))
    known = {
        ".s",
        ".asm",
        *(extension for names in manifests().values() for extension in names.extensions),
    }
    assert [name for name in known if not files.search(f"x/a{name}")] == []
    assert not any(files.search(name) for name in ("a.aie3", "a.sh", "s", "a.IPU"))


def test_the_linter_and_the_formatter_have_hooks() -> None:
    assert [check_hook(hook)["id"] for hook in HOOKS] == ["ipu-lint", "ipu-lint-fix", "ipu-fmt"]
