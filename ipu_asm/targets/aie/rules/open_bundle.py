"""A line that ends in a separator, so that its bundle continues.

## What it does
Reports a `;` that is followed only by blanks or a comment on its line.

## Why
The end of a line ends a bundle only if no separator precedes it. After a separator, the operations
of the next line are issued together with those of this line, despite the line break.

## Example
```
    lda r0, [p0, #0];
    add r1, r1, r2
```

## Use instead
```
    lda r0, [p0, #0]
    add r1, r1, r2
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("X104", "open-bundle", Severity.WARNING)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each separator that is the last token of its line."""
    mark, syntax = isa.surface.separator, bundle.syntax
    if mark not in syntax.text or not bundle.instructions:
        return
    for number, word in enumerate(syntax.words):
        following = syntax.words[number + 1 : number + 2]
        if word[: len(mark)] == mark and (word != mark or not following or following[0].isspace()):
            start = syntax.spans[number].start
            span = Span(start, start + len(mark))
            message = (
                f"a `{mark}` at the end of a line continues the bundle on the next line, found one"
            )
            fix = Fix(f"remove the `{mark}`", (TextEdit(span, ""),), Applicability.UNSAFE)
            yield Diagnostic(RULE_ID, message, span, fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=("    nopa; nopb\n    nop\n", "    nop // nothing;\n    nop\n", "    .byte 1;\n"),
    invalid=(
        "    nopa⟦;⟧\n    nopb\n",
        "    nopa; nopb ⟦;⟧ // and then?\n    nop\n",
        "    nopa⟦;⟧",
        "    nopa⟦;⟧\r\n    nopb⟦;⟧ \r\n    nopx\n",
    ),
    check_bundle=check,
    isa="xdna1",
    fixes=(Applicability.UNSAFE,),
)
