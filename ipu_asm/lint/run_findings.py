"""What findings about the control run share: configurations, and the names of loops and places."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Diagnostic, RelatedInformation
from ipu_asm.flow.accesses import access_span, accesses_of, reads_of
from ipu_asm.flow.control_flow import is_runnable
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, facts_with
from ipu_asm.flow.control_run.run import HALTED, ControlRun, iterations_at_end
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import comments_above, register_notes
from ipu_asm.text import Span

_MAX_PRESETS = 4
_MAX_ASSUMED = 6
_MAX_VALUES = 5
_MAX_CYCLES = 1 << 24
_OTHER_VALUES = (1, 128)
_IS_ZERO = re.compile(r"0(?![\w.])")
_NUMBER = re.compile(r"\d{1,9}(?![\w.])")

FactsCheck = Callable[[Program, ControlFacts], Iterable[Diagnostic]]


def in_each_configuration(program: Program, check: FactsCheck) -> Iterator[Diagnostic]:
    """Yield the findings of a check in each configuration of the host, each place once.

    The message says in which configuration, if there is one, and on which registers that nothing
    sets it depends.
    """
    seen: set[Span] = set()
    for facts in control_facts(program) if is_runnable(program) else ():
        assumptions = _Assumptions(program, facts, check)
        for finding in check(program, facts):
            if finding.span not in seen:
                seen.add(finding.span)
                text = finding.message + configuration_text(facts.presets)
                yield finding._replace(message=text + assumptions.text(finding))


class _Assumptions:
    """Which findings of a check depend on registers that are 0 only because nothing sets them.

    A finding depends on a register if it is not found with another value of it, with which the
    program halts before long.
    """

    def __init__(self, program: Program, facts: ControlFacts, check: FactsCheck) -> None:
        self._program, self._facts, self._check = program, facts, check
        self._found: dict[tuple[str, int], set[Span] | None] = {}

    def text(self, finding: Diagnostic) -> str:
        """Return ", if the host does not set `lr9`", and how to state it; empty without any."""
        names = [
            name
            for name in self._registers
            if any(self._is_gone(finding, name, value) for value in self._values(name))
        ]
        if not names:
            return ""
        shown = joined_with_and([f"`{name}`" for name in names])
        comment = f"{self._program.isa.surface.comments[0]} CR {names[0]} = ..."
        return f", if the host does not set {shown} (`{comment}` states it)"

    def _is_gone(self, finding: Diagnostic, name: str, value: int) -> bool:
        spans = self._spans(name, value)
        return spans is not None and finding.span not in spans

    @cached_property
    def _registers(self) -> Sequence[str]:
        """The registers that are read before they are written and of which no value is stated."""
        program, run = self._program, self._facts.run
        notes, changing = register_notes(program), run.names.names[: run.names.changing]
        visited: set[int] = set()
        written: set[str] = set()
        found: dict[str, None] = {}
        for node in self._facts.executions:
            if node.address not in visited:
                visited.add(node.address)
                bundle = program.bundles[program.bundle_at_address[node.address]]
                reads = reads_of(program.isa, bundle)
                found |= dict.fromkeys(sorted(reads.old - written))
                written |= reads.writes
        return [
            name
            for name in found
            if name in changing
            and name not in self._facts.presets
            and not _IS_ZERO.match(notes.get(name, ""))
        ][:_MAX_ASSUMED]

    @cached_property
    def _constants(self) -> Sequence[int]:
        """A step, a size and, where the program does not halt, numbers that it sets."""
        found = dict.fromkeys(_OTHER_VALUES)
        for step in () if _halts(self._facts) else self._facts.run.steps:
            for update in step.updates:
                constant, terms = update.sum
                if not terms and constant:
                    found[constant] = None
        return list(found)[:_MAX_VALUES]

    def _values(self, name: str) -> Iterator[int]:
        if match := _NUMBER.match(register_notes(self._program).get(name, "")):
            yield int(match[0])
        # Values that the comments above the code state in other words, as `inputs: lr9 = 512`.
        header = comments_above(self._program.bundles[0])
        for stated in re.findall(rf"\b{re.escape(name)}\s*=\s*(-?\d{{1,10}})\b", header, re.I)[:1]:
            yield int(stated)
        yield from self._constants

    def _spans(self, name: str, value: int) -> set[Span] | None:
        """The findings with a value; None where it is no value that the host may set."""
        key = name, value
        if key not in self._found:
            facts = facts_with(self._program, {**self._facts.presets, name: value})
            found = self._check(self._program, facts) if facts and _halts(facts) else None
            self._found[key] = None if found is None else {each.span for each in found}
        return self._found[key]


def _halts(facts: ControlFacts) -> bool:
    cycles = facts.summary.cycles if facts.run.end.reason == HALTED else None
    return cycles is not None and not (isinstance(cycles, int) and cycles > _MAX_CYCLES)


def configuration_text(presets: Mapping[str, int]) -> str:
    """Return " with `cr4` = 128", empty without presets."""
    if not presets:
        return ""
    from ipu_asm.config.kernel_keys import setting_text

    shown = [
        f"`{name}` = {setting_text(name, value)}"
        for name, value in list(presets.items())[:_MAX_PRESETS]
    ]
    rest = ", ..." if len(presets) > _MAX_PRESETS else ""
    return f", with {', '.join(shown)}{rest}"


def instruction_span(program: Program, address: int, instruction: int) -> Span:
    """Return the span of the mnemonic of an instruction."""
    number = program.bundle_at_address[address]
    return program.span(number, program.bundles[number].span(instruction))


def mnemonic_at(program: Program, address: int, instruction: int) -> str:
    """Return the mnemonic of an instruction as written."""
    bundle = program.bundles[program.bundle_at_address[address]]
    return bundle.instructions[instruction].mnemonic


def loop_name(program: Program, head: int) -> str:
    """Return the label of a loop in backticks, or the address of its first bundle."""
    label = program.bundles[program.bundle_at_address[head]].label
    return f"`{label}`" if label else f"the loop at {program.isa.unit} {head}"


def iterations_text(program: Program, run: ControlRun) -> str:
    """Return in which iterations of its loops a run ended: " in iteration 3 of `row`"."""
    where = [
        f"iteration {number:,} of {loop_name(program, head)}"
        for head, number in iterations_at_end(run, run.loops)
        if number is not None
    ]
    return f" in {', '.join(where[::-1])}" if where else ""


def loop_place(program: Program, head: int) -> RelatedInformation:
    """Return the place where a loop begins."""
    number = program.bundle_at_address[head]
    span = program.span(number, program.bundles[number].first_token)
    return RelatedInformation(span, "the loop begins here")


def write_place(
    program: Program, address: int, register: str, text: str
) -> Iterator[RelatedInformation]:
    """Yield the place where the bundle at an address writes a register, if it does."""
    number = program.bundle_at_address[address]
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.writes and access.register == register:
            yield RelatedInformation(program.span(number, access_span(bundle, access)), text)


def joined_with_and(texts: Sequence[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
