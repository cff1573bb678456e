"""A load or store whose base register is a constant, and not where its data are.

## What it does
Reports a load or store whose base is a register that always holds the same number, whatever the
host writes to it: `cr1`, which is 1, and `cr0`, which is 0, where something says that the data lie
elsewhere. That is the comment at the beginning (`cr0 = 0x40`, a region, or another register that no
instruction reads), a comment `# CR cr0 = 64`, the configuration or the host. Row 0 as such is a
place for data. Instruction sets without such registers have no finding.

## Why
The access begins at row 0 or 1, not where the host put the data. Kernels of an older instruction
set, where the host sets these registers, have this mistake after they have been ported.

## Example
```
    SET lr1 cr0;;
    LDR_MULT_REG r0 lr1 cr1;;
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
from ipu_asm.flow.host_inputs import base_operands, said_elsewhere
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span

RULE_ID = RuleId("W312", "constant-cr-as-base", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each constant register in an address where the data are not."""
    constants = program.isa.constants
    numbers = program.where(_has_constant_base) if constants else ()
    said = said_elsewhere(program, constants) if numbers else {}
    for number in numbers:
        for mnemonic, register, span in _constant_bases(program.isa, program.bundles[number]):
            value, elsewhere = constants[register], said.get(register)
            if elsewhere is None and value == 0:
                continue  # row 0 is a place as any other
            message = (
                f"the base of `{mnemonic}` must be a register that the host sets: "
                f"`{register}` is always {value}"
            )
            if elsewhere is not None:
                message += f", and {elsewhere}"
            yield Diagnostic(RULE_ID, message, program.span(number, span))


def _has_constant_base(isa: Isa, bundle: Bundle) -> bool:
    return bool(_constant_bases(isa, bundle))


def _constant_bases(isa: Isa, bundle: Bundle) -> list[tuple[str, str, Span]]:
    """The mnemonics with a constant register in an address, and the register with its span."""
    return [each for each in base_operands(isa, bundle) if each[1] in isa.constants]


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "LDR_MULT_REG r0 lr0 cr2; BKPT;;",
        # As a number and as a data structure, a constant is what it says.
        "SET lr1 cr0; ADD lr2 lr1 cr1; BEQ lr1 CR0 +1;; MULT.VE lr0 cr1 0 lr0 cr0;; BKPT;;",
        # Row 0 is meant.
        "LDR_MULT_REG r0 lr0 cr0; STR_POST_AAQ_REG lr0 cr5; BKPT;;",
        "# Memory: input at row 0 (cr0 is 0)\n# CR cr0 = 0\nLDR_MULT_REG r0 lr0 cr0; BKPT;;",
        "# cr0 = INPUT_BASE\n# 0x0  128 bytes  input\nLDR_MULT_REG r0 lr0 cr0; BKPT;;",
        "# cr2 results\nLDR_MULT_REG r0 lr0 cr0; STR_POST_AAQ_REG lr0 cr2; BKPT;;",
        "# cr2 results, cr0 = 0: inputs\nLDR_MULT_REG r0 lr0 cr0; BKPT;;",
    ),
    invalid=(
        "LDR_MULT_REG r0 lr0 ⟦cr1⟧; STR_POST_AAQ_REG lr0 cr5; BKPT;;",
        "ldr_cyclic_mult_reg lr0 ⟦CR1⟧ lr2;; str_acc_reg lr0 cr0; BKPT;;",
        "# CR cr0 = 64\nSTR_POST_AAQ_REG lr0 ⟦cr1⟧; LDR_MULT_MASK_REG lr0 ⟦cr0⟧; BKPT;;",
        "# cr0 = 0x40, the inputs\nLDR_MULT_REG r0 lr0 ⟦cr0⟧; BKPT;;",
        "# cr0 = INPUT_BASE\n# 0x2000  128 bytes  input\nLDR_MULT_REG r0 lr0 ⟦cr0⟧; BKPT;;",
        "# cr2 inputs\nLDR_MULT_REG r0 lr0 ⟦cr0⟧; BKPT;;",
    ),
    check_program=check,
    isa="ipu2",
)
