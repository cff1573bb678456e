"""The gaps of lines: those that agree with the file, or with their neighbours, stay as written.

A gap agrees if it is spaced by the file's convention, or if it puts its atom below or above an atom
of the same sort in one of the nearest lines of code. What stays where it is, because all gaps
before it in its line agree, is what others can be aligned with. So formatting again changes
nothing.
"""

from __future__ import annotations

from typing import Final, Iterator, Sequence

from ipu_asm.ide.formatting.atoms import Role
from ipu_asm.ide.formatting.conventions import Conventions, is_mixed
from ipu_asm.ide.formatting.lines import Cell, GapKind, Line, advanced, is_indentation, may_be_empty
from ipu_asm.named_tuple import NamedTuple

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
