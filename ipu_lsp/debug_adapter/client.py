"""Capabilities of the client, and conversion of its lines and columns."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span
from ipu_lsp.json_types import Json
from ipu_lsp.server.convert import Coordinates, Encoding


class DebugClient(NamedTuple):
    """The client's capabilities and conventions that affect our messages."""

    first_line: int = 1
    first_column: int = 1
    sends_uris: bool = False
    has_types: bool = False
    has_progress: bool = False
    has_invalidated: bool = False
    has_memory_events: bool = False
    name: str = ""

    @property
    def shows_words_first(self) -> bool:
        """Whether its disassembly has the words in front of the instructions, whatever they take.

        Those of 24 bytes, in pairs of digits, push the instructions out of sight.
        """
        return self.name == "vscode"

    @property
    def has_menu_contexts(self) -> bool:
        """Whether it takes a context of menus with a variable, which the protocol does not have."""
        return self.name == "vscode"

    def path_to_client(self, path: str) -> str:
        """Convert a path to the format that the client expects."""
        if not self.sends_uris:
            return path
        from urllib.request import pathname2url

        return f"file://{pathname2url(path)}"


def path_of(text: str) -> str:
    """Return the path that a client means by a path or a `file` URI."""
    if text[:5].lower() != "file:":
        return text
    from urllib.request import url2pathname  # few clients need it, and it is slow to load

    try:
        return url2pathname(urlsplit(text).path)
    except ValueError:
        return text  # not a valid URI


class Positions:
    """Converts between offsets in a text and the client's lines and columns (UTF-16 units)."""

    def __init__(self, text: str, client: DebugClient) -> None:
        self._coordinates = Coordinates(text, Encoding.UTF_16)
        self._client = client

    def line(self, line: int) -> int:
        """Convert a line of the client to one counted from 0; negative for an invalid one."""
        return line - self._client.first_line

    def lines(self, first: int, last: int) -> range:
        """Return the existing lines from `first` to `last`, both included, counted from 0."""
        end = min(self.line(last) + 1, len(self._coordinates.lines.starts))
        return range(max(0, self.line(first)), end)

    def column(self, line: int, column: int) -> int:
        """Convert a column of the client to code points from 0; `line` counts from 0."""
        lines = self._coordinates.lines
        if not 0 <= line < len(lines.starts):
            return 0
        character = max(0, column - self._client.first_column)
        offset = self._coordinates.offset(_ClientPosition(line, character))
        return offset - lines.starts[line]

    def start_to_client(self, span: Span) -> Json:
        """Return the start of a span as the fields `line` and `column`."""
        sent = self.to_client(span)
        return {"line": sent["line"], "column": sent["column"]}

    def to_client(self, span: Span) -> Json:
        """Return a span as the fields `line`, `column`, `endLine`, `endColumn`."""
        start, end = (self._coordinates.position(offset) for offset in span)
        return {
            "line": start["line"] + self._client.first_line,
            "column": start["character"] + self._client.first_column,
            "endLine": end["line"] + self._client.first_line,
            "endColumn": end["character"] + self._client.first_column,
        }


class _ClientPosition(NamedTuple):
    line: int
    character: int


def is_same_path(one: str, other: str) -> bool:
    """Return whether two paths refer to the same file, which need not exist."""
    one, other = (os.path.normcase(os.path.abspath(path)) for path in (one, other))
    if one == other:
        return True
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
