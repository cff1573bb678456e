"""A character or word that does not fit the syntax.

## What it does
Reports text that the syntax does not allow: a character that belongs to no name, number, label or
comment; an empty instruction or bundle; a label that is not before its bundle's first instruction,
or that no bundle follows; a comment that is not closed. Syntax of other assemblers that this one
does not have (directives, named constants, expressions, strings, brackets, block comments, comments
after a `;`) is one finding, regardless of its number of tokens. In a file that is not UTF-8, the
rule reports the first invalid byte.

In files with a preprocessor it also reports malformed directives: an `#if` that no `#endif` closes,
an `#else` or `#endif` without `#if`, a condition that is no expression, a missing name, and a call
of a macro without a closing parenthesis.

## Why
Such text cannot be encoded. The other bundles are still read, so their errors are reported too.

## Example
```
ldr_mult_reg r0 lr0 cr0;;
ldr_cyclic_mult_reg lr0 cr1 lr0;
mult.ee r0, lr0 lr1 lr2;
acc.first;
bkpt;;
```

## Use instead
```
ldr_mult_reg r0 lr0 cr0;;
ldr_cyclic_mult_reg lr0 cr1 lr0;
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
        # Syntax of other assemblers
        "⟦.globl⟧ main\nmain: acc; b main;;",
        "N ⟦=⟧ 4\nbkpt;;",
        "⟦;⟧ the end\n; of it\nbkpt;;",
        "set lr0 4⟦*⟧(2+2); set lr1 ⟦(4 + 4)⟧; bkpt;;",
        "ldr_mult_reg r0 ⟦[lr0 cr0]⟧; bkpt;;",
        "again⟦-⟧and-again: acc; b again-and-again;;",
        # Empty instructions and bundles
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
