"""What most lines of a file do: its indentation, columns and blanks.

For each kind of gap, the spacing that most gaps of the file agree with is the file's convention. A
kind that the file has no gap of has the default of the instruction set.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Final, Iterable, Mapping

from ipu_asm.ide.formatting.atoms import Role
from ipu_asm.ide.formatting.lines import GapKind, Line, advanced, is_indentation, may_be_empty
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

INDENT: Final = "    "
COMMENT_COLUMN: Final = 52
_MAX_COLUMNS: Final = 16
_MIN_INSTRUCTIONS: Final = 3
_BLANKS: Final = (" ", "  ", "\t", "\t\t")


class Spacing(NamedTuple):
    """The blanks `literal`, or, if `column` is not 0, as many as reach that column.

    Columns of operands and of code after a label count from the start of the mnemonic or label,
    those of comments from the start of the line. After longer text, `literal` follows.
    """

    literal: str
    column: int = 0

    def gap(self, width: int) -> str:
        """Return the blanks after text that is `width` columns wide."""
        return " " * (self.column - width) if width < self.column else self.literal

    def agrees(self, width: int, gap: str) -> bool:
        """Check whether a gap after text of a width is spaced so; tabs may reach a column, too.

        In front of a column that is nearer than `literal` is wide, that may follow, too.
        """
        if width < self.column:
            if gap == self.literal and self.column - width < len(gap):
                return True
            return advanced(width, gap) == self.column and not is_mixed(gap)
        return gap == self.literal


def is_mixed(gap: str) -> bool:
    """Check whether a gap has both blanks and tabs."""
    return "\t" in gap and " " in gap


_ONE_BLANK: Final = Spacing(" ")
_NONE: Final = Spacing("")
_BY_COLUMN: Final = frozenset(
    (GapKind.AFTER_LABEL, GapKind.OPERANDS, GapKind.OPERANDS_SHARED, GapKind.COMMENT)
)

_Votes = Mapping[tuple[int, str], int]
"""How many gaps of a kind have the blanks after text of the width."""


class GapVotes(NamedTuple):
    """The gaps of some lines: for each its kind, the width before it, and its blanks."""

    instructions: int
    gaps: tuple[tuple[GapKind, tuple[int, str]], ...]


def votes_of(lines: Iterable[Line]) -> GapVotes:
    """Return the gaps of lines that have a say: lines that are not formatted have none."""
    instructions = 0
    gaps = list[tuple[GapKind, tuple[int, str]]]()
    for line in lines:
        if line.is_frozen:
            continue
        cells = line.cells
        for cell in cells:
            kind, gap, role = cell.kind, cell.atom.gap, cell.atom.role
            instructions += role is Role.MNEMONIC
            if kind is not GapKind.FREE and gap is not None:
                start = cells[cell.base].start if cell.base >= 0 else 0
                gaps.append((kind, (cell.before - start, gap)))
    return GapVotes(instructions, tuple(gaps))


class Conventions:
    """The spacing of each kind of gap in a file."""

    def __init__(self, isa: Isa, parts: Iterable[GapVotes]) -> None:
        """Few instructions make no convention."""
        self._defaults = _defaults(isa)
        every = [*parts]
        votes: dict[GapKind, Counter[tuple[int, str]]] = {}
        if sum(part.instructions for part in every) >= _MIN_INSTRUCTIONS:
            for (kind, found), number in Counter(chain(*(part.gaps for part in every))).items():
                votes.setdefault(kind, Counter())[found] = number
        self._found = dict[GapKind, Spacing]()
        for kind, gaps in sorted(votes.items()):  # INDENT before INDENT_LATER
            later = kind is GapKind.INDENT_LATER
            fewest = max(2, sum(gaps.values()) // 2 + 1) if later else 1
            self._found[kind] = _most_agreed(kind, gaps, self._default(kind), fewest)

    def __eq__(self, other: object) -> bool:
        """Whether all gaps are spaced the same, where both are of one instruction set."""
        if not isinstance(other, Conventions):
            return NotImplemented
        return all(self.spacing(kind) == other.spacing(kind) for kind in GapKind)

    __hash__ = None  # type: ignore[assignment]

    def spacing(self, kind: GapKind) -> Spacing:
        """Return the spacing of gaps of a kind."""
        return self._found.get(kind) or self._default(kind)

    def _default(self, kind: GapKind) -> Spacing:
        if kind is GapKind.INDENT_LATER:
            return self._found.get(GapKind.INDENT, self._defaults[GapKind.INDENT])
        return self._defaults.get(kind, _ONE_BLANK)


def _defaults(isa: Isa) -> dict[GapKind, Spacing]:
    surface = isa.surface
    is_aligned = not surface.preprocessed
    width = max(map(len, isa.instructions)) + 1
    has_bundles = bool(surface.bundle_end or surface.separator)
    return {
        GapKind.INDENT: Spacing(INDENT),
        GapKind.INDENT_LABEL: _NONE,
        GapKind.INDENT_CLOSING: _NONE,
        GapKind.AFTER_LABEL: _ONE_BLANK if has_bundles else Spacing(" ", len(INDENT)),
        GapKind.OPERANDS: Spacing(" ", width) if is_aligned else _ONE_BLANK,
        GapKind.COMMA: _NONE,
        GapKind.SEPARATOR: _NONE,
        GapKind.END: _NONE,
        GapKind.COLON: _NONE,
        GapKind.COMMENT: Spacing("  ", COMMENT_COLUMN) if is_aligned else _ONE_BLANK,
    }


def _most_agreed(kind: GapKind, votes: _Votes, default: Spacing, fewest: int) -> Spacing:
    """Return the spacing that most gaps agree with; of several such ones the first in this order.

    The default, one blank, other blanks, columns; among these that of the first gap. If less than
    `fewest` gaps agree, it is the default.
    """
    candidates = dict.fromkeys(chain((default,), _candidates(kind, votes)))
    score, best = fewest - 1, default
    for spacing in candidates:
        agreeing = sum(n for (width, gap), n in votes.items() if spacing.agrees(width, gap))
        if agreeing > score:
            score, best = agreeing, spacing
    return best


def _candidates(kind: GapKind, votes: _Votes) -> Iterable[Spacing]:
    gaps = dict.fromkeys(gap for _, gap in votes)
    if is_indentation(kind):
        return map(Spacing, gaps)
    allowed = ("", " ") if may_be_empty(kind) else _BLANKS
    literals = [Spacing(gap) for gap in gaps if gap in allowed]
    if kind not in _BY_COLUMN:
        return literals
    columns = Counter[int]()
    for (width, gap), number in votes.items():
        if gap not in ("", " ") and not is_mixed(gap):
            columns[advanced(width, gap)] += number
    beyond = ("  ", " ") if kind is GapKind.COMMENT else (" ",)
    aligned = [
        Spacing(literal, column)
        for column, _ in columns.most_common(_MAX_COLUMNS)
        for literal in beyond
    ]
    return (*(each for each in literals if each == _ONE_BLANK), *literals, *aligned)
