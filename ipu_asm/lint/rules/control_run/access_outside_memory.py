"""An access that leaves memory, or that the machine refuses as misaligned.

## What it does
Reports a load or store that faults in some iteration: a byte of it is outside of memory, or the
index of a load into `r_cyclic` is no multiple of 128. Addresses are those of the control run, which
needs no data. As long as the value of a base register is unknown, an access is only reported if it
leaves memory for all values of it.

## Why
The machine stops at such an access. An offset counts as an unsigned number, so a negative one is
always outside, whatever the base register holds. The usual cause is a loop with too many
iterations, a pointer that is stepped where it should be set again, or a step of the wrong size.

## Example
```
    set lr1 0; set lr3 100;;
row:
    ldr_mult_reg r0 lr1 cr0;
    incr lr2 1;;
    incr lr1 32767;
    bne lr2 lr3 row;;
    bkpt;;
```

## Use instead
```
    set lr1 0; set lr3 100;;
row:
    ldr_mult_reg r0 lr1 cr0;
    incr lr2 1;;
    incr lr1 128;
    bne lr2 lr3 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.control_run.endless import endless_condition
from ipu_asm.flow.control_run.facts import ControlFacts, faults_after
from ipu_asm.flow.control_run.run import Fault, fault_message, fault_of, iterations_at_end
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import (
    in_each_configuration,
    instruction_span,
    iterations_text,
    loop_place,
    write_place,
)
from ipu_asm.program.program import Program

RULE_ID = RuleId("W303", "access-outside-memory", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for the first access that faults; after its run, for those that do on all ways."""
    return in_each_configuration(program, _faults)


def _faults(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    fault = fault_of(program, facts.run)
    # A loop that does not end leaves memory sooner or later: that is said instead.
    if isinstance(fault, Fault) and endless_condition(facts.run) is None:
        loops = iterations_at_end(facts.run, facts.run.loops)
        places = [loop_place(program, head) for head, _ in loops[-1:]]
        yield _finding(program, facts, fault, iterations_text(program, facts.run), places)
    for each in faults_after(program, facts):
        if isinstance(each, Fault):
            yield _finding(program, facts, each, "", [])


def _finding(
    program: Program,
    facts: ControlFacts,
    fault: Fault,
    iterations: str,
    loops: list[RelatedInformation],
) -> Diagnostic:
    message = fault_message(program, facts.run, fault) + iterations
    related = [*loops, *_updates(program, facts, fault)]
    span = instruction_span(program, fault.address, fault.access.instruction)
    return Diagnostic(RULE_ID, message, span, tuple(related))


def _updates(program: Program, facts: ControlFacts, fault: Fault) -> Iterator[RelatedInformation]:
    """Yield the places in the same bundle that step the offset register."""
    for register, _ in fault.access.offset[1]:
        name = facts.run.names.names[register]
        yield from write_place(program, fault.address, name, f"`{name}` is changed here")


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 0;;\nldr_mult_reg r0 lr1 cr0; bkpt;;",
        # The base register is unknown: 65535 is -1 only as a 16-bit number.
        "set lr1 32767;;\nldr_mult_reg r0 lr1 cr0; bkpt;;",
        "set lr1 384;;\nldr_cyclic_mult_reg lr0 cr0 lr1; bkpt;;",
        # Nothing is known after a branch that depends on a register of the host.
        "add lr1 lr0 cr1;;\nbeq lr1 lr0 +2;; set lr2 -128;; ldr_mult_reg r0 lr2 cr0; bkpt;;",
        # Before the first use, the pointer is stepped to 0.
        "set lr1 -128;;\nincr lr1 128; ldr_mult_reg r0 lr1 cr0; bkpt;;",
    ),
    invalid=(
        # Wherever a branch on a register of the host leads.
        "add lr1 lr0 cr1;;\nbeq lr1 lr0 +2;; incr lr3 1;; set lr2 -128;;\n"
        "⟦ldr_mult_reg⟧ r0 lr2 cr0; bkpt;;",
        "set lr1 -128;;\n⟦ldr_mult_reg⟧ r0 lr1 cr0; bkpt;;",
        "set lr1 64;;\n⟦ldr_cyclic_mult_reg⟧ lr0 cr0 lr1; bkpt;;",
        "set lr2 32767;;\nadd lr2 lr2 lr2;;\nloop: incr lr1 512; ⟦str_acc_reg⟧ lr1 cr1;\n"
        "incr lr3 1; bne lr3 lr2 loop;;\nbkpt;;",
        "set lr2 2;;\nouter: set lr1 256; incr lr3 1;;\n"
        "inner: ⟦ldr_mult_mask_reg⟧ lr1 cr0; incr lr1 -128;\n bne lr1 lr5 inner;;\n"
        "bne lr3 lr2 outer;; bkpt;;",
    ),
    check_program=check,
)
