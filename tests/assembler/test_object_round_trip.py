"""Objects of the examples are disassembled to texts that assemble to the same objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.assembler import command as assembler
from ipu_asm.config.isa_choice import choose_isa
from ipu_asm.isa import manifests

EXAMPLES = sorted(
    path
    for path in (Path(__file__).parents[2] / "examples").rglob("*.*")
    if path.suffix in (".S", ".aie", ".aie2", ".aie2p")
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_object_comes_back(path: Path, tmp_path: Path) -> None:
    isa = choose_isa(path.read_text(encoding="utf-8"), str(path)).name
    assert manifests()[isa].has_machine_code
    first, second = tmp_path / "first.o", tmp_path / "second.o"
    text = tmp_path / f"text{path.suffix}"
    assemble = ["assemble", "--no-warnings", "--isa", isa, "-o"]
    assert assembler.main([*assemble, str(first), str(path)]) == 0
    assert assembler.main(["disassemble", "-o", str(text), str(first)]) == 0
    assert assembler.main([*assemble, str(second), str(text)]) == 0
    assert first.read_bytes() == second.read_bytes()
    assert ".byte" not in text.read_text(encoding="utf-8")
