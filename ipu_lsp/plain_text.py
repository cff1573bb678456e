"""Texts for places that do not render Markdown: menus, outlines, call stacks, consoles, logs."""

from __future__ import annotations

import re
from typing import Any

_QUOTED, _WORD = re.compile(r"`(`(?=`)|[^`\n]*)`"), re.compile(r"\w")
_TEXTS = frozenset(
    (
        "conditionDescription", "description", "detail", "format", "label", "message", "output",
        "reason", "result", "stackTrace", "text", "title", "value",
    )
)  # fmt: skip
"""The fields of the Debug Adapter Protocol that people read."""


def plain(text: str) -> str:
    """Return a text without the backticks around names.

    Quotes show blanks at the ends of a name, and names of punctuation marks alone.
    """
    return _QUOTED.sub(_unquoted, text) if "`" in text else text


def with_plain_texts(message: Any) -> Any:
    """Return a message of the Debug Adapter Protocol with plain texts for people."""
    if isinstance(message, dict):
        return {
            key: plain(value)
            if key in _TEXTS and isinstance(value, str)
            else with_plain_texts(value)
            for key, value in message.items()
        }
    if isinstance(message, list):
        return [with_plain_texts(each) for each in message]
    return message


def _unquoted(match: re.Match[str]) -> str:
    name = match[1]
    return name if name == name.strip() and _WORD.search(name) else f'"{name}"'
