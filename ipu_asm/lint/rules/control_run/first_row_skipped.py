"""A pointer that is stepped before its first use, so that row 0 is skipped.

## What it does
Reports a load or store whose offset register is 0 before the bundle and is stepped in the same
bundle, if nothing that goes through the same base register ever touches offset 0. The access sees
the stepped value: it begins one row too late.

## Why
Loop registers are written before memory is accessed. The first row is skipped, and the last access
is one row behind the data. Start the pointer one step earlier, or step it in another bundle.

## Example
```
    set lr2 512;;
row:
    ldr_mult_reg r0 lr1 cr0;
    incr lr1 128;;
    bne lr1 lr2 row;;
    bkpt;;
```

## Use instead
```
    set lr1 -128; set lr2 384;;
row:
    ldr_mult_reg r0 lr1 cr0;
    incr lr1 128;;
    bne lr1 lr2 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.memory_groups import MemoryGroup, Place, lowest, memory_groups_of
from ipu_asm.lint.rule import Rule
from ipu_asm.lint.run_findings import (
    in_each_configuration,
    instruction_span,
    joined_with_and,
    mnemonic_at,
    write_place,
)
from ipu_asm.program.program import Program

RULE_ID = RuleId("W304", "first-row-skipped", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access whose pointer skips offset 0."""
    return in_each_configuration(program, _accesses)


def _accesses(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    name = f"first_row_skipped {sorted(facts.presets.items())}"
    groups = memory_groups_of(program, facts)
    for found in program.cache.whole(name, facts, lambda: list(_skipping(facts, groups))):
        yield _finding(program, facts, *found)


def _skipping(
    facts: ControlFacts, groups: Sequence[MemoryGroup]
) -> Iterator[tuple[MemoryGroup, tuple[Place, int, int]]]:
    """Yield the accesses that skip offset 0, each with its register and the step."""
    for group in groups:
        firsts = [lowest(offsets) for offsets in group.offsets.values()]
        if group.bases and all(first is not None and first > 0 for first in firsts):
            for place in group.accesses:
                step = _step_from_zero(facts, group, place)
                if step is not None:
                    yield group, (place, *step)


def _step_from_zero(
    facts: ControlFacts, group: MemoryGroup, place: Place
) -> tuple[int, int] | None:
    """Return the offset register and its step, if the first access steps it from 0."""
    (constant, terms), first = group.accesses[place].offset, group.offsets[place][0].start
    if constant or len(terms) != 1 or terms[0][1] != 1:
        return None
    register = terms[0][0]
    for update in facts.run.steps[place[0]].updates:
        step, added = update.sum
        if update.register == register and added == ((register, 1),) and step == first:
            return register, step
    return None


def _finding(
    program: Program,
    facts: ControlFacts,
    group: MemoryGroup,
    found: tuple[Place, int, int],
) -> Diagnostic:
    (address, number), register, step = found
    access, names = group.accesses[address, number], facts.run.names.names
    mnemonic = mnemonic_at(program, address, access.instruction)
    base = joined_with_and([f"`{names[each]}`" for each in group.bases])
    message = (
        f"`{mnemonic}` sees `{names[register]}` after its step: it begins at offset {step} from "
        f"{base}, and nothing accesses offset 0"
    )
    related = tuple(write_place(program, address, names[register], "it is stepped from 0 here"))
    span = instruction_span(program, address, access.instruction)
    return Diagnostic(RULE_ID, message, span, related)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 -128; set lr2 256;;\n"
        "row: ldr_mult_reg r0 lr1 cr0; incr lr1 128; bne lr1 lr2 row;; bkpt;;",
        # Another instruction accesses row 0.
        "set lr2 256; ldr_mult_reg r0 lr1 cr0;;\n"
        "row: ldr_mult_reg r1 lr1 cr0; incr lr1 128; bne lr1 lr2 row;; bkpt;;",
        # The pointer does not start at 0, or is not stepped here.
        "set lr1 128;;\nstr_acc_reg lr1 cr1; incr lr1 128;; bkpt;;",
        "incr lr1 128;;\nldr_mult_reg r0 lr1 cr0; bkpt;;",
    ),
    invalid=(
        "set lr2 256;;\nrow: ⟦ldr_mult_reg⟧ r0 lr1 cr0; incr lr1 128; bne lr1 lr2 row;; bkpt;;",
        "set lr2 4;;\nrow: incr lr1 512; ⟦str_acc_reg⟧ lr1 cr1;;\n"
        "incr lr3 1; bne lr3 lr2 row;; bkpt;;",
    ),
    check_program=check,
)
