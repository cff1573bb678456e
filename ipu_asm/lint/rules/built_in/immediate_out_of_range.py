"""A number does not fit its field.

## What it does
Reports an immediate below the smallest or above the largest number that its field can hold, read
as a signed or as an unsigned number.

## Why
Bits that do not fit would be lost. Take a larger constant from a config register.

## Example
```
set lr0 100_000;
bkpt;;
```

## Use instead
```
sub lr0 lr0 lr0;;
add lr0 lr0 cr4;    # the host puts 100,000 into cr4
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import IMMEDIATE_OUT_OF_RANGE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=IMMEDIATE_OUT_OF_RANGE,
    documentation=__doc__ or "",
    valid=("set lr0 -32768; incr lr1 32767; bkpt;;", "break.ifeq lr0 0xFFFF; bkpt;;"),
    invalid=(
        "set lr0 ⟦65536⟧; incr lr1 ⟦-32769⟧; bkpt;;",
        "set lr0 ⟦0x1_0000⟧; break.ifeq lr0 ⟦0b1_0000_0000_0000_0000⟧; bkpt;;",
        "incr lr0\n⟦+1000000000000000000000000000000000000⟧;\nbkpt;;",
    ),
)
