"""A branch names a label that does not exist.

## What it does
Reports a label operand that matches no label of the file; labels are case-sensitive. Addresses are
not labels: a bare number is the name of a label, `+1` is a distance in bundles.

## Why
The branch has no target.

## Example
```
    set lr1 9;;
loop:
    incr lr0 1;
    bne lr0 lr1 Loop;;
    bkpt;;
```

## Use instead
```
    set lr1 9;;
loop:
    incr lr0 1;
    bne lr0 lr1 loop;;
    bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import UNDEFINED_LABEL
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNDEFINED_LABEL,
    documentation=__doc__ or "",
    valid=(
        "again: b again;;",
        "b +1;; bkpt;;",
        "acc;; b -1;;",
        "-9: b -9;;",
        "0: acc;; b 0;;",
    ),
    invalid=(
        "b ⟦lop⟧;; loop: bkpt;;",
        "Loop: bne lr0 lr1 ⟦loop⟧; acc;; bkpt;;",
        "b ⟦1⟧;; bkpt;;",
        "b ⟦next⟧;;\nbeq lr0 lr1 ⟦next⟧;; bkpt;;",
    ),
    fixes=(Applicability.DISPLAY,),
)
