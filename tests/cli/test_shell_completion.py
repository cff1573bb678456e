"""Completion in shells: what completes each option of each command."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from argcomplete.finders import CompletionFinder

from ipu_asm.cli import assembler, fmt, mca
from ipu_asm.cli.arguments import add_completers
from ipu_asm.cli.lint import options as lint
from ipu_asm.cli.run import options as run

PARSERS = {
    "ipu-as": assembler.make_parser,
    "ipu-fmt": fmt.make_parser,
    "ipu-lint": lint.make_parser,
    "ipu-mca": mca.make_parser,
    "ipu-run": run.make_parser,
}


def completed(line: str) -> list[str]:
    """What a shell is told about a line with the cursor at its end."""
    *words, prefix = line.split(" ")
    parser: argparse.ArgumentParser = PARSERS[words[0]]()
    add_completers(parser)
    # Its lowest version has no types, and later ones have some.
    make: Any = CompletionFinder
    found = make(parser, always_complete_options="long")._get_completions(words, prefix, "", None)
    return [word.rstrip() for word in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ipu-lint --select E10", ["E101", "E102", "E103", "E104", "E105", "E106", "E107"]),
        ("ipu-lint --ignore E101,unused-l", ["E101,unused-label"]),
        ("ipu-lint --explain ldr_mult_r", ["ldr_mult_reg"]),
        ("ipu-lint --format json", ["json", "json-lines"]),
        ("ipu-fmt --isa xdna", ["xdna1", "xdna2"]),
        ("ipu-fmt --mnem", ["--mnemonic-case"]),
        ("ipu-run --inter", ["--interactive"]),
        ("ipu-mca --isa co", ["colossus"]),
        ("ipu-as assemble --isa ed", ["edgenpu"]),
        ("ipu-as dis", ["disassemble"]),
    ],
)
def test_values_of_options_are_completed(line: str, expected: list[str]) -> None:
    assert sorted(completed(line)) == expected


def test_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernel.s").touch()
    monkeypatch.chdir(tmp_path)
    assert [completed(f"{command} ker") for command in ("ipu-lint", "ipu-run")] == [
        ["kernel.s"]
    ] * 2


def test_completion_is_loaded_for_shells_alone() -> None:
    code = (
        "import sys; from ipu_asm.cli.lint.options import read_options; read_options([]);"
        "print({'argcomplete', 'rich'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
