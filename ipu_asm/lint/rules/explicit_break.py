"""A break for the debugger that was left in the program.

## What it does
Reports instructions that stop a debugger. The fix removes them; a break that is the only
instruction of its bundle is replaced with the no-op of its slot, so that no address changes.

## Why
A break costs nothing in a normal run, but it stops every later debugging session, even after the
problem it was added for is solved. Set breakpoints that belong to one session in the debugger.

## Example
```
    set lr1 9;;
again:
    break.ifeq lr0 10;
    incr lr0 1;
    bne lr0 lr1 again;;
    bkpt;;
```

## Use instead
```
    set lr1 9;;
again:
    incr lr0 1;
    bne lr0 lr1 again;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule, removal_of

RULE_ID = RuleId("H101", "explicit-break", Severity.HINT)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each instruction that breaks."""
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is not None and instruction.spec.flow == "break":
            message = f"a finished program has no breaks in it, found `{instruction.mnemonic}`"
            edits = removal_of(isa, bundle, number)
            title = f"remove `{instruction.mnemonic}`"
            fix = Fix(title, edits, Applicability.UNSAFE) if edits else None
            yield Diagnostic(RULE_ID, message, bundle.span(number), fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("break_nop; bkpt;;", "acc; bkpt;;"),
    invalid=(
        "⟦break⟧; bkpt;;",
        "acc; ⟦break.ifeq⟧ lr0 10; bkpt;;",
        "again:\n    incr lr0 1;\n    bne lr0 lr1 again; # not yet\n    ⟦break⟧;\n;;\nbkpt;;",
        "loop: ⟦break⟧;;\nbnz lr0 lr1 loop; ⟦break.ifeq⟧ lr0 7 # seven\n;; bkpt;;",
    ),
    check_bundle=check,
    fixes=(Applicability.UNSAFE,),
)
