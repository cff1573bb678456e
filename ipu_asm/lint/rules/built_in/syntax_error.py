"""A character or word that does not fit the syntax.

## What it does
Reports what cannot stand where it stands: a character that belongs to no name, number, label or
comment; an instruction or a bundle without anything in it; a label that is not in front of its
bundle's first instruction, or that no bundle follows; a comment that nothing closes. What other
assemblers have and this one does not (directives, named constants, expressions, strings, brackets,
block comments, comments behind a `;`) is one finding, however many tokens it has. In a file that is
not UTF-8, it reports the first byte that is not.

## Why
Nothing can be encoded for it. The other bundles are read all the same, so their errors show, too.

## Example
```
mult.ee r0, lr0 lr1 lr2;
acc.first;
bkpt;;
```

## Use instead
```
mult.ee r0 lr0 lr1 lr2;
acc.first;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import SYNTAX_ERROR
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=SYNTAX_ERROR,
    documentation=__doc__ or "",
    valid=(
        "",
        "# nothing but a comment",
        "\ufeffacc; bkpt;\n;; // a byte-order mark is skipped\n",
        "acc; bkpt",
        "5 : b 5;;",
    ),
    invalid=(
        # Characters
        "mult.ee r0⟦,⟧ lr0, lr1 lr2; incr lr3⟦,⟧ 1; acc; bkpt;;",
        "mult.ee r0⟦,⟧ lr0, lr1, lr2; acc; bkpt;;",
        "set lr0 ⟦-⟧ 1; bkpt;;",
        "⟦/*⟧ the end */ bkpt;;",
        "acc;;\n⟦\ufeff⟧bkpt;;",
        "⟦.⟧again: acc; b again;;",
        # What other assemblers have
        "⟦.globl⟧ main\nmain: acc; b main;;",
        "N ⟦=⟧ 4\nbkpt;;",
        "⟦;⟧ the end\n; of it\nbkpt;;",
        "set lr0 4⟦*⟧(2+2); set lr1 ⟦(4 + 4)⟧; bkpt;;",
        "ldr_mult_reg r0 ⟦[lr0 cr0]⟧; bkpt;;",
        "again⟦-⟧and-again: acc; b again-and-again;;",
        # Nothing where something is due
        "acc; ⟦;⟧ bkpt;;",
        "acc;;⟦;⟧ bkpt;;",
        "acc;; ⟦;;⟧ bkpt;;",
        # Labels
        "acc; ⟦again⟧: incr lr0 1; b again;;",
        "one: ⟦two⟧: acc; b one;;",
        "bkpt;;\n⟦end⟧:\n",
        "bkpt;;\n⟦end⟧: ;;",
        "⟦+5⟧: acc; b +5;;",
        # One finding for each broken bundle
        "acc; ⟦$⟧;;\n⟦;;⟧ bkpt;;",
    ),
    fixes=(Applicability.SAFE, Applicability.UNSAFE),
)
