"""What is shipped says one version, and what starts without scripts starts."""

from __future__ import annotations

import compileall
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import ipu_asm

ROOT = Path(__file__).parents[1]
VERSION = ipu_asm.__version__
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
HEADINGS = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
CONTAINER = [
    line.partition(" ")[::2]
    for line in (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def check_module(*arguments: str, status: int = 0) -> str:
    """What ``python -m`` with these arguments prints that ends with this status."""
    command = [sys.executable, "-m", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input="")
    assert ended.returncode == status, ended.stderr
    return ended.stderr if status else ended.stdout


def test_the_topmost_version_of_the_changelog_is_the_packages() -> None:
    versions = [heading for heading in HEADINGS if heading != "[Unreleased]"]
    assert re.fullmatch(rf"\[{re.escape(VERSION)}\] - (unreleased|\d{{4}}-\d\d-\d\d)", versions[0])
    assert HEADINGS.index(versions[0]) <= 1


def test_a_version_of_the_changelog_is_dated_once_and_they_go_down() -> None:
    numbers = [re.findall(r"\d+", heading)[:3] for heading in HEADINGS if heading[1].isdigit()]
    ordered = [tuple(map(int, number)) for number in numbers]
    assert ordered == sorted(set(ordered), reverse=True)


def test_sections_of_the_changelog_have_the_usual_names() -> None:
    usual = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= usual


@pytest.mark.parametrize("page", ["docs/ci.md", "docs/versioning.md"])
def test_examples_name_the_version_that_there_is(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:ipu-asm@v|rev: v|ipu-asm==)([\d.]+\d)", text)) == {VERSION}


def test_python_m_of_the_toolchain_shows_how_to_use_it() -> None:
    usage = check_module("ipu_asm", "--help")
    assert usage.startswith("usage: python -m ipu_asm COMMAND")
    said = check_module("ipu_asm", status=2)
    assert said.endswith(usage)
    assert "expected a command, lint, as, run, mca or fmt, found none" in said


@pytest.mark.parametrize("command", ["lint", "as", "run", "mca", "fmt"])
def test_python_m_of_the_toolchain_has_every_command(command: str) -> None:
    assert f"usage: ipu-{command}" in check_module("ipu_asm", command, "--help")
    assert check_module("ipu_asm", command, "--version") == f"ipu-{command} {VERSION}\n"


@pytest.mark.parametrize(
    ("module", "program"),
    [("ipu_asm", "ipu-asm"), ("ipu_lsp", "ipu-lsp"), ("ipu_lsp.debug_adapter", "ipu-dap")],
)
def test_python_m_tells_the_version(module: str, program: str) -> None:
    assert check_module(module, "--version") == f"{program} {VERSION}\n"


@pytest.mark.parametrize(
    ("module", "request_", "answer"),
    [
        (
            "ipu_lsp",
            '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}',
            '"name":"ipu-lsp"',
        ),
        (
            "ipu_lsp.debug_adapter",
            '{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"ipu"}}',
            '"supportsStepBack":true',
        ),
    ],
)
def test_python_m_of_a_server_answers(module: str, request_: str, answer: str) -> None:
    message = f"Content-Length: {len(request_)}\r\n\r\n{request_}"
    command = [sys.executable, "-m", module]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input=message)
    assert answer in ended.stdout.replace(" ", ""), ended.stderr


def test_every_requirement_has_a_released_version_as_its_lower_bound() -> None:
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    required = [*SETTINGS["build-system"]["requires"], *PROJECT["dependencies"], *extras]
    # Stubs follow the versions of what they describe, and the extra `dev` names the other extras.
    unbounded = ("types-", f"{PROJECT['name']}[")
    bounded = [line for line in required if not line.startswith(unbounded)]
    # What changes its interface or its output with every version says up to which it is known.
    form = r"[\w-]+(>=\d+(\.\d+)*(,<\d+)?|==\d+(\.\d+)*)"
    assert [line for line in bounded if not re.fullmatch(form, line)] == []


def test_every_command_of_the_wheel_is_a_function() -> None:
    commands = {
        "ipu-lint", "ipu-as", "ipu-run", "ipu-mca", "ipu-mcp", "ipu-fmt", "ipu-lsp", "ipu-dap",
    }  # fmt: skip
    assert set(PROJECT["scripts"]) == commands
    for target in PROJECT["scripts"].values():
        module, _, name = target.partition(":")
        assert callable(getattr(__import__(module, fromlist=[name]), name))


def test_the_container_copies_what_is_there_and_what_it_may_see() -> None:
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    seen = {line[1:] for line in ignored if line.startswith("!")}
    copies = [rest.split() for word, rest in CONTAINER if word == "COPY"]
    copied = {name for words in copies if not words[0].startswith("--") for name in words[:-1]}
    assert ignored[0] == "*"
    assert copied == seen
    assert [name for name in seen if not (ROOT / name).exists()] == []


def test_the_container_has_all_that_the_wheel_is_made_of() -> None:
    copies = [rest.split() for word, rest in CONTAINER if word == "COPY"]
    copied = {name for words in copies for name in words[:-1]}
    assert {"pyproject.toml", "README.md", *PROJECT["license-files"]} <= copied


def test_the_readme_of_the_wheel_has_no_link_into_the_repository() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    assert hook["fragments"] == [{"path": "README.md"}]
    for each in hook["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    tokens = [child for token in MarkdownIt().parse(text) for child in token.children or ()]
    links = {token.attrGet("href") or token.attrGet("src") for token in tokens} - {None}
    assert all(str(link).startswith(("https:", "#")) for link in links)
    assert "](" not in re.sub(r"\]\((https:|#)", "", text)
    assert "Editors: VS Code (one `.vsix`), Neovim" in text


def test_the_container_starts_from_a_python_that_will_do_and_runs_as_nobody_special() -> None:
    words = [word for word, _ in CONTAINER]
    images = [rest for word, rest in CONTAINER if word == "FROM"]
    oldest = tuple(map(int, re.findall(r"\d+", PROJECT["requires-python"])))
    used = [tuple(map(int, re.findall(r":(\d+)\.(\d+)", image)[0])) for image in images]
    assert min(used) >= oldest
    assert dict(CONTAINER)["USER"] not in ("", "root", "0")
    assert words.index("USER") > len(words) - 1 - words[::-1].index("RUN")
    assert dict(CONTAINER)["CMD"] == '["ipu-lint", "."]'


@pytest.mark.parametrize("module", ["ipu_asm.cli.lint.command", "ipu_lsp.server.server"])
def test_commands_import_nothing_from_the_current_folder(module: str, tmp_path: Path) -> None:
    """As docs/editors/README.md says of the installed commands, and of `python -P -m`."""
    folder, scripts = tmp_path / "foreign", tmp_path / "bin"
    folder.mkdir()
    scripts.mkdir()
    for name in ("json", "re", "ipu_asm", "ipu_lsp"):
        (folder / f"{name}.py").write_text("raise SystemExit(99)\n", encoding="utf-8")
    script = scripts / "command"
    script.write_text(f"import sys\nfrom {module} import main\nsys.exit(main())\n", "utf-8")
    started = [str(script)], ["-P", "-m", "ipu_asm", "lint"]
    for arguments in started:
        ended = subprocess.run(
            [sys.executable, *arguments, "--version"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert VERSION in ended.stdout


def test_the_makefile_has_the_targets_that_contributing_names() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    named = re.findall(r"`make (\w+)`", text)
    assert named
    assert set(named) <= set(targets)


def test_sets_and_rules_are_found_where_only_compiled_files_are(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from ipu_asm.isa import available_isas;"
        "from ipu_asm.lint.rules import all_rules; import ipu_asm;"
        "print(ipu_asm.__file__); print(*available_isas());"
        "print(*(rule.id.code for rule in all_rules()))"
    )
    expected = check_module_of(program, ROOT)
    copy = shutil.copytree(ROOT / "ipu_asm", tmp_path / "ipu_asm", ignore=_NOT_NEEDED)
    compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    found = check_module_of(program, tmp_path)
    assert found[0] == f"{copy / '__init__.pyc'}"
    assert found[1:] == expected[1:]
    assert "E101" in found[2]


_NOT_NEEDED = shutil.ignore_patterns("__pycache__", "*.wasm", "testbench", "emulator", "debugger")


def check_module_of(program: str, folder: Path) -> list[str]:
    """The lines that a program prints that finds the package in a folder."""
    command = [sys.executable, "-I", "-c", program, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
