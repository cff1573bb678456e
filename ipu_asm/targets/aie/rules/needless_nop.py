"""A bundle without an operation that nothing needs.

## What it does
Reports bundles of no-ops without which all results land as far before or after every other
operation as they need to, on all paths, and says where the next operation can stand. It is a hint.
Only what is certain is reported: a no-op stays that keeps the distance of results, operands read
late, other results of the same registers, or the registers of a hardware loop; that is followed by
an alignment, unless it is 16 bytes long; or that is near locks, streams, queues, and registers that
change how operations compute. Delay slots are not looked at.

## Why
A core executes one bundle in each cycle. Results need the same number of bundles whatever these do,
so that a no-op which was counted once too often, or stayed when an operation was moved, only costs
a cycle, in a loop one for each iteration.

## Example
```
    lda r0, [p0, #0]
    nop  # 8 times
    add r0, r0, #1
    ret lr
    nop  # 5 times
```

## Use instead
```
    lda r0, [p0, #0]
    nop  # 6 times
    add r0, r0, #1
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.flow.accesses import LATEST
from ipu_asm.flow.control_flow import delay_slots_of, falls_through
from ipu_asm.flow.landing import pipeline_graph
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.code_positions import ALIGNING, size_of
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.targets.aie.rules._slack import (
    Limit,
    Operations,
    limits_of_paths,
    operations_of,
    slack_of,
)
from ipu_asm.targets.aie.rules.late_loop_setup import loop_bounds, sets_up
from ipu_asm.targets.aie.rules.unaligned_loop import is_padded
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("X112", "needless-nop", Severity.HINT)

_WHOLE = 16
"""Bytes of the largest bundle, which moves no code across an alignment."""
_SETUP_BYTES = 112
_READING = (".include", ".incbin", ".org")


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each run of no-ops that can be shorter."""
    numbers = [run for run in _runs(program) if program.per_bundle(_spare_nearby, run.start)]
    if not numbers or not program.is_text:
        return
    graph = pipeline_graph(program)
    loops = _loops(program)
    numbers = [run for run in numbers if program.addresses[run.start] in graph.reached]
    numbers = [run for run in numbers if _next_mnemonic(program, run)]
    moving = _moving_code(program, loops)
    numbers = [run for run in numbers if run.stop - 1 not in moving or _is_whole(program, run)]
    first = [program.addresses[run.start] for run in numbers]
    runs = [range(at, at + len(run)) for at, run in zip(first, numbers)]
    limits = [*_limits_of_setup(program, runs, loops), *limits_of_paths(program, runs)]
    for run, spare in zip(numbers, _spare(runs, limits)):
        if spare:
            yield _finding(program, range(run.stop - spare, run.stop))


def _runs(program: Program) -> Iterator[range]:
    """Yield the numbers of adjacent no-ops that are not in delay slots and have no labels."""
    slots: set[int] = set()
    for number in program.where(_has_slots):
        address, count = program.addresses[number], delay_slots_of(program.bundles[number])
        slots.update(range(address + 1, address + 1 + count))
    labelled = {*program.label_addresses.values()}
    first = last = -1
    for number in program.where(_is_no_op):
        address = program.addresses[number]
        if address in slots or address in labelled or program.macros.region_of(number) is not None:
            continue
        if number != last + 1 and first >= 0:
            yield range(first, last + 1)
        if number != last + 1 or first < 0:
            first = number
        last = number
    if first >= 0:
        yield range(first, last + 1)


def _has_slots(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and delay_slots_of(bundle) > 0


@cached_on_bundle
def _is_no_op(_isa: Isa, bundle: Bundle) -> bool:
    if bundle.size != 1 or bundle.label is not None or bundle.directive or bundle.findings:
        return False
    specs = [each.spec for each in bundle.instructions]
    return bool(specs) and all(spec is not None and spec.nop for spec in specs)


def _spare_nearby(program: Program, number: int) -> LocalResult[int]:
    """Return how many no-ops the straight-line code around a run can do without, at most."""
    isa, bundles = program.isa, program.bundles
    end = number
    while end < len(bundles) and _is_no_op(isa, bundles[end]):
        end += 1
    before, back = _neighbours(program, range(number - 1, -1, -1))
    after, ahead = _neighbours(program, range(end, len(bundles)))
    spare = end - number
    for distance, first in before:
        for further, second in after:
            spare = min(spare, slack_of(first, second, distance + end - number + further))
    return LocalResult(back, end - number + ahead, spare)


def _neighbours(program: Program, numbers: range) -> tuple[list[tuple[int, Operations]], int]:
    """Return the next bundles with operations that control passes, and how many were examined."""
    found: list[tuple[int, Operations]] = []
    distance = 0
    for count, number in enumerate(numbers):
        bundle = program.bundles[number]
        if bundle.directive or bundle.is_broken or distance == LATEST:
            return found, count + 1
        if bundle.transfers_control and numbers.step < 0:
            return found, count + 1
        if bundle.size:
            found.append((distance + (numbers.step < 0), operations_of(program.isa, bundle)))
            distance += 1
        if bundle.transfers_control:
            return found, count + 1
    return found, len(numbers) + 1


def _moving_code(program: Program, loops: Sequence[range]) -> set[int]:
    """Return the bundles whose deletion would move aligned code, and those in hardware loops.

    Before an alignment which control runs through, before a loop without one, and before code of a
    compiler, which pads bundles instead.
    """
    starts = {loop.start for loop in loops}
    found = {n for loop in loops for n in program.bundle_at_address[loop.start : loop.stop]}
    is_fixed, since = False, 0
    for number in range(len(program.bundles) - 1, -1, -1):
        bundle = program.bundles[number]
        if is_fixed:
            found.add(number)
        since += bundle.size
        if bundle.directive in ALIGNING:
            is_fixed, since = True, 0
        elif (
            bundle.directive in _READING
            or is_padded(program.isa, bundle)
            or (bundle.size and program.addresses[number] in starts)
        ):
            is_fixed = True
        elif not falls_through(bundle.flow) and since == 1 + delay_slots_of(bundle):
            is_fixed = False  # control leaves before the alignment
    return found


def _is_whole(program: Program, run: range) -> bool:
    return all(size_of(program.isa, program.bundles[number]) == _WHOLE for number in run)


def _loops(program: Program) -> list[range]:
    """Return the addresses of the hardware loops."""
    starts, ends = (sorted({*loop_bounds(program, which)}) for which in (0, 1))
    found = ((max((s for s in starts if s <= end), default=end), end) for end in ends)
    return [range(start, end + 1) for start, end in found]


def _spare(runs: Sequence[range], limits: Sequence[Limit]) -> list[int]:
    """Return how many no-ops each run can do without, if all runs do."""
    spare = [len(run) for run in runs]
    by_run: dict[int, list[Limit]] = {}
    for limit in limits:
        for number in {*limit.passed}:
            by_run.setdefault(number, []).append(limit)
    for number, found in sorted(by_run.items()):
        for passed, slack in found:
            slack -= sum(spare[other] for other in passed if other < number)
            spare[number] = max(0, min(spare[number], slack // passed.count(number)))
    return spare


def _limits_of_setup(
    program: Program, runs: Sequence[range], loops: Sequence[range]
) -> Iterator[Limit]:
    """Yield what keeps the distance between the registers of hardware loops and their ends."""
    counter = program.isa.counting.hardware_loop
    least = 0 if counter is None else counter.distance
    for number in program.where(sets_up):
        first = program.addresses[number]
        last = min((loop[-1] for loop in loops if loop[-1] >= first), default=first)
        passed = tuple(n for n, run in enumerate(runs) if first < run.start < last)
        if passed:
            between = [program.bundles[n] for n in program.bundle_at_address[first + 1 : last]]
            slack = min(last - first - least, _spare_bytes(program.isa, between) // _WHOLE)
            has_branch = any(bundle.transfers_control for bundle in between)
            yield Limit(passed, 0 if has_branch else max(slack, 0))


def _spare_bytes(isa: Isa, bundles: Sequence[Bundle]) -> int:
    return sum(size_of(isa, bundle) or 0 for bundle in bundles) - _SETUP_BYTES


def _finding(program: Program, numbers: range) -> Diagnostic:
    what = f"`{_next_mnemonic(program, numbers)}`"
    if len(numbers) == 1:
        message = f"no latency needs this no-op: {what} can stand here"
    else:
        message = (
            f"no latency needs these {len(numbers)} no-ops: {what} can stand in the first of them"
        )
    first, last = (_span(program, numbers[place]) for place in (0, -1))
    return Diagnostic(RULE_ID, message, Span(first.start, last.end), fix=_fix(program, numbers))


def _next_mnemonic(program: Program, run: range) -> str:
    """Return the first operation of the bundle after no-ops; "" if it has none."""
    following = next((b for b in program.bundles[run.stop :] if b.size), None)
    active = [i for i in following.instructions if not i.is_idle] if following else []
    return active[0].mnemonic if active else ""


def _span(program: Program, number: int) -> Span:
    bundle = program.bundles[number]
    spans = [bundle.syntax.instruction_span(n) for n in range(len(bundle.instructions))]
    return program.span(number, Span(spans[0].start, spans[-1].end))


def _fix(program: Program, numbers: range) -> Fix | None:
    """Return the deletion of the lines of no-ops, unless they hold anything else."""
    text, edits = program.text, list[TextEdit]()
    for number in numbers:
        span = _span(program, number)
        start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
        if not end or text[start : span.start].strip() or text[span.end : end].strip():
            return None
        edits.append(TextEdit(Span(start, end), ""))
    return Fix("delete what nothing needs", tuple(edits), Applicability.UNSAFE)


_LOAD, _ADD = "    lda r0, [p0, #0]\n", "    add r0, r0, #1\n"
_RETURN = "    ret lr\n" + "    nop\n" * 5
_NOP, _WIDE = "    nop\n", "    nopa; nopb; nops; nopxm; nopv\n"
_SPARE = "    ⟦nop⟧\n"
_MAC = "    vmac.f bml0, bml0, x0, x2, r1\n"
_SETUP = "    movxm ls, #head\n    movxm le, #last\n    movxm lc, #4\n"
_BODY = "    .p2align 4\nhead:\n    nopa\nlast:\n    nopb\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _LOAD + _NOP * 6 + _ADD + _RETURN,
        # The result lands in the first bundle of the caller.
        "    vlda.ups.s32.s16 bml1, s0, [p2, #0]\n" + _NOP * 2 + _RETURN,
        # The loop comes back to the load, which reads what it steps.
        "again:\n    lda r1, [p0], #4\n"
        + _NOP * 2
        + "    jnz r0, #again\n"
        + _NOP * 3
        + "    add r0, r0, #-1\n    add r2, r1, #1\n"
        + _RETURN,
        # The alignment would put others there.
        _LOAD + _NOP * 9 + _ADD + _SETUP + _WIDE * 7 + _BODY + _RETURN,
        _SETUP + _WIDE * 7 + _BODY + _RETURN,
        "    mov crsat, r0\n" + _NOP * 3 + "    vsrs.s16.s32 wl0, bml0, s0\n" + _NOP * 4 + _RETURN,
        _LOAD + _NOP * 8 + "    acq r1, r2\n" + _RETURN,
        # One branch needs it.
        "    jz r7, #over\n" + _NOP * 4 + _LOAD + _NOP * 6 + "over:\n" + _ADD + _RETURN,
        # The operation after it can be earlier, but then two results land in one cycle.
        _LOAD + _NOP * 6 + "    mov r1, r2\n" + _RETURN,
    ),
    invalid=(
        _LOAD + _NOP * 6 + _SPARE + _ADD + _RETURN,
        _LOAD + _NOP * 6 + "    ⟦nop\n    nop⟧\n" + _ADD + _RETURN,
        _LOAD
        + _WIDE * 6
        + "    ⟦nopa; nopb; nops; nopxm; nopv⟧\n"
        + _ADD
        + _SETUP
        + _WIDE * 7
        + _BODY
        + _RETURN,
        "again:\n" + _MAC + "    ⟦nop\n    nop⟧\n    jnz r0, #again\n" + _NOP * 5 + _RETURN,
    ),
    check_program=check,
    isa="xdna1",
    fixes=(Applicability.UNSAFE,),
)
