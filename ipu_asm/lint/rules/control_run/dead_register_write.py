"""A loop register is written, and written again before anything reads it.

## What it does
Reports a write of a loop register whose value is overwritten on every path before an instruction
reads it. What a register holds when the program halts counts as read, because the host and the
debugger can see it. A register that only steps itself is not reported.

## Why
The value is lost. The write may be left over from an earlier version, or the wrong register is
written: then another one keeps an old value.

## Example
```
    set lr1 128;
    set lr2 256;;
    set lr1 384;;
    ldr_mult_reg r0 lr1 cr0;;
    ldr_mult_reg r1 lr2 cr0;
    bkpt;;
```

## Use instead
```
    set lr1 384;
    set lr2 256;;
    ldr_mult_reg r0 lr1 cr0;;
    ldr_mult_reg r1 lr2 cr0;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Collection, Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import access_span, accesses_of, live_registers
from ipu_asm.flow.control_flow import is_runnable, reachability_of, successors_of
from ipu_asm.flow.control_run.step_reading import effects_on_scalars, scalar_registers
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import write_place
from ipu_asm.program.program import Program

RULE_ID = RuleId("W309", "dead-register-write", Severity.WARNING)

_Effects = tuple[int, int, int]
"""What `effects_on_scalars` returns."""


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each write of a loop register that no path reads."""
    successors = successors_of(program) if is_runnable(program) else None
    if successors is None:
        return
    isa = program.isa
    effects = [effects_on_scalars(isa, program.bundles[n]) for n in program.bundle_at_address]
    # Most edits leave them as they were: 12 of 16 ms for 1,000 bundles.
    dead = program.cache.whole(
        "dead_register_writes",
        (successors, effects),
        lambda: _dead_writes(effects, successors, (1 << len(_registers(isa))) - 1),
    )
    reachable = reachability_of(program).reachable if dead else ()
    for address, registers in dead:
        if reachable[address]:
            names = {name for n, name in enumerate(_registers(isa)) if registers >> n & 1}
            yield from _findings(program, successors, address, names)


def _dead_writes(
    effects: Sequence[_Effects], successors: Sequence[Sequence[int]], at_end: int
) -> list[tuple[int, int]]:
    """Return the addresses of writes that no path reads, with their registers as a bit set."""
    live = live_registers([each[:2] for each in effects], successors, at_end)
    return [
        (address, dead)
        for address, (_, writes, new) in enumerate(effects)
        if (dead := writes & ~live[address] & ~new)
    ]


def _findings(
    program: Program, successors: Sequence[Sequence[int]], address: int, dead: Collection[str]
) -> Iterator[Diagnostic]:
    number = program.bundle_at_address[address]
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.writes and access.register in dead:
            mnemonic = bundle.instructions[access.instruction].mnemonic
            register = access.register
            related = tuple(_next_writes(program, successors, address, register))
            expected = "read before it is overwritten" if related else "read"
            until = "between this `{}` and the next write" if related else "after this `{}`"
            message = (
                f"a value must be {expected}: nothing reads `{register}` "
                f"{until.format(mnemonic)}; remove the `{mnemonic}`, or read `{register}`"
            )
            span = program.span(number, access_span(bundle, access))
            yield Diagnostic(RULE_ID, message, span, related, tags=("unnecessary",))


def _registers(isa: Isa) -> Sequence[str]:
    names = scalar_registers(isa)
    return names.names[: names.changing]


def _next_writes(
    program: Program, successors: Sequence[Sequence[int]], address: int, register: str
) -> Iterator[RelatedInformation]:
    """Yield the place of another write, the next one on a path after an address."""
    waiting, seen = list(successors[address]), {address}
    while waiting:
        following = waiting.pop(0)
        if following in seen or following >= program.size:
            continue
        seen.add(following)
        places = list(write_place(program, following, register, "it is overwritten here"))
        if places:
            yield places[0]
            return
        waiting += successors[following]


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 1;;\nincr lr1 1;;\nldr_mult_reg r0 lr1 cr0; bkpt;;",
        # The value at the end may be a result.
        "set lr1 1;;\nbkpt;;",
        # The branch compares the old value.
        "set lr1 1; set lr2 4;;\nloop: incr lr0 1;; set lr1 2; bne lr0 lr1 loop;; bkpt;;",
        # A live read of the same bundle sees the new value.
        "set lr1 128; ldr_mult_reg r0 lr1 cr0;; set lr1 0;; bkpt;;",
        # The next iteration reads it.
        "set lr2 4;;\nloop: ldr_mult_reg r0 lr1 cr0;;\nincr lr0 1;;\n"
        "set lr1 128; bne lr0 lr2 loop;;\nset lr1 0;; bkpt;;",
        # One path reads it.
        "add lr2 lr0 cr1; set lr1 5;;\nbeq lr2 lr0 +2;; add lr3 lr1 lr1;; set lr1 0;; bkpt;;",
    ),
    invalid=(
        "set ⟦lr1⟧ 1;;\nset lr1 2;;\nldr_mult_reg r0 lr1 cr0; bkpt;;",
        "set lr2 4;;\nloop: set ⟦lr1⟧ 5; incr lr0 1;; set lr1 0;\nbne lr0 lr2 loop;; bkpt;;",
        # Only the next iteration overwrites it.
        "loop: set ⟦lr1⟧ 5; acc;; b loop;;",
        "incr ⟦lr1⟧ 128; str_acc_reg lr2 cr1;;\nbeq lr2 lr3 +2;; set ⟦lr1⟧ 1;; set lr1 0;; bkpt;;",
    ),
    check_program=check,
)
