"""The findings about a configuration file, with those about rule names, for an editor."""

from __future__ import annotations

import os
import re
from typing import Iterator, NamedTuple

from ipu_asm.config.configuration import (
    MOST_FINDINGS,
    Configuration,
    ConfigurationFinding,
    line_finding,
)
from ipu_asm.config.configuration_file import read_configuration
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.selection import selection_of
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
    return CheckedFile(file.text, findings)


def _unknown_names(
    text: str, path: str, configuration: Configuration
) -> Iterator[ConfigurationFinding]:
    """A warning for each name that no rule has, at the string that holds it."""
    unknown = selection_of(configuration).unknown_selectors()
    strings = {found[0][1:-1]: found.span() for found in reversed([*_STRING.finditer(text)])}
    for name in unknown[:MOST_FINDINGS]:
        start, end = strings.get(name, (0, 0))
        message = f"no finding has the code or name {quoted(name)}"
        finding = line_finding(message, text, path, start)._replace(is_fatal=False)
        yield finding._replace(span=Span(start, end)) if end else finding
    if len(unknown) > MOST_FINDINGS:
        message = f"{len(unknown) - MOST_FINDINGS:,} more names that no finding has"
        yield line_finding(message, text, path, 0)._replace(is_fatal=False)
