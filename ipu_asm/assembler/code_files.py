"""Files with machine code: objects and executables, listings of disassemblers, and plain bytes."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.assembler.code_text import CodeLine, code_lines
from ipu_asm.assembler.elf_reader import MAGIC, ElfError, read_elf
from ipu_asm.assembler.listed_source import MIN_SHARE, NO_BYTES, nearest_set
from ipu_asm.assembler.machine_code import MachineCode, ObjectCode, Section
from ipu_asm.assembler.objdump_text import read_objdump
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.config.files import FileError
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import LineIndex

MAX_CODE: Final = 1 << 19
"""Bytes in sections of code; 20 s of decoding. Larger programs are not of one tile."""

_HEX_LINE = re.compile(r"(?:0[xX])?((?:[0-9a-fA-F]{2}[ \t]*)+)")
_COMMENT = re.compile(r"(?:#|//).*")
_TEXT = ".text"


class CodeFile(NamedTuple):
    """The machine code of a file."""

    isa: Isa
    machine_code: MachineCode
    code: ObjectCode

    def lines(self, *, has_labels: bool) -> list[CodeLine]:
        """Return its assembly: see `code_lines`."""
        return code_lines(self.code, self.isa, self.machine_code, has_labels=has_labels)

    def text(self, *, has_labels: bool) -> str:
        """Return its assembly as a text: see `code_lines`."""
        return "".join(f"{line.text}\n" for line in self.lines(has_labels=has_labels))


def read_code_file(data: bytes, name: str, isa_name: str | None = None) -> CodeFile:
    """Return the content of an ELF file, or of the text of `objdump -d`. Raises `FileError`.

    The set of a listing is the one whose units its lines are.
    """
    if not data.startswith(MAGIC):
        return _listed(data.decode("utf-8", "surrogateescape"), name, isa_name)
    try:
        found, code = read_elf(data)
    except ElfError as error:
        raise FileError(str(error), name) from None
    if isa_name not in (None, found):
        raise FileError(f"expected an object for `{isa_name}`, found one for `{found}`", name)
    if sum(len(section.data) for section in code.sections if section.is_code) > MAX_CODE:
        raise FileError(f"sections of code have more than {MAX_CODE:,} bytes", name)
    isa = load_isa(found)
    return CodeFile(isa, required_machine_code(isa, name), code)


def required_machine_code(isa: Isa, name: str) -> MachineCode:
    """Return the encoding of a set with objects. Raises `FileError` about `name` without one."""
    found = machine_code_of(isa)
    if found is None or not found.has_objects:
        raise FileError(f"`{isa.name}` has no machine code of that kind", name)
    return found


def code_of_bytes(data: bytes, address: int = 0) -> ObjectCode:
    """Return bytes as a section of code at an address."""
    return ObjectCode((Section(_TEXT, "ax", "progbits", 1, data, address=address),), ())


def bytes_of_hex(text: str, name: str) -> bytes:
    """Return the bytes of hexadecimal digits in memory order. Raises `FileError`.

    Lines are as long as their author likes; they may begin with `0x` and end in comments.
    """
    parts = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        digits = _COMMENT.sub("", line).strip()
        match = _HEX_LINE.fullmatch(digits)
        if match is not None:
            parts.append(bytes.fromhex(match[1]))
        elif digits:
            found = digits if len(digits) <= len("0x") * 20 else f"{digits[:40]}..."
            expected = "expected bytes as pairs of hexadecimal digits"
            raise FileError(f"{expected}, found {found!r}", f"{name}:{number}")
    if not parts:
        raise FileError("expected bytes as pairs of hexadecimal digits, found none", name)
    return b"".join(parts)


def _listed(text: str, name: str, isa_name: str | None) -> CodeFile:
    nearest, share = (isa_name, 1.0) if isa_name else nearest_set(text)
    isa = load_isa(nearest)
    machine_code = required_machine_code(isa, name)
    listing = read_objdump(text, machine_code.object_format.code_relocations)
    if listing.mistakes:
        span, message = listing.mistakes[0]
        row = LineIndex.of(text).position(span.start).line + 1
        raise FileError(message, f"{name}:{row}")
    if not listing.units:
        raise FileError(NO_BYTES, name)
    if sum(len(section.data) for section in listing.code.sections) > MAX_CODE:
        raise FileError(f"the listing has more than {MAX_CODE:,} bytes of code", name)
    if share < MIN_SHARE:
        shown = f"{share:.0%} of its lines are units of `{nearest}`, the nearest set"
        raise FileError(f"the instruction set is not clear: {shown}; name it with --isa", name)
    return CodeFile(isa, machine_code, listing.code)
