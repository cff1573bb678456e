"""Effects on vectors: accesses to memory, and conversions."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from ipu_asm.emulator.stops import UnknownResultError
from ipu_asm.targets.aie.machine.numbers import (
    Lanes,
    bf16_of_fp32,
    bfp16_of_fp32,
    bytes_of,
    checked_shift,
    fp32_of_bf16,
    lanes_of,
    s32_of_bf16,
    saturated,
    shifted_right,
)
from ipu_asm.targets.aie.machine.operations import Operation, Run
from ipu_asm.targets.aie.machine.scalars import address_of

_VECTOR_BITS = 512
_VECTOR_BYTES = _VECTOR_BITS // 8
_ALIGNMENT = 32
_LATE_SHIFT = 7
_SHIFT_BITS = 6
_FLOOR = 0

Change = Callable[[bytes], bytes]
"""Converts the bytes of a register."""


# Accesses to memory


def vector_load(op: Operation) -> Run:
    """Load a vector or an accumulator; some forms convert it."""
    convert = op.arguments.get("convert")
    if "bits" in op.arguments:
        raise UnknownResultError("the upper bits of a register after a load of 128 bits")
    if convert == "ups":
        return _load_ups(op)
    state, write = op.state, op.data_writer("dst")
    bits = op.width("dst") // (2 if convert else 1)
    size, address = bits // 8, _aligned(op)
    if convert == "conv":
        return lambda: write(fp32_of_bf16(state.read_memory(address(), size)), state.cycle)
    if convert == "unpack":
        change = _unpacking(op)
        return lambda: write(change()(state.read_memory(address(), size)), state.cycle)
    return lambda: write(state.read_memory(address(), size), state.cycle)


def _aligned(op: Operation) -> Callable[[], int]:
    """Return what computes the address of an access, with a warning where it is not aligned."""
    address, warn, mnemonic = address_of(op), op.warn, op.mnemonic

    def checked() -> int:
        found = address()
        if found % _ALIGNMENT:
            warn(f"`{mnemonic}` accesses {found:#x}, no multiple of {_ALIGNMENT}: what the "
                 "hardware does with the low bits of such an address is not public")  # fmt: skip
        return found

    return checked


def _load_ups(op: Operation) -> Run:
    """Load lanes and widen them; the shift is read late."""
    state, write, shift = op.state, op.data_writer("dst"), op.number("shift")
    formats, address = _accumulator_format(op, "ups"), _aligned(op)
    width, saturation = op.width("dst"), op.register("crsat")
    saturates = op.generation.ups_saturates

    def finish(read: Any, issue: int) -> None:
        data, early, lane, bits, is_signed = read
        if early is not None and shift() != early:
            raise UnknownResultError("in which cycle a load reads its shift is not public")
        limits = saturates and bool(saturation() & 1)
        lanes = lanes_of(data, lane, is_signed=is_signed)
        write(_widened(lanes, shift(), bits, limits), issue)

    has_known_cycle = op.fields["shift"].read > 1
    wait = op.later(_LATE_SHIFT, finish, "dst")

    def run() -> None:
        lane, bits, is_signed = formats()
        data = state.read_memory(address(), width // bits * lane // 8)
        wait((data, None if has_known_cycle else shift(), lane, bits, is_signed))

    return run


def vector_store(op: Operation) -> Run:
    """Store a vector or an accumulator; some forms convert it."""
    convert = op.arguments.get("convert")
    if "bits" in op.arguments:
        raise UnknownResultError("which bits a store of 128 bits takes")
    state, pc, source, address = op.state, op.pc, op.data("src"), _aligned(op)
    if convert is None:
        return lambda: state.write_memory(address(), source(), pc)
    change = {"conv": _rounding_to_bf16, "srs": _narrowing, "pack": _packing}[convert](op)
    return lambda: state.write_memory(address(), change()(source()), pc)


# Conversions. What follows returns functions that read the settings, and return the conversion.


def _accumulator_format(op: Operation, kind: str) -> Callable[[], tuple[int, int, bool]]:
    """Return what reads the bits of lanes and accumulators, and whether lanes are signed."""
    is_signed = signedness(op, f"cr{kind}sign", f"{kind}sign1")
    if "acc" in op.arguments:
        lane, bits = int(op.arguments["lane"]), int(op.arguments["acc"])
        return lambda: (lane, bits, is_signed())
    mode, times = op.register(f"cr{kind}mode"), int(op.arguments["times"])

    def read() -> tuple[int, int, bool]:
        bits = 64 if mode() & 1 else 32
        return bits // times, bits, is_signed()

    return read


def signedness(op: Operation, register: str, word: str) -> Callable[[], bool]:
    """Return what reads whether lanes are signed: by mnemonic, by a fixed word or by a register."""
    sign = op.arguments.get("sign")
    if sign == "d":
        setting = op.register(register)
        return lambda: bool(setting() & 1)
    is_signed = sign == "s" or word in op.words
    return lambda: is_signed


def _narrowing(op: Operation) -> Callable[[], Change]:
    formats, shift = _accumulator_format(op, "srs"), op.number("shift")
    rounding = op.register("crrnd")
    saturation = op.register("crsat")

    def settings() -> Change:
        (lane, bits, is_signed), amount = formats(), checked_shift(shift())
        mode, limits = rounding(), saturation()

        def change(data: bytes) -> bytes:
            lanes = shifted_right(lanes_of(data, bits, is_signed=True), amount, mode)
            return bytes_of(saturated(lanes, lane, limits, is_signed=is_signed), lane)

        return change

    return settings


def _widened(lanes: Lanes, shift: int, bits: int, limits: bool) -> bytes:
    lanes = lanes << checked_shift(shift)
    return bytes_of(saturated(lanes, bits, int(limits), is_signed=True), bits)


def _packing(op: Operation) -> Callable[[], Change]:
    if "lane" not in op.arguments:
        raise UnknownResultError("which lane widths a mode selects is not public")
    lane, to = int(op.arguments["lane"]), int(op.arguments["to"])
    is_signed = signedness(op, "crpacksign", "packsign1")
    saturation = op.register("crsat")

    def settings() -> Change:
        signed, limits = is_signed(), saturation()

        def change(data: bytes) -> bytes:
            lanes = lanes_of(data, lane, is_signed=True)
            return bytes_of(saturated(lanes, to, limits, is_signed=signed), to)

        return change

    return settings


def _unpacking(op: Operation) -> Callable[[], Change]:
    is_signed = signedness(op, "crunpacksign", "unpacksign1")
    lane_of: Callable[[], int]
    if "lane" in op.arguments:
        width = int(op.arguments["lane"])
        lane_of = lambda: width  # noqa: E731
    else:
        size = op.register("crunpacksize")
        lane_of = lambda: 8 if size() & 1 else 4  # noqa: E731

    def settings() -> Change:
        lane, signed = lane_of(), is_signed()
        return lambda data: bytes_of(lanes_of(data, lane, is_signed=signed), 2 * lane)

    return settings


def _rounding_to_bf16(op: Operation) -> Callable[[], Change]:
    rounding = op.register("crrnd")

    def settings() -> Change:
        mode = rounding()
        return lambda data: bytes_of(bf16_of_fp32(np.frombuffer(data, np.uint32), mode), 16)

    return settings


def _at_issue(op: Operation, change: Callable[[], Change]) -> Run:
    """Return a conversion of a register that is read in the first cycle."""
    state, read, write = op.state, op.data("src"), op.data_writer("dst")
    return lambda: write(change()(read()), state.cycle)


def srs(op: Operation) -> Run:
    """Shift lanes of an accumulator right, round, saturate and cut them."""
    return _at_issue(op, _narrowing(op))


def ups(op: Operation) -> Run:
    """Shift lanes left into those of an accumulator."""
    state, read, write, shift = op.state, op.data("src"), op.data_writer("dst"), op.number("shift")
    formats, width = _accumulator_format(op, "ups"), op.width("dst")
    saturation, saturates = op.register("crsat"), op.generation.ups_saturates

    def run() -> None:
        lane, bits, is_signed = formats()
        lanes = lanes_of(read(), lane, is_signed=is_signed)[: width // bits]
        write(_widened(lanes, shift(), bits, saturates and bool(saturation() & 1)), state.cycle)

    return run


def pack(op: Operation) -> Run:
    """Cut lanes to half their width."""
    return _at_issue(op, _packing(op))


def unpack(op: Operation) -> Run:
    """Extend lanes to twice their width; the source is read late, the settings at issue."""
    read, write, settings = op.data("src"), op.data_writer("dst"), _unpacking(op)
    late = op.last_read("src")

    def finish(change: Any, issue: int) -> None:
        write(change(read()), issue)

    wait = op.later(late, finish, "dst")
    return lambda: wait(settings())


def convert(op: Operation) -> Run:
    """Convert numbers to another format."""
    to = op.arguments["to"]
    if to == "fp32":
        return _at_issue(op, lambda: fp32_of_bf16)
    if to == "bf16":
        return _at_issue(op, _rounding_to_bf16(op))
    if to == "s32":
        shift = op.number("shift")

        def floor() -> Change:
            amount = (shift() ^ 1 << _SHIFT_BITS - 1) - (1 << _SHIFT_BITS - 1)
            return lambda data: bytes_of(s32_of_bf16(np.frombuffer(data, np.uint16), amount), 32)

        return _at_issue(op, floor)
    rounding, warn = op.register("crrnd"), op.warn

    def blocks() -> Change:
        mode = rounding()
        if mode != _FLOOR:
            warn(f"how blocks are rounded is public for crRnd = 0 alone, found {mode}")
        return lambda data: bfp16_of_fp32(np.frombuffer(data, np.uint32), mode)

    return _at_issue(op, blocks)


EFFECTS: Mapping[str, Callable[[Operation], Run]] = {
    "vector_load": vector_load,
    "vector_store": vector_store,
    "srs": srs,
    "ups": ups,
    "pack": pack,
    "unpack": unpack,
    "convert": convert,
}
