"""Two accesses of one bundle that meet in one bank of memory.

## What it does
Reports two loads, or a load and a store, that one bundle does through the same pointer: at the same
offset, or as whole vectors at most 16 KiB apart.

## Why
The data memory of a tile consists of banks with one port each. Of two accesses to one bank in the
same cycle one waits, and with it the whole core: the bundle takes a cycle more each time, which no
count of bundles shows. Vectors through one pointer lie in the same piece of 16 KiB, that is in the
same banks, unless a boundary happens to lie between them. Accesses through different pointers can
be kept apart by placing their buffers in different banks.

## Example
```
    vlda wl0, [p0, #0]; vldb wh0, [p0, #32]
```

## Use instead
```
    vlda wl0, [p0, #0]
    vldb wh0, [p0, #32]
```
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple

RULE_ID = RuleId("X110", "bank-conflict", Severity.HINT)

_BANK_BYTES = 1 << 14
_MAX_ACCESSES = 3  # of a bundle that has a slot for each: two loads and a store
_ADDRESS = re.compile(r"\[\s*(p\d|sp)\s*(?:,\s*(#[^\]]+?|dj\d)\s*)?\]", re.IGNORECASE)
_NARROW = re.compile(r"lda|st\b|st\.|vlda\.128|vst\.128", re.IGNORECASE)


class _Place(NamedTuple):
    """Where an instruction accesses memory: `offset` bytes or a register after a pointer."""

    number: int
    pointer: str
    offset: int | str
    is_wide: bool


def check(_isa: Isa, bundle: Bundle) -> Iterator[Diagnostic]:
    """A finding for each access that surely waits for another one of the bundle."""
    if len(bundle.instructions) < 2:
        return
    found = map(_place, range(len(bundle.instructions)), bundle.instructions)
    places = [place for place in found if place is not None]
    if len(places) > _MAX_ACCESSES:
        return
    for first, second in combinations(places, 2):
        if first.pointer == second.pointer and _meet(first, second):
            name = bundle.instructions[first.number].mnemonic
            message = (
                f"accesses of one bundle go to different banks, found one near that of `{name}`: "
                "the core waits a cycle"
            )
            related = RelatedInformation(bundle.span(first.number), f"`{name}` is here")
            yield Diagnostic(RULE_ID, message, bundle.span(second.number), (related,))


def _place(number: int, instruction: Instruction) -> _Place | None:
    spec = instruction.spec
    if spec is None or "queue" in spec.traits or not spec.traits & {"load", "store"}:
        return None
    match = next(filter(None, map(_ADDRESS.search, instruction.words)), None)
    if match is None:
        return None
    offset: int | str | None = match[2] or "#0"
    if str(offset)[0] == "#":
        offset = number_value(str(offset)[1:].strip())
    if offset is None:
        return None
    is_wide = not _NARROW.match(spec.mnemonic)
    return _Place(number, match[1].lower(), offset, is_wide)


def _meet(first: _Place, second: _Place) -> bool:
    if first.offset == second.offset:
        return True
    if not isinstance(first.offset, int) or not isinstance(second.offset, int):
        return False
    return first.is_wide and second.is_wide and abs(first.offset - second.offset) <= _BANK_BYTES


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    vlda wl0, [p0, #0]; vldb wh0, [p1, #32]; vst wl2, [p2, #0]\n",
        # The offset of one of them is not known.
        "    vlda wl0, [p0, dj0]; vldb wh0, [p0, dj1]\n",
        # A word and another one may lie in different banks.
        "    lda r0, [p0, #4]; st r1, [p0, #20]\n",
    ),
    invalid=(
        "    vlda wl0, [p0], #32; ⟦vst⟧ wl2, [p0, #64]\n",
        "    vlda wl0, [p0, #0]; ⟦vldb⟧ wh0, [p0, #32]; vst wl2, [p1, #0]\n",
        "    lda r0, [p0, #4]; ⟦st⟧ r1, [p0, #4]\n",
        "    vlda wl0, [p0, dj0]; ⟦vldb⟧ wh0, [p0, dj0]\n",
    ),
    check_bundle=check,
    isa="xdna1",
)
