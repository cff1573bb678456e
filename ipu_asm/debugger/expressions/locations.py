"""Reading the value at a location: a register, elements of a vector, bits of a mask, memory."""

from __future__ import annotations

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.location import Location, Space
from ipu_asm.debugger.expressions.values import Value


def read(context: Context, location: Location) -> Value:
    """Read the value at a location."""
    if location.space is Space.BITS:
        first = location.start // 8
        data = context.block[first : (location.start + location.elements - 1) // 8 + 1]
        bits = int.from_bytes(data, "little") >> location.start % 8
        numbers: tuple[int | float, ...] = tuple(bits >> i & 1 for i in range(location.elements))
    elif location.space in (Space.PC, Space.CYCLE):
        numbers = (context.pc if location.space is Space.PC else context.cycle,)
    else:
        numbers = location.kind.decode(content_at(context, location))
    raw_bits = None
    if location.kind.is_float:
        raw_bits = location.kind.unsigned().decode(content_at(context, location))
    return Value(numbers, location.kind, location.length is not None, raw_bits)


def content_at(context: Context, location: Location) -> bytes | bytearray:
    """Return the bytes of registers or of memory."""
    if location.space is Space.SCALARS:
        words = context.scalars[location.start : location.start + location.elements]
        return b"".join(word.to_bytes(4, "little") for word in words)
    if location.space is Space.MEMORY:
        return context.read_memory(location.start, location.size)
    return context.block[location.start : location.start + location.size]
