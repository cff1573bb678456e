"""A directive whose effect on the text is not supported.

## What it does
Reports `.altmacro`, the second syntax of macros. Calls of macros after it are neither expanded nor
checked, up to `.noaltmacro`.

## Why
Other findings in such a file may be missing. In the standard syntax, `\\name` stands for a
parameter, and `\\@` makes names that are different in each call.

## Example
```
.altmacro
.macro wait count
    LOCAL again
    setzi $m0, count
again:
    brnzdec $m0, again
.endm
    wait 3
```

## Use instead
```
.macro wait count
    setzi $m0, \\count
again\\@:
    brnzdec $m0, again\\@
.endm
    wait 3
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import UNSUPPORTED_DIRECTIVE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNSUPPORTED_DIRECTIVE,
    documentation=__doc__ or "",
    valid=(".noaltmacro\nnop",),
    invalid=("⟦.altmacro⟧\n.macro m a\nadd $m1, $m1, a\n.endm\nm 1",),
    isa="colossus",
)
