"""What authors say about a name in a comment."""

from __future__ import annotations

from ipu_asm.source.jinja.tokens import Tokens


def remark_of(tokens: Tokens, name: int) -> str:
    """Return the comment about a definition: behind it on its line, or a line directly above.

    `name` is the token of the name.
    """
    tag = tokens.tag_of[name]
    start, end = tokens.tag_span(tag)
    line_end = _line_end(tokens.text, end)
    behind = tokens.text[end:line_end].strip()
    if behind:
        for other in range(tag + 1, len(tokens.tags)):
            span = tokens.tag_span(other)
            if span.start >= line_end:
                break
            if tokens.tags[other].kind == "comment":
                return _comment(tokens, other)
        return behind[1:].lstrip("#").strip() if behind.startswith("#") else ""
    return _above(tokens, tag, start)


def _above(tokens: Tokens, tag: int, start: int) -> str:
    line_start = _line_start(tokens.text, start)
    if tokens.text[line_start:start].strip():
        return ""
    before = tokens.text[_line_start(tokens.text, max(0, line_start - 1)) : line_start].strip()
    if tag and tokens.tags[tag - 1].kind == "comment":
        comment = tokens.tag_span(tag - 1)
        alone = tokens.text[_line_start(tokens.text, comment.start) : comment.start]
        between = tokens.text[comment.end : start]
        if not alone.strip() and not between.strip() and between.count("\n") <= 1:
            return _comment(tokens, tag - 1)
    return (
        before[1:].lstrip("#").strip() if before.startswith("#") and before.count("{") == 0 else ""
    )


def _comment(tokens: Tokens, tag: int) -> str:
    _, first, last = tokens.tags[tag]
    texts = [token.text for token in tokens.tokens[first:last] if token.kind == "comment"]
    text = " ".join("".join(texts).split())
    return "" if text.startswith("ipu:") else text


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    ends = [at for at in (text.find("\n", offset), text.find("\r", offset)) if at >= 0]
    return min(ends, default=len(text))
