"""A label that nothing refers to.

## What it does
Reports a label that no branch of the file names.

## Why
Labels here serve branches only. One without a branch is often left over from a loop that was
changed, or the branch that should name it names another.

## Example
```
again:
    incr lr0 1;;
    bkpt;;
```

## Use instead
```
    incr lr0 1;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, Fix, Kind, Severity
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.rule import Rule
from ipu_asm.program import Program
from ipu_asm.text import Span, TextEdit

KIND = Kind("W101", "unused-label", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each label without a reference, in sets whose labels serve branches."""
    if not program.isa.branches:
        return
    used = {reference.text for reference in program.references}
    for label, number in program.labels.items():
        if label not in used:
            span = program.label_span(label)
            message = f"label {quoted(label)} is never branched to"
            fix = Fix(f"remove label {quoted(label)}", (_removal(program, number, span),))
            yield Diagnostic(KIND, message, span, fix=fix, tags=("unnecessary",))


def _removal(program: Program, number: int, label: Span) -> TextEdit:
    """The label, its colon and the blanks behind it on the line."""
    bundle = program.bundles[number]
    colon = program.span(number, bundle.syntax.spans[bundle.syntax.plan.label + 1])
    end = colon.end
    while program.text[end : end + 1] in (" ", "\t"):
        end += 1
    return TextEdit(Span(label.start, end), "")


RULE = Rule(
    kind=KIND,
    documentation=__doc__ or "",
    valid=("again: incr lr0 1; bne lr0 lr1 again;;\nbkpt;;",),
    invalid=("⟦again⟧: incr lr0 1;;\nbkpt;;",),
    check_program=check,
)
