"""A hardware loop that may not begin at a multiple of 16 bytes.

## What it does
Reports the label of a hardware loop's first bundle if no directive directly before it aligns it,
and the bundles since the last alignment are not all 16 bytes long. It is a hint, because bundles
are counted, not encoded. Where one of these bundles has explicit no-ops beside an operation, a
compiler has padded the code, and nothing is reported.

## Why
The core fetches a loop's first bundle from an address that is a multiple of 16. Bundles are 2 to 16
bytes long, so a label has such an address only by chance, unless `.p2align 4` precedes it. Between
the writes to `ls`, `le` and `lc` and the last bundle of the loop belong at least 112 bytes, which
are seven bundles of full length.

## Example
```
    .p2align 4
start:
    movxm ls, #body
    movxm le, #last
    movxm lc, #8
    nopa; nopb; nops; nopxm; nopv  # 7 times
body:
    nopa
last:
    nopa
    ret lr
    nop  # 5 times
```

## Use instead
```
    .p2align 4
start:
    movxm ls, #body
    movxm le, #last
    movxm lc, #8
    nopa; nopb; nops; nopxm; nopv  # 7 times
    .p2align 4
body:
    nopa
last:
    nopa
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.slot_assignment import units_of
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.flow.control_flow import label_put_into
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import number_value
from ipu_asm.lint import Rule
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program, Reference
from ipu_asm.text import Span, TextEdit

RULE_ID = RuleId("X105", "unaligned-loop", Severity.HINT)

# `.align` counts bytes: LLVM's default, which the AIE targets keep.
_BY_POWER = (".p2align", ".p2alignw", ".p2alignl")
_BY_BYTES = (".align", ".balign", ".balignw", ".balignl")
_ALIGNMENT = 16
# Directives that emit an unknown number of bytes.
_OPAQUE = (".include", ".incbin", ".org", ".skip", ".space", ".fill")


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each label that begins a hardware loop and may not be aligned."""
    seen = set[str]()
    for number in program.where(_sets_up) if program.isa.loop_registers else ():
        for label in _loop_labels(program.isa, program.bundles[number]):
            if label in seen or label not in program.labels:
                continue
            seen.add(label)
            if program.per_bundle(_is_unaligned, program.labels[label]):
                reference = next(r for r in program.references_of(number) if r.text == label)
                yield _finding(program, label, reference)


def _sets_up(isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.label_uses) and bool(_loop_labels(isa, bundle))


@cached_on_bundle
def _loop_labels(isa: Isa, bundle: Bundle) -> tuple[str, ...]:
    """The labels that a bundle writes to the loop start register."""
    register = isa.loop_registers[0] if isa.loop_registers else ""
    labels = (label_put_into(instruction, register) for instruction in bundle.instructions)
    return tuple(label for label in labels if label is not None)


def _is_unaligned(program: Program, number: int) -> LocalResult[bool]:
    """Whether bundles of less than 16 bytes are between the last alignment and a bundle.

    False without an alignment before it, because its address is then unknown, and if one of these
    bundles is padded.
    """
    moved, macros, regions = False, program.macros, program.macros.regions
    for earlier in range(number, -1, -1):
        bundle = program.bundles[earlier]
        if bundle.is_broken or bundle.directive in _OPAQUE:
            return LocalResult(number - earlier, 0, False)
        # Going back, only a bundle without size can lead into a macro.
        if regions and (earlier == number or not bundle.size) and macros.region_of(earlier):
            return LocalResult(number - earlier, 0, False)
        if bundle.directive is not None and _aligns(program.isa, bundle):
            return LocalResult(number - earlier, 0, moved)
        if bundle.size and earlier != number:
            if is_padded(program.isa, bundle):
                return LocalResult(number - earlier, 0, False)
            moved = moved or not _is_full(program.isa, bundle)
    return LocalResult(number + 1, 0, False)


@cached_on_bundle
def _aligns(isa: Isa, bundle: Bundle) -> bool:
    """Whether a bundle is a directive that makes the next address a multiple of 16."""
    words = bundle.syntax.words[bundle.syntax.plan.directive :]
    if bundle.directive is None or len(words) < 2:
        return False
    amount = number_value(words[1]) or 0
    if words[0] in _BY_POWER:
        return amount >= _ALIGNMENT.bit_length() - 1
    return words[0] in _BY_BYTES and amount > 0 and amount % _ALIGNMENT == 0


def _is_full(isa: Isa, bundle: Bundle) -> bool:
    """Whether a bundle has an operation for every unit, and therefore takes 16 bytes."""
    used = {unit for instruction in bundle.instructions for unit in units_of(isa, instruction)}
    every = {unit for slot in isa.slots for unit in slot.units}
    return used == every and len(bundle.instructions) > 1


@cached_on_bundle
def is_padded(_isa: Isa, bundle: Bundle) -> bool:
    """Whether a bundle has no-ops beside an operation: a person leaves such slots out."""
    return len({spec.nop for spec in (each.spec for each in bundle.instructions) if spec}) > 1


def _finding(program: Program, label: str, reference: Reference) -> Diagnostic:
    span = program.label_span(label)
    register = RelatedInformation(program.reference_span(reference), "the loop is set up here")
    message = (
        f"a hardware loop begins at a multiple of {_ALIGNMENT} bytes, "
        f"found no `.p2align 4` before `{label}`"
    )
    line = program.text.rfind("\n", 0, span.start) + 1
    edit = TextEdit(Span(line, line), "    .p2align 4\n")
    fix = Fix("insert `.p2align 4` before it", (edit,), Applicability.UNSAFE)
    return Diagnostic(RULE_ID, message, span, (register,), fix)


_SETUP = "    movxm ls, #body\n    movxm le, #last\n"
_BODY = ":\n    nopa\nlast:\n    nopa\n    ret lr\n" + "    nop\n" * 5
_FULL = "    nopa; nopb; nops; nopxm; nopv\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    .p2align 4\nstart:\n" + _SETUP + "    .p2align 4\nbody" + _BODY,
        "    .p2align 4\nstart:\n" + _SETUP + "    .p2align 4\n" + _FULL * 2 + "body" + _BODY,
        "    .p2align 4\nstart:\n" + _SETUP + "    nopa; movx r0, #1; nops\nbody" + _BODY,
        "    .align 16\nstart:\n" + _SETUP + "    .align 16\nbody" + _BODY,
        # The start address of the code is unknown.
        "start:\n" + _SETUP + "body" + _BODY,
        "    .p2align 4\n    movxm ls, #elsewhere\n    nop\nbody" + _BODY,
    ),
    invalid=(
        "    .p2align 4\nstart:\n" + _SETUP + "⟦body⟧" + _BODY,
        "    .p2align 4\nstart:\n" + _SETUP + _FULL + "⟦body⟧" + _BODY,
        "    .p2align 4\nstart:\n" + _SETUP + "    .p2align 2\n⟦body⟧" + _BODY,
        "    .p2align 4\nstart:\n" + _SETUP + "    .align 8\n⟦body⟧" + _BODY,
    ),
    check_program=check,
    isa="xdna1",
    fixes=(Applicability.UNSAFE,),
)
