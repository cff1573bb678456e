"""A directive that no assembler for object files knows.

## What it does
Reports a statement that begins with a dot and is neither a directive, nor a call of a macro, nor an
assignment.

## Why
The assembler refuses it. Until then, what the directive was meant to do is not done: sections, the
alignment and the execution mode stay as they were. Where a header is missing, which may define such
a macro, only a name that is near to a known directive is reported.

## Example
```
.wroker
    exitz $mzero
```

## Use instead
```
.worker
    exitz $mzero
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import UNKNOWN_DIRECTIVE
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNKNOWN_DIRECTIVE,
    documentation=__doc__ or "",
    valid=(
        ".WORD 1\n.cfi_sections .debug_frame\n",
        ".macro .twice op\n\\op\n\\op\n.endm\n.twice nop\n",
        ".offset_of = 4\nsetzi $m0, .offset_of\n",
        '#include "missing.h"\n.section_of_kernel f\n',
    ),
    invalid=(
        "⟦.foobar⟧ 1\n",
        "f: ⟦.aling⟧ 8\n",
        '#include "missing.h"\n⟦.gobl⟧ f\n',
    ),
    fixes=(Applicability.DISPLAY,),
    isa="colossus",
)
