"""A load or store whose address is not a multiple of its size.

## What it does
Reports a load or store at a constant address that is not naturally aligned: to 2 bytes for 16 bits,
4 for 32 bits and 8 for 64 bits and more.

## Why
A tile does not support unaligned accesses; each causes an exception.

## Example
```
setzi $m0, 0x50002
ld32 $m1, $m0, $mzero, 0
```

## Use instead
```
setzi $m0, 0x50000
ld32 $m1, $m0, $mzero, 0
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules._memory_accesses import memory_accesses_of

RULE_ID = RuleId("C202", "misaligned-access", Severity.WARNING)
# The widest accesses are pairs of 8-byte accesses.
_MAX_WIDTH = 8


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access at a constant address that is not naturally aligned."""
    for access in memory_accesses_of(program):
        size = min(access.size, _MAX_WIDTH)
        if size and access.address % size:
            message = (
                f"{access.size} bytes are accessed at a multiple of {size}, "
                f"found 0x{access.address & 0xFFFFFFFF:x}"
            )
            yield Diagnostic(RULE_ID, message, access.span(program))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "setzi $m0, 0x50004\nld32 $m1, $m0, $mzero, 1",
        "setzi $m0, 0x50002\nldz16 $m1, $m0, $mzero, 1\nldz8 $m1, $m0, $mzero, 1",
        "setzi $m0, 2\nld32 $m1, $m0, $m2, 1",
    ),
    invalid=(
        "setzi $m0, 0x50002\nld32 $m1, ⟦$m0⟧, $mzero, 1",
        "setzi $m0, 0x50004\nld64step $a0:1, ⟦$mzero⟧, $m0+=, 1",
    ),
    check_program=check,
    isa="colossus",
)
