"""Where control goes and what bundles read and write: what lint and hover both ask."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.program import Program
from ipu_asm.resolve import Instruction


class Effects(NamedTuple):
    """What an instruction reads and writes, by operand or state name.

    `reads` maps a name to "live" (sees what earlier slots of the bundle wrote) or "snapshot" (sees
    the state before the bundle).
    """

    reads: dict[str, str]
    writes: tuple[str, ...]


def effects_of(instruction: Instruction) -> Effects:
    """The effects of an instruction; none if its mnemonic is unknown."""
    spec = instruction.spec
    if spec is None:
        return Effects({}, ())
    reads = {operand.name: operand.read for operand in spec.operands if operand.read}
    return Effects({**reads, **spec.reads}, spec.writes)


class Flow(NamedTuple):
    """Which addresses control can reach from address 0.

    `known` is false where that cannot be told: after an indirect branch, or while a bundle is
    broken; then every address counts as reachable.
    """

    reachable: bytearray
    known: bool


def flow_of(program: Program) -> Flow:
    """Follow control through the bundles that fit into instruction memory."""
    size = min(program.size, program.isa.program_limit)
    numbers = program.bundle_at_address[:size]
    targets = {ref.bundle: ref.target for ref in program.references}
    reachable = bytearray(size)
    waiting = [0]
    while waiting:
        address = waiting.pop()
        while 0 <= address < size and not reachable[address]:
            reachable[address] = 1
            number = numbers[address]
            bundle = program.bundles[number]
            if bundle.is_broken or bundle.flow == "indirect":
                return Flow(bytearray(b"\x01" * size), False)
            if bundle.flow in ("branch", "jump"):
                target = targets.get(number)
                if target is None:
                    return Flow(bytearray(b"\x01" * size), False)
                waiting.append(target)
            if not falls_through(bundle.flow):
                break
            address += 1
    return Flow(reachable, True)


def falls_through(flow: str | None) -> bool:
    """Whether control can go on to the next address."""
    return flow in (None, "branch")
