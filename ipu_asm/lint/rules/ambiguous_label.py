"""A label with the name of an instruction or a register.

## What it does
Reports a label whose name is also a mnemonic or the name of a register.

## Why
The colon makes it a label, so this is not an error. But `b acc` or `bne lr0 lr1 lr2` is easily
misread, and without the colon the label becomes an instruction.

## Example
```
acc:
    mult.ee r0 lr0 lr1 lr2;
    acc;
    b acc;;
```

## Use instead
```
sum:
    mult.ee r0 lr0 lr1 lr2;
    acc;
    b sum;;
```
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint import Rule

RULE_ID = RuleId("H105", "ambiguous-label", Severity.HINT)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for the label of a bundle; none in linked sets, where other files may use it."""
    label = bundle.label
    if label is None or isa.surface.linked or bundle.syntax.plan.findings:
        return
    if isa.spec(label) is not None:
        other = "a mnemonic"
    elif label.lower() in _registers(isa):
        other = "a register"
    else:
        return
    (span,) = bundle.syntax.label_spans(label)
    message = f"a label should not be called like {other}, found {quoted(label)}"
    yield Diagnostic(RULE_ID, message, span)


@lru_cache(maxsize=8)
def _registers(isa: Isa) -> frozenset[str]:
    return frozenset(register.lower() for register in isa.file_of_register)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "sum: acc; b sum;;",
        "accumulate: acc; b accumulate;;",
        "lr16: acc; b lr16;;",
        "acc; acc: b +1;;",
    ),
    invalid=(
        "⟦acc⟧: acc; b acc;;",
        "⟦LR15⟧: acc; b LR15;;",
        "⟦r0⟧ : acc; b r0;;",
        "⟦mult.ee⟧: mult_nop; b mult.ee;;",
    ),
    check_bundle=check,
)
