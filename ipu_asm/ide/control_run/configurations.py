"""The values of the host with which an editor shows a program, and where each of them is from."""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.config.host_configurations import HostConfiguration
from ipu_asm.config.kernel_keys import NAMED_VALUES, setting_text
from ipu_asm.flow.control_run.configurations import commented_values, configurations_of
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, facts_with
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program

_MOST_SHOWN = 16
_MOST_NAMED = 3


class ShownConfiguration(NamedTuple):
    """Values of registers by name. `name` has those in which it differs from the others stated.

    Comments and the project state those in `stated`, the others are from the launch or test `host`.
    """

    name: str
    stated: Mapping[str, int]
    host: HostConfiguration | None = None

    @property
    def values(self) -> Mapping[str, int]:
        """All values."""
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
    return found[:_MOST_SHOWN]


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
        more = ", ..." if len(used) > _MOST_NAMED else ""
        parts.append(f"{', '.join(used[:_MOST_NAMED])}{more} ({chosen.host.origin})")
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
    return f"{name} = {setting_text(name, value) if name in NAMED_VALUES else f'{value:,}'}"
