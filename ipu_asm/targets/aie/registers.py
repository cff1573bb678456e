"""Registers of an AI Engine: files, overlaps, and the operand classes made of them.

A family is a register file with a short name. Wide registers consist of narrower ones; overlaps
are determined by the smallest parts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Mapping, Sequence

from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.operands import AieType, DimensionClass, PairClass, RegisterClass

Parts = Mapping[str, tuple[str, ...]]
_SUBSET = re.compile(r"([a-z_]+?)(\d+)-(\d+)")


class Family(NamedTuple):
    """A register file, and the parts of each of its registers; empty if they have no parts."""

    name: str
    file: RegisterFile
    parts: tuple[tuple[str, ...], ...] = ()


class Registers(NamedTuple):
    """All registers of an instruction set.

    `families` are in display order, `units` maps a register to its smallest parts, `sorts` maps
    its lower-case name to the title of its file.
    """

    families: Mapping[str, Family]
    units: Mapping[str, frozenset[str]]
    sorts: Mapping[str, str]

    @property
    def files(self) -> tuple[RegisterFile, ...]:
        return tuple(family.file for family in self.families.values())


def family(
    name: str,
    title: str,
    registers: Sequence[str],
    summary: str,
    parts: Sequence[tuple[str, ...]] = (),
) -> Family:
    """Return a family of registers; `parts` lists the parts of each register, in the same order."""
    return Family(name, RegisterFile(name, title, tuple(registers), summary), tuple(parts))


def numbered(prefix: str, count: int, first: int = 0) -> tuple[str, ...]:
    """Return register names such as `r0` to `r31`."""
    return tuple(f"{prefix}{number}" for number in range(first, first + count))


def registers_of(families: Sequence[Family]) -> Registers:
    """Collect the registers of families. Parts must be registers of earlier families."""
    units: dict[str, frozenset[str]] = {}
    sorts: dict[str, str] = {}
    for each in families:
        for number, register in enumerate(each.file.registers):
            sorts[register.lower()] = each.file.title
            if each.parts:
                found = (units.get(part, frozenset((part,))) for part in each.parts[number])
                units[register] = frozenset().union(*found)
    return Registers({each.name: each for each in families}, units, sorts)


def classes_of(
    registers: Registers, lines: Mapping[str, tuple[str, str]], pair_names: Mapping[str, str]
) -> dict[str, AieType]:
    """Return the operand classes by the names that the forms use.

    Each value of `lines` is a pair: nouns for a class of several files, as in `scalar pointer`, and
    members: families, as in `r p s`, parts of families, as in `r16-31`, single registers, and those
    of the families before them that do not belong to the class, as in `-core_id`.
    """
    found: dict[str, AieType] = {}
    for name, (words, members) in lines.items():
        nouns = words.split()
        without = {member[1:] for member in members.split() if member[0] == "-"}
        files = [
            _without(_file(registers, member), without)
            for member in members.split()
            if member[0] != "-"
        ]
        if name in ("D", "DS"):
            found[name] = DimensionClass(name, nouns, files, registers.sorts, name == "DS")
        elif any(file.name == "pair" for file in files):
            found[name] = PairClass(name, nouns, files, registers.sorts, pair_names)
        else:
            found[name] = RegisterClass(name, nouns, files, registers.sorts)
    return found


def _without(file: RegisterFile, registers: set[str]) -> RegisterFile:
    kept = tuple(register for register in file.registers if register not in registers)
    return file if len(kept) == len(file.registers) else file._replace(registers=kept)


def _file(registers: Registers, member: str) -> RegisterFile:
    if member in registers.families:
        return registers.families[member].file
    match = _SUBSET.fullmatch(member)
    if match is None:
        file = next(file for file in registers.files if member in file.registers)
        return file._replace(registers=(member,))
    file = registers.families[match[1]].file
    wanted = range(int(match[2]), int(match[3]) + 1)
    chosen = [register for register in file.registers if _number(register) in wanted]
    return file._replace(name=member, registers=tuple(chosen))


def _number(register: str) -> int:
    """The number at the end of a name: of a pair, that of its lower half."""
    return int(re.findall(r"\d+", register)[-1])


@lru_cache(maxsize=1)
def shared_families() -> tuple[Family, ...]:
    """The families of both generations: scalars, pointers, modifiers and special registers."""
    modifiers = numbered("m", 8), numbered("dn", 8), numbered("dj", 8), numbered("dc", 8)
    return (
        family("r", "scalar register", numbered("r", 32), "32 bits, for integers and settings"),
        family("p", "pointer register", numbered("p", 8), "an address in data memory, 20 bits"),
        family("m", "modifier register", modifiers[0], "what a pointer grows by after an access"),
        family("dn", "size register", modifiers[1], "how many steps a dimension has"),
        family("dj", "stride register", modifiers[2], "an offset, or the step of a dimension"),
        family("dc", "count register", modifiers[3], "how many steps of a dimension are done"),
        family(
            "d",
            "dimension register",
            numbered("d", 8),
            "`m`, `dn`, `dj` and `dc` of one number together, for accesses in two dimensions; "
            "with three, `d0` to `d3` take those of four numbers further on as well",
            list(zip(*modifiers)),
        ),
        family("s", "shift register", numbered("s", 4), "how far conversions shift"),
        family("sp", "stack pointer", ("sp",), "the stack grows upwards; offsets are negative"),
        family("lr", "link register", ("lr",), "where `ret` returns to; calls write it"),
        family(
            "loop",
            "loop register",
            ("ls", "le", "lc"),
            "start, last bundle and count of the hardware loop",
        ),
    )


def vector_families(y_first: int) -> tuple[Family, ...]:
    """Vector registers of 256, 512 and 1024 bits; the numbers of the widest start at `y_first`."""
    halves = [(f"wl{n}", f"wh{n}") for n in range(12)]
    names = [name for pair in halves for name in pair]
    y_names = numbered("y", 6 - y_first, y_first)
    y_parts = [(f"x{2 * n}", f"x{2 * n + 1}") for n in range(y_first, 6)]
    return (
        family("w", "vector register of 256 bits", names, "a half of an `x` register"),
        family("x", "vector register of 512 bits", numbered("x", 12), "`wh` and `wl`", halves),
        family(
            "y",
            "vector register of 1024 bits",
            y_names,
            "two `x` registers that follow each other",
            y_parts,
        ),
    )
