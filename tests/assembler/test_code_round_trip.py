"""Bytes of every set with machine code become a text whose bundles are those bytes again."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.assembler.code_files import CodeFile, code_of_bytes
from ipu_asm.assembler.machine_code import CodeUnit
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.program.build import read_program

SETS = [name for name, manifest in manifests().items() if manifest.has_machine_code]


def value_of(isa: Isa, text: str) -> int | None:
    """The value of an operand that is a number."""
    try:
        return int(text.strip().removeprefix(isa.surface.number_mark), 0)
    except ValueError:
        return None


@pytest.mark.parametrize("name", SETS)
def test_random_bytes_come_back(name: str) -> None:
    isa = load_isa(name)
    machine_code = machine_code_of(isa)
    assert machine_code is not None
    data = Random(name).randbytes(12_000)
    lines = CodeFile(isa, machine_code, code_of_bytes(data)).lines(has_labels=False)
    assert sum(line.size for line in lines) == len(data)
    program = read_program(isa, "".join(f"{line.text}\n" for line in lines))
    assert program.findings == []
    code = [line for line in lines if line.instructions]
    assert len(code) > 90
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    for line, bundle in zip(code, bundles, strict=True):
        encoded = machine_code.encode(bundle, line.offset, lambda text: value_of(isa, text))
        assert isinstance(encoded, CodeUnit), line.text
        assert encoded.data == data[line.offset : line.offset + line.size], line.text
