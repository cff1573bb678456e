"""An `ACC.RESHAPE` that comes before the products that it moves.

## What it does
Reports an `ACC.RESHAPE` that is executed when no earlier bundle has multiplied anything. A
multiplication in the same bundle does not count.

## Why
The other acc instructions see the products of their own bundle. `ACC.RESHAPE` alone moves those
from before it: here these are zeros. In a loop that multiplies and reshapes in the same bundle, the
first multiplication belongs before the loop.

## Example
```
    LDR_MULT_REG r0 lr0 cr2;;
    MULT.VE lr0 cr3 0 lr0 cr15;
    ACC.RESHAPE lrd2 lrd4 0;;
    STR_ACC_REG lr0 cr5;
    BKPT;;
```

## Use instead
```
    LDR_MULT_REG r0 lr0 cr2;;
    MULT.VE lr0 cr3 0 lr0 cr15;;
    ACC.RESHAPE lrd2 lrd4 0;;
    STR_ACC_REG lr0 cr5;
    BKPT;;
```
"""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.accesses import LIVE
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration, instruction_span
from ipu_asm.program.program import Program

RULE_ID = RuleId("I103", "reshape-before-product", Severity.WARNING)
_PRODUCTS = "mult_res"


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each `ACC.RESHAPE` before the first multiplication of a run."""
    if program.where(_reads_old_products) and program.where(_halts):
        yield from in_each_configuration(program, _too_early)


def _halts(_isa: Isa, bundle: Bundle) -> bool:
    """A text without a halt is a fragment: what comes before it is unknown."""
    return bundle.flow == "halt"


def _reads_old_products(_isa: Isa, bundle: Bundle) -> bool:
    return _place(bundle) is not None


def _place(bundle: Bundle) -> int | None:
    """Return the number of the instruction that reads products from before the bundle."""
    for place, instruction in enumerate(bundle.instructions):
        time = instruction.spec.reads.get(_PRODUCTS) if instruction.spec is not None else None
        if time not in (None, LIVE):
            return place
    return None


def _too_early(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    seen: set[int] = set()
    for node in facts.executions:
        bundle = program.bundles[program.bundle_at_address[node.address]]
        place = _place(bundle)
        specs = [instruction.spec for instruction in bundle.instructions]
        multiplies = any(spec is not None and _PRODUCTS in spec.writes for spec in specs)
        if place is not None and node.address not in seen:
            seen.add(node.address)
            mnemonic = bundle.instructions[place].mnemonic
            why = "it does not see that of its own bundle" if multiplies else "there is none"
            message = f"`{mnemonic}` must come after a multiplication: {why}"
            yield Diagnostic(RULE_ID, message, instruction_span(program, node.address, place))
        if multiplies:
            return


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "LDR_MULT_REG r0 lr0 cr2;; MULT.VE lr0 cr3 0 lr0 cr15;; ACC.RESHAPE lrd2 lrd4 0; BKPT;;",
        # The products of one iteration are moved in the next one.
        "LDR_MULT_REG r0 lr0 cr2;; MULT.VE lr0 cr3 0 lr0 cr15;;\n"
        "loop: MULT.VE lr0 cr3 0 lr0 cr15; ACC.RESHAPE lrd2 lrd4 0; INC lr0 1;;\n"
        "BLT lr0 cr15 loop;; BKPT;;",
        # A piece of a kernel.
        "ACC.RESHAPE lrd2 lrd4 0;;",
    ),
    invalid=(
        "LDR_MULT_REG r0 lr0 cr2;; MULT.VE lr0 cr3 0 lr0 cr15; ⟦ACC.RESHAPE⟧ lrd2 lrd4 0;; BKPT;;",
        "⟦acc.reshape⟧ lrd2 lrd4 0;; LDR_MULT_REG r0 lr0 cr2;; mult.ve lr0 cr3 0 lr0 cr15;; BKPT;;",
    ),
    check_program=check,
    isa="ipu2",
)
