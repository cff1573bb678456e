"""Facts of the symbolic run that editors show: configurations, accesses, sizes in memory."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.config.host_configurations import HostConfiguration
from ipu_asm.config.kernel_keys import NAMED_VALUES, setting_text
from ipu_asm.flow.assertions.syntax import commented_values, configurations_of
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, facts_with
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, LIMIT
from ipu_asm.flow.control_run.summary import AccessSummary
from ipu_asm.flow.control_run.values import value_text
from ipu_asm.flow.loop_numbers import cycles_of_run
from ipu_asm.flow.named_memory import names_of
from ipu_asm.isa.build import NO_LIMIT
from ipu_asm.isa.model import Isa
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span, counted

_MAX_SHOWN = 16
_MAX_NAMED = 3


class ShownConfiguration(NamedTuple):
    """Values of registers by name. `name` has those in which it differs from the others stated.

    Comments and the project state those in `stated`, the others are from the launch or test `host`.
    """

    name: str
    stated: Mapping[str, int]
    host: HostConfiguration | None = None

    @property
    def values(self) -> Mapping[str, int]:
        return self.stated if self.host is None else {**self.host.values, **self.stated}


@cached_on_program
def shown_configurations(program: Program) -> Sequence[ShownConfiguration]:
    """Return the configurations among which a user can choose, at least one; the first is shown.

    Each that comments and the project state is completed by each launch and each test that has
    values for other registers.
    """
    stated = configurations_of(program)
    known = stated[0].keys()
    hosts = [each for each in program.hosts.configurations if not each.values.keys() <= known]
    found = [
        ShownConfiguration(_name(values, host, stated), values, host)
        for values in stated
        for host in hosts or (None,)
    ]
    return found[:_MAX_SHOWN]


@cached_on_program
def chosen_configuration(program: Program) -> ShownConfiguration:
    """Return the configuration that is shown: the chosen one if there is one of its name."""
    every = shown_configurations(program)
    return next((each for each in every if each.name == program.hosts.chosen), every[0])


@cached_on_program
def shown_facts(program: Program) -> ControlFacts | None:
    """Return the facts for the configuration that is shown; None if there are none."""
    every = control_facts(program)
    if not every:
        return None
    values = chosen_configuration(program).values
    found = next((facts for facts in every if facts.presets == values), None)
    return found or facts_with(program, values)


def configuration_phrase(program: Program) -> str:
    """Return the values that numbers depend on: ` with cr4 = 64`, ` with cr3 = 8 (test_a.py:3)`.

    Of those that the program states, the ones that differ between configurations.
    """
    every = control_facts(program)
    if not every:
        return ""
    chosen = chosen_configuration(program)
    parts = _differing(chosen.stated, [facts.presets for facts in every])
    needed = every[0].summary.unknown if chosen.host is not None else ()
    used = [_text(name, chosen.values[name]) for name in needed if name in chosen.values]
    if used and chosen.host is not None:
        more = ", ..." if len(used) > _MAX_NAMED else ""
        parts.append(f"{', '.join(used[:_MAX_NAMED])}{more} ({chosen.host.origin})")
    return f" with {', '.join(parts)}" if parts else ""


def origin_of(program: Program, register: str) -> str:
    """Return where the value of a register is from: `a comment`, `ipu.toml`; "" if not known."""
    if register in commented_values(program):
        return "a comment"
    if any(register in each for each in program.configurations):
        return "the project's configuration"
    host = chosen_configuration(program).host
    return host.origin if host is not None and register in host.values else ""


def _name(
    values: Mapping[str, int], host: HostConfiguration | None, stated: Sequence[Mapping[str, int]]
) -> str:
    differing = _differing(values, stated)
    return ", ".join([*differing, *([host.origin] if host is not None else ())])


def _differing(values: Mapping[str, int], others: Sequence[Mapping[str, int]]) -> list[str]:
    return [
        _text(name, value)
        for name, value in values.items()
        if any(other.get(name) != value for other in others)
    ]


def _text(name: str, value: int) -> str:
    shown = setting_text(name, value) if name in NAMED_VALUES else f"{signed(value):,}"
    return f"{name} = {shown}"


def cycles_sentence(facts: ControlFacts) -> str:
    """Return the cycles of a run, or why they are not known, in a few words."""
    end, total = facts.run.end, cycles_of_run(facts)
    if total is not None:
        ends = f", then a fault in bundle {end.address}" if end.reason == FAULT else ""
        return f"{counted(total, 'cycle')}{ends}"
    if end.reason == ENDLESS:
        return "never halts"
    if end.reason == LIMIT:
        return f"more than {facts.summary.cycles or 0:,} cycles"
    return f"cycles depend on {listed(unknown_registers(facts))}"


def unknown_registers(facts: ControlFacts) -> Sequence[str]:
    """Return the registers without a known value that the run depends on."""
    return facts.summary.unknown


def size_in_memory(isa: Isa, count: int) -> str:
    """Return a number of bundles, with the capacity of instruction memory if the set has one."""
    if isa.program_limit == NO_LIMIT:
        return counted(count, isa.unit)
    return f"{count:,} of {counted(isa.program_limit, isa.unit)}"


def listed(names: Sequence[str]) -> str:
    """Return names as a phrase: `cr4, cr5 and cr6`."""
    if not names:
        return "values that are not known"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_MAX_NAMED_ACCESSES = 3


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
    if space.is_register:  # An index counts elements, of 32 bits in the wide modes.
        what = f"{access.access.size} elements of {access.access.memory}"
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
    offsets = facts.offset_ranges(access) or ()
    base = "" if ranges else " + ".join(names)
    called = names_of(program, facts.presets, base, ranges or offsets, access.access.unit)
    what = f"{called}: {what}" if called else what
    if ranges:
        values = (f"{name} = {value_text(facts.initial(name))}" for name in names)
        origins = dict.fromkeys(filter(None, (origin_of(program, name) for name in names)))
        source = f", from {' and '.join(origins)}" if origins else ""
        return f" ({what}{range_text(ranges)} with {', '.join(values)}{source})"
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
    lines = [_place(analysis, each) for each in found[:_MAX_NAMED_ACCESSES]]
    more = (
        f" and {len(found) - _MAX_NAMED_ACCESSES} more" if len(found) > _MAX_NAMED_ACCESSES else ""
    )
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
