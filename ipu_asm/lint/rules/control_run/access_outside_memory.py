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
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.fault import Fault, fault_of, iterations_at_end
from ipu_asm.flow.control_run.values import unsigned
from ipu_asm.lint.rule import Rule
from ipu_asm.lint.run_findings import (
    in_each_configuration,
    instruction_span,
    joined_with_and,
    loop_name,
    loop_place,
    mnemonic_at,
    write_place,
)
from ipu_asm.program.program import Program

RULE_ID = RuleId("W303", "access-outside-memory", Severity.WARNING)
_NEGATIVE = "an offset must not be negative, because it counts as an unsigned number"


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for the first access that faults."""
    return in_each_configuration(program, _fault)


def _fault(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    fault = fault_of(facts.run)
    if fault is None or endless_condition(facts.run) is not None:
        return  # a loop that does not end leaves memory sooner or later: that is said instead
    loops = iterations_at_end(facts.run, facts.run.loops)
    where = [
        f"iteration {number:,} of {loop_name(program, head)}"
        for head, number in loops
        if number is not None
    ]
    place = f" in {', '.join(where[::-1])}" if where else ""
    message = _message(program, facts, fault) + place
    related = [loop_place(program, head) for head, _ in loops[-1:]]
    related += _updates(program, facts, fault)
    span = instruction_span(program, fault.address, fault.access.instruction)
    yield Diagnostic(RULE_ID, message, span, tuple(related))


def _message(program: Program, facts: ControlFacts, fault: Fault) -> str:
    access, space = fault.access, fault.access.space
    mnemonic = mnemonic_at(program, fault.address, access.instruction)
    if space.is_register and not space.wraps:
        last = access.highest if access.highest is not None else 0
        places = [str(place) for place in range(0, last + 1, space.step)]
        expected = f"{', '.join(places[:-1])} or {places[-1]}"
        return f"the index of `{mnemonic}` must be {expected}, found {unsigned(fault.offset)}"
    if fault.is_misaligned:
        return f"the index of `{mnemonic}` must be a multiple of {space.step}, found {fault.offset}"
    names = [f"`{facts.run.names.names[register]}`" for register in access.bases]
    if space.rows:
        return _row_message(fault, mnemonic, joined_with_and(names))
    verb = "reads" if access.kind == "read" else "writes"
    if isinstance(fault.base, int):
        first = fault.base + fault.offset % (1 << 32)
        found = f"0x{first:x}..0x{first + access.size - 1:x}"
    elif fault.offset < 0:
        found = f"offset {fault.offset} from {joined_with_and(names)}"
    else:
        last = fault.offset + access.size - 1
        found = f"offsets 0x{fault.offset:x}..0x{last:x} from {joined_with_and(names)}"
    limit = _NEGATIVE if fault.offset < 0 else f"{access.memory} ends at 0x{space.size:x}"
    return f"{limit}: `{mnemonic}` {verb} {access.size} bytes at {found}"


def _row_message(fault: Fault, mnemonic: str, bases: str) -> str:
    access, offset = fault.access, fault.offset // fault.access.unit
    verb = "reads" if access.kind == "read" else "writes"
    last = access.highest // access.unit if access.highest is not None else 0
    limit = _NEGATIVE if offset < 0 else f"the last row of {access.memory} is {last}"
    if isinstance(fault.base, int):
        row = fault.base // access.unit + unsigned(offset)
        return f"{limit}: `{mnemonic}` {verb} row {row}"
    return f"{limit}: `{mnemonic}` {verb} the row {offset} behind that in {bases}"


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
        # Nothing is known behind a branch that depends on a register of the host.
        "add lr1 lr0 cr1;;\nbeq lr1 lr0 +2;; set lr2 -128;; ldr_mult_reg r0 lr2 cr0; bkpt;;",
        # Before the first use, the pointer is stepped to 0.
        "set lr1 -128;;\nincr lr1 128; ldr_mult_reg r0 lr1 cr0; bkpt;;",
    ),
    invalid=(
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
