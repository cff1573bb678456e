"""The registers of the machine as numbers and arrays."""

from __future__ import annotations

from operator import index
from typing import Any, Final, Iterator, Protocol, overload

import numpy as np

from ipu_asm.emulator.element_types import MASK
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import describe_word
from ipu_asm.emulator.words import signed
from ipu_asm.testbench.arrays import Array, ArrayTypes, Buffer, array_types

_LOWEST: Final = -(1 << 31)


class RegisterOwner(Protocol):
    """Class whose attributes are vector registers: a state, and the machine that it is of."""

    @property
    def state(self) -> AnyState:
        """The state that has the registers."""

    @property
    def model(self) -> MachineModel:
        """The machine of the state."""


class ScalarRegisters:
    """The 32-bit registers of one file, read as signed numbers.

    A register is assigned a number from -2**31 to 2**32 - 1, or the bits of a numpy scalar of an
    element or word type, such as `np.float32(0.5)`. A slice is assigned as many values as it has
    registers. Raises IndexError for a register that does not exist.
    """

    __slots__ = ("_constants", "_file", "_indices", "_scalars", "_types")

    def __init__(self, file: str, state: AnyState, types: ArrayTypes) -> None:
        self._file, self._types = file, types
        self._indices: range = state.layout.files[file]
        self._constants = state.layout.constants
        self._scalars: list[int] = state.regfile.scalars

    def __len__(self) -> int:
        return len(self._indices)

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
            self._set(self._place(number), self._word(value))
            return
        places, words = self._places(number), list(map(self._word, value))
        if len(places) != len(words):
            raise ValueError(f"{len(places)} registers take as many values, found {len(words)}")
        for place, word in zip(places, words):
            self._set(place, word)

    def __repr__(self) -> str:
        return f"<{self._file}: {self[:]}>"

    def view(self, dtype: Any) -> Array:
        """Return all registers of the file as an array of a 32-bit type, such as float32.

        The array is a read-only copy.
        """
        words = np.array([self._scalars[place] for place in self._places(slice(None))], "<u4")
        return _frozen(words.view(self._types.numpy_type(dtype)))

    def _set(self, place: int, word: int) -> None:
        """Set a register; a constant one keeps its value, as it does in the machine."""
        if place not in self._constants:
            self._scalars[place] = word

    def _place(self, number: int) -> int:
        __tracebackhide__ = True
        size = len(self._indices)
        if not 0 <= index(number) < size:
            raise IndexError(f"`{self._file}` has registers 0 to {size - 1}, found {number}")
        return self._indices[index(number)]

    def _places(self, numbers: slice) -> range:
        return self._indices[numbers]

    def _word(self, value: Any) -> int:
        """The bits of a value for a 32-bit register. Raises TypeError and ValueError."""
        __tracebackhide__ = True
        if isinstance(value, np.generic) and not isinstance(value, np.integer):
            return int.from_bytes(self._types.bytes_of(value), "little")
        try:
            number = index(value)
        except TypeError:
            found = type(value).__name__
            remedy = "; give a float its width: `np.float32(...)`" if found == "float" else ""
            raise TypeError(f"a register takes a whole number, found {found}{remedy}") from None
        if not _LOWEST <= number <= WORD_MASK:
            raise ValueError(f"a register holds 32 bits, -2**31 to 2**32 - 1, found {number}")
        return number & WORD_MASK


class VectorRegister:
    """A vector register as an array of the type that it holds at present.

    It is assigned arrays or bytes of exactly its size. The array read is a read-only copy: to
    change a part, copy the array, change it and assign it. Masks are rows of truth values, true
    where the bit is set.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __set_name__(self, owner: type[RegisterOwner], name: str) -> None:
        self._name = self._name or name

    def __get__(self, bench: RegisterOwner | None, owner: type[RegisterOwner]) -> Array:
        __tracebackhide__ = True
        if bench is None:
            return self  # type: ignore[return-value]  # accessed on the class, by `help`
        return _frozen(self._array(bench))

    def __set__(self, bench: RegisterOwner, value: Array | Buffer) -> None:
        __tracebackhide__ = True
        place = self._place(bench)
        if self._is_mask(bench):
            value = _packed(value)
        data, size = array_types(bench.model).bytes_of(value), place.stop - place.start
        if len(data) != size:
            raise ValueError(f"`{self._name}` takes {size} bytes, found {len(data)}")
        bench.state.regfile.block[place] = data

    def _array(self, bench: RegisterOwner) -> Array:
        __tracebackhide__ = True
        content = bench.state.regfile.block[self._place(bench)]
        if self._is_mask(bench):
            masks = np.frombuffer(content, np.uint8).reshape(-1, MASK.size)
            return np.unpackbits(masks, axis=-1, bitorder="little").astype(bool)
        kind = bench.model.types_in(bench.state).vectors[self._name]
        return np.frombuffer(content, array_types(bench.model).of_kind(kind))

    def _is_mask(self, bench: RegisterOwner) -> bool:
        return bench.model.types_in(bench.state).vectors[self._name] == MASK

    def _place(self, bench: RegisterOwner) -> slice:
        __tracebackhide__ = True
        places = bench.state.layout.vector_places
        if self._name not in places:
            raise AttributeError(
                f"a vector register of {bench.model.isa_name} is one of {', '.join(places)}, "
                f"found `{self._name}`"
            )
        return places[self._name]


def _packed(value: Array | Buffer) -> Array | Buffer:
    """The bytes of masks that are given as truth values; other data as it is."""
    __tracebackhide__ = True
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(bool):
        return value
    if value.shape[-1:] != (MASK.bits,):
        raise ValueError(f"a mask has {MASK.bits} truth values, found {value.shape}")
    return np.packbits(value, axis=-1, bitorder="little")


def register_text(state: AnyState) -> str:
    """Format the scalar registers that are not zero in one line."""
    words = zip(state.layout.scalar_names, state.regfile.scalars)
    shown = (f"{name} = {describe_word(word)}" for name, word in words if word)
    files = " and ".join(", ".join(state.layout.files).rsplit(", ", 1))
    return ", ".join(shown) or f"{files} are all zero"


def copy_registers(old: AnyState, new: AnyState) -> None:
    """Set the registers of a state that another one has, too, and changed since its reset."""
    names = old.layout.scalar_names
    for name, word, initial in zip(names, old.regfile.scalars, old.layout.initial_scalars):
        place = new.layout.places.get(name)
        if word != initial and isinstance(place, int) and place not in new.layout.constants:
            new.regfile.scalars[place] = word
    for name, source in old.layout.vector_places.items():
        place = new.layout.vector_places.get(name)
        content = old.regfile.block[source]
        is_changed = content != old.layout.initial_block[source]
        if is_changed and place is not None and len(content) == place.stop - place.start:
            new.regfile.block[place] = content


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
