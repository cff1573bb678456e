"""A bundle with one instruction.

## What it does
Reports braces with one instruction between them.

## Why
A bundle has one instruction for the main pipeline and one for the aux pipeline. An instruction that
is executed alone is written without braces; where a whole bundle is required, `nop` or `fnop` fills
the other half and does nothing.

## Example
```
{ add $m0, $m0, 1 }
```

## Use instead
```
{ add $m0, $m0, 1 ; fnop }
```
"""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint import Rule
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("C107", "half-bundle", Severity.ERROR)
# A macro argument or call, whose expansion may contain the other half.
_MADE = re.compile(r"\\|[A-Za-z_]\w*\(")
_NAME = re.compile(r"(?<![\w.$:])[A-Za-z_]\w*")


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for braces with one instruction, unless a macro may expand to the second."""
    plan = bundle.syntax.plan
    if (
        plan.braces is None
        or plan.findings
        or plan.inner_directives
        or len(bundle.instructions) != 1
    ):
        return
    instruction = bundle.instructions[0]
    if instruction.spec is None or any(map(_MADE.search, instruction.words)):
        return
    names = tuple(name for word in instruction.words[1:] for name in _NAME.findall(word))
    other = _filler(isa, instruction.spec)
    message = (
        f"a bundle has two instructions, found `{instruction.mnemonic}` alone; "
        f"`{other}` does nothing in the other half"
    )
    span = bundle.syntax.instruction_span(0)
    lanes = [slot.name for slot in isa.slots]
    if instruction.spec.slot == lanes[0]:
        edit = TextEdit(Span(span.end, span.end), f" ; {other}")
    else:
        edit = TextEdit(Span(span.start, span.start), f"{other} ; ")
    fix = Fix(f"add `{other}`", (edit,), Applicability.UNSAFE)
    yield Diagnostic(RULE_ID, message, bundle.span(0), fix=fix, dropped_if_defined=names)


def _filler(isa: Isa, spec: InstructionSpec) -> str:
    """The no-op of the slot that an instruction leaves free."""
    return next(
        each.mnemonic
        for slot in isa.slots
        if slot.name != spec.slot
        for each in isa.instructions_of(slot.name)
        if each.nop
    )


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "{ add $m1, $m2, $m3 ; fnop }",
        "add $m1, $m2, $m3",
        ".macro BOTH\nnop\nfnop\n.endm\n{ BOTH }",
        "#define REST 3 ; fnop\n{ add $m1, $m2, REST }",
        "#define REST ; fnop\n{ add $m1, $m2, $m3 REST }",
        "{ add $m1, $m2, $m3\n#ifndef A\nfnop\n#endif\n}",
    ),
    invalid=("{ ⟦add⟧ $m1, $m2, $m3 }", "loop: {\n  ⟦f32add⟧ $a0, $a1, $a2\n}"),
    check_bundle=check,
    isa="colossus",
    fixes=(Applicability.UNSAFE,),
)
