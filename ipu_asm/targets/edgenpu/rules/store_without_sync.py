"""A `STORE` that the program does not wait for.

## What it does
Reports the last `STORE` of a program if no `SYNC` that waits for transfers follows it.

## Why
A transfer continues after its instruction. If the program ends without waiting for it, the data may
not be in DDR when the host reads it.

## Example
```
STORE 0x80020000, AB[1], 16384
NOP
```

## Use instead
```
STORE 0x80020000, AB[1], 16384
SYNC WAIT_DMA | IRQ
NOP
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.targets.edgenpu.rules.used_before_sync import waits_for
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("N102", "store-without-sync", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for the last store, if no instruction waits for it."""
    for number in reversed(range(len(program.bundles))):
        bundle = program.bundles[number]
        for place, instruction in enumerate(bundle.instructions):
            if "dma" in waits_for(instruction):
                return
            spec = instruction.spec
            if spec is not None and "dma" in spec.traits and "ddr" in spec.writes:
                yield _finding(program, number, place)
                return


def _finding(program: Program, number: int, place: int) -> Diagnostic:
    bundle = program.bundles[number]
    mnemonic = bundle.instructions[place].mnemonic
    message = f"`SYNC WAIT_DMA` must follow the last store, found `{mnemonic}` without one"
    end = program.span(number, bundle.syntax.instruction_span(place)).end
    line_end = program.text.find("\n", end)
    at = len(program.text) if line_end < 0 else line_end
    at -= program.text[at - 1 : at] == "\r"
    edit = TextEdit(Span(at, at), "\n    SYNC    WAIT_DMA")
    fix = Fix("insert `SYNC WAIT_DMA` after it", (edit,), Applicability.UNSAFE)
    return Diagnostic(RULE_ID, message, program.span(number, bundle.span(place)), fix=fix)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "STORE 0x80020000, AB[1], 16384\nSYNC WAIT_DMA | IRQ\nNOP\n",
        "STORE 0x80020000, AB[1], 16384\nSTORE 0x80030000, AB[2], 16384\nSYNC WAIT_DMA\n",
        "NOP 4\n",
    ),
    invalid=(
        "⟦STORE⟧ 0x80020000, AB[1], 16384\nNOP\n",
        "SYNC WAIT_DMA\n⟦STORE⟧ 0x80020000, AB[1], 16384\nSYNC WAIT_COMPUTE\n",
    ),
    check_program=check,
    isa="edgenpu",
    fixes=(Applicability.UNSAFE,),
)
