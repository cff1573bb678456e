"""An instruction in a bundle that is only allowed outside bundles.

## What it does
Reports an instruction between braces that can only be executed alone, such as `exitz` and `run`,
and `ldconst`, which the assembler expands to one or two instructions.

## Why
The assembler rejects such a bundle.

## Example
```
{ ldconst $m0, 0x12345678 ; f32add $a0, $a1, $a2 }
```

## Use instead
```
ldconst $m0, 0x12345678
f32add $a0, $a1, $a2
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import ALONE, Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("C106", "stands-alone", Severity.ERROR)


def check(_isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each instruction in a bundle that is only allowed outside bundles."""
    if bundle.syntax.plan.braces is None or bundle.syntax.plan.findings:
        return
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is not None and ALONE in instruction.spec.traits:
            message = f"`{instruction.mnemonic}` is executed alone, found it in a bundle"
            yield Diagnostic(RULE_ID, message, bundle.span(number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("ldconst $m0, 42\nexitz $mzero", "{ setzi $m0, 42 ; fnop }"),
    invalid=("{ ⟦ldconst⟧ $m0, 42 ; fnop }", "{ ⟦exitz⟧ $mzero\n  fnop }"),
    check_bundle=check,
    isa="colossus",
)
