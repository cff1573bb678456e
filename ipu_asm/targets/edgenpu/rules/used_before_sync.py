"""A buffer that is read before a write to it is complete.

## What it does
Reports an instruction that reads a buffer written by an earlier `LOAD` or compute instruction,
without a `SYNC` between them that waits for the write: `WAIT_DMA` for loads, `WAIT_COMPUTE` for
compute instructions.

## Why
Transfers and compute instructions continue while the next instructions are read. Only `SYNC` waits
for them. An earlier read of the buffer may return its previous content, or only part of the new
data. A `LOAD` fills a whole memory, so every read of a buffer in that memory must wait for it. A
`SYNC` without flags waits for all operations.

## Example
```
LOAD AB, 0x80010000, 16384
LOAD WB, 0x80000000, 65536
CONV AB[1], AB[0], WB[0], RELU, desc=0x1000
```

## Use instead
```
LOAD AB, 0x80010000, 16384
LOAD WB, 0x80000000, 65536
SYNC WAIT_DMA
CONV AB[1], AB[0], WB[0], RELU, desc=0x1000
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_span, accesses_of
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("N101", "used-before-sync", Severity.WARNING)
# By kind of work, which is a trait of the instruction: the `SYNC` flag that waits for it.
FLAGS = {"dma": "WAIT_DMA", "compute": "WAIT_COMPUTE"}


class _Pending(NamedTuple):
    """A write that no instruction has waited for yet."""

    bundle: int
    touch: RegisterAccess
    work: str


def waits_for(instruction: Instruction) -> set[str]:
    """The kinds of work that an instruction waits for: "dma", "compute", both or none."""
    if instruction.spec is None or "sync" not in instruction.spec.traits:
        return set()
    words = {word.strip().upper() for text in instruction.words[1:] for word in text.split("|")}
    named = {work for work, flag in FLAGS.items() if flag in words}
    return named or set(FLAGS)


def work_of(instruction: Instruction) -> str | None:
    """The kind of work that an instruction starts."""
    traits = instruction.spec.traits if instruction.spec is not None else ()
    return next((work for work in FLAGS if work in traits), None)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each read of a buffer with a pending write."""
    pending: list[_Pending] = []
    for number, bundle in enumerate(program.bundles):
        for instruction in bundle.instructions:
            waited = waits_for(instruction)
            pending = [entry for entry in pending if entry.work not in waited]
        touches = accesses_of(program.isa, bundle)
        for touch in touches:
            writer = _writer_of(touch, pending) if touch.reads else None
            if writer is not None:
                yield _finding(program, number, touch, writer)
                pending = [entry for entry in pending if entry is not writer]
        pending += _begun(number, bundle, touches)


def _begun(number: int, bundle: Bundle, touches: tuple[RegisterAccess, ...]) -> Iterator[_Pending]:
    for touch in touches:
        work = work_of(bundle.instructions[touch.instruction])
        if touch.writes and work is not None:
            yield _Pending(number, touch, work)


def _writer_of(touch: RegisterAccess, pending: list[_Pending]) -> _Pending | None:
    """The last pending write that overlaps a read."""
    overlapping = (e for e in reversed(pending) if not e.touch.units.isdisjoint(touch.units))
    return next(overlapping, None)


def _finding(program: Program, number: int, touch: RegisterAccess, writer: _Pending) -> Diagnostic:
    bundle, source = program.bundles[number], program.bundles[writer.bundle]
    mnemonic = source.instructions[writer.touch.instruction].mnemonic
    flag = FLAGS[writer.work]
    message = (
        f"`SYNC {flag}` must come before what `{mnemonic}` writes is used, found a read of "
        f"`{touch.register}` without it"
    )
    written = access_span(source, writer.touch)
    related = RelatedInformation(
        program.span(writer.bundle, written), f"`{writer.touch.register}` is written here"
    )
    start = program.starts[number] + bundle.span(touch.instruction).start
    line = program.text.rfind("\n", 0, start) + 1
    before = program.text[line:start]
    indent = before if not before.strip() else "    "
    edit = TextEdit(Span(start, start), f"SYNC    {flag}\n{indent}")
    fix = Fix(f"insert `SYNC {flag}` before it", (edit,), Applicability.UNSAFE)
    span = program.span(number, access_span(bundle, touch))
    return Diagnostic(RULE_ID, message, span, (related,), fix)


_LOADS = "LOAD AB, 0x80010000, 16384\nLOAD WB, 0x80000000, 65536\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _LOADS + "SYNC WAIT_DMA\nCONV AB[1], AB[0], WB[0], desc=0x1000\n",
        _LOADS + "SYNC WAIT_DMA | IRQ\nCONV AB[1], AB[0], WB[0], desc=0x1000\n",
        "ACT AB[1], AB[0], RELU\nACT AB[3], AB[2], RELU\n",
    ),
    invalid=(
        _LOADS + "CONV AB[1], ⟦AB[0]⟧, ⟦WB[0]⟧, desc=0x1000\n",
        _LOADS + "SYNC WAIT_COMPUTE\nCONV AB[1], ⟦AB[0]⟧, ⟦WB[0]⟧, desc=0x1000\n",
        "ACT AB[1], AB[0], RELU\nACT AB[2], ⟦AB[1]⟧, TANH\n",
        "ACT AB[1], AB[0], RELU\nSTORE 0x80020000, ⟦AB[1]⟧, 256\nSYNC WAIT_DMA\n",
    ),
    check_program=check,
    isa="edgenpu",
    fixes=(Applicability.UNSAFE,),
)
