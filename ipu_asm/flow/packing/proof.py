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

from itertools import count as counting
from random import Random
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, MAX_STEPS, RAN_OFF, ControlRun
from ipu_asm.flow.control_run.trace import Executed, Node
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.operations import (
    FixedRequirement,
    Operation,
    by_bundle,
    operations_of,
    written_operations,
)
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, PackingPlan, moved_addresses
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_MAX_TRIES = 40
_MAX_STEPS = 1_500
_UNITS = (1, 4, 64, 128, 256, 512)


class Trial(NamedTuple):
    """Values of all registers that control and addresses depend on, and the control runs."""

    presets: Mapping[str, int]
    run: ControlRun
    packed_run: ControlRun


Name = tuple[int, ...]
"""The name of an instruction that is executed, such as its place in the source."""
Named = Sequence[Sequence[tuple[Name, Operation]]]
"""Bundles that are executed one after the other, with the names of their instructions."""


class Values(NamedTuple):
    """What instructions do, by their names.

    `seen` has the write that each read sees, `last` the last write of each resource, `accesses` the
    accesses of each memory in their order. `before` has what is done in earlier bundles: before a
    break everything, before a possible fault the stores; what several instructions require is
    named by that, and counts where the first does. `after` is done after a branch.
    """

    seen: Mapping[tuple[Name, str], Name | None]
    last: Mapping[str, Name]
    accesses: Mapping[str, Sequence[Name]]
    before: Mapping[Name | FixedRequirement, frozenset[Name]]
    behind: frozenset[Name]


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


def prove_control(old: ControlRun, new: ControlRun) -> None:
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


def _prove_block(plan: PackingPlan, block: PackedBlock) -> None:
    old = by_bundle(operations_of(plan.program, block.addresses), block.addresses)
    addresses = range(block.start, block.start + len(block.bundles))
    new = by_bundle(written_operations(plan.packed, addresses), addresses)
    sources: dict[Place, Operation] = {}
    for written, planned in zip(new, block.bundles):
        if len(written) != len(planned):
            raise ProofError("a packed bundle has other instructions")
        for operation, source in zip(written, planned):
            if _words(plan.packed, operation) != _words(plan.program, source):
                raise ProofError("a packed bundle has other instructions")
            sources[operation.address, operation.number] = source
    names = {place: (source.address, source.number) for place, source in sources.items()}
    if sorted(names.values()) != sorted((o.address, o.number) for bundle in old for o in bundle):
        raise ProofError("an instruction is missing, or there are two of it")
    for slot in plan.program.isa.slots:
        if any(sum(o.slot == slot.name for o in bundle) > slot.capacity for bundle in new):
            raise ProofError(f"slot `{slot.name}` is taken more than once")
    named = [[((o.address, o.number), o) for o in bundle] for bundle in old]
    renamed = [
        [(names[o.address, o.number], faulting_as(o, sources[o.address, o.number])) for o in bundle]
        for bundle in new
    ]
    if values_of(named) != values_of(renamed):
        raise ProofError("an instruction would see another value")


def faulting_as(operation: Operation, source: Operation) -> Operation:
    """Return an operation that may fault as the one from which it was made."""
    return operation._replace(may_fault=source.may_fault, requires=source.requires)


def _words(program: Program, operation: Operation) -> list[object]:
    bundle = program.bundles[program.bundle_at_address[operation.address]]
    instruction = bundle.instructions[operation.number]
    labels = {use.operand for use in bundle.label_uses if use.instruction == operation.number}
    return [
        instruction.mnemonic,
        *(None if n in labels else word for n, word in enumerate(instruction.words[1:])),
    ]


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
    first = step.compared
    # Those of one bundle are read first, then written.
    pairs = sorted(zip(step.accesses, node.values[first:]), key=lambda pair: pair[0].kind)
    for access, offset in pairs:
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


def values_of(bundles: Named) -> Values:
    """Execute bundles with the names of instructions as values. Raises `PackingError`."""
    seen: dict[tuple[Name, str], Name | None] = {}
    last: dict[str, Name] = {}
    accesses: dict[str, list[Name]] = {}
    for bundle in bundles:
        for name, operation in sorted(bundle, key=lambda named: named[1].turn):
            for memory in operation.memories:
                accesses.setdefault(memory, []).append(name)
        for name, operation in bundle:
            for resource in operation.early_reads:
                seen[name, resource] = last.get(resource)
        written = [resource for _, operation in bundle for resource in operation.writes]
        if len(set(written)) < len(written):
            raise PackingError("two instructions of a bundle write the same register")
        for name, operation in bundle:
            last.update(dict.fromkeys(operation.writes, name))
        for name, operation in bundle:
            for resource in operation.live_reads:
                seen[name, resource] = last.get(resource)
    before, behind = _order(bundles)
    return Values(seen, last, accesses, before, behind)


def _order(
    bundles: Named,
) -> tuple[dict[Name | FixedRequirement, frozenset[Name]], frozenset[Name]]:
    """Return what is done before breaks and possible faults, and what is done after branches."""
    before: dict[Name | FixedRequirement, frozenset[Name]] = {}
    behind: set[Name] = set()
    done: list[tuple[Name, Operation]] = []
    for bundle in bundles:
        if any(operation.is_branch for _, operation in done):
            behind.update(name for name, _ in bundle)
        for name, operation in bundle:
            if operation.is_break:
                before[name] = frozenset(place for place, _ in done)
            elif operation.may_fault or operation.requires:
                stores = frozenset(place for place, other in done if other.stores)
                if operation.may_fault:
                    before[name] = stores
                for required in operation.requires:
                    before.setdefault(required, stores)
        done += bundle
    return before, frozenset(behind)


def trial_of(plan: PackingPlan, presets: Mapping[str, int], seed: int) -> Trial | None:
    """Return a trial in which the program runs without a fault of the control run.

    Values that `presets` do not have are drawn. None if no such values are found.
    """
    random, isa = Random(seed), plan.program.isa
    bases, others = unknown_registers(plan.program, presets)
    for _ in range(_MAX_TRIES if bases or others else 1):
        drawn = {name: random.randrange(1 << 12) * _base_unit(plan.program) for name in bases}
        drawn |= {name: random.randint(1, 9) * random.choice(_UNITS) for name in others}
        values = {**isa.resets, **drawn, **presets, **isa.constants}
        run = control_run(plan.program, values, _MAX_STEPS if drawn else MAX_STEPS)
        if run.end.reason in (HALTED, RAN_OFF, ENDLESS):
            return Trial(values, run, control_run(plan.packed, values))
    return None


def unknown_registers(program: Program, presets: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return the registers without a value that addresses begin at, and those that control needs.

    Loop registers have one: they are 0 at the start. So have constants, and those that are not 0 at
    reset.
    """
    run = control_run(program, {}, most_steps=0)
    bases = {base for step in run.steps for access in step.accesses for base in access.bases}
    read = {
        register
        for step in run.steps
        for update in step.updates
        for register, _ in (*update.sum[1], *(update.added or (0, ()))[1])
    }
    branches = [step.branch for step in run.steps if step.branch is not None]
    read |= {each for branch in branches if branch.relation for each in (branch.left, branch.right)}
    used = {register for register in read if register >= run.names.changing}
    names = run.names.names
    given = {*program.isa.constants, *program.isa.resets, *(name.lower() for name in presets)}
    return (
        [names[number] for number in sorted(bases - used) if names[number] not in given],
        [names[number] for number in sorted(used) if names[number] not in given],
    )


def _base_unit(program: Program) -> int:
    """Return a unit of addresses: memory that is addressed by rows has none smaller than a row."""
    has_rows = any(space.rows for space in program.isa.spaces.values())
    return 1 if has_rows else 128


def equal_extents(plan: PackingPlan, run: ControlRun, most: int) -> tuple[int, int]:
    """Return the numbers of bundles after which program and packed program are equally far.

    The first is `most` at the most, and both are those of whole blocks.
    """
    blocks = {block.addresses.start: block for block in plan.blocks}
    old = new = 0
    for block in _blocks_entered(run.nodes, blocks):
        if old + len(block.addresses) > most:
            break
        old += len(block.addresses)
        new += len(block.bundles)
    return old, new


def _blocks_entered(
    nodes: Iterable[Node], blocks: Mapping[int, PackedBlock]
) -> Iterator[PackedBlock]:
    for address in _addresses(nodes):
        block = blocks.get(address)
        if block is not None:
            yield block


def _addresses(nodes: Iterable[Node]) -> Iterator[int]:
    """Yield the addresses of all executed bundles, one by one."""
    for node in nodes:
        if isinstance(node, Executed):
            yield node.address
            continue
        for segment in node.segments:
            times: Sequence[int] | Iterable[int] = (
                range(segment.iterations) if isinstance(segment.iterations, int) else counting()
            )
            for _ in times:
                yield from _addresses(segment.nodes)
