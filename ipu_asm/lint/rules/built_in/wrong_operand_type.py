"""An operand of the wrong type.

## What it does
Reports an operand that is not a register of the expected register file, a register with an index
that its file does not have, a word where a number is expected, or a malformed number. Operands that
are correct except for their order are one finding.

## Why
The field of the operand can only hold what the message names.

## Example
```
set cr0 1;
bkpt;;
```

## Use instead
```
set lr0 1;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import WRONG_OPERAND_TYPE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=WRONG_OPERAND_TYPE,
    documentation=__doc__ or "",
    valid=(
        "set LR15 -0x_1; bkpt;;",
        "add lr0 cr15 lr1; bkpt;;",
        "mult.ee mem_bypass lr0 lr0 lr0; bkpt;;",
    ),
    invalid=(
        # A register of another file, an index out of range, not a register
        "set ⟦cr0⟧ 1; bkpt;;",
        "set ⟦lr16⟧ 1; mult.ee ⟦r2⟧ lr0 lr0 ⟦lr01⟧; bkpt;;",
        "ldr_mult_reg ⟦mem_bypas⟧ lr0 ⟦7⟧; bkpt;;",
        "str_acc_reg ⟦cr0⟧ lr0; bkpt;;",
        # Operands in the wrong order
        "set ⟦5⟧ lr0; ldr_mult_reg r0 ⟦cr0⟧ lr0; bkpt;;",
        "again: bne ⟦again⟧ lr0 lr1;; bkpt;;",
        # Numbers
        "set lr0 ⟦lr1⟧; bkpt;;",
        "set lr0 ⟦one⟧; incr lr1 ⟦010⟧; bkpt;;",
        "set lr0 ⟦1__0⟧; incr lr1 ⟦0x⟧; break.ifeq lr0 ⟦12ab⟧; bkpt;;",
    ),
    fixes=(Applicability.DISPLAY,),
)
