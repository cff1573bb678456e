"""Suggestions for unknown names: the nearest known name, where exactly one is nearest.

By hand: on 650 mnemonics with one wrong letter, difflib suggests a wrong one 45 times (0.2 to 2 ms
a word), rapidfuzz 40 times, and this never, because it says nothing where two names are equally
near or only a number differs; rapidfuzz also takes 7 ms to import, a tenth of a run on a small
file. A vocabulary finds words by what is left of them without one or two letters (symmetric
deletion), so that a look-up costs the same however many names there are.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations
from typing import Iterable, Iterator, Sequence

_LONGEST = 24
SHORTEST = 3
"""Letters of the shortest name for which one is suggested."""
_LONGEST_INDEXED = 100
_MIN_FOR_TWO_SLIPS = 7
# Another letter in the place of the right one changes two of the letters that a word has.
_MAX_OTHER_LETTERS = 3
# A word shorter than this differs by one letter at the most, a longer one by two.
_SHORTEST_FOR_TWO = 5
# What a letter that is missing, surplus or swapped costs, and one in the place of another.
_SLIP, _OTHER = 2, 3
# How much of it is allowed in a part of a name, by the length of the part. Of a name of three or
# four letters with another one among them too little is left to tell what was meant: many sets
# have `bgt` beside `blt`.
_MAX_COST = ((7, _SLIP + _OTHER), (3, _OTHER))
_MAX_COST_OF_SHORT_NAMES = ((3, _SLIP),)
_SHORTEST_WITH_OTHER = 5
_SEPARATORS = re.compile(r"[._-]")
_NUMBERED = re.compile("([a-z_]+?)([0-9]+)")
_NOT_A_DIGIT = re.compile("[^0-9]")
_NO_DIGITS = str.maketrans("", "", "0123456789")


class Vocabulary:
    """A set of names in which misspelt ones are looked up, ignoring case."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def nearest(self, word: str) -> str | None:
        """Return the name that differs in the fewest letters: in one, in long words in two.

        None where two names are equally near.
        """
        if not SHORTEST <= len(word) <= _LONGEST:
            return None
        folded = word.lower()
        found = {
            name
            for rest in _shortened(folded, _allowed(folded))
            for name in self._by_rest.get(rest, ())
        }
        return _nearest(folded, [(name.lower(), name) for name in found])

    def intended(self, word: str) -> str | None:
        """Return the nearest name if a typing mistake may have turned it into `word`.

        None where it may as well be another instruction, register or keyword that is meant.
        """
        name = self.nearest(word)
        return name if name is not None and _is_slip(word.lower(), name.lower()) else None

    def intended_register(self, word: str) -> str | None:
        """Return the intended register; the letters before a number may be as few as in `l0`.

        The number is never another one.
        """
        match = _NUMBERED.fullmatch(word.lower()) if len(word) <= _LONGEST else None
        if match is None:
            return self.intended(word)
        near = [
            name
            for name in self._names
            if (other := _NUMBERED.fullmatch(name.lower()))
            and other[2] == match[2]
            and other[1] != match[1]
            and _distance(match[1], other[1], _SLIP, _OTHER) <= _SLIP
        ]
        return near[0] if len(near) == 1 else None

    @cached_property
    def _by_rest(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name in self._names:
            if len(name) <= _LONGEST:
                for rest in set(_shortened(name.lower(), 2)):
                    table.setdefault(rest, []).append(name)
        return table


class NameIndex:
    """A set of names in which those are looked up that differ from a word in one letter, or in two.

    It is for many names that change often: 500 names take 2 ms, a `Vocabulary` of them 30.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._by_rest: dict[str, list[str]] = {}
        self._at_two: dict[str, str | None] = {}
        for name in names:
            if SHORTEST <= len(name) <= _LONGEST_INDEXED:
                for rest in {name, *_without_a_letter(name)}:
                    self._by_rest.setdefault(rest, []).append(name)

    def __contains__(self, word: str) -> bool:
        return word in self._names

    def one_letter_from(
        self, word: str, *, other_numbers: bool = False, other_members: bool = False
    ) -> tuple[str, ...]:
        """Return the names that differ in one letter, or in the order of two.

        Names of the same family are left out: with `other_numbers` not those with another number,
        with `other_members` not the plural and names such as `x_in` beside `y_in`.
        """
        if not SHORTEST - 1 <= len(word) <= _LONGEST_INDEXED:
            return ()
        near = {
            name
            for rest in (word, *_without_a_letter(word))
            for name in self._by_rest.get(rest, ())
            if name != word and _distance(word, name) == 1
        }
        if not other_numbers:
            near = {name for name in near if not _is_numbered_otherwise(word, name)}
        if not other_members:
            near = {name for name in near if not _is_other_member(word, name)}
        return tuple(sorted(near))

    def two_letters_from(self, word: str) -> str | None:
        """Return the only name that two typing mistakes may have turned into a long word.

        At most one of them is another letter in the place of the right one: `max_x` and `min_x`
        are two names. Names of the same family are left out, also `s_x` beside `x`.
        """
        if not _MIN_FOR_TWO_SLIPS <= len(word) <= _LONGEST_INDEXED:
            return None
        if word not in self._at_two:
            letters = _letters_of(word)
            near = [
                name
                for name, others in self._letters.items()
                if abs(len(name) - len(word)) <= 2
                and (letters ^ others).bit_count() <= _MAX_OTHER_LETTERS
                and _is_two_slips(word, name)
            ]
            self._at_two[word] = near[0] if len(near) == 1 else None
        return self._at_two[word]

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {
            name: _letters_of(name)
            for name in self._names
            if _MIN_FOR_TWO_SLIPS <= len(name) <= _LONGEST_INDEXED
        }


def _letters_of(name: str) -> int:
    """Return the set of letters in a name, hashed to 64 bits."""
    found = 0
    for letter in name:
        found |= 1 << (ord(letter) & 63)
    return found


def _is_two_slips(word: str, name: str) -> bool:
    """Return whether two typing mistakes may have turned `name` into `word`, and not one."""
    if _NOT_A_DIGIT.sub("", word) != _NOT_A_DIGIT.sub("", name) or _is_other_member(word, name):
        return False
    shorter, longer = sorted((word, name), key=len)
    if longer.startswith(shorter) or longer.endswith(shorter):
        return False
    return _distance(word, name, _SLIP, _OTHER) <= _SLIP + _OTHER and _distance(word, name) == 2


def _without_a_letter(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def _is_numbered_otherwise(word: str, name: str) -> bool:
    """Return whether names differ in a number alone, and not in where its digits are."""
    has_same_digits = _NOT_A_DIGIT.sub("", word) == _NOT_A_DIGIT.sub("", name)
    return not has_same_digits and _differ_in_number(word, name)


def _is_other_member(word: str, name: str) -> bool:
    """Return whether names differ in a plural, or in a part that is one letter."""
    shorter, longer = sorted((word.lower(), name.lower()), key=len)
    if longer == f"{shorter}s":
        return True
    parts, others = _SEPARATORS.split(word), _SEPARATORS.split(name)
    return len(parts) == len(others) and any(
        one != other and len(one) == len(other) == 1 for one, other in zip(parts, others)
    )


def nearest_of(word: str, names: Iterable[str]) -> str | None:
    """Return the nearest of names that change from call to call; compares each, without a table.

    The case of letters counts.
    """
    if not SHORTEST <= len(word) <= _LONGEST:
        return None
    allowed = _allowed(word)
    likely = [
        (name, name)
        for name in names
        if abs(len(name) - len(word)) <= allowed and (name[0] == word[0] or name[-1] == word[-1])
    ]
    return _nearest(word, likely)


def hint_of(word: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: which name is meant, if one is near."""
    near = nearest_of(word, names)
    return f"; did you mean `{near}`?" if near is not None else ""


def intended_of(word: str, names: Iterable[str]) -> str | None:
    """Return the nearest name if a typing mistake may have turned it into `word`."""
    name = nearest_of(word, names)
    return name if name is not None and _is_slip(word.lower(), name.lower()) else None


def _nearest(word: str, names: Sequence[tuple[str, str]]) -> str | None:
    """Return the only nearest name, of pairs of a name as compared and as written."""
    ranked = sorted((_distance(word, compared), compared, name) for compared, name in names)
    if not ranked or ranked[0][0] > _allowed(word):
        return None
    if len(ranked) > 1 and ranked[1][0] == ranked[0][0]:
        return None
    _, compared, name = ranked[0]
    return None if _differ_in_number(word, compared) else name


def _differ_in_number(word: str, name: str) -> bool:
    """Return whether only a number differs: then the intended name is unknown."""
    return word != name and word.translate(_NO_DIGITS) == name.translate(_NO_DIGITS)


def _is_slip(word: str, name: str) -> bool:
    """Return whether `word` is `name` with letters that are missing, swapped or added.

    A number is never another one, and a part of the name never missing.
    """
    if _NOT_A_DIGIT.sub("", word) != _NOT_A_DIGIT.sub("", name):
        return False
    parts, meant = _SEPARATORS.split(word), _SEPARATORS.split(name)
    if len(parts) != len(meant):
        return "".join(parts) == "".join(meant)
    most = _MAX_COST if len(name) >= _SHORTEST_WITH_OTHER else _MAX_COST_OF_SHORT_NAMES
    return all(part == other or _is_cheap(part, other, most) for part, other in zip(parts, meant))


def _is_cheap(part: str, meant: str, most: Sequence[tuple[int, int]]) -> bool:
    """Return whether the edits of a part of a name cost at most what its length allows."""
    allowed = next((cost for least, cost in most if len(meant) >= least), 0)
    return _distance(part, meant, _SLIP, _OTHER) <= allowed


def _allowed(word: str) -> int:
    return 2 if len(word) >= _SHORTEST_FOR_TWO else 1


def _shortened(word: str, most: int) -> Iterator[str]:
    """Yield the word, and the word without each one, or each two, of its letters."""
    for count in range(most + 1):
        for kept in combinations(word, len(word) - count) if len(word) >= count else ():
            yield "".join(kept)


def _distance(one: str, other: str, slip: int = 1, substitution: int = 1) -> int:
    """Return the lowest cost of edits from one word to the other.

    Insertions, deletions and swaps of neighbours cost `slip`; substitutions cost `substitution`.
    """
    before: list[int] = []
    last = list(range(0, slip * len(other) + 1, slip))
    for i, letter in enumerate(one):
        row = [slip * (i + 1)]
        for j, wanted in enumerate(other):
            replaced = last[j] + (substitution if letter != wanted else 0)
            cost = min(last[j + 1] + slip, row[j] + slip, replaced)
            if i and j and letter == other[j - 1] and one[i - 1] == wanted:
                cost = min(cost, before[j - 1] + slip)
            row.append(cost)
        before, last = last, row
    return last[-1]
