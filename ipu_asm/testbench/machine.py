"""A machine and its data: registers, memory and host options, as numbers and numpy arrays."""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import Any, Collection, Iterable, Mapping

import numpy as np

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.emulator.arguments import count, real_number, truth_value, whole_number
from ipu_asm.emulator.element_types import RegisterTypes
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.emulator.state import AnyState, SavedState
from ipu_asm.emulator.stated_options import SeveralOptionsError, stated_options
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.isa import DEFAULT_ISA, HostOption, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.testbench.arrays import (
    Array,
    ArrayTypes,
    Buffer,
    Source,
    array_types,
    decode_elements,
    encode_elements,
    note_origin,
)
from ipu_asm.testbench.registers import (
    RegisterArrays,
    ScalarRegisters,
    VectorRegister,
    copy_registers,
    scalar_place,
)


class BenchMachine:
    """One machine after reset, without a program.

    Vector registers are attributes: they are read as read-only copies, and assigned arrays or bytes
    of their exact size. In the IPU these are 128 elements in `r0`, `r1` and `mem_bypass`, both of
    the first as rows of `r`, 512 in `r_cyclic`, 128 words in `r_acc` and `mult_res`, 128 int8 in
    `aaq_result`, 8 x 128 truth values in `r_mask`; other machines have the registers of their
    instruction set. `lr`, `cr` and `aaq` are its scalar registers, which numpy takes as arrays of
    int32. `state` is the machine itself, for everything not offered here.
    """

    __slots__ = (
        "__weakref__",
        "_given",
        "_options",
        "_stated",
        "_stated_registers",
        "model",
        "state",
    )

    # The IPU's, for type checkers and completion; at run time `__getattr__` reads any machine's.
    r: Any
    r0: Any
    r1: Any
    mem_bypass: Any
    r_cyclic: Any
    r_mask: Any
    r_acc: Any
    mult_res: Any
    aaq_result: Any

    def __init__(self, isa: str = DEFAULT_ISA, **options: Any) -> None:
        """`options` are those of the host, as `configure` takes them.

        Raises LookupError for an instruction set without a machine.
        """
        self.model = machine_for(isa)
        # Options that were set, and those that the kernel states, which count where none is set.
        self._options = checked_options(self.model, options)
        self._stated: dict[str, Any] = {}
        # Registers that were assigned, and those that a kernel states with the values set for it.
        self._given: set[str] = set()
        self._stated_registers: dict[str, int] = {}
        self.state: Any = self.model.make_state(self._options)

    def configure(self, **options: Any) -> None:
        """Set options of the host, such as `dtype`, by the names that `ipu-run` has for them.

        Registers and memory are unchanged, but `state` may be another object. Raises ValueError for
        an option or a value that the machine does not have.
        """
        __tracebackhide__ = True
        checked = checked_options(self.model, options)
        held = {option.name: option for option in self.model.host_options if option.register}
        for name, value in checked.items():
            if name in held:
                self._set_register(held[name].register, held[name].choices.index(value))
        rest = {name: value for name, value in checked.items() if name not in held}
        if rest:
            self._options = {**self._options, **rest}
            self._replace(self.model.make_state(self._settings), self.state.save())

    def __getattr__(self, name: str) -> Any:
        """Return a register of the machine, or a file of scalar registers."""
        __tracebackhide__ = True
        if name.startswith("_") or name in BenchMachine.__slots__:
            raise AttributeError(name)
        layout = self.state.layout
        if name in layout.files:
            return self._file(name)
        scalar = scalar_place(layout, name)
        return self._file(scalar[0])[scalar[1]] if scalar else VectorRegister(self, name).read()

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        is_known = hasattr(type(self), name)
        if not is_known and self._is_vector(name):
            VectorRegister(self, name).write(value)
            return
        scalar = None if is_known or name in self.__slots__ else self._scalar(name)
        if scalar is not None:
            self._file(scalar[0])[scalar[1]] = value
            return
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            raise AttributeError(self._why_not_assigned(name, is_known)) from None

    def __dir__(self) -> Iterable[str]:
        """Return the attributes with the vector registers, which notebooks complete."""
        layout = self.state.layout
        return sorted({*super().__dir__(), *layout.vectors, *layout.vector_places})

    @property
    def registers(self) -> RegisterArrays:
        """All registers as arrays by name, as read-only copies; a notebook shows them."""
        return RegisterArrays(self)

    @property
    def lr(self) -> ScalarRegisters:
        """The 16 loop registers."""
        return self._file("lr")

    @property
    def cr(self) -> ScalarRegisters:
        """The 16 config registers; in the IPU, `cr[15]` is the element type, see `dtype`."""
        return self._file("cr")

    @property
    def aaq(self) -> ScalarRegisters:
        return self._file("aaq")

    @property
    def dtype(self) -> str:
        """The element type: in the IPU `int8`, `fp8_e4m3` or `fp8_e5m2`, held in cr15.

        Raises ValueError if the machine has no element type of this kind at present.
        """
        __tracebackhide__ = True
        return str(self._types().name)

    @dtype.setter
    def dtype(self, name: str) -> None:
        __tracebackhide__ = True
        self.configure(dtype=name)

    @property
    def element_type(self) -> np.dtype[Any]:
        """The numpy type of elements: in the IPU int8, float8_e4m3fn or float8_e5m2."""
        __tracebackhide__ = True
        return self._arrays.of_kind(self._types().element)

    @property
    def word_type(self) -> np.dtype[Any]:
        """The numpy type of results: in the IPU int32 for int8 elements, else float32."""
        __tracebackhide__ = True
        return self._arrays.of_kind(self._types().word)

    def to_elements(self, values: Any, *, saturate: bool = True) -> Array:
        """Return numbers as elements of the machine's present type, rounded to nearest, even.

        What is beyond the largest element becomes that element. Without `saturate` it becomes what
        a float type has for it, infinity or NaN, and an integer type raises ValueError.
        """
        __tracebackhide__ = True
        return encode_elements(values, self.model, self._types().element, saturate)

    def to_float32(self, elements: Any) -> Array:
        """Return elements of the machine's present type as float32, which is exact for 8 bits."""
        __tracebackhide__ = True
        return decode_elements(elements, self.model, self._types().element)

    def put(self, address: int, data: Array | np.generic | Buffer) -> None:
        """Write an array into xmem, in row-major order, from a byte address on.

        Its type must be one that elements or words have: int8, uint8, float8_e4m3fn, float8_e5m2,
        int32, uint32, float32. Raises TypeError for another type, IndexError if the array does not
        fit.
        """
        __tracebackhide__ = True
        content, start = self._arrays.bytes_of(data), whole_number(address, "an address")
        try:
            self.state.xmem.write_address(start, content)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None

    def get(self, address: int, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Return a copy of xmem from a byte address on, as an array of a shape and type.

        `dtype` is a type as `put` takes it, or the name of an element type. Raises as `put` does,
        and ValueError for a negative size.
        """
        __tracebackhide__ = True
        kind, start, sizes = (
            self._arrays.numpy_type(dtype),
            whole_number(address, "an address"),
            _sizes(shape),
        )
        try:
            content = self.state.xmem.read_address(start, prod(sizes) * kind.itemsize)
        except InstructionError as refusal:
            raise IndexError(str(refusal)) from None
        array = np.frombuffer(content, kind)
        note_origin(array, self, Source.MEMORY, start)
        return array.reshape(sizes)

    def _why_not_assigned(self, name: str, is_known: bool) -> str:
        if is_known and name in self.state.layout.files:
            return (
                f"`{name}` is a file of registers: assign one, `{name}[0] = 3`, or a slice of them"
            )
        if is_known:
            return f"`{name}` can be read only"
        vectors = ", ".join(self.state.layout.vector_places)
        return f"a vector register of {self.model.isa_name} is one of {vectors}, found `{name}`"

    def _scalar(self, name: str) -> tuple[str, int] | None:
        is_made = not name.startswith("_") and name not in BenchMachine.__slots__
        return scalar_place(self.state.layout, name) if is_made else None

    def _is_vector(self, name: str) -> bool:
        layout = self.state.layout
        return name in layout.vector_places or name in layout.vectors

    def _replace(self, state: AnyState, saved: SavedState) -> None:
        words, lines = self.state.inst_mem, self.state.lines
        self.state = state
        self.state.restore(saved)
        self.state.load_program(words, lines)

    def _set_register(self, name: str, value: int) -> None:
        place = self.state.layout.places[name]
        assert isinstance(place, int)
        self.state.regfile.scalars[place] = value

    def _file(self, name: str) -> ScalarRegisters:
        __tracebackhide__ = True
        files = self.state.layout.files
        if name not in files:
            isa, known = self.model.isa_name, ", ".join(files)
            raise AttributeError(f"the scalar registers of {isa} are {known}, found `{name}`")
        return ScalarRegisters(name, self.state, self._arrays, self._given)

    @property
    def _settings(self) -> dict[str, Any]:
        return {**self._stated, **self._options}

    def _use_stated(self, stated: dict[str, Any]) -> None:
        """Take over the options that a kernel states, in place of those of the kernel before."""
        if stated != self._stated:
            self._stated = stated
            self._replace(self.model.make_state(self._settings), self.state.save())

    def _use_stated_registers(self, stated: Mapping[str, int]) -> None:
        """Set registers as a kernel states them, in place of the values of the kernel before.

        What was assigned counts before, and so does what is no longer the value after reset.
        """
        scalars, layout = self.state.regfile.scalars, self.state.layout
        resets, before = load_isa(self.model.isa_name).resets, self._stated_registers
        held = {each.register for each in self.model.host_options if each.name in self._options}
        self._stated_registers = {}
        for name, value in {**dict.fromkeys(before), **stated}.items():
            place, reset = layout.places.get(name), resets.get(name, 0)
            if place is None or name in self._given or name in held:
                continue
            if scalars[place] in (reset, before.get(name)):
                scalars[place] = reset if value is None else value
                if value is not None:
                    self._stated_registers[name] = value

    @property
    def _arrays(self) -> ArrayTypes:
        return array_types(self.model)

    def _types(self) -> RegisterTypes:
        """Return the types of the present mode. Raises ValueError if the state selects none."""
        __tracebackhide__ = True
        types = self.model.types_in(self.state)
        if types.name is None:
            register = self.model.type_register or ""
            found = self.state.regfile.scalars[self.state.layout.places[register]]
            choices = enumerate(self.model.constants)
            known = ", ".join(f"{number} ({each.upper()})" for number, each in choices)
            raise ValueError(f"an element type is one of {known}, found {found}")
        return types

    def _use_machine_of(self, isa: Isa) -> None:
        """Change to a machine of another instruction set, unless it is the present one."""
        model = machine_for(isa.name)
        if model is self.model:
            return
        known = {option.name for option in model.host_options}
        self._options = {name: v for name, v in self._options.items() if name in known}
        self._stated = {}
        old, new = self.state, model.make_state(self._options)
        size = min(len(old.xmem.content), len(new.xmem.content))
        new.xmem.write_address(0, memoryview(old.xmem.content)[:size])
        copy_registers(old, new)
        self.model, self.state = model, new


def _sizes(shape: Any) -> tuple[int, ...]:
    """The sizes of a shape, a number or a sequence of them. Raises TypeError and ValueError."""
    __tracebackhide__ = True
    if isinstance(shape, (int, np.integer)):
        return (count(shape, "a size"),)
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"a shape is a number or a tuple of numbers, found {type(shape).__name__}")
    return tuple(count(size, "a size") for size in shape)


def checked_options(model: MachineModel, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their values as the machine takes them.

    Raises ValueError and TypeError.
    """
    __tracebackhide__ = True
    known = {option.name: option for option in model.host_options}
    checked = {}
    for name, value in options.items():
        if name not in known:
            own = ", ".join(f"`{each}`" for each in known) or "no options"
            raise ValueError(f"the options of {model.isa_name} are {own}, found `{name}`")
        checked[name] = _checked(known[name], value)
    return checked


def checked_run_options(model: MachineModel, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a run as `checked_options` does; those of the state are refused."""
    __tracebackhide__ = True
    checked, own = checked_options(model, options), [each.name for each in model.run_options]
    for name in checked:
        if name not in own:
            remedy = f"set it with `configure({name}=...)`"
            raise ValueError(f"`{name}` belongs to the machine, not to a run: {remedy}")
    return checked


def options_of_kernel(
    model: MachineModel, kernel: Kernel, given: Collection[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options that a kernel or its project states, apart from those `given`.

    The second mapping has messages on options of which several values are stated.
    """
    stated: dict[str, Any] = {}
    undecided: dict[str, str] = {}
    for option in model.host_options:
        try:
            stated |= stated_options(kernel.program, [option], given)
        except SeveralOptionsError as error:
            undecided[option.name] = f"`{option.name}`: {error}"
    return stated, undecided


def _checked(option: HostOption, value: Any) -> Any:
    __tracebackhide__ = True
    if value is None:
        return option.default
    if option.kind == "choice":
        name = value.name if isinstance(value, Enum) else str(value)
        choice = option.choice(name)
        if choice is None:
            known = ", ".join(f"`{each}`" for each in option.choices)
            noun = "an element type" if option.register else f"`{option.name}`"
            raise ValueError(f"{noun} is one of {known}, found `{value}`")
        return choice
    if option.kind == "flag":
        return truth_value(value, f"`{option.name}`")
    if option.kind == "integer":
        value = whole_number(value, f"`{option.name}`")
    else:
        value = real_number(value, f"`{option.name}`")
    least, most = option.least, option.most
    if least is not None and most is not None and not least <= value <= most:
        raise ValueError(f"{option.name} must be {least} to {most}, found {value}")
    return value
