"""Build the description of an AI Engine generation: slots, syntax, and generation differences."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, Sequence

from ipu_asm.isa.build import FormsDescription, build_forms, unit_slot
from ipu_asm.isa.model import Isa, Scheduling
from ipu_asm.isa.storage import CodeSizes
from ipu_asm.isa.surface import (
    COMMON,
    SYMBOL_DIRECTIVES,
    ForeignMnemonic,
    ForeignSyntax,
    Surface,
    by_name,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie import LANGUAGE_ID
from ipu_asm.targets.aie.documentation import Documents
from ipu_asm.targets.aie.encoding_tables import layouts_of
from ipu_asm.targets.aie.forms import COUNTING, LOOP_REGISTERS, forms_of
from ipu_asm.targets.aie.operands import LOCAL_PREFIX, MARK
from ipu_asm.targets.aie.registers import Family, classes_of, numbered, registers_of

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
    numeric_labels=True,
    preprocessed=True,
    directives=DIRECTIVES,
    symbol_directives=SYMBOL_DIRECTIVES,
)

_UNITS = ("lda", "ldb", "st", "alu", "mv", "vec")

SLOTS = (
    unit_slot("lda", "Load Unit A"),
    unit_slot("ldb", "Load Unit B"),
    unit_slot("st", "Store Unit"),
    unit_slot("alu", "Scalar Unit"),
    unit_slot("mv", "Move Unit"),
    unit_slot("vec", "Vector Unit"),
    unit_slot("lng", "Scalar and Move Unit", "alu", "mv"),
    unit_slot("nop", "Whole Bundle", *_UNITS),
)

# Not callee-saved and without arguments, which `p0` to `p5` and the vector registers pass.
_SCRATCH = (
    *(register for file in ("m", "dn", "dj", "dc") for register in numbered(file, 8)),
    *numbered("s", 4),
)

# Callee-saved registers of every generation.
_LIVE_AT_RETURN = ("p6", "p7", "sp")


class Engine(NamedTuple):
    """The differences between the generations.

    `classes` is the argument of `registers.classes_of`; `pair_names` maps second names of pairs of
    scalar registers to pairs; `link_cycle` is the cycle in which a call writes the link register.
    `callee_saved` are the numbers of callee-saved scalar registers; `scratch` of those that are
    neither callee-saved nor arguments, alone or in a pair. `products` and `wide_files` are those of
    `Counting`, the first by the texts of `amode,bmode,variant`. `encodings` is the table of the
    machine code, of which the sizes of bundles are read.
    """

    name: str
    title: str
    families: Sequence[Family]
    classes: Mapping[str, tuple[str, str]]
    pair_names: Mapping[str, str]
    forms: Mapping[str, Sequence[str]]
    link_cycle: int | None
    callee_saved: range
    scratch: range
    examples: Mapping[str, str]
    products: Mapping[str, int]
    wide_files: tuple[str, ...]
    encodings: Path


_TWINS = (
    *((f"vlda{kind}", f"vldb{kind}") for kind in ("", ".2d", ".3d", ".128")),
    *((f"padda{kind}", f"paddb{kind}", f"padds{kind}") for kind in ("", ".2d", ".3d")),
    ("mova", "movx", "mov"),
)
"""Mnemonics that mean the same in the slots of both loads, of the store and of moves."""
_SCHEDULING = Scheduling(
    twins=_TWINS,
    addresses=("[",),
    hidden={
        **{key: {"srcarry": "w"} for key in ("add", "sub", "abs")},
        **{key: {"srcarry": "rw"} for key in ("adc", "sbc")},
    },
    loop_setup=("add.nc lc, {turns}, #{added}", "movxm ls, #{start}", "movxm le, #{end}"),
    setup_bundles=4,  # the loop's registers are read when its last bundle is fetched
    loop_alignment=".p2align 4",
    delaying=frozenset(f"st{steps}.{n}" for steps in ("", ".2d", ".3d") for n in ("s8", "s16")),
)


def isa_of(engine: Engine) -> Isa:
    """Return the instruction set of a generation, built from the forms of its tables."""
    registers = registers_of(engine.families)
    classes = classes_of(registers, engine.classes, engine.pair_names)
    encodings = engine.encodings.read_text(encoding="utf-8")
    layouts = layouts_of(encodings)
    documents = Documents(engine.examples, {slot.name: _spoken(slot.title) for slot in SLOTS})
    description = FormsDescription(
        name=engine.name,
        title=engine.title,
        surface=SURFACE,
        slots=tuple(slot._replace(beside=layouts.beside(slot.name)) for slot in SLOTS),
        forms=forms_of(engine.forms, classes, engine.link_cycle, documents),
        register_files=registers.files,
        units_of=registers.units,
        family="aie",
        loop_registers=LOOP_REGISTERS,
        live_at_return=frozenset(
            (*_LIVE_AT_RETURN, *(f"r{number}" for number in engine.callee_saved))
        ),
        scratch=frozenset((*_SCRATCH, *(f"r{number}" for number in engine.scratch))),
        scheduling=_SCHEDULING,
        code_sizes=CodeSizes(2, 16, "nop", 16, layouts),
        counting=COUNTING._replace(
            products={_mode(text): count for text, count in engine.products.items()},
            wide_files=engine.wide_files,
        ),
    )
    return build_forms(description)


def _mode(text: str) -> int:
    """Return bits 1 to 7 of a configuration: two, two and three bits of its modes."""
    first, second, variant = map(int, text.split(","))
    return first | second << 2 | variant << 4


def _spoken(title: str) -> str:
    """Return a title in lower case with an article; single letters of units remain capital."""
    words = (word if len(word) == 1 else word.lower() for word in title.split())
    return f"the {' '.join(words)}"
