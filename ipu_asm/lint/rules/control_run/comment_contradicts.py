"""A comment at the beginning gives a register a value that it never has.

## What it does
Reports `lr3 = 127` in a comment before the first instruction, if the program writes the register
and it never holds that value while the program runs. Only a single number counts, not a range, a
sum or a size (`lr3 = 128 * k`). A register that the program never writes is the host's.

## Why
Either the comment or the number in the code is out of date. Whoever changes the kernel next will
believe the comment.

## Example
```
# lr1 = 127: the last element
    set lr1 126;;
loop:
    incr lr2 1;
    bne lr2 lr1 loop;;
    bkpt;;
```

## Use instead
```
# lr1 = 126: the branch compares the old value
    set lr1 126;;
loop:
    incr lr2 1;
    bne lr2 lr1 loop;;
    bkpt;;
```
"""

from __future__ import annotations

import re
from typing import Collection, Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.trace import Progression
from ipu_asm.flow.control_run.values import wrapped
from ipu_asm.isa.operands import number_value
from ipu_asm.lint import Rule
from ipu_asm.lint.run_findings import in_each_configuration
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import comments_between
from ipu_asm.text import Span

RULE_ID = RuleId("W311", "comment-contradicts", Severity.WARNING)
_CLAIM = re.compile(r"\b([A-Za-z]+\d+)\s*=\s*([+-]?\w+)(?=\s*(?:$|[:;,(]|\.(?!\.)))")
_OTHER = re.compile(r"\b(or|then|until|to|for)\b|\.\.", re.IGNORECASE)
_MAX_VALUES = 4


class _Claim(NamedTuple):
    """A register and its value in a comment, at a span of the text."""

    register: str
    value: int
    span: Span


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each value in the header that its register never has."""
    if "=" in program.text[: _end_of_header(program)]:
        yield from in_each_configuration(program, _claims_of)


def _end_of_header(program: Program) -> int:
    """Return the offset of the first token, 0 without a comment before it."""
    syntax = program.bundles[0].syntax if program.bundles else None
    if syntax is None or not syntax.grammar.comment.search(syntax.text) or not syntax.spans:
        return 0
    return program.span(0, syntax.spans[0]).start


def _claims_of(program: Program, facts: ControlFacts) -> Iterator[Diagnostic]:
    claims = [each for each in _claims(program) if each.register in facts.run.names.positions]
    if not claims or not facts.run.is_complete:
        return
    name = f"comment_contradicts {sorted(facts.presets.items())}"
    registers = frozenset(claim.register for claim in claims)
    seen = program.cache.whole(name, (facts, registers), lambda: _values(facts, registers))
    for claim in claims:
        values = seen.get(claim.register)
        if values is not None and not any(_contains(each, claim.value) for each in values):
            message = (
                f"the comment says `{claim.register}` = {claim.value}, which it never is: "
                f"{_seen_text(values)}"
            )
            yield Diagnostic(RULE_ID, message, claim.span)


def _claims(program: Program) -> Iterator[_Claim]:
    """Yield what the comments before the first bundle say about registers."""
    syntax, end = program.bundles[0].syntax, _end_of_header(program) - program.starts[0]
    for comment in comments_between(syntax, 0, end):
        text = syntax.text[comment.start : comment.end]
        for match in _CLAIM.finditer(text):
            value = number_value(match[2])
            line = text[match.start() : text.find("\n", match.end()) % (len(text) + 1)]
            if value is not None and not _OTHER.search(line):
                start = comment.start + match.start()
                span = program.span(0, Span(start, comment.start + match.end()))
                yield _Claim(match[1].lower(), wrapped(value), span)


def _values(facts: ControlFacts, registers: Collection[str]) -> dict[str, list[Progression]]:
    """Return all values of registers, without those that nothing writes; empty if not known."""
    run = facts.run
    positions = {run.names.positions[name]: name for name in registers}
    places = {
        address: [positions[each.register] for each in step.updates if each.register in positions]
        for address, step in enumerate(run.steps)
    }
    written = dict.fromkeys(name for names in places.values() for name in names)
    observed = facts.observe({address: names for address, names in places.items() if names})
    if not observed.is_complete:
        return {}
    found = {name: [Progression(run.initial[run.names.positions[name]])] for name in written}
    for (_, name), values in observed.values.items():
        found[name] += values.after
    return found


def _contains(progression: Progression, value: int) -> bool:
    """Return whether a progression may have a value; a progression of unknown values may."""
    start, dimensions = progression
    if not isinstance(start, int):
        return True
    low = high = start
    for stride, count in dimensions:
        if not isinstance(stride, int) or not isinstance(count, int):
            return True
        low += min(0, stride * (count - 1))
        high += max(0, stride * (count - 1))
    moving = [stride for stride, count in dimensions if stride and count != 1]
    if len(moving) == 1 and isinstance(moving[0], int) and (value - start) % moving[0]:
        return False
    return low <= value <= high


def _seen_text(seen: Sequence[Progression]) -> str:
    """Return what the register holds instead, for a few values."""
    starts = list(dict.fromkeys(each.start for each in seen[1:] if isinstance(each.start, int)))
    texts = [str(value) for value in starts[:_MAX_VALUES]]
    more = len(starts) > _MAX_VALUES or any(each.dimensions for each in seen)
    return f"it becomes {', '.join(texts)}{', ...' if more else ''}"


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "# lr1 = 3: rows\nset lr1 3;;\nbkpt;;",
        "# lr1 = 128 * k, lr1 = 0 .. 7, lr1 = 5 bytes\nset lr1 3;;\nbkpt;;",
        # The counter passes 2 on its way.
        "# lr1 = 2\nset lr2 9;;\nloop: incr lr1 1; bne lr1 lr2 loop;; bkpt;;",
        # The host sets it.
        "# lr7 = 4\nadd lr1 lr7 lr7;;\nbkpt;;",
        "# lr1 = 4: rows\nadd lr1 lr0 cr1;;\nbkpt;;",
        "set lr1 3;;\n# lr1 = 4\nbkpt;;",
    ),
    invalid=(
        "# ⟦lr1 = 127⟧: the last element\nset lr1 126;;\nbkpt;;",
        "// registers\n//   ⟦lr2 = 0x80⟧, ⟦lr3 = -1⟧\nset lr2 0x100; set lr3 65534;;\nbkpt;;",
        "# ⟦lr1 = 3⟧.\nset lr2 8;;\nloop: incr lr1 2;; bne lr1 lr2 loop;; bkpt;;",
    ),
    check_program=check,
)
