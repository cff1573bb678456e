"""A header is not found.

## What it does
Reports a file name in an `#include` for which no file is found in the folder of the including file
or in the include paths.

## Why
Names that the header defines are unknown, so findings that depend on a name are not reported in
this file.

## Example
```
#include "missing.h"
        exitnz $mzero
```

## Use instead
```
        exitnz $mzero
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import INCLUDE_NOT_FOUND
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=INCLUDE_NOT_FOUND,
    documentation=__doc__ or "",
    valid=("exitnz $mzero",),
    invalid=('#include ⟦"missing.h"⟧\nexitnz $mzero',),
    isa="colossus",
)
