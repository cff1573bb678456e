"""Every command of the README and the documentation runs as it is printed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ipu_asm import analyze
from ipu_asm.ide.hover import hover
from tests.docs.commands import (
    CHECKS,
    ELSEWHERE,
    INSTALLS,
    PAGES,
    ROOT,
    Block,
    blocks,
    elsewhere,
    files,
)

SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
TYPED = [block for block in blocks("sh", "console") if set(block.commands) - elsewhere()]
PACKAGES = ("ipu_asm", "ipu_lsp")
COPIED = ("README.md", "pyproject.toml", "docs", "examples", "grammars")
UNWANTED = shutil.ignore_patterns("__pycache__", "images")
INSTALLERS = ("pip", "pip3", "pipx", "uv", "uvx", "npm")
REFUSED = "tests install nothing: name this command in INSTALLS or ELSEWHERE of tests/docs/commands"
PROGRAMS = "|".join((*SCRIPTS, "python3?", "pip", "pipx", "uvx?", "npm", "git", "podman", "docker"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the project, with the reader's own folder `kernels`, and the commands installed.

    The packages are links: each command would compile the modules of a copy.
    """
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in PACKAGES:
        (copy / name).symlink_to(ROOT / name)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=UNWANTED)
        else:
            shutil.copy(source, copy)
    shutil.copytree(ROOT / "examples", copy / "kernels")
    programs = tmp_path / "bin"
    programs.mkdir()
    put_program(programs / "python", sys.executable)
    for name in INSTALLERS:
        put_program(programs / name, "sh", "-c", f"echo {REFUSED!r} >&2; exit 1")
    for name, target in SCRIPTS.items():
        module, _, function = target.partition(":")
        code = f"import sys; from {module} import {function} as main; sys.exit(main())"
        put_program(programs / name, sys.executable, "-c", code)
    return copy


def put_program(path: Path, *command: str) -> None:
    """Write a program that hands its arguments on to a command."""
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    path.chmod(0o755)


def check_typed(script: str, folder: Path) -> str:
    """What a script prints that a reader types in a folder, where it succeeds."""
    ended = typed(script, folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def typed(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script that has ended, with the project's commands on the `PATH`."""
    path = f"{folder.parent / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder)}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def show_files(page: str, folder: Path) -> None:
    """Write the files that a page shows; a package to which it adds some becomes a copy."""
    for name, text in files(page).items():
        package = folder / Path(name).parts[0]
        if package.is_symlink():
            package.unlink()
            shutil.copytree(ROOT / package.name, package, ignore=UNWANTED)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("block", TYPED, ids=lambda block: f"{block.page}: {block.commands[0]}")
def test_a_block_of_commands_runs_as_it_is_printed(block: Block, checkout: Path) -> None:
    show_files(block.page, checkout)
    if block.language == "sh":
        check_typed(block.text, checkout)
        return
    command, _, expected = block.text.removeprefix("$ ").partition("\n")
    assert block.commands == [command]
    assert typed(command, checkout).stdout == expected


@pytest.mark.parametrize("block", TYPED, ids=lambda block: f"{block.page}: {block.commands[0]}")
def test_a_block_is_run_wholly_or_not_at_all(block: Block) -> None:
    assert set(block.commands).isdisjoint(elsewhere())


def test_what_is_run_elsewhere_is_on_a_page_and_has_a_reason() -> None:
    printed = {command for block in blocks("sh", "console") for command in block.commands}
    assert elsewhere() - printed == set()
    assert all(ELSEWHERE.values())


def test_ci_has_the_commands_that_check_the_project() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [command for command in CHECKS if command not in ci] == []
    assert "\n.ci/installs\n" in ci
    assert "from tests.docs.commands import INSTALLS" in (ROOT / ".ci" / "installs").read_text()
    assert len(INSTALLS) == 5


@pytest.mark.parametrize("page", PAGES)
def test_no_command_stands_in_a_block_that_is_not_run(page: str) -> None:
    scripts = files(page).values()
    for block in blocks():
        if block.text in scripts:
            continue
        if block.page == page and block.language in ("", "text", "bash", "shell"):
            assert re.findall(rf"^(?:\$ )?(?:{PROGRAMS}) .*", block.text, re.MULTILINE) == []


def test_the_python_of_the_readme_runs(checkout: Path) -> None:
    [block] = [block for block in blocks("python") if block.page == "README.md"]
    printed = check_typed(f"python -c {shlex.quote(block.text)}", checkout)
    assert printed.startswith("1:1: E101 unknown-mnemonic: ")


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("lr4 lr0", "sees the **new** value: `incr lr4 1` comes first"),
        ("lr4 lr5", "sees the **old** value, from before this bundle: `incr lr4 1` comes too late"),
    ],
)
def test_hover_says_what_the_readme_says(place: str, sentence: str) -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert sentence in readme
    [text] = [
        block.text for block in blocks("asm") if block.page == "README.md" and place in block.text
    ]
    page = hover(analyze(text), text.index(place))
    assert page is not None
    assert sentence in page.markdown.replace("Sees", "sees")


@pytest.mark.parametrize(
    "block",
    [
        block
        for block in blocks("toml")
        if block.page in ("docs/configuration.md", "docs/settings.md")
    ],
    ids=lambda block: block.page,
)
def test_a_configuration_is_understood(block: Block, checkout: Path) -> None:
    (checkout / "ipu.toml").write_text(block.text, encoding="utf-8")
    assert typed("ipu-lint kernels", checkout).stderr == ""


def test_a_block_that_installs_something_is_refused(checkout: Path) -> None:
    ended = typed("pip install ipu-asm", checkout)
    assert (ended.returncode, ended.stderr) == (1, f"{REFUSED}\n")
