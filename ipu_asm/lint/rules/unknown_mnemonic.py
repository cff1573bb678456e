"""No instruction has this name.

## What it does
Reports the first word of an instruction that no instruction of the instruction set is called.
Mnemonics are written in lower case; another case is reported with a fix.

## Why
The assembler cannot know which slot of the bundle is meant.

## Example
```
acc.frist;;
```

## Use instead
```
acc.first;;
```
"""

from __future__ import annotations

from ipu_asm.errors import UNKNOWN_MNEMONIC
from ipu_asm.lint.rule import Rule

RULE = Rule(
    kind=UNKNOWN_MNEMONIC,
    documentation=__doc__ or "",
    valid=("acc.first; bkpt;;",),
    invalid=("⟦acc.frist⟧; bkpt;;", "⟦ACC⟧; bkpt;;"),
)
