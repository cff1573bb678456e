"""An assertion in a comment that does not hold.

## What it does
Checks what comments such as `# ASSERT lr5 in 0..127`, `# LOOP 128`, `# CYCLES <= 11` and
`# REGION out = cr2 + 0..0x4000 write` state against the control run: the exact execution of loop
registers and branches.

## Why
A comment about a value, a trip count or a budget of cycles is wrong after the next edit, and nobody
notices. Loop registers never depend on data, so such a comment can be proven or refuted while it is
typed. An assertion about data, or about a register that the host sets, is checked by a run.

## Example
```
# ASSERT lr0 == 0
set lr1 3;;
loop:  # LOOP 3
    incr lr0 1;
    bne lr0 lr1 loop;;
    bkpt;;
```

## Use instead
A branch reads the value before its bundle, so the loop has one more trip.
```
# ASSERT lr0 == 0
set lr1 3;;
loop:  # LOOP 4
    incr lr0 1;
    bne lr0 lr1 loop;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import ASSERTION_FALSE, Diagnostic
from ipu_asm.flow.assertions.comments import assertion_comments
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each assertion that does not hold."""
    if not assertion_comments(program):
        return
    from ipu_asm.flow.assertions.checks import check_assertions  # for few programs

    yield from check_assertions(program).findings


RULE = Rule(
    id=ASSERTION_FALSE,
    documentation=__doc__ or "",
    valid=(
        "# ASSERT lr0 == 0, lr1 != 1\nset lr1 3;; # ASSERT-AFTER lr1 == 3\nbkpt;;",
        "set lr1 3;;\nl: # LOOP 4\n# ASSERT lr0 in 0..3\nincr lr0 1; bne lr0 lr1 l;;\nbkpt;;",
        "# CYCLES 6\nset lr1 3;;\nl: # CYCLES 1\nincr lr0 1; bne lr0 lr1 l;;\nbkpt;;",
        "# ASSERT lr1 == cr5\nset lr1 3;;\nbkpt;;",
        "# ASSERT sum(acc) == 0\nset lr1 3;;\nbkpt;;",
        "# REGION out = cr2 + 0..512 write\nstr_acc_reg lr0 cr2;;\nbkpt;;",
        "# REGION in = cr1 + 0..512\n# REGION out = cr2 + 0..512 write\n"
        "str_acc_reg lr0 cr2;;\nldr_mult_reg r0 lr0 cr1;;\nbkpt;;",
    ),
    invalid=(
        "set lr1 3;;\n# ASSERT lr1 == 3, ⟦lr1 == 4⟧\nbkpt;;",
        "set lr1 3;; # ASSERT-AFTER ⟦lr1 > 3⟧  # as above\nbkpt;;",
        "set lr1 3;;\nl: # LOOP ⟦3⟧\nincr lr0 1; bne lr0 lr1 l;;\nbkpt;;",
        "set lr1 3;;\nl: # CYCLES ⟦<= 1⟧\nincr lr0 1;;\n bne lr0 lr1 l;;\nbkpt;;",
        "# CYCLES ⟦< 2⟧\nset lr1 3;;\nbkpt;;",
        "# REGION ⟦out = cr2 + 0..256 write⟧\nstr_acc_reg lr0 cr2;;\nbkpt;;",
        "# REGION ⟦out = cr2 + 0..512 write⟧\nldr_mult_reg r0 lr0 cr2;;\nbkpt;;",
        "# REGION a = 0..512\n# REGION ⟦b = 256..300⟧\nbkpt;;",
        "# REGION ⟦a = 0x1fff00..0x200100⟧\nbkpt;;",
    ),
    check_program=check,
)
