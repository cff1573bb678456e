"""The program does not fit into instruction memory.

## What it does
Reports the first bundle after the end of instruction memory. Also reports the last bundle that fits
if it has no explicit control-flow instruction, because the default one continues at the next
address, which does not exist.

## Why
The machine cannot hold, or cannot encode, the reported bundle.

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
