"""Source syntax of an instruction set: directives, comments, and hints for foreign syntax."""

from __future__ import annotations

from typing import Iterator, Mapping

from ipu_asm.diagnostics import Severity
from ipu_asm.named_tuple import NamedTuple

COMMON: Mapping[str, str] = {
    ".2byte": "Puts 16-bit values here, whatever the alignment.",
    ".4byte": "Puts 32-bit values here, whatever the alignment.",
    ".8byte": "Puts 64-bit values here, whatever the alignment.",
    ".align": "Fills up to the next address that is a multiple of the given number.",
    ".altmacro": "From here on macros may have names of their own and take values by `%`.",
    ".ascii": "Puts the characters of a string here, without a zero after them.",
    ".asciz": "Puts the characters of a string here, and a zero after them.",
    ".balign": "Fills up to the next address that is a multiple of the given number.",
    ".bss": "What follows belongs to the section of data that begins as zeros.",
    ".byte": "Puts 8-bit values here.",
    ".cfi_endproc": "Ends the function of which debuggers can unwind the stack.",
    ".cfi_startproc": "Begins a function of which debuggers can unwind the stack.",
    ".comm": "Reserves zeroed memory of a size under a name that several files share.",
    ".data": "What follows belongs to the section of data that is written to.",
    ".else": "What follows is assembled if the condition of `.if` does not hold.",
    ".elseif": "What follows is assembled if this condition holds and none before it did.",
    ".endif": "Ends what `.if` begins.",
    ".endm": "Ends the body of a macro.",
    ".endmacro": "Ends the body of a macro, as `.endm` does.",
    ".endr": "Ends what `.rept`, `.irp` or `.irpc` repeats.",
    ".equ": "Gives a name a value; it may get another one later.",
    ".equiv": "Gives a name a value; an error if it has one already.",
    ".eqv": "Gives a name an expression, which is computed where the name is used.",
    ".error": "Stops the assembler with this message.",
    ".exitm": "Leaves the macro that is being expanded.",
    ".extern": "Says that another file defines a name; for people only.",
    ".file": "Names the source file that debuggers show.",
    ".fill": "Repeats a value: how often, of how many bytes, and which.",
    ".float": "Puts 32-bit floating-point numbers here.",
    ".double": "Puts 64-bit floating-point numbers here.",
    ".global": "Lets other files use a name; the same as `.globl`.",
    ".globl": "Lets other files use a name.",
    ".half": "Puts 16-bit values here.",
    ".hidden": "Keeps a name from other programs and libraries; files linked together see it.",
    ".hword": "Puts 16-bit values here.",
    ".ident": "Leaves a note about the tool that made the file.",
    ".if": "What follows is assembled if the value of an expression is not zero.",
    ".ifb": "What follows is assembled if nothing is written here.",
    ".ifc": "What follows is assembled if two texts are the same.",
    ".ifdef": "What follows is assembled if a name is defined.",
    ".ifeq": "What follows is assembled if the value of an expression is zero.",
    ".ifeqs": "What follows is assembled if two quoted strings are the same.",
    ".ifnb": "What follows is assembled if something is written here.",
    ".ifnc": "What follows is assembled if two texts differ.",
    ".ifndef": "What follows is assembled if a name is not defined.",
    ".ifne": "What follows is assembled if the value of an expression is not zero.",
    ".incbin": "Puts the bytes of a file here.",
    ".include": "Reads another file in this place.",
    ".int": "Puts 32-bit values here.",
    ".irep": "Repeats what follows up to `.endr`, as `.irp` does.",
    ".irepc": "Repeats what follows up to `.endr`, as `.irpc` does.",
    ".irp": "Repeats what follows up to `.endr` with a name that takes each of the values.",
    ".irpc": "Repeats what follows up to `.endr` with a name that takes each of the characters.",
    ".lcomm": "Reserves zeroed memory of a size under a name of this file.",
    ".loc": "Says which line of the source the next instruction comes from.",
    ".local": "Keeps a name inside this file.",
    ".long": "Puts 32-bit values here.",
    ".macro": "Begins a macro: its name, then its parameters; `.endm` ends it.",
    ".noaltmacro": "Ends what `.altmacro` begins.",
    ".org": "Goes on at an offset of the section.",
    ".p2align": "Fills up to the next address whose given number of low bits are zero.",
    ".popsection": "Goes back to the section before `.pushsection`.",
    ".previous": "Goes back to the section before this one.",
    ".print": "Prints a string while the file is assembled.",
    ".purgem": "Forgets a macro.",
    ".pushsection": "Goes to another section until `.popsection`.",
    ".quad": "Puts 64-bit values here.",
    ".rept": "Repeats what follows up to `.endr` as often as the number says.",
    ".rodata": "What follows belongs to the section of data that is only read.",
    ".section": "What follows belongs to a section: its name, flags and type.",
    ".set": "Gives a name a value; it may get another one later.",
    ".short": "Puts 16-bit values here.",
    ".single": "Puts 32-bit floating-point numbers here.",
    ".size": "Says how many bytes belong to a name.",
    ".skip": "Leaves out a number of bytes, filled with zeros or a value.",
    ".sleb128": "Puts signed numbers here that take as many bytes as they need.",
    ".space": "Leaves out a number of bytes, filled with zeros or a value.",
    ".string": "Puts the characters of a string here, and a zero after them.",
    ".text": "What follows belongs to the section of code.",
    ".type": "Says what a name stands for: `@function` or `@object`.",
    ".uleb128": "Puts unsigned numbers here that take as many bytes as they need.",
    ".warning": "Prints a warning while the file is assembled.",
    ".weak": "Lets other files use a name, or define it in place of this file.",
    ".word": "Puts values here that are as wide as a word of the machine.",
    ".zero": "Puts a number of zero bytes here.",
}

_OTHERS = """
.abort .addrsig .addrsig_sym .attach_to_group .balignl .balignw .base64 .bfloat16
.bundle_align_mode .bundle_lock .bundle_unlock .cfi_adjust_cfa_offset .cfi_b_key_frame
.cfi_def_cfa .cfi_def_cfa_offset .cfi_def_cfa_register .cfi_escape .cfi_fde_data .cfi_inline_lsda
.cfi_label .cfi_llvm_def_aspace_cfa .cfi_lsda .cfi_mte_tagged_frame .cfi_negate_ra_state
.cfi_offset .cfi_personality .cfi_personality_id .cfi_register .cfi_rel_offset .cfi_remember_state
.cfi_restore .cfi_restore_state .cfi_return_column .cfi_same_value .cfi_sections .cfi_signal_frame
.cfi_undefined .cfi_val_encoded_addr .cfi_val_offset .cfi_window_save .cg_profile .cv_def_range
.cv_file .cv_filechecksumoffset .cv_filechecksums .cv_fpo_data .cv_func_id .cv_inline_linetable
.cv_inline_site_id .cv_linetable .cv_loc .cv_string .cv_stringtable .dc .dc.a .dc.b .dc.d .dc.l
.dc.s .dc.w .dc.x .dcb .dcb.b .dcb.d .dcb.l .dcb.s .dcb.w .dcb.x .def .desc .dim .ds .ds.b .ds.d
.ds.l .ds.p .ds.s .ds.w .ds.x .eh_frame .eject .elsec .end .endef .endfunc .endmacros .err
.even .extend .fail .float16 .float32 .float64 .format .func .gnu_attribute .ifeqs .ifge .ifgt
.ifle .iflt .ifnes .ifnotdef .internal .lflags .line .linefile .linkonce .list .llen .ln
.loc_label .loc_mark_labels .lsym .lto_discard .lto_set_conditional .macros_off .macros_on .memtag
.mexit .mri .name .no_dead_strip .noformat .nolist .nop .nops .octa .offset .p2alignl .p2alignw
.page .plen .prefalign .protected .pseudoprobe .psize .reloc .rep .rva .sbttl .scl .sect .secrel32
.spc .stabd .stabn .stabs .string16 .string32 .string64 .string8 .struct .sttl .subsection
.subtitle .symver .tag .tbss .tdata .tfloat .title .ttl .val .version .vtable_entry
.vtable_inherit .weakref .xcom .xdef .xref .xstabs .xword
"""

OTHERS = frozenset(_OTHERS.split())
"""Further directives of the GNU assembler and of LLVM's, which need no page."""

SYMBOL_DIRECTIVES = (".size", ".set", ".equ", ".equiv", ".eqv")
"""The directives that take a symbol and an expression."""

INTEGERS, FLOATS, STRINGS, NAMES = "integers", "floats", "strings", "names"
SPACE, FILL, ALIGN, POWER, SECTION, TYPE = "space", "fill", "align", "power", "section", "type"
NOTHING = "nothing"


class Arguments(NamedTuple):
    """The arguments of a directive: one of the kinds above, how many, and the bits of each value.

    `most` is None where there may be any number.
    """

    kind: str
    bits: int = 0
    least: int = 1
    most: int | None = None


_WIDTHS = {
    8: ".byte .dc.b",
    16: ".short .half .hword .2byte .dc.w",
    32: ".int .long .word .4byte .dc.l",
    64: ".quad .8byte .xword",
    128: ".octa",
}

_KINDS = (
    (".float .single .float32 .dc.s .double .float64 .dc.d", Arguments(FLOATS)),
    (".ascii .asciz .string .string8 .string16 .string32 .string64", Arguments(STRINGS)),
    (".space .skip .zero", Arguments(SPACE, most=2)),
    (".fill", Arguments(FILL, most=3)),
    (".align .balign .balignw .balignl", Arguments(ALIGN, most=3)),
    (".p2align .p2alignw .p2alignl", Arguments(POWER, most=3)),
    (".globl .global .weak .hidden .protected .internal .local", Arguments(NAMES)),
    (".section .pushsection", Arguments(SECTION)),
    (".type", Arguments(TYPE, most=2)),
)
NO_ARGUMENTS = Arguments(NOTHING, most=0)
_WITHOUT_ARGUMENTS = """
.addrsig .altmacro .bundle_unlock .cfi_endproc .cfi_remember_state .cfi_restore_state .else .endif
.endm .endmacro .endr .exitm .noaltmacro .popsection .previous
"""

ARGUMENTS: Mapping[str, Arguments] = {
    **{
        name: Arguments(INTEGERS, bits) for bits, names in _WIDTHS.items() for name in names.split()
    },
    **{name: arguments for names, arguments in _KINDS for name in names.split()},
    **dict.fromkeys(_WITHOUT_ARGUMENTS.split(), NO_ARGUMENTS),
}
"""The arguments of the directives that are checked."""

_WORD_PATTERN = r"[\p{L}_.$][\p{L}0-9_.$]*|(?<![\p{L}0-9_.$])[+-]?[0-9][\p{L}0-9_.]*"


class ForeignMnemonic(NamedTuple):
    """A mnemonic of other assemblers.

    `advice` is what to write instead: a sentence without a full stop. Of the `replacements`, the
    first one that accepts the operands is suggested. `is_idle`: the mnemonic does nothing and can
    be dropped from a bundle with other instructions. `is_renamed`: it is the name that the first
    replacement has in another set of the language, or once had.
    """

    advice: str
    replacements: tuple[str, ...] = ()
    is_idle: bool = False
    is_renamed: bool = False


class ForeignSyntax(NamedTuple):
    """Foreign syntax that an instruction set recognises in order to give advice.

    `mnemonics` are in lower case, `comments` are comment markers of other assemblers, and `sigils`
    are characters that they put before registers and numbers.
    """

    mnemonics: Mapping[str, ForeignMnemonic] = {}
    comments: tuple[str, ...] = ()
    sigils: str = ""


class SeverityDirective(NamedTuple):
    """A directive that suppresses findings with some codes up to the directive `ended_by`.

    With `severity`, the findings get that severity instead of being suppressed.
    """

    directive: str
    codes: tuple[str, ...]
    ended_by: str = ""
    severity: Severity | None = None


class Surface(NamedTuple):
    """The syntax of programs in an instruction set.

    `comments` are the markers of line comments, the preferred one first. `bundle_end` and
    `separator` are empty where the end of a line has their function. `hints` maps a character or
    word that the grammar rejects to a sentence of advice, `operand =` to one about an equals sign
    among operands, `register =` to one after a register; `foreign` has advice about other syntax.
    `operand_separator` is put between two operands, `number_mark` precedes numbers. With
    `case_insensitive`, mnemonics match in any case.

    `block_comments` are pairs of markers around comments that may span lines. `brackets` are the
    markers around a bundle of several instructions, if there are any. `linked`: labels may be
    defined in other files, except those that begin with `local_prefix`. `numeric_labels` (``1:``,
    ``1b``, ``2f``) may be redefined. `preprocessed`: macros and a preprocessor may define names
    that the text itself does not define. `templates`: a file with a template tag is rendered by
    Jinja before it is read. `c_preprocessor`: files have ``#define``, ``#include`` and ``#if``;
    `predefined` are the macros that are defined before the first line. One that differs between
    machines has several values: each is tried where a condition asks for it, the first elsewhere.
    `modes` are the directives that set an execution mode, `severity_directives` those that change
    the severity of findings; `symbol_directives` take a symbol and an expression. `directives` maps
    the directives with a page to a sentence of documentation. `half_suffix` marks constants of half
    precision, `register_aliases` are further names of registers.

    `word_pattern` is a regular expression of JavaScript, with the flag `u`, for what an editor
    selects as one word: a mnemonic, a label, a register or a number.
    """

    grammar: str
    language_id: str
    comments: tuple[str, ...]
    bundle_end: str
    separator: str
    hints: Mapping[str, str] = {}
    foreign: ForeignSyntax = ForeignSyntax()
    operand_separator: str = " "
    number_mark: str = ""
    case_insensitive: bool = False
    block_comments: tuple[tuple[str, str], ...] = ()
    brackets: tuple[str, str] | None = None
    linked: bool = False
    local_prefix: str = ""
    numeric_labels: bool = False
    preprocessed: bool = False
    templates: bool = False
    c_preprocessor: bool = False
    predefined: Mapping[str, tuple[str, ...]] = {}
    modes: Mapping[str, str] = {}
    severity_directives: tuple[SeverityDirective, ...] = ()
    directives: Mapping[str, str] = {}
    symbol_directives: tuple[str, ...] = ()
    half_suffix: str = ""
    register_aliases: frozenset[str] = frozenset()
    word_pattern: str = _WORD_PATTERN


def by_name(rows: Mapping[str, ForeignMnemonic]) -> dict[str, ForeignMnemonic]:
    """Split keys that name several mnemonics with the same advice, such as ``"jmp jump"``."""
    return dict(_each(rows))


def _each(rows: Mapping[str, ForeignMnemonic]) -> Iterator[tuple[str, ForeignMnemonic]]:
    for names, foreign in rows.items():
        yield from ((name, foreign) for name in names.split())
