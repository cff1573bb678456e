"""The machine of a generation as a value."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Final

from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.emulator.code_runs import CodeModel
from ipu_asm.targets.aie.machine.machine import CoreMachine
from ipu_asm.targets.aie.machine.operations import Generation
from ipu_asm.targets.aie.machine.semantics import SemanticsTable, read_rules
from ipu_asm.targets.aie.machine.stepping import stepping_model

DATA_ADDRESS: Final = 0x7_8000
"""Where the data of a program are placed: the upper half of the tile's own memory."""

_ARGUMENTS = {
    "p": tuple(f"p{number}" for number in range(6)),
    "r": tuple(f"r{number}" for number in range(8)),
}


def model_of(isa_name: str, folder: Path, generation: Generation) -> CodeModel:
    """Return the machine of a generation, whose `effects.txt` is in `folder`."""
    semantics = SemanticsTable(read_rules(folder))

    def make_machine(program: CodeProgram) -> CoreMachine:
        return CoreMachine(program, generation, semantics)

    stepping = cache(partial(stepping_model, isa_name, make_machine, generation.storage))
    return CodeModel(make_machine, DATA_ADDRESS, _ARGUMENTS, stepping)
