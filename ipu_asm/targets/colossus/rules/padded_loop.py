"""A loop that executes no-ops of an alignment.

## What it does
Reports an alignment directive inside a loop if the assembler inserts no-ops there and control runs
through them. Their number is known only after an earlier alignment. Where it is certain to do the
same, the fix writes an `rpt` without a bundle, or moves an instruction of the main lane across the
repeated code.

## Why
The body of an `rpt` begins at a multiple of 8 bytes. A single instruction has 4 bytes, so an odd
number of them before the alignment costs a `nop` in each iteration of the loop around it.

## Example
```
.align 8
row:
  add $m1, $m1, 1
  .align 8
  { rpt $m0, 0 ; fnop }
  { ld32step $a0, $mzero, $m2+=, 1 ; f32add $a1, $a1, $a0 }
  brnzdec $m3, row
```

## Use instead
```
.align 8
row:
  add $m1, $m1, 1
  rpt $m0, 0
  { ld32step $a0, $mzero, $m2+=, 1 ; f32add $a1, $a1, $a0 }
  brnzdec $m3, row
```
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.control_flow import falls_through
from ipu_asm.flow.loops import enclosing_loops
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.build import read_program
from ipu_asm.program.code_positions import ALIGNING, code_sizes, is_known, position_after
from ipu_asm.program.program import Program
from ipu_asm.targets.colossus.rules.repeat_body import body_of, is_misaligned, repeats, repeats_in
from ipu_asm.text import Span, TextEdit, apply_edits

RULE_ID = RuleId("C108", "padded-loop", Severity.HINT)
_MAX_BUNDLES = 2_000
"""Of a program that is read again to see what a fix does."""
_MAX_FIXES = 8
_MOVED = frozenset({"constant", "worker"})
"""Traits of instructions of the main lane that do no more than to write a register."""


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each alignment that pads a loop."""
    fixed = 0
    for number in program.where(_aligns):
        count = program.bundles[number].size
        is_sure = count > 0 and position_after(program, number - 1) is not None
        label = _padded_loop(program, number) if is_sure else None
        if label is None:
            continue
        fix = _fix(program, number) if fixed < _MAX_FIXES else None
        fixed += 1
        no_op = code_sizes(program.isa).no_op
        inserted = f"a `{no_op}`" if count == 1 else f"{count} `{no_op}`"
        message = (
            f"the assembler inserts {inserted} here, executed in each iteration of the loop{label}"
        )
        yield Diagnostic(RULE_ID, message, _directive(program, number), fix=fix)


def _aligns(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive in ALIGNING


def _padded_loop(program: Program, number: int) -> str | None:
    """Name the innermost loop that executes what is inserted at an alignment; None without one."""
    before = _neighbour(program, number, -1)
    if before is None or not falls_through(program.bundles[before].flow):
        return None
    address = program.addresses[number]
    loop = next((each for each in enclosing_loops(program, address) if each.start < address), None)
    if loop is None:
        return None
    labels = (name for name, at in program.label_addresses.items() if at == loop.start)
    return next((f" `{label}`" for label in labels), "")


def _neighbour(program: Program, number: int, step: int) -> int | None:
    """Return the nearest bundle with code in a direction."""
    number += step
    while 0 <= number < len(program.bundles):
        if program.bundles[number].instructions:
            return number
        number += step
    return None


def _directive(program: Program, number: int) -> Span:
    syntax = program.bundles[number].syntax
    first = syntax.plan.directive
    return program.span(number, Span(syntax.spans[first].start, syntax.spans[first + 1].end))


def _fix(program: Program, number: int) -> Fix | None:
    """Return the first change that inserts fewer no-ops and leaves what the code does."""
    if program.size > _MAX_BUNDLES:
        return None
    inserted = _inserted(program)
    for title, edits in (*_without_bundle(program, number), *_moves(program, number)):
        changed = read_program(program.isa, apply_edits(program.text, sorted(edits)))
        is_wrong = len(changed.findings) > len(program.findings)
        if not is_wrong and inserted > _inserted(changed) and not _has_misaligned(changed):
            return Fix(title, tuple(sorted(edits)), Applicability.DISPLAY)
    return None


def _inserted(program: Program) -> int:
    return sum(program.bundles[number].size for number in program.where(_aligns))


def _has_misaligned(program: Program) -> bool:
    return any(is_misaligned(program, number) for number in program.where(repeats))


def _without_bundle(program: Program, number: int) -> Iterator[tuple[str, list[TextEdit]]]:
    """Yield the change to an `rpt` without a bundle, whose end is where the no-ops were."""
    following = number + 1
    repeated = repeats_in(program, following) if following < len(program.bundles) else []
    if not repeated or program.bundles[number].size != 1:
        return
    bundle = program.bundles[following]
    others = [each for each in bundle.instructions if not each.is_idle]
    if bundle.syntax.plan.braces is None or len(others) != 1 or bundle.syntax.plan.findings:
        return
    span = program.span(following, bundle.syntax.instruction_span(repeated[0].instruction))
    alone = TextEdit(_code(program, following), program.text[span.start : span.end])
    title = f"write `{bundle.instructions[repeated[0].instruction].mnemonic}` without a bundle"
    yield title, [TextEdit(_directive(program, number), ""), alone]


def _code(program: Program, number: int) -> Span:
    """The span of the code of a bundle, with its braces and without its label."""
    syntax = program.bundles[number].syntax
    if syntax.plan.braces is None:
        return program.span(number, syntax.instruction_span(0))
    first, last = syntax.plan.braces
    return program.span(number, Span(syntax.spans[first].start, syntax.spans[last].end))


def _moves(program: Program, number: int) -> Iterator[tuple[str, list[TextEdit]]]:
    """Yield the moves of an instruction across the repeated code after an alignment."""
    first = _neighbour(program, number, 1)
    if first is None or not repeats_in(program, first):
        return
    bodies = [
        [place for place, is_in in body_of(program, each) if is_in]
        for each in repeats_in(program, first)
    ]
    if len(bodies) != 1 or not bodies[0]:
        return
    last = bodies[0][-1]
    above, below = _neighbour(program, number, -1), _neighbour(program, last, 1)
    if above is None or below is None:
        return
    between = range(above + 1, below)
    repeated = program.bundles[first].instructions[repeats_in(program, first)[0].instruction]
    if _is_movable(program, above, between):
        place = _code(program, below).start
        title = f"move `{_text(program, above)}` after what `{repeated.mnemonic}` repeats"
        yield title, _moved(program, above, place)
    if _is_movable(program, below, between) and program.bundles[below].flow is None:
        title = f"move `{_text(program, below)}` before the alignment"
        yield title, _moved(program, below, _directive(program, number).start)


def _text(program: Program, number: int) -> str:
    span = _code(program, number)
    return program.text[span.start : span.end]


def _moved(program: Program, number: int, place: int) -> list[TextEdit]:
    start = program.text.rfind("\n", 0, place) + 1
    indent = program.text[start:place]
    line_break = f"\n{indent}" if not indent.strip() else "\n"
    text = f"{_text(program, number)}{line_break}"
    return [TextEdit(_code(program, number), ""), TextEdit(Span(place, place), text)]


def _is_movable(program: Program, number: int, between: Sequence[int]) -> bool:
    """Whether an instruction may be before or after others: none writes a register of the other.

    It is outside of bundles and accesses no memory.
    """
    bundle = program.bundles[number]
    spec = bundle.instructions[0].spec if len(bundle.instructions) == 1 else None
    if spec is None or bundle.syntax.plan.braces or bundle.syntax.plan.findings:
        return False
    if bundle.flow is not None or not spec.traits <= _MOVED:
        return False
    isa = program.isa
    own = accesses_of(isa, bundle)
    if not any(each.writes for each in own):
        return False
    for other in (program.bundles[place] for place in between):
        if not is_known(isa, other):
            return False
        for theirs in accesses_of(isa, other):
            if any(mine.units & theirs.units and (mine.writes or theirs.writes) for mine in own):
                return False
    return True


_ROW = ".align 8\nrow:\n"
_BODY = "\n{ ld32step $a0, $mzero, $m2+=, 1 ; f32add $a1, $a1, $a0 }\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f"{_ROW}add $m1, $m1, 1\nrpt $m0, 0{_BODY}brnzdec $m3, row",
        f"{_ROW}add $m1, $m1, 1\nnop\n.align 8\n{{ rpt $m0, 0 ; fnop }}{_BODY}brnzdec $m3, row",
        # Outside of loops, and after a jump.
        f".align 8\nadd $m1, $m1, 1\n.align 8\n{{ rpt $m0, 0 ; fnop }}{_BODY}",
        f"{_ROW}brz $m0, 1f\nadd $m4, $m4, 1\nbri 2f\n.align 8\n1:\n{{ nop ; fnop }}\n2:\n"
        "brnzdec $m3, row",
        # The position of the code is not known.
        f"row:\nadd $m1, $m1, 1\n.align 8\n{{ rpt $m0, 0 ; fnop }}{_BODY}brnzdec $m3, row",
    ),
    invalid=(
        f"{_ROW}add $m1, $m1, 1\n⟦.align 8⟧\n{{ rpt $m0, 0 ; fnop }}{_BODY}brnzdec $m3, row",
        f"{_ROW}add $m1, $m1, 1\n⟦.align 8⟧\n{{ rpt $m0, 0 ; mov $a4, $a5 }}{_BODY}"
        "add $m4, $m4, 1\nbrnzdec $m3, row",
        f".align 16\n{_ROW[9:]}add $m1, $m1, 1\n⟦.align 16⟧\ninner:\n{{ nop ; fnop }}\n"
        "brnzdec $m0, inner\nbrnzdec $m3, row",
    ),
    check_program=check,
    isa="colossus",
    fixes=(Applicability.DISPLAY,),
)
