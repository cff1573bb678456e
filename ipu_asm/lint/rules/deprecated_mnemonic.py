"""An instruction that should not be used any more.

## What it does
Reports instructions that the instruction set marks as deprecated, and says what to write instead.

## Why
They still work, but newer instructions do the same better, and a later machine may drop them.

## Example
```
mult.ev r0 lr0 lr1 lr2;
acc.first;
bkpt;;
```

## Use instead
```
mult.ve.cr lr0 lr1 lr2 cr0;
acc.first;
bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, Kind, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule

KIND = Kind("W201", "deprecated-mnemonic", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each deprecated instruction."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is not None and spec.deprecated:
            message = f"`{spec.mnemonic}` is deprecated: {spec.deprecated}"
            yield Diagnostic(KIND, message, bundle.span(number), tags=("deprecated",))


RULE = Rule(
    kind=KIND,
    documentation=__doc__ or "",
    valid=("mult.ve r0 lr0 lr1 lr2 lr3; acc; bkpt;;",),
    invalid=(
        "⟦mult.ev⟧ r0 lr0 lr1 lr2; acc; bkpt;;",
        "⟦mult.ev⟧ r0 lr0;;\nacc; ⟦mult.ev⟧ r1 lr0 lr1 lr2; bkpt;;",
    ),
    check_bundle=check,
)
