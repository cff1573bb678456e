"""An `rpt` body that cannot be repeated.

## What it does
Reports, in the body of an `rpt`, an instruction outside a bundle, a control instruction such as a
branch or another `rpt`, and a system instruction such as `get` and `trap`; and a body of more than
256 bundles.

## Why
`rpt` repeats whole bundles without branching. Its second operand is the number of bundles minus
one, in 8 bits; with labels around the body it is `((2f - 1f) / 8) - 1`. The assembler rejects any
other body.

## Example
```
.align 8
{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }
1:
  { ld32step $a0, $mzero, $m0+=, 1 ; f32add $a1, $a1, $a0 }
  nop
  nop
2:
```

## Use instead
```
.align 8
{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }
1:
  { ld32step $a0, $mzero, $m0+=, 1 ; f32add $a1, $a1, $a0 }
  { nop ; fnop }
2:
```
"""

from __future__ import annotations

import re
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.counted_loops.graph import bundle_of_label
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.code_positions import (
    ALIGNING,
    REPEATING,
    SILENT,
    code_sizes,
    is_known,
    position_after,
)
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.text import Span

MAX_BUNDLES = 256
ALIGNMENT = 8

# A label that a macro numbers, as in ``end\@``, has the same spelling at each use.
_NUMBERED = r"\\(?:@|\(\)|\w)"
_LABEL = re.compile(rf"(?<![\w.$\\])(?:[0-9]+[bf]|[A-Za-z_.](?:[\w.$]|{_NUMBERED})*)(?![\w.$\\])")
_VAGUE = re.compile(r"(?<![\w.$@)])\\|[A-Za-z_]\w*\(")


class Repeat(NamedTuple):
    """An instruction that repeats: its bundle and its place there."""

    bundle: int
    instruction: int


def repeats(_isa: Isa, bundle: Bundle) -> bool:
    """Whether a bundle has an instruction that repeats."""
    return REPEATING in bundle.traits


def repeats_in(program: Program, number: int) -> list[Repeat]:
    return [
        Repeat(number, place)
        for place, instruction in enumerate(program.bundles[number].instructions)
        if instruction.spec is not None
        and REPEATING in instruction.spec.traits
        # A count given by a name that a macro may define is valid.
        and all(problem.dropped_if_defined for _, problem in instruction.findings)
    ]


def body_of(program: Program, repeat: Repeat) -> Iterator[tuple[int, bool]]:
    """The bundles after a repeat, each with whether it is repeated, up to the last one examined.

    The body ends before a macro or condition. A body of unknown length has at least one bundle.
    All instructions of repeated bundles are known.
    """
    length, end = _extent(program, repeat)
    sizes = code_sizes(program.isa)
    for number in range(repeat.bundle + 1, min(end, len(program.bundles))):
        bundle = program.bundles[number]
        goes_on = length > 0 and is_known(program.isa, bundle)
        yield number, goes_on and bool(bundle.instructions)
        if not goes_on:
            return
        if bundle.instructions:
            length -= sizes.bundle if bundle.syntax.plan.braces else sizes.single
    yield min(end, len(program.bundles)), False


def _extent(program: Program, repeat: Repeat) -> tuple[int, int]:
    """Upper bounds for the number of repeated bytes and for the first bundle after them."""
    instruction = program.bundles[repeat.bundle].instructions[repeat.instruction]
    value, text = instruction.values[-1], instruction.words[-1]
    everything = len(program.bundles)
    if isinstance(value, int):
        return (value + 1) * ALIGNMENT, everything
    if _VAGUE.search(text):
        return 1, everything
    targets = [bundle_of_label(program, label, repeat.bundle) for label in _LABEL.findall(text)]
    ends = [target for target in targets if target is not None and target > repeat.bundle]
    if not ends or None in targets:
        return 1, everything
    return everything * ALIGNMENT, max(ends)


def is_misaligned(program: Program, number: int) -> bool:
    """Whether the body of a bundle's repeat certainly does not begin at a multiple of 8 bytes.

    Call it for all repeats in order: each position is computed from the previous one.
    """
    if not position_after(program, number):
        return False
    return program.per_bundle(_is_body_next, number)


def _is_body_next(program: Program, number: int) -> LocalResult[bool]:
    """Whether no alignment directive is between a bundle and the code after it."""
    last = number + 1
    for last in range(number + 1, len(program.bundles) + 1):
        if last == len(program.bundles):
            break
        bundle = program.bundles[last]
        if bundle.directive in ALIGNING:
            return LocalResult(0, last - number, False)
        if bundle.size or (bundle.directive and not SILENT.fullmatch(bundle.directive)):
            break
    return LocalResult(0, last - number, True)


RULE_ID = RuleId("C103", "repeat-body", Severity.ERROR)
_REFUSED = ("control", "system")


def check(program: Program) -> Iterator[Diagnostic]:
    """The findings about each body, as far as its content is known."""
    for number in program.where(repeats):
        if program.per_bundle(_is_wrong, number):
            for repeat in repeats_in(program, number):
                yield from _findings(program, repeat, [])


def _is_wrong(program: Program, number: int) -> LocalResult[bool]:
    """Whether there are findings about the bodies of a bundle's repeats."""
    looked_at = [number]
    wrong = [any(_findings(program, each, looked_at)) for each in repeats_in(program, number)]
    return LocalResult(0, max(looked_at) - number, any(wrong))


def _findings(program: Program, repeat: Repeat, looked_at: list[int]) -> Iterator[Diagnostic]:
    """The findings about a body; appends the examined bundles to `looked_at`."""
    count = 0
    for number, is_repeated in body_of(program, repeat):
        looked_at.append(number)
        if not is_repeated:
            continue
        bundle = program.bundles[number]
        if bundle.syntax.plan.braces is None:
            said = bundle.instructions[0].mnemonic
            message = f"only bundles can be repeated, found `{said}` outside braces"
            yield _finding(program, repeat, message, program.span(number, bundle.span(0)))
            return
        count += 1
        for place, instruction in enumerate(bundle.instructions):
            traits = instruction.spec.traits if instruction.spec is not None else frozenset()
            trait = next((trait for trait in _REFUSED if trait in traits), None)
            if trait is not None:
                article = "a" if trait[0] not in "aeiou" else "an"
                message = (
                    f"{article} {trait} instruction cannot be repeated, "
                    f"found `{instruction.mnemonic}`"
                )
                yield _finding(program, repeat, message, program.span(number, bundle.span(place)))
        if REPEATING in bundle.traits:
            return  # the next bundles are the body of this inner repeat
    if count > MAX_BUNDLES:
        message = f"at most {MAX_BUNDLES} bundles can be repeated, found {count}"
        yield Diagnostic(RULE_ID, message, _count_span(program, repeat))


def _finding(program: Program, repeat: Repeat, message: str, span: Span) -> Diagnostic:
    place = program.span(repeat.bundle, program.bundles[repeat.bundle].span(repeat.instruction))
    return Diagnostic(
        RULE_ID, message, span, (RelatedInformation(place, "it is repeated by this"),)
    )


def _count_span(program: Program, repeat: Repeat) -> Span:
    bundle = program.bundles[repeat.bundle]
    last = len(bundle.instructions[repeat.instruction].operands) - 1
    return program.span(repeat.bundle, bundle.span(repeat.instruction, last))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        ".align 8\n{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n{ add $m1, $m0, 5 ; fnop }\n2:\nnop",
        ".align 8\n{ rpt $m0, 0 ; fnop }\n{ add $m1, $m0, 5 ; fnop }\nbri 0x40000",
        # The expansion of a macro is not known.
        ".macro BODY\n{ nop ; fnop }\n.endm\nrpt 10, 1\nBODY\nBODY\nnop",
        "rpt 10, COUNT\n{ nop ; fnop }\nnop\n#define COUNT 0",
        ".allow_invalid_repeat\nrpt 10, 0\nnop",
    ),
    invalid=(
        "{ rpt 10, ((2f - 1f) / 8) - 1 ; fnop }\n1:\n{ add $m1, $m0, 5 ; fnop }\n⟦nop⟧\nnop\n2:",
        "{ rpt 10, 1 ; fnop }\n{ add $m1, $m0, 5 ; fnop }\n⟦nop⟧\nnop",
        "{ rpt 10, 0 ; fnop }\n{ ⟦bri⟧ 0x40000 ; fnop }",
        "{ rpt 10, (.Lend - .Lstart) / 8 - 1 ; fnop }\n.Lstart:\n{ ⟦get⟧ $m1, 0 ; fnop }\n.Lend:",
        "rpt $m0, \\count\n⟦add⟧ $m1, $m1, 1",
        ".macro sum n\nrpt $m0, (end\\n\\()\\@ - start\\n\\()\\@) / 8 - 1\nstart\\n\\()\\@:\n"
        "{ nop ; fnop }\n{ ⟦bri⟧ 2f ; fnop }\nend\\n\\()\\@:\n2:\n.endm",
        "#define loops m1\nrpt $loops, (2f - 1f) / 8 - 1\n1:\n{ ⟦bri⟧ 2f ; fnop }\n2:",
        "rpt $m0, ⟦(2f - 1f) / 8 - 1⟧\n1:\n" + "{ nop ; fnop }\n" * 257 + "2:",
    ),
    check_program=check,
    isa="colossus",
)
