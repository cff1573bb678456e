"""An instruction has operands that it does not take.

## What it does
Reports the first operand too many. If it is a mnemonic, the separator in front of it is missing:
the fix inserts it. Otherwise the fix removes the surplus operands.

## Why
There is no field for it. What looks like an operand is often the next instruction.

## Example
```
acc.first
bkpt;;
```

## Use instead
```
acc.first;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.errors import TOO_MANY_OPERANDS
from ipu_asm.lint.rule import Rule

RULE = Rule(
    kind=TOO_MANY_OPERANDS,
    documentation=__doc__ or "",
    valid=("acc.first; bkpt;;", "b acc;; acc: bkpt;;"),
    invalid=(
        "acc ⟦lr0⟧; bkpt;;",
        "set lr0 1 ⟦2⟧ 3; bkpt;;",
        "set lr0 1\n⟦incr⟧ lr1 2; bkpt;;",
        "acc ⟦1⟧; aaq ⟦_⟧; bkpt;;",
    ),
    fixes=(Applicability.SAFE,),
)
