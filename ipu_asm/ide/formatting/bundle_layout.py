"""Layout of one slice: the text from the end mark of the previous bundle to its own end mark.

The result depends on the slice's text alone, so it is cached per bundle and style.
"""

from __future__ import annotations

import re
from typing import Final, Iterator, NamedTuple

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.config.configuration import FORMAT_STYLES
from ipu_asm.isa.model import Isa
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.comments import comments_in
from ipu_asm.text import Span

STYLES: Final = FORMAT_STYLES
KEEP, INSTRUCTION, BUNDLE = STYLES

INDENT: Final = "    "
COMMENT_COLUMN: Final = 52
_GAP: Final = "  "
LINE_BREAK: Final = re.compile(r"\r\n?|\n")


class FormattedLine(NamedTuple):
    """One output line: code, a comment, or both.

    `is_apart` requests a blank line before it.
    """

    code: str
    comment: str = ""
    is_apart: bool = False

    def text(self) -> str:
        """Return the line without a line break; a comment behind code is in `COMMENT_COLUMN`."""
        if not self.comment or not self.code.strip():
            return f"{self.code}{self.comment}".rstrip()
        return f"{(self.code + _GAP).ljust(COMMENT_COLUMN)}{self.comment}"


class SliceLayout(NamedTuple):
    """Layout of a slice: its own lines, and the comment `tail` behind the previous bundle."""

    tail: str
    rows: tuple[FormattedLine, ...]


class _PlacedComment(NamedTuple):
    """A comment and its position.

    `token` is the number of the token that it follows (-1: none). `is_alone` means that it has a
    line of its own, `is_indented` that this line begins with blanks, `is_apart` that a blank line
    precedes it.
    """

    token: int
    text: str
    is_alone: bool
    is_indented: bool
    is_apart: bool


def lay_out(isa: Isa, bundle: Bundle, style: str) -> SliceLayout:
    """Return the layout of a bundle in a style; code with syntax errors stays as written."""
    return _LAYOUTS[style](isa, bundle)


def _lay_out(isa: Isa, bundle: Bundle, style: str) -> SliceLayout:
    syntax = bundle.syntax
    comments = list(_placed_comments(isa, syntax))
    tail = ""
    if comments and comments[0].token < 0 and not comments[0].is_alone:
        tail = comments.pop(0).text
    before = [_comment_row(comment) for comment in comments if comment.token < 0]
    inside = [comment for comment in comments if comment.token >= 0]
    if not syntax.spans:
        return SliceLayout(tail, tuple(before))
    if not is_readable(bundle) or _has_inner_comment(syntax, inside):
        body = _as_written(syntax, inside)
    elif _is_one_line(syntax, style, inside):
        body = list(_one_line(isa, bundle, style, inside))
    else:
        body = list(_many_lines(isa, bundle, inside))
    if body:
        body[0] = body[0]._replace(is_apart=_is_apart(syntax, 0))
    return SliceLayout(tail, (*before, *body))


def is_readable(bundle: Bundle) -> bool:
    """Check whether the bundle has instructions and every token of it could be parsed."""
    plan = bundle.syntax.plan
    if (
        plan.findings
        or not plan.instructions
        or any(entry.has_errors for entry in plan.instructions)
    ):
        return False
    return all(token.kind != "STRAY" for token in bundle.syntax.tokens)


def _has_inner_comment(syntax: BundleSyntax, comments: list[_PlacedComment]) -> bool:
    """Check whether a comment is inside an instruction."""
    return any(
        entry.mnemonic <= comment.token < entry.end - 1
        for entry in syntax.plan.instructions
        for comment in comments
    )


def _is_one_line(syntax: BundleSyntax, style: str, comments: list[_PlacedComment]) -> bool:
    last = syntax.plan.instructions[-1].end - 1
    if any(comment.token < last for comment in comments):
        return False
    if style == KEEP:
        first = syntax.spans[syntax.plan.instructions[0].mnemonic].start
        return not LINE_BREAK.search(syntax.text, first, syntax.spans[last].end)
    return style == BUNDLE


def _one_line(
    isa: Isa, bundle: Bundle, style: str, comments: list[_PlacedComment]
) -> Iterator[FormattedLine]:
    syntax, surface = bundle.syntax, isa.surface
    joint = f"{surface.separator} "
    count = len(syntax.plan.instructions)
    align = count == 1 and style == KEEP
    code = joint.join(instruction_text(isa, syntax, n, align) for n in range(count))
    code += _end(syntax)
    label = f"{syntax.label}:" if syntax.label is not None else ""
    mnemonic = syntax.spans[syntax.plan.instructions[0].mnemonic]
    ahead = syntax.text[syntax.spans[syntax.plan.label + 1].end : mnemonic.start] if label else ""
    if LINE_BREAK.search(ahead) and style == KEEP:
        yield FormattedLine(label)
        label = ""
    yield from _with_comments(
        FormattedLine(f"{label} {code}" if label else INDENT + code), comments
    )


def _many_lines(
    isa: Isa, bundle: Bundle, comments: list[_PlacedComment]
) -> Iterator[FormattedLine]:
    """Yield a row for the label and one for each instruction, each with the comments behind it."""
    syntax = bundle.syntax
    plan = syntax.plan
    if syntax.label is not None:
        yield from _with_comments(
            FormattedLine(f"{syntax.label}:"),
            [r for r in comments if r.token < plan.instructions[0].mnemonic],
        )
    last = len(plan.instructions) - 1
    for number, entry in enumerate(plan.instructions):
        code = instruction_text(isa, syntax, number, align=True)
        code += _end(syntax) if number == last else isa.surface.separator
        following = plan.instructions[number + 1].mnemonic if number < last else len(syntax.spans)
        behind = [r for r in comments if entry.mnemonic <= r.token < following]
        yield from _with_comments(FormattedLine(INDENT + code), behind)


def _with_comments(row: FormattedLine, comments: list[_PlacedComment]) -> Iterator[FormattedLine]:
    """Yield the row with its trailing comment, then the comments that have lines of their own."""
    if comments and not comments[0].is_alone:
        row = row._replace(comment=comments[0].text)
        comments = comments[1:]
    yield row
    for comment in comments:
        yield _comment_row(comment)


def _comment_row(comment: _PlacedComment) -> FormattedLine:
    return FormattedLine(INDENT if comment.is_indented else "", comment.text, comment.is_apart)


def instruction_text(isa: Isa, syntax: BundleSyntax, number: int, align: bool = False) -> str:
    """Return an instruction with normal blanks; `align` starts its operands in a common column."""
    entry = syntax.plan.instructions[number]
    mnemonic = syntax.words[entry.mnemonic]
    operands = [_operand(syntax, first, last) for first, last in entry.operands]
    if not operands:
        return mnemonic
    width = _width(tuple(isa.instructions)) if align else 0
    return f"{mnemonic.ljust(width)} {isa.surface.operand_separator.join(operands)}"


def _operand(syntax: BundleSyntax, first: int, last: int) -> str:
    """Return an operand as written, with runs of blanks reduced to one."""
    span = syntax.span_of(first, last)
    return " ".join(syntax.text[span.start : span.end].split())


def _end(syntax: BundleSyntax) -> str:
    """Return the end mark as far as it is typed: a lone separator may be the first half of one."""
    last = syntax.tokens[-1]
    return last.text if last.kind in ("END", "SEPARATOR") else ""


def _width(mnemonics: tuple[str, ...]) -> int:
    """Return the width of the longest mnemonic, which sets the operand column."""
    return max(map(len, mnemonics))


def _as_written(syntax: BundleSyntax, comments: list[_PlacedComment]) -> list[FormattedLine]:
    """Return the lines from the first token to the last unchanged, with their leading blanks."""
    first = syntax.spans[0].start
    ahead = LINE_BREAK.split(syntax.text[:first])[-1]
    text = ("" if ahead.strip() else ahead) + syntax.text[first : syntax.spans[-1].end]
    rows = [FormattedLine(line) for line in LINE_BREAK.split(text)]
    behind = [comment for comment in comments if comment.token == len(syntax.spans) - 1]
    return [*rows[:-1], *_with_comments(rows[-1], behind)]


def _is_apart(syntax: BundleSyntax, token: int) -> bool:
    """Check whether a blank line directly precedes a token."""
    start = syntax.spans[token - 1].end if token else 0
    return _ends_blank(syntax.text[start : syntax.spans[token].start])


def _ends_blank(gap: str) -> bool:
    lines = LINE_BREAK.split(gap)
    return len(lines) > 2 and not lines[-2].strip()


def _placed_comments(isa: Isa, syntax: BundleSyntax) -> Iterator[_PlacedComment]:
    """Yield the comments of a slice in source order."""
    spans = syntax.spans
    comments = list(comments_in(syntax))
    breaks = [match.span() for match in LINE_BREAK.finditer(syntax.text)] if comments else []
    token, passed = -1, 0
    for comment in comments:
        while token + 1 < len(spans) and spans[token + 1].end <= comment.start:
            token += 1
        while passed < len(breaks) and breaks[passed][1] <= comment.start:
            passed += 1
        start = spans[token].end if token >= 0 else 0
        yield _placed_comment(
            syntax.text, token, start, comment, breaks[max(passed - 2, 0) : passed]
        )


def _placed_comment(
    text: str, token: int, start: int, comment: Span, breaks: list[tuple[int, int]]
) -> _PlacedComment:
    """Return the comment behind token number `token`, which ends at `start`.

    `breaks` are the last two line breaks before the comment. No earlier ones are passed: a search
    through all of them would be slow in a file with many comments.
    """
    breaks = [each for each in breaks if each[0] >= start]
    line = breaks[-1][1] if breaks else start
    return _PlacedComment(
        token,
        text[comment.start : comment.end].rstrip(),
        bool(breaks),
        line < comment.start,
        len(breaks) == 2 and not text[breaks[0][1] : breaks[1][0]].strip(),
    )


@cached_on_bundle
def _kept(isa: Isa, bundle: Bundle) -> SliceLayout:
    return _lay_out(isa, bundle, KEEP)


@cached_on_bundle
def _by_instruction(isa: Isa, bundle: Bundle) -> SliceLayout:
    return _lay_out(isa, bundle, INSTRUCTION)


@cached_on_bundle
def _by_bundle(isa: Isa, bundle: Bundle) -> SliceLayout:
    return _lay_out(isa, bundle, BUNDLE)


_LAYOUTS: Final = {KEEP: _kept, INSTRUCTION: _by_instruction, BUNDLE: _by_bundle}


def lay_out_line(isa: Isa, bundle: Bundle) -> str:
    """Return the formatted line with its line break, if any; unchanged if it has a syntax error."""
    syntax = bundle.syntax
    last = syntax.tokens[-1] if syntax.tokens else None
    line_break = last.text if last is not None and last.kind == "END" else ""
    comment = next((syntax.text[a:b].rstrip() for a, b in comments_in(syntax)), "")
    code = ""
    if syntax.plan.instructions or syntax.label is not None:
        if not is_readable(bundle):
            return syntax.text
        code = f"{syntax.label}:" if syntax.label is not None else ""
        if syntax.plan.instructions:
            written = instruction_text(isa, syntax, 0, align=True)
            code = f"{code.ljust(len(INDENT) - 1)} {written}"
    elif syntax.plan.findings or len(syntax.tokens) > bool(line_break):
        return syntax.text
    elif comment and syntax.text[:1] in (" ", "\t"):
        code = INDENT
    return FormattedLine(code, comment).text() + line_break
