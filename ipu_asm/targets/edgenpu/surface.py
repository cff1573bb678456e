"""Surface of EdgeNPU assembly."""

from __future__ import annotations

from ipu_asm.isa.surface import ForeignSyntax, Surface
from ipu_asm.targets.edgenpu.manifest import MANIFEST

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
