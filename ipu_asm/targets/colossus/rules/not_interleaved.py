"""A 128-bit load outside the interleaved memory.

## What it does
Reports a 128-bit load at a constant address in the first region of memory.

## Why
A 128-bit load reads two 64-bit words at once. Neighbouring words are in different banks only in the
interleaved region; elsewhere both are in one bank, and the two accesses cause an exception.

## Example
```
setzi $m0, 0x50000
ld128 $a0:3, $m0, $mzero, 0
```

## Use instead
```
setzi $m0, 0x80000
ld128 $a0:3, $m0, $mzero, 0
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules._memory_accesses import memory_accesses_of

RULE_ID = RuleId("C203", "not-interleaved", Severity.WARNING)
_WORD = 8


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access of two words that are in one bank."""
    memory = program.isa.memory
    for access in memory_accesses_of(program) if memory is not None else ():
        region = memory.region_of(access.address) if memory else None
        if access.size > _WORD and region is not None and not region.interleaved:
            message = (
                f"{access.size} bytes at once are only in interleaved memory, "
                f"found 0x{access.address:x} in the region before it"
            )
            yield Diagnostic(RULE_ID, message, access.span(program))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "setzi $m0, 0x80000\nld128 $a0:3, $m0, $mzero, 0",
        "setzi $m0, 0x50000\nld64 $a0:1, $m0, $mzero, 0",
        "ld128 $a0:3, $m0, $mzero, 0",
    ),
    invalid=(
        "setzi $m0, 0x50000\nld128 $a0:3, ⟦$m0⟧, $mzero, 0",
        "setzi $m1, 0x7fff0\n{ ld128step $a0:3, ⟦$mzero⟧, $m1+=, 1 ; fnop }",
    ),
    check_program=check,
    isa="colossus",
)
