"""A loop that never ends.

## What it does
Reports a loop that is entered and then never left, unless by a fault: the registers that its branch
compares do not change, or never have the values that would end it. Also reports a loop that only
ends because its counter overflows. A loop without a condition is not reported, and neither is one
whose branch compares a register with itself.

## Why
The kernel does not halt. The usual causes are a counter that the body does not step, a step that
does not divide the distance to the bound, and a bound that is set again in the body.

## Example
```
    set lr0 0; set lr1 100;;
row:
    incr lr0 128;;
    bne lr0 lr1 row;;
    bkpt;;
```

## Use instead
```
    set lr0 0; set lr1 100;;
row:
    incr lr0 128;;
    blt lr0 lr1 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.endless import (
    LoopCondition,
    empty_entry,
    endless_condition,
    loop_conditions,
)
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import ENDLESS, FAULT
from ipu_asm.flow.control_run.trace import LoopRun, Progression, loop_runs
from ipu_asm.flow.control_run.values import HIGHEST, LOWEST
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration, instruction_span, loop_name, loop_place
from ipu_asm.program.program import Program

RULE_ID = RuleId("W310", "endless-loop", Severity.WARNING)
_HALF = 1 << 30
"""A counter that has been above this number and then below its negative has overflowed."""


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each loop that does not end, or not before an overflow."""
    return in_each_configuration(program, _loops)


def _loops(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    condition = endless_condition(facts.run)
    if condition is not None:
        yield _finding(program, facts, condition)
    for run in loop_runs(facts.run.nodes):
        condition = _overflowing(facts, run)
        # Where the range is empty, that is said by another rule.
        if condition is not None and empty_entry(facts.run, run) is None:
            yield _finding(program, facts, condition)


def _overflowing(facts: ControlFacts, run: LoopRun) -> LoopCondition | None:
    """Return the condition of a loop whose counter overflows before it ends."""
    highest: dict[tuple[int, int], int] = {}
    for segment in run.segments:
        for condition in loop_conditions(facts.run, run.head, segment.nodes):
            for side, progression in enumerate((condition.left, condition.right)):
                ends = _ends(progression)
                if ends is None:
                    continue
                key = condition.address, side
                is_around = ends[0] < -_HALF and highest.get(key, 0) > _HALF
                if is_around or ends[0] < LOWEST or ends[1] > HIGHEST:
                    return condition
                highest[key] = max(highest.get(key, ends[1]), ends[1])
    return None


def _ends(progression: Progression) -> tuple[int, int] | None:
    """Return the lowest and the highest value of the innermost dimension."""
    start = progression.start
    stride, count = progression.dimensions[0] if progression.dimensions else (0, 1)
    if not (isinstance(start, int) and isinstance(stride, int) and isinstance(count, int)):
        return None
    last = start + stride * (count - 1)
    return min(start, last), max(start, last)


def _finding(program: Program, facts: ControlFacts, condition: LoopCondition) -> Diagnostic:
    names = facts.run.names.names
    left, right = names[condition.branch.left], names[condition.branch.right]
    name = loop_name(program, condition.head)
    changes = _changes(condition.left), _changes(condition.right)
    if not any(changes):
        found = f"nothing in {name} changes `{left}` or `{right}`"
    elif facts.run.end.reason in (ENDLESS, FAULT) and condition.branch.relation in ("==", "!="):
        found = f"{_values(left, condition.left)} never equals {_values(right, condition.right)}"
        found += f" in {name}"
    else:
        counter = left if changes[0] else right
        found = f"`{counter}` overflows before {name} ends"
    bundle = program.bundles[program.bundle_at_address[condition.address]]
    instruction = next(n for n, i in enumerate(bundle.instructions) if i.spec and i.spec.flow)
    span = instruction_span(program, condition.address, instruction)
    message = f"a loop must end: {found}"
    return Diagnostic(RULE_ID, message, span, (loop_place(program, condition.head),))


def _changes(progression: Progression) -> bool:
    return any(stride != 0 for stride, _ in progression.dimensions)


def _values(name: str, progression: Progression) -> str:
    """Return a register with its value, or with its first values and an ellipsis."""
    start, stride = progression.start, progression.dimensions[0][0]
    if not isinstance(start, int) or not isinstance(stride, int):
        return f"`{name}`"
    if stride == 0:
        return f"`{name}` ({start})"
    return f"`{name}` ({start}, {start + stride}, {start + 2 * stride}, ...)"


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 3;;\nagain: incr lr0 1; bne lr0 lr1 again;;\nbkpt;;",
        # Without a condition, or with one that compares a register with itself, it is meant so.
        "stop: b stop;;",
        "again: acc; beq lr0 lr0 again;;",
        # The register of the host may be 0.
        "add lr1 lr0 cr1;;\nagain: acc;; bne lr0 lr1 again;; bkpt;;",
        "set lr1 32767; set lr2 -3;;\nagain: incr lr2 3; blt lr2 lr1 again;; bkpt;;",
    ),
    invalid=(
        "set lr1 3;;\nagain: incr lr2 1; ⟦bne⟧ lr0 lr1 again;;\nbkpt;;",
        "set lr1 3;;\nagain: incr lr0 2;; ⟦bnz⟧ lr0 lr1 again;;\nbkpt;;",
        "set lr0 1; set lr1 64;;\nagain: incr lr0 64;; acc; ⟦bne⟧ lr0 lr1 again;; bkpt;;",
        "set lr1 5;;\nouter: incr lr2 1; set lr0 0;;\nagain: incr lr0 1;;\n set lr0 0;;"
        " ⟦blt⟧ lr0 lr1 again;; bne lr2 lr1 outer;; bkpt;;",
        "set lr1 -1;;\nagain: incr lr0 1; ⟦bne⟧ lr0 lr1 again;;\nbkpt;;",
    ),
    check_program=check,
)
