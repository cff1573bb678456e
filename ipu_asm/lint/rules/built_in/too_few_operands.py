"""An instruction with too few operands.

## What it does
Reports the mnemonic of an instruction with fewer operands than it takes, and names the missing
ones.

## Why
Operands have no defaults: each operand fills a field of the instruction's slot.

## Example
```
incr lr0;
bkpt;;
```

## Use instead
```
incr lr0 1;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import TOO_FEW_OPERANDS
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=TOO_FEW_OPERANDS,
    documentation=__doc__ or "",
    valid=("mult.ee r0 lr0 lr1 lr2; bkpt;;", "set lr0\n1; bkpt;;"),
    invalid=(
        "⟦set⟧ lr0; bkpt;;",
        "⟦b⟧;;",
        "⟦mult.ee⟧ r0; ⟦agg⟧; bkpt;;",
        "again: incr lr0 1; ⟦bne⟧ lr0 again;; bkpt;;",
    ),
)
