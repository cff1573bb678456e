"""An operation that the published hardware does not implement.

## What it does
Reports an instruction that the reference documents, but that the published controller answers with
an error: `ADD`, `MUL`, `CONCAT`, `SPLIT`.

## Why
The controller's state machine has no state for these four opcodes and enters its error state. A
newer controller may implement them, so this is only a hint.

## Example
```
ADD AB[2], AB[0], AB[1]
```

## Use instead
```
CONV AB[2], AB[0], WB[0], RESIDUAL, desc=0x1000
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("N106", "unimplemented-operation", Severity.HINT)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A hint for each operation that the hardware does not implement."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is not None and "unimplemented" in spec.traits:
            message = f"the published controller stops with an error at `{spec.mnemonic}`"
            yield Diagnostic(RULE_ID, message, bundle.span(number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("ACT AB[1], AB[0], RELU\n", "NOP 4\n"),
    invalid=("⟦ADD⟧ AB[2], AB[0], AB[1]\n", "⟦split⟧ AB[1], AB[2], AB[0]\n"),
    check_bundle=check,
    isa="edgenpu",
)
