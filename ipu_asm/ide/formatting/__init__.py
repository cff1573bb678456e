"""Document, range and on-type formatting.

The conventions of a file are those of most of its lines; only blanks that deviate change. Begin
with `formatting.py`.

Here are the atoms of a slice: its tokens and comments, each with the blanks and line breaks before
it. A slice is the text from the end mark of the previous bundle to its own, or one line in sets
whose bundles end with their line. Its atoms depend on its text alone, and are cached
per bundle.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.config import MNEMONIC_CASES
from ipu_asm.ide.macros import bodies
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax, comments_in

LINE_BREAK: Final = re.compile(r"\r\n?|\n")
_BLANKS: Final = " \t\r\n"


class Role(IntEnum):
    """What an atom is.

    `FROZEN` is code that stays as written, of any length, `OPENING_LINES` a brace that a later line
    closes.
    """

    LABEL = 0
    COLON = 1
    MNEMONIC = 2
    FIRST_OPERAND = 3
    OPERAND = 4
    COMMA = 5
    AFTER_COMMA = 6
    SEPARATOR = 7
    END = 8
    OPENING = 9
    CLOSING = 10
    COMMENT = 11
    INSIDE = 12
    FROZEN = 13
    OPENING_LINES = 14


class Atom(NamedTuple):
    """A token or comment, with the offsets in its slice of its text and of the blanks before it.

    `breaks` is the number of line breaks before it, `gap` the blanks after the last of them; None
    if these blanks are not the author's, because a line break has been added or removed.
    """

    role: Role
    text: str
    breaks: int
    gap: str | None
    begin: int
    start: int


class SliceAtoms(NamedTuple):
    """The atoms of a slice in order, and the `rest` of its text after the last of them."""

    atoms: tuple[Atom, ...]
    rest: str


_PUNCTUATION: Final = {
    "COLON": Role.COLON,
    "COMMA": Role.COMMA,
    "SEPARATOR": Role.SEPARATOR,
    "END": Role.END,
    "LBRACE": Role.OPENING,
    "RBRACE": Role.CLOSING,
}


@cached_on_bundle
def slice_atoms(isa: Isa, bundle: Bundle) -> SliceAtoms:
    """Return the atoms of a slice as written; code that cannot be read is one frozen atom."""
    is_code = is_readable(bundle) and not (
        isa.surface.preprocessed and any(each.spec is None for each in bundle.instructions)
    )
    syntax = bundle.syntax
    if not is_code and not syntax.plan.findings and _is_label(syntax):
        is_code = True
    found = _atoms(syntax, is_code)
    if isa.surface.preprocessed:
        return found._replace(atoms=tuple(_with_open_braces(found.atoms)))
    return found


def _with_open_braces(atoms: Sequence[Atom]) -> Iterator[Atom]:
    """Yield atoms: a brace stays that a later line closes, which would not move with it."""
    last_break = max((number for number, atom in enumerate(atoms) if atom.breaks), default=0)
    for number, atom in enumerate(atoms):
        is_open = atom.role is Role.OPENING and number < last_break
        yield atom._replace(role=Role.OPENING_LINES) if is_open else atom


@cached_on_bundle
def frozen_atoms(_isa: Isa, bundle: Bundle) -> SliceAtoms:
    """Return the atoms of a slice whose code is not to be formatted: at most one frozen atom."""
    return _atoms(bundle.syntax, is_code=False)


def code_atoms(bundle: Bundle, end: int) -> tuple[Atom, ...]:
    """Return the atoms of a slice up to an offset, also of one that cannot be read as a whole."""
    atoms = _atoms(bundle.syntax, is_code=True).atoms
    return tuple(atom for atom in atoms if atom.start < end)


def is_readable(bundle: Bundle) -> bool:
    """Return whether a bundle has instructions and was parsed without errors."""
    plan = bundle.syntax.plan
    if (
        plan.findings
        or not plan.instructions
        or any(entry.has_errors for entry in plan.instructions)
    ):
        return False
    is_directive = plan.directive >= 0 or plan.inner_directives
    return not is_directive and all(token.kind != "STRAY" for token in bundle.syntax.tokens)


def _is_label(syntax: BundleSyntax) -> bool:
    """Check whether a slice has nothing but labels and the line break or text end after them."""
    kinds = {token.kind for token in syntax.tokens if token.text.strip()}
    return syntax.label is not None and kinds <= {"WORD", "COLON", "NUMBER"}


def _atoms(syntax: BundleSyntax, is_code: bool) -> SliceAtoms:
    text, atoms, at = syntax.text, list[Atom](), 0
    pieces = _code(syntax) if is_code else _frozen(syntax)
    for start, end, role in _with_comments(syntax, pieces):
        if role is Role.COMMENT:
            end = start + len(text[start:end].rstrip())
        atoms.append(_atom(role, text, at, start, end))
        at = end
    return SliceAtoms(tuple(atoms), text[at:])


def _atom(role: Role, text: str, begin: int, start: int, end: int) -> Atom:
    raw = text[begin:start]
    if raw.strip(_BLANKS):  # other blanks than these, such as a form feed
        start -= len(raw.lstrip(_BLANKS))
        raw, role = text[begin:start], Role.FROZEN
    gaps = LINE_BREAK.split(raw)
    return Atom(role, text[start:end], len(gaps) - 1, gaps[-1], begin, start)


def _with_comments(
    syntax: BundleSyntax, pieces: list[tuple[int, int, Role]]
) -> Iterator[tuple[int, int, Role]]:
    """Yield pieces and the comments between them in order; those inside a piece belong to it."""
    comments = [(start, end, Role.COMMENT) for start, end in comments_in(syntax)]
    done = 0
    for piece in sorted((*pieces, *comments)) if comments else pieces:
        if piece[0] >= done:
            yield piece
            done = piece[1]


def _frozen(syntax: BundleSyntax) -> list[tuple[int, int, Role]]:
    tokens = [token for token in syntax.tokens if token.kind != "END" or token.text.strip()]
    if not tokens:
        return []
    return [(tokens[0].span.start, tokens[-1].span.end, Role.FROZEN)]


def _code(syntax: BundleSyntax) -> list[tuple[int, int, Role]]:
    roles = _roles(syntax)
    return [
        (*token.span, roles[number])
        for number, token in enumerate(syntax.tokens)
        if token.kind != "END" or token.text.strip()
    ]


def _roles(syntax: BundleSyntax) -> list[Role]:
    tokens = syntax.tokens
    roles = [_PUNCTUATION.get(token.kind, Role.INSIDE) for token in tokens]
    for _, token in syntax.labels:
        roles[token] = Role.LABEL
    for entry in syntax.plan.instructions:
        roles[entry.mnemonic] = Role.MNEMONIC
        for number, (first, last) in enumerate(entry.operands):
            for token in range(first, last):
                follows_comma = token and tokens[token - 1].kind == "COMMA"
                if follows_comma:
                    roles[token] = Role.AFTER_COMMA
                elif token == first:
                    roles[token] = Role.OPERAND if number else Role.FIRST_OPERAND
                elif tokens[token].kind != "COMMA":
                    roles[token] = Role.INSIDE
    return roles


KEEP_CASE, UPPER, LOWER = MNEMONIC_CASES
_CASES: Final[Mapping[str, Callable[[str], str]]] = {UPPER: str.upper, LOWER: str.lower}


def in_case(program: Program, number: int, text: str, case: str) -> str:
    """Return the formatted text of slice `number` with its mnemonics in a case.

    Code with syntax errors and bodies of macros stay as written.
    """
    bundle = program.bundles[number]
    is_kept = case == KEEP_CASE or not program.isa.surface.case_insensitive
    if is_kept or not is_readable(bundle) or number in bodies(program):
        return text
    syntax = BundleSyntax(bundle.syntax.grammar, text)
    pieces, end = list[str](), 0
    for entry, instruction in zip(syntax.plan.instructions, bundle.instructions):
        if instruction.spec is None:  # a macro, maybe
            continue
        start, stop = syntax.spans[entry.mnemonic]
        pieces += (text[end:start], mnemonic_in_case(program.isa, text[start:stop], case))
        end = stop
    return "".join((*pieces, text[end:]))


def mnemonic_in_case(isa: Isa, word: str, case: str) -> str:
    """Return a mnemonic in a case; unchanged if the set distinguishes cases or has no such one."""
    change = _CASES.get(case)
    if change is None or not isa.surface.case_insensitive or isa.spec(word) is None:
        return word
    return change(word)


def folded_words(isa: Isa, syntax: BundleSyntax) -> list[str]:
    """Return the words, with mnemonics in lower case where their case makes no difference."""
    words = list(syntax.words)
    if isa.surface.case_insensitive:
        for entry in syntax.plan.instructions:
            words[entry.mnemonic] = mnemonic_in_case(isa, words[entry.mnemonic], LOWER)
    return words
