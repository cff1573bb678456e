"""The last changes of a document, to put one that arrives late in its place.

Editors that send each change as a task of its own (Helix 25) may send version 14 before 3. Texts
are not kept, so each change is kept with what it replaced: the later ones are undone, and all are
made again in the order of their versions.
"""

from __future__ import annotations

from collections import deque
from itertools import takewhile
from typing import Final, Iterable, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Change
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import Coordinates

MOST_CHANGES: Final = 256
MOST_CHARACTERS: Final = 1 << 20


class AppliedChange(NamedTuple):
    """A change of a text, and the text that it replaced."""

    change: Change
    replaced: str

    def undone(self, coordinates: Coordinates) -> tuple[Coordinates, Change]:
        """Return the coordinates before the change, and the change back to them."""
        start, old_end, new_end = self.change
        text = coordinates.text
        back = Change(start, new_end, old_end)
        before = text[:start] + self.replaced + text[new_end:]
        return Coordinates(before, coordinates.encoding, (coordinates.lines, back)), back


class Notification(NamedTuple):
    """The changes that the client sent with one version, and what they did to the text."""

    version: int | None
    changes: Sequence[Json]
    applied: tuple[AppliedChange, ...]

    @property
    def has_whole_text(self) -> bool:
        """Whether the text after it does not depend on the text before it."""
        return any(change.get("range") is None for change in self.changes)

    @property
    def characters(self) -> int:
        """The characters that it keeps."""
        sent = sum(len(change["text"]) for change in self.changes)
        return sent + sum(len(each.replaced) for each in self.applied)


class ChangeOrder:
    """The last notifications of a document in the order of their versions."""

    def __init__(self, version: int | None) -> None:
        self._kept: deque[Notification] = deque()
        self._characters = 0
        # No notification up to this version is kept; None if versions are not known.
        self._first = version
        self._is_first_whole = False

    @property
    def latest(self) -> int | None:
        """The highest version."""
        return self._kept[-1].version if self._kept else self._first

    def is_obsolete(self, version: int | None) -> bool:
        """Return whether a later version has replaced the whole text already."""
        return self._is_first_whole and self._is_before_first(version)

    def is_too_late(self, version: int | None) -> bool:
        """Return whether the changes behind a version are not known any more."""
        return not self._is_first_whole and self._is_before_first(version)

    def later_than(self, version: int | None) -> list[Notification]:
        """Return the notifications with a higher version, in order."""
        later: list[Notification] = []
        if version is not None:
            later += takewhile(lambda each: (each.version or 0) > version, reversed(self._kept))
        return later[::-1]

    def replace(self, count: int, notifications: Iterable[Notification]) -> None:
        """Keep notifications in the place of the last `count` ones."""
        for _ in range(count):
            self._characters -= self._kept.pop().characters
        for each in notifications:
            if each.version is None or each.has_whole_text:
                self.restart(each.version, each.has_whole_text)
                continue
            self._kept.append(each)
            self._characters += each.characters
        while len(self._kept) > MOST_CHANGES or self._characters > MOST_CHARACTERS:
            oldest = self._kept.popleft()
            self._characters -= oldest.characters
            self._first, self._is_first_whole = oldest.version, False

    def restart(self, version: int | None, is_whole: bool = False) -> None:
        """Forget all before a version, which has replaced the whole text if `is_whole`."""
        self._kept.clear()
        self._characters = 0
        self._first, self._is_first_whole = version, is_whole

    def _is_before_first(self, version: int | None) -> bool:
        return version is not None and self._first is not None and version < self._first
