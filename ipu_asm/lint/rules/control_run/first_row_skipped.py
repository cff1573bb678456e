"""A pointer that is stepped before its first use, so that row 0 is skipped.

## What it does
Reports a load or store whose offset register is 0 before the bundle and is stepped in the same
bundle, if nothing that goes through the same base register ever touches offset 0. The access sees
the stepped value: it begins one row too late.

## Why
Loop registers are written before memory is accessed. The first row is skipped, and the last access
is one row after the data. Start the pointer one step earlier, or step it in another bundle.

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

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.run import HALTED
from ipu_asm.flow.control_run.steps import Access, Step
from ipu_asm.flow.lost_stores import lowest
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import (
    in_each_configuration,
    instruction_span,
    joined_with_and,
    mnemonic_at,
    write_place,
)
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

RULE_ID = RuleId("W304", "first-row-skipped", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access whose pointer skips offset 0."""
    return in_each_configuration(program, _accesses)


def _accesses(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    name = f"first_row_skipped {sorted(facts.presets.items())}"
    for skipping in program.cache.whole(name, facts, lambda: list(_skipping(facts))):
        names = [facts.run.names.names[base] for base in skipping.access.bases]
        if any(name not in program.isa.constants for name in names):
            yield _finding(program, facts, skipping)


class _Skipping(NamedTuple):
    """An access whose offset register is stepped from 0 in its bundle."""

    address: int
    access: Access
    register: int
    step: int


def _skipping(facts: ControlFacts) -> Iterator[_Skipping]:
    """Yield the accesses that skip offset 0 of the memory at their base registers."""
    stepped = _stepped_from_zero(facts) if facts.run.end.reason == HALTED else []
    if stepped:
        skipped = _never_at_zero(facts, {_group(each.access) for each in stepped})
        yield from (each for each in stepped if _group(each.access) in skipped)


def _group(access: Access) -> tuple[str, tuple[int, ...]]:
    return access.memory, access.bases


def _stepped_from_zero(facts: ControlFacts) -> list[_Skipping]:
    """Return the accesses whose first execution steps its register from 0."""
    found: list[_Skipping] = []
    steps = facts.run.steps
    waiting = {n: stepped for n, step in enumerate(steps) if (stepped := [*_stepped(step)])}
    for node in facts.executions:
        address = node.address
        if address not in waiting:
            continue
        step = steps[address]
        for number, register, by in waiting.pop(address):
            access = step.accesses[number]
            if node.values[step.compared + number].start == by * access.unit:
                found.append(_Skipping(address, access, register, by))
    return found


def _stepped(step: Step) -> Iterator[tuple[int, int, int]]:
    """Yield the accesses at a register that their bundle steps: number, register and step."""
    for number, access in enumerate(step.accesses):
        constant, terms = access.offset
        if access.space.is_register or not access.bases or constant or len(terms) != 1:
            continue
        register, factor = terms[0]
        for update in step.updates:
            by, added = update.sum
            is_step = update.is_sum and update.register == register and added == ((register, 1),)
            if is_step and factor == access.unit:
                yield number, register, by


def _never_at_zero(
    facts: ControlFacts, groups: set[tuple[str, tuple[int, ...]]]
) -> set[tuple[str, tuple[int, ...]]]:
    """Return the base registers at whose offset 0 no known access is."""
    left, steps = set(groups), facts.run.steps
    for node in facts.executions:
        step = steps[node.address]
        for number, access in enumerate(step.accesses):
            if _group(access) in left:
                low = lowest(node.values[step.compared + number])
                if low is None or low <= 0:
                    left.discard(_group(access))
                    if not left:
                        return left
    return left


def _finding(program: Program, facts: ControlFacts, skipping: _Skipping) -> Diagnostic:
    address, access, register, step = skipping
    names = facts.run.names.names
    mnemonic = mnemonic_at(program, address, access.instruction)
    base = joined_with_and([f"`{names[each]}`" for each in access.bases])
    what = "row" if access.space.rows else "offset"
    message = (
        f"`{mnemonic}` sees `{names[register]}` after its step: it begins at {what} {step} from "
        f"{base}, and nothing accesses {what} 0"
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
