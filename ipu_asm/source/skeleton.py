"""The layout of a template: its text with blanks for tags and words for outputs.

It has the same length and the same line breaks, so that positions in it are positions in the
template. It serves features that look at layout alone, such as formatting and folding.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}", re.DOTALL)
_NOT_BREAK = re.compile(r"[^\r\n]")


def skeleton(text: str) -> str:
    """Return a template with blanks for statements and comments, and a word for each output."""
    return _TAG.sub(_filler, text)


def _filler(tag: re.Match[str]) -> str:
    return _NOT_BREAK.sub("x" if tag[0].startswith("{{") else " ", tag[0])
