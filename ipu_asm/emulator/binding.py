"""Binding: decoded instructions become operations, functions that are called with the machine.

An operation calls the method that executes its instruction. Each argument is resolved once: either
a constant, or a register that is read at each call. All of that but the method and the registers is
a plan, which machines with the same layout of registers share. An operation holds no reference to
the machine, so that a dropped machine is freed by reference counting.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Callable, Iterator, Protocol, Sequence, TypeAlias

from ipu_asm.assembler.word_code import DecodedInstruction, decode_slot
from ipu_asm.emulator.registers import RegisterFile, RegisterLayout
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import LabelType, RegisterType
from ipu_asm.named_tuple import NamedTuple

Operation: TypeAlias = Callable[[Any], object]
Code: TypeAlias = Sequence[DecodedInstruction]
Order: TypeAlias = tuple[str, ...]


class BoundBundle(NamedTuple):
    """A bound bundle: `operations` in execution order, and the instructions that they execute.

    `stops` evaluates the break slot; None if that slot never stops.
    """

    word: int | None
    stops: Operation | None
    operations: tuple[Operation, ...]
    instructions: tuple[DecodedInstruction, ...]


class OperationPlan(NamedTuple):
    """An operation of any machine: its method, what makes it of that, and the places it reads.

    `refusal` is the cause of the fault of one that has none of these; empty for others.
    """

    method: str = ""
    make: Any = None
    places: tuple[int | slice, ...] = ()
    refusal: str = ""


class BundlePlan(NamedTuple):
    """What `bind` needs of a bundle: its word, its decoded instructions and their operations.

    `stops` is the operation of the break slot, None if it is empty. `specs` are the descriptions
    of the instructions by slot, mnemonic and opcode.
    """

    word: int
    stops: OperationPlan | None
    operations: tuple[OperationPlan, ...]
    instructions: tuple[DecodedInstruction, ...]
    specs: dict[tuple[str, str, int], InstructionSpec]


class BindingMachine(Protocol):
    """A machine to bind a bundle to. `snapshot` has the registers from before the bundle."""

    snapshot: RegisterFile

    @property
    def live(self) -> RegisterFile:
        """The registers as a bundle has changed them so far."""


def bind(machine: BindingMachine, plan: BundlePlan) -> BoundBundle:
    """Bind a bundle.

    The machine's class must have all methods: check with `binding_errors` first.
    """
    # In front of a bundle, the live registers have the values from before it.
    stops = plan.stops and _operation(machine, machine.live, plan.stops)
    old = machine.snapshot
    operations = tuple([_operation(machine, old, each) for each in plan.operations])
    return BoundBundle(plan.word, stops, operations, plan.instructions)


@lru_cache(maxsize=4096)
def planned(isa: Isa, layout: RegisterLayout, order: Order, breaks: str, word: int) -> BundlePlan:
    """Plan a word, its slots in execution order.

    `breaks` is the slot, the first one, that only stops debuggers; empty if there is none.
    """
    running = decode_in_order(isa, order, word)
    specs = {
        (each.spec.slot, each.spec.mnemonic, each.spec.opcode): each.spec
        for each in running
        if each.spec is not None
    }
    stops = None
    if breaks and running[0].spec is not None:
        # With an invalid opcode it stays among the others, so that the bundle faults.
        first = running.pop(0)
        if not first.is_idle:
            stops = _plan(layout, first)
    running = [instruction for instruction in running if not instruction.is_idle]
    operations = [_plan(layout, instruction) for instruction in running]
    for number, cause in write_conflicts(isa, running):
        operations[number] = OperationPlan(refusal=cause)
    return BundlePlan(word, stops, tuple(operations), tuple(running), specs)


def binding_errors(machine: type, spec: InstructionSpec) -> list[str]:
    """Return the reasons why a class cannot execute an instruction, each with its remedy."""
    names = [operand.name for operand in spec.operands]
    method = getattr(machine, spec.execute_fn, None)
    unreadable = [
        operand
        for operand in spec.operands
        if operand.read and not isinstance(operand.type, RegisterType)
    ]
    if method is not None and not unreadable and _parameters(method) == frozenset(names):
        return []
    place = f"{spec.slot} instruction `{spec.mnemonic}`"
    wanted = f"def {spec.execute_fn}({', '.join(['self', *(['*'] if names else []), *names])})"
    if method is None:
        return [f"{place}: `{machine.__name__}` has no method for it; add `{wanted}`"]
    errors = [
        f"{place}: operand `{operand.name}` is no register, so it has no value to read; "
        f'remove `"read": "{operand.read}"` from its entry'
        for operand in unreadable
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


def _operation(machine: BindingMachine, old: RegisterFile, plan: OperationPlan) -> Operation:
    """An operation of its own for each plan; `old` are the registers from before the bundle."""
    if plan.refusal:
        return _refusing(plan.refusal)
    function = _function(machine, plan.method)
    operation: Operation = plan.make(function, machine.live, old, plan.places)
    return operation


def _function(machine: object, name: str) -> Callable[..., object]:
    """The method of a machine's class, or the replacement set on this instance."""
    own = vars(machine).get(name)
    return getattr(type(machine), name) if own is None else lambda _, **operands: own(**operands)


def _plan(layout: RegisterLayout, instruction: DecodedInstruction) -> OperationPlan:
    spec = instruction.spec
    if spec is None:
        slot = instruction.slot.name
        cause = f"opcode {instruction.opcode} stands for no instruction of slot {slot}"
        return OperationPlan(refusal=cause)
    sources, places = [], []
    for operand in spec.operands:
        value = instruction.values[operand.name]
        if value is None:
            cause = f"operand `{operand.name}` must be {operand.type.describe()}"
            return OperationPlan(refusal=cause)
        source, place = _source(layout, operand, value)
        sources.append(source)
        places.append(place)
    names = tuple(operand.name for operand in spec.operands)
    return OperationPlan(spec.execute_fn, _maker(names, tuple(sources)), tuple(places))


def _source(layout: RegisterLayout, operand: Operand, value: int) -> tuple[str, int | slice]:
    """The register list to read, empty for a constant, and the index in it or the constant."""
    if operand.read is None or not isinstance(operand.type, RegisterType):
        return "", value
    register = operand.type.registers[value]
    file = "live" if operand.read == "live" else "old"
    group = layout.group_places.get(register)
    if group is not None:
        return f"{file}_scalars", group
    place = layout.places[register]
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


def decode_in_order(isa: Isa, order: Sequence[str], word: int) -> list[DecodedInstruction]:
    """Return the instructions of a word, its slots in the given order.

    They are decoded once for all machines that execute the word.
    """
    return list(_decoded(isa, tuple(order), word))


@lru_cache(maxsize=1024)
def _decoded(isa: Isa, order: tuple[str, ...], word: int) -> tuple[DecodedInstruction, ...]:
    slots = map(isa.slot_by_name.__getitem__, order)
    return tuple(instruction for slot in slots for instruction in decode_slot(isa, slot, word))


def is_default_jump(instruction: DecodedInstruction, address: int) -> bool:
    """Return whether an instruction of the bundle at an address is the jump to the next bundle.

    The assembler adds it to a bundle without a jump.
    """
    if instruction.spec is None or instruction.spec.flow != "jump":
        return False
    return branch_target(instruction) == address + 1


def branch_target(instruction: DecodedInstruction) -> int | None:
    """Return the address to which an instruction may branch; None if it names none."""
    operands = instruction.spec.operands if instruction.spec else ()
    labels = (each.name for each in operands if isinstance(each.type, LabelType))
    return next((instruction.values[name] for name in labels), None)
