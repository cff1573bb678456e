"""A result that lands after the only instruction that reads its register.

## What it does
Reports a read of a register that executes before the result of an earlier instruction lands in it,
if no later instruction reads the register on any control-flow path, including paths around loops. A
read that sees an earlier result is not reported if nothing else reads that result: the read is in
time for it, and the later result is superfluous, as at the end of a loop that was unrolled by hand.
If nothing in the function has written the register before, and no argument is passed in it, the
read is reported regardless of later reads; and so is a read of a whole register between the
landings of its two halves.

## Why
The cores have no interlocks. A load takes seven bundles, a multiplication up to six; an earlier
read returns the previous content of the register, without an error. An intentional early read is
good style in a pipelined loop, where a later instruction reads the result. If no instruction does,
the result is lost and the read was most likely meant for it: a bundle is missing between the two.

## Example
```
    vlda wl0, [p0, #0]
    nop
    vst wl0, [p1, #0]
    ret lr
    nop  # 5 times
```

## Use instead
```
    vlda wl0, [p0, #0]
    nop  # 6 times
    vst wl0, [p1, #0]
    ret lr
    nop  # 5 times
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import LATEST, RegisterAccess, access_span, accesses_of, needed_distance
from ipu_asm.flow.control_flow import function_size, functions_of
from ipu_asm.flow.lost_results import (
    MAX_BACK,
    EarlyRead,
    FunctionBody,
    LostResult,
    is_torn,
    losses_of,
)
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program

RULE_ID = RuleId("X101", "lost-result", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each read that executes too early for a result that is then lost."""
    reported: set[tuple[int, int, int]] = set()
    for function in functions_of(program):
        first = function.start
        for number, write, read in program.per_bundle(_losses_from, first, of_bundles=True):
            place = first + read.number, read.access.instruction, read.access.operand
            reported.add(place)
            yield _finding(program, first + number, write, first + read.number, read)
    for number in program.where(_reads_parts):
        for back, write, whole in program.per_bundle(_torn_reads, number, of_bundles=True):
            if (number, whole.instruction, whole.operand) not in reported:
                yield _torn(program, number - back, write, number, whole)


@cached_on_bundle
def _whole_reads(isa: Isa, bundle: Bundle) -> tuple[RegisterAccess, ...]:
    """The reads of registers that consist of parts, before which a part may be on its way."""
    return tuple(each for each in accesses_of(isa, bundle) if each.reads and len(each.units) > 1)


@cached_on_bundle
def _late_writes(isa: Isa, bundle: Bundle) -> tuple[RegisterAccess, ...]:
    """The writes of results that a bundle not far after may miss."""
    writes = (each for each in accesses_of(isa, bundle) if each.writes)
    return tuple(each for each in writes if (each.timing.def_cycle or 0) > 1)


def _reads_parts(isa: Isa, bundle: Bundle) -> bool:
    return bool(bundle.size) and bool(_whole_reads(isa, bundle))


def _torn_reads(
    program: Program, number: int
) -> LocalResult[list[tuple[int, RegisterAccess, RegisterAccess]]]:
    """The results in the straight-line code before a bundle whose reads they tear."""
    isa, bundles = program.isa, program.bundles
    found: dict[tuple[int, int], tuple[int, RegisterAccess, RegisterAccess]] = {}
    distance, at = 0, number
    reads = _whole_reads(isa, bundles[number])
    while at > 0 and distance + 1 < LATEST:
        at -= 1
        distance += bundles[at].size
        if bundles[at].transfers_control or bundles[at].is_broken or bundles[at].directive:
            break
        for write in _late_writes(isa, bundles[at]) if bundles[at].size else ():
            for read in reads:
                if write.units.isdisjoint(read.units) or read.units <= write.units:
                    continue
                needed = needed_distance(write, read)
                if needed is not None and distance < needed:
                    window = [each for each in bundles[max(0, at - MAX_BACK) : at + 1] if each.size]
                    if is_torn(isa, window, write, read, distance):
                        found[read.instruction, read.operand] = number - at, write, read
    return LocalResult(number - max(0, at - MAX_BACK), 0, list(found.values()))


def _losses_from(program: Program, first: int) -> LocalResult[list[LostResult]]:
    end = first + program.per_bundle(function_size, first)
    return LocalResult(
        0, end - first, losses_of(FunctionBody(program.isa, program.bundles[first:end]))
    )


def _finding(
    program: Program, writer: int, write: RegisterAccess, reader: int, read: EarlyRead
) -> Diagnostic:
    bundle = program.bundles[writer]
    instruction = bundle.instructions[write.instruction]
    missing = read.needed - read.distance
    found = "of what nothing has written" if read.uninitialised else "and none later on"
    message = (
        f"what `{instruction.mnemonic}` puts into `{write.register}` can be read here "
        f"{read.needed} bundles after it, found a read after {read.distance} {found}: "
        f"{missing} more {'bundle is' if missing == 1 else 'bundles are'} needed between them"
    )
    span = program.span(reader, access_span(program.bundles[reader], read.access))
    return Diagnostic(RULE_ID, message, span, _flight(program, writer, write, read.needed))


def _torn(
    program: Program, writer: int, write: RegisterAccess, reader: int, read: RegisterAccess
) -> Diagnostic:
    bundle = program.bundles[writer]
    needed = needed_distance(write, read) or 0
    distance = program.addresses[reader] - program.addresses[writer]
    missing = needed - distance
    message = (
        f"`{read.register}` is read when both of its parts have landed, found `{write.register}` "
        f"of `{bundle.instructions[write.instruction].mnemonic}` on its way: "
        f"{missing} more {'bundle is' if missing == 1 else 'bundles are'} needed between them"
    )
    span = program.span(reader, access_span(program.bundles[reader], read))
    return Diagnostic(RULE_ID, message, span, _flight(program, writer, write, needed))


def _flight(
    program: Program, writer: int, write: RegisterAccess, needed: int
) -> tuple[RelatedInformation, ...]:
    """Return where a result is written and, in straight-line code, from where on it is seen."""
    name = f"`{write.register}`"
    place = program.span(writer, access_span(program.bundles[writer], write))
    found = RelatedInformation(place, f"{name} is on its way from here")
    lands = program.addresses[writer] + needed
    if lands >= program.size:
        return (found,)
    number = program.bundle_at_address[lands]
    passed = program.bundles[writer:number]
    if any(each.transfers_control or each.directive or not each.instructions for each in passed):
        return (found,)
    if not program.bundles[number].instructions:
        return (found,)
    span = program.span(number, program.bundles[number].span(0))
    return found, RelatedInformation(span, f"{name} can be read from this bundle on")


_LOAD, _STORE = "    vlda wl0, [p0, #0]\n", "    vst wl0, [p1, #0]\n"
_NOP, _RETURN = "    nop\n", "    ret lr\n" + "    nop\n" * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _LOAD + _NOP * 6 + _STORE + _RETURN,
        # An early read on purpose: the result is stored later.
        _LOAD + _STORE + _NOP * 6 + _STORE + _RETURN,
        # Likewise: the first store may store an argument, or an earlier result of the function.
        "    lda r7, [p0, #0]\n    st r7, [p1, #0]\n"
        + _NOP * 6
        + "    st r7, [p1, #4]\n"
        + _RETURN,
        "    mova r8, #1\n    lda r8, [p0, #0]\n    st r8, [p1, #0]\n"
        + _NOP * 6
        + "    st r8, [p1, #4]\n"
        + _RETURN,
        # A result that is pending at the end of a loop's body is read in the next iteration.
        "loop:\n" + _LOAD + _NOP * 2 + "    jnz r0, #loop\n" + _NOP * 4 + _STORE + _RETURN,
        # The store reads the value that was written for it; the load is superfluous.
        "    vmov x0, x4\n" + _NOP * 3 + _LOAD + _STORE + _NOP * 6 + _RETURN,
        # An unused mask; the previous content of its register is saved.
        "    vmax_lt.s8 x0, r16, x1, x2\n    mov r4, r16\n    vmax_lt.s8 x0, r16, x0, x2\n"
        + _NOP * 3
        + "    mov r16, r4\n"
        + _RETURN,
        # Only one of the two is assembled.
        ".if WIDE\n" + _LOAD + ".else\n" + _STORE + ".endif\n" + _RETURN,
        # The body of a macro is expanded somewhere else.
        ".macro load\n" + _LOAD + ".endm\n" + _STORE + _RETURN,
    ),
    invalid=(
        # One half has landed; both are read again later.
        _LOAD
        + _LOAD.replace("wl0", "wh0")
        + _NOP * 5
        + "    vshuffle x2, ⟦x0⟧, x4, r0\n    vshuffle x2, x0, x4, r0\n"
        + _RETURN,
        # A later read is in time, but nothing has written what this one reads.
        "    lda r8, [p0, #0]\n    add r1, ⟦r8⟧, #1\n"
        + _NOP * 6
        + "    add r2, r8, #1\n"
        + _RETURN,
        _LOAD + _NOP * 5 + _STORE.replace("wl0", "⟦wl0⟧") + _RETURN,
        _LOAD + _NOP * 5 + "    vshuffle x1, ⟦x0⟧, x2, r0\n" + _RETURN,
        # The first store reads the value that was written for it.
        "    vmov x0, x4\n" + _NOP * 3 + _STORE + _LOAD + _STORE.replace("wl0", "⟦wl0⟧") + _RETURN,
    ),
    check_program=check,
    isa="xdna1",
)
