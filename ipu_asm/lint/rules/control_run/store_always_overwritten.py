"""A store that is overwritten before anything reads what it has stored.

## What it does
Reports a store of which more than half of the executions are lost: all their bytes are stored again
before a load reads one of them. The host reads memory when the kernel halts. Different base
registers are taken for different parts of the memory, unless their values are known.

## Why
The results are lost. The usual causes are a pointer that is not stepped, one that is set again in
the body of a loop, and a store inside of a loop that should be after it.

## Example
```
    set lr2 4;;
row:
    mult.ve.cr lr3 lr0 lr0 cr4;
    acc.first;;
    str_acc_reg lr0 cr1;
    incr lr1 1; set lr3 512;;
    bne lr1 lr2 row;;
    bkpt;;
```

## Use instead
```
    set lr2 4; set lr3 512;;
row:
    mult.ve.cr lr3 lr0 lr0 cr4;
    acc.first;;
    str_acc_reg lr4 cr1;
    incr lr1 1;;
    incr lr4 512; bne lr1 lr2 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.lost_stores import LostStore, lost_stores
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import (
    in_each_configuration,
    instruction_span,
    joined_with_and,
    loop_place,
    mnemonic_at,
)
from ipu_asm.program.program import Program

RULE_ID = RuleId("W305", "store-always-overwritten", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each store that is mostly overwritten unread."""
    return in_each_configuration(program, _stores)


def _stores(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    for store in lost_stores(program, facts):
        yield _finding(program, facts, store)


def _finding(program: Program, facts: ControlFacts, store: LostStore) -> Diagnostic:
    address, number = store.place
    access = store.group.accesses[address, number]
    mnemonic = mnemonic_at(program, address, access.instruction)
    base = joined_with_and([f"`{facts.run.names.names[each]}`" for each in store.group.bases])
    message = (
        f"what a store writes must be read before it is overwritten: {store.lost:,} of "
        f"{store.total:,} executions of this `{mnemonic}` through {base} are overwritten unread"
    )
    span = instruction_span(program, address, access.instruction)
    return Diagnostic(RULE_ID, message, span, tuple(_loop(program, facts, address)))


def _loop(program: Program, facts: ControlFacts, address: int) -> Iterator[RelatedInformation]:
    loop = facts.loop_around(address)
    if loop is not None:
        yield loop_place(program, loop.head)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr2 4;;\nrow: str_acc_reg lr1 cr1;; incr lr3 1; incr lr1 512;\n"
        "bne lr3 lr2 row;; bkpt;;",
        # Each store leaves its first word.
        "set lr2 4;;\nrow: str_acc_reg lr1 cr1;; incr lr3 1; incr lr1 4;\nbne lr3 lr2 row;; bkpt;;",
        # A load reads it.
        "set lr2 4;;\nrow: str_acc_reg lr1 cr1;; ldr_mult_reg r0 lr1 cr1; incr lr3 1;\n"
        "bne lr3 lr2 row;; bkpt;;",
        # Half of two.
        "str_acc_reg lr1 cr1;; str_acc_reg lr1 cr2;; bkpt;;",
    ),
    invalid=(
        "set lr2 4;;\nrow: ⟦str_acc_reg⟧ lr1 cr1; incr lr3 1; bne lr3 lr2 row;; bkpt;;",
        "⟦str_acc_reg⟧ lr1 cr1;; acc;; str_acc_reg lr1 cr1; bkpt;;",
        "set lr2 4; set lr5 2048;;\nouter: set lr1 0;;\nrow: ⟦xmem.store_aaq_result⟧ lr1 cr1;\n"
        "incr lr1 128;; bne lr1 lr5 row;; incr lr3 1; bne lr3 lr2 outer;; bkpt;;",
    ),
    check_program=check,
)
