"""A program that continues past its last bundle.

## What it does
Reports a bundle that control can certainly reach and from which it can continue at an address after
the last bundle: because the last bundle neither halts nor always branches, or because the distance
of a branch is too large. Nothing is reported while a bundle is broken.

## Why
Instruction memory after the program was never loaded. A bundle there does nothing but takes a
cycle, so the machine continues to the end of the memory before it halts. The usual cause is a
missing halt or a missing branch back to a loop.

## Example
```
    set lr0 0; set lr1 9;;
again:
    incr lr0 1;
    bne lr0 lr1 again;;
```

## Use instead
```
    set lr0 0; set lr1 9;;
again:
    incr lr0 1;
    bne lr0 lr1 again;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.flow.control_flow import Edge, reachability_of
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("W103", "runs-off-end", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each bundle from which control can certainly leave the program."""
    isa = program.isa
    if program.size >= isa.program_limit or not isa.branches or isa.surface.linked:
        return
    leaving = reachability_of(program).leaving
    halt = _halt(program.isa) if leaving else None
    if halt is None:
        return
    # A branch to the next address continues there taken or not: report it once.
    steps = {(step.origin, step.target): step for step in sorted(leaving, reverse=True)}
    for step in steps.values():
        yield _finding(program, step, halt)


def _halt(isa: Isa) -> InstructionSpec | None:
    """The instruction that halts a program; sets without one end a program at its last bundle."""
    halts = (spec for spec in isa.instructions.values() if spec.flow == "halt")
    return next((spec for spec in halts if not spec.operands), None)


def _finding(program: Program, step: Edge, halt: InstructionSpec) -> Diagnostic:
    number = program.number_at(step.origin)
    bundle, unit = program.bundles[number], program.isa.unit
    if step.falls:
        span = bundle.span(0)
        message = (
            f"the last {unit} must halt (`{halt.mnemonic}`) or always branch, "
            "found one that goes on into memory that was never loaded"
        )
    else:
        span = bundle.span(bundle.label_uses[0].instruction)
        count = f"1 {unit}" if program.size == 1 else f"{program.size} {unit}s"
        message = f"a program of {count} must not go on at address {step.target}"
    fix = None
    if step.target == program.size:
        fix = _halt_beside(program, number, halt) or _halt_behind(program, halt)
    return Diagnostic(RULE_ID, message, program.span(number, span), fix=fix)


def _halt_beside(program: Program, number: int, halt: InstructionSpec) -> Fix | None:
    """Add the halt to the last bundle, formatted like its other instructions."""
    bundle, surface = program.bundles[number], program.isa.surface
    slot = program.isa.slot_by_name[halt.slot]
    if not surface.separator or len(bundle.instructions_of(halt.slot)) >= slot.capacity:
        return None
    last = bundle.syntax.instruction_span(len(bundle.instructions) - 1)
    text = f"{surface.separator}{_gap(bundle)}{halt.mnemonic}"
    edit = TextEdit(program.span(number, Span(last.end, last.end)), text)
    title = f"add `{halt.mnemonic}` to the last {program.isa.unit}"
    return Fix(title, (edit,), Applicability.UNSAFE)


def _gap(bundle: Bundle) -> str:
    """The blanks between the bundle's last separator and its last instruction, or one space."""
    if len(bundle.instructions) < 2:
        return " "
    token = bundle.syntax.plan.instructions[-1].mnemonic
    gap = bundle.syntax.text[bundle.syntax.spans[token - 1].end : bundle.syntax.spans[token].start]
    return gap if gap.isspace() else " "


def _halt_behind(program: Program, halt: InstructionSpec) -> Fix:
    """Append a bundle with the halt; the end mark of the last bundle may be missing."""
    surface = program.isa.surface
    number = program.number_at(program.size - 1)
    syntax = program.bundles[number].syntax
    start, end = program.span(number, syntax.spans[-1])
    text = f"\n{halt.mnemonic}{surface.bundle_end}"
    if syntax.words[-1] != surface.bundle_end:
        start = start if syntax.words[-1] == surface.separator else end
        edit = TextEdit(Span(start, end), surface.bundle_end + text)
    else:
        edit = TextEdit(Span(end, end), text)
    title = f"add `{halt.mnemonic}` after the last {program.isa.unit}"
    return Fix(title, (edit,), Applicability.UNSAFE)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "acc; bkpt;;",
        "start: acc;; b start;;",
        "b +2;; one: bkpt;; b one;;",
        # The last bundle is unreachable, or may be.
        "bkpt;; acc;;",
        "set lr0 1;; br lr0;; acc;;",
        # A register equals itself, so these always or never branch.
        "again: acc; beq lr0 lr0 again;;",
        "bne lr0 LR0 +100;; bkpt;;",
        "ac;; bkpt;; acc;;",
        "b +2;; bkpt;; acc; acc; b -1;;",
    ),
    invalid=(
        "set lr0 1;; ⟦acc⟧;;",
        "⟦acc⟧",
        "again: ⟦incr⟧ lr0 1;\n    bne lr0 lr1 again # and then?\n;; # nothing\n",
        "⟦b⟧ +1;;",
        "acc; ⟦beq⟧ lr0 lr1 +1;;",
        "acc; ⟦beq⟧ lr0 lr1 +500;; bkpt;;",
        "beq lr0 lr1 +2;; br lr0;; ⟦set⟧ lr0 1;\n    acc;\n;;",
    ),
    check_program=check,
    fixes=(Applicability.UNSAFE,),
)
