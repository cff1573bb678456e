"""A template, a macro or a loop makes too much text.

## What it does
Reports the call, the loop or the tag whose expansion exceeds a limit: on what is made for a file,
on how deep calls are nested, or on time. What it would have made is not checked.

## Why
An expansion that never ends, or that makes more than any memory holds, would keep the assembler
and the editor busy forever.

## Example
```
.macro twice
    twice
    twice
.endm
    twice
```

## Use instead
```
.macro twice body:vararg
    \\body
    \\body
.endm
    twice add $m0, $m0, 1
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import EXPANSION_LIMIT
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=EXPANSION_LIMIT,
    documentation=__doc__ or "",
    valid=(".rept 100\nadd $m0, $m0, 1\n.endr",),
    invalid=(
        "⟦.rept 1000000000⟧\nnop\n.endr",
        ".macro down\ndown\n.endm\n⟦down⟧",
    ),
    isa="colossus",
)
