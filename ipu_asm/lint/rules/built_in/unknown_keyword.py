"""An operand that is not one of the keywords allowed in its place.

## What it does
Reports an operand that should be one of a few keywords (elements in a row, strides, aggregation
mode, post function) and is not.

## Why
Each keyword corresponds to a code in the operand's field; no other word has a code.

## Example
```
acc;
agg summ value cr0 aaq0;
bkpt;;
```

## Use instead
```
acc;
agg sum value cr0 aaq0;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import UNKNOWN_KEYWORD
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNKNOWN_KEYWORD,
    documentation=__doc__ or "",
    valid=(
        "agg MAX Inv_Sqrt cr0 aaq0; bkpt;;",
        "acc.stride 8 on_inv_expand on_inv lr0; bkpt;;",
        "acc.stride 8 reserved7 reserved3 lr0; bkpt;;",
    ),
    invalid=(
        "agg ⟦summ⟧ ⟦values⟧ cr0 aaq0; bkpt;;",
        "acc.stride ⟦12⟧ ⟦yes⟧ ⟦on_expand⟧ lr0; bkpt;;",
        "acc.stride ⟦0x8⟧ on off lr0; bkpt;;",
        "agg ⟦lr0⟧ value cr0 aaq0; bkpt;;",
    ),
    fixes=(Applicability.DISPLAY,),
)
