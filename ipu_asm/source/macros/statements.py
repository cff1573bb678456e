"""Statements as the macro processor splits them: labels, a first word, and the rest.

What is between the words is not looked at, so a text that cannot be parsed can be expanded.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Iterator

from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.lines import BLOCK_COMMENT_OR_REST, SPLICE

_BLANK = rf"(?:[ \t\f]|{BLOCK_COMMENT_OR_REST}|{SPLICE})*"
_WORD = r"(?:[A-Za-z0-9_.$]|\\(?:@|\(\)|\+|[A-Za-z0-9_]))+"
_STRING = r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^\\\r\n]|\\[^\r\n])')"""
_UNCLOSED = r'"[^\r\n]*'
_COMMENT = rf"//[^\r\n]*|{BLOCK_COMMENT_OR_REST}"
_HASH_LINE = rf"#(?:{_COMMENT}|{SPLICE}|[^\r\n])*"


class Statement(NamedTuple):
    """A statement up to its `end`, without the character that ends it.

    `word` is its first word after labels, or a line for the preprocessor. `rest` is what follows
    up to `rest_end`, with blanks for comments.
    """

    word_start: int
    word: str
    rest: str
    rest_end: int
    end: int

    @property
    def rest_start(self) -> int:
        """The offset of the first character of `rest`."""
        return self.rest_end - len(self.rest)


class StatementReader:
    """Reads the statements of texts in one surface syntax.

    In a set with brackets around bundles, `;` and the brackets end a statement as a line break
    does. In one with a preprocessor, a hash begins a comment anywhere; else only a line.
    """

    def __init__(self, surface: Surface) -> None:
        breaks = r"\r\n"
        if surface.brackets is not None:
            breaks += f"{surface.separator}{''.join(surface.brackets)}"
        comment = f"{_COMMENT}|{_HASH_LINE}" if surface.c_preprocessor else _COMMENT
        plain = rf'[^{breaks}"\'/#\\]+|{SPLICE}|[^{breaks}]'
        self._statement = re.compile(
            rf"{_BLANK}(?:{_WORD}{_BLANK}:(?!=){_BLANK})*(?P<word>{_WORD}|{_HASH_LINE}|)"
            rf"(?P<rest>(?:{_STRING}|{comment}|{_UNCLOSED}|{plain})*)"
        )
        self._comment = re.compile(rf"{_STRING}|({comment}|{SPLICE})")

    def matches(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Yield the match of each statement from an offset on, which is at the start of one."""
        match_at = self._statement.match
        while start < len(text):
            match = match_at(text, start)
            assert match is not None  # all its parts may be empty
            yield match
            # A line break of two characters ends a statement and then an empty one.
            start = match.end() + 1

    def statement(self, match: re.Match[str]) -> Statement:
        rest = self._comment.sub(_blanked, match["rest"]).rstrip()
        blanks = len(rest) - len(rest.lstrip())
        rest_end = match.start("rest") + len(rest)
        return Statement(match.start("word"), match["word"], rest[blanks:], rest_end, match.end())


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0]) if match[1] else match[0]


class Branch(Enum):
    """The state of a conditional block.

    `TAKEN`: the current branch is assembled. `WAITING`: no branch was, yet. `DONE`: one was, or the
    whole block is skipped. `UNKNOWN`: the condition cannot be evaluated, so each branch is read.
    """

    TAKEN = auto()
    WAITING = auto()
    DONE = auto()
    UNKNOWN = auto()


_NO_BLOCKS = dict.fromkeys(Branch, 0)


class Conditionals:
    """The open conditional blocks of one text; `openings` are the directives that began them."""

    def __init__(self) -> None:
        self._blocks: list[Branch] = []
        self.openings: list[Statement] = []
        self._has_else: list[bool] = []
        self.has_preprocessor_lines = False
        self._numbers = _NO_BLOCKS.copy()
        # The conditions of `#if` lines that are left in the text are unknown.
        self._preprocessor_blocks = 0

    @property
    def is_skipping(self) -> bool:
        """Whether the current statement is not assembled."""
        return self._numbers[Branch.WAITING] + self._numbers[Branch.DONE] > 0

    @property
    def is_uncertain(self) -> bool:
        """Whether a condition around the current statement is unknown."""
        return self._preprocessor_blocks + self._numbers[Branch.UNKNOWN] > 0

    @property
    def is_outside_skipped(self) -> bool:
        """Whether the innermost block is in no branch that is not assembled."""
        is_skipping_itself = self._blocks[-1:] in ([Branch.WAITING], [Branch.DONE])
        return self._numbers[Branch.WAITING] + self._numbers[Branch.DONE] == is_skipping_itself

    @property
    def current(self) -> Branch | None:
        """The state of the innermost block."""
        return self._blocks[-1] if self._blocks else None

    def open(self, value: bool | None, statement: Statement) -> Branch:
        """Begin a block, by a statement, with the value of its condition."""
        if self.is_skipping:
            branch = Branch.DONE
        elif value is None:
            branch = Branch.UNKNOWN
        else:
            branch = Branch.TAKEN if value else Branch.WAITING
        self.openings.append(statement)
        self._has_else.append(False)
        self._blocks.append(branch)
        self._numbers[branch] += 1
        return branch

    def change(self, branch: Branch) -> None:
        """Set the state of the innermost block."""
        self._numbers[self._blocks[-1]] -= 1
        self._blocks[-1] = branch
        self._numbers[branch] += 1

    def take_branch(self, word: str) -> bool:
        """Note `.else` or `.elseif` in the innermost block; return whether it follows `.else`."""
        is_late = self._has_else[-1] and word != ".endif"
        self._has_else[-1] = self._has_else[-1] or word == ".else"
        return is_late

    def close(self) -> None:
        """End the innermost block."""
        self.openings.pop()
        self._has_else.pop()
        self._numbers[self._blocks.pop()] -= 1

    def follow_preprocessor(self, line: str) -> None:
        """Count `#if` and `#endif` lines that the preprocessor left in the text."""
        word = line[1:].lstrip(" \t")
        if word.startswith("if"):
            self._preprocessor_blocks += 1
            self.has_preprocessor_lines = True
        elif word.startswith("endif"):
            self._preprocessor_blocks = max(0, self._preprocessor_blocks - 1)
