"""Reading of data within limits, before the machine exists that decides about their types."""

from __future__ import annotations

import os

from ipu_asm.config.files import FileError, Target, read_beginning
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.numpy_files import StoredArray, read_array
from ipu_asm.testbench.data.source import Data
from ipu_asm.text import counted

_LARGEST_ITEM = 8
"""Bytes of the largest number that a file may have for each byte of memory."""


class Piece(NamedTuple):
    """Data, and what a file has of them: raw bytes or an array; None for generated ones."""

    data: Data
    stored: bytes | StoredArray | None

    @property
    def described(self) -> str:
        """The type and the shape that a file states; empty for raw bytes and generated data."""
        if not isinstance(self.stored, StoredArray):
            return ""
        header = self.stored.header
        order = ", Fortran order" if header.is_fortran and len(header.shape) > 1 else ""
        return f"{header.descr} {'x'.join(map(str, header.shape)) or 'scalar'}{order}"


def read_piece(data: Data, memory_size: int) -> Piece:
    """Read data for a memory of `memory_size` bytes, no more than fits. Raises `FileError`."""
    if data.source.generator:
        return Piece(data, None)
    if data.source.is_numpy:
        if os.path.isdir(data.source.file):
            raise FileError("is a directory", data.source.file)
        try:
            return Piece(data, read_array(data.source, _LARGEST_ITEM * memory_size))
        except MemoryError as error:
            raise FileError("the array does not fit into memory", data.source.text) from error
    return Piece(data, _raw(data, memory_size))


def _raw(data: Data, memory_size: int) -> bytes:
    target, (address, _, _), size = (
        Target.of_argument(data.source.file),
        data.place,
        data.place.size,
    )
    room = memory_size - address
    content = read_beginning(target, room + 1 if size is None else min(size, room + 1))
    wanted = 1 if size is None else size
    if len(content) < min(wanted, room + 1):
        least = counted(wanted, "byte")
        raise FileError(
            f"expected at least {least}, found {counted(len(content), 'byte')}", target.name
        )
    if len(content) > room:
        raise FileError(
            f"xmem has {memory_size:#x} bytes, found more than {counted(room, 'byte')} "
            f"for address {address:#x}",
            target.name,
        )
    return content
