"""An `rpt` body that does not begin at a multiple of 8 bytes.

## What it does
Reports an `rpt` that does not end at a multiple of 8 bytes. It is reported only if an alignment
directive before it makes the position certain.

## Why
The repeated bundles must be 8-byte aligned. A single instruction has 4 bytes, a bundle has 8, so an
`rpt` alone or an odd number of single instructions before it misaligns the body. The assembler
rejects that.

## Example
```
.align 8
  rpt $m0, 0
  { ld32step $a0, $mzero, $m1+=, 1 ; f32add $a1, $a1, $a0 }
```

## Use instead
```
.align 8
  { rpt $m0, 0 ; fnop }
  { ld32step $a0, $mzero, $m1+=, 1 ; f32add $a1, $a1, $a0 }
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules.repeat_body import (
    ALIGNMENT,
    Repeat,
    is_misaligned,
    repeats,
    repeats_in,
)

RULE_ID = RuleId("C104", "repeat-misaligned", Severity.ERROR)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each `rpt` whose body certainly does not begin at a multiple of 8 bytes."""
    for number in program.where(repeats):
        if is_misaligned(program, number):
            yield from (_finding(program, repeat) for repeat in repeats_in(program, number))


def _finding(program: Program, repeat: Repeat) -> Diagnostic:
    bundle = program.bundles[repeat.bundle]
    remedy = "put a `nop` before it"
    if bundle.syntax.plan.braces is None:
        remedy = "put it into a bundle with `fnop`"
    message = (
        f"what is repeated must begin at a multiple of {ALIGNMENT} bytes, "
        f"found `{bundle.instructions[repeat.instruction].mnemonic}` ending in the middle; {remedy}"
    )
    return Diagnostic(
        RULE_ID, message, program.span(repeat.bundle, bundle.span(repeat.instruction))
    )


_BODY = "\n{ add $m1, $m0, 5 ; fnop }"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f".align 8\n{{ rpt 10, 0 ; fnop }}{_BODY}",
        f".align 8\nnop\nrpt 10, 0{_BODY}",
        f".align 8\nrpt 10, ((2f - 1f) / 8) - 1\n1:\n.align 8{_BODY}\n2:",
        # The position of the code is not known.
        f"rpt 10, 0{_BODY}",
        f".align 8\n.macro PAD\nnop\n.endm\nPAD\nrpt 10, 0{_BODY}",
        f".allow_invalid_repeat\n.align 8\nrpt 10, 0{_BODY}",
    ),
    invalid=(
        f".align 8\n⟦rpt⟧ 10, 0{_BODY}",
        f".p2align 3\nnop\n{{ ⟦rpt⟧ 10, 0 ; fnop }}{_BODY}",
        f".align 16\nfoo:\nsetzi $m0, 1\n{{ nop ; fnop }}\n{{ ⟦rpt⟧ 10, 0\n  fnop }}{_BODY}",
    ),
    check_program=check,
    isa="colossus",
)
