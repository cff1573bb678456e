"""The files for Compiler Explorer, called as version d51924f91 of its main branch calls them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ipu_asm.isa import available_isas
from tests.docs.commands import files

PAGE = "docs/compiler-explorer.md"
FILES = files(PAGE)
_LINES = FILES["etc/config/assembly.local.properties"].splitlines()
PROPERTIES = dict(line.split("=", 1) for line in _LINES if line)
GROUPS = {
    group: PROPERTIES[f"group.{group}.compilers"].split(":")
    for group in PROPERTIES["compilers"].replace("&", "").split(":")
}
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}
COMPILERS = [(group, name) for group, names in GROUPS.items() for name in names]
PLACE = re.compile(r"^\s*<source>[(:](\d+)(?::?,?(\d+):?)?[):]*\s*(.*)")
"""What makes a line of standard error lead to a line of the source there."""


def script_of(folder: Path, group: str) -> str:
    """The script of a group of compilers, as a file that can be executed."""
    script = folder / "script"
    script.write_text(FILES[PROPERTIES[f"group.{group}.exe"]], encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def compiled(
    folder: Path, group: str, name: str, text: str, *options: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    """What a compiler answers, and what it has written."""
    source, out = folder / "example.asm", folder / "output.s"
    source.write_text(text, encoding="utf-8")
    told = PROPERTIES[f"compiler.{name}.options"].split()
    done = subprocess.run(
        [script_of(folder, group), "-o", str(out), *told, *options, str(source)],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
    )
    return done, out.read_text(encoding="utf-8") if out.exists() else ""


def test_each_set_is_a_compiler_and_nothing_else_is_named() -> None:
    sets = [PROPERTIES[f"compiler.{name}.options"] for name in GROUPS["ipu"]]
    assert sorted(sets) == sorted(f"--isa {name}" for name in available_isas())
    named = {key.split(".")[1] for key in PROPERTIES if key.startswith("compiler.")}
    assert named == {name for _, name in COMPILERS}
    assert PROPERTIES["defaultCompiler"] in named
    for group in GROUPS:
        assert PROPERTIES[f"group.{group}.exe"] in FILES


@pytest.mark.parametrize(("group", "name"), COMPILERS)
def test_a_program_is_compiled(tmp_path: Path, group: str, name: str) -> None:
    text = {"ipu": "bkpt;;\n", "ipu2": "BKPT;;\n"}.get(name.partition("-")[0], "nop\n")
    done, written = compiled(tmp_path, group, name, text)
    assert (done.returncode, done.stdout) == (0, "")
    wanted = "cycle" if name.endswith("cycles") else f"  # {text}"
    assert wanted in written


def test_options_of_the_user_come_last(tmp_path: Path) -> None:
    _, written = compiled(tmp_path, "ipu", "ipu", "bkpt;;\n", "--format", "hex")
    assert re.fullmatch(r"0x[0-9a-f]+\n", written)


def test_a_finding_leads_to_its_line(tmp_path: Path) -> None:
    done, written = compiled(tmp_path, "ipu", "ipu2", "BKPT;;\nSETT lr1 1;;\n")
    assert (done.returncode, written) == (1, "")
    shown = done.stderr.replace(str(tmp_path / "example.asm"), "<source>").splitlines()
    found = [match.groups() for line in shown if (match := PLACE.match(line))]
    assert [(line, column) for line, column, _ in found] == [("2", "1")]
    assert "unknown mnemonic `SETT`" in found[0][2]


@pytest.mark.parametrize("group", GROUPS)
def test_a_script_tells_its_version(tmp_path: Path, group: str) -> None:
    command = [script_of(tmp_path, group), PROPERTIES[f"group.{group}.versionFlag"]]
    told = subprocess.check_output(command, env=ENVIRONMENT, text=True)
    assert re.fullmatch(r"ipu-\w+ \d\S+\n", told)
