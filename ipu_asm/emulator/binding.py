"""Binding: decoded instructions become operations, functions that are called with the machine.

An operation calls the method that executes its instruction. Each argument is resolved once, at
binding: either a constant, or a register that is read at each call. An operation holds no reference
to the machine, so that a dropped machine is freed by reference counting.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Callable, Iterator, NamedTuple, Protocol, Sequence, TypeAlias

from ipu_asm.assembler.decode import DecodedInstruction
from ipu_asm.emulator.faults import InstructionError
from ipu_asm.emulator.registers import RegisterFile
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operand_types import RegisterType

Operation: TypeAlias = Callable[[Any], object]
Code: TypeAlias = Sequence[DecodedInstruction]


class BoundBundle(NamedTuple):
    """A bound bundle: `operations` in execution order, and the instructions that they execute.

    `stops` evaluates the break slot; None if that slot never stops.
    """

    word: int | None
    stops: Operation | None
    operations: tuple[Operation, ...]
    instructions: tuple[DecodedInstruction, ...]


class BindingMachine(Protocol):
    """What binding asks of a machine: its registers, the live ones and those from before a bundle.

    `operand_place` is where a register that an operand names is kept, as in a `RegisterLayout`.
    """

    snapshot: RegisterFile

    @property
    def live(self) -> RegisterFile:
        """The registers as a bundle has changed them so far."""

    def operand_place(self, register: str) -> int | slice:
        """Return the place of a register that an operand names."""


def bind(machine: BindingMachine, isa: Isa, word: int, breaks: str, code: Code) -> BoundBundle:
    """Bind a word with the given instructions, in execution order.

    `breaks` is the slot, the first one, that only stops debuggers; empty if there is none. The
    machine's class must have all methods: check with `binding_errors` first.
    """
    stops, running = None, list(code)
    if breaks and code[0].spec is not None:
        # With an invalid opcode it stays among the others, so that the bundle faults.
        first = running.pop(0)
        if not first.is_idle:
            # In front of a bundle, the live registers have the values from before it.
            stops = _operation(machine, machine.live, first)
    running = [instruction for instruction in running if not instruction.is_idle]
    operations = [_operation(machine, machine.snapshot, instruction) for instruction in running]
    for number, cause in write_conflicts(isa, running):
        operations[number] = _refusing(cause)
    return BoundBundle(word, stops, tuple(operations), tuple(running))


def binding_errors(machine: type, spec: InstructionSpec) -> list[str]:
    """Return the reasons why a class cannot execute an instruction, each with its remedy."""
    place = f"{spec.slot} instruction `{spec.mnemonic}`"
    names = [operand.name for operand in spec.operands]
    wanted = f"def {spec.execute_fn}({', '.join(['self', *(['*'] if names else []), *names])})"
    method = getattr(machine, spec.execute_fn, None)
    if method is None:
        return [f"{place}: `{machine.__name__}` has no method for it; add `{wanted}`"]
    errors = [
        f"{place}: operand `{operand.name}` is no register, so it has no value to read; "
        f'remove `"read": "{operand.read}"` from its entry'
        for operand in spec.operands
        if operand.read and not isinstance(operand.type, RegisterType)
    ]
    if _parameters(method) != frozenset(names):
        errors.append(
            f"{place}: the keyword-only parameters of `{machine.__name__}.{spec.execute_fn}` "
            f"must be the operands, found `{inspect.signature(method)}`; make it `{wanted}`"
        )
    return errors


@lru_cache(maxsize=256)
def _parameters(method: Callable[..., object]) -> frozenset[str] | None:
    """The keyword-only parameters of a method; None if it has others."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    if any(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters):
        return None
    return frozenset(parameter.name for parameter in parameters)


def _operation(
    machine: BindingMachine, old: RegisterFile, instruction: DecodedInstruction
) -> Operation:
    """The operation of an instruction; `old` are the registers from before the bundle."""
    spec = instruction.spec
    if spec is None:
        slot = instruction.slot.name
        return _refusing(f"opcode {instruction.opcode} stands for no instruction of slot {slot}")
    sources, places = [], []
    for operand in spec.operands:
        value = instruction.values[operand.name]
        if value is None:
            return _refusing(f"operand `{operand.name}` must be {operand.type.describe()}")
        source, place = _source(machine, operand, value)
        sources.append(source)
        places.append(place)
    names = tuple(operand.name for operand in spec.operands)
    make = _maker(names, tuple(sources))
    operation: Operation = make(_function(machine, spec.execute_fn), machine.live, old, places)
    return operation


def _function(machine: object, name: str) -> Callable[..., object]:
    """The method of a machine's class, or the replacement set on this instance."""
    own = vars(machine).get(name)
    return getattr(type(machine), name) if own is None else lambda _, **operands: own(**operands)


def _source(machine: BindingMachine, operand: Operand, value: int) -> tuple[str, int | slice]:
    """The register list to read, empty for a constant, and the index in it or the constant."""
    if operand.read is None or not isinstance(operand.type, RegisterType):
        return "", value
    register = operand.type.registers[value]
    file = "live" if operand.read == "live" else "old"
    group = machine.live.layout.group_places.get(register)
    if group is not None:
        return f"{file}_scalars", group
    place = machine.operand_place(register)
    return f"{file}_{'block' if isinstance(place, slice) else 'scalars'}", place


@lru_cache(maxsize=256)
def _maker(names: tuple[str, ...], sources: tuple[str, ...]) -> Any:
    """A function that creates operations for instructions with these operand names and sources.

    The text handed to `exec` is one call with its keyword arguments written out. It consists of
    operand names, which `binding_errors` has compared with the parameters of a method. Building the
    arguments as a dictionary at each call instead costs 51 % of a bundle in INT8 and 42 % in FP8
    (the fully connected layer of `benchmarks/emulator.py`, both variants interleaved in one run).
    """
    places = [f"place{number}" for number in range(len(names))]
    values = [f"{source}[{at}]" if source else at for source, at in zip(sources, places)]
    call = ", ".join(["machine", *(f"{name}={value}" for name, value in zip(names, values))])
    text = (
        "def make(method, live, old, places):\n"
        "    live_scalars, live_block = live.scalars, live.block\n"
        "    old_scalars, old_block = old.scalars, old.block\n"
        f"    [{', '.join(places)}] = places\n"
        f"    return lambda machine: method({call})\n"
    )
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["make"]


def _refusing(cause: str) -> Operation:
    def refuse(machine: object) -> None:
        raise InstructionError(cause)

    return refuse


def write_conflicts(isa: Isa, instructions: Code) -> Iterator[tuple[int, str]]:
    """Positions of instructions that write a register written earlier in an exclusive slot."""
    written: set[tuple[str, str]] = set()
    for number, instruction in enumerate(instructions):
        if instruction.spec is None or not instruction.slot.exclusive_writes:
            continue
        slot = instruction.slot.name
        for operand, register in instruction.registers.items():
            if operand in instruction.spec.writes:
                parts = {(slot, part) for part in isa.units(register)}
                if parts & written:
                    yield number, f"a bundle may write `{register}` once"
                written |= parts
