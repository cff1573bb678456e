"""An `#error` or `.error` is reached.

## What it does
Reports an `#error`, `.error` or `.err` that is in no branch of a condition, or in a branch whose
condition holds. It is not reported if a missing header may change the condition.

## Why
The assembler stops there. Often a name is missing from `[defines]`, or a macro is called with an
argument that it does not support.

## Example
```
.macro load width
.if \\width == 2
    ld64 $a0:1, $m0, $mzero, 0
.else
    .error "unsupported width"
.endif
.endm
    load 3
```

## Use instead
```
.macro load width
.if \\width == 2
    ld64 $a0:1, $m0, $mzero, 0
.else
    .error "unsupported width"
.endif
.endm
    load 2
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import ERROR_DIRECTIVE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=ERROR_DIRECTIVE,
    documentation=__doc__ or "",
    valid=(
        "#define SIZE 4\n#if SIZE > 8\n#error too large\n#endif\nnop",
        '.set SIZE, 4\n.if SIZE > 8\n.error "too large"\n.endif\nnop',
        "#ifdef __GNUC__\nnop\n#else\n#error needs gcc\n#endif",
    ),
    invalid=(
        "#ifndef SIZE\n⟦#error⟧ define SIZE\n#endif\nnop",
        '.set SIZE, 9\n.if SIZE > 8\n⟦.error⟧ "too large"\n.endif\nnop',
    ),
    isa="colossus",
)
