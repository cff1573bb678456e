"""Per-bundle analysis results, reused across edits.

Most analyses of a program depend on a few adjacent bundles. An edit replaces some bundles and moves
others; results that do not depend on replaced bundles remain valid.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left
from functools import cached_property
from itertools import chain
from typing import Any, Callable, Generic, Sequence, TypeVar

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.bundle_diff import BundleDiff

_T = TypeVar("_T")
_P = TypeVar("_P")

Test = Callable[[Isa, Bundle], bool]
Work = Callable[[_P, int], "LocalResult[_T]"]


class LocalResult(NamedTuple, Generic[_T]):
    """A result about a bundle, and the numbers of bundles before and after it that it depends on.

    It refers to bundles by relative position. Having reached the start or end of the text counts as
    one more bundle.
    """

    back: int
    ahead: int
    what: _T


class _Known:
    """The results of an analysis by bundle number, and the maximum of their ranges."""

    __slots__ = ("found", "reach")

    def __init__(self, found: dict[int, LocalResult[Any]], reach: int) -> None:
        self.found = found
        self.reach = reach

    def after(self, kept: BundleDiff) -> _Known:
        """Return the results that remain valid after an edit."""
        found, reach, moved = self.found, self.reach, kept.moved
        near = _near(kept, reach)
        affected = {n for n in near if n in found} if len(near) < len(found) else found
        spoilt = {n for n in affected if not _holds(n, found[n], kept)}
        if moved:
            behind = kept.old_tail
            stays = {n + moved * (n >= behind): f for n, f in found.items() if n not in spoilt}
            return _Known(stays, reach)
        stays = found.copy()
        for number in spoilt:
            del stays[number]
        return _Known(stays, reach)


def _near(kept: BundleDiff, reach: int) -> Sequence[int]:
    """Return the numbers of bundles with results that an edit may affect."""
    if kept.moved:
        return range(kept.head - reach, kept.old_tail + reach)
    return [near for n in kept.changed for near in range(n - reach, n + reach + 1)]


def _holds(number: int, found: LocalResult[Any], kept: BundleDiff) -> bool:
    first, last = number - found.back, number + found.ahead
    if kept.moved:
        return last < kept.head or first >= kept.old_tail
    at = bisect_left(kept.changed, first)
    return at == len(kept.changed) or kept.changed[at] > last


class IncrementalCache:
    """The results about one state of a text.

    It refers weakly to the previous state: an editor keeps that one alive while an edit is
    analysed, and nothing needs it later.
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
        # Inputs and results of analyses of the whole program, by name. They outlive states in which
        # nobody asks, as a program with errors is not run.
        self._whole: dict[str, tuple[object, Any]] = dict(before._whole) if before else {}
        # Whether labels and macros are those of the earlier state; set when they have been read.
        self.same_names = False

    def where(self, test: Test) -> list[int]:
        """Return the numbers of the bundles for which a test of the bundle alone holds."""
        numbers = self._numbers.get(test)
        if numbers is None:
            isa, bundles = self._isa, self._bundles
            old = self._old_numbers(test)
            if old is None or self._kept is None:
                held = [places for bundle, places in self._distinct if test(isa, bundle)]
                numbers = sorted(chain.from_iterable(held))
            else:
                fresh = [number for number in self._kept.inserted if test(isa, bundles[number])]
                numbers = self._kept.joined(old, fresh)
            self._numbers[test] = numbers
        return numbers

    @cached_property
    def _distinct(self) -> list[tuple[Bundle, list[int]]]:
        """The bundles without repetition, a third of files with macros, and their numbers."""
        found: dict[int, tuple[Bundle, list[int]]] = {}
        for number, bundle in enumerate(self._bundles):
            if id(bundle) in found:
                found[id(bundle)][1].append(number)
            else:
                found[id(bundle)] = bundle, [number]
        return [*found.values()]

    def among(
        self, name: str, numbers: list[int], test: Callable[[int], bool], holds: bool
    ) -> list[int]:
        """Return those of some bundles for whose numbers a test holds; cached by name.

        `holds`: the test's result for the kept bundles is the same as before the edit.
        """
        old = self._old_numbers(name) if holds else None
        if old is None or self._kept is None:
            found = [number for number in numbers if test(number)]
        else:
            kept = self._kept
            fresh = frozenset(kept.inserted)
            between = numbers[bisect_left(numbers, kept.head) : bisect_left(numbers, kept.tail)]
            found = kept.joined(old, [n for n in between if n in fresh and test(n)])
        self._numbers[name] = found
        return found

    def whole(self, name: str, inputs: object, compute: Callable[[], _T]) -> _T:
        """Return the result of an analysis of the whole program, which depends on `inputs` alone.

        That of an earlier state is returned if its inputs were equal; they should share their parts
        with it, so that they are compared fast. A result must not refer to a program.
        """
        known = self._whole.get(name)
        if known is None or known[0] != inputs:
            known = inputs, compute()
        self._whole[name] = known
        found: _T = known[1]
        return found

    def lookup(self, work: Work[_P, _T], program: _P, number: int, of_bundles: bool = False) -> _T:
        """Return the cached or computed result of an analysis about a bundle.

        `of_bundles`: the analysis does not depend on labels and macros elsewhere.
        """
        known = self._known.get(work) or self._recalled(work, self.same_names or of_bundles)
        found = known.found.get(number)
        if found is None:
            found = known.found[number] = work(program, number)
            known.reach = max(known.reach, found.back, found.ahead)
        what: _T = found.what
        return what

    def _recalled(self, work: object, holds: bool) -> _Known:
        """Take over the results of the previous state that remain valid."""
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
