"""A program for another instruction set of the same language.

## What it does
Reports a program whose mnemonics are those of another instruction set, such as `ACC.ADD` and
`STR_POST_AAQ_REG` in a file that is read as one for the first IPU. The finding replaces all others
in the file. A program is reported only if at least two different mnemonics tell that it is one for
the other set, and more than three times as many instructions as those that speak for its own. A
file that names its set in a comment, and one for which `--isa` names it, is never reported.

A program of at least five different instructions that fits neither set, as it has instructions of
both or names that were changed, has the finding besides its others. It says to which set the
program is nearer; the others say how each word is written there.

## Why
Both generations of the IPU are written in files with the same extensions, and what reads a file has
to be told for which one it is. An error for each mnemonic would not say what to do. In an editor, a
quick fix sets the instruction set in `ipu.toml`, for the file or for the project.

## Example
```
    MULT.RC.VV lr0 r0 0 lr1 cr15;
    ACC.ADD.FIRST;;
    BKPT;;
```

## Use instead
```
# isa: ipu
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr0 lr0;;
    mult.ee r0 lr0 lr0 lr1;
    acc.first;;
    bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.lint.other_instruction_set import OTHER_INSTRUCTION_SET
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=OTHER_INSTRUCTION_SET,
    documentation=__doc__ or "",
    valid=(
        "",
        # One mnemonic may be a mistake.
        "acc.add;; bkpt;;",
        "acc.add;; acc.add;;",
        # A program of its own set, with mnemonics of the other.
        "acc.first;; acc.add;; acc.sub;; acc;;",
    ),
    invalid=(
        "⟦MULT.RC.VV⟧ lr0 r0 0 lr1 cr15; ACC.ADD.FIRST;;\nBKPT;;\n",
        "⟦acc.add⟧;; acc.sub;; set lr0 cr0;; inc lr0 1;;",
    ),
    fixes=(Applicability.DISPLAY,),
)
