"""Mnemonics of other assemblers, with the AI Engine equivalent for messages."""

from __future__ import annotations

from ipu_asm.isa.foreign_syntax import ForeignMnemonic, ForeignSyntax, by_name

FOREIGN = ForeignSyntax(
    by_name(
        {
            "jmp jump b bra goto": ForeignMnemonic(
                "`j` goes to a label or to the address in a pointer", ("j",)
            ),
            "call jal bl": ForeignMnemonic("`jl` calls a function", ("jl",)),
            "halt hlt stop": ForeignMnemonic("`done` ends a program", ("done",)),
            "beqz bz": ForeignMnemonic("`jz` branches on zero", ("jz",)),
            "bnez bnz": ForeignMnemonic("`jnz` branches on anything but zero", ("jnz",)),
        }
    ),
    comments=("#",),
    sigils="%$",
)
