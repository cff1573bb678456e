"""Which findings are wanted: selectors are codes, names, beginnings of codes, or ``ALL``.

Apart from `configuration_findings`: `ipu-lint` of unchanged files loads no instruction set, 9 ms.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.config import Configuration
from ipu_asm.diagnostics import RuleId

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
