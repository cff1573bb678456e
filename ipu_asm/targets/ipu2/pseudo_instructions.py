"""The pseudo-instructions of IPU 2: mnemonics for which the assembler puts another instruction."""

from __future__ import annotations

from typing import Any

from ipu_asm.isa.model import InstructionDoc

_LABEL = "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023"
_OLD = "(lr0-lr15 or cr0-cr15), value from before the bundle"

PSEUDO_INSTRUCTIONS: dict[str, dict[str, Any]] = {
    "BGT": {
        "operands": ["reg1", "reg2", "label"],
        "becomes": "BLT reg2 reg1 label",
        "doc": InstructionDoc(
            title="Branch if Greater Than",
            summary=(
                "Goes to a label if the first register is greater than the second, both as signed "
                "32-bit numbers and from before the bundle, else on to the next bundle."
            ),
            syntax="BGT reg1 reg2 label",
            operands=[f"reg1: The greater one {_OLD}", f"reg2: The smaller one {_OLD}", _LABEL],
            operation="pc = label if signed(old reg1) > signed(old reg2) else pc + 1",
            example="loop:\n    DEC lr0 1;\n    BGT lr0 cr0 loop;;",
        ),
    },
    "BLE": {
        "operands": ["reg1", "reg2", "label"],
        "becomes": "BGE reg2 reg1 label",
        "doc": InstructionDoc(
            title="Branch if Less or Equal",
            summary=(
                "Goes to a label unless the first register is greater than the second, both as "
                "signed 32-bit numbers and from before the bundle, else on to the next bundle."
            ),
            syntax="BLE reg1 reg2 label",
            operands=[f"reg1: First register {_OLD}", f"reg2: Second register {_OLD}", _LABEL],
            operation="pc = label if signed(old reg1) <= signed(old reg2) else pc + 1",
            example="loop:\n    INC lr0 1;\n    BLE lr0 cr2 loop;;",
        ),
    },
    "BZ": {
        "operands": ["reg", "label"],
        "becomes": "BEQ reg CR0 label",
        "doc": InstructionDoc(
            title="Branch if Zero",
            summary=(
                "Goes to a label if a register was 0 before the bundle, else on to the next "
                "bundle; it is compared with cr0, which is always 0."
            ),
            syntax="BZ reg label",
            operands=[f"reg: Register to test {_OLD}", _LABEL],
            operation="pc = label if old reg == 0 else pc + 1",
            example="    BZ lr3 zero;;\n    ACC.ADD;;\nzero:\n    BKPT;;",
        ),
    },
    "BNZ": {
        "operands": ["reg", "label"],
        "becomes": "BNE reg CR0 label",
        "doc": InstructionDoc(
            title="Branch if Not Zero",
            summary=(
                "Goes to a label unless a register was 0 before the bundle, else on to the next "
                "bundle; it is compared with cr0, which is always 0."
            ),
            syntax="BNZ reg label",
            operands=[f"reg: Register to test {_OLD}", _LABEL],
            operation="pc = label if old reg != 0 else pc + 1",
            example="loop:\n    DEC lr3 1;\n    BNZ lr3 loop;;",
        ),
    },
    "B": {
        "operands": ["label"],
        "becomes": "BEQ CR0 CR0 label",
        "flow": "jump",
        "doc": InstructionDoc(
            title="Unconditional Branch",
            summary=(
                "Always goes to a label, after the other slots of the bundle have run: it compares "
                "cr0 with itself."
            ),
            syntax="B label",
            operands=[_LABEL],
            operation="pc = label",
            example="    B start;;\n    ACC.ADD;;\nstart:\n    BKPT;;",
        ),
    },
}
