"""The open conditionals of one file: which branch of each `#if` ... `#endif` is read."""

from __future__ import annotations

from typing import Callable

from ipu_asm.source.preprocessor.conditions import Answers, Condition
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.results import Chain

_BEGINNING = ("if", "ifdef", "ifndef")
_FURTHER = ("elif", "elifdef", "elifndef")


class Conditionals:
    """The stack of open conditionals of one file.

    `condition_at` returns the condition of the line at an index. Those conditionals that asked
    questions are added to `closed` when they end.
    """

    def __init__(
        self,
        answers: Answers,
        condition_at: Callable[[Line, int], Condition],
        closed: list[Chain],
    ) -> None:
        self._answers = answers
        self._condition_at = condition_at
        self._closed = closed
        self._groups: list[_Group] = []

    @property
    def is_active(self) -> bool:
        """Whether the current line is read: all branches around it are taken."""
        return not self._groups or self._groups[-1].is_active

    def read(self, line: Line, at: int) -> bool:
        """Apply a directive of a conditional; return whether the line is one."""
        word = line.directive
        if word in _BEGINNING:
            self._groups.append(_Group(line, self.is_active))
            self._branch(line, at)
        elif word in _FURTHER:
            self._branch(line, at)
        elif word == "else":
            self._branch(None, at)
        elif word == "endif":
            if self._groups:
                self._close(self._groups.pop())
        else:
            return False
        return True

    def close_all(self) -> None:
        """End the conditionals that are open at the end of the file."""
        for group in self._groups:
            self._close(group)

    def _branch(self, line: Line | None, at: int) -> None:
        if not self._groups:
            return
        group = self._groups[-1]
        group.is_active = False
        if not group.is_open:
            return
        condition = self._condition_at(line, at) if line is not None else None
        group.conditions.append(condition)
        holds = condition is None or condition.holds(self._answers, group.asked)
        if holds and group.taken is None:
            group.taken = len(group.conditions) - 1
            group.is_active = True

    def _close(self, group: _Group) -> None:
        if group.is_open and group.asked:
            self._closed.append(group.chain())


class _Group:
    """An open conditional. `is_open`: the code around it is active."""

    def __init__(self, line: Line, is_open: bool) -> None:
        self.line = line
        self.is_open = is_open
        self.is_active = False
        self.conditions: list[Condition | None] = []
        self.taken: int | None = None
        self.asked: dict[str, bool | int] = {}

    def chain(self) -> Chain:
        """Return the conditional with all its branches."""
        return Chain(self.line, tuple(self.conditions), self.taken, self.asked)
