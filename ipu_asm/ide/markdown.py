"""Text that people wrote, in Markdown that shows it as it is."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([\\`*_<>\[\]#])")


def escaped(text: str) -> str:
    """Plain text, so that no character of it formats anything."""
    return _SPECIAL.sub(r"\\\1", text)
