"""Effects on vectors: moves, shuffles, and functions of lanes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Mapping

import numpy as np

from ipu_asm.emulator.stops import UnknownResultError
from ipu_asm.targets.aie.machine.numbers import (
    Lanes,
    bytes_of,
    lanes_of,
)
from ipu_asm.targets.aie.machine.operations import Data, Operation, Run
from ipu_asm.targets.aie.machine.vectors import signedness

_VECTOR_BITS = 512
_VECTOR_BYTES = _VECTOR_BITS // 8


# Moves and shuffles


def move_vector(op: Operation) -> Run:
    """Copy a vector or an accumulator."""
    state, write = op.state, op.data_writer("dst")
    name = next(each for each in op.fields if each != "dst")
    if op.width(name) != op.width("dst"):
        raise UnknownResultError("which half is moved between registers of two widths")
    read, late = op.data(name), op.last_read(name)
    if late == 1:
        return lambda: write(read(), state.cycle)
    wait = op.later(late, lambda _, issue: write(read(), issue), "dst")
    return lambda: wait(None)


_TRANSPOSES = (
    (8, 64, 2), (16, 32, 2), (32, 16, 2), (64, 8, 2), (128, 4, 2), (256, 2, 2), (128, 2, 4),
    (64, 2, 8), (32, 2, 16), (16, 2, 32), (8, 2, 64), (512, 1, 2), (16, 16, 4), (16, 4, 16),
)  # fmt: skip
"""Bits of elements, rows and columns of modes 0 and 1, 2 and 3, ...: both halves of 1024 bits."""

_LATER_TRANSPOSES = {30: (32, 8, 4), 32: (32, 4, 8), 52: (16, 8, 8)}
_TRANSPOSES_OF_FIRST = {
    28: (16, 8, 4), 29: (16, 4, 8), 34: (32, 4, 4), 35: (8, 8, 8), 36: (8, 16, 4), 37: (8, 4, 16),
    38: (16, 1, 2), 39: (16, 4, 4), 40: (16, 4, 2), 41: (16, 2, 4), 42: (16, 8, 2), 43: (16, 2, 8),
    44: (16, 16, 2), 45: (16, 2, 16), 46: (8, 8, 4), 47: (8, 4, 8), 48: (32, 8, 2), 49: (32, 2, 8),
    50: (64, 4, 2), 51: (64, 2, 4),
}  # fmt: skip
"""Modes that transpose matrices inside the first source alone."""

_SWAP = 38


@lru_cache(maxsize=1)
def shuffle_table() -> Mapping[int, Lanes]:
    """Return for each mode the 64 bytes that it takes: 0 to 63 of the first source, then others."""
    table: dict[int, Lanes] = {}
    pairs = {2 * number: shape for number, shape in enumerate(_TRANSPOSES)} | _LATER_TRANSPOSES
    for mode, shape in pairs.items():
        order = _transposed(2 * _VECTOR_BYTES, *shape)
        table[mode], table[mode + 1] = order[:_VECTOR_BYTES], order[_VECTOR_BYTES:]
    for mode, shape in _TRANSPOSES_OF_FIRST.items():
        table[mode] = _transposed(_VECTOR_BYTES, *shape)
    table[_SWAP] = np.arange(_VECTOR_BYTES) ^ 2
    return table


def _transposed(size: int, bits: int, rows: int, columns: int) -> Lanes:
    """Return the byte indices that transpose each matrix of rows x columns in a byte string."""
    order = np.arange(size).reshape(-1, rows, columns, bits // 8)
    return order.transpose(0, 2, 1, 3).reshape(-1)


def shuffle(op: Operation) -> Run:
    """Select bytes of two vectors, in the order of a mode."""
    state, write = op.state, op.data_writer("dst")
    first, second, mode = op.data("src1"), op.data("src2"), op.number("mode")
    table, modes = shuffle_table(), op.generation.shuffle_modes

    def run() -> None:
        number = mode()
        order = table.get(number) if number < modes else None
        if order is None:
            raise UnknownResultError(f"no public source says what mode {number} does")
        both = np.frombuffer(first() + second(), np.uint8)
        write(both[order].tobytes(), state.cycle)

    return run


def shift_bytes(op: Operation) -> Run:
    """Take 64 bytes of two concatenated vectors, from an offset on."""
    state, write = op.state, op.data_writer("dst")
    first, second, shift = op.data("src1"), op.data("src2"), op.number("shift")

    def run() -> None:
        start = shift()
        if start > _VECTOR_BYTES:
            raise UnknownResultError(f"no public source says what a shift by {start} bytes does")
        write((first() + second())[start : start + _VECTOR_BYTES], state.cycle)

    return run


# Single lanes


def broadcast(op: Operation) -> Run:
    """Write a number to every lane."""
    state, write, source = op.state, op.data_writer("dst"), op.number("src")
    size = int(op.arguments["bits"]) // 8
    mask = (1 << 8 * size) - 1
    return lambda: write(
        (source() & mask).to_bytes(size, "little") * (_VECTOR_BYTES // size), state.cycle
    )


def _lane_reader(op: Operation) -> tuple[Data, int]:
    """Return what reads the lane of a vector that an index selects, and its size in bytes."""
    read, size = op.data("src"), int(op.arguments["bits"]) // 8
    name = next((name for name in ("index", "r29") if name in op.fields), None)
    index = op.number(name) if name else lambda: 0

    def lane() -> bytes:
        start = _index(index(), size) * size
        return read()[start : start + size]

    return lane, size


def _index(index: int, size: int) -> int:
    if not 0 <= index < _VECTOR_BYTES // size:
        raise UnknownResultError(f"no public source says which lane the index {index} selects")
    return index


def extract_broadcast(op: Operation) -> Run:
    """Write one lane to every lane."""
    state, write = op.state, op.data_writer("dst")
    lane, size = _lane_reader(op)
    return lambda: write(lane() * (_VECTOR_BYTES // size), state.cycle)


def extract(op: Operation) -> Run:
    """Write a lane to a scalar register, sign or zero extended."""
    state, write = op.state, op.number_writer("dst")
    lane, _ = _lane_reader(op)
    is_signed = signedness(op, "crvaddsign", "vaddsign1")
    return lambda: write(int.from_bytes(lane(), "little", signed=is_signed()), state.cycle)


def insert(op: Operation) -> Run:
    """Replace one lane of a vector."""
    state, write = op.state, op.data_writer("dst")
    vector, number, size = op.data("src1"), op.number("src2"), int(op.arguments["bits"]) // 8
    name = next((name for name in ("index", "r29") if name in op.fields), None)
    index = op.number(name) if name else lambda: 0
    mask = (1 << 8 * size) - 1

    def run() -> None:
        start, data = _index(index(), size) * size, vector()
        lane = (number() & mask).to_bytes(size, "little")
        write(data[:start] + lane + data[start + size :], state.cycle)

    return run


def push(op: Operation) -> Run:
    """Move all lanes by one, and add a lane at one end."""
    state, write, size = op.state, op.data_writer("dst"), int(op.arguments["bits"]) // 8
    is_high = op.arguments["end"] == "hi"
    vector, number = (
        op.data("src1" if is_high else "src2"),
        op.number("src2" if is_high else "src1"),
    )
    mask = (1 << 8 * size) - 1

    def run() -> None:
        lane = (number() & mask).to_bytes(size, "little")
        data = vector()
        write(data[size:] + lane if is_high else lane + data[:-size], state.cycle)

    return run


# All lanes

_LANE_FUNCTIONS: Mapping[str, Callable[[Lanes, Lanes], Lanes]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
}


def lane(op: Operation) -> Run:
    """Apply a function, which wraps, to each pair of lanes."""
    state, write = op.state, op.data_writer("dst")
    first, second = op.data("src1"), op.data("src2")
    function, bits = _LANE_FUNCTIONS[op.arguments["fn"]], int(op.arguments.get("bits", 8))

    def run() -> None:
        a, b = (lanes_of(read(), bits, is_signed=False) for read in (first, second))
        write(bytes_of(function(a, b), bits), state.cycle)

    return run


def lane_select(op: Operation) -> Run:
    """Select each lane from one of two vectors, by the bits of a register."""
    state, write, select = op.state, op.data_writer("dst"), op.number("select")
    first, second, bits = op.data("src1"), op.data("src2"), int(op.arguments["bits"])
    places = np.arange(_VECTOR_BITS // bits, dtype=np.uint64)

    def run() -> None:
        chosen = (np.uint64(select()) >> places) & np.uint64(1)
        a, b = (lanes_of(read(), bits, is_signed=False) for read in (first, second))
        write(bytes_of(np.where(chosen.astype(bool), b, a), bits), state.cycle)

    return run


_COMPARISONS: Mapping[str, tuple[Callable[[Lanes, Lanes], Lanes], Callable[..., Any] | None]] = {
    "lt": (lambda a, b: a < b, None),
    "ge": (lambda a, b: a >= b, None),
    "eqz": (lambda a, b: a == 0, None),
    "max_lt": (lambda a, b: a < b, lambda m, a, b: np.where(m, b, a)),
    "min_ge": (lambda a, b: a >= b, lambda m, a, b: np.where(m, b, a)),
    "sub_lt": (lambda a, b: a < b, lambda m, a, b: a - b),
    "sub_ge": (lambda a, b: a >= b, lambda m, a, b: a - b),
    "maxdiff_lt": (lambda a, b: a < b, lambda m, a, b: np.where(m, 0, a - b)),
    "abs_gtz": (lambda a, b: a > 0, lambda m, a, b: abs(a)),
    "neg_gtz": (lambda a, b: a > 0, lambda m, a, b: -a),
    "bneg_ltz": (lambda a, b: a < 0, lambda m, a, b: ~a),
}
"""The comparison whose results are the mask, and what is computed with it; None for nothing."""

_ALWAYS_SIGNED = ("abs_gtz", "neg_gtz", "bneg_ltz")


def lane_compare(op: Operation) -> Run:
    """Compare lanes to a mask; most forms write a vector that depends on it, too."""
    name, width = op.arguments["fn"], op.arguments["bits"]
    test, result = _COMPARISONS[name]
    state, is_unary = op.state, "src" in op.fields
    first = op.data("src" if is_unary else "src1")
    second = None if is_unary else op.data("src2")
    is_float, bits = width == "bf16", 16 if width == "bf16" else int(width)
    is_signed = signedness(op, "crvaddsign", "vaddsign1")
    write = op.data_writer("dst") if result else None
    masks = (
        "dst" if result is None else next(n for n in op.fields if n in ("cmp", "r16", "r17:r16"))
    )
    write_mask = op.number_writer(masks)

    def run() -> None:
        signed = name in _ALWAYS_SIGNED or is_signed()
        a = lanes_of(first(), bits, is_signed=signed and not is_float)
        b = a if second is None else lanes_of(second(), bits, is_signed=signed and not is_float)
        mask = test(_ordered(a), _ordered(b)) if is_float else test(a, b)
        packed = np.packbits(mask, bitorder="little").tobytes()
        write_mask(int.from_bytes(packed, "little"), state.cycle)
        if write is not None and result is not None:
            write(bytes_of(result(mask, a, b), bits), state.cycle)

    return run


def _ordered(words: Lanes) -> Lanes:
    """Return bfloat16 words as integers in their order, -0 equal to +0."""
    magnitudes = words & 0x7FFF
    if (magnitudes > 0x7F80).any():
        raise UnknownResultError("how a NaN compares is not public")
    return np.where(words >> 15 != 0, -magnitudes, magnitudes)


EFFECTS: Mapping[str, Callable[[Operation], Run]] = {
    "move_vector": move_vector,
    "shuffle": shuffle,
    "shift_bytes": shift_bytes,
    "broadcast": broadcast,
    "extract_broadcast": extract_broadcast,
    "extract": extract,
    "insert": insert,
    "push": push,
    "lane": lane,
    "lane_select": lane_select,
    "lane_compare": lane_compare,
}
