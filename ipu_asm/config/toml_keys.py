"""The offsets of the keys of a TOML text, and limits that keep `tomllib` fast and from failing.

`tomllib` gives values without offsets, its recursion ends at about 300 brackets, integers of 4,301
digits raise a bare `ValueError`, and a key of n parts takes time n squared.
"""

from __future__ import annotations

import re

MOST_DEPTH = 50
MOST_PARTS = 32
MOST_DIGITS = 64

KeyOffsets = dict[tuple[str, ...], int]
"""The offset at which a key, or the first one below it, is written."""

_TOKEN = re.compile(
    r'''(?P<blank>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<string>"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z) | \'\'\'.*?(?:'{3,5}|\Z)
          | "[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"? | '[^'\n]*'?)
      | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<equals>=) | (?P<mark>[.,])
      | (?P<word>[^\s\[\]{}=.,"'#]+) | (?P<other>.)''',
    re.VERBOSE | re.DOTALL,
)


class TomlLimitError(Exception):
    """A text beyond a limit: the message says which limit, `offset` where."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def key_offsets(text: str) -> KeyOffsets:
    """The offsets of all keys outside of inline tables. Raises `TomlLimitError`.

    Exact for valid TOML; after a syntax error offsets may be missing.
    """
    scanner = _Scanner()
    for token in _TOKEN.finditer(text):
        scanner.take(token)
    return scanner.offsets


class _Scanner:
    """Reads token after token. A statement is a key with its value, or the header of a table."""

    def __init__(self) -> None:
        self.offsets: KeyOffsets = {}
        self._table: tuple[str, ...] = ()
        self._depth = 0
        self._key: list[str] = []
        self._start = 0
        self._is_header = False
        self._is_value = False

    def take(self, token: re.Match[str]) -> None:
        """Process the next token of the text."""
        kind = token.lastgroup
        if kind == "newline" and self._depth == 0:
            self._end()
        elif self._is_value:
            self._take_value(kind, token)
        elif kind in ("word", "string"):
            self._take_part(token)
        elif kind == "open" and not self._key:
            self._is_header = True
        elif kind == "equals":
            self._end_key()
            self._is_value = True

    def _end(self) -> None:
        if self._is_header:
            self._table = ()
            self._end_key()
            self._table = tuple(self._key)
        self._key = []
        self._is_header = self._is_value = False

    def _take_part(self, token: re.Match[str]) -> None:
        if not self._key:
            self._start = token.start()
        self._key.append(token[0].strip("\"'"))
        if len(self._key) > MOST_PARTS:
            raise TomlLimitError(token.start(), f"a key has at most {MOST_PARTS} parts, found more")

    def _end_key(self) -> None:
        full = (*self._table, *self._key)
        for length in range(1, len(full) + 1):
            self.offsets.setdefault(full[:length], self._start)

    def _take_value(self, kind: str | None, token: re.Match[str]) -> None:
        if kind == "open":
            self._depth += 1
            if self._depth > MOST_DEPTH:
                message = f"arrays and tables nest at most {MOST_DEPTH} deep, found more"
                raise TomlLimitError(token.start(), message)
        elif kind == "close":
            self._depth = max(0, self._depth - 1)
        elif kind == "word" and len(token[0]) > MOST_DIGITS and token[0].lstrip("+-")[:1].isdigit():
            found = len(token[0])
            message = f"a number has at most {MOST_DIGITS} characters, found {found:,}"
            raise TomlLimitError(token.start(), message)
