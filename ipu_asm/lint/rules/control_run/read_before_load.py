"""A register is read before anything has loaded it.

## What it does
Reports a read of `r0`, `r1`, `mem_bypass` or `r_cyclic` before a bundle that loads it has run. A
load in the same bundle counts where the instruction sees it. Where the order of bundles depends on
registers of the host, a read is reported if nothing loads the register on some path. A text without
a halt counts as a fragment of a program and is not checked.

`mult.ve.cr` and `mult.ve.aaq` read nothing if their offset is past the end of `r_cyclic`.

## Why
The register holds zeros at the start of a run, and whatever the last kernel left in it later. The
usual causes are the name of another register, a load behind its use, and a load that was removed.

## Example
```
    ldr_mult_reg r0 lr1 cr0;;
    ldr_cyclic_mult_reg lr1 cr1 lr0;;
    mult.ee r1 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```

## Use instead
```
    ldr_mult_reg r1 lr1 cr0;;
    ldr_cyclic_mult_reg lr1 cr1 lr0;;
    mult.ee r1 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.unloaded_reads import UnloadedRead, scratch_reads
from ipu_asm.lint.rule import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.lint.unloaded_findings import loads_of, place_of, unloaded_reads_of
from ipu_asm.program.program import Program

RULE_ID = RuleId("W301", "read-before-load", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each read of a register that nothing has loaded."""
    return in_each_configuration(program, _reads)


def _reads(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    for read in unloaded_reads_of(program, facts):
        if read.window is None:
            yield _finding(program, read)


def _finding(program: Program, read: UnloadedRead) -> Diagnostic:
    span, mnemonic = place_of(program, read)
    register, where = read.register, "before" if read.is_certain else "on every path to"
    related = tuple(loads_of(program, register))
    if not related:
        found = "nothing in the program loads it"
    elif register in scratch_reads(program)[read.address].writes:
        found = "it does not see the load of its own bundle"
    elif read.is_certain:
        found = "the first load comes later"
    else:
        found = "on some path nothing loads it"
    message = f"`{register}` must be loaded {where} `{mnemonic}`: {found}"
    return Diagnostic(RULE_ID, message, span, related)


_LOADS = "ldr_mult_reg r0 lr0 cr0;;\nldr_cyclic_mult_reg lr0 cr0 lr0;;\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f"{_LOADS}mult.ee r0 lr0 lr0 lr0; acc.first; bkpt;;",
        # The loads of the same bundle count.
        "ldr_cyclic_mult_reg lr0 cr0 lr0;;\n"
        "ldr_mult_reg r1 lr0 cr0; mult.ee r1 lr0 lr0 lr0; acc.first; bkpt;;",
        # All elements are the number one.
        "set lr1 512;;\nmult.ve.cr lr1 lr0 lr0 cr1; acc.first; bkpt;;",
        # The branch that leads past the load is never taken.
        "set lr1 1;;\nbeq lr0 lr1 use;; ldr_mult_reg r0 lr0 cr0;; use:\n"
        "ldr_cyclic_mult_reg lr0 cr0 lr0; mult.ee r0 lr0 lr0 lr0; acc.first; bkpt;;",
    ),
    invalid=(
        f"{_LOADS}mult.ee ⟦r1⟧ lr0 lr0 lr0; acc.first; bkpt;;",
        "ldr_mult_reg r0 lr0 cr0; ⟦mult.ee⟧ r0 lr0 lr0 lr0; acc.first; bkpt;;",
        "⟦mult.ve.cr⟧ lr0 lr0 lr0 cr1; acc.first; bkpt;;",
        "set lr1 2;;\nloop: ⟦mult.ve⟧ ⟦r0⟧ lr0 lr0 lr0 lr0; acc;;\n"
        "ldr_mult_reg r0 lr0 cr0; incr lr2 1;;\nldr_cyclic_mult_reg lr0 cr0 lr0;\n"
        "bne lr2 lr1 loop;; bkpt;;",
        # Where the branch leads is not known, but its own bundle runs.
        "add lr1 lr0 cr1; ldr_mult_reg r0 lr0 cr0;;\nbeq lr0 lr1 +2; ⟦mult.ee⟧ r0 lr0 lr0 lr0;;"
        "\nldr_cyclic_mult_reg lr0 cr0 lr0;;\nbkpt;;",
        "add lr1 lr0 cr1; ldr_cyclic_mult_reg lr0 cr0 lr0;;\nbeq lr0 lr1 use;;\n"
        "ldr_mult_reg mem_bypass lr0 cr0;; use:\n"
        "mult.ee ⟦mem_bypass⟧ lr0 lr0 lr0; acc.first; bkpt;;",
    ),
    check_program=check,
)
