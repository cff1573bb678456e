"""Register files: all vectors in one block of bytes, all scalars in one list.

Two copies therefore save the state before a bundle, and array views of vectors remain valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Mapping, Sequence, TypeVar

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.named_tuple import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD_MASK: Final = 0xFFFF_FFFF

_File = TypeVar("_File", bound="RegisterFile")


class Vector(NamedTuple):
    """A vector register, or `elements` of them, each of `size` bytes, from `start` in the block.

    `names` are those of the elements, where they are not the name followed by a number.
    """

    start: int
    size: int
    elements: int = 1
    names: tuple[str, ...] = ()

    def place(self, element: int) -> slice:
        """Return the bytes of one register in the block. Raises IndexError and TypeError."""
        if type(element) is not int:
            element = whole_number(element, "an element of a vector register")
        if not 0 <= element < self.elements:
            raise IndexError(f"element must be below {self.elements}, found {element}")
        start = self.start + element * self.size
        return slice(start, start + self.size)

    def names_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the elements of the vector register called `name`."""
        if self.elements == 1:
            return self.names or (name,)
        return self.names or tuple(f"{name}{element}" for element in range(self.elements))


class RegisterLayout:
    """The registers of a machine: which there are, where they are kept, what they hold at reset.

    `files` are ranges of indices among the scalars, `places` the index of each scalar and the bytes
    of each vector register in the block, by the names of the registers. `groups` are names of
    consecutive scalars and `group_places` their indices; `constants` are the values of scalars that
    nothing changes, by index.
    """

    def __init__(
        self,
        files: Mapping[str, Sequence[str]],
        vectors: Mapping[str, Vector],
        *,
        groups: Mapping[str, tuple[str, ...]] = {},
        constants: Mapping[str, int] = {},
        initial: Mapping[str, int | bytes] = {},
    ) -> None:
        """`initial` is the content at reset of registers that are not zero then."""
        self.vectors = vectors
        self.groups = groups
        self.scalar_names = tuple(name for names in files.values() for name in names)
        indices = {name: index for index, name in enumerate(self.scalar_names)}
        self.files = {
            file: range(indices[names[0]], indices[names[-1]] + 1) for file, names in files.items()
        }
        self.vector_places = {
            element: vector.place(number)
            for name, vector in vectors.items()
            for number, element in enumerate(vector.names_of(name))
        }
        self.places: dict[str, int | slice] = {**indices, **self.vector_places}
        self.group_places = {
            group: slice(indices[names[0]], indices[names[-1]] + 1)
            for group, names in groups.items()
        }
        self.constants = {indices[name]: value for name, value in constants.items()}
        self.block_size = max((place.stop for place in self.vector_places.values()), default=0)
        self._set_initial({**constants, **initial})

    def _set_initial(self, content: Mapping[str, int | bytes]) -> None:
        block, scalars = bytearray(self.block_size), [0] * len(self.scalar_names)
        for name, value in content.items():
            place = self.places[name]
            if isinstance(place, int) and isinstance(value, int):
                scalars[place] = value
            elif isinstance(place, slice) and isinstance(value, bytes):
                block[place] = value
        self.initial_block = bytes(block)
        self.initial_scalars = tuple(scalars)

    def scalars_of(self, register: str) -> tuple[str, ...]:
        """Return the scalar registers of a name: one, those of a group, or none for a vector."""
        if register in self.groups:
            return self.groups[register]
        return (register,) if isinstance(self.places.get(register), int) else ()


class RegisterFile:
    """The registers of one machine in the state after reset. Words are unsigned 32-bit patterns.

    `block` holds the vectors as bytes, `scalars` the registers of all files, in the order of the
    `layout`, which a machine's own class states.
    """

    __slots__ = ("block", "pc", "scalars")

    layout: ClassVar[RegisterLayout]

    def __init__(self) -> None:
        self.block = bytearray(self.layout.initial_block)
        self.scalars = list(self.layout.initial_scalars)
        self.pc = 0

    def __getstate__(self) -> tuple[bytes, tuple[int, ...], int]:
        return bytes(self.block), tuple(self.scalars), self.pc

    def __setstate__(self, content: tuple[bytes, tuple[int, ...], int]) -> None:
        self.__class__.__init__(self)
        self.block[:], self.scalars[:], self.pc = content

    def view(self, name: str, kind: str) -> NDArray[Any]:
        """Return a vector register, all elements of it, as an array that shares its bytes."""
        import numpy as np

        vector = self.layout.vectors[name]
        dtype = np.dtype(kind)
        count = vector.elements * vector.size // dtype.itemsize
        return np.frombuffer(self.block, dtype, count, vector.start)

    def scalar_values(self) -> dict[str, int]:
        """Return the scalar registers of all files by name, as unsigned 32-bit numbers."""
        return dict(zip(self.layout.scalar_names, map(int, self.scalars)))

    def vector_values(self) -> dict[str, bytes]:
        """Return the bytes of the vector registers by name."""
        return {name: bytes(self.block[at]) for name, at in self.layout.vector_places.items()}

    def copy_from(self: _File, other: _File) -> None:
        self.block[:] = other.block
        self.scalars[:] = other.scalars
        self.pc = other.pc

    def get_scalar(self, file: str, index: int) -> int:
        """Return a register of a file of scalars. Raises IndexError."""
        return self.scalars[_scalar(self.layout.files[file], index)]

    def set_scalar(self, file: str, index: int, value: int) -> None:
        """Set a register of a file to the low 32 bits of a value, unless the register is constant.

        Raises IndexError.
        """
        place = _scalar(self.layout.files[file], index)
        if place not in self.layout.constants:
            self.scalars[place] = whole_number(value, "the value of a register") & WORD_MASK

    def get_register_bytes(self, name: str, element: int = 0) -> bytearray:
        """Return a copy of a vector register: `r` (elements 0 and 1), `r_acc`, and so on.

        Raises KeyError and IndexError.
        """
        return self.block[self._vector(name).place(element)]

    def set_register_bytes(
        self, name: str, element: int, data: bytes | bytearray | memoryview
    ) -> None:
        """Overwrite a vector register. Raises ValueError unless `data` has exactly its size.

        Raises KeyError and IndexError for a register that does not exist.
        """
        vector = self._vector(name)
        if not isinstance(data, (bytes, bytearray)):
            data = _bytes_of(data, name)
        if len(data) != vector.size:
            raise ValueError(f"`{name}` takes {vector.size} bytes, found {len(data)}")
        self.block[vector.place(element)] = data

    def set_pc(self, address: int) -> None:
        """Set the program counter. Raises ValueError for a negative address, and TypeError."""
        if type(address) is not int:
            address = whole_number(address, "the program counter")
        if address < 0:
            raise ValueError(f"the program counter is never negative, found {address}")
        self.pc = address

    def _vector(self, name: str) -> Vector:
        vectors = self.layout.vectors
        if name not in vectors:
            raise KeyError(f"no vector register `{name}`; there are {', '.join(vectors)}")
        return vectors[name]


def _bytes_of(data: Any, name: str) -> bytes:
    """The bytes of another object: an array, or numbers from 0 to 255."""
    try:
        if not isinstance(data, int):
            return bytes(data)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"`{name}` takes bytes, found {type(data).__name__}")


def _scalar(file: range, index: int) -> int:
    if type(index) is not int:
        index = whole_number(index, "the number of a register")
    if not 0 <= index < len(file):
        raise IndexError(f"register number must be below {len(file)}, found {index}")
    return file[index]
