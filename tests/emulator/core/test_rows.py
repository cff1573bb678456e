"""Rows, instructions and C files say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from ipu_asm.emulator import Ipu
from ipu_asm.emulator.core.program import CoreDescription
from ipu_asm.emulator.model import machine_for
from ipu_asm.isa import available_isas, load_isa, manifests
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.targets.ipu.machine.ipu import METHODS, SLOTS

FOLDER: Final = Path(__file__).parents[3] / "ipu_asm" / "targets" / "ipu" / "machine" / "core"


def core_of_the_ipu() -> CoreDescription:
    assert Ipu.core is not None
    return Ipu.core


def source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def executed(isa_name: str) -> list[InstructionSpec]:
    """The instructions of a set that do something."""
    return [spec for spec in load_isa(isa_name).instructions.values() if not spec.nop]


def enumerators() -> dict[str, int]:
    """The number of each enumerator of the C files."""
    found: dict[str, int] = {}
    for path in FOLDER.glob("*.h"):
        for body in re.findall(r"enum\s*{([^}=]*)}", source(path.name)):
            found |= {name.strip(): n for n, name in enumerate(body.split(",")) if name.strip()}
    return found


def test_every_instruction_has_a_row_that_agrees_with_its_entry() -> None:
    for spec in executed("ipu"):
        operands = {operand.name: operand.read for operand in spec.operands}
        sources = METHODS[spec.execute_fn].sources.values()
        assert {each.operand: each.read for each in sources} == operands, spec.mnemonic


def test_every_row_is_that_of_an_instruction_and_has_fields_of_its_slot() -> None:
    slots = {spec.execute_fn: spec.slot for spec in executed("ipu")}
    assert slots.keys() == METHODS.keys()
    for name, row in METHODS.items():
        assert row.sources.keys() <= {*SLOTS[slots[name]].fields}, name


def test_the_opcodes_are_the_enumerators_of_the_c_files() -> None:
    expected = {
        f"OP_{name.removeprefix('execute_').upper()}": METHODS[name].opcode for name in METHODS
    }
    assert {name: n for name, n in enumerators().items() if name.startswith("OP_")} == expected


@pytest.mark.parametrize("slot", SLOTS)
def test_the_fields_are_those_of_the_c_structures(slot: str) -> None:
    structure = re.search(rf"struct {{([^}}]*)}} {slot.capitalize()}Instr", source("machine.h"))
    assert structure is not None
    names = re.findall(r"\w+(?=[,;\[])", structure[1])
    assert [name for name in names if name not in ("unused", "2", "3")] == [
        "op", *SLOTS[slot].fields,
    ]  # fmt: skip


def test_the_slots_are_in_the_order_of_a_bundle() -> None:
    bundle = re.search(r"typedef struct {([^}]*)} Bundle", source("machine.h"))
    assert bundle is not None
    assert re.findall(r"(\w+)Instruction", bundle[1]) == [slot.capitalize() for slot in SLOTS]
    assert core_of_the_ipu().bundle_size == 64


def test_every_core_that_a_set_describes_is_in_its_folder() -> None:
    for name in available_isas():
        if manifests()[name].has_machine:
            core = machine_for(name).Machine.core
            if core is not None:
                assert core.module.is_file()
