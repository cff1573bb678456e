"""The open conditionals of one file: which branch of each `#if` ... `#endif` is read."""

from __future__ import annotations

from typing import Callable, Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.conditions import Assumptions, Condition
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.mistakes import (
    Mistake,
    branch_after_else,
    malformed_condition,
    stray_branch,
    unclosed_conditional,
)
from ipu_asm.source.preprocessor.tokens import Place


class Chain(NamedTuple):
    """The branches of a conditional: their conditions (None for `#else`), and the one taken.

    `assumptions` are the values that were assumed for the tests of its conditions.
    """

    line: Line
    conditions: tuple[Condition | None, ...]
    taken: int | None
    assumptions: Assumptions


class FoundInclude(NamedTuple):
    """An include directive: the place of the name with its quotes, and the path if it is found."""

    place: Place
    name: str
    path: str | None


class LineRead(NamedTuple):
    """A line of the analysed file, and the number of the piece of text that it begins.

    `defined` is the number of definitions that were read before; None for a line in a branch that
    is not taken.
    """

    line: Line
    piece: int
    defined: int | None


_BEGINNING = ("if", "ifdef", "ifndef")
_CONTINUING = ("elif", "elifdef", "elifndef", "else", "endif")


class Conditionals:
    """The stack of open conditionals of one file.

    `condition_at` returns the condition of the line at an index. Conditionals with unknown tests
    are added to `closed` when they end. `mistakes` are the mistakes in their directives.
    """

    def __init__(
        self,
        assumptions: Assumptions,
        condition_at: Callable[[Line, int], Condition],
        closed: list[Chain],
    ) -> None:
        self._assumptions = assumptions
        self._condition_at = condition_at
        self._closed = closed
        self._groups: list[_Group] = []
        self.mistakes: list[Mistake] = []

    @property
    def is_active(self) -> bool:
        """Whether the current line is read: all branches around it are taken."""
        return not self._groups or self._groups[-1].is_active

    @property
    def names(self) -> Iterator[str]:
        """The names that the conditions of the open conditionals test."""
        return (name for group in self._groups for line in group.lines for name in line.names)

    def read(self, line: Line, at: int) -> bool:
        """Apply a directive of a conditional; return whether the line is one."""
        word = line.directive
        if word in _BEGINNING:
            self._groups.append(_Group(line, self.is_active))
            self._branch(line, at)
        elif word not in _CONTINUING:
            return False
        elif not self._groups:
            self._read_stray(line)
        elif word == "endif":
            self._close(self._groups.pop())
        else:
            self._check_order(line)
            self._branch(line, at)
        return True

    def close_all(self) -> None:
        """End the conditionals that are open at the end of the file."""
        for group in self._groups:
            if not group.is_stray:
                self.mistakes.append(unclosed_conditional(group.line))
            self._close(group)

    def _read_stray(self, line: Line) -> None:
        """Report a branch without `#if`. Its `#endif` is no second mistake."""
        mistake = stray_branch(line)
        if mistake is not None:
            self.mistakes.append(mistake)
            if line.directive != "endif":
                group = _Group(line, is_open=False)
                group.is_active = group.is_stray = True
                self._groups.append(group)

    def _check_order(self, line: Line) -> None:
        group = self._groups[-1]
        if group.has_else:
            self.mistakes.append(branch_after_else(line, group.line))
        group.has_else = group.has_else or line.directive == "else"

    def _branch(self, line: Line, at: int) -> None:
        group = self._groups[-1]
        group.lines.append(line)
        group.is_active = False
        if not group.is_open:
            return
        condition = self._condition_at(line, at) if line.directive != "else" else None
        group.conditions.append(condition)
        problems: list[str] = []
        holds = condition is None or condition.holds(self._assumptions, group.tested, problems)
        if group.taken is None:
            self.mistakes += [malformed_condition(line, each) for each in problems]
            group.is_active = holds
            group.taken = len(group.conditions) - 1 if holds else None

    def _close(self, group: _Group) -> None:
        if group.is_open and group.tested:
            self._closed.append(group.chain())


class _Group:
    """An open conditional. `is_open`: the code around it is active."""

    def __init__(self, line: Line, is_open: bool) -> None:
        self.line = line
        self.is_open = is_open
        self.is_active = False
        self.has_else = False
        self.is_stray = False
        self.lines: list[Line] = []
        self.conditions: list[Condition | None] = []
        self.taken: int | None = None
        self.tested: dict[str, bool | int] = {}

    def chain(self) -> Chain:
        """Return the conditional with all its branches."""
        return Chain(self.line, tuple(self.conditions), self.taken, self.tested)
