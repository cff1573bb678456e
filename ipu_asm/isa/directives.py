"""The directives that all assemblers for object files share, and the arguments of some of them."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.named_tuple import NamedTuple

COMMON: Mapping[str, str] = {
    ".2byte": "Puts 16-bit values here, whatever the alignment.",
    ".4byte": "Puts 32-bit values here, whatever the alignment.",
    ".8byte": "Puts 64-bit values here, whatever the alignment.",
    ".align": "Fills up to the next address that is a multiple of the given number.",
    ".altmacro": "From here on macros may have names of their own and take values by `%`.",
    ".ascii": "Puts the characters of a string here, without a zero behind them.",
    ".asciz": "Puts the characters of a string here, and a zero behind them.",
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
    ".string": "Puts the characters of a string here, and a zero behind them.",
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
ARGUMENTS: Mapping[str, Arguments] = {
    **{
        name: Arguments(INTEGERS, bits) for bits, names in _WIDTHS.items() for name in names.split()
    },
    **{name: arguments for names, arguments in _KINDS for name in names.split()},
}
"""The arguments of the directives that are checked."""
