"""The lines after the current one, over which a macro call may extend."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.tokens import Token, tokens_of

_MOST_LINES = 500


class FollowingLines:
    """The lines after the current one, up to the next directive."""

    def __init__(self, lines: Sequence[Line], at: int) -> None:
        self._lines = lines
        self._most = at + _MOST_LINES
        self.at = at
        # The line that ended the search for a call: the output depends on it.
        self.behind: Line | None = None
        self.is_at_end = False

    def take(self, opening: bool) -> list[Token] | None:
        """Take the tokens of the next line; with `opening` only if it begins with ``(``."""
        if self.at >= len(self._lines):
            self.is_at_end = True
            return None
        line = self._lines[self.at]
        is_far = self.at >= self._most
        if is_far or line.directive or (opening and not line.text.lstrip().startswith("(")):
            self.behind = line
            return None
        self.at += 1
        return tokens_of(line)


class NoLines:
    """No lines: a call in a directive ends with its line."""

    def take(self, opening: bool) -> list[Token] | None:
        """Return None."""
        return None
