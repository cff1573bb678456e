"""Bundles that control never reaches.

## What it does
Reports bundles that no path from the first bundle of the program reaches, neither from the bundle
before nor by a branch. Adjacent bundles are reported together. Nothing is reported while an
indirect branch, an undefined label or a broken bundle makes the control flow unknown.

## Why
Unreachable bundles are never executed. Often the branch before them should be conditional, or the
branch that should lead to them names a different label.

## Example
```
    set lr0 3;;
    b done;;
    incr lr0 1;;
done:
    bkpt;;
```

## Use instead
```
    set lr0 3;;
    beq lr0 lr1 done;;
    incr lr0 1;;
done:
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_flow import reachability_of
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span

RULE_ID = RuleId("W102", "unreachable-bundle", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each range of addresses that control does not reach."""
    if not program.isa.branches or program.isa.surface.linked:
        return
    reachable = reachability_of(program).reachable
    first = reachable.find(0)
    while first >= 0:
        end = reachable.find(1, first)
        end = end if end >= 0 else len(reachable)
        message = _message(program.isa.unit, end - first)
        yield Diagnostic(RULE_ID, message, _span(program, first, end - 1), tags=_TAGS)
        first = reachable.find(0, end)


_TAGS = ("unnecessary",)


def _message(unit: str, count: int) -> str:
    these = f"this {unit}" if count == 1 else f"these {count} {unit}s"
    return f"control must have a way to every {unit}, found none to {these}"


def _span(program: Program, first: int, last: int) -> Span:
    """From the first token of a bundle to the last instruction of another, by address."""
    start, end = program.number_at(first), program.number_at(last)
    bundle = program.bundles[end]
    stop = bundle.syntax.instruction_span(len(bundle.instructions) - 1)
    opening = program.span(start, program.bundles[start].first_token)
    return Span(opening.start, program.span(end, stop).end)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "bne lr0 lr1 +2;; acc;; bkpt;;",
        # The target of `br` is known only at run time.
        "set lr0 2;; br lr0;; bkpt;; acc;; bkpt;;",
        # `ac` may be any instruction, `end` any address.
        "b +2;; ac;; bkpt;;",
        "b end;; acc;; bkpt;;",
    ),
    invalid=(
        "b +2;; ⟦acc⟧;; bkpt;;",
        "b end;;\n⟦again: incr lr0 1;;\nbne lr0 lr1 again⟧;;\nend: bkpt;;",
        "b two;; ⟦acc⟧;; one: bkpt;; ⟦acc;; acc⟧;; two: b one;;",
        "bkpt;; # the end\n⟦acc.first⟧; # and more\n",
    ),
    check_program=check,
)
