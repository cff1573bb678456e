"""A load or store outside the memory of a tile.

## What it does
Reports a load or store at a constant address outside the memory of a tile.

## Why
A tile's memory does not begin at address 0, so that uninitialised pointers are detected: its
addresses are 0x4C000 to 0xE7FFF on the GC200 and 0x40000 to 0x7FFFF on the GC2. An access to any
other address causes an exception. The setting `colossus` under `[memory]` in `ipu.toml` selects the
machine.

## Example
```
setzi $m0, 0x100
ld32 $m1, $m0, $mzero, 0
```

## Use instead
```
setzi $m0, 0x50100
ld32 $m1, $m0, $mzero, 0
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules._memory_accesses import memory_accesses_of

RULE_ID = RuleId("C201", "outside-memory", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each access with bytes outside the memory."""
    memory = program.isa.memory
    for access in memory_accesses_of(program) if memory is not None else ():
        ends = (access.address, access.address + max(access.size - 1, 0))
        if access.size and memory and None in map(memory.region_of, ends):
            first, last = memory.regions[0].first, memory.regions[-1].last
            message = (
                f"the memory of a {memory.title} has the addresses 0x{first:x} to 0x{last:x}, "
                f"found an access at 0x{access.address & 0xFFFFFFFF:x}"
            )
            yield Diagnostic(RULE_ID, message, access.span(program))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "setzi $m0, 0x50000\nld32 $m1, $m0, $mzero, 1",
        "setzi $m0, 0x100\nld32 $m1, $m0, $mvertex_base, 1",
        "setzi $m0, 0x100\nagain: ld32 $m1, $m0, $mzero, 1",
        "setzi $m0, 0x100\nadd $m0, $m0, $m2\nld32 $m1, $m0, $mzero, 1",
    ),
    invalid=(
        "setzi $m0, 0x100\nld32 $m1, ⟦$m0⟧, $mzero, 1",
        "ldconst $m4, 0xe8000\n{ st64 $a0:1, ⟦$m4⟧, $mzero, 0 ; fnop }",
    ),
    check_program=check,
    isa="colossus",
)
