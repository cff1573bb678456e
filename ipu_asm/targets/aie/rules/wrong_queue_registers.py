"""A load or store queue is accessed with a register of another queue.

## What it does
Reports an access to a load or store queue with the pointer or position of another queue.

## Why
Each queue has its own pointer and position: `lf0` goes with `p0` and `r24`, `lf1` with `p1` and
`r25`, `sf` with `p2` and `r26`. The instruction has one number for all three, so no other
combination can be encoded.

## Example
```
    vlda.fill.512 [p0, lf1, r24]
```

## Use instead
```
    vlda.fill.512 [p0, lf0, r24]
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_span, accesses_of
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

RULE_ID = RuleId("X103", "wrong-queue-registers", Severity.WARNING)

_TRIPLES = (("p0", "lf0", "r24"), ("p1", "lf1", "r25"), ("p2", "sf", "r26"))
_QUEUE = 1


def check(isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each register that does not belong to the queue of its access."""
    by_operand: dict[tuple[int, int], list[RegisterAccess]] = {}
    for touch in accesses_of(isa, bundle):
        by_operand.setdefault((touch.instruction, touch.operand), []).append(touch)
    for (instruction, _), touches in by_operand.items():
        registers = [touch.register for touch in touches]
        triple = next((each for each in _TRIPLES if each[_QUEUE] in registers), None)
        if triple is not None and not bundle.instructions[instruction].findings:
            for touch, due in zip(touches, triple):
                if touch.register != due:
                    yield _finding(bundle, touch, triple)


def _finding(bundle: Bundle, touch: RegisterAccess, triple: tuple[str, str, str]) -> Diagnostic:
    pointer, queue, position = triple
    message = f"`{queue}` goes with `{pointer}` and `{position}`, found `{touch.register}`"
    return Diagnostic(RULE_ID, message, access_span(bundle, touch))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    vlda.fill.512 [p0, lf0, r24]; vldb.pop.576 ex10, [p1, lf1, r25]\n",
        "    vlda.pop.512 x0, [p0, LF0, r24, m3]\n",
        "    vst.flush.512 [p2, sf, r26]\n",
    ),
    invalid=(
        "    vlda.fill.512 [⟦p0⟧, lf1, r25]\n",
        "    vldb.pop.576 ex10, [p1, lf1, ⟦r24⟧]; vlda.fill.512 [⟦p1⟧, lf0, ⟦R25⟧]\n",
    ),
    check_bundle=check,
    isa="xdna2",
)
