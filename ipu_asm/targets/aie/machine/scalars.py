"""Effects of the scalar units: arithmetic, moves, branches, and accesses to memory and queues."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ipu_asm.emulator.stops import UnknownResultError
from ipu_asm.isa.storage import signed
from ipu_asm.targets.aie.machine.operations import Number, Operation, Run
from ipu_asm.targets.aie.machine.state import DONE

ADDRESS_MASK = (1 << 20) - 1
_NEXT_DIMENSION = 4
"""A pointer that moves in three dimensions uses a second dimension register so far after."""


def address_of(op: Operation) -> Number:
    """Return what computes the address of an access, and moves the pointer after it."""
    base = "sp" if "sp" in op.fields else "ptr"
    pointer = op.number(base)
    inside = next((name for name in ("offset", "dj") if name in op.in_bracket), None)
    if inside is not None:
        offset = op.number(inside)
        return lambda: pointer() + offset() & ADDRESS_MASK
    step = _step_of(op)
    if step is None:
        return pointer
    state, move = op.state, op.register_writer(op.fields[base].text)

    def moved() -> int:
        address = pointer()
        move(address + step() & ADDRESS_MASK, state.cycle)
        return address

    return moved


def _step_of(op: Operation) -> Number | None:
    """Return what computes how far the pointer moves; None if it does not move."""
    name = "mod" if "mod" in op.fields else "offset"
    if name not in op.fields:
        return None
    text = op.fields[name].text
    return _step_in_dimensions(op, int(text[1:])) if text.startswith("d") else op.number(name)


def _step_in_dimensions(op: Operation, first: int) -> Number:
    """Return what counts a step: the stride of the first dimension that is not at its end."""
    numbers = (first, first + _NEXT_DIMENSION)[: 2 if ".3d" in op.mnemonic else 1]
    dimensions = [
        (
            op.register(f"dc{number}"),
            op.register(f"dn{number}"),
            op.register(f"dj{number}"),
            op.register_writer(f"dc{number}"),
        )
        for number in numbers
    ]
    state, back = op.state, op.register(f"m{first}")

    def step() -> int:
        for count, end, stride, write_count in dimensions:
            done = count()
            if done != end():
                write_count(done + 1, state.cycle)
                return stride()
            write_count(0, state.cycle)
        return back()

    return step


_WORD = 0xFFFF_FFFF
_SIGN = 0x8000_0000
_SHIFT_MASK = 31

QUIET_CYCLES = 7
"""Accesses to memory wait until so many cycles have passed since a store of a part of a word."""

_CARRY_UNKNOWN = ("sub", "abs")
"""Functions that write the carry in a way that no public source states."""

QUEUE_STEP = 64
QUEUE_SIZE = 128
BLOCK = 9
"""Bytes of a block of eight numbers in memory: the exponent, then the mantissas."""

BLOCKS = 8


def _shifted(value: int, amount: int) -> int:
    """Shift left, or right by a negative amount; bits above the low five do not count."""
    amount = signed(amount)
    return value >> (-amount & _SHIFT_MASK) if amount < 0 else value << (amount & _SHIFT_MASK)


_Function = Callable[..., int]
_FUNCTIONS: Mapping[str, _Function] = {
    "add": lambda a, b: a + b,
    "add.nc": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b & _WORD,
    "ne": lambda a, b: a != b & _WORD,
    "lt": lambda a, b: signed(a) < signed(b),
    "ltu": lambda a, b: a < b & _WORD,
    "ge": lambda a, b: signed(a) >= signed(b),
    "geu": lambda a, b: a >= b & _WORD,
    "lshl": _shifted,
    "ashl": lambda a, b: _shifted(signed(a), b),
    "mac": lambda a, b, c: a + b * c,
    "msc": lambda a, b, c: a - b * c,
    "abs": lambda a: abs(signed(a)),
    "clz": lambda a: 32 - a.bit_length(),
    "clb": lambda a: 31 - (a ^ _WORD * (a >> 31)).bit_length(),
    "popcount": lambda a: a.bit_count(),
    "eqz": lambda a: a == 0,
    "nez": lambda a: a != 0,
    "extend.s8": lambda a: (a & 0xFF ^ 0x80) - 0x80,
    "extend.s16": lambda a: (a & 0xFFFF ^ 0x8000) - 0x8000,
    "extend.u8": lambda a: a & 0xFF,
    "extend.u16": lambda a: a & 0xFFFF,
}


def nothing(op: Operation) -> Run:
    """Do nothing; an event is for traces only."""
    return lambda: None


def done(op: Operation) -> Run:
    """End the program."""
    state = op.state

    def run() -> None:
        state.end = DONE

    return run


def lock(op: Operation) -> Run:
    """Acquire or release a lock: with one core, all locks are free."""
    op.warn(f"`{op.mnemonic}` does nothing: the locks of the tile are not modelled")
    return nothing(op)


def alu(op: Operation) -> Run:
    """Apply a function of words; sums write the carry."""
    name = op.arguments["fn"]
    state = op.state
    if name in ("add", "adc"):
        return _add(op, has_carry=name == "adc")
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UnknownResultError("in which direction the carry counts is not public")
    write = op.number_writer("dst")
    sources = [op.number(each) for each in op.fields if each != "dst"]
    first, *others = sources
    if name in _CARRY_UNKNOWN:
        erase = op.carry_eraser()

        def run() -> None:
            write(int(function(first() & _WORD, *(other() for other in others))), state.cycle)
            erase(state.cycle)

        return run
    if len(sources) == 1:
        return lambda: write(int(function(first() & _WORD)), state.cycle)
    if len(sources) == 2:
        second = others[0]
        return lambda: write(int(function(first() & _WORD, second())), state.cycle)
    return lambda: write(function(*(source() for source in sources)), state.cycle)


def _add(op: Operation, *, has_carry: bool) -> Run:
    state = op.state
    first, second = (op.number(each) for each in op.fields if each != "dst")
    write, write_carry = op.number_writer("dst"), op.register_writer("srcarry")
    carry = op.carry() if has_carry else lambda: 0

    def run() -> None:
        total = (first() & _WORD) + (second() & _WORD) + carry()
        write(total, state.cycle)
        write_carry(total >> 32, state.cycle)

    return run


def select_scalar(op: Operation) -> Run:
    """Select one of two registers, by whether a third one is zero."""
    state, write = op.state, op.number_writer("dst")
    first, second, condition = (op.number(each) for each in ("src1", "src2", "r27"))
    is_zero_wanted = op.arguments["when"] == "eqz"
    return lambda: write(first() if (condition() == 0) == is_zero_wanted else second(), state.cycle)


def move(op: Operation) -> Run:
    """Copy a register or an immediate."""
    state, write = op.state, op.number_writer("dst")
    source = op.number(next(each for each in op.fields if each != "dst"))
    return lambda: write(source(), state.cycle)


def counter(op: Operation) -> Run:
    """Read the cycle counter, which starts with the run."""
    state, write = op.state, op.number_writer("dst")
    op.warn("the cycle counter starts at 0 with the run; what it counts in stalls is not known")
    return lambda: write(state.cycle, state.cycle)


def branch(op: Operation) -> Run:
    """Take a branch; the machine counts its delay slots."""
    state, kind = op.state, op.arguments["kind"]
    target = op.number("lr" if kind == "ret" else "target")
    if kind in ("j", "jl", "ret"):

        def jump() -> None:
            state.taken = (target(), kind)

        return jump
    if kind == "jnzd":
        count, write = op.number("src"), op.number_writer("dst")

        def count_down() -> None:
            value = count()
            write(value - 1, state.cycle)
            if value:
                state.taken = (target(), kind)

        return count_down
    condition, is_zero_wanted = op.number("cond"), kind == "jz"

    def decide() -> None:
        if (condition() == 0) == is_zero_wanted:
            state.taken = (target(), kind)

    return decide


def pointer_add(op: Operation) -> Run:
    """Step a pointer without an access."""
    address = address_of(op)

    def run() -> None:
        address()

    return run


def load(op: Operation) -> Run:
    """Load a scalar or a mask register."""
    state, write, address = op.state, op.number_writer("dst"), address_of(op)
    extend = op.arguments.get("extend")
    bits = int(op.arguments["bits"]) if extend else max(op.width("dst"), 32)
    size, sign = bits // 8, 1 << bits - 1

    def run() -> None:
        value = int.from_bytes(state.read_memory(address(), size), "little")
        write((value ^ sign) - sign if extend == "s" else value, state.cycle)

    return run


def store(op: Operation) -> Run:
    """Store a scalar or a mask register; the data of a part of a word are read late."""
    state, pc, source, address = op.state, op.pc, op.number("src"), address_of(op)
    bits = int(op.arguments.get("bits") or max(op.width("src"), 32))
    size, mask = bits // 8, (1 << bits) - 1
    if "bits" not in op.arguments:
        return lambda: state.write_memory(address(), (source() & mask).to_bytes(size, "little"), pc)

    def finish(at: Any, issue: int) -> None:
        state.write_memory(at, (source() & mask).to_bytes(size, "little"), pc)

    wait = op.later(op.last_read("src"), finish)

    def run() -> None:
        at = address()
        state.check_memory(at, size)  # the store comes later
        state.quiet_until = state.cycle + QUIET_CYCLES
        wait(at)

    return run


def filled_queue(state: Any, name: str, pointer: int, position: int) -> int:
    """Append 64 bytes of memory to the bytes of a queue; return its new position."""
    held = held_bytes(state, name, position)
    if len(held) + QUEUE_STEP > QUEUE_SIZE:
        raise UnknownResultError(f"`{name}` holds {len(held)} of {QUEUE_SIZE} bytes already")
    state.queues[name] = held + state.read_memory(pointer + len(held), QUEUE_STEP)
    return len(held) + QUEUE_STEP


def popped_queue(
    state: Any, name: str, size: int, pointer: int, position: int
) -> tuple[bytes, int, int]:
    """Fill a queue and take its first bytes; return them with the new pointer and position.

    The exponents of blocks are put after their mantissas.
    """
    held = held_bytes(state, name, position)
    held += state.read_memory(pointer + len(held), QUEUE_STEP)
    if len(held) < size:
        raise UnknownResultError(f"`{name}` holds {len(held)} of the {size} bytes it is to give")
    state.queues[name] = held[size:]
    taken = bytearray(held[:size])
    if size == BLOCK * BLOCKS:
        exponents = taken[::BLOCK]
        del taken[::BLOCK]
        taken += exponents
    return bytes(taken), pointer + size & ADDRESS_MASK, len(held) - size


def queue_fill(op: Operation) -> Run:
    """Append 64 bytes of memory to the bytes of a queue."""
    state, name = op.state, op.fields["fifo"].text
    pointer, position = op.number("ptr"), op.number("position")
    write_position = op.number_writer("position")
    return lambda: write_position(filled_queue(state, name, pointer(), position()), state.cycle)


def queue_pop(op: Operation) -> Run:
    """Fill a queue and take its first bytes, the exponents of blocks apart."""
    state, name = op.state, op.fields["fifo"].text
    pointer, position = op.number("ptr"), op.number("position")
    write, write_pointer = op.data_writer("dst"), op.number_writer("ptr")
    write_position = op.number_writer("position")
    size = int(op.arguments["bits"]) // 8

    def run() -> None:
        data, moved, left = popped_queue(state, name, size, pointer(), position())
        write(data, state.cycle)
        write_pointer(moved, state.cycle)
        write_position(left, state.cycle)

    return run


def held_bytes(state: Any, name: str, count: int) -> bytes:
    """Return the bytes that a queue holds according to its position register."""
    held: bytes = state.queues.get(name, b"")
    if count > len(held):
        raise UnknownResultError(f"`{name}` holds {len(held)} bytes, its position says {count}")
    return held[len(held) - count :]


EFFECTS: Mapping[str, Callable[[Operation], Run]] = {
    "nop": nothing,
    "event": nothing,
    "done": done,
    "lock": lock,
    "alu": alu,
    "select_scalar": select_scalar,
    "move": move,
    "counter": counter,
    "branch": branch,
    "pointer_add": pointer_add,
    "load": load,
    "store": store,
    "queue_fill": queue_fill,
    "queue_pop": queue_pop,
}
