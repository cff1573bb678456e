"""Documentation for people: Markdown where the client shows it, else plain text."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^```[^\n]*\n?", re.MULTILINE)
_RULE = re.compile(r"^-{3,}$\n?", re.MULTILINE)
_HEADING = re.compile(r"^#+ ", re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_MARKED = re.compile(r"\\(.)|(\*\*|`)")


def markup(markdown: str, shows_markdown: bool) -> dict[str, str]:
    """The protocol's `MarkupContent` of a page that is written in Markdown."""
    if shows_markdown:
        return {"kind": "markdown", "value": markdown}
    return {"kind": "plaintext", "value": plain_text(markdown)}


def plain_text(markdown: str) -> str:
    """The page without its marks, for a reader who would see them as they are."""
    blocks = re.split(r"(^```[^\n]*\n.*?^```$\n?)", markdown, flags=re.MULTILINE | re.DOTALL)
    parts = [
        _FENCE.sub("", block) if block.startswith("```") else _prose(block) for block in blocks
    ]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _prose(markdown: str) -> str:
    for pattern, kept in ((_RULE, ""), (_HEADING, ""), (_LINK, r"\1")):
        markdown = pattern.sub(kept, markdown)
    return _MARKED.sub(lambda mark: mark[1] or "", markdown)
