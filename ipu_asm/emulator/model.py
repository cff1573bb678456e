"""The machine of an instruction set as a value, and how to get it by the name of the set."""

from __future__ import annotations

from typing import Any, Callable, Hashable, Mapping, Sequence, TypeAlias

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.emulator.binding import decode_in_order
from ipu_asm.emulator.element_types import TYPES, ElementType, RegisterTypes
from ipu_asm.emulator.numeric_events import ProbeMaker
from ipu_asm.emulator.registers import RegisterLayout
from ipu_asm.emulator.run import RUN_MAX_CYCLES, DebugCallback, run_until_complete, run_with_debug
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.vliw import AnyMachine
from ipu_asm.isa import HostOption, load_isa, manifests, target_module
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple


class Setting(NamedTuple):
    """What the host has set: a number to compute with, and its text for views."""

    number: int | float
    text: str


Settings: TypeAlias = Mapping[str, Any]
"""Values of host options by name; those that are missing have their defaults."""

TypesOf: TypeAlias = Callable[[Sequence[int], Hashable], RegisterTypes]
"""Returns the types in a state, from its scalars and its settings."""

MemoryRead: TypeAlias = Callable[[Any, DecodedInstruction], tuple[int, int]]
"""Returns address and size of the bytes that an instruction has read, in the state after it."""


class NoMachineError(LookupError):
    """An instruction set that this version cannot execute."""


class MachineModel:
    """The machine of an instruction set: its classes, and what tools show of its states.

    `State` and `Machine` are classes. `element_types` are all types of expressions, by name, and
    `type_aliases` further names of the set's own; `constants` are names for numbers to compare
    with, `register_aliases` further names of registers. `type_register` selects the element type,
    unless the host does; `setting_values` has the settings of a state that expressions read.
    `scopes` are the headings under which views show registers other than those in `vectors_shown`,
    which are in display order. `numpy_types` has the numpy types of 8-bit floats, where
    numpy has them, `numpy_names` how Python code names these. `masked_bit` is the bit
    of a mask that suppresses an element. `row_bytes` is how many bytes of vector registers views
    show in a row, by offset in the block and size, 0 for rows of 16 elements. The probes find
    numeric events, `memory_read` the bytes that an instruction has read; None for a machine without
    them.
    """

    def __init__(
        self,
        isa_name: str,
        *,
        state: type[AnyState],
        machine: type[AnyMachine],
        types_of: TypesOf,
        element_types: Mapping[str, ElementType] = {},
        type_aliases: Mapping[str, str] = {},
        constants: Mapping[str, int] = {},
        register_aliases: Mapping[str, str] = {},
        type_register: str | None = None,
        setting_values: Callable[[Any], Mapping[str, Setting]] = lambda settings: {},
        scopes: Mapping[str, Sequence[str]] | None = None,
        vectors_shown: Sequence[str] | None = None,
        numpy_types: Mapping[str, Any] = {},
        numpy_names: Mapping[str, str] = {},
        masked_bit: int = 1,
        row_bytes: Callable[[int, int], int] = lambda start, size: 0,
        nan_probe: ProbeMaker | None = None,
        overflow_probe: ProbeMaker | None = None,
        memory_read: MemoryRead | None = None,
        make_state: Callable[[Settings], Any] | None = None,
        make_machine: Callable[[Any, Settings], Any] | None = None,
    ) -> None:
        """`make_state` and `make_machine` take host options by name; by default `State` takes all
        of them as keywords, and `Machine` takes the state alone.
        """
        self.isa_name = isa_name
        self.State: type[Any] = state
        self.Machine: type[Any] = machine
        self.types_of = types_of
        self.element_types = {**TYPES, **element_types}
        self.type_aliases = type_aliases
        self.constants = constants
        self.register_aliases = register_aliases
        self.type_register = type_register
        self.setting_values = setting_values
        self.scopes = self._scopes() if scopes is None else scopes
        self.vectors_shown = tuple(vectors_shown or self.layout.vector_places)
        self.numpy_types = numpy_types
        self.numpy_names = numpy_names
        self.masked_bit = masked_bit
        self.row_bytes = row_bytes
        self.nan_probe = nan_probe
        self.overflow_probe = overflow_probe
        self.memory_read = memory_read
        self._make_state = make_state
        self._make_machine = make_machine

    def __repr__(self) -> str:
        return f"<MachineModel {self.isa_name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return machine_for, (self.isa_name,)

    def _scopes(self) -> dict[str, Sequence[str]]:
        """A scope for each file of scalars."""
        names = self.layout.scalar_names
        return {
            f"{file} registers": names[indices.start : indices.stop]
            for file, indices in self.layout.files.items()
        }

    @property
    def isa(self) -> Isa:
        """The instruction set."""
        return load_isa(self.isa_name)

    @property
    def layout(self) -> RegisterLayout:
        layout: RegisterLayout = self.State.registers.layout
        return layout

    @property
    def memory_size(self) -> int:
        """The size of the memory in bytes."""
        return int(self.State.memory_size)

    @property
    def program_limit(self) -> int:
        """The size of program memory in bundles."""
        return int(self.State.program_limit)

    @property
    def host_options(self) -> tuple[HostOption, ...]:
        """What the host sets before a run, apart from registers and memory."""
        return manifests()[self.isa_name].host_options

    @property
    def run_options(self) -> tuple[HostOption, ...]:
        """The host options that a run may have for itself: the others are part of the state."""
        if self._make_machine is None:
            return ()
        return tuple(option for option in self.host_options if not option.register)

    def make_state(self, settings: Settings) -> Any:
        """Return a state after reset. Raises ValueError for an unusable setting."""
        return self._make_state(settings) if self._make_state else self.State(**settings)

    def make_machine(self, state: Any, settings: Settings) -> Any:
        """Return a machine that operates on a state. Raises ValueError for an unusable setting."""
        return self._make_machine(state, settings) if self._make_machine else self.Machine(state)

    def types_in(self, state: AnyState) -> RegisterTypes:
        """Return the types of registers and memory in a state."""
        return self.types_of(state.regfile.scalars, state.settings)

    def run_until_complete(
        self, state: Any, max_cycles: int = RUN_MAX_CYCLES, *, machine: Any = None
    ) -> int:
        """Run until the machine halts, ignoring breaks; return the number of executed bundles.

        `machine` is the one to run if it has options or instructions of its own. Raises
        `ExecutionFault`, with the state from before the bundle, and `CycleLimitError`.
        """
        return run_until_complete(machine or self.Machine(state), max_cycles)

    def run_with_debug(
        self,
        state: Any,
        callback: DebugCallback,
        max_cycles: int = RUN_MAX_CYCLES,
        *,
        machine: Any = None,
    ) -> int:
        """Run until the machine halts or the callback quits; return the executed bundles.

        The callback is called before a bundle whose break slot stops and, after it returned STEP,
        before every bundle. Raises as `run_until_complete` does.
        """
        return run_with_debug(machine or self.Machine(state), callback, max_cycles)


def machine_for(isa_name: str) -> MachineModel:
    """Return the machine of an instruction set.

    Raises `UnknownIsaError`, `NoMachineError` for a set without a machine, and `IsaError`.
    """
    manifest = manifests().get(isa_name)
    if manifest is None:
        load_isa(isa_name)  # raises the error that says which sets there are
    elif manifest.has_machine:
        model: MachineModel = target_module(isa_name, "machine.model").MODEL
        return model
    elif manifest.runs_machine_code:
        stepped: MachineModel = target_module(isa_name, "machine.model").MODEL.stepping()
        return stepped
    able = ", ".join(f"`{name}`" for name, each in manifests().items() if each.has_machine)
    raise NoMachineError(f"a machine executes {able}, found `{isa_name}`")


def decode_word(isa: Isa, word: int) -> list[DecodedInstruction]:
    """Return the instructions of a bundle in the order in which its machine executes them."""
    return decode_in_order(isa, machine_for(isa.name).Machine.execution_order, word)
