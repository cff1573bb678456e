"""Values on the command line of `ipu-run`: numbers, registers, parts of memory."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import NamedTuple

from ipu_asm.config.files import NUMPY_DUMP, NUMPY_LOAD, is_numpy_file
from ipu_asm.emulator.memory import XMEM_SIZE
from ipu_asm.isa.operands import number_value, quoted

_REGISTERS = 16
_LEAST, _MOST = -(1 << 31), (1 << 32) - 1


class Load(NamedTuple):
    """A file that is put into xmem; `length` is None for all of it."""

    file: str
    address: int
    length: int | None


class Dump(NamedTuple):
    """A part of xmem that is written to a file; `text` is what the user wrote."""

    file: str
    address: int
    length: int
    text: str

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.length


def number(text: str) -> int:
    """A number as assembly writes it."""
    value = number_value(text)
    if value is None:
        raise ArgumentTypeError(
            f"expected a number such as 4096, 0x1000 or 1_000, found {quoted(text)}"
        )
    return value


def register_value(text: str) -> tuple[int, int]:
    """`N=VALUE`: the number of a register and 32 bits, given as signed or unsigned."""
    name, separator, value_text = text.partition("=")
    index = number_value(name)
    if not separator or index is None:
        raise ArgumentTypeError(f"expected N=VALUE such as 3=0x1000, found {quoted(text)}")
    if not 0 <= index < _REGISTERS:
        raise ArgumentTypeError(f"there are registers 0 to {_REGISTERS - 1}, found {index}")
    value = number(value_text)
    if not _LEAST <= value <= _MOST:
        raise ArgumentTypeError(f"a register has 32 bits, found {quoted(value_text)}")
    return index, value & _MOST


def load_request(text: str) -> Load:
    """`FILE@ADDR` or `FILE@ADDR:LENGTH`."""
    file, place = _split(text, "FILE@ADDR or FILE@ADDR:LENGTH")
    if is_numpy_file(file):
        raise ArgumentTypeError(f"{file}: {NUMPY_LOAD}")
    address, separator, length = place.partition(":")
    return Load(file, *(_range(address, length) if separator else (_address(address), None)))


def dump_request(text: str) -> Dump:
    """`FILE@ADDR:LENGTH`."""
    wanted = "FILE@ADDR:LENGTH"
    file, place = _split(text, wanted)
    address, separator, length = place.partition(":")
    if not separator:
        raise ArgumentTypeError(f"expected {wanted}, found {quoted(text)}")
    if is_numpy_file(file):
        raise ArgumentTypeError(f"{file}: {NUMPY_DUMP}")
    return Dump(file, *_range(address, length), text)


def _split(text: str, wanted: str) -> tuple[str, str]:
    """The file, in whose name there may be an `@`, and what follows."""
    file, separator, place = text.rpartition("@")
    if not file or not separator:
        raise ArgumentTypeError(f"expected {wanted}, found {quoted(text)}")
    return file, place


def _range(address_text: str, length_text: str) -> tuple[int, int]:
    address, length = _address(address_text), number(length_text)
    if length < 1:
        raise ArgumentTypeError(f"expected a length of at least 1, found {length}")
    if address + length > XMEM_SIZE:
        raise ArgumentTypeError(
            f"xmem has {XMEM_SIZE:#x} bytes, found {length} bytes at {address:#x}"
        )
    return address, length


def _address(text: str) -> int:
    address = number(text)
    if not 0 <= address < XMEM_SIZE:
        raise ArgumentTypeError(f"xmem has {XMEM_SIZE:#x} bytes, found address {text}")
    return address
