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

from typing import Iterator, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, RAN_OFF, ControlRun
from ipu_asm.flow.control_run.trace import Executed, Node
from ipu_asm.flow.packing.layout import Place
from ipu_asm.flow.packing.operations import Operation, by_bundle, operations_of, written_operations
from ipu_asm.flow.packing.pack import PackedBlock, PackingError, PackingPlan, moved_addresses
from ipu_asm.flow.packing.value_flow import values_of
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
            if not same_words(plan.packed, operation, plan.program, source):
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


def same_words(one: Program, first: Operation, other: Program, second: Operation) -> bool:
    """Compare the words of instructions of two programs, but for labels."""
    return _words(one, first) == _words(other, second)


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
