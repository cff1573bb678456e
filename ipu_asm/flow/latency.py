"""Latency of results, and the writes that a read sees in straight-line code.

Time is counted in bundles. A read in cycle `use_cycle` of an instruction sees a result that is
written in cycle `def_cycle` of another if it is issued at least ``def_cycle - use_cycle + 1``
bundles later; one less if both share a bypass. An earlier read sees the previous value. A branch
with delay slots takes effect after the last of them.
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.flow.accesses import RegisterAccess, accesses_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

LATEST = 9
"""Upper bound in cycles for a write whose latency is unknown."""


class SlowWrite(NamedTuple):
    """A write whose result lands `latency` bundles later, in bundle number `lands_in`.

    `lands_in` is None if the text ends earlier.
    """

    access: RegisterAccess
    latency: int
    lands_in: int | None


class ReachingWrite(NamedTuple):
    """A write in bundle `number` before a read; it lands `remaining` bundles after the read."""

    number: int
    access: RegisterAccess
    remaining: int


def slow_writes(program: Program, number: int) -> Iterator[SlowWrite]:
    """The writes of a bundle whose results the next bundle does not see."""
    for access in accesses_of(program.isa, program.bundles[number]):
        latency = access.timing.def_cycle
        if access.writes and latency is not None and latency > 1:
            yield SlowWrite(access, latency, _behind(program, number, latency))


def reaching_writes(program: Program, number: int, read: RegisterAccess) -> list[ReachingWrite]:
    """The writes that land after a read in bundle `number`, nearest first, then the one it sees.

    Only straight-line code is considered; branches into it are not followed. For the write that is
    seen, `remaining` is 0; it is missing if it is too far away.
    """
    found: list[ReachingWrite] = []
    address = program.addresses[number]
    for distance in range(1, min(address, 2 * LATEST) + 1):
        before = program.bundle_at_address[address - distance]
        if program.bundles[before].flow in ("jump", "indirect"):
            break
        for access in accesses_of(program.isa, program.bundles[before]):
            if not access.writes or access.units.isdisjoint(read.units):
                continue
            needed = needed_distance(access, read)
            if needed is None:
                return found
            found.append(ReachingWrite(before, access, max(needed - distance, 0)))
            if needed <= distance and access.units >= read.units:
                return found
    return found


def needed_distance(write: RegisterAccess, read: RegisterAccess) -> int | None:
    """The least distance in bundles at which a read sees a write; None if a cycle is unknown."""
    if write.timing.def_cycle is None or read.timing.use_cycle is None:
        return None
    shared = bool(write.timing.bypass) and write.timing.bypass == read.timing.bypass
    return write.timing.def_cycle - read.timing.use_cycle + 1 - shared


def _behind(program: Program, number: int, bundles: int) -> int | None:
    address = program.addresses[number] + bundles
    return program.bundle_at_address[address] if address < program.size else None
