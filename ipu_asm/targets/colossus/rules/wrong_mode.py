"""An instruction or control register of the other execution mode.

## What it does
Reports worker instructions after `.supervisor`, supervisor instructions after `.worker`, and
control registers that the current mode does not have.

## Why
A tile has one supervisor and six workers. The supervisor has no aux pipeline, so it cannot use `$a`
registers, compute in floating point or repeat; a worker cannot start other workers or take part in
the exchange. The assembler rejects instructions and registers that the mode does not have. The last
`.worker` or `.supervisor` before an instruction sets its mode.

## Example
```
.supervisor
ld32 $a0, $m0, $mzero, 0
```

## Use instead
```
.supervisor
ld32 $m1, $m0, $mzero, 0
```
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule
from ipu_asm.program.execution_modes import modes_of
from ipu_asm.program.incremental_cache import Test
from ipu_asm.program.program import Program
from ipu_asm.text import Span

RULE_ID = RuleId("C105", "wrong-mode", Severity.ERROR)
# The trait of instructions that access control registers.
_SYSTEM = "system"


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each instruction and control register that the current mode does not have."""
    for first, last, mode in modes_of(program).ranges(len(program.bundles)):
        wrong = program.where(_wrong_in(mode))
        for number in wrong[bisect_left(wrong, first) : bisect_left(wrong, last)]:
            for message, span in _mistakes(program.isa, program.bundles[number], mode):
                yield Diagnostic(RULE_ID, message, program.span(number, span))


@cache
def _wrong_in(mode: str) -> Test:
    """The test for bundles that are invalid in a mode."""

    def is_wrong(isa: Isa, bundle: Bundle) -> bool:
        suspicious = _SYSTEM in bundle.traits or not bundle.traits.isdisjoint(_modes(isa) - {mode})
        return suspicious and any(_mistakes(isa, bundle, mode))

    return is_wrong


def _modes(isa: Isa) -> frozenset[str]:
    return frozenset(isa.surface.modes.values())


def _mistakes(isa: Isa, bundle: Bundle, mode: str) -> Iterator[tuple[str, Span]]:
    known = _modes(isa)
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None or instruction.findings:
            continue
        own = instruction.spec.traits & known
        if own and mode not in own:
            name = next(iter(own))
            found = f"found it in {mode} code"
            yield f"`{instruction.mnemonic}` is for {name} code here, {found}", bundle.span(number)
            continue
        for place, other in _other_modes(instruction):
            if other not in ("", mode):
                text = instruction.words[place + 1]
                message = f"`{text}` is for {other} code only, found it in {mode} code"
                yield message, bundle.span(number, place)


def _other_modes(instruction: Instruction) -> Iterator[tuple[int, str]]:
    for place, operand in enumerate(instruction.operands):
        if operand is not None:
            yield place, operand.type.mode(instruction.words[place + 1])


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "ld32 $a0, $m0, $mzero, 0\nrunall $m0, $m1, 0",
        ".worker\nld32 $a0, $m0, $mzero, 0\n.supervisor\nrunall $m0, $m1, 0",
        ".worker\nput $PC, $m0\nuput $PRNG_0_1, $a0",
        # The preprocessor decides which directive applies.
        ".worker\n#ifndef A\n.supervisor\n#endif\nrunall $m0, $m1, 0",
        ".supervisor\n.macro BODY\nf32add $a0, $a1, $a2\n.endm",
        ".allow_invalid_execution_mode\n.supervisor\nf32add $a0, $a1, $a2",
    ),
    invalid=(
        ".supervisor\n⟦st64step⟧ $a0:1, $m0, $m1+=, $m2",
        ".worker\n⟦runall⟧ $m0, $m1, 0",
        ".worker\nget $m0, ⟦$CWEI_0_2⟧",
        ".supervisor\n{ ⟦rpt⟧ 10, 0 ; ⟦fnop⟧ }",
        "#ifdef A\n.supervisor\n#else\n.worker\n⟦sync⟧ 1\n#endif",
    ),
    check_program=check,
    isa="colossus",
)
