"""The error about a value that a setting does not allow, and how values are shown in it."""

from __future__ import annotations

from typing import Any


class SettingError(Exception):
    """A value that its key does not allow; the text is the sentence of the finding."""


def shortened(text: str, most: int = 60) -> str:
    """Return a text, cut to its first `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


def shown(value: Any) -> str:
    """Return a value of TOML as a message shows it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    text = str(value)
    return text.lower() if isinstance(value, bool) else shortened(text)
