"""A result that lands after the only instruction that reads its register.

## What it does
Reports a read of a register that comes before the result of an earlier instruction has landed in
it, where nothing reads the register afterwards: on no way that control can take, around loops too.
A read that sees an earlier result is left alone where nothing else reads that one: it comes in time
for it, and the later result is one too many, as at the end of a loop that was unrolled by hand.
Where nothing in the function has written the register before, and it is one in which no argument
is passed, the read is reported whatever reads the register afterwards.

## Why
The cores have no interlocks. A load takes seven bundles, a multiplication up to six; who reads
sooner gets what was in the register before, and no error. Reading early on purpose is good style in
a pipelined loop, and then something reads the result later. Where nothing does, the result is lost
and the read was most likely meant for it: a bundle is missing between the two.

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

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import RegisterAccess, access_span, accesses_of
from ipu_asm.flow.control_flow import function_size, functions_of
from ipu_asm.flow.lost_results import (
    EarlyRead,
    FunctionBody,
    lost_result_reads,
    uninitialised_reads,
)
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule
from ipu_asm.program.incremental_cache import LocalResult
from ipu_asm.program.program import Program

RULE_ID = RuleId("X101", "lost-result", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each read that comes too early for a result that nobody sees."""
    for function in functions_of(program):
        first = function.start
        for number, write, read in program.per_bundle(_losses_from, first, of_bundles=True):
            yield _finding(program, first + number, write, first + read.number, read)


def _losses_from(
    program: Program, first: int
) -> LocalResult[list[tuple[int, RegisterAccess, EarlyRead]]]:
    end = first + program.per_bundle(function_size, first)
    return LocalResult(
        0, end - first, _losses(FunctionBody(program.isa, program.bundles[first:end]))
    )


def _losses(function: FunctionBody) -> list[tuple[int, RegisterAccess, EarlyRead]]:
    """The lost results of a function: the place of the bundle that writes, what, and who reads."""
    found: dict[tuple[int, int, int], tuple[int, RegisterAccess, EarlyRead]] = {}
    for address, number in enumerate(function.graph.numbers):
        for write in _slow_writes(function.isa, function.bundles[number]):
            early = (function, address, write)
            for read in (*lost_result_reads(*early), *uninitialised_reads(*early)):
                place = (read.number, read.access.instruction, read.access.operand)
                found.setdefault(place, (number, write, read))
    return list(found.values())


def _slow_writes(isa: Isa, bundle: Bundle) -> list[RegisterAccess]:
    """What a bundle writes that does not land before the next bundle.

    Only the first result of an instruction counts: what comes with it, such as the mask of a
    comparison or what a counter becomes, is often wanted by nobody.
    """
    accesses = [access for access in accesses_of(isa, bundle) if access.writes]
    first: dict[int, int] = {}
    return [
        access
        for access in accesses
        if first.setdefault(access.instruction, access.operand) == access.operand
        and access.operand != ON_MNEMONIC
        and access.timing.def_cycle is not None
        and access.timing.def_cycle > 1
    ]


def _finding(
    program: Program, writer: int, write: RegisterAccess, reader: int, read: EarlyRead
) -> Diagnostic:
    bundle = program.bundles[writer]
    instruction = bundle.instructions[write.instruction]
    missing = read.needed - read.distance
    found = "of what nothing has written" if read.uninitialised else "and none later on"
    message = (
        f"what `{instruction.mnemonic}` puts into `{write.register}` can be read here "
        f"{read.needed} bundles behind it, found a read after {read.distance} {found}: "
        f"{missing} more {'bundle is' if missing == 1 else 'bundles are'} needed between them"
    )
    related = RelatedInformation(
        program.span(writer, access_span(bundle, write)),
        f"`{write.register}` is on its way from here",
    )
    span = program.span(reader, access_span(program.bundles[reader], read.access))
    return Diagnostic(RULE_ID, message, span, (related,))


_LOAD, _STORE = "    vlda wl0, [p0, #0]\n", "    vst wl0, [p1, #0]\n"
_NOP, _RETURN = "    nop\n", "    ret lr\n" + "    nop\n" * 5

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        _LOAD + _NOP * 6 + _STORE + _RETURN,
        # An early read on purpose: the result is stored later.
        _LOAD + _STORE + _NOP * 6 + _STORE + _RETURN,
        # Likewise: what is stored first may be an argument, or what the function wrote before.
        "    lda r7, [p0, #0]\n    st r7, [p1, #0]\n"
        + _NOP * 6
        + "    st r7, [p1, #4]\n"
        + _RETURN,
        "    mova r8, #1\n    lda r8, [p0, #0]\n    st r8, [p1, #0]\n"
        + _NOP * 6
        + "    st r8, [p1, #4]\n"
        + _RETURN,
        # What is pending at the end of a loop's body is read in its next round.
        "loop:\n" + _LOAD + _NOP * 2 + "    jnz r0, #loop\n" + _NOP * 4 + _STORE + _RETURN,
        # What is stored was put there for it; the load is one too many.
        "    vmov x0, x4\n" + _NOP * 3 + _LOAD + _STORE + _NOP * 6 + _RETURN,
        # A mask that nobody wants; what was in its register before is saved.
        "    vmax_lt.s8 x0, r16, x1, x2\n    mov r4, r16\n    vmax_lt.s8 x0, r16, x0, x2\n"
        + _NOP * 3
        + "    mov r16, r4\n"
        + _RETURN,
        # Only one of the two is assembled.
        ".if WIDE\n" + _LOAD + ".else\n" + _STORE + ".endif\n" + _RETURN,
        # A body stands somewhere else.
        ".macro load\n" + _LOAD + ".endm\n" + _STORE + _RETURN,
    ),
    invalid=(
        # A later read is in time, but what this one sees nobody has put there.
        "    lda r8, [p0, #0]\n    add r1, ⟦r8⟧, #1\n"
        + _NOP * 6
        + "    add r2, r8, #1\n"
        + _RETURN,
        _LOAD + _NOP * 5 + _STORE.replace("wl0", "⟦wl0⟧") + _RETURN,
        _LOAD + _NOP * 5 + "    vshuffle x1, ⟦x0⟧, x2, r0\n" + _RETURN,
        # The first store has what was put there for it.
        "    vmov x0, x4\n" + _NOP * 3 + _STORE + _LOAD + _STORE.replace("wl0", "⟦wl0⟧") + _RETURN,
    ),
    check_program=check,
    isa="xdna1",
)
