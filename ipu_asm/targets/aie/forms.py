"""Parser of the lines that describe forms.

A line is an instruction's syntax with `{name:TYPE}` for each operand, as in

    vlda {dst:W=7}, [{ptr:P@1}, {dj:DJ@1}]

A type is a register class, an immediate (`#` unbounded, `#0..63`, `#-128..96/32` in steps of 32,
`#value` a 32-bit number or a symbol, `#label`) or a single register, as in `{r27@1}`. After the
type follow the cycle in which the operand is read (`@1`), the cycle in which it is written (`=7`),
both without a number if unknown, and its bypass (`~MOV`). Text outside of braces is literal, and
``(a|b)`` stands for two forms, with one text and with the other. ``<-8..7 -16..15>`` stands for
four addresses: a pointer plus a `dj` register or an offset of the first range, and a pointer that
grows by an `m` register or an offset of the second range; without a second range, both are the
same.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from ipu_asm.isa.build import alternatives
from ipu_asm.isa.model import Implicit, InstructionSpec, Operand
from ipu_asm.isa.operands import NamedRegister
from ipu_asm.isa.scalar import Counting, CountingFacts, LoopCounter, counting_facts
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.documentation import OPERANDS, Documents
from ipu_asm.targets.aie.operands import (
    AieType,
    BracketType,
    Element,
    FixedType,
    ImmediateType,
    RegisterClass,
    SuffixedClass,
    SymbolType,
    TargetType,
    aie_type,
)
from ipu_asm.targets.aie.registers import numbered

LOOP_REGISTERS = ("ls", "le")

COUNTING = Counting(
    registers=frozenset((*numbered("r", 32), *numbered("p", 8), *LOOP_REGISTERS, "lc")),
    links=frozenset(("lr",)),
    hardware_loop=LoopCounter("lc", distance=7),
)
"""Constants, decrementing branches and hardware loops.

`jnzd` tests its source before it decrements it, so that a loop that begins with N there has N + 1
iterations. A hardware loop has as many iterations as `lc` says when it is entered; compilers write
its registers seven bundles before its last one at the latest.
"""

_CONSTANT = {"computes": {"dst": "imm"}}
_COPY = {"computes": {"dst": "src"}}
_SUM = {"computes": {"dst": "src1 + src2"}}
_INCREMENT = {"computes": {"dst": "src + imm"}}
_SHAPED = {"shape": ("conf", "src1")}

# By mnemonic and the names of all operands.
_FACTS: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("mov", "dst", "imm"): _CONSTANT,
    ("mova", "dst", "imm"): _CONSTANT,
    ("movx", "dst", "imm"): _CONSTANT,
    ("movxm", "dst", "imm"): _CONSTANT,
    ("mov", "dst", "src"): _COPY,
    ("add", "dst", "src1", "src2"): _SUM,
    ("add.nc", "dst", "src1", "src2"): _SUM,
    ("add", "dst", "src", "imm"): _INCREMENT,
    ("add.nc", "dst", "src", "imm"): _INCREMENT,
    ("sub", "dst", "src1", "src2"): {"computes": {"dst": "src1 - src2"}},
    ("jnz", "cond", "target"): {"branch": "cond != 0"},
    ("jz", "cond", "target"): {"branch": "cond == 0"},
    ("jnzd", "dst", "src", "target"): {
        "branch": "src != 0",
        "computes": {"dst": "src - 1"},
        "pointer": "target",
    },
    ("j", "target"): {"pointer": "target"},
}

DELAY_SLOTS = 5
_ADDRESSES = re.compile(r"<(\S+)(?: (\S+))?>")
_PIECES = re.compile(r"(?:\[[^\]]*\]|[^,\[])+")
_OPERAND = re.compile(r"\{([^@=~}]+)(?:@(\d*))?(?:=(\d*))?(?:~(\w+))?\}(.*)")
_RANGE = re.compile(r"#(-?\d+)\.\.(-?\d+)(?:/(\d+))?")
_NAMED_REGISTER = re.compile(r"r\d+(?::r\d+)?")
_FLOWS = {"j": "jump", "ret": "indirect", "jz": "branch", "jnz": "branch", "jnzd": "branch"}
_BRANCHES = (*_FLOWS, "jl")
_LEAVING = {"jl": "call", "ret": "return"}
_WORD_BITS = 32


class Timing(NamedTuple):
    """Access (`r`, `w`, `rw`), read and write cycle, bypass of an operand; cycles may be None."""

    access: str
    use: int | None
    define: int | None
    bypass: str


def forms_of(
    tables: Mapping[str, Sequence[str]],
    classes: Mapping[str, AieType],
    link_cycle: int | None,
    documents: Documents,
) -> list[InstructionSpec]:
    """Return the instructions of all forms; `tables` maps slots to lines.

    `link_cycle` is the cycle in which a call writes the link register.
    """
    reader = _Reader(classes)
    return [
        _instruction(slot, form, reader, link_cycle, documents)
        for slot, lines in tables.items()
        for line in lines
        for form in alternatives(_ADDRESSES.sub(_addresses, line))
    ]


def _addresses(match: re.Match[str]) -> str:
    offsets, steps = match[1], match[2] or match[1]
    return (
        f"([{{ptr:P@1}}, {{dj:DJ@1}}]|[{{ptr:P@1}}, {{offset:#{offsets}}}]"
        f"|[{{ptr:P@1=1}}], {{mod:M@1}}|[{{ptr:P@1=1}}], {{offset:#{steps}}})"
    )


def _instruction(
    slot: str, line: str, reader: _Reader, link_cycle: int | None, documents: Documents
) -> InstructionSpec:
    mnemonic, _, rest = line.partition(" ")
    pieces = [piece.strip() for piece in _PIECES.findall(rest)]
    parts = [reader.operand(piece) for piece in pieces]
    operands = tuple(operand for operand, _ in parts)
    syntax = f"{mnemonic} {', '.join(shown for _, shown in parts)}".strip()
    flow = _FLOWS.get(mnemonic)
    if flow == "jump" and not isinstance(operands[0].type, TargetType):
        flow = "indirect"
    names = tuple(operand.name for operand in operands)
    implicit = (Implicit("lr", "w", None, link_cycle),) if mnemonic == "jl" else ()
    return InstructionSpec(
        mnemonic,
        slot,
        0,
        0,
        operands,
        documents.document(mnemonic, slot, syntax, operands),
        "",
        flow=flow,
        nop=mnemonic.startswith("nop"),
        implicit=implicit,
        delay_slots=DELAY_SLOTS if mnemonic in _BRANCHES else 0,
        traits=_traits(mnemonic),
        counting=facts_of(
            mnemonic,
            names,
            has_pointer=not any(isinstance(each.type, TargetType) for each in operands),
        ),
    )


def _traits(mnemonic: str) -> frozenset[str]:
    found = set()
    if mnemonic.startswith(("lda", "vlda", "vldb")):
        found.add("load")
    if mnemonic.startswith(("st.", "vst")) or mnemonic == "st":
        found.add("store")
    if mnemonic in _LEAVING:
        found.add(_LEAVING[mnemonic])
    if ".pop." in mnemonic or ".fill" in mnemonic or ".push." in mnemonic or ".flush." in mnemonic:
        found.add("queue")
    return frozenset(found)


class _Reader:
    """Parses operands of forms; each distinct text once, because many forms share operands."""

    def __init__(self, classes: Mapping[str, AieType]) -> None:
        self._classes = classes
        self._types: dict[str, AieType] = dict(classes)
        self._operands: dict[str, tuple[Operand, str]] = {}

    def operand(self, piece: str) -> tuple[Operand, str]:
        """Return an operand and its text in syntax lines."""
        found = self._operands.get(piece)
        if found is None:
            found = self._bracket(piece) if piece[0] == "[" else self._simple(piece)
            self._operands[piece] = found
        return found

    def _simple(self, piece: str) -> tuple[Operand, str]:
        match = _OPERAND.fullmatch(piece)
        if match is None:
            return self._fixed(piece)
        name, _, kind = match[1].partition(":")
        timing = _timing(match)
        if _NAMED_REGISTER.fullmatch(match[1]) or not kind:
            name, kind = match[1], "\0" + match[1]
        type_ = self._type(kind)
        shown = f"{name}:{type_.label}"
        if kind[0] == "#":
            shown = f"#{name}"
        elif kind[0] == "\0":
            shown = name
        if match[5]:
            type_ = self._suffixed(type_, match[5])
            shown += match[5]
        return _operand(name, type_, timing), shown

    def _fixed(self, piece: str) -> tuple[Operand, str]:
        register = re.search(r"r31(\+\+)?", piece)
        names: list[NamedRegister] = []
        if register:
            access = "rw" if register[1] else "r"
            names = [NamedRegister("r31", register.start(), register.start() + 3, access)]
        return Operand(piece, FixedType(piece, names), OPERANDS.get(piece, "always this")), piece

    def _bracket(self, piece: str) -> tuple[Operand, str]:
        parts = [part.strip() for part in piece[1:-1].split(",")]
        inner = [self._simple(part)[0] for part in parts]
        elements = [Element(_element_name(o), aie_type(o.type), o.access) for o in inner]
        name = f"[{', '.join(element.name for element in elements)}]"
        use = next((o.use_cycle for o in inner if "r" in o.access), None)
        define = next((o.def_cycle for o in inner if "w" in o.access), None)
        timing = Timing("", use, define, "")
        return _operand(name, BracketType(name, elements), timing), name

    def _type(self, kind: str) -> AieType:
        found = self._types.get(kind)
        if found is None:
            found = self._types[kind] = _made_type(kind)
        return found

    def _suffixed(self, inner: AieType, shown: str) -> AieType:
        assert isinstance(inner, RegisterClass)
        halves = ("[0]", "[1]", "[#0]", "[#1]")
        return SuffixedClass(inner, halves if shown == "[half]" else (shown,), shown)


def _element_name(operand: Operand) -> str:
    mark = "#" if isinstance(operand.type, ImmediateType) else ""
    return f"{mark}{operand.name}"


def _timing(match: re.Match[str]) -> Timing:
    use, define = match[2], match[3]
    access = ("r" if use is not None else "") + ("w" if define is not None else "")
    return Timing(
        access, int(use) if use else None, int(define) if define else None, match[4] or ""
    )


# In every form with known cycles, operands of these classes are read in the first cycle.
_READ_FIRST = ("X", "Y", "EX", "EY", "Q", "QX", "QY", "QEX", "QEY")

# Their counts are written as early as the pointer that they step.
_STEPPED = ("D", "DS")


def _operand(name: str, operand_type: AieType, timing: Timing) -> Operand:
    if timing.use is None and timing.access == "r" and operand_type.name in _READ_FIRST:
        timing = timing._replace(use=1)
    if timing.define is None and operand_type.name in _STEPPED:
        timing = timing._replace(define=timing.use)
    return Operand(
        name,
        operand_type,
        OPERANDS.get(name, ""),
        access=timing.access,
        use_cycle=timing.use,
        def_cycle=timing.define,
        bypass=timing.bypass,
    )


def _made_type(kind: str) -> AieType:
    """Return the type of an immediate, or of a single register."""
    if kind[0] == "\0":
        register = kind[1:]
        return FixedType(register, (NamedRegister(register, 0, len(register)),))
    if kind == "#label":
        return TargetType(kind)
    if kind == "#value":
        return SymbolType(kind, -(1 << _WORD_BITS - 1), (1 << _WORD_BITS) - 1)
    bounds = _RANGE.fullmatch(kind)
    if bounds is None:
        return ImmediateType(kind)
    return ImmediateType(kind, int(bounds[1]), int(bounds[2]), int(bounds[3] or 1))


def facts_of(
    mnemonic: str, operands: tuple[str, ...], *, has_pointer: bool
) -> CountingFacts | None:
    """Return the facts of a form; `has_pointer`: its target is in a register."""
    entry = _FACTS.get((mnemonic, *operands))
    if entry is None and "conf" in operands and "src1" in operands:
        entry = _SHAPED
    if entry is None:
        return None
    facts = counting_facts(entry)
    return facts if has_pointer else facts._replace(pointer="")
