"""Values of the host's registers with which a program can be tried, and runs of equal extent."""

from __future__ import annotations

from itertools import count as counting
from random import Random
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import ENDLESS, HALTED, MOST_STEPS, RAN_OFF, ControlRun
from ipu_asm.flow.control_run.trace import Executed, Node
from ipu_asm.flow.packing.pack import PackedBlock, PackingPlan
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

_MOST_TRIES = 40
_MOST_STEPS = 1_500
_UNITS = (1, 4, 64, 128, 256, 512)


class Trial(NamedTuple):
    """Values of all registers that control and addresses depend on, and the control runs."""

    presets: Mapping[str, int]
    run: ControlRun
    packed_run: ControlRun


def trial_of(plan: PackingPlan, presets: Mapping[str, int], seed: int) -> Trial | None:
    """Return a trial in which the program runs without a fault of the control run.

    Values that `presets` do not have are drawn. None if no such values are found.
    """
    random, isa = Random(seed), plan.program.isa
    bases, others = unknown_registers(plan.program, presets)
    for _ in range(_MOST_TRIES if bases or others else 1):
        drawn = {name: random.randrange(1 << 12) * _base_unit(plan.program) for name in bases}
        drawn |= {name: random.randint(1, 9) * random.choice(_UNITS) for name in others}
        values = {**isa.resets, **drawn, **presets, **isa.constants}
        run = control_run(plan.program, values, _MOST_STEPS if drawn else MOST_STEPS)
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
