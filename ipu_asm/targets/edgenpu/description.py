"""The description of EdgeNPU."""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Field, Isa
from ipu_asm.isa.surface import ForeignSyntax, Surface
from ipu_asm.targets.edgenpu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.edgenpu.manifest import MANIFEST
from ipu_asm.targets.edgenpu.operands import OPERAND_TYPES, REGISTER_FILES, UNITS_OF

LAYOUT = (
    Field("opcode", 60, 4),
    Field("flags", 56, 4),
    Field("dst", 48, 8),
    Field("src0", 40, 8),
    Field("src1", 32, 8),
    Field("immediate", 0, 32),
)

# The instruction buffer has 16 KiB.
PROGRAM_LIMIT = 2048


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from `INSTRUCTION_SPEC`."""
    return build_isa(
        IsaDescription(
            name="edgenpu",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=(SlotDescription("main", "Instruction", "", width=64, layout=LAYOUT),),
            instructions=INSTRUCTION_SPEC,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            units_of=UNITS_OF,
        )
    )


_COMMENTS = "comments run from `;` to the end of the line"

SURFACE = Surface(
    grammar="edgenpu",
    language_id=MANIFEST.language_id,
    word_pattern=r"[A-Za-z]+\[[A-Za-z0-9_]*\]|[\p{L}_][\p{L}0-9_.]*"
    r"|(?<![\p{L}0-9_.])[+-]?[0-9][\p{L}0-9_.]*",
    comments=(";",),
    bundle_end="",
    separator="",
    hints={
        "#": _COMMENTS,
        "//": _COMMENTS,
        "/*": f"{_COMMENTS}; there are no block comments",
        "\f": "only blanks, tabs and line breaks separate",
        "\ufeff": "a byte-order mark may stand only at the very start of a file",
        "+": "a sign belongs to the number that follows it, without a blank",
        "-": "a sign belongs to the number that follows it, without a blank",
        "&": "flags are joined by `|`",
        "||": "flags are joined by a single `|`",
        ".": "a name begins with a letter or `_`",
        "(": "a buffer's number stands in brackets",
        "{": "a buffer's number stands in brackets",
    },
    foreign=ForeignSyntax(comments=("#", "//"), sigils="#%$"),
    operand_separator=", ",
    case_insensitive=True,
)
