"""From slices to lines and back: the formatted texts of slices.

The lines of a slice depend on those around it only as far as `_WINDOW` slices, and on the
conventions of the file. So formatting a part of a text gives what formatting the whole does there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final, Iterable, Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.ide.formatting import (
    KEEP_CASE,
    LINE_BREAK,
    Atom,
    Role,
    SliceAtoms,
    code_atoms,
    frozen_atoms,
    slice_atoms,
)
from ipu_asm.ide.formatting.alignment import Conventions, GapVotes, Rules, settled_gaps, votes_of
from ipu_asm.ide.formatting.lines import KEEP, Line, arranged, line_of, respaced
from ipu_asm.ide.macros import bodies
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

_WINDOW: Final = 40
_MAX_SLICES: Final = 400
"""Conventions are those of the first slices: more would take long while the user types."""

_MAX_BREAKS: Final = 3
_MAX_ROUNDS: Final = 8
_TRAILING: Final = re.compile(r"[ \t\f]+(?=[\r\n]|\Z)")


class FormatJob(NamedTuple):
    """The settings of one formatting run.

    `fixed_line_slices` are the slices on lines with suppression comments: no line break is added to
    or removed from them. `is_whole` also ends the last line of the file with a line break, and
    leaves nothing to a second run, which takes too long while the user types. `tags` are the spans
    of template tags: gaps that have one do not change.
    """

    program: Program
    style: str
    line_break: str
    fixed_line_slices: frozenset[int]
    is_whole: bool = True
    case: str = KEEP_CASE
    tags: Sequence[Span] = ()


def slice_texts(job: FormatJob, first: int, last: int) -> list[str]:
    """Return the formatted texts of the slices ``first..last``."""
    program = job.program
    begin = max(first - _WINDOW, 0)
    while begin and not _begins_line(program, begin):
        begin -= 1
    end = min(last + _WINDOW, len(program.bundles) - 1)
    while end < len(program.bundles) - 1 and not _begins_line(program, end + 1):
        end += 1
    lines = [*_lines(job, begin, end)]
    writer = _SliceWriter(job, first, last)
    rules = _stable_rules(job) if job.is_whole else rules_for(job)
    for line, gaps in zip(lines, settled_gaps(rules, lines)):
        writer.put(line, gaps)
    return writer.texts()


def line_gaps(job: FormatJob, number: int, end: int, is_shared: bool) -> list[tuple[Atom, str]]:
    """Return the atoms of the line of slice `number` that ends at an offset, with their gaps.

    With `is_shared`, more instructions may follow on the line: spaced as in lines with one or with
    several instructions, whichever it is already.
    """
    atoms = code_atoms(job.program.bundles[number], end)
    begin = max((n for n, atom in enumerate(atoms) if atom.breaks), default=0)
    is_later = any(atom.role is Role.MNEMONIC for atom in atoms[:begin])
    cells = [(number, atom) for atom in atoms[begin:]]
    above = [*_lines(job, max(number - _WINDOW, 0), number - 1)]
    above += _lines_of([(number, atom) for atom in atoms[:begin]])
    for shared in (False, is_shared):
        line = line_of(cells, is_later=is_later, is_apart=False, is_shared=shared)
        gaps = settled_gaps(rules_for(job), [*above, line])[-1]
        if gaps == [cell.gap for cell in line.cells]:
            break
    return [(cell.atom, gap) for cell, gap in zip(line.cells, gaps)]


def _lines_of(atoms: Sequence[tuple[int, Atom]]) -> Iterator[Line]:
    """Yield the lines of the first atoms of a slice."""
    line = list[tuple[int, Atom]]()
    is_later = has_code = False
    for number, atom in atoms:
        if atom.breaks and line:
            yield line_of(line, is_later=is_later, is_apart=False)
            line, is_later = [], has_code
        line.append((number, atom))
        has_code = has_code or atom.role is Role.MNEMONIC
    if line:
        yield line_of(line, is_later=is_later, is_apart=False)


def rules_for(job: FormatJob) -> Rules:
    """Return what decides about gaps while the user types."""
    return _rules(job, conventions(job.program, job.style))


def _rules(job: FormatJob, spacings: Conventions) -> Rules:
    keeps_columns = job.program.isa.surface.preprocessed
    return Rules(spacings, keeps_columns, keeps_indents=bool(job.tags))


def _conventions_of(job: FormatJob, lines: Iterable[Line]) -> Conventions:
    return Conventions(job.program.isa, (votes_of(lines),))


def _stable_rules(job: FormatJob) -> Rules:
    """Return rules that change nothing in the text that they make.

    A gap that moves may be what made the majority, so the text may have other conventions then. If
    these would change it once more, they are taken instead.
    """
    known = _stable_conventions(job.program)
    rules = known.get(job.style)
    if rules is None:
        lines = [*_lines(job, 0, min(len(job.program.bundles), _MAX_SLICES) - 1)]
        rules = _rules(job, _conventions_of(job, lines))
        for _ in range(_MAX_ROUNDS):
            gaps = settled_gaps(rules, lines)
            made = [*map(respaced, lines, gaps)]
            again = _rules(job, _conventions_of(job, made))
            if again == rules or settled_gaps(again, made) == gaps:
                break
            rules = again
        known[job.style] = rules
    return rules


@cached_on_program
def _stable_conventions(_program: Program) -> dict[str, Rules]:
    return {}


def conventions(program: Program, style: str) -> Conventions:
    """Return the columns and blanks that most lines of a program use, in a style's line breaks."""
    found = _conventions(program)
    if style not in found:
        job = FormatJob(program, style, "\n", frozenset())
        last = min(len(program.bundles), _MAX_SLICES) - 1
        found[style] = Conventions(program.isa, _votes(job, last))
    return found[style]


def _votes(job: FormatJob, last: int) -> Iterator[GapVotes]:
    """Yield the column votes of the slices up to bundle `last`; unedited slices keep theirs."""
    program = job.program
    if bodies(program):
        yield votes_of(_lines(job, 0, last))
        return
    for first, end in _slices_by_line(program, last):
        known = _known_votes(program.isa, program.bundles[first])
        others = program.bundles[first + 1 : end + 1]
        same, votes = known.get(job.style, (None, None))
        if votes is None or same != others:
            votes = votes_of(_lines(job, first, end))
            if first:  # styles leave the beginning of the text as it is
                known[job.style] = others, votes
        yield votes


@cached_on_bundle
def _known_votes(_isa: Isa, _bundle: Bundle) -> dict[str, tuple[Sequence[Bundle], GapVotes]]:
    """Return the gaps of the lines that a slice begins, by style, with the other slices in them."""
    return {}


def _slices_by_line(program: Program, last: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of slices that share no line with others."""
    first, has_break = 0, False
    for number in range(last + 1):
        atoms, rest = slice_atoms(program.isa, program.bundles[number])
        if number > first and atoms and (has_break or atoms[0].breaks):
            yield first, number - 1
            first = number
        has_break = LINE_BREAK.search(rest) is not None
    if last >= 0:
        yield first, last


@cached_on_program
def _conventions(_program: Program) -> dict[str, Conventions]:
    return {}


def _begins_line(program: Program, number: int) -> bool:
    """Check whether a slice begins at the start of a line, or with a line break."""
    start = program.starts[number]
    return program.text[start - 1 : start] in ("\n", "\r") or bool(
        re.compile(r"[ \t]*[\r\n]").match(program.text, start)
    )


def _atoms_of(job: FormatJob, number: int) -> SliceAtoms:
    """Return the atoms of a slice with line breaks as the style has them."""
    program = job.program
    isa, bundle = program.isa, program.bundles[number]
    if number in bodies(program):
        return frozen_atoms(isa, bundle)
    found = slice_atoms(isa, bundle)
    has_styles = isa.surface.bundle_end and not isa.surface.preprocessed
    if job.style == KEEP or not has_styles or number in job.fixed_line_slices:
        return found
    stays = number == 0 or number - 1 in job.fixed_line_slices
    return found._replace(atoms=arranged(found.atoms, job.style, stays))


def _lines(job: FormatJob, first: int, last: int) -> Iterator[Line]:
    """Yield the lines of the slices ``first..last``, as arranged by the style."""
    line = list[tuple[int, Atom]]()
    tags = _Tags(job.tags)
    breaks, is_apart, is_later = 0, False, False
    for number in range(first, last + 1):
        start = job.program.starts[number]
        has_code = False
        atoms, rest = _atoms_of(job, number)
        for atom in atoms:
            breaks += atom.breaks
            if line and not breaks and line[-1][1].role is Role.COMMENT:
                breaks = _is_line_comment(job, line[-1][1])
                atom = atom._replace(gap=None, breaks=breaks) if breaks else atom
            if breaks and line:
                yield line_of(line, is_later=is_later, is_apart=is_apart)
                line, is_apart, is_later = [], breaks > 1, has_code
            line.append((number, tags.freed(atom, start)))
            has_code = has_code or atom.role in (Role.MNEMONIC, Role.OPENING, Role.OPENING_LINES)
            breaks = 0
        breaks += len(LINE_BREAK.findall(rest))
    if line:
        yield line_of(line, is_later=is_later, is_apart=is_apart)


def _is_line_comment(job: FormatJob, comment: Atom) -> int:
    marks = job.program.isa.surface.comments
    return int(comment.text.startswith(marks))


class _Tags:
    """The template tags of a text, in order."""

    def __init__(self, tags: Sequence[Span]) -> None:
        self._starts = [tag.start for tag in tags]

    def freed(self, atom: Atom, offset: int) -> Atom:
        """Return an atom as one whose gap stays as it is, if a tag is in that gap."""
        if not self._starts or atom.gap is None:
            return atom
        end = atom.start + offset
        has_tag = self.are_in(end - len(atom.gap), end)
        return atom._replace(role=Role.FROZEN) if has_tag else atom

    def are_in(self, begin: int, end: int) -> bool:
        """Check whether a tag begins between two offsets of the text."""
        at = bisect_left(self._starts, begin)
        return at < len(self._starts) and self._starts[at] < end


class _SliceWriter:
    """Puts formatted lines together to the texts of some slices."""

    def __init__(self, job: FormatJob, first: int, last: int) -> None:
        self.job = job
        self.first = first
        self._parts: list[list[str]] = [[] for _ in range(first, last + 1)]
        self._frozen = set[int]()
        self._tags = _Tags(job.tags)
        self._has_bundles = bool(job.program.isa.surface.bundle_end)

    def put(self, line: Line, gaps: Sequence[str]) -> None:
        """Add a line to the slices that it belongs to."""
        for cell, gap in zip(line.cells, gaps):
            number = cell.slice - self.first
            if 0 <= number < len(self._parts):
                self._parts[number] += (self._breaks(cell.slice, cell.atom), gap, cell.atom.text)
        if line.is_frozen:
            self._frozen.add(line.cells[-1].slice)

    def texts(self) -> list[str]:
        return [
            "".join((*parts, self._rest(number, bool(parts))))
            for number, parts in enumerate(self._parts, self.first)
        ]

    def _breaks(self, number: int, atom: Atom) -> str:
        """Return the line breaks before an atom; two blank lines are enough."""
        if not atom.breaks:
            return ""
        if atom.gap is not None:
            bundle, offset = self.job.program.bundles[number], self.job.program.starts[number]
            end = atom.start - len(atom.gap)
            written = bundle.syntax.text[atom.begin : end]
            if self._tags.are_in(atom.begin + offset, end + offset):
                return written
            if not self._has_bundles:
                return _TRAILING.sub("", written)
        is_first = number == 0 and not self._parts[0] and self.first == 0
        return "" if is_first else self.job.line_break * min(atom.breaks, _MAX_BREAKS)

    def _rest(self, number: int, has_atoms: bool) -> str:
        """Return what follows the last atom of a slice."""
        program = self.job.program
        isa, bundle = program.isa, program.bundles[number]
        read = frozen_atoms if number in bodies(program) else slice_atoms
        rest = read(isa, bundle).rest
        is_last = number == len(program.bundles) - 1
        if self._has_bundles and is_last and self.job.is_whole and not rest.strip():
            return self.job.line_break if has_atoms or number else ""
        return rest if number in self._frozen else _TRAILING.sub("", rest)
