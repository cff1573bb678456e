"""Two instructions of a bundle write the same loop register.

## What it does
Reports the destination of an lr instruction if its bundle already writes that register. An `incr`
by 0 has no effect and never conflicts.

## Why
Both instructions would write at the same time; the machine faults.

## Example
```
set lr0 1;
incr lr0 1;
bkpt;;
```

## Use instead
```
set lr0 1;;
incr lr0 1;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import LR_WRITE_CONFLICT
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=LR_WRITE_CONFLICT,
    documentation=__doc__ or "",
    valid=(
        "set lr0 1; incr lr1 1; bkpt;;",
        "set lr0 1; incr lr0 0; bkpt;;",
        "add lr0 lr1 lr2; sub lr1 lr0 lr2; bkpt;;",
    ),
    invalid=(
        "set lr0 1; incr ⟦lr0⟧ 1; bkpt;;",
        "add lr3 lr0 cr1; acc; sub ⟦LR3⟧ lr1 lr2; bkpt;;",
        "set lr1 0; set ⟦lr1⟧ 0; bkpt;;",
    ),
)
