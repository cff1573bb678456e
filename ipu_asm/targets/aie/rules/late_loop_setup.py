"""A hardware loop that is set up too close to its last bundle.

## What it does
Reports a write of `ls`, `le` or `lc` fewer than seven bundles before the last bundle of the loop.

## Why
The core fetches code far ahead. When it fetches the loop's last bundle, it decides from `le` and
`lc` whether to go back, and where to from `ls`. What is written later counts for the next round at
best, so that the loop runs too often, too seldom, or from an old address. Between these writes and
the last bundle belong 112 bytes, as compilers keep them: seven bundles at least, more if they are
short.

## Example
```
    movxm ls, #body
    movxm le, #last
    movxm lc, #8
    nopa; nopb; nops; nopxm; nopv  # 3 times
    .p2align 4
body:
    nopa
last:
    nopa
    ret lr
    nop  # 5 times
```

## Use instead
```
    movxm ls, #body
    movxm le, #last
    movxm lc, #8
    nopa; nopb; nops; nopxm; nopv  # 7 times
    .p2align 4
body:
    nopa
last:
    nopa
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_span, accesses_of
from ipu_asm.flow.control_flow import label_put_into
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import counted

RULE_ID = RuleId("X108", "late-loop-setup", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each register of a hardware loop that is written too late."""
    counter = program.isa.counting.hardware_loop
    ends = sorted({*loop_bounds(program, 1)})
    if counter is None or not ends:
        return
    for number in program.where(sets_up):
        address = program.addresses[number]
        last = next((end for end in ends if end >= address), None)
        if last is None or last - address >= counter.distance:
            continue
        between = program.bundles[number : program.bundle_at_address[last]]
        if any(bundle.transfers_control or bundle.has_uncertain_effect for bundle in between):
            continue
        for access in accesses_of(program.isa, program.bundles[number]):
            if access.writes and access.register in _registers(program.isa):
                yield _finding(program, number, access, last)


def _registers(isa: Isa) -> tuple[str, ...]:
    counter = isa.counting.hardware_loop
    return (*(isa.loop_registers or ()), *((counter.register,) if counter else ()))


def sets_up(isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle writes `ls`, `le` or `lc`, which set up a hardware loop."""
    names = _registers(isa)
    return any(
        access.writes and access.register in names
        for access in (accesses_of(isa, bundle) if bundle.size and names else ())
    )


def loop_bounds(program: Program, which: int) -> Iterator[int]:
    """Yield the address of the first (`which` = 0) or last (1) bundle of each hardware loop."""
    register = program.isa.loop_registers[which] if program.isa.loop_registers else ""
    for reference in program.references:
        instruction = program.bundles[reference.bundle].instructions[reference.use.instruction]
        is_bound = label_put_into(instruction, register) == reference.text
        if is_bound and reference.target is not None and 0 <= reference.target < program.size:
            yield reference.target


def _finding(program: Program, number: int, access: RegisterAccess, last: int) -> Diagnostic:
    counter = program.isa.counting.hardware_loop
    least = counter.distance if counter else 0
    found = last - program.addresses[number]
    end = program.bundle_at_address[last]
    message = (
        f"`{access.register}` is written at least {least} bundles before a hardware loop ends, "
        f"found {counted(found, 'bundle')}: {counted(least - found, 'more bundle')} needed"
    )
    related = RelatedInformation(
        program.span(end, program.bundles[end].span(0)), "the loop ends with this bundle"
    )
    span = program.span(number, access_span(program.bundles[number], access))
    return Diagnostic(RULE_ID, message, span, (related,))


_LOOP = "    .p2align 4\nhead:\n    nopa\nlast:\n    nopb\n    ret lr\n" + "    nop\n" * 5
_NOP = "    nopa; nopb; nops; nopxm; nopv\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    movxm ls, #head\n    movxm le, #last\n    movxm lc, #4\n" + _NOP * 7 + _LOOP,
        # A long loop may get its count right before it.
        "    movxm ls, #head\n    movxm le, #last\n"
        + _NOP * 6
        + "    add.nc lc, r5, #-1\nhead:\n"
        + _NOP * 6
        + "last:\n    nopb\n    ret lr\n"
        + "    nop\n" * 5,
        # The count of a later loop.
        "head:\n    nopa\nlast:\n    nopb\n    movxm lc, #4\n    ret lr\n" + "    nop\n" * 5,
    ),
    invalid=(
        "    movxm ls, #head\n    movxm le, #last\n"
        + _NOP * 4
        + "    mov ⟦lc⟧, r0\n"
        + _NOP * 2
        + _LOOP,
        "    movxm lc, #4\n" + _NOP * 5 + "    movxm ⟦ls⟧, #head\n    movxm ⟦le⟧, #last\n" + _LOOP,
    ),
    check_program=check,
    isa="xdna1",
)
