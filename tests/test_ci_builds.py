"""What `docs/ci.md` tells to write for build systems assembles kernels and lints them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
KERNEL = "set lr0 {{ trips }};;\nbkpt;;\n"
SETTINGS = """isa = "ipu"\n[defines]\ntrips = {}\n"""


def block(language: str, number: int = 0) -> str:
    """A fenced text of the page in that language."""
    fence = rf"^```{language}\n(.*?)^```$"
    texts: list[str] = re.findall(fence, PAGE, re.DOTALL | re.MULTILINE)
    return texts[number]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a kernel that reads its settings, and the commands for its `PATH`."""
    folder = tmp_path / "project"
    for name in ("kernels", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "kernels" / "dense.s").write_text(KERNEL)
    (folder / "ipu.toml").write_text(SETTINGS.format(3))
    for command in ("lint", "as"):
        program = folder / "bin" / f"ipu-{command}"
        name = "assembler" if command == "as" else command
        module = f"ipu_asm.cli.{name}.command"
        code = f"import sys; from {module} import main; sys.exit(main())"
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{code}' \"$@\"\n")
        program.chmod(0o755)
    return folder


def ended(arguments: list[str], folder: Path, project: Path) -> tuple[int, str]:
    """The status and the output of a program in a folder, with the commands on its `PATH`."""
    path = f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return process.returncode, process.stdout + process.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_the_build_of_cmake_assembles_again_after_a_change_and_lints(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(block("cmake"))
    [script] = [text for text in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "ctest" in text]
    configure, build, check = [line.split() for line in script.splitlines()]
    image = project / "build" / "dense.bin"
    for arguments in (configure, build, check):
        status, said = ended(arguments, project, project)
        assert status == 0, said
    assert "100% tests passed" in said
    first = image.read_bytes()
    assert len(first) == 2 * 24

    settings = project / "ipu.toml"
    settings.write_text(SETTINGS.format(4))
    newer = image.stat().st_mtime + 10
    os.utime(settings, (newer, newer))
    assert ended(build, project, project)[0] == 0
    second = image.read_bytes()
    assert second != first

    settings.write_text(SETTINGS.format(99999))
    os.utime(settings, (newer + 10, newer + 10))
    status, said = ended(build, project, project)
    assert (status != 0, "E106" in said, image.read_bytes()) == (True, True, second)
    status, said = ended(check, project, project)
    assert (status != 0, "E106" in said) == (True, True)


def rules() -> dict[str, Any]:
    """The rules of the page; Starlark of this kind is Python as well."""
    names: dict[str, Any] = {
        "attr": SimpleNamespace(label=dict, label_list=dict),
        "rule": SimpleNamespace,
        "depset": list,
        "DefaultInfo": SimpleNamespace,
    }
    exec(compile(block("starlark"), "ipu.bzl", "exec"), names)
    return names


def in_sandbox(project: Path, sandbox: Path, name: str) -> SimpleNamespace:
    """A file of the project, as a link as Bazel makes them."""
    link = sandbox / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(project / name)
    return SimpleNamespace(path=name, short_path=name)


@pytest.mark.parametrize(("trips", "is_good"), [(3, True), (99999, False)])
def test_the_rules_of_bazel_run_commands_that_do_so_in_a_sandbox(
    trips: int, is_good: bool, project: Path, tmp_path: Path
) -> None:
    (project / "ipu.toml").write_text(SETTINGS.format(trips))
    sandbox = tmp_path / "sandbox"
    source = in_sandbox(project, sandbox, "kernels/dense.s")
    data = [in_sandbox(project, sandbox, "ipu.toml")]
    done: dict[str, Any] = {}
    actions = SimpleNamespace(
        declare_file=lambda name: SimpleNamespace(path=name),
        run_shell=lambda **action: done.update(assemble=action),
        write=lambda **action: done.update(lint=action),
    )
    context = SimpleNamespace(
        label=SimpleNamespace(name="dense"),
        file=SimpleNamespace(src=source),
        files=SimpleNamespace(srcs=[source], data=data),
        actions=actions,
        runfiles=lambda files: files,
    )
    names = rules()
    for rule in ("ipu_kernel", "ipu_lint_test"):
        names[rule].implementation(context)

    assert done["assemble"]["inputs"] == [source, *data]
    shell = ["bash", "-c", done["assemble"]["command"], "bash", *done["assemble"]["arguments"]]
    status, said = ended(shell, sandbox, project)
    assert (status == 0, "E106" in said) == (is_good, not is_good), said
    assert (sandbox / "dense.bin").exists() == is_good
    status, said = ended(["sh", "-c", done["lint"]["content"]], sandbox, project)
    assert (status == 0, "E106" in said) == (is_good, not is_good), said
    assert names["ipu_lint_test"].test


def test_the_build_file_of_bazel_calls_the_rules_with_attributes_that_they_have() -> None:
    names = rules()
    called = {}

    def stub(rule: str) -> Any:
        return lambda **given: called.update({rule: set(given) - {"name", "size"}})

    stubs = {rule: stub(rule) for rule in ("ipu_kernel", "ipu_lint_test")}
    build = {**stubs, "load": lambda *_: None, "glob": list}
    exec(compile(block("starlark", 1), "BUILD.bazel", "exec"), build)
    assert called == {rule: set(names[rule].attrs) for rule in stubs}
