"""Named memory regions of the head comment of a kernel, for example::

    0x20000  16,384 bytes    weights, transposed: 128 bytes for each input
    0x40000  N * 128 bytes   out

Under ``Memory, in rows of 128 bytes`` addresses and sizes count rows.
"""

from __future__ import annotations

import re
from typing import Iterable

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes
from ipu_asm.text import Span

_MOST_LINES = 200
_LONGEST_LINE = 300
_MOST_REGIONS = 64
_LONGEST_NAME = 24
_REGION = re.compile(
    r"[^\w{]*(?P<start>0x[\da-f_]{1,12}|0)(?:[ \t]*:)?[ \t]+"
    r"(?P<size>[\w ,.()*+/-]{1,40}?)[ \t]+(?P<unit>bytes?|rows?|KiB|MiB)\b[ \t:,]*"
    r"(?P<text>[A-Za-z_].*)",
    re.IGNORECASE,
)
_ROWS = re.compile(r"\bmemory\b.*\bin rows of ([\d,]+) bytes\b", re.IGNORECASE)
_NAME = re.compile(r"(?:the )?([A-Za-z_]\w*(?: [A-Za-z_]\w*){0,2}(?=\s*(?:$|[\[(:;,.]))|\w+)")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d[\d_]*|0x[\da-f_]+", re.IGNORECASE)
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
    return _notes(program.isa, program.bundles[0])


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


def _is_called(name: str, stem: str) -> bool:
    words = name.lower().replace(" ", "_")
    return words in (stem, f"{stem}s", f"{stem}es") or stem == f"{words}s"


@cached_on_bundle
def _notes(isa: Isa, bundle: Bundle) -> tuple[MemoryNote, ...]:
    text = bundle.syntax.text
    if bundle.syntax.words:
        text = text[: bundle.first_token.start]
    found: list[MemoryNote] = []
    row, start = 1, 0
    for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
        comment = _comment(isa, line)
        if match := _ROWS.search(comment):
            row = int(match[1].replace(",", "") or "1")
        elif (match := _REGION.match(comment)) and len(found) < _MOST_REGIONS:
            found.append(_note(match, row, Span(start, start + len(line.rstrip()))))
        start += len(line) + 1
    return tuple(found)


def _comment(isa: Isa, line: str) -> str:
    stripped = line.strip()[:_LONGEST_LINE]
    is_comment = any(stripped.startswith(mark) for mark in isa.surface.comments)
    return stripped if is_comment else ""


def _note(match: re.Match[str], row: int, span: Span) -> MemoryNote:
    size_text, unit = match["size"].strip(), match["unit"].lower()
    scale = row if unit.startswith("row") else _UNITS.get(unit, 1)
    number = _NUMBER.fullmatch(size_text)
    size = int(size_text.replace(",", ""), 0) * scale if number else None
    named = _NAME.match(match["text"])
    name = named[1] if named and named[1] else match["text"].split()[0]
    shown = f"{size_text} {match['unit']}"
    start = int(match["start"], 0) * row
    return MemoryNote(name[:_LONGEST_NAME], start, size, shown, match["text"].strip(), row, span)
