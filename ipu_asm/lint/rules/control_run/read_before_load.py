"""A register is read before anything has loaded it.

## What it does
Reports a read of `r0`, `r1`, `mem_bypass` or `r_cyclic` before a bundle that loads it has run. A
load in the same bundle counts where the instruction sees it. Where the order of bundles depends on
registers of the host, a read is reported if nothing loads the register on some path. A text without
a halt counts as a fragment of a program and is not checked.

`mult.ve.cr` and `mult.ve.aaq` read nothing if their offset is past the end of `r_cyclic`.

## Why
The register holds zeros at the start of a run, and whatever the last kernel left in it later. The
usual causes are the name of another register, a load after its use, and a load that was removed.

## Example
```
    ldr_mult_reg r0 lr1 cr0;;
    ldr_cyclic_mult_reg lr1 cr1 lr0;;
    mult.ee r1 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```

## Use instead
```
    ldr_mult_reg r1 lr1 cr0;;
    ldr_cyclic_mult_reg lr1 cr1 lr0;;
    mult.ee r1 lr0 lr0 lr0;
    acc.first;;
    str_acc_reg lr0 cr2;
    bkpt;;
```
"""

from __future__ import annotations

from typing import Callable, Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RelatedInformation, RuleId, Severity
from ipu_asm.flow.accesses import access_span, accesses_of
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.unloaded_reads import UnloadedRead, scratch_reads, unloaded_reads
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

RULE_ID = RuleId("W301", "read-before-load", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each read of a register that nothing has loaded."""
    return unloaded_findings(program, RULE_ID, _message, of_windows=False)


def _message(program: Program, read: UnloadedRead, mnemonic: str) -> str:
    register, where = read.register, "before" if read.is_certain else "on every path to"
    if register not in _first_loads(program):
        found = "nothing in the program loads it"
    elif register in scratch_reads(program)[read.address].writes:
        found = "it does not see the load of its own bundle"
    elif read.is_certain:
        found = "the first load comes later"
    else:
        found = "on some path nothing loads it"
    return f"`{register}` must be loaded {where} `{mnemonic}`: {found}"


_LOADS = "ldr_mult_reg r0 lr0 cr0;;\nldr_cyclic_mult_reg lr0 cr0 lr0;;\n"

RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        f"{_LOADS}mult.ee r0 lr0 lr0 lr0; acc.first; bkpt;;",
        # The loads of the same bundle count.
        "ldr_cyclic_mult_reg lr0 cr0 lr0;;\n"
        "ldr_mult_reg r1 lr0 cr0; mult.ee r1 lr0 lr0 lr0; acc.first; bkpt;;",
        # All elements are the number one.
        "set lr1 512;;\nmult.ve.cr lr1 lr0 lr0 cr1; acc.first; bkpt;;",
        # The branch that leads past the load is never taken.
        "set lr1 1;;\nbeq lr0 lr1 use;; ldr_mult_reg r0 lr0 cr0;; use:\n"
        "ldr_cyclic_mult_reg lr0 cr0 lr0; mult.ee r0 lr0 lr0 lr0; acc.first; bkpt;;",
    ),
    invalid=(
        f"{_LOADS}mult.ee ⟦r1⟧ lr0 lr0 lr0; acc.first; bkpt;;",
        "ldr_mult_reg r0 lr0 cr0; ⟦mult.ee⟧ r0 lr0 lr0 lr0; acc.first; bkpt;;",
        "⟦mult.ve.cr⟧ lr0 lr0 lr0 cr1; acc.first; bkpt;;",
        "set lr1 2;;\nloop: ⟦mult.ve⟧ ⟦r0⟧ lr0 lr0 lr0 lr0; acc;;\n"
        "ldr_mult_reg r0 lr0 cr0; incr lr2 1;;\nldr_cyclic_mult_reg lr0 cr0 lr0;\n"
        "bne lr2 lr1 loop;; bkpt;;",
        # Where the branch leads is not known, but its own bundle runs.
        "add lr1 lr0 cr1; ldr_mult_reg r0 lr0 cr0;;\nbeq lr0 lr1 +2; ⟦mult.ee⟧ r0 lr0 lr0 lr0;;"
        "\nldr_cyclic_mult_reg lr0 cr0 lr0;;\nbkpt;;",
        "add lr1 lr0 cr1; ldr_cyclic_mult_reg lr0 cr0 lr0;;\nbeq lr0 lr1 use;;\n"
        "ldr_mult_reg mem_bypass lr0 cr0;; use:\n"
        "mult.ee ⟦mem_bypass⟧ lr0 lr0 lr0; acc.first; bkpt;;",
    ),
    check_program=check,
)


def unloaded_findings(
    program: Program,
    rule: RuleId,
    message: Callable[[Program, UnloadedRead, str], str],
    *,
    of_windows: bool,
) -> Iterator[Diagnostic]:
    """Yield a finding of a rule for each read of a window of elements, or for each other read.

    `message` is given the read and the mnemonic that reads.
    """

    def reads(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
        for read in _unloaded_reads(program, facts):
            if (read.window is not None) == of_windows:
                span, mnemonic = _place_of(program, read)
                related = tuple(_loads_of(program, read.register))
                yield Diagnostic(rule, message(program, read, mnemonic), span, related)

    return in_each_configuration(program, reads)


def _unloaded_reads(program: Program, facts: ControlFacts) -> Sequence[UnloadedRead]:
    """Return the reads of registers that nothing has loaded, in one configuration.

    There are none in a text without a halt: it is a fragment, and what comes before is unknown.
    """
    if not program.where(_halts):
        return ()
    name = f"unloaded_reads {sorted(facts.presets.items())}"
    inputs = facts, scratch_reads(program)
    return program.cache.whole(name, inputs, lambda: unloaded_reads(program, facts))


def _halts(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.flow == "halt"


def _place_of(program: Program, read: UnloadedRead) -> tuple[Span, str]:
    """Return the span of the register that is read, or of the mnemonic, and the mnemonic."""
    number = program.bundle_at_address[read.address]
    bundle = program.bundles[number]
    accesses = [
        access
        for access in accesses_of(program.isa, bundle)
        if access.reads and read.register in access.units
    ]
    access = next((each for each in accesses if not each.writes), accesses[0])
    span = program.span(number, access_span(bundle, access))
    return span, bundle.instructions[access.instruction].mnemonic


def _loads_of(program: Program, register: str) -> Iterator[RelatedInformation]:
    """Yield the first place in the text that loads a register, if there is one."""
    number = _first_loads(program).get(register)
    if number is None:
        return
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.writes and register in access.units:
            span = program.span(number, access_span(bundle, access))
            yield RelatedInformation(span, f"`{register}` is loaded here")
            return


@cached_on_program
def _first_loads(program: Program) -> dict[str, int]:
    """Return the number of the first bundle that writes each scratch register."""
    found: dict[str, int] = {}
    for number, effects in zip(program.bundle_at_address, scratch_reads(program)):
        for register in effects.writes:
            found.setdefault(register, number)
    return found
