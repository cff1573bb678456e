"""Description of the IPU: surface, slots, and the instructions of `instruction_spec`."""

from __future__ import annotations

from typing import Any

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.ipu.foreign_syntax import FOREIGN
from ipu_asm.isa.ipu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.isa.ipu.manifest import MANIFEST
from ipu_asm.isa.ipu.registers import OPERAND_TYPES, REGISTER_FILES
from ipu_asm.isa.model import Isa, Surface

_COMMENTS = "comments run from `#` or `//` to the end of the line"
_EXPRESSIONS = "there are no expressions: write the number or the register itself"
_CONSTANTS = "there are no named constants: write the number itself"
_BRACES = "a bundle ends with `;;` and has no braces around it"

SURFACE = Surface(
    grammar="ipu",
    language_id=MANIFEST.language_id,
    word_pattern=r"(?<![\p{L}0-9_.])[+-]?[\p{L}0-9_][\p{L}0-9_.]*",
    comments=("#", "//"),
    bundle_end=";;",
    separator=";",
    hints={
        ",": "operands are separated by blanks, not commas",
        "/*": f"{_COMMENTS}; there are no block comments",
        "*/": f"{_COMMENTS}; there are no block comments",
        ";": f"{_COMMENTS}; `;` separates instructions",
        "directive": "there are no directives: a source has bundles, labels and comments",
        "=": _CONSTANTS,
        **dict.fromkeys(["(", "*", "/", "&", "|", "^", "~", "<", ">", "!", "=="], _EXPRESSIONS),
        **dict.fromkeys("{}", _BRACES),
        '"': "there are no strings",
        "'": "there are no characters in quotes: write the number itself",
        "\r": "a carriage return ends a line only together with a newline",
        "\f": "only blanks, tabs and newlines separate",
        "\ufeff": "a byte-order mark may stand only at the very start of a file",
        "+": "a sign belongs to the number that follows it, without a blank",
        "-": "a sign belongs to the number that follows it, without a blank",
        ".": "a name begins with a letter, a digit or `_`",
        "[": "registers and addresses are written without brackets",
    },
    foreign=FOREIGN,
)

# From the highest bits of the word to the lowest. Append new field types to a slot's list.
SLOTS = (
    SlotDescription("break", "Break", "break_nop", ("LrIdx", "BreakImmediate")),
    SlotDescription("xmem", "Memory", "xmem_nop", ("MultStageReg", "LrIdx", "CrIdx")),
    SlotDescription(
        "mult", "Multiply", "mult_nop", ("MultStageReg", "LrIdx", "CrIdx", "AaqRegIdx")
    ),
    SlotDescription(
        "acc",
        "Accumulate",
        "acc_nop",
        ("AaqRegIdx", "ElementsInRow", "HorizontalStride", "VerticalStride", "LrIdx"),
    ),
    SlotDescription(
        "aaq",
        "Activation and quantisation",
        "aaq_nop",
        ("AggMode", "PostFn", "CrIdx", "AaqRegIdx"),
    ),
    SlotDescription(
        "lr",
        "Loop registers",
        "incr lr0 0",
        ("LrIdx", "LcrIdx", "Immediate"),
        capacity=2,
        exclusive_writes=True,
    ),
    SlotDescription("cond", "Control flow", "b +1", ("LrIdx", "Label")),
)

PROGRAM_LIMIT = 1024

_loaded: dict[Any, Isa] = {}


def load() -> Isa:
    """Return the instruction set, rebuilt if entries of `INSTRUCTION_SPEC` have changed."""
    fingerprint = tuple(
        (slot, tuple((mnemonic, id(entry)) for mnemonic, entry in entries.items()))
        for slot, entries in INSTRUCTION_SPEC.items()
    )
    if fingerprint not in _loaded:
        _loaded.clear()
        _loaded[fingerprint] = build_isa(
            IsaDescription(
                name="ipu",
                title=MANIFEST.title,
                surface=SURFACE,
                slots=SLOTS,
                instructions=INSTRUCTION_SPEC,
                operand_types=OPERAND_TYPES,
                register_files=REGISTER_FILES,
                program_limit=PROGRAM_LIMIT,
                executor="Ipu",
            )
        )
    return _loaded[fingerprint]
