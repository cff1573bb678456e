"""Which findings are wanted, and the findings about a configuration file that says so.

Selectors are codes, names, beginnings of codes, or ``ALL``.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.config import (
    MOST_FINDINGS,
    Configuration,
    ConfigurationFinding,
    line_finding,
)
from ipu_asm.config.configuration_file import read_configuration
from ipu_asm.diagnostics import RuleId
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.operands import quoted
from ipu_asm.lint.rules import rule_hint
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

EVERYTHING = "ALL"
_EXACT = 1_000


class Selection:
    """What `--select`, `--ignore`, `--extend-select` and `per-file-ignores` leave over.

    Of the selectors that match a finding, the most specific one decides: a code or name before a
    longer beginning, that before a shorter one, that before ``ALL``. Of two alike, `ignore` wins.
    Without `select`, that is with None, everything is selected. `per_file_ignores` maps patterns
    of paths relative to `folder`, or to the working directory, to selectors that count more than
    all others; a ``!`` before a pattern turns it round.
    """

    def __init__(
        self,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        extend_select: Sequence[str] = (),
        per_file_ignores: Mapping[str, Sequence[str]] | None = None,
        folder: str = "",
    ) -> None:
        self.selected = (*((EVERYTHING,) if select is None else select), *extend_select)
        self.ignored = tuple(ignore)
        self.per_file_ignores = dict(per_file_ignores or {})
        self.folder = folder
        self._wanted = _normalized(self.selected)
        self._unwanted = _normalized(self.ignored)
        self._kept: dict[str, bool] = {}
        self._ignored_in: tuple[str | None, frozenset[str]] = (None, frozenset())

    def keeps(self, rule: RuleId, path: str | None = None) -> bool:
        """Whether findings of a rule are wanted, in the file of that path if one is given."""
        kept = self._kept.get(rule.code)
        if kept is None:
            wanted, unwanted = _best(rule, self._wanted), _best(rule, self._unwanted)
            kept = self._kept[rule.code] = wanted > unwanted
        return kept and not (path is not None and self._is_ignored_in(rule, path))

    def unknown_selectors(self) -> list[str]:
        """The selectors that match no rule, in their order."""
        from ipu_asm.lint.rules import all_rules  # needs all modules of rules

        known = {EVERYTHING}.union(*(_matching(rule.id) for rule in all_rules()))
        return [
            selector
            for selector in dict.fromkeys(self._selectors())
            if _normal(selector) not in known
        ]

    def _selectors(self) -> Iterator[str]:
        yield from self.selected
        yield from self.ignored
        for selectors in self.per_file_ignores.values():
            yield from selectors

    def _is_ignored_in(self, rule: RuleId, path: str) -> bool:
        if not self.per_file_ignores:
            return False
        if self._ignored_in[0] != path:  # files come one after the other
            folder = self.folder or os.getcwd()
            matching = [
                selectors
                for pattern, selectors in self.per_file_ignores.items()
                if _matches(path, pattern, folder)
            ]
            self._ignored_in = path, _normalized(chain.from_iterable(matching))
        return _best(rule, self._ignored_in[1]) > 0


def selection_of(configuration: Configuration) -> Selection:
    """What a configuration selects."""
    return Selection(
        configuration.select,
        configuration.ignore,
        configuration.extend_select,
        configuration.per_file_ignores,
        configuration.folder,
    )


def _normal(selector: str) -> str:
    """Codes and names are found in capital and small letters."""
    return selector.upper()


def _normalized(selectors: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_normal, selectors))


def _matching(rule: RuleId) -> dict[str, int]:
    """The selectors that mean a rule, with how narrowly they do."""
    beginnings = {rule.code[:length]: 1 + length for length in range(1, len(rule.code))}
    return {EVERYTHING: 1, **beginnings, rule.code: _EXACT, _normal(rule.name): _EXACT}


def _best(rule: RuleId, selectors: frozenset[str]) -> int:
    """How narrowly the narrowest of the selectors means a rule; 0 if none does."""
    matching = _matching(rule).items()
    return max((width for selector, width in matching if selector in selectors), default=0)


def _matches(path: str, pattern: str, folder: str) -> bool:
    from ipu_asm.config.globs import path_matches  # few projects have such patterns

    if pattern.startswith("!"):
        return not path_matches(pattern[1:], path, folder)
    return path_matches(pattern, path, folder)


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
    from ipu_asm.flow.control_run.step_reading import scalar_registers  # for new findings alone

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
