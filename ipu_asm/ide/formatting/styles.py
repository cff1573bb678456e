"""The styles: where lines break.

`keep` leaves line breaks as they are; the others have one instruction, or one bundle, on a line.
"""

from __future__ import annotations

from typing import Final, Sequence

from ipu_asm.config.configuration import FORMAT_STYLES
from ipu_asm.ide.formatting.atoms import Atom, Role

STYLES: Final = FORMAT_STYLES
KEEP, INSTRUCTION, BUNDLE = STYLES

_MARKS: Final = (Role.COLON, Role.SEPARATOR, Role.END)
_OPERANDS: Final = (Role.FIRST_OPERAND, Role.OPERAND, Role.COMMA, Role.AFTER_COMMA, Role.INSIDE)


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
        if atom.role in _MARKS:
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
    """Check whether a comment is behind a label or behind an instruction that is not the last."""
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
    """Put a mark behind the code that it ends, before comments."""
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
