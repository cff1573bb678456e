"""The instructions of straight-line code, with what they read and write, and basic blocks."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.flow.accesses import LIVE, instruction_accesses
from ipu_asm.flow.packing.possible_faults import FixedRequirement, possible_faults
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program


class Operation(NamedTuple):
    """One instruction that has an effect: the address of its bundle and its number there.

    `early_reads` are the resources (parts of registers, state) whose value from before the bundle
    it reads, `live_reads` those of which it sees what its bundle writes. `memories` maps each
    memory that it accesses to whether it writes there; in a bundle, instructions execute in the
    order of `turn`. It `may_fault` because of its data, or
    because of registers that change; and if one of the `requires` does not hold, which are about
    registers that never change.
    """

    address: int
    number: int
    slot: str
    early_reads: tuple[str, ...]
    live_reads: tuple[str, ...]
    writes: tuple[str, ...]
    memories: dict[str, bool]
    flow: str | None
    turn: int = 0
    may_fault: bool = False
    requires: tuple[FixedRequirement, ...] = ()

    @property
    def is_break(self) -> bool:
        """Whether it stops a debugger before its bundle."""
        return self.flow == "break"

    @property
    def is_branch(self) -> bool:
        """Whether it decides which bundle is next, or halts."""
        return self.flow is not None and not self.is_break

    @property
    def stores(self) -> bool:
        """Whether it writes to a memory."""
        return any(self.memories.values())


def operations_of(program: Program, addresses: Sequence[int]) -> list[Operation]:
    """Return the instructions of bundles that have an effect, in the order of the text.

    Control enters at the first of them. What holds there already is not required.
    """
    operations, faults = written_operations(program, addresses), possible_faults(program)
    for place, operation in enumerate(operations):
        fault = faults.by_place.get((operation.address, operation.number))
        if fault is not None:
            held = faults.held.get(addresses[0], frozenset())  # control may never come there
            requires = tuple(each for each in fault.requires if each not in held)
            operations[place] = operation._replace(may_fault=fault.always, requires=requires)
    return operations


def written_operations(program: Program, addresses: Sequence[int]) -> list[Operation]:
    """Return the same instructions without their possible faults."""
    found = []
    for address in addresses:
        bundle = program.bundles[program.bundle_at_address[address]]
        for number, instruction in enumerate(bundle.instructions):
            if instruction.spec is not None and not instruction.is_idle:
                found.append(_operation(program.isa, instruction, address, number))
    return found


def by_bundle(operations: Sequence[Operation], addresses: Sequence[int]) -> list[list[Operation]]:
    """Return the operations of each bundle; some bundles may have none."""
    found: dict[int, list[Operation]] = {address: [] for address in addresses}
    for operation in operations:
        found[operation.address].append(operation)
    return list(found.values())


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


def _operation(isa: Isa, instruction: Instruction, address: int, number: int) -> Operation:
    spec = instruction.spec
    assert spec is not None
    early: set[str] = set()
    live: set[str] = set()
    writes: set[str] = set()
    memories: dict[str, bool] = {}
    for access in instruction_accesses(isa, instruction, number):
        if _is_memory(isa, access.register):
            memories[access.register] = memories.get(access.register, False) or access.writes
            continue
        if access.writes:
            writes |= access.units
        if access.reads:
            (live if access.timing.read == LIVE else early).update(access.units)
    # An instruction never sees its own result.
    return Operation(
        address,
        number,
        spec.slot,
        tuple(sorted(early | (live & writes))),
        tuple(sorted(live - writes)),
        tuple(sorted(writes)),
        memories,
        spec.flow,
        [slot.name for slot in isa.slots].index(spec.slot),
    )


def _is_memory(isa: Isa, name: str) -> bool:
    space = isa.spaces.get(name)
    return space is not None and not space.is_register
