"""Names of data and their places in memory, as options and launch configurations write them.

    weights.npy@0x20000   weights.npz[dense]@0x20000   random:7@0x20000:16384:i8

A place is `ADDR[:LENGTH][:DTYPE]`. LENGTH counts elements of DTYPE, bytes by default; a shape such
as `20x128` may take its place. numpy is not needed here.
"""

from __future__ import annotations

import os
import re
from math import prod
from typing import Final, TypeAlias

from ipu_asm.config.files import is_numpy_file
from ipu_asm.emulator.element_types import TYPE_ALIASES, TYPES
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.named_tuple import NamedTuple

Shape: TypeAlias = tuple[int, ...]

ZEROS: Final = "zeros"
ONES: Final = "ones"
RAMP: Final = "ramp"
RANDOM: Final = "random"
GENERATORS: Final = (ZEROS, ONES, RAMP, RANDOM)
"""The names of generated data; `random` takes a seed, as in `random:7`."""

SOURCE_SYNTAX: Final = "FILE@ADDR[:LENGTH][:DTYPE]"
TARGET_SYNTAX: Final = "FILE@ADDR:LENGTH[:DTYPE]"

_MEMBER: Final = re.compile(r"(.+\.np[yz])\[([^\[\]]*)\]", re.IGNORECASE | re.DOTALL)
_SHAPE: Final = re.compile(r"[1-9]\d{0,9}(?:x[1-9]\d{0,9}){1,7}", re.ASCII)
_DTYPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}", re.ASCII)
_MAX_SEED: Final = 1 << 64


class DataError(ValueError):
    """Data that cannot be used as written. The message is one line."""


class DataSource(NamedTuple):
    """Where data come from or go to; `text` is what the user wrote.

    Either a `file`, of which `member` is the name of an array in a .npz file, or a `generator`, of
    which `seed` is the seed if it takes one.
    """

    text: str
    file: str = ""
    member: str | None = None
    generator: str = ""
    seed: int = 0

    @property
    def is_numpy(self) -> bool:
        """Whether it is a file of numpy."""
        return is_numpy_file(self.file)

    @property
    def is_archive(self) -> bool:
        """Whether it is a file with several arrays."""
        return self.file.lower().endswith(".npz")

    def below(self, folder: str) -> DataSource:
        """Return the source with the absolute path of its file; relative ones are in `folder`."""
        if not self.file:
            return self
        path = os.path.join(folder, os.path.expanduser(self.file))
        return self._replace(file=os.path.abspath(path))


class Place(NamedTuple):
    """A place in memory: a byte address, the shape in elements, and the name of their type.

    `shape` and `dtype` are None where they are not stated; one number is a shape of one dimension.
    """

    address: int
    shape: Shape | None = None
    dtype: str | None = None

    @property
    def elements(self) -> int | None:
        """The number of elements."""
        return None if self.shape is None else prod(self.shape)

    @property
    def size(self) -> int | None:
        """The number of bytes; those of an unknown type count as one each."""
        return None if self.shape is None else prod(self.shape) * size_of(self.dtype)


class Data(NamedTuple):
    """Data at a place; `text` is what the user wrote."""

    source: DataSource
    place: Place
    text: str


def source_of(text: str) -> DataSource:
    """Return the source that a text names: `FILE`, `FILE.npz[NAME]` or generated data.

    A file with the name of generated data is `./zeros`. Raises `DataError`.
    """
    name, colon, seed = text.partition(":")
    if name.lower() in GENERATORS:
        return _generated(text, name.lower(), seed if colon else None)
    member = _MEMBER.fullmatch(text)
    if member is None:
        return DataSource(text, text)
    source = DataSource(text, member[1], member[2])
    if not source.is_archive:
        raise DataError(f"a .npy file has one array without a name, found {quoted(text)}")
    if not member[2]:
        raise DataError(f"expected the name of an array as in FILE.npz[NAME], found {quoted(text)}")
    return source


def data_of(text: str, wanted: str = SOURCE_SYNTAX) -> Data:
    """Parse `SOURCE@PLACE`; `wanted` is the syntax for messages. Raises `DataError`."""
    source_text, separator, place_text = text.rpartition("@")
    if not source_text or not separator:
        raise DataError(f"expected {wanted}, found {quoted(text)}")
    source, place = source_of(source_text), place_of(place_text)
    if source.generator and place.shape is None:
        message = f"{source_text} needs a length, as in `{source_text}@{place.address:#x}:1024`"
        raise DataError(message)
    return Data(source, place, text)


def target_of(text: str) -> Data:
    """Parse `FILE@ADDR:LENGTH[:DTYPE]`, a file to write. Raises `DataError`."""
    data = data_of(text, TARGET_SYNTAX)
    if data.source.generator:
        raise DataError(f"expected a file to write, found {quoted(data.source.text)}")
    if data.place.shape is None:
        raise DataError(f"expected {TARGET_SYNTAX}, found {quoted(text)}")
    return data


def place_of(text: str) -> Place:
    """Parse `ADDR[:LENGTH][:DTYPE]`. Raises `DataError`."""
    address, *rest = text.split(":")
    shape = dtype = None
    if rest and (len(rest) > 1 or not _DTYPE.fullmatch(rest[0])):
        shape = shape_of(rest.pop(0))
    if rest:
        dtype = dtype_of(rest.pop(0))
    if rest:
        raise DataError(f"expected ADDR:LENGTH:DTYPE, found {quoted(text)}")
    return Place(number_of(address), shape, dtype)


def shape_of(text: str) -> Shape:
    """Parse a length or a shape such as `20x128`. Raises `DataError`."""
    if _SHAPE.fullmatch(text):
        return tuple(map(int, text.split("x")))
    length = number_of(text, "a length such as 4096 or 20x128")
    if length < 1:
        raise DataError(f"expected a length of at least 1, found {length}")
    return (length,)


def dtype_of(text: str) -> str:
    """Return the name of a type in lower case; its machine knows it. Raises `DataError`."""
    if not _DTYPE.fullmatch(text):
        raise DataError(f"expected a type such as i8, found {quoted(text)}")
    return text.lower()


def number_of(text: str, wanted: str = "a number such as 4096, 0x1000 or 1_000") -> int:
    """Return a number in the syntax of assembly. Raises `DataError`."""
    value = number_value(text)
    if value is None:
        raise DataError(f"expected {wanted}, found {quoted(text)}")
    return value


def size_of(dtype: str | None) -> int:
    """Return the bytes of an element of a type; of unknown ones and 8-bit floats, one."""
    name = (dtype or "").lower()
    kind = TYPES.get(TYPE_ALIASES.get(name, name))
    return 1 if kind is None else kind.size


def _generated(text: str, name: str, seed: str | None) -> DataSource:
    if name != RANDOM:
        if seed is not None:
            raise DataError(f"`{name}` takes no value, found {quoted(text)}")
        return DataSource(text, generator=name)
    number = number_value(seed or "")
    if number is None or not 0 <= number < _MAX_SEED:
        raise DataError(f"expected random:SEED such as random:7, found {quoted(text)}")
    return DataSource(text, generator=name, seed=number)
