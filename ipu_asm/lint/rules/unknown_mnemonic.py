"""No instruction has this name.

## What it does
Reports the first word of an instruction that no instruction of the instruction set is called.
Mnemonics are written in lower case; another case is reported with a fix.

## Why
The assembler cannot know which slot of the bundle is meant.

## Example
```
acc.frist;
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
from ipu_asm.errors import UNKNOWN_MNEMONIC
from ipu_asm.lint.rule import Rule

RULE = Rule(
    kind=UNKNOWN_MNEMONIC,
    documentation=__doc__ or "",
    valid=("acc.first; bkpt;;", "mult_nop; acc_nop; bkpt;;"),
    invalid=(
        "⟦acc.frist⟧; bkpt;;",
        "⟦ACC⟧; bkpt;;",
        "⟦load⟧ r0 lr0 cr0; ⟦lr0⟧; bkpt;;",
        "again: ⟦incr_⟧ lr0 1; b again;;",
    ),
    fixes=(Applicability.SAFE,),
)
