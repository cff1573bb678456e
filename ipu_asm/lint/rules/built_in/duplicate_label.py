"""A label is defined twice.

## What it does
Reports every definition of a label except the first, with the position of the first.

## Why
A branch to the label could mean either bundle. Until one of the labels is renamed, the first
definition is used.

## Example
```
    set lr1 9;;
again:
    incr lr0 1;
    bne lr0 lr1 again;;
again:
    incr lr2 1;
    bne lr2 lr1 again;;
    bkpt;;
```

## Use instead
```
    set lr1 9;;
first:
    incr lr0 1;
    bne lr0 lr1 first;;
second:
    incr lr2 1;
    bne lr2 lr1 second;;
    bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import DUPLICATE_LABEL
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=DUPLICATE_LABEL,
    documentation=__doc__ or "",
    valid=("one: acc;; One: bne lr0 lr1 one;; b One;;",),
    invalid=(
        "one: acc;; ⟦one⟧: b one;;",
        "one: acc;;\n⟦one⟧: acc;;\n⟦one⟧\n: b one;;",
        "5: acc;; ⟦5⟧: b 5;;",
    ),
)
