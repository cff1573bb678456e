"""Limits on the output of macros and repetitions, which bound the time for any file.

Real files make up to 14,000 lines, and read 50,000 for that: most are in branches not taken.
"""

from __future__ import annotations

DEEPEST = 64
MOST_LINES = 40_000
MOST_LINES_READ = 200_000
MOST_CHARACTERS_READ = 8_000_000


class ExpansionLimitError(Exception):
    """A limit is exceeded; the message is that of the finding."""


class Budget:
    """The remaining allowance for one file."""

    def __init__(self) -> None:
        self._made = MOST_LINES
        self._read = MOST_LINES_READ
        self._characters = MOST_CHARACTERS_READ
        self.is_spent = False
        self._bodies = 0

    def has_room(self, lines: int, characters: int) -> bool:
        """Return whether so much more in each body surely stays within the limits."""
        lines, characters = lines * (self._bodies + 1), characters * (self._bodies + 1)
        return lines <= min(self._made, self._read) and characters <= self._characters

    def read(self, lines: int, characters: int) -> None:
        """Account for the text of a body with its arguments. Raises `ExpansionLimitError`."""
        self._bodies += 1
        self._read -= lines
        self._characters -= characters
        if self._read < 0:
            raise self._spent(f"{MOST_LINES_READ:,} lines before conditions")
        if self._characters < 0:
            raise self._spent(f"{MOST_CHARACTERS_READ:,} characters before conditions")

    def make(self, lines: int) -> None:
        """Account for lines of output. Raises `ExpansionLimitError`."""
        self._made -= lines
        if self._made < 0:
            raise self._spent(f"{MOST_LINES:,} lines")

    def reserve(self, iterations: int) -> None:
        """Check whether a loop may be repeated as often. Raises `ExpansionLimitError`."""
        if iterations > self._read:
            self.read(iterations, 0)

    def enter(self, depth: int) -> None:
        """Check the nesting depth of a call. Raises `ExpansionLimitError`."""
        if depth > DEEPEST:
            raise ExpansionLimitError(f"macros and repetitions nest at most {DEEPEST} deep")

    def _spent(self, most: str) -> ExpansionLimitError:
        self.is_spent = True
        return ExpansionLimitError(f"macros and repetitions make at most {most}")
