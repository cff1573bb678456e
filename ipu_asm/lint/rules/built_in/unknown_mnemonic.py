"""No instruction has this name.

## What it does
Reports the first word of an instruction if the instruction set has no instruction of that name.
Mnemonics are written in lower case; another case is reported with a safe fix. An instruction with a
similar name is suggested if it is the only one and the operands fit it. If an instruction follows
the word, the word is most likely a label without its colon.

## Why
The assembler cannot tell which slot of the bundle is meant.

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
from ipu_asm.diagnostics.errors import UNKNOWN_MNEMONIC
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNKNOWN_MNEMONIC,
    documentation=__doc__ or "",
    valid=("acc.first; bkpt;;", "mult_nop; acc_nop; bkpt;;"),
    invalid=(
        "⟦acc.frist⟧; bkpt;;",
        "⟦ACC⟧; bkpt;;",
        "⟦load⟧ r0 lr0 cr0; ⟦lr0⟧; bkpt;;",
        "again: ⟦incr_⟧ lr0 1; b again;;",
        # A label without its colon
        "⟦again⟧ incr lr0 1; b again;;",
        "acc;;\n⟦again⟧\n    incr lr0 1;\n    b again;;",
        # Not typing errors: another instruction may be meant
        "again: ⟦bgt⟧ lr0 lr1 again;; ⟦acc.min⟧ aaq0; bkpt;;",
    ),
    fixes=(Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY),
)
