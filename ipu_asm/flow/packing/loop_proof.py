"""Proof that a pipelined loop does what the loop does, without executing data.

Both are executed for the fewest trips and for a few more, after which nothing new happens. Scalar
registers, which never depend on data, have random values at the start: every instruction must get
the same values in its iteration, and all registers end with the same. All other values are named
after the instructions that write them, as in `proof`.
"""

from __future__ import annotations

from itertools import chain
from random import Random
from typing import Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.packing.inductive import is_live_at
from ipu_asm.flow.packing.observation import scalar_reads, updated
from ipu_asm.flow.packing.operations import (
    Disjoint,
    Operation,
    by_bundle,
    disjoint_accesses,
    operations_of,
    written_operations,
)
from ipu_asm.flow.packing.pipeline import PipelinedLoop
from ipu_asm.flow.packing.proof import Name, ProofError, Values, faulting_as, values_of
from ipu_asm.flow.packing.webs import computes, instruction_at
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_SEEDS = (1, 2)
_BITS = 32


class _Executed(NamedTuple):
    """An executed bundle: its address, and the names and operations that count."""

    address: int
    named: list[tuple[Name, Operation]]


def prove_pipeline(loop: PipelinedLoop, facts: Sequence[ControlFacts]) -> None:
    """Raise `ProofError` unless the pipelined loop computes the values of the loop."""
    for finding in loop.pipelined.findings:
        if finding.severity is Severity.ERROR:
            raise ProofError(f"the pipelined program has an error: {finding.message}")
    written = _written(loop)
    source = by_bundle(operations_of(loop.program, loop.addresses), loop.addresses)
    tests = [disjoint_accesses(each, in_memory=True) for each in facts]
    stages = loop.schedule.stages
    for trips in range(stages, stages + 3):
        plain = [
            _Executed(address, _named(bundle, trip, stages))
            for trip in range(trips)
            for address, bundle in zip(loop.addresses, source)
        ]
        overlapped = _overlapped(loop, written, trips)
        old_values, new_values = (_values(loop.program.isa, each) for each in (plain, overlapped))
        if (old_values.seen, old_values.last) != (new_values.seen, new_values.last):
            raise ProofError("an instruction of a pipelined loop would see another value")
        if old_values.before != new_values.before:
            raise ProofError("memory of a pipelined loop would differ after a fault")
        _prove_scalars(loop, plain, overlapped)
        _prove_memory(plain, overlapped, tests)


def prove_executions(loop: PipelinedLoop, old: ControlFacts, new: ControlFacts) -> None:
    """Raise `ProofError` unless both programs execute their bundles equally often.

    The kernel is executed once less in each entry for each stage but the first.
    """
    before, after = old.summary.executions, new.summary.executions
    inside, shift = loop.addresses, loop.end - loop.addresses.stop
    kernel = [after[loop.start + number] for number in loop.kernel]
    entries = after[loop.start] if loop.kernel.start else 0
    stages = loop.schedule.stages
    for address, count in enumerate(before):
        if address in inside:
            passes = None if count is None or entries is None else count - entries * (stages - 1)
            same = all(each == passes for each in kernel)
        else:
            moved = address + (shift if address >= inside.stop else 0)
            same = after[moved] == count
        if not same or count is None:
            raise ProofError("the pipelined program takes other branches")
    if old.run.end.reason != new.run.end.reason:
        raise ProofError("the pipelined program ends in another way")
    ends = zip(old.run.names.names, old.run.registers, new.run.registers)
    if any(one != other for name, one, other in ends if name not in loop.lost):
        raise ProofError("the pipelined program ends with other loop registers")


def _written(loop: PipelinedLoop) -> list[list[Operation]]:
    """Return the instructions of the pipelined loop, as they were read again and as planned."""
    addresses = range(loop.start, loop.end)
    found = by_bundle(written_operations(loop.pipelined, addresses), addresses)
    for written, planned in zip(found, loop.bundles):
        moves = [not _updates(loop.pipelined, each) for each in written] if not planned else []
        if any(moves) or len(written) != (len(planned) or len(written)):
            raise ProofError("a pipelined bundle has other instructions")
    pairs = zip(chain(*(w for w, p in zip(found, loop.bundles) if p)), chain(*loop.bundles))
    if any(not _same(loop, new, old) for new, old in pairs):
        raise ProofError("a pipelined bundle has other instructions")
    return found


def _updates(program: Program, operation: Operation) -> bool:
    return computes(instruction_at(program, (operation.address, operation.number)))


def _same(loop: PipelinedLoop, new: Operation, old: Operation) -> bool:
    """Compare instructions but for scalar registers; of updates and branches, values decide."""
    one = instruction_at(loop.pipelined, (new.address, new.number))
    other = instruction_at(loop.program, (old.address, old.number))
    if computes(one) or old.is_branch:
        return computes(one) == computes(other) and new.is_branch == old.is_branch
    texts = [
        scalar_reads(loop.program.isa, program.bundles[program.bundle_at_address[each.address]])
        for program, each in ((loop.pipelined, new), (loop.program, old))
    ]
    return texts[0][new.number].text == texts[1][old.number].text


def _named(bundle: Sequence[Operation], trip: int, stages: int) -> list[tuple[Name, Operation]]:
    """Name the operations of an iteration; its branch leads on, and does nothing else.

    The branches of the iterations that the prologue begins are always taken, and left out.
    """
    return [
        ((each.address, each.number, trip), each._replace(flow=None))
        for each in bundle
        if not each.is_branch or trip >= stages - 1
    ]


def _overlapped(
    loop: PipelinedLoop, written: Sequence[Sequence[Operation]], trips: int
) -> list[_Executed]:
    """Return what the pipelined program executes, named by iteration.

    The iteration of an instruction follows from how often the same one was executed before.
    """
    first, last = loop.kernel.start, loop.kernel.stop
    passes = trips - loop.schedule.stages + 1
    order = [*range(first), *list(loop.kernel) * passes, *range(last, len(loop.bundles))]
    counts: dict[tuple[int, int], int] = {}
    executed = []
    for number in order:
        named: list[tuple[Name, Operation]] = []
        for planned, operation in zip(loop.bundles[number], written[number]):
            place = planned.address, planned.number
            trip = counts.get(place, trips - passes if planned.is_branch else 0)
            counts[place] = trip + 1
            made = faulting_as(operation, planned)._replace(flow=None)
            named.append(((*place, trip), made))
        executed.append(_Executed(loop.start + number, named))
    return executed


def _values(isa: Isa, executed: Sequence[_Executed]) -> Values:
    """Return the values of bundles without those of scalar registers."""
    names = scalar_registers(isa).positions

    def without(resources: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for each in resources if each not in names)

    return values_of(
        [
            [
                (
                    name,
                    operation._replace(
                        early_reads=without(operation.early_reads),
                        live_reads=without(operation.live_reads),
                        writes=without(operation.writes),
                    ),
                )
                for name, operation in each.named
            ]
            for each in executed
        ]
    )


def _prove_scalars(
    loop: PipelinedLoop, plain: Sequence[_Executed], overlapped: Sequence[_Executed]
) -> None:
    isa = loop.program.isa
    names = scalar_registers(isa).names
    for seed in _SEEDS:
        random = Random(seed)
        fixed = {**isa.constants, **dict.fromkeys(loop.scratch, 0)}
        start = [fixed.get(name, random.getrandbits(_BITS)) for name in names]
        old_seen, old_end = _scalars(loop.program, plain, start)
        begun = [(v + loop.begun.get(n, 0)) % (1 << _BITS) for n, v in zip(names, start)]
        new_seen, new_end = _scalars(loop.pipelined, overlapped, begun)
        if old_seen != new_seen:
            raise ProofError("an instruction of a pipelined loop would see another value")
        for name, one, other in zip(names, old_end, new_end):
            at_end = name not in loop.lost
            if (other - one) % (1 << _BITS) == loop.begun.get(name, 0) % (1 << _BITS):
                continue
            if is_live_at(loop.pipelined, loop.end, name, at_end=at_end):
                raise ProofError("a register of a pipelined loop would end with another value")


def _scalars(
    program: Program, executed: Sequence[_Executed], values: Sequence[int]
) -> tuple[dict[Name, tuple[int, ...]], Sequence[int]]:
    """Return what each named instruction reads of scalar registers, and their values at the end."""
    seen: dict[Name, tuple[int, ...]] = {}
    steps = steps_of(program)
    for address, named in executed:
        step = steps[address]
        behind = updated(step, values)
        reads = scalar_reads(program.isa, program.bundles[program.bundle_at_address[address]])
        for name, operation in named:
            if operation.number in reads:
                registers = reads[operation.number].registers
                seen[name] = tuple((behind if live else values)[r] for r, live in registers)
            elif not _updates(program, operation):
                seen[name] = _compared(step, values)
        values = behind
    return seen, values


def _compared(step: Step, values: Sequence[int]) -> tuple[int, ...]:
    """Return the difference of what a branch compares, which may both be moved."""
    if step.branch is None or not step.branch.relation:
        return ()
    return ((values[step.branch.left] - values[step.branch.right]) % (1 << _BITS),)


def _prove_memory(
    old: Sequence[_Executed], new: Sequence[_Executed], tests: Sequence[Disjoint | None]
) -> None:
    """Raise `ProofError` unless accesses that may meet keep their order."""
    places = {
        name: (place, operation.turn)
        for place, bundle in enumerate(new)
        for name, operation in bundle.named
    }
    done: list[tuple[Name, Operation]] = []
    for bundle in old:
        for name, operation in sorted(bundle.named, key=lambda named: named[1].turn):
            for earlier, other in done:
                stores = operation.stores or other.stores
                first = other._replace(address=earlier[0], number=earlier[1])
                if not stores or all(test is not None and test(first, operation) for test in tests):
                    continue
                if operation.memories.keys() & other.memories and places[earlier] >= places[name]:
                    raise ProofError("accesses of memory of a pipelined loop may be reordered")
            done += [(name, operation)] if operation.memories else []
