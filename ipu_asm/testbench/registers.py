"""The registers of the machine as numbers and arrays."""

from __future__ import annotations

from operator import index
from typing import Any, Final, Iterable, Iterator, Protocol, overload

import numpy as np

from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.stops import describe_word
from ipu_asm.emulator.words import signed
from ipu_asm.isa.ipu.machine.registers import VECTORS
from ipu_asm.isa.ipu.machine.state import IpuState
from ipu_asm.testbench.arrays import Array, Buffer, bytes_of, numpy_type

_LOWEST: Final = -(1 << 31)
_MASK_BITS: Final = 128


class RegisterOwner(Protocol):
    """Class whose attributes are vector registers: a machine and its present types."""

    state: IpuState

    @property
    def element_type(self) -> np.dtype[Any]:
        """The numpy type of elements."""

    @property
    def word_type(self) -> np.dtype[Any]:
        """The numpy type of accumulator elements."""


class ScalarRegisters:
    """The 32-bit registers of one file, read as signed numbers.

    A register is assigned a number from -2**31 to 2**32 - 1, or the bits of a numpy scalar of an
    element or word type, such as `np.float32(0.5)`. A slice is assigned as many values as it has
    registers. Raises IndexError for a register that does not exist.
    """

    __slots__ = ("_file", "_first", "_scalars", "_size")

    def __init__(self, file: str, scalars: list[int], first: int, size: int) -> None:
        self._file, self._scalars, self._first, self._size = file, scalars, first, size

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        return iter(self[:])

    @overload
    def __getitem__(self, number: int) -> int: ...
    @overload
    def __getitem__(self, number: slice) -> list[int]: ...
    def __getitem__(self, number: int | slice) -> int | list[int]:
        __tracebackhide__ = True
        if isinstance(number, slice):
            return [signed(self._scalars[place]) for place in self._places(number)]
        return signed(self._scalars[self._place(number)])

    def __setitem__(self, number: int | slice, value: Any) -> None:
        __tracebackhide__ = True
        if not isinstance(number, slice):
            self._scalars[self._place(number)] = _word(value)
            return
        places, words = self._places(number), list(map(_word, value))
        if len(places) != len(words):
            raise ValueError(f"{len(places)} registers take as many values, found {len(words)}")
        for place, word in zip(places, words):
            self._scalars[place] = word

    def __repr__(self) -> str:
        return f"<{self._file}: {self[:]}>"

    def view(self, dtype: Any) -> Array:
        """Return all registers of the file as an array of a 32-bit type, such as float32.

        The array is a read-only copy.
        """
        words = np.array([self._scalars[place] for place in self._places(slice(None))], "<u4")
        return _frozen(words.view(numpy_type(dtype)))

    def _place(self, number: int) -> int:
        __tracebackhide__ = True
        if not 0 <= index(number) < self._size:
            raise IndexError(f"`{self._file}` has registers 0 to {self._size - 1}, found {number}")
        return self._first + index(number)

    def _places(self, numbers: slice) -> range:
        return range(self._first, self._first + self._size)[numbers]


class VectorRegister:
    """A vector register as an array of the present element type.

    It is assigned arrays or bytes of exactly its size. The array read is a read-only copy: to
    change a part, copy the array, change it and assign it.
    """

    def __init__(self, name: str, element: int = 0) -> None:
        self._name, self._element = name, element
        self._shown = name

    def __set_name__(self, owner: type[RegisterOwner], name: str) -> None:
        self._shown = name

    def __get__(self, bench: RegisterOwner | None, owner: type[RegisterOwner]) -> Array:
        if bench is None:
            return self  # type: ignore[return-value]  # accessed on the class, by `help`
        return _frozen(self._array(bench))

    def __set__(self, bench: RegisterOwner, value: Array | Buffer) -> None:
        __tracebackhide__ = True
        data, size = bytes_of(value), VECTORS[self._name].size
        if len(data) != size:
            raise ValueError(f"`{self._shown}` takes {size} bytes, found {len(data)}")
        bench.state.regfile.set_register_bytes(self._name, self._element, data)

    def _array(self, bench: RegisterOwner) -> Array:
        return np.frombuffer(self._bytes(bench), self._type(bench))

    def _bytes(self, bench: RegisterOwner) -> bytearray:
        return bench.state.regfile.get_register_bytes(self._name, self._element)

    def _type(self, bench: RegisterOwner) -> np.dtype[Any]:
        return bench.element_type


class WordRegister(VectorRegister):
    """A vector register of 128 words."""

    def _type(self, bench: RegisterOwner) -> np.dtype[Any]:
        return bench.word_type


class QuantizedRegister(VectorRegister):
    """A vector register of 128 int8, independent of the element type."""

    def _type(self, bench: RegisterOwner) -> np.dtype[Any]:
        return np.dtype(np.int8)


class MaskRegister(VectorRegister):
    """The eight masks as 8 x 128 truth values, true where an element is suppressed."""

    def _array(self, bench: RegisterOwner) -> Array:
        masks = np.frombuffer(self._bytes(bench), np.uint8).reshape(-1, _MASK_BITS // 8)
        return np.unpackbits(masks, axis=-1, bitorder="little").astype(bool)

    def __set__(self, bench: RegisterOwner, value: Array | Buffer) -> None:
        __tracebackhide__ = True
        if isinstance(value, np.ndarray) and value.dtype == np.dtype(bool):
            if value.shape[-1:] != (_MASK_BITS,):
                raise ValueError(f"a mask has {_MASK_BITS} truth values, found {value.shape}")
            value = np.packbits(value, axis=-1, bitorder="little")
        super().__set__(bench, value)


def register_text(names: Iterable[str], words: Iterable[int]) -> str:
    """Format the registers that are not zero in one line."""
    shown = (f"{name} = {describe_word(word)}" for name, word in zip(names, words) if word)
    return ", ".join(shown) or "lr, cr and aaq are all zero"


def _word(value: Any) -> int:
    """The bits of a value for a 32-bit register. Raises TypeError and ValueError."""
    __tracebackhide__ = True
    if isinstance(value, np.generic) and not isinstance(value, np.integer):
        return int.from_bytes(bytes_of(value), "little")
    try:
        number = index(value)
    except TypeError:
        found = type(value).__name__
        remedy = "; give a float its width: `np.float32(...)`" if found == "float" else ""
        raise TypeError(f"a register takes a whole number, found {found}{remedy}") from None
    if not _LOWEST <= number <= WORD_MASK:
        raise ValueError(f"a register holds 32 bits, -2**31 to 2**32 - 1, found {number}")
    return number & WORD_MASK


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
