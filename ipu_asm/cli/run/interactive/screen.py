"""Output of a session: width, colours, and text that is written as it is computed."""

from __future__ import annotations

import shutil
import sys
from enum import Enum
from typing import Final, TextIO

from ipu_asm.cli.console import is_terminal, wants_color, write

_RESET: Final = "\x1b[0m"
_LEAST_WIDTH: Final = 40
_WIDTH_OF_FILES: Final = 100


class Style(Enum):
    """What coloured text means."""

    STOP = "the cause of a stop"
    FAULT = "an error"
    HERE = "where the machine is"
    SLOT = "a slot"
    FAINT = "what matters less"
    CHANGED = "a value that has changed"
    NEGATIVE = "a negative value"
    SPECIAL = "NaN or infinity"
    HEADING = "a heading"


_CODES: Final = {
    Style.STOP: "1;33", Style.FAULT: "1;31", Style.HERE: "1;32", Style.SLOT: "36",
    Style.FAINT: "2", Style.CHANGED: "1;33", Style.NEGATIVE: "34", Style.SPECIAL: "1;31",
    Style.HEADING: "1",
}  # fmt: skip


class Screen:
    """Where a session writes: `width` in columns, and whether there are colours."""

    def __init__(self, stream: TextIO | None = None, has_color: bool | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self.has_color = wants_color("auto", self._stream) if has_color is None else has_color
        self.is_terminal = is_terminal(self._stream)

    @property
    def width(self) -> int:
        """Columns of the terminal as it is now; those of a page for a file or a pipe."""
        if not self.is_terminal:
            return _WIDTH_OF_FILES
        return max(shutil.get_terminal_size((80, 24)).columns, _LEAST_WIDTH)

    def paint(self, text: str, style: Style | None) -> str:
        """Return a text in a style, unchanged without colours."""
        if style is None or not self.has_color or not text:
            return text
        return f"\x1b[{_CODES[style]}m{text}{_RESET}"

    def show(self, text: str) -> None:
        """Write lines."""
        if text:
            write(f"{text}\n", self._stream)
