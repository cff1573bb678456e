"""Documentation as Markdown, or as plain text for clients that do not support it."""

from __future__ import annotations

import re

_FENCED = re.compile(r"^(`{3,})[^\n`]*\n(.*?)^\1$\n?", re.MULTILINE | re.DOTALL)
_RULE_OR_HEADING = re.compile(r"^(?:-{3,}$\n?|#+ )", re.MULTILINE)
# An escaped character, a link, code between equal runs of backticks, and strong text.
_MARKED = re.compile(
    r"\\(?P<escaped>[^\w\s]|_)"
    r"|\[(?P<title>(?:\\.|[^\]\\\n])*)\]\((?P<target>[^)\n]*)\)"
    r"|(?<!`)(?P<run>`+)(?!`)(?P<code>[^\n]*?)(?<!`)(?P=run)(?!`)"
    r"|\*\*"
)


def markup(markdown: str, shows_markdown: bool) -> dict[str, str]:
    """Return a page written in Markdown as `MarkupContent`."""
    if shows_markdown:
        return {"kind": "markdown", "value": markdown}
    return {"kind": "plaintext", "value": plain_text(markdown)}


def plain_text(markdown: str) -> str:
    """Return a page without its Markdown syntax."""
    parts, end = list[str](), 0
    for block in _FENCED.finditer(markdown):
        parts += [_prose(markdown[end : block.start()]), block[2]]
        end = block.end()
    parts.append(_prose(markdown[end:]))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _prose(markdown: str) -> str:
    return _MARKED.sub(_unmarked, _RULE_OR_HEADING.sub("", markdown))


def _unmarked(match: re.Match[str]) -> str:
    if match["code"] is not None:
        code = match["code"]
        is_padded = "`" in code and code.startswith(" ") and code.endswith(" ")
        return code[1:-1] if is_padded else code
    if match["title"] is not None:
        title, target = _prose(match["title"]), match["target"]
        # A file is of use without a link, too.
        return f"{title}: {target}" if target.startswith("file:") else title
    return match["escaped"] or ""
