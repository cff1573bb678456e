"""The values that the instructions of the next bundle see, and what they make of them.

What an operand sees depends on the other slots: a "live" read sees what earlier slots of its bundle
write. So the bundle is executed once for its results, and the machine is put back.
"""

from __future__ import annotations

import re
from typing import Final, Iterator, Sequence

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import Context, ExpressionError, Location, Space, text_of
from ipu_asm.debugger.expressions.context import read
from ipu_asm.emulator.binding import decode_in_order, is_default_jump
from ipu_asm.emulator.stops import ExecutionFault, Fault
from ipu_asm.flow.accesses import LIVE, RegisterAccess, decoded_accesses
from ipu_asm.isa import load_isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

_OPERAND: Final = re.compile(r"\s*(\w+)\s*@\s*([\w.]+)\s*", re.ASCII)


class InstructionValues(NamedTuple):
    """An instruction, and the scalar registers that it accesses.

    `registers` has by name what it sees or makes: `5`, `5 (old)`, `6 (new)`, `5 -> 6`. `memory` is
    the address and size of what it accesses of xmem, None if it does not or cannot be known.
    `old_vectors` are vector registers that it reads before another instruction writes them.
    """

    instruction: DecodedInstruction
    registers: dict[str, str]
    memory: tuple[int, int] | None = None
    is_faulting: bool = False
    old_vectors: tuple[str, ...] = ()

    @property
    def mnemonic(self) -> str:
        return str(self.instruction).partition(" ")[0]


class _Result(NamedTuple):
    """What one bundle does: scalar registers after it, and the bytes of memory that it accesses.

    `memory` has address and size of the access of an instruction, by its text. In case of a fault
    nothing has happened, and `fault` has what the instruction saw.
    """

    scalars: tuple[int, ...]
    memory: dict[str, tuple[int, int]]
    fault: Fault | None = None


def bundle_values(debugger: Debugger, context: Context, address: int) -> list[InstructionValues]:
    """Return the instructions of a bundle that do something, in order of execution.

    `address` is that of the next bundle; of a machine that has halted, that of the last one, whose
    registers are then shown as they are. `context` is the state of the machine.
    """
    state = debugger.machine.state
    isa = load_isa(state.isa_name)
    word = state.inst_mem[address] if 0 <= address < len(state.inst_mem) else None
    if word is None or not debugger.machine.execution_order:
        return []
    instructions = [
        each
        for each in decode_in_order(isa, debugger.machine.execution_order, word)
        if not each.is_idle and not is_default_jump(each, address)
    ]
    result = None if state.is_halted else _result(debugger, instructions)
    accesses = [
        [] if each.spec is None else list(decoded_accesses(isa, each.spec, each.registers))
        for each in instructions
    ]
    found = []
    for number, each in enumerate(instructions):
        text = str(each)
        fault = result.fault if result else None
        found.append(
            InstructionValues(
                each,
                dict(_registers(context, number, accesses, result)),
                result.memory.get(text) if result else None,
                fault is not None and fault.instruction == text,
                tuple(_old_vectors(context, number, accesses)),
            )
        )
    return found


def operand_value(debugger: Debugger, context: Context, text: str) -> str | None:
    """Return what `lr2@mult.ve` means: what that instruction of the next bundle sees of a register.

    Returns None for a text of another form. Raises `ExpressionError` if the bundle has no such
    instruction, or if it does not access the register.
    """
    match = _OPERAND.fullmatch(text)
    if match is None:
        return None
    location = context.view.location(context.names.get(match[1], match[1]).lower())
    if location is None or not _is_scalar(location):
        message = f"expected a scalar register in front of @, found {match[1]}"
        raise ExpressionError(message, Span(*match.span(1)))
    if debugger.state.is_halted:
        return text_of(read(context, location), "d")
    every = bundle_values(debugger, context, debugger.state.program_counter)
    spec = debugger.model.isa.spec(match[2])
    mnemonic = (match[2] if spec is None else spec.mnemonic).lower()
    named = [each for each in every if each.mnemonic.lower() == mnemonic]
    for each in named:
        for register, seen in each.registers.items():
            if context.view.location(register) == location:
                return seen
    if named:
        message = f"{match[2]} of the next bundle does not access {match[1]}"
    else:
        known = ", ".join(dict.fromkeys(each.mnemonic for each in every)) or "nothing"
        message = f"the next bundle has no {match[2]}, but: {known}"
    raise ExpressionError(message, Span(*match.span(2)))


def _result(debugger: Debugger, instructions: Sequence[DecodedInstruction]) -> _Result:
    machine, cycle = debugger.machine, debugger.cycle
    saved = machine.state.save()
    try:
        machine.run(1)
        stores = {bytes_[0]: len(bytes_[1]) for bytes_ in machine.state.xmem.written}
        memory = {}
        for each in instructions:
            touched = _memory_of(debugger, each, stores)
            if touched is not None:
                memory[str(each)] = touched
        return _Result(tuple(machine.state.regfile.scalars), memory)
    except ExecutionFault as error:
        return _Result(tuple(machine.state.regfile.scalars), {}, error.fault)
    finally:
        machine.state.restore(saved)
        machine.cycles = cycle


def _memory_of(
    debugger: Debugger, instruction: DecodedInstruction, stores: dict[int, int]
) -> tuple[int, int] | None:
    """Address and size of the memory that an instruction has just read or written."""
    spec, model = instruction.spec, debugger.model
    if spec is None:
        return None
    if "xmem" in spec.writes and stores:
        start = min(stores)
        return start, max(at + size for at, size in stores.items()) - start
    if "xmem" in spec.reads and model.memory_read is not None:
        return model.memory_read(debugger.state, instruction)
    return None


def _registers(
    context: Context,
    number: int,
    accesses: Sequence[Sequence[RegisterAccess]],
    result: _Result | None,
) -> Iterator[tuple[str, str]]:
    shown = set[str]()
    for access in accesses[number]:
        location = context.view.location(access.register)
        if location is None or not _is_scalar(location):
            continue
        if access.register not in shown:
            shown.add(access.register)
            now = text_of(read(context, location), "d")
            yield access.register, _seen(number, accesses, access, now, result, location)


def _old_vectors(
    context: Context, number: int, accesses: Sequence[Sequence[RegisterAccess]]
) -> Iterator[str]:
    found = set[str]()
    for access in accesses[number]:
        location = context.view.location(access.register)
        if not access.reads or location is None or _is_scalar(location):
            continue
        if access.register not in found and _sees_new(number, accesses, access) is False:
            found.add(access.register)
            yield access.register


def _is_scalar(location: Location) -> bool:
    return location.space is Space.SCALARS and location.length is None


def _sees_new(
    number: int, accesses: Sequence[Sequence[RegisterAccess]], access: RegisterAccess
) -> bool | None:
    writers = [
        other
        for other, found in enumerate(accesses)
        if other != number and any(_writes(each, access) for each in found)
    ]
    return access.timing.read == LIVE and min(writers) < number if writers else None


def _seen(
    number: int,
    accesses: Sequence[Sequence[RegisterAccess]],
    access: RegisterAccess,
    now: str,
    result: _Result | None,
    location: Location,
) -> str:
    """The value of a register that an operand sees, or what it becomes."""
    after = now if result is None else _word(result.scalars[location.start])
    if access.writes and result is not None and result.fault is not None:
        return now  # nothing is written
    if access.writes:
        return f"{now} -> {after}" if access.reads or now != after else after
    is_new = _sees_new(number, accesses, access)
    if is_new is None:
        return now
    if is_new:
        if result is not None and result.fault is not None:
            seen = result.fault.registers.get(access.register)
            return "not known" if seen is None else f"{_word(seen)} (new)"
        return f"{after} (new)"
    return f"{now} (old)"


def _writes(access: RegisterAccess, read_access: RegisterAccess) -> bool:
    return access.writes and bool(access.units & read_access.units)


def _word(value: int) -> str:
    return str(value - (1 << 32) if value >> 31 else value)
