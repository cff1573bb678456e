"""Addresses that control can reach from the first one, within instruction memory."""

from __future__ import annotations

from bisect import bisect_left
from typing import Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class Edge(NamedTuple):
    """A control-flow edge between two addresses: a branch, or `falls` to the next address."""

    origin: int
    target: int
    falls: bool


class Reachability(NamedTuple):
    """The addresses that control can reach from address 0, one byte per address.

    `reachable` is 1 where some path may lead. With an indirect or undefined branch or a broken
    bundle the paths are unknown: `known` is false and every address counts as reachable.
    `certain` is 1 where a path leads whatever those do. `leaving` has the edges of the certain
    paths that lead past the last bundle.
    """

    reachable: bytes
    known: bool
    certain: bytes
    leaving: tuple[Edge, ...]


@cached_on_program
def reachability_of(program: Program) -> Reachability:
    """Follow control from address 0 through the bundles that fit into instruction memory."""
    size = min(program.size, program.isa.program_limit)
    everything = b"\x01" * size
    if any(bundle.has_uncertain_effect for _, bundle in program.notable if bundle.findings):
        return Reachability(everything, False, bytes(size), ())
    transfers = _transfers(program, size)
    exits, known = _exits(program, transfers)
    one_sided = [
        address for address, bundle in transfers.items() if _compares_register_with_itself(bundle)
    ]
    certain, leaving = _follow({**exits, **dict.fromkeys(one_sided, ())}, size)
    if not known:
        return Reachability(everything, False, certain, leaving)
    reachable = _follow(exits, size)[0] if one_sided else certain
    return Reachability(reachable, True, certain, leaving)


def falls_through(flow: str | None) -> bool:
    """Return whether control can continue at the next address."""
    return flow in (None, "branch")


def _transfers(program: Program, size: int) -> dict[int, Bundle]:
    """The bundles that branch, jump or halt, by address, in order."""
    bundles = program.bundles[: bisect_left(program.addresses, size)]
    addresses = program.addresses
    return {addresses[number]: bundle for number, bundle in enumerate(bundles) if bundle.flow}


def _exits(
    program: Program, transfers: Mapping[int, Bundle]
) -> tuple[dict[int, Sequence[Edge]], bool]:
    """The edges from each of those bundles, and whether all of their edges are known."""
    addresses = program.addresses
    targets = {addresses[ref.bundle]: ref.target for ref in program.references}
    exits: dict[int, Sequence[Edge]] = {}
    known = True
    for address, bundle in transfers.items():
        target = targets.get(address)
        steps = [Edge(address, target, False)] if target is not None else []
        known = known and (bool(steps) or bundle.flow == "halt")
        if falls_through(bundle.flow):
            steps.append(Edge(address, address + 1, True))
        exits[address] = steps
    return exits, known


def _compares_register_with_itself(bundle: Bundle) -> bool:
    """Return whether a branch compares a register with itself, so that one edge is never taken.

    The comparison decides which of the two.
    """
    if bundle.flow != "branch":
        return False
    branch = next(i for i in bundle.instructions if i.spec is not None and i.spec.flow == "branch")
    if len(set(branch.values)) == len(branch.values):
        return False
    pairs = zip(branch.operands, branch.values)
    compared = [value for operand, value in pairs if operand is not None and operand.read]
    return len(compared) > 1 and len(set(compared)) == 1


def _follow(exits: Mapping[int, Sequence[Edge]], size: int) -> tuple[bytes, tuple[Edge, ...]]:
    """Return the addresses reachable from 0, and the edges that lead past the last address."""
    stops = list(exits)
    reached = bytearray(size)
    leaving: list[Edge] = []
    waiting = [0] if size else []
    while waiting:
        address = waiting.pop()
        if reached[address]:
            continue
        place = bisect_left(stops, address)
        stop = stops[place] if place < len(stops) else size - 1
        steps = () if reached[stop] else exits.get(stop, (Edge(stop, stop + 1, True),))
        reached[address : stop + 1] = b"\x01" * (stop + 1 - address)
        for step in steps:
            if step.target < size:
                waiting.append(step.target)
            else:
                leaving.append(step)
    return bytes(reached), tuple(leaving)
