"""The syntax that all IPUs share, and advice about syntax and mnemonics of other assemblers."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Mapping

from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import KeywordType, LabelType
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.isa.surface import ForeignMnemonic, Surface, by_name
from ipu_asm.targets.ipu_family import LANGUAGE_ID

LOOP = RegisterFile(
    "lr",
    "loop register",
    tuple(f"lr{number}" for number in range(16)),
    "32 bits: counters, addresses and indices; written by the lr slot only",
)

CONFIG_REGISTERS = tuple(f"cr{number}" for number in range(16))
IMMEDIATE_BOUNDS = (-(1 << 15), (1 << 16) - 1)
LABEL = LabelType("Label", 10)

VERTICAL_STRIDE = KeywordType(
    "VerticalStride",
    2,
    "vertical stride",
    {"off": "every row", "on": "rows 0, 2, 4, ...", "on_inv": "rows 1, 3, 5, ..."},
    reserved="reserved",
)

_COMMENTS = "comments run from `#` or `//` to the end of the line"
_EXPRESSIONS = "there are no expressions: write the number or the register itself"

_CONSTANTS = (
    "there are no named constants: write the number itself, or name it in a template, with "
    "`{% set N = 128 %}` at the top and `{{ N }}` where it is used"
)

_NAMING = (".equ", ".equiv", ".eqv", ".set", ".define", ".xdefine", ".assign", ".const")
_BRACES = "a bundle ends with `;;` and has no braces around it"

SURFACE = Surface(
    grammar="ipu",
    language_id=LANGUAGE_ID,
    word_pattern=r"(?<![\p{L}0-9_.])[+-]?[\p{L}0-9_][\p{L}0-9_.]*",
    comments=("#", "//"),
    bundle_end=";;",
    templates=True,
    separator=";",
    hints={
        ",": "operands are separated by blanks, not commas",
        "operand =": "operands are separated by blanks, without `=`",
        "/*": f"{_COMMENTS}; there are no block comments",
        "*/": f"{_COMMENTS}; there are no block comments",
        ";": f"{_COMMENTS}; `;` separates instructions",
        "directive": "there are no directives: a source has bundles, labels and comments",
        **dict.fromkeys((*_NAMING, "="), _CONSTANTS),
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
)
"""The surface of a set without its mnemonics: `SURFACE._replace(foreign=...)`."""


def common_mnemonics(uses_capitals: bool = False) -> dict[str, ForeignMnemonic]:
    """Return the foreign mnemonics about which all IPUs give the same advice.

    With `uses_capitals`, mnemonics in it are written in capitals.
    """

    def name(mnemonic: str) -> str:
        return mnemonic.upper() if uses_capitals else mnemonic

    halt, branch, indirect = name("bkpt"), name("b"), name("br")
    return by_name(
        {
            "jmp jump j bra goto": ForeignMnemonic(
                f"`{branch}` goes to a label, `{indirect}` to the address in a loop register",
                (indirect, branch),
            ),
            "call jal bl": ForeignMnemonic(f"there are no calls; `{branch}` goes to a label"),
            "ret": ForeignMnemonic(f"there are no calls to return from; `{halt}` ends a program"),
            "halt hlt stop exit": ForeignMnemonic(f"`{halt}` ends a program", (halt,)),
            "bltu bgtu bgeu bleu": ForeignMnemonic(
                f"`{name('blt')}` compares signed numbers, and no branch compares unsigned ones"
            ),
            "acc.min acc.min.first": ForeignMnemonic(
                f"the accumulator keeps sums and maxima (`{name('acc.max')}`), no minima"
            ),
        }
    )


def reloaded_on_change(
    table: Mapping[str, Mapping[str, Any]],
) -> Callable[[Callable[[], Isa]], Callable[[], Isa]]:
    """Cache the instruction set that a function builds until entries of its table change."""

    def decorate(build: Callable[[], Isa]) -> Callable[[], Isa]:
        loaded: dict[Any, Isa] = {}

        @wraps(build)
        def load() -> Isa:
            fingerprint = tuple(
                (slot, *entries, *map(id, entries.values())) for slot, entries in table.items()
            )
            if fingerprint not in loaded:
                loaded.clear()
                loaded[fingerprint] = build()
            return loaded[fingerprint]

        return load

    return decorate
