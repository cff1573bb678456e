"""A set with machine code, for tests of objects and listings: forms of XDNA1, bytes of its own.

A byte is an instruction or the number of them in a bundle (0xC0 + n); the next byte is its operand.

- 0x01: `nop`
- 0x02 n: `add rn, rn, #1`
- 0x03 n: `lda rn, [p0, #0]`
- 0x04 n m: `j #` and the address nm, relocation 7
- 0x05 n: `mov rn, r0`, where 0x80 is ignored
- 0x06: `ret lr`
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, Sequence

import pytest

import ipu_asm.targets
from ipu_asm.assembler.machine_code import (
    CodeUnit,
    DecodedUnit,
    EncodingProblem,
    MachineCode,
    ObjectFormat,
    Relocation,
    SymbolValue,
    ValueOf,
    WrittenInstruction,
)
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import IMMEDIATE_OUT_OF_RANGE, UnplacedFinding
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa

NAME = "toycode"
JUMP = 7
FORMAT = ObjectFormat(300, 1, frozenset({1, 5}), 4, {4: 9}, {JUMP: "R_TOY_JUMP"})
_MANIFEST = """
from ipu_asm.isa import Manifest
MANIFEST = Manifest("Toy", "toy-asm", "Toy", (".toycode",), has_machine_code=True)
"""
_DESCRIPTION = "from tests.assembler.toy_code import toy_isa as load\n"
_MACHINE_CODE = "from tests.assembler.toy_code import ToyCode as load\n"
_TEXTS = {
    1: "nop",
    2: "add r{0}, r{0}, #1",
    3: "lda r{0}, [p0, #0]",
    4: "j #{1}",
    5: "mov r{0}, r0",
    6: "ret lr",
}
_SIZES = {1: 1, 2: 2, 3: 2, 4: 3, 5: 2, 6: 1}
_BUNDLE = 0xC0


def toy_isa() -> Isa:
    copy = Isa.__new__(Isa)
    vars(copy).update(vars(load_isa("xdna1")), name=NAME)
    return copy


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The toy among the instruction sets."""
    folder = tmp_path / "targets" / NAME
    folder.mkdir(parents=True)
    (folder / "manifest.py").write_text(_MANIFEST)
    (folder / "description.py").write_text(_DESCRIPTION)
    (folder / "machine_code.py").write_text(_MACHINE_CODE)
    monkeypatch.setattr(
        ipu_asm.targets, "__path__", [*ipu_asm.targets.__path__, str(folder.parent)]
    )
    yield
    for module in [name for name in sys.modules if name.startswith(f"ipu_asm.targets.{NAME}")]:
        del sys.modules[module]


class ToyCode(MachineCode):
    step = 1
    object_format = FORMAT

    def encode(self, bundle: Bundle, at: int, value_of: ValueOf) -> CodeUnit | EncodingProblem:
        count = len(bundle.instructions)
        data = bytearray([_BUNDLE + count] if count > 1 else [])
        relocations = []
        for number, instruction in enumerate(bundle.instructions):
            mnemonic, *operands = instruction.words
            opcode = next(key for key, text in _TEXTS.items() if text.split()[0] == mnemonic)
            value = value_of(operands[0][1:]) if opcode == JUMP - 3 else 0
            if isinstance(value, SymbolValue):
                relocations.append(Relocation(JUMP, len(data), *value))
                value = 0
            if value is None or value > 0xFFFF:
                problem = UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, "does not fit")
                return EncodingProblem(number, 0, problem)
            rest = value.to_bytes(2, "big") if opcode == 4 else b""
            if opcode in (2, 3, 5):
                rest = bytes([int(operands[0][1:])])
            data += bytes([opcode]) + rest
        return CodeUnit(bytes(data), tuple(relocations))

    def decode(
        self, data: bytes, at: int = 0, relocations: Sequence[Relocation] = ()
    ) -> DecodedUnit | None:
        first = data[at]
        count, place = (first - _BUNDLE, at + 1) if _BUNDLE < first <= _BUNDLE + 4 else (1, at)
        found = []
        for _ in range(count):
            size = _SIZES.get(data[place]) if place < len(data) else None
            if size is None or place + size > len(data):
                return None
            symbol = next((each for each in relocations if each.offset == place - at), None)
            found.append(_decoded(data[place : place + size], symbol))
            place += size
        return DecodedUnit(place - at, tuple(found))

    def fill(self, size: int) -> list[bytes]:
        return [b"\1"] * size


def _decoded(data: bytes, symbol: Relocation | None) -> WrittenInstruction:
    target = int.from_bytes(data[1:], "big") if data[0] == 4 else None
    shown: int | str | None = target
    if symbol is not None and target is not None:
        shown = symbol.symbol + (f"{symbol.addend:+d}" if symbol.addend else "")
    register = data[1] & 0x7F if len(data) == 2 else 0
    bundle = parser_for(load_isa("xdna1")).bundle(_TEXTS[data[0]].format(register % 32, shown))
    instruction = bundle.instructions[0]
    assert instruction.spec is not None
    mnemonic, *operands = instruction.words
    return WrittenInstruction(
        instruction.spec,
        mnemonic,
        tuple(operands),
        None if symbol else target,
        -1 if symbol or target is None else 0,
    )
