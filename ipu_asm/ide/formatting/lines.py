"""Lines of a text as cells of atoms with gaps and columns, and the styles to choose from."""

from __future__ import annotations

from enum import IntEnum
from itertools import pairwise, product
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.config import FORMAT_STYLES
from ipu_asm.ide.formatting import Atom, Role
from ipu_asm.named_tuple import NamedTuple

STYLES: Final = FORMAT_STYLES
KEEP, INSTRUCTION, BUNDLE = STYLES
_STYLE_MARKS: Final = (Role.COLON, Role.SEPARATOR, Role.END)
_OPERANDS: Final = (Role.FIRST_OPERAND, Role.OPERAND, Role.COMMA, Role.AFTER_COMMA, Role.INSIDE)
_TAB: Final = 8


class GapKind(IntEnum):
    """Where a gap is: the indentation of a sort of line, or between two atoms of a line.

    Operands are *shared* in a line with several instructions. A line is *later* if it begins with
    another instruction than the first of its bundle. `FREE` gaps are always the author's.
    """

    INDENT = 0
    INDENT_LATER = 1
    INDENT_LABEL = 2
    INDENT_CLOSING = 3
    AFTER_LABEL = 4
    OPERANDS = 5
    OPERANDS_SHARED = 6
    OPERAND = 7
    COMMA = 8
    AFTER_COMMA = 9
    SEPARATOR = 10
    AFTER_SEPARATOR = 11
    END = 12
    AFTER_END = 13
    COLON = 14
    OPENING = 15
    CLOSING = 16
    COMMENT = 17
    FREE = 18


class Cell(NamedTuple):
    """An atom in its line, with the number of its slice and columns from 0.

    `before` is the column after the cell before it, `base` the cell of the line that the column of
    its gap is counted from, -1 for the start of the line: see `conventions.Spacing`.
    """

    slice: int
    atom: Atom
    kind: GapKind
    before: int
    start: int
    end: int
    base: int = -1

    @property
    def gap(self) -> str | None:
        """The author's blanks before it, if they are known."""
        return self.atom.gap


class Line(NamedTuple):
    """A line of a text.

    `is_frozen` lines are not formatted. `is_apart` lines have a blank line before them,
    `is_comment` lines have comments alone.
    """

    cells: tuple[Cell, ...]
    is_frozen: bool
    is_apart: bool
    is_comment: bool

    @property
    def instructions(self) -> int:
        """The number of instructions in the line."""
        return sum(cell.atom.role is Role.MNEMONIC for cell in self.cells)

    def width_before(self, number: int) -> int:
        """Return the columns between the base of a cell and the end of the cell before it."""
        cell = self.cells[number]
        return cell.before - (self.cells[cell.base].start if cell.base >= 0 else 0)


_OPTIONAL: Final = frozenset(
    (
        GapKind.COMMA,
        GapKind.AFTER_COMMA,
        GapKind.SEPARATOR,
        GapKind.END,
        GapKind.COLON,
        GapKind.OPENING,
        GapKind.CLOSING,
    )
)


def may_be_empty(kind: GapKind) -> bool:
    """Check whether two atoms with such a gap may be without blanks between them."""
    return kind in _OPTIONAL


def is_indentation(kind: GapKind) -> bool:
    return kind <= GapKind.INDENT_CLOSING


def advanced(column: int, text: str) -> int:
    """Return the column after `text`, which begins in a column and has no line break."""
    if "\t" not in text:
        return column + len(text)
    for character in text:
        column += _TAB - column % _TAB if character == "\t" else 1
    return column


def line_of(
    atoms: Sequence[tuple[int, Atom]], *, is_later: bool, is_apart: bool, is_shared: bool = False
) -> Line:
    """Return a line of atoms, each with the number of its slice.

    `is_shared` says that the line has several instructions where it is not known as a whole.
    """
    cells = list[Cell]()
    column = 0
    is_frozen, is_comment = False, True
    for (number, atom), kind in zip(atoms, _kinds([atom.role for _, atom in atoms], is_shared)):
        role, text = atom.role, atom.text
        if kind is GapKind.INDENT and is_later:
            kind = GapKind.INDENT_LATER
        start = advanced(column, atom.gap) if atom.gap else column
        end = start + len(text)
        base = -1 if kind not in _BASED else _base(kind, len(cells))
        cells.append(Cell(number, atom, kind, column, start, end, base))
        column = end
        is_frozen = is_frozen or role is Role.FROZEN or "\n" in text or "\r" in text
        is_comment = is_comment and role is Role.COMMENT
    return Line(tuple(cells), is_frozen, is_apart, is_comment)


def respaced(line: Line, gaps: Sequence[str]) -> Line:
    """Return a line with other gaps."""
    cells, column = list[Cell](), 0
    for cell, gap in zip(line.cells, gaps):
        start = advanced(column, gap)
        end = start + cell.end - cell.start
        atom = cell.atom._replace(gap=gap)
        cells.append(cell._replace(atom=atom, before=column, start=start, end=end))
        column = end
    return line._replace(cells=tuple(cells))


_BASED: Final = (GapKind.AFTER_LABEL, GapKind.OPERANDS, GapKind.OPERANDS_SHARED)


def _base(kind: GapKind, number: int) -> int:
    return max(number - 2, 0) if kind is GapKind.AFTER_LABEL else number - 1


_MARKS: Final = (Role.SEPARATOR, Role.END)


def _kinds(roles: Sequence[Role], is_shared: bool) -> Iterator[GapKind]:
    """Yield the kind of each gap of a line whose atoms have these roles."""
    is_shared = is_shared or roles.count(Role.MNEMONIC) > 1
    yield _FIRST_KINDS.get(roles[0], GapKind.FREE)
    for pair in pairwise(roles):
        kind = _KINDS_OF_PAIRS[pair]
        yield GapKind.OPERANDS_SHARED if is_shared and kind is GapKind.OPERANDS else kind


def _kind_after(before: Role, role: Role) -> GapKind:
    """Return the kind of the gap between two atoms, in a line with one instruction."""
    if role is Role.FIRST_OPERAND:
        return GapKind.OPERANDS
    if role in (Role.INSIDE, Role.OPENING_LINES) or (before is Role.SEPARATOR and role in _MARKS):
        return GapKind.FREE  # `; ;;` without its blank would be another pair of marks
    return _KINDS.get(role) or _KINDS_BEHIND.get(before, GapKind.FREE)


_FIRST_KINDS: Final[Mapping[Role, GapKind]] = {
    Role.LABEL: GapKind.INDENT_LABEL,
    Role.MNEMONIC: GapKind.INDENT,
    Role.OPENING: GapKind.INDENT,
    Role.CLOSING: GapKind.INDENT_CLOSING,
    Role.END: GapKind.INDENT_CLOSING,
    Role.SEPARATOR: GapKind.INDENT_CLOSING,
}
_KINDS: Final[Mapping[Role, GapKind]] = {
    Role.OPERAND: GapKind.OPERAND,
    Role.COMMA: GapKind.COMMA,
    Role.AFTER_COMMA: GapKind.AFTER_COMMA,
    Role.SEPARATOR: GapKind.SEPARATOR,
    Role.END: GapKind.END,
    Role.COLON: GapKind.COLON,
    Role.CLOSING: GapKind.CLOSING,
    Role.COMMENT: GapKind.COMMENT,
}
_KINDS_BEHIND: Final[Mapping[Role, GapKind]] = {
    Role.COLON: GapKind.AFTER_LABEL,
    Role.SEPARATOR: GapKind.AFTER_SEPARATOR,
    Role.END: GapKind.AFTER_END,
    Role.OPENING: GapKind.OPENING,
    Role.OPENING_LINES: GapKind.OPENING,
}
_KINDS_OF_PAIRS: Final = {pair: _kind_after(*pair) for pair in product(Role, repeat=2)}


def arranged(atoms: tuple[Atom, ...], style: str, is_first: bool) -> tuple[Atom, ...]:
    """Return the atoms of a slice with line breaks as a style has them.

    `is_first` means that nothing precedes the slice. Separators directly before the end mark are
    left out, and comments before the mark of an instruction follow it. A slice with code that is
    frozen, or with a comment inside an instruction, stays as it is.
    """
    roles = [atom.role for atom in atoms]
    if Role.MNEMONIC not in roles or Role.FROZEN in roles or _has_inner_comment(roles):
        return atoms
    is_split = style == INSTRUCTION or _has_comment_before_end(roles)
    result = list[Atom]()
    for number, atom in enumerate(atoms):
        if atom.role in _STYLE_MARKS:
            if atom.role is not Role.SEPARATOR or not _ends_bundle(roles[number + 1 :]):
                _put_mark(result, atom)
        elif atom.role is Role.COMMENT:
            result.append(_with_line_of_its_own(atom) if _ends_in_comment(result) else atom)
        elif atom.role in _OPERANDS:
            result.append(_joined(atom))
        elif not any(role is not Role.COMMENT for role in roles[:number]):
            result.append(atom if is_first and not number else _with_line_of_its_own(atom))
        elif atom.role is Role.MNEMONIC and (is_split or _ends_in_comment(result)):
            result.append(_with_line_of_its_own(atom)._replace(breaks=1))
        elif atom.role is Role.MNEMONIC:
            result.append(_joined(atom))
        else:
            result.append(atom)
    return tuple(_without_columns(result) if _lines(result) != _lines(atoms) else result)


def _lines(atoms: Sequence[Atom]) -> list[bool]:
    """Return for each instruction whether it begins a line."""
    return [atom.breaks > 0 for atom in atoms if atom.role is Role.MNEMONIC]


def _without_columns(atoms: Sequence[Atom]) -> Sequence[Atom]:
    """Return the atoms of a slice whose operands are in other lines than their author put them."""
    return [atom._replace(gap=None) if atom.role is Role.FIRST_OPERAND else atom for atom in atoms]


def _has_inner_comment(roles: Sequence[Role]) -> bool:
    """Check whether a comment is between the mnemonic and an operand of an instruction."""
    return any(
        role is Role.COMMENT and _next_code(roles[number:]) in _OPERANDS
        for number, role in enumerate(roles)
    )


def _has_comment_before_end(roles: Sequence[Role]) -> bool:
    """Check whether a comment is after a label or after an instruction that is not the last."""
    code = [number for number, role in enumerate(roles) if role is Role.MNEMONIC]
    first = next(number for number, role in enumerate(roles) if role is not Role.COMMENT)
    return Role.COMMENT in roles[first : code[-1]]


def _next_code(roles: Sequence[Role]) -> Role | None:
    return next((role for role in roles if role is not Role.COMMENT), None)


def _ends_bundle(roles: Sequence[Role]) -> bool:
    """Check whether nothing but separators and comments precedes the end mark."""
    rest = (role for role in roles if role not in (Role.COMMENT, Role.SEPARATOR))
    return next(rest, None) is Role.END


def _ends_in_comment(atoms: Sequence[Atom]) -> bool:
    return bool(atoms) and atoms[-1].role is Role.COMMENT


def _put_mark(atoms: list[Atom], mark: Atom) -> None:
    """Put a mark after the code that it ends, before comments."""
    at = len(atoms)
    while at and atoms[at - 1].role is Role.COMMENT:
        at -= 1
    if at < len(atoms):
        mark = mark._replace(breaks=0, gap=None)
        if not atoms[at].breaks:
            atoms[at] = atoms[at]._replace(gap=None)
    atoms.insert(at, _joined(mark))


def _joined(atom: Atom) -> Atom:
    return atom._replace(breaks=0, gap=None) if atom.breaks else atom


def _with_line_of_its_own(atom: Atom) -> Atom:
    return atom if atom.breaks else atom._replace(breaks=1, gap=None)
