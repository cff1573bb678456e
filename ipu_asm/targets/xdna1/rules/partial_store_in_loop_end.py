"""A store of 8 or 16 bits in the last bundle of a hardware loop.

## What it does
Reports `st.s8`, `st.s16` and their `2d` and `3d` forms in the bundle whose address `le` is loaded
with, unless the loop is known to have one iteration.

## Why
XDNA1 silicon loses such a store each time the loop goes back to its start: only the last iteration
writes to memory. Simulators show nothing of it. No such loss is known of stores of whole words and
vectors, nor of XDNA2.

## Example
```
    movxm ls, #head
    movxm le, #last
    movxm lc, #16
    nopa; nopb; nops; nopxm; nopv  # 7 times
    .p2align 4
head:
    add r1, r1, #1
last:
    st.s8 r1, [p0], #1
    ret lr
    nop  # 5 times
```

## Use instead
```
    movxm ls, #head
    movxm le, #last
    movxm lc, #16
    nopa; nopb; nops; nopxm; nopv  # 7 times
    .p2align 4
head:
    st.s8 r1, [p0], #1
last:
    add r1, r1, #1
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.control_flow import label_put_into
from ipu_asm.flow.counted_loops.loops import counted_loops
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program

RULE_ID = RuleId("X106", "partial-store-in-loop-end", Severity.WARNING)

_PARTIAL_STORE = re.compile(r"st(?:\.[23]d)?\.[su](?:8|16)")


def check(program: Program) -> Iterator[Diagnostic]:
    """Yield a finding for each store of part of a word in the last bundle of a hardware loop."""
    seen: set[int] = set()
    for reference in program.references:
        if reference.target is None or reference.target in seen:
            continue
        setup = program.bundles[reference.bundle].instructions[reference.use.instruction]
        _, end = program.isa.loop_registers or ("", "")
        if not 0 <= reference.target < program.size or label_put_into(setup, end) is None:
            continue
        seen.add(reference.target)
        number = program.bundle_at_address[reference.target]
        for place in _partial_stores(program.isa, program.bundles[number]):
            if _is_repeated(program, reference.target):
                found = program.bundles[number].instructions[place].mnemonic
                message = (
                    "hardware loses a store of less than 32 bits in the last bundle of a hardware "
                    f"loop, found `{found}`; move it to an earlier bundle"
                )
                span = program.span(number, program.bundles[number].span(place))
                place_of_setup = program.reference_span(reference)
                related = RelatedInformation(place_of_setup, "the loop is set up here")
                yield Diagnostic(RULE_ID, message, span, (related,))


@cached_on_bundle
def _partial_stores(_isa: Isa, bundle: Bundle) -> tuple[int, ...]:
    return tuple(
        number
        for number, instruction in enumerate(bundle.instructions)
        if instruction.spec is not None and _PARTIAL_STORE.fullmatch(instruction.spec.mnemonic)
    )


def _is_repeated(program: Program, last: int) -> bool:
    """Return whether the loop that ends at an address may go back to its start."""
    loops = counted_loops(program).loops.values()
    return not any(loop.last == last and loop.trips == 1 for loop in loops)


_SETUP = "    movxm ls, #head\n    movxm le, #last\n    movxm lc, #{}\n" + "    nop\n" * 7
_LOOP = "    .p2align 4\nhead:\n    {}\n    nop\nlast:\n    {}\n    ret lr\n" + "    nop\n" * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _SETUP.format(4) + _LOOP.format("st.s8 r1, [p0], #1", "st r1, [p0], #4"),
        _SETUP.format(1) + _LOOP.format("nop", "st.s8 r1, [p0], #1"),
        "    movxm ls, #head\n    movxm le, #elsewhere\n"
        + _LOOP.format("nop", "st.s16 r1, [p0], #2"),
    ),
    invalid=(
        _SETUP.format(4) + _LOOP.format("nop", "⟦st.s8⟧ r1, [p0], #1"),
        _SETUP.format(4) + _LOOP.format("nop", "mova r2, #1; ⟦st.2d.s16⟧ r1, [p0], d1"),
        # The number of iterations is not known.
        "    mov lc, r0\n"
        + _SETUP[: _SETUP.index("    movxm lc")]
        + "    nop\n" * 7
        + _LOOP.format("nop", "⟦ST.s16⟧ r1, [p0, dj0]"),
    ),
    check_program=check,
    isa="xdna1",
)
