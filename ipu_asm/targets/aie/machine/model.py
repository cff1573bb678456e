"""The machine of a generation as a value."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Final

from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.code_runs import CodeModel, RandomRegisters
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.operations import Generation
from ipu_asm.targets.aie.machine.semantics import SemanticsTable, read_rules
from ipu_asm.targets.aie.machine.stepping import stepping_model
from ipu_asm.targets.aie.registers import numbered

DATA_ADDRESS: Final = 0x7_8000
"""Where the data of a program are placed: the upper half of the tile's own memory."""

_ARGUMENTS = {
    "p": numbered("p", 6),
    "r": numbered("r", 8),
}


_RANDOM = RandomRegisters(numbered("p", 8), numbered("m", 8), numbered("r", 32), ("lc", "ls", "le"))


def model_of(isa_name: str, folder: Path, generation: Generation) -> CodeModel:
    """Return the machine of a generation, whose `effects.txt` is in `folder`."""
    semantics = SemanticsTable(read_rules(folder))

    def make_machine(program: CodeProgram) -> CoreMachine:
        return CoreMachine(program, generation, semantics)

    stepping = cache(partial(stepping_model, isa_name, make_machine, generation.storage))
    return CodeModel(make_machine, DATA_ADDRESS, _ARGUMENTS, _RANDOM, stepping)
