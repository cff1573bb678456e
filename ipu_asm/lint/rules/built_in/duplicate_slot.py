"""A bundle has more instructions for a slot than the slot can take.

## What it does
Reports each instruction for which its bundle has no place left, and the instructions that occupy
the places. The fix begins a new bundle there; it is unsafe, because the bundle may have to begin
earlier. No-ops count too: `acc_nop` fills the accumulate slot.

## Why
A bundle carries one instruction for each functional unit, and two for the loop registers.

## Example
```
ldr_mult_reg r0 lr0 cr0;;
ldr_cyclic_mult_reg lr0 cr1 lr0;
mult.ee r0 lr0 lr1 lr2;
acc.first;
acc.max aaq0;
bkpt;;
```

## Use instead
```
ldr_mult_reg r0 lr0 cr0;;
ldr_cyclic_mult_reg lr0 cr1 lr0;
mult.ee r0 lr0 lr1 lr2;
acc.first;;
acc.max aaq0;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import DUPLICATE_SLOT
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=DUPLICATE_SLOT,
    documentation=__doc__ or "",
    valid=(
        "set lr0 1; set lr1 2; acc; bkpt;;",
        "break_nop; xmem_nop; mult_nop; acc_nop; aaq_nop; incr lr0 0; incr lr0 0; bkpt;;",
    ),
    invalid=(
        "acc; ⟦acc.first⟧; ⟦reset_acc⟧; bkpt;;",
        "set lr0 1; incr lr1 1; ⟦add⟧ lr2 lr0 lr1; ⟦set⟧ lr3 1; bkpt;;",
        "b +1; ⟦bkpt⟧;;",
        "acc; aaq; ⟦aaq_nop⟧; ⟦acc_nop⟧; bkpt;;",
    ),
    fixes=(Applicability.UNSAFE,),
)
