"""Both halves of a bundle write the same register.

## What it does
Reports a bundle whose two instructions write the same register, or overlapping groups of registers.
Registers that read as zero count as well, and so does the same name for a register, regardless of
its macro expansion.

## Why
Both halves of a bundle are executed at once. It is not defined which of the two results remains,
and the assembler rejects such a bundle.

## Example
```
{ ld64 $a0:1, $m0, $mzero, 0 ; f32add $a1, $a2, $a3 }
```

## Use instead
```
{ ld64 $a0:1, $m0, $mzero, 0 ; f32add $a4, $a2, $a3 }
```
"""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_of, access_span, accesses_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint import Rule

RULE_ID = RuleId("C102", "write-clash", Severity.ERROR)
_NAME = re.compile(r"[$\\][\w.$\\():@]+")


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each write to what an earlier instruction of the bundle also writes."""
    if (
        len(bundle.instructions) != 2
        or bundle.syntax.plan.inner_directives
        or None in bundle.places
    ):
        return
    writes = [touch for touch in accesses_of(isa, bundle) if touch.writes and touch.operand >= 0]
    writes += _by_other_names(bundle)
    for later in writes:
        for earlier in writes:
            clashes = earlier.instruction < later.instruction
            if clashes and not earlier.units.isdisjoint(later.units):
                yield _finding(bundle, earlier, later)
                break


def _by_other_names(bundle: Bundle) -> Iterator[RegisterAccess]:
    """The writes to registers whose names are defined by macros."""
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None:
            continue
        for place, operand in enumerate(instruction.operands):
            if operand is None or access_of(instruction.spec, operand) != "w":
                continue
            text = instruction.words[place + 1]
            if _NAME.fullmatch(text) and not operand.type.names(text):
                yield RegisterAccess(text, frozenset((text,)), "w", number, place, 0, len(text))


def _finding(bundle: Bundle, earlier: RegisterAccess, later: RegisterAccess) -> Diagnostic:
    first, second = access_span(bundle, earlier), access_span(bundle, later)
    texts = [quoted(bundle.syntax.text[span.start : span.end]) for span in (first, second)]
    message = (
        f"the halves of a bundle write different registers, found a second write of {texts[1]}"
    )
    if texts[0] != texts[1]:
        message += f", which overlaps {texts[0]}"
    related = RelatedInformation(first, f"{texts[0]} is written here")
    return Diagnostic(RULE_ID, message, second, (related,))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "{ ld32 $a0, $m0, $m0 ; setzi $a1, 10 }",
        "{ ld32 $a2, $m0, $m0 ; f16v2tof32 $a0:1, $a0 }",
        "{ ldst64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0 ; f32v2add $a2:3, $a2:3, $a4:5 }",
        "ld32 $a0, $m0, $m0\nsetzi $a0, 10",
        "#define SUM a0\n#define NEXT a1\n{ ld32 $NEXT, $m0, $m0 ; f32add $SUM, $SUM, $NEXT }",
    ),
    invalid=(
        "{ ld32 $a0, $m0, $m0 ; setzi ⟦$a0⟧, 10 }",
        "{ ld2x64pace $a0:1, $a2:3, $m0:1+=, $m15, 0x00 ; setzi ⟦$a1⟧, 10 }",
        "{ ld64a32 $a0:3, $m0++, $m0, $m1\n  f16v2tof32 ⟦$a2:3⟧, $a4 }",
        "{ ld32 $a15, $m13, $m15, 0 ; setzi ⟦$azero⟧, 4 }",
        "#define SUM a0\n{ ld32 $SUM, $m0, $m0 ; f32add ⟦$SUM⟧, $a1, $a2 }",
        ".macro next to\n{ ld64 \\to, $m0, $m0 ; f32v2add ⟦\\to⟧, $a0:1, $a2:3 }\n.endm",
    ),
    check_bundle=check,
    isa="colossus",
)
