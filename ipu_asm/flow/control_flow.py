"""Functions of a program, their control-flow graphs, and hardware loops."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.flow.reachability import falls_through
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.incremental_cache import LocalResult
from ipu_asm.program.macros import effect_of
from ipu_asm.program.program import Program

# Traits of instructions that leave a function: for good, or until the callee returns.
RETURN, CALL = "return", "call"


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
    numbers = tuple(number for number, bundle in enumerate(bundles) if bundle.size)
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
        if bundle.directive and any(effect_of(words).step for words in bundle.syntax.directives)
    } - {-1}


def _hardware_loops(
    isa: Isa,
    bundles: Sequence[Bundle],
    numbers: tuple[int, ...],
    labels: Mapping[str, int],
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
        for instruction in bundles[number].instructions:
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
