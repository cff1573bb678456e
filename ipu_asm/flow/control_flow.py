"""Where control goes: in a program from its first address on, and inside of functions."""

from __future__ import annotations

from bisect import bisect_left
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Callable, Iterator, Mapping, Sequence, TypeVar

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Severity
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.macros import effect_of
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


# Traits of instructions that leave a function: for good, or until the callee returns.
RETURN, CALL = "return", "call"


State = TypeVar("State")


class ControlFlowGraph(NamedTuple):
    """The control-flow graph of a function, with addresses relative to its start.

    `numbers[a]` is the index of the bundle at address a in the function. `following[a]` are the
    addresses that may be executed next. After an address in `unknown`, control may also continue at
    an unknown place: after calls, indirect branches, at the end of the text, and where a directive
    chooses the next bundle. After one in `returning`, it continues in the caller.
    """

    numbers: tuple[int, ...]
    following: tuple[tuple[int, ...], ...]
    unknown: frozenset[int]
    returning: frozenset[int]


def functions_of(program: Program) -> Iterator[range]:
    """Yield the bundle numbers of each function, in order; a text without returns is one function.

    A function ends before the first label, after a return and its delay slots, that other files
    may refer to.
    """
    first = 0
    while first < len(program.bundles):
        size = program.per_bundle(function_size, first)
        yield range(first, first + size)
        first += size


def function_size(program: Program, first: int) -> LocalResult[int]:
    """Return the number of bundles in the function that starts at bundle `first`."""
    bundles, returns = program.bundles, program.where(_returns)
    at = bisect_left(returns, first)
    end = len(bundles)
    if at < len(returns):
        slots = _slots_of_return(bundles[returns[at]])
        last = program.number_at(program.addresses[returns[at]] + slots)
        behind = range(last + 1, end)
        end = next((n for n in behind if _is_entry(program.isa, bundles[n])), end)
    return LocalResult(0, end - first, end - first)


def _returns(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and _slots_of_return(bundle) >= 0


def delay_slots_of(bundle: Bundle) -> int:
    """Return the number of bundles that are executed before the bundle's branch takes effect."""
    return max((i.spec.delay_slots for i in bundle.instructions if i.spec), default=0)


def _is_entry(isa: Isa, bundle: Bundle) -> bool:
    """Return whether a function may start here: at a label that other files may refer to."""
    label, local = bundle.label, isa.surface.local_prefix
    return label is not None and not (local and label.startswith(local))


def _slots_of_return(bundle: Bundle) -> int:
    """Return the number of delay slots of a return; -1 for any other bundle."""
    for instruction in bundle.instructions:
        if instruction.spec is not None and RETURN in instruction.spec.traits:
            return instruction.spec.delay_slots
    return -1


def control_flow_of(isa: Isa, bundles: Sequence[Bundle]) -> ControlFlowGraph:
    """Build the control-flow graph of a function's bundles."""
    addresses = [0, *accumulate([bundle.size for bundle in bundles])]
    numbers = tuple(n for n, each in enumerate(bundles) if each.size for _ in range(each.size))
    labels = {b.label: addresses[n] for n, b in enumerate(bundles) if b.label is not None}
    size = len(numbers)
    following = [[address + 1] for address in range(size)]
    unknown = _addresses_before_conditions(bundles, addresses, size)
    returning: set[int] = set()
    for address, number in enumerate(numbers):
        bundle = bundles[number]
        if bundle.has_uncertain_effect or bundle.has_unknown:
            unknown.add(address)
        for instruction in bundle.instructions:
            spec = instruction.spec
            if spec is None or (spec.flow is None and CALL not in spec.traits):
                continue
            leaves = min(address + spec.delay_slots, size - 1)
            if spec.flow is not None and not falls_through(spec.flow):
                following[leaves] = []
            if RETURN in spec.traits:
                returning.add(leaves)
                continue
            targets = [labels.get(v) for v in instruction.values if isinstance(v, str)]
            if CALL in spec.traits or not targets or None in targets:
                unknown.add(leaves)
            following[leaves] += [target for target in targets if target is not None]
    for end, start in _hardware_loops(isa, bundles, numbers, labels):
        following[end].append(start)
    if size and size in following[-1]:
        unknown.add(size - 1)
    return ControlFlowGraph(
        numbers,
        tuple(tuple(dict.fromkeys(a for a in steps if a < size)) for steps in following),
        frozenset(unknown),
        frozenset(returning),
    )


def _addresses_before_conditions(
    bundles: Sequence[Bundle], addresses: list[int], size: int
) -> set[int]:
    """The last addresses before conditions and macro bodies: directives choose what follows."""
    return {
        min(addresses[number], size) - 1
        for number, bundle in enumerate(bundles)
        if bundle.has_unknown_size
        or (bundle.directive and any(effect_of(w).step for w in bundle.syntax.directives))
    } - {-1}


def _hardware_loops(
    isa: Isa, bundles: Sequence[Bundle], numbers: tuple[int, ...], labels: Mapping[str, int]
) -> list[tuple[int, int]]:
    """Return the last and the first address of each hardware loop.

    A loop is recognised by the labels that are written to its start and end registers.
    """
    if isa.loop_registers is None:
        return []
    loops: list[tuple[int, int]] = []
    starts: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for address, number in enumerate(numbers):
        for instruction in bundles[number].instructions if bundles[number].label_uses else ():
            for found, register in zip((starts, ends), isa.loop_registers):
                target = labels.get(label_put_into(instruction, register) or "")
                if target is not None:
                    found.append((address, target))
    for at, end in ends:
        near = [(abs(at - place), start) for place, start in starts if start <= end]
        if near and end < len(numbers):
            loops.append((end, min(near)[1]))
    return loops


def label_put_into(instruction: Instruction, register: str) -> str | None:
    """Return the label that an instruction writes to a register, if any."""
    words = [word.lower() for word in instruction.words[1:2]]
    found = [value for value in instruction.values if isinstance(value, str)]
    return found[0] if words == [register] and len(found) == 1 else None


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


def is_runnable(program: Program) -> bool:
    """Return whether a program can be executed: it is complete, without errors, and fits."""
    if not program.is_text or not 0 < program.size <= program.isa.program_limit:
        return False
    return all(finding.severity is not Severity.ERROR for finding in program.findings)


@cached_on_program
def successors_of(program: Program) -> Sequence[Sequence[int]] | None:
    """Return the addresses that may be executed after each address.

    An address past the last one leaves the program. None if a branch may lead anywhere.
    """
    numbers, bundles = program.bundle_at_address, program.bundles
    flows = [bundles[number].flow for number in numbers]
    targets = {program.addresses[each.bundle]: each.target for each in program.references}
    # Few edits change them.
    return program.cache.whole("successors", (flows, targets), lambda: _successors(flows, targets))


def _successors(
    flows: Sequence[str | None], targets: Mapping[int, int | None]
) -> Sequence[Sequence[int]] | None:
    found: list[Sequence[int]] = []
    for address, flow in enumerate(flows):
        target = targets.get(address)
        following = [address + 1] if falls_through(flow) else []
        if flow in ("branch", "jump"):
            if target is None:
                return None
            following.append(target)
        elif flow == "indirect":
            return None
        found.append(following)
    return found


def basic_blocks(program: Program) -> list[range]:
    """Return the addresses of each basic block: only its first is entered, only its last is left.

    A label starts a block even if nothing refers to it.
    """
    size = program.size
    starts = {0} | {address for address in program.label_addresses.values() if address < size}
    for reference in program.references:
        if reference.target is not None and reference.target < size:
            starts.add(reference.target)
    for address, number in enumerate(program.bundle_at_address):
        if _leaves(program.bundles[number]) and address + 1 < size:
            starts.add(address + 1)
    first = sorted(starts)
    return [range(a, b) for a, b in zip(first, [*first[1:], size])] if size else []


def _leaves(bundle: Bundle) -> bool:
    return bundle.transfers_control or bundle.has_uncertain_effect or bundle.has_unknown


def solve(
    successors: Sequence[Sequence[int]],
    starts: Mapping[int, State],
    after: Callable[[int, State], State],
    join: Callable[[State, State], State],
) -> dict[int, State]:
    """Solve data-flow equations: return the state before each address that `starts` lead to.

    `after` maps an address and the state before its bundle to the state after it. `join` merges the
    states of two paths; a state may only change a few times by it. Addresses outside of
    `successors` have no state.
    """
    states = dict(starts)
    waiting = list(states)
    heapify(waiting)
    while waiting:
        address = heappop(waiting)
        state = after(address, states[address])
        for following in successors[address]:
            if following >= len(successors):
                continue
            known = states.get(following)
            joined = state if known is None else join(known, state)
            if known is None or joined != known:
                states[following] = joined
                if following not in waiting:
                    heappush(waiting, following)
    return states
