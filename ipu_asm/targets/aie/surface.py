"""Surface of AI Engine assembly: directives, and advice about syntax of other assemblers."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.isa.directives import COMMON, SYMBOL_DIRECTIVES
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, Surface, by_name
from ipu_asm.targets.aie import LANGUAGE_ID
from ipu_asm.targets.aie.operands import LOCAL_PREFIX, MARK

_COMMENTS = "comments begin with `//`, or stand between `/*` and `*/`"

DIRECTIVES: Mapping[str, str] = {
    **COMMON,
    ".addrsig": "Asks for a table of the names whose addresses matter.",
    ".addrsig_sym": "Says that the address of a name matters, so that no other may share it.",
}
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

SURFACE = Surface(
    grammar="aie",
    language_id=LANGUAGE_ID,
    word_pattern=r"[rR][0-9]+:[rR][0-9]+|[\p{L}_.$][\p{L}0-9_.$]*"
    r"|(?<![\p{L}0-9_.$])[+-]?[0-9][\p{L}0-9_.]*",
    comments=("//",),
    bundle_end="",
    separator=";",
    hints={
        "\f": "only blanks, tabs and line breaks separate",
        "\ufeff": "a byte-order mark may stand only at the very start of a file",
        "{": "bundles are lines, without braces",
        "}": "bundles are lines, without braces",
        "'": f"quotes hold one character, as in `'a'`; {_COMMENTS}",
        "`": _COMMENTS,
    },
    foreign=FOREIGN,
    operand_separator=", ",
    number_mark=MARK,
    case_insensitive=True,
    block_comments=(("/*", "*/"),),
    linked=True,
    local_prefix=LOCAL_PREFIX,
    preprocessed=True,
    directives=DIRECTIVES,
    symbol_directives=SYMBOL_DIRECTIVES,
)
