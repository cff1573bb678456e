"""The registers of the machine as numbers and arrays."""

from __future__ import annotations

from operator import index
from typing import Any, Final, Iterable, Iterator, Mapping, Protocol, overload

import numpy as np

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.element_types import MASK, ElementType
from ipu_asm.emulator.html_tables import table
from ipu_asm.emulator.model import MachineModel
from ipu_asm.emulator.notebook import vector_text
from ipu_asm.emulator.registers import WORD_MASK, RegisterLayout
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.stops import describe_word
from ipu_asm.isa.storage import signed
from ipu_asm.testbench.arrays import Array, ArrayTypes, Buffer, Source, array_types, note_origin

_LOWEST: Final = -(1 << 31)


class RegisterOwner(Protocol):
    """What has registers: a state, and the machine that it is of."""

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

    __slots__ = ("_constants", "_file", "_given", "_indices", "_scalars", "_types")

    def __init__(
        self, file: str, state: AnyState, types: ArrayTypes, given: set[str] | None = None
    ) -> None:
        """Registers that are assigned are added to `given` by name."""
        self._file, self._types = file, types
        self._given: set[str] = set() if given is None else given
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
        places = self._places(number)
        if not isinstance(value, Iterable):
            raise TypeError(
                f"{len(places)} registers take as many values, found {type(value).__name__}"
            )
        words = list(map(self._word, value))
        if len(places) != len(words):
            raise ValueError(f"{len(places)} registers take as many values, found {len(words)}")
        for place, word in zip(places, words):
            self._set(place, word)

    def __repr__(self) -> str:
        return f"<{self._file}: {self[:]}>"

    def view(self, dtype: Any = np.int32) -> Array:
        """Return all registers of the file as an array of a 32-bit type, such as float32.

        The array is a read-only copy. Raises TypeError for a type of other size.
        """
        __tracebackhide__ = True
        words, kind = (
            np.array([self._scalars[n] for n in self._indices], "<u4"),
            self._types.numpy_type(dtype),
        )
        if kind.itemsize != words.itemsize:
            raise TypeError(f"a register has 32 bits, found {kind.name}")
        return _frozen(words.view(kind))

    def _repr_html_(self) -> str:
        numbers = self[:]
        return table([f"{self._file}{n}" for n in range(len(numbers))], [numbers])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return a copy of the registers as int32, for functions of numpy."""
        numbers = np.array(self[:], np.int32)
        return numbers if dtype is None else numbers.astype(dtype)

    def _set(self, place: int, word: int) -> None:
        """Set a register; a constant one keeps its value, as it does in the machine."""
        self._given.add(f"{self._file}{self._indices.index(place)}")
        if place not in self._constants:
            self._scalars[place] = word

    def _place(self, number: int) -> int:
        __tracebackhide__ = True
        size, place = len(self._indices), whole_number(number, "the number of a register")
        if not 0 <= place < size:
            raise IndexError(f"`{self._file}` has registers 0 to {size - 1}, found {number}")
        return self._indices[place]

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
    """A vector register of a machine as an array of the type that it holds at present.

    Several registers of one name, as `r` for `r0` and `r1`, are rows. Raises AttributeError for a
    name that the machine does not have.
    """

    __slots__ = ("_bench", "_name", "_place")

    def __init__(self, bench: RegisterOwner, name: str) -> None:
        __tracebackhide__ = True
        self._bench, self._name = bench, name
        layout = bench.state.layout
        if name in layout.vector_places:
            self._place = layout.vector_places[name]
        elif name in layout.vectors:
            vector = layout.vectors[name]
            self._place = slice(vector.start, vector.place(vector.elements - 1).stop)
        else:
            known, isa = ", ".join(layout.vector_places), bench.model.isa_name
            raise AttributeError(f"a vector register of {isa} is one of {known}, found `{name}`")

    def read(self) -> Array:
        """Return a read-only copy: to change a part, copy the array, change it and write it.

        Masks are rows of truth values, true where the bit is set.
        """
        array = self._array()
        array.flags.writeable = False
        return array

    def write(self, value: Array | Buffer) -> None:
        """Overwrite the register with an array or bytes. Raises ValueError for another size."""
        __tracebackhide__ = True
        place = self._place
        if self._kind() == MASK:
            value = _packed(value)
        data, size = array_types(self._bench.model).bytes_of(value), place.stop - place.start
        if len(data) != size:
            raise ValueError(f"`{self._name}` takes {size} bytes, found {len(data)}")
        self._bench.state.regfile.block[place] = data

    def _array(self) -> Array:
        bench, start = self._bench, self._place.start
        content = bench.state.regfile.block[self._place]
        kind = self._kind()
        if kind == MASK:
            masks = np.frombuffer(content, np.uint8).reshape(-1, MASK.size)
            bits = np.unpackbits(masks, axis=-1, bitorder="little").astype(bool)
            note_origin(bits, bench, Source.REGISTERS, start, elements_per_byte=8)
            return bits
        array = np.frombuffer(content, array_types(bench.model).of_kind(kind))
        note_origin(array, bench, Source.REGISTERS, start)
        vectors = bench.state.layout.vectors
        rows = vectors[self._name].elements if self._name in vectors else 1
        return array.reshape(rows, -1) if rows > 1 else array

    def _kind(self) -> ElementType:
        """The type of the elements at present."""
        bench, name = self._bench, self._name
        vectors = bench.state.layout.vectors
        names = vectors[name].names_of(name) if name in vectors else [name]
        return bench.model.types_in(bench.state).vectors[names[0]]


def _packed(value: Array | Buffer) -> Array | Buffer:
    """The bytes of masks that are given as truth values; other data as it is."""
    __tracebackhide__ = True
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(bool):
        return value
    if value.shape[-1:] != (MASK.bits,):
        raise ValueError(f"a mask has {MASK.bits} truth values, found {value.shape}")
    return np.packbits(value, axis=-1, bitorder="little")


class RegisterArrays(Mapping[str, Array]):
    """All register files of a machine as arrays by name, read when they are asked for.

    The arrays are read-only copies: those of scalar registers as int32.
    """

    def __init__(self, bench: RegisterOwner) -> None:
        self._bench = bench

    def __getitem__(self, name: str) -> Array:
        layout = self._bench.state.layout
        if name in layout.files:
            types = array_types(self._bench.model)
            return ScalarRegisters(name, self._bench.state, types).view()
        if name not in layout.vectors and name not in layout.vector_places:
            raise KeyError(f"a register is one of {', '.join(self)}, found `{name}`")
        return VectorRegister(self._bench, name).read()

    def __iter__(self) -> Iterator[str]:
        layout = self._bench.state.layout
        return iter(dict.fromkeys((*layout.files, *layout.vectors, *layout.vector_places)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<registers of {self._bench.model.isa_name}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        state = self._bench.state
        types, places = self._bench.model.types_in(state).vectors, state.layout.vector_places
        texts = [
            vector_text(name, types[name], bytes(state.regfile.block[place]))
            for name, place in places.items()
        ]
        arrays = array_types(self._bench.model)
        files = [ScalarRegisters(name, state, arrays)._repr_html_() for name in state.layout.files]
        return "".join(files) + table(("vector", "type", "values", ""), texts)


def scalar_place(layout: RegisterLayout, name: str) -> tuple[str, int] | None:
    """Return the file of a scalar register, and its number there; None for another name."""
    place = layout.places.get(name)
    for file, places in layout.files.items():
        if isinstance(place, int) and place in places:
            return file, places.index(place)
    return None


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
