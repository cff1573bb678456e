"""The program does not fit into instruction memory.

## What it does
Reports the first bundle behind the end of instruction memory. The last bundle that fits needs an
instruction of its own for control flow, for the one that is filled in where none is written goes on
to the next address, which does not exist; that bundle is reported if it has none.

## Why
The machine cannot hold, or cannot encode, what is reported.

## Example
```
set lr0 0;;
acc;;           # 1023 times
bkpt;;
```

## Use instead
```
    set lr0 0;;
    set lr1 1022;;
again:
    acc;
    incr lr0 1;
    bne lr0 lr1 again;;
    bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import PROGRAM_TOO_LARGE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=PROGRAM_TOO_LARGE,
    documentation=__doc__ or "",
    valid=(
        "acc;;" * 1023 + "bkpt;;",
        "acc;;" * 1023 + "b -1;; # the end",
        "one: acc;;" + "acc;;" * 1022 + "bne lr0 lr1 one;;",
    ),
    invalid=(
        "acc;;" * 1024 + "⟦bkpt⟧;; acc;;",
        "acc;;" * 1024 + "\n⟦end⟧: b end;;",
        "acc;;" * 1023 + "⟦acc⟧;;",
        "acc;;" * 1023 + "# the end\n⟦break⟧; acc;;\n",
    ),
)
