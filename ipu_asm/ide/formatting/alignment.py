"""The gaps of lines: those that agree with the file, or with their neighbours, stay as written.

For each kind of gap, the spacing that most gaps of the file agree with is the file's convention. A
kind that the file has no gap of has the default of the instruction set. A gap agrees if it is
spaced by the convention, or if it puts its atom below or above an atom of the same sort in one of
the nearest lines of code. What stays where it is, because all gaps before it in its line agree, is
what others can be aligned with. So formatting again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.ide.formatting import Role
from ipu_asm.ide.formatting.lines import Cell, GapKind, Line, advanced, is_indentation, may_be_empty
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


_OPERANDS: Final = 1
_MARKS: Final = 2
_MNEMONICS: Final = 3
_COMMENTS: Final = 4
_COMMAS: Final = 5
_SORTS: Final = {
    Role.FIRST_OPERAND: _OPERANDS,
    Role.OPERAND: _OPERANDS,
    Role.AFTER_COMMA: _OPERANDS,
    Role.SEPARATOR: _MARKS,
    Role.END: _MARKS,
    Role.COMMA: _COMMAS,
    Role.MNEMONIC: _MNEMONICS,
    Role.COMMENT: _COMMENTS,
}

_NEAR: Final = 4
_REACH: Final = 12


class Rules(NamedTuple):
    """What decides about gaps.

    With `keeps_columns`, all blanks that an author put between two atoms or before code stay; with
    `keeps_indents`, code that is deeper than most does, as in a loop of a template.
    """

    conventions: Conventions
    keeps_columns: bool = False
    keeps_indents: bool = False


def settled_gaps(rules: Rules, lines: Sequence[Line]) -> list[list[str]]:
    """Return the gaps of each line's cells."""
    lookup = _Agreement(rules, lines)
    gaps = [
        [cell.gap or "" for cell in line.cells]
        if lookup.kept[n] == len(line.cells)
        else lookup.laid_out(n)
        for n, line in enumerate(lines)
    ]
    for number in reversed(range(len(lines))):
        if lines[number].is_comment and not lines[number].is_frozen:
            gaps[number][0] = _comment_indent(lines, gaps, number)
    return gaps


class _Agreement:
    """Which gaps of some lines agree with the file or with what stays where it is.

    `kept` is the number of cells at the start of each line that stay, because all gaps agree.
    """

    def __init__(self, rules: Rules, lines: Sequence[Line]) -> None:
        self.rules = rules
        self.lines = lines
        self._own = _own_agreements(rules, lines)
        self._near: dict[int, list[int]] = {}
        self.kept = [len(line.cells) for line in lines]
        self._settle()

    def _settle(self) -> None:
        """Find what stays: a cell that does not may leave those of other lines without support."""
        queue = [number for number, own in enumerate(self._own) if False in own]
        while queue:
            number = queue.pop()
            agreeing = 0
            while agreeing < self.kept[number] and self._is_agreed(number, agreeing):
                agreeing += 1
            if agreeing < self.kept[number]:
                self.kept[number] = agreeing
                queue += [each for each in self._neighbours(number) if False in self._own[each]]

    def _is_agreed(self, number: int, at: int) -> bool:
        return self._own[number][at] or self._is_aligned(number, self.lines[number].cells[at])

    def _is_aligned(self, number: int, cell: Cell) -> bool:
        if cell.gap is None or is_mixed(cell.gap):
            return False
        return any(
            _is_below(self.rules, self.lines[near].cells[: self.kept[near]], cell)
            for near in (*self._neighbours(number), *self._bundle_above(number, cell))
        )

    def _bundle_above(self, number: int, cell: Cell) -> Iterator[int]:
        """Yield the lines of a bundle above one of its later lines."""
        for above in range(number - 1, -1, -1) if cell.kind is GapKind.INDENT_LATER else ():
            if self.lines[above].cells[-1].slice != cell.slice:
                return
            yield above

    def _neighbours(self, number: int) -> list[int]:
        """Return the neighbours of a line: most lines are never asked for theirs."""
        found = self._near.get(number)
        if found is None:
            found = self._near[number] = [*_neighbours(self.lines, number)]
        return found

    def laid_out(self, number: int) -> list[str]:
        """Return the gaps of a line of which some do not agree; what was aligned stays so."""
        line = self.lines[number]
        gaps, columns = list[str](), list[int]()
        column = 0
        for at, cell in enumerate(line.cells):
            width = column - (columns[cell.base] if cell.base >= 0 else 0)
            gap = self._gap(number, at, column, width)
            columns.append(advanced(column, gap))
            column = columns[-1] + cell.end - cell.start
            gaps.append(gap)
        return gaps

    def _gap(self, number: int, at: int, column: int, width: int) -> str:
        line = self.lines[number]
        cell = line.cells[at]
        if at < self.kept[number]:
            return cell.gap or ""
        spacing = self.rules.conventions.spacing(cell.kind)
        if self._own[number][at]:
            is_unmoved = column == cell.before and width == line.width_before(at)
            is_spaced = spacing.agrees(line.width_before(at), cell.gap or "")
            return cell.gap or "" if is_unmoved or not is_spaced else spacing.gap(width)
        room = cell.start - column
        if cell.gap is not None and at and room >= (not may_be_empty(cell.kind)):
            moved = cell._replace(atom=cell.atom._replace(gap=" " * room), before=column)
            if self._is_aligned(number, cell) and self._is_aligned(number, moved):
                return " " * room
        if cell.kind is GapKind.FREE:
            kind = GapKind.OPERAND if at else GapKind.INDENT
            return self.rules.conventions.spacing(kind).literal
        return spacing.gap(width)


def _own_agreements(rules: Rules, lines: Sequence[Line]) -> list[list[bool]]:
    """Return for each cell whether its gap agrees; the same gaps occur again and again."""
    known: dict[tuple[GapKind, int, str | None], bool] = {}
    found = []
    for line in lines:
        cells = line.cells
        own = [True] * len(cells)
        for at, cell in enumerate(() if line.is_frozen else cells):
            width = cell.before - cells[cell.base].start if cell.base >= 0 else cell.before
            key = cell.kind, width, cell.atom.gap
            agrees = known.get(key)
            if agrees is None:
                agrees = known[key] = _agrees(rules, *key)
            own[at] = agrees
        found.append(own)
    return found


def _agrees(rules: Rules, kind: GapKind, width: int, gap: str | None) -> bool:
    """Check whether a gap is as its author may have it, whatever the lines around it are."""
    if gap is None:
        return False
    if kind is GapKind.FREE or rules.conventions.spacing(kind).agrees(width, gap):
        return True
    if is_indentation(kind):
        usual = rules.conventions.spacing(kind).literal
        return (rules.keeps_indents and len(gap) > len(usual)) or (
            rules.keeps_columns and (gap != "" or kind is not GapKind.INDENT)
        )
    if gap == " " and kind in (GapKind.OPERAND, GapKind.AFTER_SEPARATOR):
        return True
    if kind is GapKind.COMMA:
        return gap == "" or (rules.keeps_columns and len(gap) > 1)
    return rules.keeps_columns and (gap != "" or kind in (GapKind.SEPARATOR, GapKind.END))


def _neighbours(lines: Sequence[Line], number: int) -> Iterator[int]:
    """Yield the nearest lines of code, and comments directly around it."""
    for step in (-1, 1):
        near, found = number + step, 0
        while 0 <= near < len(lines) and found < _NEAR and abs(near - number) <= _REACH:
            if not lines[near].is_comment:
                found += 1
                yield near
            elif near == number + step and not lines[max(near, number)].is_apart:
                yield near
            near += step


def _is_below(rules: Rules, others: Sequence[Cell], cell: Cell) -> bool:
    """Check whether a cell is aligned with one of those of another line."""
    if not others:
        return False
    if is_indentation(cell.kind):
        usual = rules.conventions.spacing(cell.kind).literal
        gap = cell.gap or ""
        is_deeper = len(gap) > len(usual) and ("\t" not in gap or "\t" in usual or not usual)
        return is_deeper and _is_below_mnemonic(others, cell)
    sort = _SORTS.get(cell.atom.role)
    return any(
        _SORTS.get(other.atom.role) == sort
        and (other.start == cell.start or (sort == _OPERANDS and other.end == cell.end))
        and (_is_wide(cell.gap) or _is_wide(other.gap) or other.before == 0)
        for other in others
    )


def _is_below_mnemonic(others: Sequence[Cell], cell: Cell) -> bool:
    """Check whether an instruction is aligned with one that is not the first in its line."""
    return cell.atom.role is Role.MNEMONIC and any(
        other.atom.role is Role.MNEMONIC and other.start == cell.start for other in others[1:]
    )


def _is_wide(gap: str | None) -> bool:
    return gap is not None and (len(gap) > 1 or gap == "\t")


def _comment_indent(lines: Sequence[Line], gaps: list[list[str]], number: int) -> str:
    """Return the indentation of comments on their own, which move with the line they align with.

    That is the line below, or else the comment at the end of the line above.
    """
    cell = lines[number].cells[0]
    written = cell.gap if cell.gap is not None else gaps[number][0]
    if not cell.gap:
        return written
    if number + 1 < len(lines) and not lines[number + 1].is_apart:
        below = lines[number + 1].cells[0]
        if below.start == cell.start and below.gap == cell.gap:
            return gaps[number + 1][0]
    return written
