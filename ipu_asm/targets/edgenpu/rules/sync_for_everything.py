"""A `SYNC` without flags.

## What it does
Reports a `SYNC` without an operand.

## Why
The reference says that `SYNC` waits for all pending operations, and defines flags that select what
to wait for. Without a flag it waits for all operations, including those whose results are not
needed yet, and a reader cannot tell which were meant.

## Example
```
LOAD WB, 0x80000000, 65536
SYNC
```

## Use instead
```
LOAD WB, 0x80000000, 65536
SYNC WAIT_DMA
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("N105", "sync-for-everything", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each synchronisation without an operand."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is not None and "sync" in spec.traits and len(instruction.words) == 1:
            message = (
                f"`{instruction.mnemonic}` names what it waits for, found no flag: it waits for "
                "everything"
            )
            yield Diagnostic(RULE_ID, message, bundle.span(number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("SYNC WAIT_DMA\n", "SYNC 3\n", "SYNC WAIT_DMA | WAIT_COMPUTE\n"),
    invalid=("⟦SYNC⟧\n", "wait: ⟦SYNC⟧ ; everything\n"),
    check_bundle=check,
    isa="edgenpu",
)
