"""A conditional break that compares with a negative number.

## What it does
Reports a break instruction whose immediate is negative although the machine compares with an
unsigned number.

## Why
`break.ifeq lr0 -1` stops when `lr0` holds 65535, because the 16 bits of the immediate are
zero-extended. A register that holds -1 never matches, because all its 32 bits are compared. A break
cannot test for a negative number; compare in the program and use `break`, or test another register.

## Example
```
    set lr0 9;;
again:
    break.ifeq lr0 -1;
    incr lr0 -1;
    bne lr0 lr1 again;;
    bkpt;;
```

## Use instead
```
    set lr0 9;;
again:
    break.ifeq lr0 0;
    incr lr0 -1;
    bne lr0 lr1 again;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import IntegerType, quoted
from ipu_asm.lint import Rule
from ipu_asm.text import TextEdit

RULE_ID = RuleId("W202", "break-never-matches", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each negative immediate of a break that compares unsigned numbers."""
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None or instruction.spec.flow != "break":
            continue
        for place, (operand, value) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is None or not isinstance(operand.type, IntegerType):
                continue
            if isinstance(value, int) and value < operand.type.stored(value):
                yield _finding(bundle, number, place, operand.type.stored(value))


def _finding(bundle: Bundle, number: int, place: int, stored: int) -> Diagnostic:
    instruction, span = bundle.instructions[number], bundle.value_span(number, place)
    text = bundle.syntax.text[span.start : span.end]
    registers = [
        word.lower()
        for word, operand in zip(instruction.words[1:], instruction.operands)
        if operand is not None and operand.read
    ]
    register = f"`{registers[0]}`" if registers else "the register"
    message = (
        f"`{instruction.mnemonic}` compares with an unsigned number, found {quoted(text)}: "
        f"it stops when {register} holds {stored}, never when it holds a negative number"
    )
    edits = (TextEdit(span, str(stored)),)
    fix = Fix(f"write `{stored}`, which is the same", edits, Applicability.DISPLAY)
    return Diagnostic(RULE_ID, message, span, fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "break.ifeq lr0 65535; bkpt;;",
        "break.ifeq lr0 -0; bkpt;;",
        "set lr0 -1; incr lr1 -1; bkpt;;",
    ),
    invalid=("break.ifeq lr0 ⟦-1⟧; bkpt;;", "break.ifeq LR3 ⟦-0x8000⟧; acc; bkpt;;"),
    check_bundle=check,
    fixes=(Applicability.DISPLAY,),
)
