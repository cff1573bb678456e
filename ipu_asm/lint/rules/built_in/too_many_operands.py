"""An instruction has operands that it does not take.

## What it does
Reports the first operand too many. If an instruction begins with it, the separator in front of it
is missing: an unsafe fix inserts it. If it is the rest of a mnemonic, that is suggested. No operand
is ever removed: what it was written for has to go elsewhere.

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
from ipu_asm.diagnostics.errors import TOO_MANY_OPERANDS
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=TOO_MANY_OPERANDS,
    documentation=__doc__ or "",
    valid=("acc.first; bkpt;;", "b acc;; acc: bkpt;;"),
    invalid=(
        "acc ⟦lr0⟧; bkpt;;",
        "set lr0 1 ⟦2⟧ 3; bkpt;;",
        "set lr0 1\n⟦incr⟧ lr1 2; bkpt;;",
        "acc ⟦1⟧; aaq ⟦_⟧; bkpt;;",
        "acc ⟦first⟧; bkpt;;",
    ),
    fixes=(Applicability.UNSAFE, Applicability.DISPLAY),
)
