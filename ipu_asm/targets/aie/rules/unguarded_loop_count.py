"""A hardware loop whose count may be zero or negative.

## What it does
Reports a write of `lc` with the difference of a register and a number where no branch before it in
the function could have left the loop out; and a count that is a constant below 1. The first is a
hint: the caller may know better. Functions in which no-ops stand beside operations, as compilers
write them, are left alone.

## Why
A hardware loop tests its count after its last bundle, after the count has been decremented: it is
executed once at least, and with a count of 0 or less it goes on for billions of iterations. Such a
count comes up where some iterations were moved before and after a pipelined loop, `lc` is made by
subtracting their number, and a short input has fewer.

## Example
```
    movxm ls, #head
    movxm le, #last
    add.nc lc, r0, #-3
    nopa; nopb  # 7 times
head:
    nopa
last:
    nopb
    ret lr
    nop  # 5 times
```

## Use instead
```
    movxm ls, #head
    movxm le, #last
    mova r2, #4
    lt r1, r0, r2
    jnz r1, #short
    nop  # 5 times
    add.nc lc, r0, #-3
    nopa  # 7 times
head:
    nopa
last:
    nopb
short:
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.control_flow import functions_of
from ipu_asm.flow.counted_loops.effects import Assignment, effect_of
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.aie.rules.unaligned_loop import is_padded

RULE_ID = RuleId("X111", "unguarded-loop-count", Severity.HINT)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each count of a loop that nothing keeps above 0."""
    counted = program.where(_counts_down)
    if not counted:
        return
    padded = program.where(is_padded)
    for function in functions_of(program):
        before = [number for number in counted if number in function]
        first = bisect_left(padded, function.start)
        if not before or (first < len(padded) and padded[first] in function):
            continue
        for number in before:
            assignment = _count_of(program.isa, program.bundles[number])
            bundles = program.bundles[function.start : number]
            if assignment is not None and not any(each.flow == "branch" for each in bundles):
                yield _finding(program, number, assignment)


def _count_of(isa: Isa, bundle: Bundle) -> Assignment | None:
    """What a bundle puts into the counter of hardware loops."""
    counter = isa.counting.hardware_loop
    if counter is None or not bundle.size:
        return None
    accesses = accesses_of(isa, bundle)
    if not any(each.writes and each.register == counter.register for each in accesses):
        return None
    found = (each for each in effect_of(isa, bundle).assignments)
    return next((each for each in found if each.register == counter.register), None)


def _counts_down(isa: Isa, bundle: Bundle) -> bool:
    count = _count_of(isa, bundle)
    return count is not None and count.label is None and count.constant < bool(not count.terms)


def _finding(program: Program, number: int, count: Assignment) -> Diagnostic:
    bundle = program.bundles[number]
    counter = count.register
    place = next(
        n for n, each in enumerate(bundle.instructions) if counter in map(str.lower, each.words)
    )
    if count.terms:
        register = count.terms[0][0]
        found = f"`{register}` {count.constant} without a branch for a smaller `{register}`"
    else:
        found = f"{count.constant}"
    message = f"a hardware loop is executed once at least: `{counter}` is at least 1, found {found}"
    return Diagnostic(RULE_ID, message, program.span(number, bundle.span(place)))


_SETUP = "    movxm ls, #head\n    movxm le, #last\n"
_LOOP = "    nop\n" * 7 + "head:\n    nopa\nlast:\n    nopb\nshort:\n    ret lr\n" + "    nop\n" * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _SETUP + "    mov lc, r0\n" + _LOOP,
        _SETUP + "    movxm lc, #3\n" + _LOOP,
        _SETUP + "    add.nc lc, r0, #1\n" + _LOOP,
        _SETUP + "    jz r0, #short\n" + "    nop\n" * 5 + "    add.nc lc, r0, #-1\n" + _LOOP,
        # As a compiler writes it.
        _SETUP + "    nopb; add.nc lc, r0, #-3\n" + _LOOP,
    ),
    invalid=(
        _SETUP + "    ⟦add.nc⟧ lc, r0, #-3\n" + _LOOP,
        _SETUP + "    ⟦movxm⟧ lc, #0\n" + _LOOP,
    ),
    check_program=check,
    isa="xdna1",
)
