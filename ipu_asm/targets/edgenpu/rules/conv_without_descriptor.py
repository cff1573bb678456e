"""A convolution without a parameter descriptor.

## What it does
Reports a `CONV` without the address of a parameter descriptor.

## Why
The sizes, strides and paddings of a convolution are in a descriptor in memory, whose address is the
immediate of the instruction. The syntax in the reference has no operand for it; this assembler uses
`desc=`. Without it the immediate is 0, and the hardware reads its parameters at address 0.

## Example
```
CONV AB[1], AB[0], WB[0], RELU
```

## Use instead
```
CONV AB[1], AB[0], WB[0], RELU, desc=0x1000
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("N104", "conv-without-descriptor", Severity.WARNING)
_OPERAND = "descriptor"


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each instruction that takes a descriptor and has none."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is None or spec.operand(_OPERAND) is None or instruction.findings:
            continue
        if bundle.syntax.plan.instructions[number].has_errors:
            continue
        if all(operand is None or operand.name != _OPERAND for operand in instruction.operands):
            message = (
                f"`{instruction.mnemonic}` reads its parameters where `desc=` says, found none: "
                "it reads them at address 0"
            )
            yield Diagnostic(RULE_ID, message, bundle.span(number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "CONV AB[1], AB[0], WB[0], RELU, desc=0x1000\n",
        "CONV AB[1], AB[0], WB[0], 0x1000\n",
        "FC AB[1], AB[0], WB[0], in=16, out=4\n",
    ),
    invalid=("⟦CONV⟧ AB[1], AB[0], WB[0]\n", "⟦conv⟧ AB[1], AB[0], WB[0], RELU | BIAS\n"),
    check_bundle=check,
    isa="edgenpu",
)
