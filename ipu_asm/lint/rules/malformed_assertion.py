"""An assertion in a comment that says nothing that can be checked.

## What it does
Reports a comment that begins as an assertion (`ASSERT`, `ASSERT-AFTER`, `REGION NAME =`,
`CR REGISTER =`, `LOG`) and goes on otherwise, `CR` without a register, an assertion after the last
bundle, and `LOOP` where no loop begins.

## Why
Whoever reads the comment believes that it is checked.

## Example
```
    # ASSERT lr5 in 127
    set lr5 0;;
    bkpt;;
```

## Use instead
```
    # ASSERT lr5 in 0..127
    set lr5 0;;
    bkpt;;
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterator

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.assertions.comments import AssertionComment, AssertionKind, assertion_comments
from ipu_asm.isa.operands import quoted
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.flow.assertions.syntax import Configurations

RULE_ID = RuleId("W105", "malformed-assertion", Severity.WARNING)


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each assertion that cannot be parsed, or has no bundle or loop."""
    comments = assertion_comments(program)
    if not comments:
        return
    from ipu_asm.expressions.tree import ExpressionError  # for few programs
    from ipu_asm.flow.assertions.syntax import Configurations, parse_assertion

    for comment in comments:
        option = _host_option(program, comment)
        if option is not None:
            yield option
            continue
        try:
            parsed = parse_assertion(comment.kind, comment.text)
        except ExpressionError as error:
            span = comment.place(error.span)
            at_end = span.start == span.end
            yield Diagnostic(RULE_ID, error.message, comment.keyword if at_end else span)
        else:
            if isinstance(parsed, Configurations):
                yield from _unknown_registers(program, comment, parsed)
            yield from _misplaced(program, comment)


def _host_option(program: Program, comment: AssertionComment) -> Diagnostic | None:
    """A finding for an option of the host, such as `dtype`, that no comment states."""
    if comment.kind is not AssertionKind.CONFIGURATION:
        return None
    from ipu_asm.config.kernel_keys import NAMED_VALUES  # for few programs
    from ipu_asm.isa import manifests

    manifest = manifests().get(program.isa.name)
    for option in manifest.host_options if manifest else ():
        name = option.name.replace("_", "[-_]")
        found = re.search(rf"(?<![\w-]){name}(?=\s*=)", comment.text, re.IGNORECASE)
        if found and option.name not in NAMED_VALUES:
            message = (
                f"expected a register that the host sets, found {quoted(found[0])}: choose it with "
                f'`{option.argument}`, or for this kernel in `[kernel."GLOB".run]` of ipu.toml'
            )
            return Diagnostic(RULE_ID, message, comment.place(Span(*found.span())))
    return None


def _unknown_registers(
    program: Program, comment: AssertionComment, parsed: Configurations
) -> Iterator[Diagnostic]:
    from ipu_asm.config.kernel_keys import NAMED_VALUES
    from ipu_asm.flow.control_run.step_reading import scalar_registers

    known = set(scalar_registers(program.isa).names)
    if any(space.rows for space in program.isa.spaces.values()):
        known |= NAMED_VALUES.keys()
    for name, _ in parsed.values if known else ():
        if name not in known:
            start = comment.text.lower().find(name)
            message = f"expected a register that the host sets, found {quoted(name)}"
            yield Diagnostic(RULE_ID, message, comment.place(Span(start, start + len(name))))


def _misplaced(program: Program, comment: AssertionComment) -> Iterator[Diagnostic]:
    from ipu_asm.flow.loops import backward_branches

    kind, keyword = comment.kind, quoted(comment.kind.value)
    if kind in (AssertionKind.REGION, AssertionKind.CONFIGURATION):
        return
    if kind is AssertionKind.CYCLES and comment.is_head:
        return
    if comment.bundle is None:
        message = f"{keyword} is about the bundle on its line or below it, found none"
        yield Diagnostic(RULE_ID, message, comment.keyword)
        return
    is_loop = program.addresses[comment.bundle] in backward_branches(program)
    if kind in (AssertionKind.TRIPS, AssertionKind.CYCLES) and not is_loop:
        message = f"{keyword} is about the loop that begins there, found no branch back to it"
        yield Diagnostic(RULE_ID, message, comment.keyword)


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "# LOOP over the rows\n# CYCLES: many\n# REGION of weights\nbkpt;;",
        "# CYCLES 1\n# CR cr4 = 64 | 128  # columns\n# LOG lr5 sum(acc)\nbkpt;;",
    ),
    invalid=(
        "# ASSERT lr5 in 3 ⟦lr6⟧\nbkpt;;",
        "# ⟦ASSERT⟧\nbkpt;;",
        "# CR cr4 = ⟦x⟧\nbkpt;;",
        "# CR ⟦cr16⟧ = 1\nbkpt;;",
        "# CR cr4 = 64, ⟦dtype⟧ = fp8_e4m3\nbkpt;;",
        "bkpt;;\n# ⟦ASSERT⟧ lr5 == 0",
        "acc;;\n# ⟦LOOP⟧ 3\nbkpt;;",
        "# ⟦LOOP⟧ 3\nbkpt;;",
    ),
    check_program=check,
)
