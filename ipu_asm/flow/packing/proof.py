"""Proof that a packed program does what the program does, without executing data.

Three things are compared, and none of them with the help of the dependences that the schedule was
made from. The packed text is read again: its bundles have the same instructions, its labels and
branches lead to the same blocks. In each block, every read sees the same write, every register is
last written by the same instruction, every memory is accessed in the same order, and what is done
before a break, a branch or a fault is done before it. And the control run takes the same decisions,
accesses the same addresses of every memory in the same order, and ends with the same loop
registers.
"""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, RAN_OFF, ControlRun
from ipu_asm.flow.control_run.trace import Executed, Node
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.operations import Operation, by_bundle, operations_of
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, PackingPlan, moved_addresses
from ipu_asm.program.program import Program

_COMPARABLE = (HALTED, RAN_OFF, ENDLESS)


class ProofError(PackingError):
    """A packed program is not proven to do what the program does."""


def prove_values(plan: PackingPlan) -> None:
    """Raise `ProofError` unless each block of the packed text computes the same values."""
    for finding in plan.packed.findings:
        if finding.severity is Severity.ERROR:
            raise ProofError(f"the packed program has an error: {finding.message}")
    if plan.packed.size != plan.program.size - plan.saved_bundles:
        raise ProofError("the packed text has another number of bundles")
    _prove_labels(plan)
    for block in plan.blocks:
        _prove_block(plan, block)


def prove_control(plan: PackingPlan, old: ControlRun, new: ControlRun) -> None:
    """Raise `ProofError` unless the control runs of the program and of the packed one agree."""
    if old.end.reason not in _COMPARABLE:
        raise ProofError(f"its control run is not known to the end: {old.end.reason}")
    if old.end.reason != new.end.reason:
        raise ProofError("the packed program ends in another way")
    if old.end.reason != ENDLESS and old.registers != new.registers:
        raise ProofError("the packed program ends with other loop registers")
    if list(_events(old, old.nodes)) != list(_events(new, new.nodes)):
        raise ProofError("the packed program takes other branches, or accesses other addresses")


def _prove_labels(plan: PackingPlan) -> None:
    moved = moved_addresses(plan.program, plan.blocks)
    labels = {label: moved[a] for label, a in plan.program.label_addresses.items()}
    if labels != plan.packed.label_addresses:
        raise ProofError("a label of the packed program has another place")
    old = [moved.get(r.target or 0) for r in plan.program.references]
    new = [reference.target for reference in plan.packed.references]
    if old != new:
        raise ProofError("a branch of the packed program has another target")


class _Values(NamedTuple):
    """What the instructions of a block do, by the places that they have in the source.

    `seen` has the write that each read sees, `last` the last write of each resource, `accesses` the
    accesses of each memory in their order. `before` has what is done in earlier bundles: before a
    break everything, before a possible fault the stores. `behind` is done behind a branch.
    """

    seen: Mapping[tuple[Place, str], Place | None]
    last: Mapping[str, Place]
    accesses: Mapping[str, Sequence[Place]]
    before: Mapping[Place, frozenset[Place]]
    behind: frozenset[Place]


def _prove_block(plan: PackingPlan, block: PackedBlock) -> None:
    old = by_bundle(operations_of(plan.program, block.addresses), block.addresses)
    addresses = range(block.start, block.start + len(block.bundles))
    new = by_bundle(operations_of(plan.packed, addresses), addresses)
    names: dict[Place, Place] = {}
    for written, planned in zip(new, block.bundles):
        if len(written) != len(planned):
            raise ProofError("a packed bundle has other instructions")
        for operation, source in zip(written, planned):
            if not _same_words(plan, operation, source):
                raise ProofError("a packed bundle has other instructions")
            names[operation.address, operation.number] = source.address, source.number
    if sorted(names.values()) != sorted((o.address, o.number) for bundle in old for o in bundle):
        raise ProofError("an instruction is missing, or there are two of it")
    for slot in plan.program.isa.slots:
        if any(sum(o.slot == slot.name for o in bundle) > slot.capacity for bundle in new):
            raise ProofError(f"slot `{slot.name}` is taken more than once")
    identity = {place: place for place in names.values()}
    if _values(old, identity) != _values(new, names):
        raise ProofError("an instruction would see another value")


def _same_words(plan: PackingPlan, new: Operation, old: Operation) -> bool:
    """Compare the words of two instructions, but for labels, which are compared by target."""
    one, other = _words(plan.packed, new), _words(plan.program, old)
    return one == other


def _words(program: Program, operation: Operation) -> list[object]:
    bundle = program.bundles[program.bundle_at_address[operation.address]]
    instruction = bundle.instructions[operation.number]
    labels = {use.operand for use in bundle.label_uses if use.instruction == operation.number}
    return [
        instruction.mnemonic,
        *(None if n in labels else word for n, word in enumerate(instruction.words[1:])),
    ]


def _values(bundles: Sequence[Sequence[Operation]], names: Mapping[Place, Place]) -> _Values:
    """Execute bundles with the names of instructions as values."""
    seen: dict[tuple[Place, str], Place | None] = {}
    last: dict[str, Place] = {}
    accesses: dict[str, list[Place]] = {}
    for bundle in bundles:
        named = [(names[operation.address, operation.number], operation) for operation in bundle]
        for name, operation in named:
            for resource in operation.early_reads:
                seen[name, resource] = last.get(resource)
            for memory in operation.memories:
                accesses.setdefault(memory, []).append(name)
        written = [resource for operation in bundle for resource in operation.writes]
        if len(set(written)) < len(written):
            raise ProofError("two instructions of a bundle write the same register")
        for name, operation in named:
            last.update(dict.fromkeys(operation.writes, name))
        for name, operation in named:
            for resource in operation.live_reads:
                seen[name, resource] = last.get(resource)
    before, behind = _order(bundles, names)
    return _Values(seen, last, accesses, before, behind)


def _order(
    bundles: Sequence[Sequence[Operation]], names: Mapping[Place, Place]
) -> tuple[dict[Place, frozenset[Place]], frozenset[Place]]:
    """Return what is done before breaks and possible faults, and what is done behind branches."""
    before: dict[Place, frozenset[Place]] = {}
    behind: set[Place] = set()
    done: list[tuple[Place, Operation]] = []
    for bundle in bundles:
        named = [(names[operation.address, operation.number], operation) for operation in bundle]
        if any(operation.is_branch for _, operation in done):
            behind.update(name for name, _ in named)
        for name, operation in named:
            if operation.is_break:
                before[name] = frozenset(place for place, _ in done)
            elif operation.may_fault:
                before[name] = frozenset(place for place, other in done if other.stores)
        done += named
    return before, frozenset(behind)


def _events(run: ControlRun, nodes: Sequence[Node]) -> Iterator[object]:
    """Yield what nodes compare and access, by memory; and those of loops with their counts.

    Bundles, and the order of accesses of different memories, are left out.
    """
    accesses: dict[str, list[object]] = {}
    for node in nodes:
        if isinstance(node, Executed):
            yield from _of_bundle(run, node, accesses)
        else:
            yield from _flushed(accesses)
            yield "loop", len(node.segments)
            for segment in node.segments:
                yield "iterations", segment.iterations
                yield from _events(run, segment.nodes)
            yield ("end of loop",)
    yield from _flushed(accesses)


def _of_bundle(
    run: ControlRun, node: Executed, accesses: dict[str, list[object]]
) -> Iterator[object]:
    step = run.steps[node.address]
    first = len(node.values) - len(step.accesses)
    for access, offset in zip(step.accesses, node.values[first:]):
        accesses.setdefault(access.memory, []).append(
            (access.kind, access.size, access.bases, offset)
        )
    if node.taken is not None:
        yield from _flushed(accesses)
        yield "branch", node.taken, node.values[:first]


def _flushed(accesses: dict[str, list[object]]) -> Iterator[object]:
    for memory in sorted(accesses):
        yield memory, tuple(accesses[memory])
    accesses.clear()
