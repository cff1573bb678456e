"""The stack of open conditional blocks, and whether a statement in them is assembled."""

from __future__ import annotations

from enum import Enum, auto

from ipu_asm.source.macros.statements import Statement


class Branch(Enum):
    """The state of a conditional block.

    `TAKEN`: the current branch is assembled. `WAITING`: no branch was, yet. `DONE`: one was, or the
    whole block is skipped. `UNKNOWN`: the condition cannot be evaluated, so each branch is read.
    """

    TAKEN = auto()
    WAITING = auto()
    DONE = auto()
    UNKNOWN = auto()


class Conditionals:
    """The open conditional blocks of one text; `openings` are the directives that began them."""

    def __init__(self) -> None:
        self._blocks: list[Branch] = []
        self.openings: list[Statement] = []
        self.has_preprocessor_lines = False
        self._numbers = dict.fromkeys(Branch, 0)
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
        self._blocks.append(branch)
        self._numbers[branch] += 1
        return branch

    def change(self, branch: Branch) -> None:
        """Set the state of the innermost block."""
        self._numbers[self._blocks[-1]] -= 1
        self._blocks[-1] = branch
        self._numbers[branch] += 1

    def close(self) -> None:
        """End the innermost block."""
        self.openings.pop()
        self._numbers[self._blocks.pop()] -= 1

    def follow_preprocessor(self, line: str) -> None:
        """Count `#if` and `#endif` lines that the preprocessor left in the text."""
        word = line[1:].lstrip(" \t")
        if word.startswith("if"):
            self._preprocessor_blocks += 1
            self.has_preprocessor_lines = True
        elif word.startswith("endif"):
            self._preprocessor_blocks = max(0, self._preprocessor_blocks - 1)
