"""An instruction that the emulator has and the machine does not.

## What it does
Reports instructions of a slot that exists in simulation only, such as `STR_ACC_REG` of IPU 2.

## Why
They assemble and run in the emulator like any other, which is what they are for: to look at
intermediate results. On the machine the slot is missing, so a kernel that needs the instruction
has no result there.

## Example
```
# isa: ipu2
    LDR_MULT_REG r0 lr0 cr3;;
    LDR_CYCLIC_MULT_REG lr0 cr4 lr1;;
    MULT.RC.VV lr0 r0 0 lr1 cr15;
    ACC.ADD.FIRST;
    STR_ACC_REG lr0 cr2;
    BKPT;;
```

## Use instead
```
# isa: ipu2
    LDR_MULT_REG r0 lr0 cr3;;
    LDR_CYCLIC_MULT_REG lr0 cr4 lr1;;
    MULT.RC.VV lr0 r0 0 lr1 cr15;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE identity cr15;
    STR_POST_AAQ_REG lr0 cr2;
    BKPT;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("H110", "simulation-only", Severity.HINT)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each instruction of a slot that only the emulator has."""
    for number, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is not None and not spec.nop and isa.slot_by_name[spec.slot].simulation_only:
            found = f"found `{instruction.mnemonic}`"
            message = f"slot `{spec.slot}` exists in simulation only, {found}"
            yield Diagnostic(RULE_ID, message, bundle.span(number))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("STR_POST_AAQ_REG lr0 cr2; BKPT;;", "NOP; NOP; NOP;; BKPT;;"),
    invalid=("⟦STR_ACC_REG⟧ lr0 cr2; BKPT;;", "INC lr0 1; ⟦str_acc_reg⟧ lr0 cr2;; BKPT;;"),
    check_bundle=check,
    isa="ipu2",
)
