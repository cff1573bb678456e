"""Loads and stores in words: addresses, executions, and the others that touch the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.values import value_text
from ipu_asm.ide.control_run.configurations import origin_of, shown_facts
from ipu_asm.ide.control_run.run import listed, unknown_registers
from ipu_asm.program.program import Program
from ipu_asm.text import Span, counted

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_NAMED = 3


def access_lines(analysis: Analysis, number: int, instruction: int) -> list[str]:
    """Return a line for each memory access of an instruction in bundle `number`."""
    program = analysis.program
    facts = shown_facts(program)
    if facts is None or not program.bundles[number].size:
        return []
    address = program.addresses[number]
    if facts.is_complete and facts.summary.executions[address] == 0:
        accesses = facts.run.steps[address].accesses
        return ["never executed"] if any(a.instruction == instruction for a in accesses) else []
    return [
        _line(analysis, facts, access)
        for access in facts.accesses_at(address)
        if access.access.instruction == instruction
    ]


def range_text(ranges: Sequence[range]) -> str:
    """Return the first and the last byte of sorted ranges: `0x20000..0x23fff`."""
    return f"{ranges[0].start:#x}..{ranges[-1].stop - 1:#x}"


def overlapping(facts: ControlFacts, access: AccessSummary) -> list[AccessSummary]:
    """Return the other accesses that touch a byte of this one, as far as that is known.

    Two addresses can be compared if both are known or if their base registers are the same.
    """
    return [
        other
        for other in facts.summary.accesses.values()
        if other is not access
        and other.access.space is access.access.space
        and _do_overlap(facts, access, other)
    ]


def _line(analysis: Analysis, facts: ControlFacts, access: AccessSummary) -> str:
    space = access.access.space
    what = f"{access.access.size} bytes"
    if space.is_register:
        what += f" of {access.access.memory}"
    text = f"{what} at {facts.address_text(access)}{_range(analysis.program, facts, access)}"
    if not space.is_register:
        text += f"; {_others(analysis, facts, access)}"
    return "; ".join(filter(None, (text, _executions(facts, access.address))))


def _executions(facts: ControlFacts, address: int) -> str:
    """Return how often a bundle is executed, or what that depends on."""
    count, unknown = facts.summary.executions[address], unknown_registers(facts)
    if facts.is_complete and count is not None:
        return counted(count, "time")
    return f"how often depends on {listed(unknown)}" if unknown else ""


def _range(program: Program, facts: ControlFacts, access: AccessSummary) -> str:
    """Format the addresses of an access, or its offsets if a base register is unknown."""
    ranges, names = facts.address_ranges(access), facts.base_names(access)
    if access.access.space.is_register or not names:
        return ""
    what = "bytes " if access.access.space.rows else ""
    if ranges:
        values = (f"{name} = {value_text(facts.initial(name))}" for name in names)
        origins = dict.fromkeys(filter(None, (origin_of(program, name) for name in names)))
        source = f", from {' and '.join(origins)}" if origins else ""
        return f" ({what}{range_text(ranges)} with {', '.join(values)}{source})"
    offsets = facts.offset_ranges(access)
    return f" ({what}{range_text(offsets)} from {' + '.join(names)})" if offsets else ""


def _others(analysis: Analysis, facts: ControlFacts, access: AccessSummary) -> str:
    """Return who writes what a load reads, or reads what a store writes."""
    is_read = access.access.kind == "read"
    verb, kind = ("written", "write") if is_read else ("read", "read")
    found = [each for each in overlapping(facts, access) if each.access.kind == kind]
    names = [] if facts.base(access) is not None else facts.base_names(access)
    through = f" through {' + '.join(names)}" if names else ""
    if not found:
        return f"{verb} by nobody{through}"
    lines = [_place(analysis, each) for each in found[:_MOST_NAMED]]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return f"{verb} by {', '.join(lines)}{more}{through}"


def _place(analysis: Analysis, access: AccessSummary) -> str:
    program = analysis.program
    start = instruction_span(program, access).start
    line = analysis.source.lines.position(start).line + 1
    return f"line {line}"


def instruction_span(program: Program, access: AccessSummary) -> Span:
    """Return the span of the instruction of an access in the text of its program."""
    number = program.bundle_at_address[access.address]
    syntax = program.bundles[number].syntax
    return program.span(number, syntax.instruction_span(access.access.instruction))


def _do_overlap(facts: ControlFacts, one: AccessSummary, other: AccessSummary) -> bool:
    if one.access.bases == other.access.bases:
        return _share(facts.offset_ranges(one), facts.offset_ranges(other))
    return _share(facts.address_ranges(one), facts.address_ranges(other))


def _share(some: Sequence[range] | None, others: Sequence[range] | None) -> bool:
    """Return whether sorted ranges have a byte in common with others."""
    left, right = 0, 0
    while some and others and left < len(some) and right < len(others):
        if some[left].stop <= others[right].start:
            left += 1
        elif others[right].stop <= some[left].start:
            right += 1
        else:
            return True
    return False
