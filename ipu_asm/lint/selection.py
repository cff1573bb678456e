"""Which findings are wanted: selectors are codes, names, beginnings of codes, or ``ALL``."""

from __future__ import annotations

import os
from typing import Iterator, Mapping, Sequence

from ipu_asm.configuration import Configuration
from ipu_asm.diagnostics import Kind

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
        self._kept: dict[str, bool] = {}

    def keeps(self, kind: Kind, path: str | None = None) -> bool:
        """Whether findings of a kind are wanted, in the file of that path if one is given."""
        kept = self._kept.get(kind.code)
        if kept is None:
            wanted, unwanted = _best(kind, self.selected), _best(kind, self.ignored)
            kept = self._kept[kind.code] = wanted > unwanted
        return kept and not (path is not None and self._is_ignored_in(kind, path))

    def unknown_selectors(self) -> list[str]:
        """The selectors that match no kind of finding, in their order."""
        from ipu_asm.lint.rules import all_rules  # needs all modules of rules

        kinds = [rule.kind for rule in all_rules()]
        return [
            selector
            for selector in dict.fromkeys(self._selectors())
            if not any(_specificity(kind, selector) for kind in kinds)
        ]

    def _selectors(self) -> Iterator[str]:
        yield from self.selected
        yield from self.ignored
        for selectors in self.per_file_ignores.values():
            yield from selectors

    def _is_ignored_in(self, kind: Kind, path: str) -> bool:
        folder = self.folder or os.getcwd()
        return any(
            _best(kind, selectors) > 0 and _matches(path, pattern, folder)
            for pattern, selectors in self.per_file_ignores.items()
        )


def selection_of(configuration: Configuration) -> Selection:
    """What a configuration selects."""
    return Selection(
        configuration.select,
        configuration.ignore,
        configuration.extend_select,
        configuration.per_file_ignores,
        configuration.folder,
    )


def _best(kind: Kind, selectors: Sequence[str]) -> int:
    return max((_specificity(kind, selector) for selector in selectors), default=0)


def _specificity(kind: Kind, selector: str) -> int:
    """How narrowly a selector means a kind; 0 if it does not."""
    if selector.upper() == EVERYTHING:
        return 1
    if selector.upper() == kind.code or selector.lower() == kind.name:
        return _EXACT
    return 1 + len(selector) if selector and kind.code.startswith(selector.upper()) else 0


def _matches(path: str, pattern: str, folder: str) -> bool:
    from ipu_asm.globs import path_matches  # few projects have such patterns

    if pattern.startswith("!"):
        return not path_matches(pattern[1:], path, folder)
    return path_matches(pattern, path, folder)
