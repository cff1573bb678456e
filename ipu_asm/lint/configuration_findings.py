"""The findings about a configuration file, with those about rule names, for an editor."""

from __future__ import annotations

import os
import re
from typing import Iterator, Sequence

from ipu_asm.config import (
    MOST_FINDINGS,
    Configuration,
    ConfigurationFinding,
    line_finding,
)
from ipu_asm.config.configuration_file import read_configuration
from ipu_asm.flow.control_run.step_reading import scalar_registers
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.rules import rule_hint
from ipu_asm.lint.selection import selection_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

_STRING = re.compile(r""""[^"\n]*"|'[^'\n]*'""")


class CheckedFile(NamedTuple):
    """The text of a configuration file and its findings.

    Both are empty for a file that does not exist or has no settings of this project.
    """

    text: str
    findings: tuple[ConfigurationFinding, ...]


def check_file(path: str) -> CheckedFile:
    """Check a configuration file. Never raises."""
    if not os.path.isfile(path):
        return CheckedFile("", ())
    file = read_configuration(path)
    findings = file.findings
    if file.configuration is not None and file.configuration.names_rules:
        findings = tuple(_unknown_names(file.text, path, file.configuration))
    if file.configuration is not None and file.configuration.kernels:
        findings = (*findings, *_unknown_registers(file.text, path, file.configuration))
    return CheckedFile(file.text, findings)


def _unknown_registers(
    text: str, path: str, configuration: Configuration
) -> Iterator[ConfigurationFinding]:
    """A warning for each register below ``[kernel]`` that no set has, at the glob of its table."""
    known = {
        name for isa in map(load_isa, available_isas()) for name in scalar_registers(isa).names
    }
    found: set[str] = set()
    for glob, configurations in configuration.kernels:
        for name in dict.fromkeys(name for each in configurations for name in each):
            if name in known or name in found or len(found) == MOST_FINDINGS:
                continue
            found.add(name)
            message = f"no instruction set has a register {quoted(name)} that the host sets"
            yield line_finding(message, text, path, max(0, text.find(glob)))._replace(
                is_fatal=False
            )


def at_their_strings(
    text: str, names: Sequence[str], findings: Sequence[ConfigurationFinding]
) -> list[ConfigurationFinding]:
    """Return findings about names, each at the first string of the text that is its name."""
    strings = {found[0][1:-1]: found.span() for found in reversed([*_STRING.finditer(text)])}
    placed = []
    for name, finding in zip(names, findings):
        start, end = strings.get(name, (0, 0))
        at = line_finding(finding.message, text, finding.path, start)
        span = Span(start, end) if end else at.span
        placed.append(finding._replace(line=at.line, span=span))
    return placed


def _unknown_names(
    text: str, path: str, configuration: Configuration
) -> Iterator[ConfigurationFinding]:
    """A warning for each name that no rule has, at the string that holds it."""
    unknown = selection_of(configuration).unknown_selectors()
    findings = [
        ConfigurationFinding(
            f"no finding has the code or name {quoted(name)}{rule_hint(name)}", path, is_fatal=False
        )
        for name in unknown[:MOST_FINDINGS]
    ]
    yield from at_their_strings(text, unknown, findings)
    if len(unknown) > MOST_FINDINGS:
        message = f"{len(unknown) - MOST_FINDINGS:,} more names that no finding has"
        yield line_finding(message, text, path, 0)._replace(is_fatal=False)
