"""What findings about the control run share: configurations, and the names of loops and places."""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import Diagnostic, RelatedInformation
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.register_flow import is_runnable
from ipu_asm.program.program import Program
from ipu_asm.text import Span

_MOST_PRESETS = 4

FactsCheck = Callable[[Program, ControlFacts], Iterable[Diagnostic]]


def in_each_configuration(program: Program, check: FactsCheck) -> Iterator[Diagnostic]:
    """Yield the findings of a check in each configuration of the host, each place once.

    The message says in which configuration, if there is one.
    """
    seen: set[Span] = set()
    for facts in control_facts(program) if is_runnable(program) else ():
        for finding in check(program, facts):
            if finding.span not in seen:
                seen.add(finding.span)
                text = finding.message + configuration_text(facts.presets)
                yield finding._replace(message=text)


def configuration_text(presets: Mapping[str, int]) -> str:
    """Return " with `cr4` = 128", empty without presets."""
    if not presets:
        return ""
    from ipu_asm.config.kernel_keys import setting_text

    shown = [
        f"`{name}` = {setting_text(name, value)}"
        for name, value in list(presets.items())[:_MOST_PRESETS]
    ]
    rest = ", ..." if len(presets) > _MOST_PRESETS else ""
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


def loop_place(program: Program, head: int) -> RelatedInformation:
    """Return the place where a loop begins."""
    number = program.bundle_at_address[head]
    span = program.span(number, program.bundles[number].first_token)
    return RelatedInformation(span, "the loop begins here")


def write_place(
    program: Program, address: int, register: str, text: str
) -> Iterator[RelatedInformation]:
    """Yield the place where the bundle at an address writes a register, if it does."""
    from ipu_asm.flow.accesses import access_span, accesses_of

    number = program.bundle_at_address[address]
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.writes and access.register == register:
            yield RelatedInformation(program.span(number, access_span(bundle, access)), text)


def joined_with_and(texts: Sequence[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
