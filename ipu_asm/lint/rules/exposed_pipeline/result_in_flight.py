"""A result that has not landed when control enters or leaves a function.

## What it does
Reports a result that lands only after a call or a return has taken effect. Of a call into the same
file, the first bundles of the function are looked at: the result is reported if they read its
register before it lands, or write it so that the result lands after it.

## Why
The cores have no interlocks, and a function is compiled without its callers. One that reads its
argument, saves a register, or computes in its first bundles gets the value from before the load; a
result that lands later replaces what the function has written by then. Kernels have been shipped
that failed in this way only after a caller was compiled anew; compilers therefore let all results
land before control leaves a function.

## Example
```
    jl #scale
    nop
    nop
    nop
    nop
    lda r0, [p0, #0]
```

## Use instead
```
    lda r0, [p0, #0]
    jl #scale
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import LATEST, RegisterAccess, access_span, accesses_of, needed_distance
from ipu_asm.flow.control_flow import CALL, RETURN, falls_through
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint import Rule
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.text import counted

RULE_ID = RuleId("X107", "result-in-flight", Severity.WARNING)

# The bundle of a result, relative to that of the call or return; the write, and how many bundles
# after the last delay slot it lands.
_Pending = tuple[int, RegisterAccess, int]


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each result that is on its way after a call or return."""
    for number in program.where(_leaves_function):
        for back, write, remaining in program.per_bundle(_pending, number, of_bundles=True):
            what = _spoilt(program, number, write, remaining)
            if what:
                yield _finding(program, number, number + back, write, remaining, what)


@cached_on_bundle
def _leaving_spec(_isa: Isa, bundle: Bundle) -> tuple[int, InstructionSpec] | None:
    """The call or return of a bundle, and its place."""
    for place, instruction in enumerate(bundle.instructions):
        spec = instruction.spec
        if spec is not None and spec.traits & {CALL, RETURN}:
            return place, spec
    return None


def _leaves_function(isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and _leaving_spec(isa, bundle) is not None


def _pending(program: Program, number: int) -> LocalResult[tuple[_Pending, ...]]:
    """The results that have not landed after the last delay slot of a bundle.

    Only straight-line code before it is considered.
    """
    found = _leaving_spec(program.isa, program.bundles[number])
    slots = found[1].delay_slots if found else 0
    last, left = number, slots
    while left and last + 1 < len(program.bundles):
        last += 1
        left -= program.bundles[last].size
    pending: list[_Pending] = []
    distance, at = 1, last
    while at >= 0 and distance < LATEST:
        bundle = program.bundles[at]
        if bundle.is_broken or bundle.has_unknown or bundle.directive in (".if", ".else", ".endif"):
            break
        if at < number and _never_goes_on(program, at):
            break
        pending += [
            (at - number, access, access.timing.def_cycle - distance)
            for access in accesses_of(program.isa, bundle)
            if access.writes and access.operand != ON_MNEMONIC
            if access.timing.def_cycle is not None and access.timing.def_cycle > distance
        ]
        distance += bundle.size
        at -= 1
    # A bundle that is added at the end of a text that lacks some of the slots is one of them.
    return LocalResult(max(number - at, 0), last - number + (left > 0), tuple(pending[::-1]))


def _never_goes_on(program: Program, number: int) -> bool:
    """Whether control does not come from a jump before to the bundles after it."""
    return any(
        spec is not None
        and (RETURN in spec.traits or (spec.flow is not None and not falls_through(spec.flow)))
        for spec in (each.spec for each in program.bundles[number].instructions)
    )


def _spoilt(program: Program, number: int, write: RegisterAccess, remaining: int) -> str:
    """Return what may go wrong with a result; "" if the function that is called lets it land."""
    place, spec = _leaving_spec(program.isa, program.bundles[number]) or (0, None)
    if spec is None or RETURN in spec.traits:
        return "the caller may read or write it before"
    references = (r for r in program.references_of(number) if r.use.instruction == place)
    target = next((reference.target for reference in references), None)
    if target is None or target >= program.size:
        return "the function may read or write it before"
    lands = write.timing.def_cycle or 0
    for distance in range(min(remaining, program.size - target)):
        bundle = program.bundles[program.bundle_at_address[target + distance]]
        since = lands - remaining + distance
        for access in accesses_of(program.isa, bundle):
            if access.units.isdisjoint(write.units):
                continue
            needed = needed_distance(write, access)
            if access.reads and (needed is None or since < needed):
                return f"`{bundle.instructions[access.instruction].mnemonic}` reads it before"
            if access.writes and since + (access.timing.def_cycle or 1) <= lands:
                return f"`{bundle.instructions[access.instruction].mnemonic}` writes it before"
        if bundle.transfers_control:
            break
    return ""


def _finding(
    program: Program, number: int, writer: int, write: RegisterAccess, remaining: int, what: str
) -> Diagnostic:
    place, spec = _leaving_spec(program.isa, program.bundles[number]) or (0, None)
    way = "call" if spec is not None and CALL in spec.traits else "return"
    mnemonic = program.bundles[writer].instructions[write.instruction].mnemonic
    message = (
        f"results land before a {way} takes effect, found `{write.register}` of `{mnemonic}` "
        f"{counted(remaining, 'bundle')} after it: {what}"
    )
    span = program.span(number, program.bundles[number].span(place))
    related = RelatedInformation(span, f"the {way} is here")
    place_of_write = program.span(writer, access_span(program.bundles[writer], write))
    return Diagnostic(RULE_ID, message, place_of_write, (related,))


_NOP = "    nop\n"
_RETURN = "    ret lr\n" + _NOP * 5
_CALL = "    jl #{}\n" + _NOP * 4 + "    lda {}, [p0, #0]\n" + _NOP * 2 + _RETURN

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "    lda r0, [p0, #0]\n" + _RETURN,
        "    lda r0, [p0, #0]\n    jl #other\n" + _NOP * 5 + _RETURN,
        # The function of this file lets it land.
        _CALL.format("scale", "r0") + "scale:\n" + _NOP * 6 + "    mul r0, r0, r0\n" + _RETURN,
        # After a return nothing goes on to the next function.
        _RETURN + "    vlda wl0, [p0, #0]\n" + _NOP + _RETURN,
    ),
    invalid=(
        _CALL.format("other", "⟦r0⟧"),
        "    jl p2; vlda ⟦wl0⟧, [p0, #0]\n    vlda ⟦wh0⟧, [p0], #32\n" + _NOP * 4 + _RETURN,
        "    ret lr\n" + _NOP * 3 + "    mul ⟦r0⟧, r0, r1; lda ⟦r16⟧, [sp, #-32]\n",
        # The function of this file reads it in its sixth bundle.
        _CALL.format("scale", "⟦r0⟧") + "scale:\n" + _NOP * 5 + "    mul r0, r0, r0\n" + _RETURN,
        _CALL.format("scale", "⟦r8⟧") + "scale:\n    mov r8, #0\n    mul r0, r8, r0\n" + _RETURN,
    ),
    check_program=check,
    isa="xdna1",
)
