"""A load or store whose base register is a constant.

## What it does
Reports a load or store whose base is a register that always holds the same number, whatever the
host writes to it: `cr0`, which is 0, and `cr1`, which is 1. Instruction sets without such registers
have no finding.

## Why
The access begins at row 0 or 1, not where the host put the data. Kernels of an older instruction
set, where the host sets these registers, have this mistake after they have been ported.

## Example
```
    SET lr1 cr0;;
    LDR_MULT_REG r0 lr1 cr0;;
    LDR_CYCLIC_MULT_REG lr1 cr2 lr0;;
    MULT.RC.VV lr0 r0 0 lr0 cr15;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr1 cr3;
    BKPT;;
```

## Use instead
```
    SET lr1 cr0;;
    LDR_MULT_REG r0 lr1 cr4;;
    LDR_CYCLIC_MULT_REG lr1 cr2 lr0;;
    MULT.RC.VV lr0 r0 0 lr0 cr15;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr1 cr3;
    BKPT;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule

RULE_ID = RuleId("W312", "constant-cr-as-base", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each constant register in an address."""
    for place, instruction in enumerate(bundle.instructions if isa.constants else ()):
        spec = instruction.spec
        accesses = spec.scalar.accesses if spec is not None and spec.scalar is not None else ()
        named = {term.operand for access in accesses for term in access.address}
        for number, (operand, word) in enumerate(zip(instruction.operands, instruction.words[1:])):
            value = isa.constants.get(word.lower())
            if operand is not None and operand.name in named and value is not None:
                message = (
                    f"the base of `{instruction.mnemonic}` must be a register that the host sets: "
                    f"`{word}` is always {value}"
                )
                yield Diagnostic(RULE_ID, message, bundle.span(place, number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "LDR_MULT_REG r0 lr0 cr2; BKPT;;",
        # As a number and as a data structure, a constant is what it says.
        "SET lr1 cr0; ADD lr2 lr1 cr1; BEQ lr1 CR0 +1;; MULT.VE lr0 cr1 0 lr0 cr0;; BKPT;;",
    ),
    invalid=(
        "LDR_MULT_REG r0 lr0 ⟦cr0⟧; STR_POST_AAQ_REG lr0 cr5; BKPT;;",
        "ldr_cyclic_mult_reg lr0 ⟦CR1⟧ lr2;; str_acc_reg lr0 ⟦cr0⟧; BKPT;;",
        "STR_POST_AAQ_REG lr0 ⟦cr1⟧; LDR_MULT_MASK_REG lr0 ⟦cr0⟧; BKPT;;",
    ),
    check_bundle=check,
    isa="ipu2",
)
