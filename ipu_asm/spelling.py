"""The nearest name to a misspelt one.

The standard library's difflib takes about half a millisecond a word, too long for a file full of
unknown words. This looks words up by what is left of them when one or two letters are dropped, so
its cost does not depend on the size of the vocabulary.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import Iterable, Iterator, Sequence

_LONGEST = 24
_SHORTEST = 3
_SHORTEST_FOR_TWO = 5
_NO_DIGITS = str.maketrans("", "", "0123456789")


class Vocabulary:
    """Names among which misspelt ones are looked up."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def nearest(self, word: str) -> str | None:
        """The name that differs in the fewest letters: in one, in long words in two."""
        if not _SHORTEST <= len(word) <= _LONGEST:
            return None
        folded = word.lower()
        allowed = _allowed(folded)
        found = {
            name for rest in _shortened(folded, allowed) for name in self._by_rest.get(rest, ())
        }
        other = (name for name in found if not _differ_in_number(folded, name.lower()))
        ranked = sorted((_distance(folded, name.lower()), name) for name in other)
        if not ranked or ranked[0][0] > allowed:
            return None
        return ranked[0][1]

    @cached_property
    def _by_rest(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name in self._names:
            if len(name) <= _LONGEST:
                for rest in set(_shortened(name.lower(), 2)):
                    table.setdefault(rest, []).append(name)
        return table


def nearest_of(word: str, names: Iterable[str]) -> str | None:
    """The same for names that change from look-up to look-up: no table, but a look at each name."""
    if not _SHORTEST <= len(word) <= _LONGEST:
        return None
    allowed = _allowed(word)
    ranked = sorted(
        (_distance(word, name), name)
        for name in names
        if abs(len(name) - len(word)) <= allowed
        and (name[0] == word[0] or name[-1] == word[-1])
        and not _differ_in_number(word, name)
    )
    return ranked[0][1] if ranked and ranked[0][0] <= allowed else None


def _differ_in_number(word: str, name: str) -> bool:
    """Whether nothing but a number is another one: then nobody knows which one is meant."""
    return word != name and word.translate(_NO_DIGITS) == name.translate(_NO_DIGITS)


def _allowed(word: str) -> int:
    return 2 if len(word) >= _SHORTEST_FOR_TWO else 1


def _shortened(word: str, most: int) -> Iterator[str]:
    """The word, and what is left of it without any one or two of its letters."""
    for count in range(most + 1):
        for kept in combinations(word, len(word) - count) if len(word) >= count else ():
            yield "".join(kept)


def _distance(one: str, other: str) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours that lead from one to other."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        row = [i + 1]
        for j, wanted in enumerate(other):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter != wanted))
            if i and j and letter == other[j - 1] and one[i - 1] == wanted:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
