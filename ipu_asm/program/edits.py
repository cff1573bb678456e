"""Two states of a text: which bundles differ, and which results about bundles remain valid.

Most analyses of a program depend on a few adjacent bundles. An edit replaces some bundles and moves
others; results that do not depend on replaced bundles are used again.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from itertools import chain, pairwise
from typing import Any, Callable, Generic, Iterable, Iterator, Sequence, TypeVar

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Change, change_between, is_binary, listed, offsets

_BYTE_ORDER_MARK = "\ufeff"


class SlicedText(NamedTuple):
    """A text divided into bundle slices: slice i is from `starts[i]` to `starts[i + 1]`.

    A byte-order mark at the start of the text belongs to no slice.
    """

    text: str
    starts: Sequence[int]
    bundles: list[Bundle]


class BundleDiff(NamedTuple):
    """Which bundles of a state are equal to those of an earlier state, by their numbers.

    The first `head` bundles are equal, and those from `tail` on are equal to those from `old_tail`
    on in the earlier state. Of those in between, if there are as many as before, `changed` are not
    equal: an edit of a macro's body changes a few bundles in many places.
    """

    head: int
    old_tail: int
    tail: int
    changed: tuple[int, ...] = ()

    @property
    def moved(self) -> int:
        """The difference between current and earlier numbers of the bundles after the change."""
        return self.tail - self.old_tail

    @property
    def inserted(self) -> Sequence[int]:
        """The numbers of the new bundles."""
        return range(self.head, self.tail) if self.moved else self.changed

    @property
    def replaced(self) -> Sequence[int]:
        """The earlier numbers of the bundles that were replaced."""
        return range(self.head, self.old_tail) if self.moved else self.changed

    def widened(self, numbers: Iterable[int]) -> BundleDiff:
        """Return the difference with more bundles that are not equal."""
        changed = sorted({*numbers, *self.changed})
        head, tail = min(self.head, changed[0]), max(self.tail, changed[-1] + 1)
        return BundleDiff(head, tail - self.moved, tail, () if self.moved else tuple(changed))

    def joined(self, old: list[int], fresh: Iterable[int]) -> list[int]:
        """Merge ascending earlier numbers of bundles with numbers of new bundles."""
        first, last = bisect_left(old, self.head), bisect_left(old, self.old_tail)
        moved = self.moved
        if moved:
            return [*old[:first], *fresh, *(number + moved for number in old[last:])]
        gone = frozenset(self.changed)
        kept = [number for number in old[first:last] if number not in gone]
        return [*old[:first], *sorted((*kept, *fresh)), *old[last:]]


def _ends_of_binary(text: str, _start: int) -> Iterator[int]:
    """Yield the end of the only slice of what is no text."""
    yield len(text)


def read_slices(
    isa: Isa,
    text: str,
    read: Callable[[str], Bundle],
    before: SlicedText | None = None,
    change: Change | None = None,
) -> tuple[SlicedText, BundleDiff | None]:
    """Divide `text` into slices and parse each, reusing the bundles that `before` has in common.

    `change` is the edit from `before` to `text`, if known. Also returns the difference, None if
    no bundle can be reused.
    """
    grammar = parser_for(isa).grammar
    cut = _ends_of_binary if is_binary(text) else grammar.ends_of_slices
    if before is not None and (cut is _ends_of_binary or is_binary(before.text)):
        before = None
    if before is not None and change is None:
        change = change_between(before.text, text)
    if before is None or change is None or change.start == 0:
        first = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
        starts = offsets(chain((first,), cut(text, first)), text)
        return SlicedText(text, starts, [read(text[a:b]) for a, b in pairwise(starts)]), None
    old = listed(before.starts)
    certain = _string_before(text, change.start) if grammar.looks_ahead else change.start
    first, fresh, rest = _recut(
        cut, text, old, change, certain=certain, back=1 + grammar.looks_ahead
    )
    cuts = [old[first], *fresh]
    bundles = [read(text[start:end]) for start, end in zip(cuts, fresh)]
    tail = old[rest + 1 :]
    delta = change.new_end - change.old_end
    if delta:
        tail = [start + delta for start in tail]
    slices = SlicedText(
        text,
        old[: first + 1] + fresh + tail,
        before.bundles[:first] + bundles + before.bundles[rest:],
    )
    return slices, _kept(before.bundles, slices.bundles, first, rest, first + len(bundles))


def _recut(
    cut: Callable[[str, int], Iterable[int]],
    text: str,
    old: list[int],
    change: Change,
    *,
    certain: int,
    back: int,
) -> tuple[int, list[int], int]:
    """Return the first slice to read again, the ends of new slices, and the first slice to keep.

    Every slice starts outside of comments, so that cuts are equal from the first common one after
    the change. The slice with the character before the change is read again, because its end mark
    may have grown; with `back` 2, also the one before it, and all from the offset `certain` on.
    """
    first = min(bisect_right(old, change.start - 1) - back, bisect_right(old, certain) - 1)
    first = min(max(first, 0), len(old) - 2)
    delta = change.new_end - change.old_end
    fresh: list[int] = []
    for end in cut(text, old[first]):
        fresh.append(end)
        if end >= change.new_end and end - delta > old[first]:
            met = bisect_right(old, end - delta) - 1
            if old[met] == end - delta:
                return first, fresh, met
    return first, fresh, len(old) - 1


def _string_before(text: str, offset: int) -> int:
    """Return the offset of the first quote before `offset` on its line; `offset` if there is none.

    The slices of a line after a quote depend on whether a string ends on it, which a later
    character of the line may decide.
    """
    quote = text.find('"', text.rfind("\n", 0, offset) + 1, offset)
    return quote if quote >= 0 else offset


def _kept(old: list[Bundle], new: list[Bundle], head: int, old_tail: int, tail: int) -> BundleDiff:
    """Return the difference, without bundles that were read again but came out equal."""
    while head < min(old_tail, tail) and old[head] is new[head]:
        head += 1
    while head < min(old_tail, tail) and old[old_tail - 1] is new[tail - 1]:
        old_tail, tail = old_tail - 1, tail - 1
    if old_tail != tail:
        return BundleDiff(head, old_tail, tail)
    changed = [number for number in range(head, tail) if old[number] is not new[number]]
    return BundleDiff(head, tail, tail, tuple(changed))


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
                numbers = [number for number, each in enumerate(bundles) if test(isa, each)]
            else:
                fresh = [number for number in self._kept.inserted if test(isa, bundles[number])]
                numbers = self._kept.joined(old, fresh)
            self._numbers[test] = numbers
        return numbers

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
