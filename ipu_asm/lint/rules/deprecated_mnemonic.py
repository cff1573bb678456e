"""A deprecated instruction.

## What it does
Reports the first use in a file of each instruction that the instruction set marks as deprecated,
and says what to use instead.

## Why
Deprecated instructions still work, but newer instructions do the same better, and a later machine
may not support them. `mult.ev` multiplies a vector in `r0` or `r1` by one of the scalars in
`r_cyclic`; `mult.ve` multiplies a vector in `r_cyclic` by one of the scalars in `r0` or `r1`. The
products are the same if the two loads are exchanged. With `mult.ve`, indices wrap at 512 in
`r_cyclic` and at 128 in the register, so more than 128 scalars need another load.

## Example
```
ldr_cyclic_mult_reg lr0 cr1 lr0;;   # the scalars
ldr_mult_reg r0 lr0 cr0;            # the vector
mult.ev r0 lr1 lr2 lr3;             # times scalar number lr1
acc.first;
bkpt;;
```

## Use instead
```
ldr_mult_reg r0 lr0 cr1;;           # the scalars
ldr_cyclic_mult_reg lr0 cr0 lr0;    # the vector, from element lr0 on
mult.ve r0 lr0 lr2 lr3 lr1;         # times scalar number lr1
acc.first;
bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import DEPRECATED, Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program

RULE_ID = RuleId("W201", "deprecated-mnemonic", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for the first use of each deprecated instruction."""
    known: set[str] = set()
    for number in program.where(_is_deprecated):
        bundle = program.bundles[number]
        for place, instruction in enumerate(bundle.instructions):
            spec = instruction.spec
            if spec is not None and spec.deprecated and spec.mnemonic not in known:
                known.add(spec.mnemonic)
                message = f"`{spec.mnemonic}` is deprecated: {spec.deprecated}"
                span = program.span(number, bundle.span(place))
                yield Diagnostic(RULE_ID, message, span, tags=("deprecated",))


def _is_deprecated(_isa: Isa, bundle: Bundle) -> bool:
    return DEPRECATED in bundle.traits


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("mult.ve r0 lr0 lr1 lr2 lr3; acc; bkpt;;",),
    invalid=(
        "⟦mult.ev⟧ r0 lr0 lr1 lr2; acc; bkpt;;",
        "⟦mult.ev⟧ r0 lr0;;\nacc; mult.ev r1 lr0 lr1 lr2;; mult.ev r0 lr0 lr1 lr2; bkpt;;",
    ),
    check_program=check,
)
