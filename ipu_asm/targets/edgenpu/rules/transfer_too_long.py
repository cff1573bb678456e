"""A transfer that is longer than the memory it reads or writes.

## What it does
Reports a `LOAD` or `STORE` of more than 256 KiB.

## Why
The weight memory and the activation memory have 262,144 bytes each. The length field has 24 bits,
so the instruction can be written, but the data does not fit into the memory.

## Example
```
LOAD WB, 0x80000000, 0x80000
SYNC WAIT_DMA
```

## Use instead
```
LOAD WB, 0x80000000, 0x40000
SYNC WAIT_DMA
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("N103", "transfer-too-long", Severity.WARNING)
BUFFER_BYTES = 262_144


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each transfer of more bytes than a buffer memory has."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        length = instruction.value("length")
        if spec is None or "dma" not in spec.traits or not isinstance(length, int):
            continue
        if length > BUFFER_BYTES:
            place = next(n for n, o in enumerate(instruction.operands) if o and o.name == "length")
            message = f"a buffer memory has {BUFFER_BYTES} bytes, found a transfer of {length}"
            yield Diagnostic(RULE_ID, message, bundle.value_span(number, place))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "LOAD WB, 0x80000000, 262144\nSYNC WAIT_DMA\n",
        "STORE 0x80000000, AB[1], 0x40000\nSYNC WAIT_DMA\n",
    ),
    invalid=(
        "LOAD WB, 0x80000000, ⟦262145⟧\nSYNC WAIT_DMA\n",
        "STORE 0x80000000, AB[1], ⟦0xFFFFFF⟧\nSYNC WAIT_DMA\n",
    ),
    check_bundle=check,
    isa="edgenpu",
)
