"""Names of registers and of memory regions from the comments of a kernel.

``# lr5 = row offset`` names a register. Comments above the first bundle apply to the whole file;
later ones from their position on. Text that looks like code, such as ``# lr5 = lr4 + 1``, is not a
name. Regions of memory are in the head comment::

    0x20000  16,384 bytes    weights, transposed: 128 bytes for each input
    0x40000  N * 128 bytes   out

Under ``Memory, in rows of 128 bytes`` addresses and sizes count rows.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

_MAX_LINES = 200
_LONGEST = 300
# Registers, `=` or `:`, and their purpose; `==`, `:=` and `-=` are code.
_NOTE = re.compile(r"\s*([\w.,\[\]\- \t]+?)[ \t]*[=:](?!=)[ \t]*(\S.*)")
_WORD = re.compile(r"[\w.\[\]]+|-")
_NAME = re.compile(r"[^\W\d][\w.\[\]]*")
_NUMBER = re.compile(r"\b0[xob][\da-f_]+\b", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[\w.]+")
# The beginning of an expression with a register, rather than of a sentence.
_TERM = re.compile(r"([\w.\[\]]+)[ \t]*(?:[+*/%&|^:;,.]|<<|>>|-[ \t]*\w)")
# The gap between two notes on one line.
_NEXT_NOTE = re.compile(
    r"[,;][ \t]+(?=([\w.\[\]]+(?:[ \t]*(?:,|-|\bto\b|\band\b)[ \t]*[\w.\[\]]+)*)[ \t]*[=:])"
)


class RegisterRole(NamedTuple):
    """A line above the first bundle about some registers; `span` begins with the first register."""

    registers: tuple[str, ...]
    text: str
    span: Span


class _Note(NamedTuple):
    """A comment about some registers.

    `is_trailing`: it is on the line on which the previous bundle ends.
    """

    registers: tuple[str, ...]
    text: str
    is_trailing: bool


def register_notes(program: Program) -> dict[str, str]:
    """Return the notes above the first bundle, by register.

    A line may describe several registers: ``# lr0, lr1 = ...``, ``# lr7-lr11: ...``.
    """
    return dict(_header(program.isa, program.bundles[0]))


def comments_above(bundle: Bundle) -> str:
    """Return the text above the first token of a bundle; empty if the bundle has no comment.

    Most bundles have none; their tokens need not be placed.
    """
    text = bundle.syntax.text
    if not bundle.syntax.grammar.comment.search(text):
        return ""
    return text[: bundle.first_token.start] if bundle.syntax.words else text


def notes_at(program: Program, bundle: int) -> dict[str, str]:
    """Return the note of each register at a bundle: the last one above it or on its lines."""
    notes = register_notes(program)
    for number, note in _later_notes(program):
        if number > bundle:
            break
        notes.update(dict.fromkeys(note.registers, note.text))
    return notes


def roles(program: Program) -> list[RegisterRole]:
    """Return the lines above the first bundle that describe registers, in their order."""
    isa, text = program.isa, comments_above(program.bundles[0])
    found, start = list[RegisterRole](), program.starts[0]
    for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        at = start
        for registers, said in _read(isa, line, is_head=True):
            match = re.compile(rf"\b{re.escape(registers[0])}\b", re.IGNORECASE).search(
                line, at - start
            )
            first = start + (match.start() if match else 0)
            at = start + len(line.rstrip())
            found.append(RegisterRole(registers, said, Span(first, at)))
        start += len(line) + 1
    return found


@cached_on_bundle
def _header(isa: Isa, bundle: Bundle) -> dict[str, str]:
    """The notes above the first token of a bundle; the first one for each register."""
    text = comments_above(bundle)
    notes: dict[str, str] = {}
    for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        for registers, said in _read(isa, line, is_head=True):
            for register in registers:
                notes.setdefault(register, said)
    return notes


@cached_on_program
def _later_notes(program: Program) -> list[tuple[int, _Note]]:
    """The notes below the head of the file, each with the first bundle to which it applies."""
    isa, text, starts = program.isa, program.text, program.starts
    found = list[tuple[int, _Note]]()
    for number, bundle in enumerate(program.bundles):
        for note in _inside(isa, bundle) if number == 0 else _notes(isa, bundle):
            is_trailing = note.is_trailing and number > 0 and text[starts[number] - 1] not in "\r\n"
            found.append((number - is_trailing, note))
    return found


@cached_on_bundle
def _notes(isa: Isa, bundle: Bundle) -> tuple[_Note, ...]:
    return tuple(_notes_from(isa, bundle, 0))


def _inside(isa: Isa, bundle: Bundle) -> tuple[_Note, ...]:
    """The notes in a slice after its first token."""
    if not bundle.syntax.words:
        return ()
    return tuple(_notes_from(isa, bundle, bundle.first_token.start))


def _notes_from(isa: Isa, bundle: Bundle, start: int) -> Iterator[_Note]:
    text = bundle.syntax.text
    if not any(mark in text for mark in isa.surface.comments):
        return
    first_token = bundle.first_token.start if bundle.syntax.words else len(text)
    lines = text[start:].split("\n")
    is_trailing = start + len(lines[0]) <= first_token
    for line in lines:
        for registers, said in _read(isa, line, is_head=False):
            yield _Note(registers, said, is_trailing)
        is_trailing = False


def _read(isa: Isa, line: str, is_head: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the registers that a line's comment describes, with their description."""
    for part in _parts(isa, _comment(isa, line)):
        match = _NOTE.fullmatch(part)
        registers = _registers(isa, match[1]) if match else []
        if match is None or not registers or _is_code(isa, match[2]):
            continue
        # Below the head, a number is the current value, not the purpose of the register.
        if is_head or _NAME.search(_NUMBER.sub("", match[2])):
            yield tuple(registers), match[2]


def _parts(isa: Isa, comment: str) -> Iterator[str]:
    """Split a comment into notes, before each further list of registers with a sign."""
    start = 0
    for match in _NEXT_NOTE.finditer(comment):
        is_whole = _NOTE.fullmatch(comment[start : match.start()]) is not None
        if is_whole and _registers(isa, match[1]):
            yield comment[start : match.start()].rstrip()
            start = match.end()
    yield comment[start:]


def _comment(isa: Isa, line: str) -> str:
    """Return the comment of a line without its marker."""
    marks = isa.surface.comments
    start = min((at for mark in marks if (at := line.find(mark)) >= 0), default=-1)
    if start < 0:
        return ""
    mark = max((mark for mark in marks if line.startswith(mark, start)), key=len)
    return line[start + len(mark) :].strip()[:_LONGEST]


def _is_code(isa: Isa, text: str) -> bool:
    """Return whether a text is an expression or an instruction rather than a description."""
    names = _NAME.findall(_NUMBER.sub("", text))
    if names and all(_register(isa, name) for name in names):
        return True
    start = _TERM.match(text)
    if start is not None and _register(isa, start[1]):
        return True
    word = _FIRST_WORD.match(text)
    if word is None or isa.spec(word[0]) is None:
        return False
    # Text that is a valid instruction is code.
    return not parser_for(isa).bundle(text).findings


def _register(isa: Isa, word: str) -> str | None:
    """Return the register with this name, ignoring case."""
    spellings = (word, word.lower(), word.upper())
    return next((name for name in spellings if name in isa.file_of_register), None)


def _registers(isa: Isa, text: str) -> list[str]:
    """Parse a list of registers: `lr0, lr1`, `lr7-lr11`, `r0 and r1`; empty if invalid."""
    found: list[str] = []
    is_range = False
    for word in _WORD.findall(text):
        register = _register(isa, word)
        if word in ("-", "to"):
            is_range = bool(found)
        elif register is not None:
            found += _up_to(isa, found[-1], register) if is_range else [register]
            is_range = False
        elif word != "and":
            return []
    return [] if is_range else found


def _up_to(isa: Isa, first: str, last: str) -> list[str]:
    """Return the registers after `first` up to `last`."""
    registers = isa.file_of_register[first].registers
    if last not in registers:
        return [last]
    return list(registers[registers.index(first) + 1 : registers.index(last) + 1])


_LONGEST_LINE = 300
_MAX_REGIONS = 64
_LONGEST_NAME = 24
_REGION = re.compile(
    r"[^\w{]*(?P<start>0x[\da-f_]{1,12}|0)(?:[ \t]*:)?[ \t]+"
    r"(?P<size>[\w ,.()*+/-]{1,40}?)[ \t]+(?P<unit>bytes?|rows?|KiB|MiB)\b[ \t:,]*"
    r"(?P<text>[A-Za-z_].*)",
    re.IGNORECASE,
)
_ROWS = re.compile(r"\bmemory\b.*\bin rows of ([\d,]+) bytes\b", re.IGNORECASE)
_REGION_NAME = re.compile(
    r"(?:the )?([A-Za-z_]\w*(?: [A-Za-z_]\w*){0,2}(?=\s*(?:$|[\[(:;,.]))|\w+)"
)
_SIZE = re.compile(r"\d{1,3}(?:,\d{3})+|\d[\d_]*|0x[\da-f_]+", re.IGNORECASE)
_BASE = re.compile(r"(\w+?)_(?:base|row|addr|address|ptr|start)\b", re.IGNORECASE)
_UNITS = {"kib": 1024, "mib": 1 << 20}


class MemoryNote(NamedTuple):
    """A part of memory that the head comment names; `start` and `size` are in bytes.

    `size` is None where it is no number, such as ``N * 128``. `row` is the unit of addresses that
    the comment counts in. `text` is what the comment says of it, `span` its line.
    """

    name: str
    start: int
    size: int | None
    size_text: str
    text: str
    row: int
    span: Span


def memory_notes(program: Program) -> tuple[MemoryNote, ...]:
    """Return the parts of memory above the first bundle, in the order of their lines."""
    return _regions(program.isa, program.bundles[0])


def note_at(notes: Iterable[MemoryNote], address: int) -> MemoryNote | None:
    """Return the note of a byte; one without a size extends to the next one."""
    below = [note for note in notes if note.start <= address]
    note = max(below, key=lambda each: each.start, default=None)
    is_inside = note is not None and (note.size is None or address < note.start + note.size)
    return note if is_inside else None


def bases_of(program: Program) -> dict[str, MemoryNote]:
    """Return the part of memory that each base register begins, as their names tell.

    ``cr1 = WEIGHT_BASE`` belongs to ``weights``.
    """
    found: dict[str, MemoryNote] = {}
    notes = memory_notes(program)
    for register, text in register_notes(program).items() if notes else ():
        match = _BASE.match(text)
        stem = match[1].lower() if match else ""
        note = next((each for each in notes if stem and _is_called(each.name, stem)), None)
        if note is not None:
            found[register] = note
    return found


def base_name(text: str) -> str:
    """Return the name at the beginning of a note that says that a region begins there, or "".

    It is ``WEIGHT_BASE`` in ``WEIGHT_BASE (weights, transposed)``.
    """
    match = _BASE.match(text)
    return match[0] if match else ""


def _is_called(name: str, stem: str) -> bool:
    words = name.lower().replace(" ", "_")
    return words in (stem, f"{stem}s", f"{stem}es") or stem == f"{words}s"


@cached_on_bundle
def _regions(isa: Isa, bundle: Bundle) -> tuple[MemoryNote, ...]:
    text = comments_above(bundle)
    found: list[MemoryNote] = []
    row, start = 1, 0
    for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        comment = _comment_line(isa, line)
        if match := _ROWS.search(comment):
            row = int(match[1].replace(",", "") or "1")
        elif (match := _REGION.match(comment)) and len(found) < _MAX_REGIONS:
            found.append(_note(match, row, Span(start, start + len(line.rstrip()))))
        start += len(line) + 1
    return tuple(found)


def _comment_line(isa: Isa, line: str) -> str:
    stripped = line.strip()[:_LONGEST_LINE]
    is_comment = any(stripped.startswith(mark) for mark in isa.surface.comments)
    return stripped if is_comment else ""


def _note(match: re.Match[str], row: int, span: Span) -> MemoryNote:
    size_text, unit = match["size"].strip(), match["unit"].lower()
    scale = row if unit.startswith("row") else _UNITS.get(unit, 1)
    number = _SIZE.fullmatch(size_text)
    size = int(size_text.replace(",", ""), 0) * scale if number else None
    named = _REGION_NAME.match(match["text"])
    name = named[1] if named and named[1] else match["text"].split()[0]
    shown = f"{size_text} {match['unit']}"
    start = int(match["start"], 0) * row
    return MemoryNote(name[:_LONGEST_NAME], start, size, shown, match["text"].strip(), row, span)
