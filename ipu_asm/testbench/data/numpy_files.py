"""Arrays in files of numpy, read within limits: `.npy`, and `.npz`, which are ZIP archives of them.

`numpy.load` allocates what a header states before it sees whether the file has that much, names no
8-bit float, and evaluates the header as Python. Here a header is matched, and no more of a file is
read than the header states and the caller allows.
"""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
import zlib
from math import prod
from typing import BinaryIO, Callable, Final, Sequence, TypeVar

from ipu_asm.config.files import FileError, Target, file_error, read_beginning
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.source import Data, DataSource, Shape
from ipu_asm.text import counted

_Result = TypeVar("_Result")
_MAGIC: Final = b"\x93NUMPY"
_MAX_HEADER: Final = 10_000
"""Bytes of a header, as in numpy; more would be a structured type with many fields."""

_MAX_DIRECTORY: Final = 1 << 20
"""Bytes of the directory of an archive: about 10,000 arrays."""

_MAX_NAMES: Final = 8
_DESCR: Final = re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"]{1,32})['"]|(\[|\())""")
_ORDER: Final = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)\b""")
_SHAPE: Final = re.compile(r"""['"]shape['"]\s*:\s*\(([\dL,\s]{0,1000})\)""", re.ASCII)
_NUMBER: Final = re.compile(r"\d+", re.ASCII)
_ITEM_SIZE: Final = re.compile(r"[<>|=]?[a-zA-Z?](\d{1,9})", re.ASCII)
_TYPE: Final = re.compile(r"[<>|=]?([iuf])(\d)", re.ASCII)
_KINDS: Final = {"i": "int", "u": "uint", "f": "float"}
_MAX_DIMENSIONS: Final = 64
_BROKEN: Final = (
    ValueError, EOFError, RuntimeError, NotImplementedError, OverflowError, KeyError, struct.error,
    zlib.error, zipfile.BadZipFile,
)  # fmt: skip


class ArrayHeader(NamedTuple):
    """The header of an array: type as `<i4`, shape, order of its axes, and where its data begin."""

    descr: str
    shape: Shape
    is_fortran: bool
    start: int

    @property
    def elements(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def size(self) -> int:
        """The number of bytes of the data."""
        match = _ITEM_SIZE.fullmatch(self.descr)
        return self.elements * (int(match[1]) if match else 1)


class StoredArray(NamedTuple):
    """An array as it is stored: its header, and its bytes."""

    header: ArrayHeader
    content: bytes


def read_array(source: DataSource, most: int) -> StoredArray:
    """Return the array that a source names, if its data have at most `most` bytes.

    Raises `FileError`, also for an array of Python objects or of a structured type.
    """
    if source.is_archive:
        return read_member(source, most)
    content = read_beginning(Target(source.file), most + _MAX_HEADER + len(_MAGIC) + 6)
    header = array_header(content, source.text)
    _check_size(header, most, source.text)
    data = content[header.start : header.start + header.size]
    if len(data) < header.size:
        raise _truncated(header, len(data), source.text)
    return StoredArray(header, data)


def array_header(content: bytes, name: str) -> ArrayHeader:
    """Return the header at the beginning of a .npy file. Raises `FileError`."""
    if not content.startswith(_MAGIC):
        found = "another beginning" if content else "an empty file"
        raise FileError(f"expected a .npy file, found {found}", name)
    version = content[6:8]
    width, form = (2, "<H") if version[:1] == b"\x01" else (4, "<I")
    start = 8 + width
    if len(version) < 2 or version[0] not in (1, 2, 3) or version[1]:
        found = ".".join(map(str, version)) or "none"
        raise FileError(f"expected version 1.0, 2.0 or 3.0 of .npy, found {found}", name)
    if len(content) < start:
        raise FileError("the header of the array is cut off", name)
    (length,) = struct.unpack(form, content[8:start])
    if length > _MAX_HEADER:
        raise FileError(
            f"expected a header of at most {_MAX_HEADER:,} bytes, found {length:,}", name
        )
    text = content[start : start + length]
    if len(text) < length:
        raise FileError("the header of the array is cut off", name)
    return _header(text.decode("latin-1"), start + length, name)


def read_text_member(path: str, name: str, most: int) -> bytes:
    """Return the content of another file in an archive. Raises `FileError`."""

    def read(archive: zipfile.ZipFile, _bound: _BoundedFile) -> bytes:
        if name not in archive.namelist():
            raise FileError(f"expected an archive with `{name}`, found none", path)
        with archive.open(_plain_entry(archive, name, path)) as file:
            return file.read(most)

    return _in_archive(path, path, read)


def _header(text: str, start: int, name: str) -> ArrayHeader:
    descr, order, shape = (pattern.search(text) for pattern in (_DESCR, _ORDER, _SHAPE))
    if descr is None or order is None or shape is None:
        raise FileError("expected a header with descr, fortran_order and shape", name)
    if descr[2]:
        raise FileError(
            "expected an array of numbers, found records with fields; save one field each", name
        )
    if "O" in descr[1]:
        raise FileError(
            "expected an array of numbers, found Python objects, which are pickled and not loaded; "
            "convert with `.astype` before saving",
            name,
        )
    numbers = _NUMBER.findall(shape[1])
    if len(numbers) > _MAX_DIMENSIONS or any(len(number) > 18 for number in numbers):
        raise FileError(f"expected a shape, found {quoted(shape[1])}", name)
    return ArrayHeader(descr[1], tuple(map(int, numbers)), order[1] == "True", start)


def _check_size(header: ArrayHeader, most: int, name: str) -> None:
    if header.elements == 0:
        raise FileError(f"the array is empty: its shape is {header.shape}", name)
    if header.size > most:
        shape = "x".join(map(str, header.shape)) or "one element"
        raise FileError(
            f"expected at most {counted(most, 'byte')}, found {header.size:,} ({shape} of "
            f"{header.descr})",
            name,
        )


def _truncated(header: ArrayHeader, found: int, name: str) -> FileError:
    return FileError(
        f"expected {header.size:,} bytes of data, found {found:,}: it is cut off", name
    )


def read_member(source: DataSource, most: int) -> StoredArray:
    """Return the array that a source names in an archive. Raises as `read_array` does."""

    def read(archive: zipfile.ZipFile, bound: _BoundedFile) -> StoredArray:
        entry = _entry(archive, source)
        with archive.open(entry) as file:
            beginning = file.read(_MAX_HEADER)
            header = array_header(beginning, source.text)
            _check_size(header, most, source.text)
            rest = max(0, header.start + header.size - len(beginning))
            bound.most = rest + _MAX_DIRECTORY
            content = beginning + file.read(rest)
        data = content[header.start : header.start + header.size]
        if len(data) < header.size:
            raise _truncated(header, len(data), source.text)
        return StoredArray(header, data)

    return _in_archive(source.file, source.text, read)


def _entry(archive: zipfile.ZipFile, source: DataSource) -> zipfile.ZipInfo:
    names = _names(archive)
    wanted = source.member
    if wanted is None:
        if len(names) != 1:
            found = f"{len(names)}: {_described(archive, names)}" if names else "none"
            example = f"; write {source.file}[{names[0]}]" if names else ""
            raise FileError(f"expected one array, found {found}{example}", source.file)
        wanted = names[0]
    if wanted not in names:
        meant = nearest_of(wanted, names)
        hint = f"; did you mean {source.file}[{meant}]?" if meant else ""
        only = _described(archive, names) or "none"
        raise FileError(f"there is no array `{wanted}`, only {only}{hint}", source.file)
    return _plain_entry(archive, f"{wanted}.npy", source.text)


def _described(archive: zipfile.ZipFile, names: Sequence[str]) -> str:
    """The first names of an archive, with the type and the shape of each array."""
    texts = [_description(archive, name) for name in names[:_MAX_NAMES]]
    return ", ".join([*texts, *(["..."] if len(names) > _MAX_NAMES else [])])


def _description(archive: zipfile.ZipFile, name: str) -> str:
    try:
        with archive.open(_plain_entry(archive, f"{name}.npy", name)) as file:
            header = array_header(file.read(_MAX_HEADER), name)
    except (FileError, *_BROKEN):
        return f"{name} (unreadable)"
    return f"{name} ({_type_name(header.descr)} {'x'.join(map(str, header.shape)) or 'scalar'})"


def _type_name(descr: str) -> str:
    """The name that numpy has for a type as in headers: `float32` for `<f4`."""
    match = _TYPE.fullmatch(descr)
    return f"{_KINDS[match[1]]}{8 * int(match[2])}" if match else descr


def _plain_entry(archive: zipfile.ZipFile, name: str, shown: str) -> zipfile.ZipInfo:
    """A part of an archive that takes no more memory than is read; LZMA may state any window."""
    entry = archive.getinfo(name)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FileError("expected a part that is stored or deflated, as numpy does", shown)
    return entry


def _names(archive: zipfile.ZipFile) -> list[str]:
    every = (entry.filename for entry in archive.infolist())
    return [name.removesuffix(".npy") for name in every if name.endswith(".npy")]


def _in_archive(
    path: str, name: str, read: Callable[[zipfile.ZipFile, _BoundedFile], _Result]
) -> _Result:
    """Return what `read` returns for an archive. Raises `FileError`."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise FileError("expected a regular file", name)
        with open(path, "rb") as file:
            bound = _BoundedFile(file)
            with zipfile.ZipFile(bound) as archive:
                return read(archive, bound)
    except OSError as error:
        raise file_error(path, error) from error
    except _BROKEN as error:
        raise FileError(
            f"expected a ZIP archive of arrays, found a broken one: {error}", name
        ) from error


class _BoundedFile(io.RawIOBase):
    """A file of which at most `most` bytes are read at once: an archive may state any size."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self.most = _MAX_DIRECTORY

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes. Raises ValueError for more than `most`."""
        found = self._file.read(self.most + 1 if size < 0 else min(size, self.most + 1))
        if len(found) > self.most:
            raise ValueError(f"expected parts of at most {self.most:,} bytes")
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a position."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True, by which `io` knows a stream for reading."""
        return True

    def readable(self) -> bool:
        """Return True."""
        return True


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
