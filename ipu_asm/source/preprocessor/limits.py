"""Limits on the size of an expansion: a small text can describe an endless one."""

from __future__ import annotations

MOST_TOKENS = 100_000
"""The tokens that macros may make, besides those for the length of the text."""
MOST_TEXT = 2_000_000
"""The characters of an expansion, besides four times those of the text."""
MOST_WRITTEN = 2_000_000
"""The characters of a file that is expanded."""
LENGTH_OF_TOKEN = 32
"""A token counts as several if it is longer, in characters."""
LENGTH_OF_PIECE = 8
"""What a line counts besides its characters."""
MOST_INCLUDES = 1_000
"""The headers that are read for one expansion, repeated ones counted."""
DEEPEST_INCLUDE = 40
LONGEST_LINE = 200_000
"""The longest line, in characters, in which macros are replaced."""


class LimitExceeded(Exception):
    """An expansion is larger than a limit; the message is the constraint and what was found."""


class Budget:
    """The remaining allowance of one expansion."""

    def __init__(self, length: int) -> None:
        self.spent = 0
        self._most = MOST_TOKENS + length // 10
        self._text = MOST_TEXT + 4 * length

    def spend(self, tokens: int) -> None:
        """Count tokens. Raises `LimitExceeded`."""
        self.spent += tokens
        if self.spent > self._most:
            raise self.exceeded(f"macros make more than {MOST_TOKENS:,} tokens")

    def write(self, length: int) -> None:
        """Count characters of the expansion. Raises `LimitExceeded`."""
        self._text -= length + LENGTH_OF_PIECE
        if self._text < 0:
            raise self.exceeded(f"the text becomes longer than {MOST_TEXT:,} characters")

    def has_room(self, tokens: int, characters: int) -> bool:
        """Return whether an edit of so many characters surely stays within the limits."""
        return self.spent + tokens + characters <= self._most and 8 * characters <= self._text

    def exceeded(self, found: str) -> LimitExceeded:
        """Return the error for a limit that was exceeded."""
        return LimitExceeded(f"the expansion is limited, found that {found}")
