"""A jump to an address from which no instruction can be fetched.

## What it does
Reports a branch to a register that holds a constant address outside the first region of memory.

## Why
Instructions can be fetched only from the region that is not interleaved: 0x4C000 to 0x7FFFF on the
GC200, 0x40000 to 0x5FFFF on the GC2. A fetch from any other address causes an exception.

## Example
```
setzi $m0, 0x90000
br $m0
```

## Use instead
```
setzi $m0, 0x50000
br $m0
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules._memory_accesses import memory_accesses_of

RULE_ID = RuleId("C204", "code-outside-region", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each jump to a constant address from which no instruction can be fetched."""
    memory = program.isa.memory
    for access in memory_accesses_of(program) if memory is not None else ():
        region = memory.region_of(access.address) if memory else None
        if not access.size and memory and (region is None or not region.has_code):
            code = next(region for region in memory.regions if region.has_code)
            message = (
                f"code is at 0x{code.first:x} to 0x{code.last:x} on a {memory.title}, "
                f"found a branch to 0x{access.address & 0xFFFFFFFF:x}"
            )
            yield Diagnostic(RULE_ID, message, access.span(program))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("setzi $m0, 0x50000\nbr $m0", "setzi $m0, 0x90000\ncall $lr, there\nbr $m0"),
    invalid=("setzi $m0, 0x90000\nbr ⟦$m0⟧", "setzi $m1, 0x10\nadd $m2, $m3, 1\nbr ⟦$m1⟧"),
    check_program=check,
    isa="colossus",
)
