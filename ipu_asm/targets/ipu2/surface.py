"""Surface of IPU 2's assembly, with advice about mnemonics of other assemblers.

Those of the first IPU are among them.
"""

from __future__ import annotations

from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, by_name
from ipu_asm.targets.ipu_family import surface as ipu_family
from ipu_asm.targets.ipu_family.surface import common_mnemonics

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
