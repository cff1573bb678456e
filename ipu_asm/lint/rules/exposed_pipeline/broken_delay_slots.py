"""A branch with too few delay slots, or with a branch or branch target in them.

## What it does
Reports another branch, and a label that a branch refers to, among the five bundles after a branch;
and a branch with fewer than five bundles before the end of its function or of the file.

## Why
The five bundles after a branch are always executed before it takes effect. A second branch among
them changes the control flow while the first is pending. A branch to a label among them enters the
delay slots without the branch that they belong to. If bundles are missing, the core executes
whatever follows the code.

## Example
```
again:
    add r0, r0, #-1
    jnz r0, #again
    nop
    nop
    nop
    ret lr
    nop  # 5 times
```

## Use instead
```
again:
    add r0, r0, #-1
    jnz r0, #again
    nop  # 5 times
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.control_flow import delay_slots_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint import Rule
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.text import Span

RULE_ID = RuleId("X102", "broken-delay-slots", Severity.WARNING)

_FUNCTION_END = ".Lfunc_end"
_READING = (".include", ".incbin")
_SECTIONS = (".section", ".text", ".data", ".bss", ".end")


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each branch with invalid delay slots."""
    isa, bundles = program.isa, program.bundles
    targets: frozenset[int] | None = None
    for number in program.where(_has_slots):
        if program.per_bundle(_are_plain, number):
            continue
        if targets is None:
            targets = _targets(program)
        branch = _branch_of(isa, bundles[number])
        if branch is not None:
            yield from _broken(program, number, branch, targets)


def _has_slots(isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and _branch_of(isa, bundle) is not None


def _are_plain(program: Program, number: int) -> LocalResult[bool]:
    """Whether the bundles directly after a branch fill its slots and are allowed in any slot."""
    slots = delay_slots_of(program.bundles[number])
    following = program.bundles[number + 1 : number + 1 + slots]
    plain = len(following) == slots and all(_is_plain(program.isa, each) for each in following)
    return LocalResult(0, slots, plain)


@cached_on_bundle
def _is_plain(isa: Isa, bundle: Bundle) -> bool:
    known = all(instruction.spec is not None for instruction in bundle.instructions)
    lone = bundle.size == 1 and bundle.label is None and _branch_of(isa, bundle) is None
    return known and lone and not bundle.directive and not bundle.is_broken


@cached_on_bundle
def _branch_of(isa: Isa, bundle: Bundle) -> int | None:
    """The instruction of a bundle that has delay slots."""
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is not None and instruction.spec.delay_slots:
            return number
    return None


def _targets(program: Program) -> frozenset[int]:
    """The targets of all branches with delay slots."""
    found = set()
    for reference in program.references:
        if reference.target is not None:
            bundle = program.bundles[reference.bundle]
            if _branch_of(program.isa, bundle) == reference.use.instruction:
                found.add(reference.target)
    return frozenset(found)


def _broken(
    program: Program, number: int, branch: int, targets: frozenset[int]
) -> Iterator[Diagnostic]:
    """At most one finding about the delay slots of the branch in a bundle."""
    instruction = program.bundles[number].instructions[branch]
    slots = instruction.spec.delay_slots if instruction.spec is not None else 0
    place = program.span(number, program.bundles[number].span(branch))
    left = slots
    for following in range(number + 1, len(program.bundles)):
        bundle = program.bundles[following]
        if _may_be_more(program, following):
            return
        if _ends_code(bundle):
            break
        wrong = _intruder(program, following, targets)
        if wrong is not None:
            what, span = wrong
            message = f"the delay slots of `{instruction.mnemonic}` must not hold {what}"
            related = RelatedInformation(place, f"`{instruction.mnemonic}` is here")
            yield Diagnostic(RULE_ID, message, span, (related,))
            return
        left -= bundle.size
        if not left:
            return
    count = f"{slots - left} bundle{'s' * (slots - left != 1)}"
    message = (
        f"`{instruction.mnemonic}` has {slots} delay slots, found {count} before the code ends"
    )
    yield Diagnostic(RULE_ID, message, place)


def _intruder(program: Program, number: int, targets: frozenset[int]) -> tuple[str, Span] | None:
    """Return what a delay slot must not hold and this bundle does, and its span; else None."""
    bundle = program.bundles[number]
    if bundle.label is not None and program.addresses[number] in targets:
        token = bundle.syntax.plan.label
        span = program.span(number, bundle.syntax.span_of(token, token + 1))
        return f"a target of branches, found {quoted(bundle.label)}", span
    other = _branch_of(program.isa, bundle)
    if other is None:
        return None
    span = program.span(number, bundle.span(other))
    return f"another branch, found `{bundle.instructions[other].mnemonic}`", span


def _may_be_more(program: Program, number: int) -> bool:
    """Whether a bundle may expand to others, such as those of a macro or of an included file."""
    bundle = program.bundles[number]
    unknown = any(instruction.spec is None for instruction in bundle.instructions)
    read = bundle.directive in _READING
    return unknown or read or bundle.is_broken or program.macros.region_of(number) is not None


def _ends_code(bundle: Bundle) -> bool:
    label = bundle.label or ""
    return label.startswith(_FUNCTION_END) or bundle.directive in _SECTIONS


_NOPS = "    nop\n" * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    ret lr\n" + _NOPS,
        "again:\n    jnz r0, #again\n" + _NOPS + "    ret lr\n" + _NOPS + ".Lfunc_end0:\n",
        # A label that no branch refers to is allowed: debuggers need many.
        "    jl #callee\n    nop\n.Ltmp0:\n" + _NOPS,
        "    ret lr\n    nop; add r0, r0\n",
        "    ret lr\n    .rept 5\n    nop\n    .endr\n",
        "    j #done\n" + _NOPS + "done:\n    ret lr\n" + _NOPS,
    ),
    invalid=(
        "again:\n    jnz r0, #again\n    nop\n    nop\n    ⟦ret⟧ lr\n" + _NOPS,
        "    jnz r0, #inside\n    nop\n    nop\n⟦inside⟧:\n    nop\n" + _NOPS,
        "    ⟦ret⟧ lr\n    nop\n    nop\n    nop\n    nop\n",
        "first:\n    ⟦ret⟧ lr\n    nop\n.Lfunc_end0:\nsecond:\n    ret lr\n" + _NOPS,
        "    ⟦jl⟧ p0\n    .section .rodata\n    .long 1\n",
    ),
    check_program=check,
    isa="xdna1",
)
