"""Description of IPU 2: surface, slots, and the instructions of `instruction_spec`."""

from __future__ import annotations

from typing import Any

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import InstructionDoc, Isa
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, by_name
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.ipu2.manifest import MANIFEST
from ipu_asm.targets.ipu2.registers import (
    CONSTANTS,
    MEM_LINES,
    OPERAND_TYPES,
    REGISTER_FILES,
    RESETS,
    SCRATCH,
    SPACES,
    UNITS_OF,
)
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT
from ipu_asm.targets.ipu_family import surface as ipu_family
from ipu_asm.targets.ipu_family.surface import common_mnemonics, reloaded_on_change

# From the highest bits of the word to the lowest; operand types share fields.
SLOTS = (
    SlotDescription("cond", "Control flow", "NOP", shares_fields=True),
    SlotDescription(
        "lr",
        "Loop registers",
        "NOP",
        capacity=3,
        exclusive_writes=True,
        shares_fields=True,
        least_width=20,
        widened="LrModPow2KImmediate",
    ),
    SlotDescription("load", "Load", "NOP", shares_fields=True),
    SlotDescription("mult", "Multiply", "NOP", shares_fields=True),
    SlotDescription("acc", "Accumulate", "NOP", shares_fields=True),
    SlotDescription("aaq", "Activation and quantisation", "NOP", shares_fields=True),
    SlotDescription("store", "Store", "NOP", shares_fields=True),
    SlotDescription(
        "acc_store", "Accumulator store", "NOP", shares_fields=True, simulation_only=True
    ),
    SlotDescription("break", "Break", "NOP", shares_fields=True),
)


@reloaded_on_change(INSTRUCTION_SPEC)
def load() -> Isa:
    """Return the instruction set, rebuilt if entries of `INSTRUCTION_SPEC` have changed."""
    return build_isa(
        IsaDescription(
            name="ipu2",
            family="ipu_family",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=SLOTS,
            instructions=INSTRUCTION_SPEC,
            pseudo_instructions=PSEUDO_INSTRUCTIONS,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            executor="Ipu2",
            units_of=UNITS_OF,
            spaces=SPACES,
            scratch=SCRATCH,
            constants=CONSTANTS,
            resets=RESETS,
            mem_lines=MEM_LINES,
        )
    )


# Surface of IPU 2's assembly, with advice about mnemonics of other assemblers.
# Those of the first IPU are among them.

_NO_AAQ_REGISTERS = "there are no aaq registers"

MNEMONICS = common_mnemonics(uses_capitals=True) | by_name(
    {
        # The first IPU.
        "incr": ForeignMnemonic(
            "`INC` adds a number to a loop register, `DEC` subtracts", ("INC",)
        ),
        "acc": ForeignMnemonic(
            "`ACC.ADD` adds the products to the accumulator", ("ACC.ADD",), is_renamed=True
        ),
        "acc.first": ForeignMnemonic(
            "`ACC.ADD.FIRST` puts the products into the accumulator",
            ("ACC.ADD.FIRST",),
            is_renamed=True,
        ),
        "mult.ve.cyclic": ForeignMnemonic("", ("MULT.RC.VE",), is_renamed=True),
        "reset_acc": ForeignMnemonic(
            "`ACC.ADD.FIRST` starts a new sum, so that nothing needs to be reset"
        ),
        "acc.add_aaq acc.add_aaq.first": ForeignMnemonic(
            f"{_NO_AAQ_REGISTERS}: the accumulator adds products only (`ACC.ADD`)"
        ),
        "mult.ev": ForeignMnemonic(
            "`MULT.RC.VE` multiplies elements of r_cyclic by one of r0 and r1"
        ),
        "mult.ve.cr": ForeignMnemonic(
            "`MULT.RC.VE` with a cr as its source multiplies by the low byte of that register"
        ),
        "mult.ve.aaq": ForeignMnemonic(
            f"{_NO_AAQ_REGISTERS}: `MULT.RC.VE` multiplies by an element of r0 and r1, or by a cr"
        ),
        "agg": ForeignMnemonic(
            "`AGG.SUM` and `AGG.MAX` aggregate the products into one word of the accumulator, "
            "`AGG.SUM.FIRST` and `AGG.MAX.FIRST` whatever it held"
        ),
        "aaq": ForeignMnemonic("`ACTIVATE.QUANTIZE` turns the accumulator into bytes"),
        "xmem.store_aaq_result": ForeignMnemonic(
            "`STR_POST_AAQ_REG` stores what `ACTIVATE.QUANTIZE` has made", ("STR_POST_AAQ_REG",)
        ),
        "noop break_nop xmem_nop mult_nop acc_nop aaq_nop": ForeignMnemonic(
            "`NOP` is the no-op of every slot", ("NOP",), is_idle=True
        ),
        # Others.
        "mov mv movi li ldi": ForeignMnemonic(
            "`SET` copies a config register into a loop register, `ADD` with a zero a loop register"
        ),
        "bltz bgez": ForeignMnemonic("`BLT` and `BGE` with cr0 compare with zero"),
        "beqz": ForeignMnemonic("`BZ` goes to a label if a register is zero", ("BZ",)),
        "bnez": ForeignMnemonic("`BNZ` goes to a label unless a register is zero", ("BNZ",)),
        "decr subi": ForeignMnemonic("`DEC` takes the number to subtract", ("DEC",)),
        "addi": ForeignMnemonic("`INC` adds a number to a loop register"),
        "ld ldr lw load": ForeignMnemonic(
            "`LDR_MULT_REG`, `LDR_CYCLIC_MULT_REG` and `LDR_MULT_MASK_REG` read memory"
        ),
        "st str sw store": ForeignMnemonic("`STR_POST_AAQ_REG` writes memory"),
    }
)
FOREIGN = ForeignSyntax(MNEMONICS, sigils="%$")

HINTS = {
    **ipu_family.SURFACE.hints,
    "register =": "registers are written by instructions, without `=`: `SET lr0 cr2` copies a "
    "config register into a loop register, `INC lr0 5` adds a number",
}

SURFACE = ipu_family.SURFACE._replace(foreign=FOREIGN, hints=HINTS, case_insensitive=True)


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
