"""What was worked out about the bundles of a program, and still holds after an edit.

Most of what is asked of a program hangs on a few bundles that stand together. An edit changes some
bundles, moves others, and leaves what is known about the rest as it was.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left
from typing import Any, Callable, Generic, NamedTuple, Sequence, TypeVar

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import Isa
from ipu_asm.program.bundle_diff import BundleDiff

_T = TypeVar("_T")
_P = TypeVar("_P")

Test = Callable[[Isa, Bundle], bool]
Work = Callable[[_P, int], "LocalResult[_T]"]


class LocalResult(NamedTuple, Generic[_T]):
    """What was found out about a bundle, by a look at that many bundles before it and behind it.

    It names bundles by their distance. To have looked for one where the text begins or ends counts
    as a look at a bundle beyond.
    """

    back: int
    ahead: int
    what: _T


class _Known:
    """What some work has found out about bundles, by their numbers, and how far it has looked."""

    __slots__ = ("found", "reach")

    def __init__(self, found: dict[int, LocalResult[Any]], reach: int) -> None:
        self.found = found
        self.reach = reach

    def after(self, kept: BundleDiff) -> _Known:
        """What still holds after an edit."""
        found, reach, moved = self.found, self.reach, kept.moved
        near = range(kept.head - reach, kept.old_tail + reach)
        affected = [n for n in near if n in found] if len(near) < len(found) else found
        spoilt = {n for n in affected if not _holds(n, found[n], kept)}
        if moved:
            behind = kept.old_tail
            stays = {n + moved * (n >= behind): f for n, f in found.items() if n not in spoilt}
            return _Known(stays, reach)
        stays = found.copy()
        for number in spoilt:
            del stays[number]
        return _Known(stays, reach)


def _holds(number: int, found: LocalResult[Any], kept: BundleDiff) -> bool:
    return number + found.ahead < kept.head or number - found.back >= kept.old_tail


class IncrementalCache:
    """What is known about the bundles of one state of a text.

    The state before it is not kept alive: an editor has it while an edit is analysed, and later
    nobody needs it.
    """

    def __init__(
        self,
        isa: Isa,
        bundles: Sequence[Bundle],
        kept: BundleDiff | None = None,
        before: IncrementalCache | None = None,
    ) -> None:
        self._isa = isa
        self._bundles = bundles
        self._kept = kept
        self._before = weakref.ref(before) if before is not None else None
        self._numbers: dict[object, list[int]] = {}
        self._known: dict[object, _Known] = {}
        # Whether labels and macros are those of the earlier state; set when they have been read.
        self.same_names = False

    def where(self, test: Test) -> list[int]:
        """The numbers of the bundles for which a test holds, which looks at the bundle alone."""
        numbers = self._numbers.get(test)
        if numbers is None:
            isa, bundles = self._isa, self._bundles
            old = self._old_numbers(test)
            if old is None or self._kept is None:
                numbers = [number for number, bundle in enumerate(bundles) if test(isa, bundle)]
            else:
                fresh = [number for number in self._kept.fresh if test(isa, bundles[number])]
                numbers = self._kept.joined(old, fresh)
            self._numbers[test] = numbers
        return numbers

    def among(
        self, name: str, numbers: list[int], test: Callable[[int], bool], holds: bool
    ) -> list[int]:
        """Those of some bundles for whose numbers a test holds; remembered under a name.

        `holds` tells whether it says the same of the bundles that stayed as it did before.
        """
        old = self._old_numbers(name) if holds else None
        if old is None or self._kept is None:
            found = [number for number in numbers if test(number)]
        else:
            fresh = self._kept.fresh
            first, last = (bisect_left(numbers, end) for end in (fresh.start, fresh.stop))
            found = self._kept.joined(old, [n for n in numbers[first:last] if test(n)])
        self._numbers[name] = found
        return found

    def lookup(self, work: Work[_P, _T], program: _P, number: int, of_bundles: bool = False) -> _T:
        """What some work finds out about a bundle, or has found out about it before.

        Work that looks `of_bundles` alone does not hang on labels and macros.
        """
        known = self._known.get(work) or self._recalled(work, self.same_names or of_bundles)
        found = known.found.get(number)
        if found is None:
            found = known.found[number] = work(program, number)
            known.reach = max(known.reach, found.back, found.ahead)
        what: _T = found.what
        return what

    def _recalled(self, work: object, holds: bool) -> _Known:
        """What some work has found out in the earlier state, as far as it still holds."""
        before = self._before() if self._before is not None and holds else None
        known = before._known.get(work) if before is not None else None
        if known is None or self._kept is None:
            self._known[work] = _Known({}, 0)
        else:
            self._known[work] = known.after(self._kept)
        return self._known[work]

    def _old_numbers(self, key: object) -> list[int] | None:
        before = self._before() if self._before is not None else None
        return before._numbers.get(key) if before is not None else None
