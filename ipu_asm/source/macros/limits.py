"""Limits of what macros and repetitions make, so that no file keeps a tool busy for long."""

from __future__ import annotations

DEEPEST = 64
MOST_STATEMENTS = 40_000
MOST_CHARACTERS = 1_000_000


class ExpansionLimitError(Exception):
    """A limit is exceeded; the message is that of the finding."""


class Budget:
    """What may still be made for one file."""

    def __init__(self) -> None:
        self._statements = MOST_STATEMENTS
        self._characters = MOST_CHARACTERS
        self.is_spent = False

    def take(self, statements: int, characters: int) -> None:
        """Account for text that is made. Raises `ExpansionLimitError`."""
        self._statements -= statements
        self._characters -= characters
        if self._statements < 0:
            raise self._spent(f"macros and repetitions make at most {MOST_STATEMENTS:,} statements")
        if self._characters < 0:
            raise self._spent(f"macros and repetitions make at most {MOST_CHARACTERS:,} characters")

    def enter(self, depth: int) -> None:
        """Check the nesting depth of a call. Raises `ExpansionLimitError`."""
        if depth > DEEPEST:
            raise ExpansionLimitError(f"macros and repetitions nest at most {DEEPEST} deep")

    def _spent(self, message: str) -> ExpansionLimitError:
        self.is_spent = True
        return ExpansionLimitError(message)
