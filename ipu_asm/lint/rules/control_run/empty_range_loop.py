"""A loop whose body runs although its range is empty.

## What it does
Reports a loop with its condition at the end that is entered where this condition is already false.
Values are those of the control run; where they depend on registers of the host whose values are not
configured, nothing is reported.

## Why
The body of such a loop runs at least once. If the counter is stepped before it is compared with
`bne`, it passes the bound and the loop goes on until the counter overflows. The usual causes are a
bound that is never set, a bound in the wrong register, and a size that is 0 in some configuration.

## Example
```
    set lr1 0; set lr2 0;;
row:
    ldr_mult_reg r0 lr1 cr0;;
    incr lr1 128;;
    blt lr1 lr2 row;;
    bkpt;;
```

## Use instead
```
    set lr1 0; set lr2 1024;;
row:
    ldr_mult_reg r0 lr1 cr0;;
    incr lr1 128;;
    blt lr1 lr2 row;;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.endless import LoopEntry, empty_entry
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.trace import LoopRun, loop_runs
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration, instruction_span, loop_name, loop_place
from ipu_asm.program.program import Program

RULE_ID = RuleId("W307", "empty-range-loop", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each loop that is entered with an empty range."""
    return in_each_configuration(program, _loops)


def _loops(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    seen: set[int] = set()
    for run in loop_runs(facts.run.nodes):
        entry = empty_entry(facts.run, run) if run.head not in seen else None
        if entry is not None:
            seen.add(run.head)
            yield _finding(program, facts, run, entry)


def _finding(program: Program, facts: ControlFacts, run: LoopRun, entry: LoopEntry) -> Diagnostic:
    last = facts.run.loops[run.head]
    branch = facts.run.steps[last].branch
    assert branch is not None
    names = facts.run.names.names
    bundle = program.bundles[program.bundle_at_address[last]]
    place = next(n for n, i in enumerate(bundle.instructions) if i.spec and i.spec.flow == "branch")
    mnemonic = bundle.instructions[place].mnemonic
    counts = [segment.trips for segment in run.segments]
    known = [count for count in counts if isinstance(count, int)]
    trips = sum(known)
    times = f"{trips:,} times" if trips != 1 else "once"
    runs = f"the body runs {times}" if len(known) == len(counts) else "the body runs all the same"
    message = (
        f"the condition of {loop_name(program, run.head)} must hold where the loop is entered: "
        f"`{mnemonic}` would compare `{names[branch.left]}` = {entry.left} "
        f"with `{names[branch.right]}` = {entry.right}, and {runs}"
    )
    span = instruction_span(program, last, place)
    return Diagnostic(RULE_ID, message, span, (loop_place(program, run.head),))


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "set lr1 3;;\nloop: incr lr0 1; bne lr0 lr1 loop;; bkpt;;",
        "set lr1 1;;\nloop: incr lr0 1;; blt lr0 lr1 loop;; bkpt;;",
        # A loop with a test inside, and one whose bound is not known.
        "loop: incr lr0 1;; beq lr2 lr3 out;; bne lr0 lr1 loop;; out: bkpt;;",
        "add lr1 lr0 cr1;;\nloop: incr lr0 1;; bne lr0 lr1 loop;; bkpt;;",
        # The bound is set in the body.
        "loop: incr lr0 1; set lr1 3;; bne lr0 lr1 loop;; bkpt;;",
    ),
    invalid=(
        "loop: incr lr0 1; ⟦bne⟧ lr0 lr1 loop;; bkpt;;",
        "set lr0 4; set lr1 4;;\nloop: acc;; incr lr0 1;; ⟦blt⟧ lr0 lr1 loop;; bkpt;;",
        "loop: incr lr0 1;; ⟦bnz⟧ lr0 lr1 loop;; bkpt;;",
        "set lr4 5;;\nouter: set lr0 0;;\ninner: incr lr0 1;; ⟦blt⟧ lr0 lr1 inner;;\n"
        "incr lr1 1;; bne lr1 lr4 outer;; bkpt;;",
    ),
    check_program=check,
)
