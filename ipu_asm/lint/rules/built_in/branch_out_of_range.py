"""A branch to an address outside instruction memory.

## What it does
Reports a label operand whose target is before the first or after the last address of instruction
memory: a distance that is too large, or a label of a bundle that does not fit.

## Why
The operand field can hold only addresses of instruction memory.

## Example
```
acc;
b -1;;
bkpt;;
```

## Use instead
```
acc;
b +1;;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import BRANCH_OUT_OF_RANGE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=BRANCH_OUT_OF_RANGE,
    documentation=__doc__ or "",
    valid=(
        "b +1;; acc;; beq lr0 lr1 -2;; bkpt;;",
        "acc;;" * 1022 + "b end;; end: bkpt;;",
        "b +1023;; bkpt;;",
    ),
    invalid=(
        "acc; b ⟦-1⟧;; bkpt;;",
        "beq lr0 lr1 ⟦+1024⟧;; bkpt;;",
        "b ⟦+99999999999999999999999999999999999⟧;; bkpt;;",
        "b ⟦end⟧;;" + "acc;;" * 1023 + "end: bkpt;;",
        "acc;;" * 1023 + "b ⟦+1⟧;;",
    ),
)
