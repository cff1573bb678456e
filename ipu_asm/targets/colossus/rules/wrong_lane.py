"""A bundle with its halves in the wrong order.

## What it does
Reports a bundle with an instruction of the aux pipeline in its first half and an instruction of the
main pipeline in its second half.

## Why
The first half of a bundle goes to the main pipeline, the second half to the aux pipeline. The
assembler rejects a bundle in the opposite order, unless `.allow_optimizations` lets it swap the
halves.

## Example
```
{ f32add $a1, $a1, $a2 ; add $m0, $m0, 1 }
```

## Use instead
```
{ add $m0, $m0, 1 ; f32add $a1, $a1, $a2 }
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.text import TextEdit

RULE_ID = RuleId("C101", "wrong-lane", Severity.ERROR)


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for a bundle of two instructions in the wrong order."""
    syntax = bundle.syntax
    if syntax.plan.braces is None or syntax.plan.inner_directives or len(bundle.instructions) != 2:
        return
    lanes = [slot.name for slot in isa.slots]
    first, second = (_lane(instruction, lanes) for instruction in bundle.instructions)
    if first is None or second is None or first <= second:
        return
    message = (
        f"in a bundle the `{lanes[second]}` instruction stands first, "
        f"found the `{lanes[first]}` instruction `{bundle.instructions[0].mnemonic}` before it"
    )
    spans = syntax.instruction_span(0), syntax.instruction_span(1)
    texts = [syntax.text[span.start : span.end] for span in spans]
    edits = tuple(TextEdit(span, text) for span, text in zip(spans, reversed(texts)))
    # An instruction with errors may be meant for the other lane.
    are_right = not any(instruction.findings for instruction in bundle.instructions)
    applicability = Applicability.SAFE if are_right else Applicability.UNSAFE
    fix = Fix("swap the halves of the bundle", edits, applicability)
    yield Diagnostic(RULE_ID, message, bundle.span(0), fix=fix)


def _lane(instruction: Instruction, lanes: list[str]) -> int | None:
    return lanes.index(instruction.spec.slot) if instruction.spec is not None else None


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "{ add $m0, $m0, 1 ; f32add $a1, $a1, $a2 }",
        "f32add $a1, $a1, $a2\nadd $m0, $m0, 1",
        "{ nop ; fnop }",
        "{ setzi $m0, 1\n  setzi $a0, 1 }",
        ".allow_optimizations\n{ f32add $a1, $a1, $a2 ; brnzdec $m1, loop }",
        # A macro of a header that is not found may expand to anything.
        '#include "any.h"\n{ f32add $a1, $a1, $a2 ; ANY }',
        "{ nop\n#ifdef A\nnop\n#else\nf32add $a1, $a1, $a2\n#endif\n}",
    ),
    invalid=(
        "{ ⟦f32fromi32⟧ $a0, $a0 ; setzi $m1, 1 }",
        "again: { ⟦fnop⟧\n  brnzdec $m1, again }",
        "{ ⟦setzi⟧ $a0, 1 ; setzi $m0, 1 }",
        "{ ⟦f32add⟧ $a0, $a1 ; setzi $m0, 1 }",
    ),
    check_bundle=check,
    isa="colossus",
    fixes=(Applicability.SAFE, Applicability.UNSAFE),
)
