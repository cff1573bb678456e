"""Surface of the IPU's assembly, with advice about mnemonics of other assemblers."""

from __future__ import annotations

from ipu_asm.isa.ipu.manifest import MANIFEST
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, Surface, by_name

_COMMENTS = "comments run from `#` or `//` to the end of the line"
_EXPRESSIONS = "there are no expressions: write the number or the register itself"
_CONSTANTS = "there are no named constants: write the number itself"
_BRACES = "a bundle ends with `;;` and has no braces around it"

_NO_UNSIGNED = "`blt` compares signed numbers, and no branch compares unsigned ones"

MNEMONICS = by_name(
    {
        "mov mv movi li ldi": ForeignMnemonic(
            "`set` writes a number into a loop register, `add` with a zero copies one", ("set",)
        ),
        "jmp jump j bra goto": ForeignMnemonic(
            "`b` goes to a label, `br` to the address in a loop register", ("br", "b")
        ),
        "call jal bl": ForeignMnemonic("there are no calls; `b` goes to a label"),
        "ret": ForeignMnemonic("there are no calls to return from; `bkpt` ends a program"),
        "halt hlt stop exit": ForeignMnemonic("`bkpt` ends a program", ("bkpt",)),
        "nop noop": ForeignMnemonic(
            "a slot that a bundle does not name is idle; a bundle that does nothing is `acc_nop`",
            ("acc_nop",),
            is_idle=True,
        ),
        "bgt": ForeignMnemonic("`blt` with the two registers swapped branches on greater"),
        "bge": ForeignMnemonic(
            "no branch is taken on greater or equal; `blt` can branch past a `b` instead"
        ),
        "ble": ForeignMnemonic(
            "no branch is taken on less or equal; `blt` with the two registers swapped can branch "
            "past a `b` instead"
        ),
        "bltu bgtu bgeu bleu": ForeignMnemonic(_NO_UNSIGNED),
        "beqz": ForeignMnemonic("`beq` compares with a second register, such as one that holds 0"),
        "bnez": ForeignMnemonic("`bne` compares with a second register, such as one that holds 0"),
        "inc": ForeignMnemonic("`incr` takes the number to add", ("incr",)),
        "dec decr subi": ForeignMnemonic("`incr` with a negative number counts down"),
        "addi": ForeignMnemonic("`incr` adds a number to a loop register"),
        "acc.min acc.min.first": ForeignMnemonic(
            "the accumulator keeps sums and maxima (`acc.max`), no minima"
        ),
        "ld ldr lw load": ForeignMnemonic(
            "`ldr_mult_reg`, `ldr_cyclic_mult_reg` and `ldr_mult_mask_reg` read memory"
        ),
        "st str sw store": ForeignMnemonic(
            "`str_acc_reg` and `xmem.store_aaq_result` write memory"
        ),
    }
)
FOREIGN = ForeignSyntax(MNEMONICS, sigils="%$")

SURFACE = Surface(
    grammar="ipu",
    language_id=MANIFEST.language_id,
    word_pattern=r"(?<![\p{L}0-9_.])[+-]?[\p{L}0-9_][\p{L}0-9_.]*",
    comments=("#", "//"),
    bundle_end=";;",
    templates=True,
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
