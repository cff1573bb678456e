"""Bundles differ in size: there are no words of one size, and nothing is executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.run import command as run
from ipu_asm.ide.listing import listing
from tests.targets.aie.cases import NAMES, analyze


def check_refused(capsys: pytest.CaptureFixture[str], status: int, said: str) -> None:
    """A command ended with wrong usage and one sentence."""
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert said in printed.err


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "kernel.aie"
    path.write_text("    nop\n", encoding="utf-8")
    return str(path)


def test_the_emulator_says_so(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = "programs for `colossus` cannot be executed"
    assert run.main([kernel, "--isa", "colossus"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("isa", NAMES)
def test_there_is_a_reference_without_bits(isa: str, tmp_path: Path) -> None:
    assert assembler.main(["docs", "--isa", isa, "-o", str(tmp_path)]) == 0
    text = (tmp_path / f"{isa}.md").read_text(encoding="utf-8")
    assert "`vmac.f`" in text
    assert "`ipu-as` assembles and disassembles their code" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{isa}.html", f"{isa}.md"]


def test_a_listing_shows_addresses_and_sources_alone() -> None:
    program = analyze("xdna1", "a: nopa // x\n\nfoo\n")
    text = listing(program, encode_without_errors(program.program)).text
    assert text.splitlines() == [
        "# isa: xdna1",
        "# <stdin>: 2 bundles, 1 error",
        "",
        "   0  # a: nopa // x",
        "",
        "   1  # foo",
        "      # ^ E101 unknown mnemonic `foo`",
    ]
