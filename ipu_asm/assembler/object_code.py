"""Sections, symbols and relocations of a program, as an object file holds them."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.isa.machine_code import Relocation
from ipu_asm.named_tuple import NamedTuple

ABSOLUTE = "*ABS*"
"""In place of a section: the value of the symbol is no address."""


SECTION_FLAGS: Mapping[str, int] = {
    "a": 0x2,
    "w": 0x1,
    "x": 0x4,
    "M": 0x10,
    "S": 0x20,
    "o": 0x80,
    "G": 0x200,
    "T": 0x400,
    "R": 0x20_0000,
    "e": 0x8000_0000,
}
"""The bits of `sh_flags` by the letters of `.section`."""


class Symbol(NamedTuple):
    """A symbol. `section` is empty where another file defines it; `value` is its offset there.

    `binding` is `local`, `global` or `weak`; `kind` is `notype`, `object`, `func`, `section`,
    `file`, `common` or `tls`; `visibility` is `default`, `hidden`, `internal` or `protected`. Of
    a `common` symbol, `value` is the alignment.
    """

    name: str
    section: str = ""
    value: int = 0
    size: int = 0
    binding: str = "local"
    kind: str = "notype"
    visibility: str = "default"


class Unit(NamedTuple):
    """The place of a unit of code, or of the data of a directive, in its section, in bytes.

    `bundle` is the number of the bundle in the program that it was written in; -1 for code that
    the assembler inserted to fill a gap.
    """

    offset: int
    size: int
    bundle: int
    is_code: bool = True


class Section(NamedTuple):
    """A section. `flags` are letters as in `.section`: `a` allocated, `w` written, `x` code.

    `kind` is `progbits`, `nobits` or `note`; `data` of a `nobits` section is zeros. `address` is
    that of its first byte, 0 in objects that are to be linked. The offsets of relocations count
    from its start. `entry_size` is the size of entries, which linkers merge, in bytes. `group` is
    the name of the symbol of its group, of which a linker keeps one.
    """

    name: str
    flags: str
    kind: str
    alignment: int
    data: bytes
    relocations: tuple[Relocation, ...] = ()
    units: tuple[Unit, ...] = ()
    address: int = 0
    entry_size: int = 0
    group: str = ""

    @property
    def is_code(self) -> bool:
        return "x" in self.flags


class ObjectCode(NamedTuple):
    """The content of an object file: sections in their order, and symbols.

    `flags` are those of the file header, None for those that most objects of the set have.
    """

    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    flags: int | None = None
