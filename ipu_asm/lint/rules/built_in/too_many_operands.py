"""An instruction with too many operands.

## What it does
Reports the first excess operand. If an instruction begins with it, the separator before it is
missing: an unsafe fix inserts it. If it is the rest of a mnemonic, the complete mnemonic is
suggested. No fix removes an operand, because its content may belong elsewhere.

## Why
The instruction has no field for it. An apparent operand is often the next instruction.

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
