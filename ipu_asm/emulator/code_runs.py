"""Running programs of sets with machine code: what their machines offer, and `run_program`."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Protocol, Sequence

from ipu_asm.assembler.kernel import Kernel, Read, assemble_kernel, isa_name_of, read_kernel
from ipu_asm.config.files import is_code_file
from ipu_asm.emulator.arguments import count, whole_number
from ipu_asm.emulator.code_program import (
    CodeProgram,
    link_kernel,
    linked_kernel,
    read_code_program,
)
from ipu_asm.emulator.model import MachineModel, NoMachineError
from ipu_asm.emulator.stops import MachineFaultError, UnknownResultError
from ipu_asm.isa import load_isa, manifests, target_module
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import read_effective_program
from ipu_asm.text import SourceFile, require_text

DEFAULT_MAX_CYCLES = 1_000_000

UNKNOWN = "unknown"
FAULT = "fault"
LIMIT = "limit"
_POINTER = "*"


class CodeState(Protocol):
    """Registers by name, memory by address, and the place in the program."""

    cycle: int
    executed: int
    stalls: int
    pc: int
    end: str
    """Why the program has ended: `done` or `returned`; empty before."""

    def register(self, name: str) -> int:
        """Return the number in a register. Raises LookupError for an unknown name."""

    def set_register(self, name: str, value: int) -> None:
        """Set a register. Raises LookupError, and ValueError for a value that does not fit."""

    def read_memory(self, address: int, size: int) -> bytes:
        """Return bytes of memory. Raises `MachineFaultError` outside of it."""

    def write_memory(self, address: int, data: bytes) -> None:
        """Write bytes to memory. Raises `MachineFaultError` outside of it."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is in flight."""

    def drain(self) -> None:
        """Let everything in flight land."""

    def observe_stores(self, observer: Callable[[int, bytes, int], object]) -> None:
        """Call a function with address, bytes and address of the bundle of each store."""

    def register_bytes(self, name: str) -> bytes:
        """Return what has landed in a register as bytes. Raises LookupError."""

    def values(self) -> dict[str, int]:
        """Return what has landed in every part of registers, by name."""


class CodeMachine(Protocol):
    """A machine that executes a linked program, with warnings about what is not known of it."""

    warnings: list[str]

    @property
    def state(self) -> Any:
        """The state, a `CodeState`."""

    @property
    def ended_by(self) -> str:
        """The instruction that has ended the program; empty before."""

    def start(self, address: int) -> None:
        """Go to the first bundle; a return from it ends the program."""

    def run(
        self,
        limit: int,
        stop: Callable[[int], bool] | None = None,
        trace: Callable[[int], object] | None = None,
    ) -> int:
        """Execute up to `limit` bundles until the program ends; return their number.

        `stop` is asked in front of each bundle but the first, `trace` is called with the address of
        each. Raises `UnknownResultError` and `MachineFaultError` with the state in front of a
        bundle that cannot be executed.
        """


class RandomRegisters(NamedTuple):
    """The registers that hold addresses, steps of addresses and numbers in runs on random data.

    Those of `loops` are written by hardware loops and hold no result.
    """

    pointers: tuple[str, ...]
    steps: tuple[str, ...]
    numbers: tuple[str, ...]
    loops: tuple[str, ...]


class CodeModel(NamedTuple):
    """The machine of a set as a value: the `MODEL` of `machine/model.py` in its folder.

    `data_address` is where data of programs are placed. `arguments` are the registers in which a
    function gets pointers and numbers, by the first letter of their file.
    """

    make_machine: Callable[[CodeProgram], Any]
    data_address: int
    arguments: Mapping[str, tuple[str, ...]]
    random_registers: RandomRegisters
    stepping: Callable[[], MachineModel]
    """Returns the machine for debuggers, whose state has `load_code`."""


class ProgramRun(NamedTuple):
    """The end of a run, with all results landed.

    `end` is `done`, `returned`, `unknown` (an operation without public semantics), `fault` or
    `limit`, and `reason` a sentence for the last three. `cycles` counts stalls too.
    """

    end: str
    reason: str
    cycles: int
    warnings: tuple[str, ...]
    machine: Any

    def register(self, name: str) -> int:
        """Return the number in a register. Raises LookupError for an unknown name."""
        found: int = self.machine.state.register(name)
        return found

    def memory(self, address: int, size: int) -> bytes:
        """Return bytes of memory. Raises ValueError outside of it."""
        try:
            found: bytes = self.machine.state.read_memory(
                whole_number(address, "an address"), count(size, "a size")
            )
        except MachineFaultError as error:
            raise ValueError(str(error)) from None
        return found


def code_model(isa_name: str) -> CodeModel:
    """Return the machine of a set whose programs are machine code.

    Raises `UnknownIsaError`, and `NoMachineError` for a set without such a machine.
    """
    manifest = manifests().get(isa_name)
    if manifest is None:
        load_isa(isa_name)  # raises the error that says which sets there are
    elif manifest.runs_machine_code:
        model: CodeModel = target_module(isa_name, "machine.model").MODEL
        return model
    able = ", ".join(f"`{name}`" for name, each in manifests().items() if each.runs_machine_code)
    raise NoMachineError(f"a machine executes code of {able}, found `{isa_name}`")


def read_any_kernel(
    data: bytes,
    name: str,
    isa_name: str | None = None,
    read: Read = read_effective_program,
) -> Kernel:
    """Return the program in a file, linked if its set has machine code.

    Raises `ProgramError`, else as `read_kernel`.
    """
    if is_code_file(data):
        return linked_kernel(data, name, _data_address, isa_name, read)
    manifest = manifests().get(isa_name_of(data, name, isa_name))
    if manifest is not None and manifest.runs_machine_code:
        return linked_kernel(data, name, _data_address, isa_name, read)
    return read_kernel(data, name, isa_name, read=read)


def assemble_any_kernel(source: SourceFile, isa: Isa, read: Read) -> Kernel:
    """Assemble a source text, and link it if its set has machine code.

    Raises `RejectedSourceError` and `ProgramError`.
    """
    manifest = manifests().get(isa.name)
    if manifest is not None and manifest.runs_machine_code:
        return link_kernel(source, isa, _data_address(isa.name), read)
    return assemble_kernel(source, isa, read)


def _data_address(isa_name: str) -> int:
    return code_model(isa_name).data_address


def run_program(
    text: str,
    isa: str,
    registers: Mapping[str, int] | None = None,
    memory: Mapping[int, bytes] | None = None,
    entry: str | None = None,
    *,
    max_cycles: int = DEFAULT_MAX_CYCLES,
) -> ProgramRun:
    """Assemble a program and run it from `entry`, by default its first function, to its end.

    `registers` are numbers by the names of registers, composed ones included; `memory` is bytes by
    address. Registers that nothing sets are 0. Raises `AssemblyError`, `ProgramError`, LookupError
    for an unknown register, and ValueError for a value or an address that the machine has not.
    """
    require_text(text, "run_program")
    limit = count(max_cycles, "`max_cycles`")
    model = code_model(isa)
    program = read_code_program(text, isa, model.data_address)
    machine: CodeMachine = model.make_machine(program)
    set_up(machine, program, registers or {}, memory or {})
    machine.start(program.entry(entry))
    return finished_run(machine, limit)


def argument_registers(model: CodeModel, arguments: Sequence[str]) -> dict[str, int]:
    """Return the registers for arguments of a function: numbers, and pointers such as `*0x70000`.

    Raises ValueError.
    """
    free = {file: iter(names) for file, names in model.arguments.items()}
    found = {}
    for text in arguments:
        file = "p" if text.startswith(_POINTER) else "r"
        value, name = number_value(text.removeprefix(_POINTER)), next(free[file], None)
        if value is None:
            raise ValueError(f"expected a number such as 4 or *0x70000, found {quoted(text)}")
        if name is None:
            limit = len(model.arguments[file])
            raise ValueError(f"functions take {limit} such arguments in registers")
        found[name] = value
    return found


def set_up(
    machine: CodeMachine,
    program: CodeProgram,
    registers: Mapping[str, int],
    memory: Mapping[int, bytes],
    *,
    is_resumed: bool = False,
) -> None:
    """Set registers and memory for the host, the data of a program that begins first.

    Raises LookupError and ValueError.
    """
    state = machine.state
    for name, value in registers.items():
        state.set_register(name, whole_number(value, f"the value of `{name}`"))
    try:
        own = {} if is_resumed else program.data
        for address, data in [*own.items(), *memory.items()]:
            state.write_memory(whole_number(address, "an address"), bytes(data))
    except MachineFaultError as error:
        raise ValueError(str(error)) from None


def finished_run(machine: CodeMachine, max_cycles: int) -> ProgramRun:
    """Run a machine to its end, and let everything land."""
    state = machine.state
    end, reason = "", ""
    try:
        while not state.end and state.cycle < max_cycles:
            machine.run(max_cycles - state.cycle)
        end = state.end
    except UnknownResultError as error:
        end, reason = UNKNOWN, str(error)
    except MachineFaultError as error:
        end, reason = FAULT, str(error)
    if not end:
        end, reason = LIMIT, f"the program did not end within {max_cycles:,} cycles"
    cycles = state.cycle
    try:
        state.drain()
    except (UnknownResultError, MachineFaultError) as error:
        if end not in (UNKNOWN, FAULT):
            is_unknown = isinstance(error, UnknownResultError)
            end, reason = UNKNOWN if is_unknown else FAULT, str(error)
    return ProgramRun(end, reason, cycles, tuple(machine.warnings), machine)
