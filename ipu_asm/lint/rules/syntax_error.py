"""A character or word that does not fit the syntax.

## What it does
Reports the first token of each bundle's piece that cannot stand where it stands: a character that
belongs to no name, number, label or comment; an instruction or a bundle without anything in it; a
label that is not in front of its bundle's first instruction, or that no bundle follows; a comment
that nothing closes.

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
from ipu_asm.errors import SYNTAX_ERROR
from ipu_asm.lint.rule import Rule

RULE = Rule(
    kind=SYNTAX_ERROR,
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
        "mult.ee r0⟦,⟧ lr0⟦,⟧ lr1 lr2; acc; bkpt;;",
        "mult.ee r0⟦,⟧ lr0⟦,⟧ lr1⟦,⟧ lr2; acc; bkpt;;",
        "set lr0 ⟦-⟧ 1; bkpt;;",
        "⟦/*⟧ the end ⟦*/⟧ bkpt;;",
        "acc;;\n⟦\ufeff⟧bkpt;;",
        "⟦.⟧again: acc; b again;;",
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
