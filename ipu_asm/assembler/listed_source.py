"""Listings of disassemblers as sources: the assembly that their bytes are, mapped to their lines.

A listing is an expansion. Its text is decoded from the bytes, so that targets are labels; what the
listing prints of each instruction is where it was written.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import Iterator, Sequence

from ipu_asm.assembler.code_text import CodeLine, code_lines
from ipu_asm.assembler.machine_code import ABSOLUTE, ObjectCode, Symbol
from ipu_asm.assembler.objdump_text import ListedUnit, ObjdumpListing, matches, read_objdump
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.config.files import is_listing
from ipu_asm.diagnostics import SYNTAX_ERROR, Diagnostic
from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN, Segment, SourceMap, SourceRange, merged
from ipu_asm.text import Span

MIN_SHARE = 0.9
"""Of the lines of a listing, how many a set must have as units before it is taken."""

_MAX_CODE = 1 << 18
"""Bytes; some 5 s of analysis."""

_SAMPLE = 1 << 15
"""Characters of a listing that choose its set."""

NO_BYTES = (
    "expected lines of `address: bytes assembly`, found none; "
    "`--no-show-raw-insn` leaves the bytes out"
)
_TOKEN = re.compile(r"[\w.$@]+(?:[ \t]*<[^>\n]*>)?|[^\w\s]")
_NOT_LABEL = re.compile(r"(?m)^(?:[0-9a-fA-F]{1,8} <(.+)>:[ \t]*$|.*)")
_TEXT = re.compile(r"[^\r\n]")
_Tokens = list[re.Match[str]]
_Part = tuple[int, int, Span, bool]
"""A range of a line, its place in the listing, and whether it has the same characters."""


def nearest_set(text: str) -> tuple[str, float]:
    """Return the set with the most units among the first lines of a listing, and their share."""
    sample = text if len(text) <= _SAMPLE else text[: text.rfind("\n", 0, _SAMPLE) + 1]
    found = []
    for name in (name for name, each in manifests().items() if each.has_machine_code):
        machine_code = machine_code_of(load_isa(name))
        assert machine_code is not None
        found.append((name, matches(read_objdump(sample), machine_code)))
    return max(found, key=lambda each: each[1])


def isa_of_listing(text: str) -> str | None:
    """Return the set that the bytes of a listing are for; None if not clear, or no listing."""
    if not is_listing(text):
        return None
    name, share = nearest_set(text)
    return name if share >= MIN_SHARE else None


def listing_expansion(text: str, isa: Isa) -> Expansion:
    """Return the assembly of a listing, in which targets are labels. Never raises."""
    machine_code = machine_code_of(isa)
    if machine_code is None or not machine_code.has_objects:
        message = f"`{isa.name}` has no machine code of that kind: name the set of this listing"
        return _without_code(text, message)
    listing = read_objdump(text, machine_code.object_format.code_relocations)
    if not listing.units:
        return _without_code(text, NO_BYTES)
    size = sum(len(section.data) for section in listing.code.sections)
    if size > _MAX_CODE:
        found = f"expected at most {_MAX_CODE:,} bytes of code in a listing, found {size:,}"
        return _without_code(text, f"{found}; `ipu-as disassemble` takes more")
    code = _with_local_names(listing.code, isa.surface.local_prefix)
    lines = code_lines(code, isa, machine_code, has_labels=True)
    made = "".join(f"{line.text}\n" for line in lines)
    findings = [Diagnostic(SYNTAX_ERROR, message, span) for span, message in listing.mistakes]
    separator = isa.surface.separator.strip()
    segments = partial(_segments, text, listing, lines, separator)
    return Expansion(made, SourceMap(segments), findings=tuple(findings), is_listing=True)


def _with_local_names(code: ObjectCode, prefix: str) -> ObjectCode:
    """Define the local names of relocations that the listing does not show, as those of data."""
    known = {symbol.name for symbol in code.symbols}
    used = (each.symbol for section in code.sections for each in section.relocations)
    names = {name for name in used if prefix and name.startswith(prefix)} - known
    hidden = (Symbol(name, ABSOLUTE) for name in sorted(names))
    return code._replace(symbols=(*code.symbols, *hidden))


def skeleton_of_listing(text: str) -> str:
    """Return a listing with nothing but its labels, at their places."""
    return _NOT_LABEL.sub(_label_or_blanks, text)


def _label_or_blanks(match: re.Match[str]) -> str:
    blank = _TEXT.sub(" ", match[0])
    if match[1] is None:
        return blank
    start, end = (place - match.start() for place in match.span(1))
    return f"{blank[:start]}{match[1]}:{blank[end + 1 :]}"


def _without_code(text: str, message: str) -> Expansion:
    end = len(text.partition("\n")[0].rstrip("\r"))
    finding = Diagnostic(SYNTAX_ERROR, message, Span(0, end))
    return Expansion("", SourceMap(()), findings=(finding,), is_listing=True)


def _segments(
    text: str, listing: ObjdumpListing, lines: Sequence[CodeLine], separator: str
) -> list[Segment]:
    """Return where the characters of each line, and its line break, are in the listing."""
    sections = [section.name for section in listing.code.sections]
    units = {(unit.section, unit.offset): unit for unit in listing.units}
    found: list[Segment] = []
    start, at = 0, 0  # in the assembly, and in the listing the end of what is mapped
    for number, line in enumerate(lines):
        unit = units.get((sections[line.section], line.offset)) if line.instructions else None
        parts: list[_Part] = []
        if unit is not None:
            parts = _parts_of_unit(line.text, text, unit, separator)
            at = unit.span.end
        elif line.text.endswith(":"):
            parts = _parts_of_label(line.text, _labelled(number, lines, listing, units, sections))
        found += _covering(start, len(line.text) + 1, parts, at)
        start += len(line.text) + 1
    return merged(found)


def _labelled(
    number: int,
    lines: Sequence[CodeLine],
    listing: ObjdumpListing,
    units: dict[tuple[str, int], ListedUnit],
    sections: Sequence[str],
) -> tuple[Span, bool] | None:
    """Return where a label is in the listing, and whether by its name: else by its address."""
    next_line = next((line for line in lines[number + 1 :] if line.section >= 0), None)
    if next_line is None:
        return None
    section = sections[next_line.section]
    name = lines[number].text.removesuffix(":").strip('"')
    if (section, name) in listing.names:
        return listing.names[section, name], True
    unit = units.get((section, next_line.offset))
    return None if unit is None else (unit.address, False)


def _parts_of_label(own: str, place: tuple[Span, bool] | None) -> list[_Part]:
    if place is None:
        return []
    start = own.startswith('"')
    end = len(own) - 1 - start
    return [(start, end, place[0], place[1] and end - start == place[0].end - place[0].start)]


def _covering(start: int, length: int, parts: Sequence[_Part], at: int) -> Iterator[Segment]:
    """Yield segments for all characters of a line: those without a place are between others."""
    end = 0
    for first, last, written, is_verbatim in parts:
        if first > end:
            between = Span(at, written.start) if end and at < written.start else Span(*[at] * 2)
            if not end:
                between = Span(written.start, written.start)
            yield Segment(start + end, start + first, SourceRange(MAIN, between), False)
        yield Segment(start + first, start + last, SourceRange(MAIN, written), is_verbatim)
        end, at = last, written.end
    yield Segment(start + end, start + length, SourceRange(MAIN, Span(at, at)), False)


def _parts_of_unit(own: str, text: str, unit: ListedUnit, separator: str) -> list[_Part]:
    """Return where the instructions of a unit are in its line, word by word.

    Slots may be listed in another order, and instructions by another name. Where the line has
    another number of them, all are at its whole assembly.
    """
    mine = [_tokens(own, *span) for span in _pieces(own, 0, len(own), separator)]
    theirs = [_tokens(text, *span) for span in _pieces(text, *unit.span, separator)]
    if len(mine) != len(theirs):
        return [(mine[0][0].start(), mine[-1][-1].end(), unit.span, False)]
    pairs: dict[int, _Tokens] = {}
    for place, tokens in enumerate(mine):
        same = [each for each in theirs if each[0][0].lower() == tokens[0][0].lower()]
        if same:
            pairs[place] = same[0]
            theirs.remove(same[0])
    parts: list[_Part] = []
    for place, tokens in enumerate(mine):
        parts += _parts_of_tokens(tokens, pairs.get(place) or theirs.pop(0))
    return parts


def _tokens(text: str, start: int, end: int) -> _Tokens:
    return list(_TOKEN.finditer(text, start, end))


def _pieces(text: str, start: int, end: int, separator: str) -> list[tuple[int, int]]:
    """Return the spans of the instructions in a part of a text; brackets belong to none."""
    cuts = [start, *(start + match.end() for match in re.finditer(separator, text[start:end])), end]
    spans = []
    for first, last in pairwise(cuts):
        words = text[first:last].strip("{}; \t\r")
        if words:
            begin = text.index(words, first)
            spans.append((begin, begin + len(words)))
    return spans


def _parts_of_tokens(mine: _Tokens, theirs: _Tokens) -> Iterator[_Part]:
    words, listed = [each[0] for each in mine], [each[0] for each in theirs]
    if len(words) == len(listed):
        blocks = [(place, place + 1, place, place + 1) for place in range(len(words))]
    else:
        blocks = _blocks(words, listed)
    for first, last, begin, end in blocks:
        place = theirs[begin - 1].end() if begin else theirs[0].start()
        written = Span(place, place)
        if end > begin:
            written = Span(theirs[begin].start(), theirs[end - 1].end())
        is_same = words[first:last] == listed[begin:end]
        yield mine[first].start(), mine[last - 1].end(), written, is_same


def _blocks(words: list[str], listed: list[str]) -> list[tuple[int, int, int, int]]:
    """Return ranges of words and what is listed for them: equal words one by one."""
    from difflib import SequenceMatcher  # 2 ms, for listings alone

    found = []
    for kind, first, last, begin, end in SequenceMatcher(None, words, listed, False).get_opcodes():
        if kind == "equal":
            places = range(last - first)
            found += [(first + n, first + n + 1, begin + n, begin + n + 1) for n in places]
        elif kind != "insert":
            found.append((first, last, begin, end))
    return found
