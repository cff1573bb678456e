"""Results of a run besides its text: lines, conditionals and includes."""

from __future__ import annotations

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.preprocessor.conditions import Answers, Condition
from ipu_asm.source.preprocessor.lines import Line
from ipu_asm.source.preprocessor.tokens import Place


class Chain(NamedTuple):
    """The branches of a conditional: their conditions (None for `#else`), and the one taken.

    `answers` are the assumed answers to the questions of its conditions.
    """

    line: Line
    conditions: tuple[Condition | None, ...]
    taken: int | None
    answers: Answers


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
