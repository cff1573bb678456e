"""A maximum that starts from an old result.

## What it does
Reports an `agg max` whose aaq register holds a result that another instruction has used since it
was made, on some path, and that nothing has replaced. An `agg` with `sum`, or with a post function
other than `value`, replaces it. An `acc.max` that compares with the register is no use: the maximum
goes on.

## Why
`agg max` takes the maximum of the accumulator and of the register's old value. After a result has
been used, the next maximum usually has nothing to do with it: the register must be set to a low
value before, or an old row's maximum is carried over.

## Example
```
    set lr3 384; set lr4 512;;
    set lr5 -512;;
row:
    ldr_cyclic_mult_reg lr1 cr0 lr0;
    mult.ve.cr lr0 lr0 lr0 cr3;
    acc.first;
    agg max value cr0 aaq1;;
    mult.ve.cr lr4 lr0 lr0 cr6;
    acc.add_aaq.first aaq1;
    incr lr5 512;;
    str_acc_reg lr5 cr1;
    incr lr1 128;
    bne lr1 lr3 row;;
    bkpt;;
```

## Use instead
```
    set lr3 384; set lr4 512;;
    set lr5 -512;;
row:
    ldr_cyclic_mult_reg lr1 cr0 lr0;
    mult.ve.cr lr0 lr0 lr0 cr3;
    acc.first;
    agg max value cr0 aaq1;;
    mult.ve.cr lr4 lr0 lr0 cr6;
    acc.add_aaq.first aaq1;
    incr lr5 512;;
    str_acc_reg lr5 cr1;
    mult.ve.cr lr4 lr0 lr0 cr3;
    acc.first;
    agg sum value_cr cr5 aaq1;
    incr lr1 128;
    bne lr1 lr3 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_span, accesses_of
from ipu_asm.flow.control_flow import is_runnable, successors_of
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program

RULE_ID = RuleId("W306", "stale-maximum", Severity.WARNING)
_REGISTER, _MODE, _POST = "aaq_rf_idx", "agg_mode", "post_fn"
_MAXIMUM, _VALUE = 1, 0
_COMPARISONS = "acc.max"
# The bundle that has used each register's result.
_Used = dict[str, int]


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each `agg max` that starts from a result that has been used."""
    if not program.where(_is_maximum) or not is_runnable(program):
        return
    for address, used in _used_before(program).items():
        number = program.bundle_at_address[address]
        bundle = program.bundles[number]
        for access in _aggregates(program.isa, bundle):
            user = _uses(program.isa, bundle, address, used).get(access.register)
            if _continues(bundle, access) and user is not None:
                yield _finding(program, number, access, user)


def _is_maximum(_isa: Isa, bundle: Bundle) -> bool:
    return any(instruction.value(_MODE) == _MAXIMUM for instruction in bundle.instructions)


def _used_before(program: Program) -> dict[int, _Used]:
    """Return by address which registers hold a result that has been used, on some path."""
    successors = successors_of(program)
    if successors is None:
        return {}
    before: dict[int, _Used] = {0: {}}
    waiting = [0]
    while waiting:
        address = waiting.pop()
        bundle = program.bundles[program.bundle_at_address[address]]
        used = _uses(program.isa, bundle, address, before[address])
        for access in _aggregates(program.isa, bundle):
            used.pop(access.register, None)
        for following in successors[address]:
            known = before.get(following)
            if following < program.size and (known is None or used.keys() - known.keys()):
                before[following] = {**used, **(known or {})}
                waiting.append(following)
    return before


def _aggregates(isa: Isa, bundle: Bundle) -> list[RegisterAccess]:
    """Return the register writes of each `agg` in a bundle."""
    return [
        access
        for access in accesses_of(isa, bundle)
        if access.writes and bundle.instructions[access.instruction].value(_MODE) is not None
    ]


def _uses(isa: Isa, bundle: Bundle, address: int, before: _Used) -> _Used:
    """Return the results that have been used, with those that the bundle itself uses."""
    found = dict(before)
    for access in accesses_of(isa, bundle):
        instruction = bundle.instructions[access.instruction]
        operand = instruction.operands[access.operand] if access.operand >= 0 else None
        is_use = not access.writes and not instruction.mnemonic.startswith(_COMPARISONS)
        if operand is not None and operand.name == _REGISTER and is_use:
            found.setdefault(access.register, address)
    return found


def _continues(bundle: Bundle, access: RegisterAccess) -> bool:
    instruction = bundle.instructions[access.instruction]
    return instruction.value(_MODE) == _MAXIMUM and instruction.value(_POST) == _VALUE


def _finding(program: Program, number: int, access: RegisterAccess, user: int) -> Diagnostic:
    span = program.span(number, access_span(program.bundles[number], access))
    message = (
        f"`{access.register}` must be set to a low value before a new maximum: its old value, "
        "which has been used since it was made, counts too"
    )
    related = tuple(_use(program, user, access.register))
    return Diagnostic(RULE_ID, message, span, related)


def _use(program: Program, address: int, register: str) -> Iterator[RelatedInformation]:
    number = program.bundle_at_address[address]
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.register == register and not access.writes:
            span = program.span(number, access_span(bundle, access))
            yield RelatedInformation(span, "the old value is used here")


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "agg max value cr0 aaq0;;\nagg max value cr0 aaq0;;\nacc.add_aaq aaq0; bkpt;;",
        "agg max value cr0 aaq0;;\nacc.add_aaq aaq0;;\nagg sum value cr0 aaq0;;\n"
        "agg max value cr0 aaq0; bkpt;;",
        # The product with a register of the host starts a new maximum.
        "agg max value cr0 aaq0;;\nacc.add_aaq aaq0;;\nagg max value_cr cr5 aaq0;;\n"
        "agg max value cr0 aaq0; bkpt;;",
        "agg max value cr0 aaq0;;\nacc.add_aaq aaq1;;\nagg max value cr0 aaq0; bkpt;;",
        # The largest product of all rows so far.
        "set lr2 4;;\nrow: mult.ve.cr lr0 lr0 lr0 cr3; acc.max.first aaq0;;\n"
        "agg max value cr0 aaq0; incr lr1 1; bne lr1 lr2 row;; bkpt;;",
    ),
    invalid=(
        "agg max value cr0 aaq0;;\nacc.add_aaq aaq0;;\nagg max value cr0 ⟦aaq0⟧; bkpt;;",
        "agg max value cr0 aaq0;;\nmult.ve.aaq lr0 lr0 lr0 aaq0; agg max value cr0 ⟦aaq0⟧; bkpt;;",
        "set lr2 4;;\nrow: agg max value cr0 ⟦aaq2⟧; incr lr1 1;;\n"
        "mult.ve.aaq lr2 lr0 lr0 aaq2; bne lr1 lr2 row;; bkpt;;",
    ),
    check_program=check,
)
