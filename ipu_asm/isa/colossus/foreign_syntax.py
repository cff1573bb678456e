"""Mnemonics of other assemblers, with the Colossus equivalent for messages."""

from __future__ import annotations

from ipu_asm.isa.foreign_syntax import ForeignMnemonic, ForeignSyntax, by_name

FOREIGN = ForeignSyntax(
    by_name(
        {
            # `and` has the same edit distance, but `ad` is more likely short for `add`.
            "ad": ForeignMnemonic("", ("add",)),
            "jmp jump j b bra goto": ForeignMnemonic(
                "`bri` goes to a label, `br` to the address in a register", ("br", "bri")
            ),
            "ret": ForeignMnemonic("`br $lr` returns from a call"),
            "halt hlt stop exit": ForeignMnemonic("`exitz` and `exitnz` end a worker", ("exitz",)),
            "li ldi movi": ForeignMnemonic("`setzi` writes a number into a register", ("setzi",)),
            "mv": ForeignMnemonic("`mov` copies a register", ("mov",)),
            "beqz bz": ForeignMnemonic("`brz` branches on zero", ("brz",)),
            "bnez bnz": ForeignMnemonic("`brnz` branches on anything but zero", ("brnz",)),
        }
    ),
    sigils="%",
)
