"""Parsers of values on the command line of `ipu-run`: numbers, registers, memory ranges."""

from __future__ import annotations

from argparse import ArgumentTypeError, _ActionsContainer
from typing import NamedTuple

from ipu_asm.config.files import NUMPY_DUMP, NUMPY_LOAD, is_numpy_file
from ipu_asm.isa.operands import number_value, quoted

_REGISTERS = 16
_LEAST, _MOST = -(1 << 31), (1 << 32) - 1


class LoadRequest(NamedTuple):
    """A file to copy into xmem; `length` is its number of bytes to copy, None for all."""

    file: str
    address: int
    length: int | None


class DumpRequest(NamedTuple):
    """A range of xmem to write to a file; `text` is the option as written."""

    file: str
    address: int
    length: int
    text: str

    @property
    def end(self) -> int:
        """Return the first address behind the range."""
        return self.address + self.length


def number(text: str) -> int:
    """Return a number in the syntax of assembly. Raises `ArgumentTypeError`."""
    value = number_value(text)
    if value is None:
        raise ArgumentTypeError(
            f"expected a number such as 4096, 0x1000 or 1_000, found {quoted(text)}"
        )
    return value


def add_register_options(parser: _ActionsContainer, meaning: str) -> None:
    """Add `--cr` and `--lr`; in `meaning`, the sort of register stands for ``{}``."""
    for file, title in (("cr", "configuration"), ("lr", "loop")):
        parser.add_argument(
            f"--{file}",
            action="append",
            default=[],
            type=register_value,
            metavar="N=VALUE",
            help=f"{meaning.format(title)}; repeatable",
        )


def register_value(text: str) -> tuple[int, int]:
    """Parse `N=VALUE`: the number of a register and its 32 bits, signed or unsigned.

    Returns the value as unsigned. Raises `ArgumentTypeError`.
    """
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


def load_request(text: str) -> LoadRequest:
    """Parse `FILE@ADDR` or `FILE@ADDR:LENGTH`. Raises `ArgumentTypeError`."""
    file, place = _split(text, "FILE@ADDR or FILE@ADDR:LENGTH")
    if is_numpy_file(file):
        raise ArgumentTypeError(f"{file}: {NUMPY_LOAD}")
    address, separator, length = place.partition(":")
    return LoadRequest(file, number(address), _length(length) if separator else None)


def dump_request(text: str) -> DumpRequest:
    """Parse `FILE@ADDR:LENGTH`. Raises `ArgumentTypeError`."""
    wanted = "FILE@ADDR:LENGTH"
    file, place = _split(text, wanted)
    address, separator, length = place.partition(":")
    if not separator:
        raise ArgumentTypeError(f"expected {wanted}, found {quoted(text)}")
    if is_numpy_file(file):
        raise ArgumentTypeError(f"{file}: {NUMPY_DUMP}")
    return DumpRequest(file, number(address), _length(length), text)


def outside_memory(address: int, length: int | None, size: int) -> str | None:
    """Return the mistake of a range that does not lie in a memory of `size` bytes."""
    if not 0 <= address < size:
        shown = hex(address) if address >= 0 else str(address)
        return f"xmem has {size:#x} bytes, found address {shown}"
    if length is not None and address + length > size:
        return f"xmem has {size:#x} bytes, found {length} bytes at {address:#x}"
    return None


def _split(text: str, wanted: str) -> tuple[str, str]:
    """Return the file, whose name may contain an `@`, and the text behind the last `@`."""
    file, separator, place = text.rpartition("@")
    if not file or not separator:
        raise ArgumentTypeError(f"expected {wanted}, found {quoted(text)}")
    return file, place


def _length(text: str) -> int:
    length = number(text)
    if length < 1:
        raise ArgumentTypeError(f"expected a length of at least 1, found {length}")
    return length
