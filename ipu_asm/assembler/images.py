"""Image formats of assembled programs: `bin`, `hex` and `mem`, and the listing.

bin
    Each word in `Isa.image_bytes` bytes, little-endian.
hex
    One line per word: `0x` and the digits of those bytes.
mem
    One line per word: `0x` and as many digits as the bits of the word need.
listing
    Address, the digits of `hex`, and the source as a comment: it can be read as an image, too.

Of sets whose bundles differ in size, `hex` and the listing have the bytes in memory order, and
addresses are offsets of bytes in the section.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.assembler.encode import required_code
from ipu_asm.assembler.machine_code import MachineCode, ObjectCode
from ipu_asm.assembler.sections import units_of
from ipu_asm.assembler.word_code import machine_code_of
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import NUMBER, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, SourceFile, Span, counted

_TAB = "    "
_REMARK_COLUMN = 44  # of the written line, after the words, where an expanded line is not longer
_ADDRESS_DIGITS = 4
_MAX_CODE_WIDTH = 40  # of a bundle of 16 bytes with its address; data may be longer
_FILL = "fills the gap before the next alignment"
# A mark further right is hard to find, and a long line may have an error in each character.
_FARTHEST_MARK = 400


class ListingRow(NamedTuple):
    """A line of a listing: the address of the word in it, and its source line, counted from 0.

    Of an expansion, it is the line of the written source; None if it was written in a header.
    """

    text: str
    address: int | None = None
    line: int | None = None


class _Piece(NamedTuple):
    """A source line, or the part of it that belongs to one bundle."""

    bundle: int  # -1 for a line without
    line: int
    span: Span


class WrittenLines:
    """The lines of a source, or of its headers, that those of an expansion were written in."""

    def __init__(self, expansion: Expansion, source: SourceFile) -> None:
        self._map = expansion.source_map
        self._files = {**expansion.files, MAIN: source}

    def of(self, text: str, span: Span) -> tuple[int | None, str]:
        """Return the line in the source, from 0, and a remark where it differs from the expansion.

        `text` is the expansion, `span` a line of it, or a part of one.
        """
        shown = text[span.start : span.end].strip("\ufeff\r\n\t ")
        start = text.find(shown, span.start)
        place = self._map.written(Span(start, start + 1))
        if place is None:
            return None, ""
        file = self._files[place.path]
        line = file.lines.position(place.span.start).line
        written = file.line_text(line).strip()
        name = f"{os.path.basename(place.path)}:" if place.path != MAIN else ""
        remark = f"{name}{line + 1}: {printable(written.expandtabs(len(_TAB)))}"
        is_same = not shown or (shown in written and place.path == MAIN)
        return line if place.path == MAIN else None, "" if is_same else remark


ELF = "elf"
LISTING = "listing"
MEM = "mem"
FORMATS = ("bin", "hex", MEM)
_LINE_BREAK = re.compile(r"\r\n?|\n")
_TEXT_WORD = re.compile(r"(?:[ \t]*(\d+):)?[ \t]*(?:0[xX])?([0-9a-fA-F]+)[ \t]*")
# Control characters, which occur in binary images but not in text.
_NOT_TEXT = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
_EXPECTED_IMAGE = "expected an image (`ipu-as assemble` makes one of a source)"
_OTHER_FILES = {b"\x93NUMPY": "an array of numpy", b"PK\x03\x04": "a ZIP archive"}
_MAX_MISTAKES = 20
_LONGEST_NUMBER = 1_000


class ImageError(Exception):
    """A file that is no image; `mistakes` pairs 1-based lines (0 for none) with messages."""

    def __init__(self, mistakes: Sequence[tuple[int, str]]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("; ".join(f"line {line}: {text}" for line, text in mistakes))


def encode_image(units: Iterable[int | bytes], isa: Isa, image_format: str) -> bytes:
    """Return an image of what `assemble` returns: words, or the bytes of units of code."""
    size, code = isa.image_bytes, machine_code_of(isa)
    parts = [each if isinstance(each, bytes) else each.to_bytes(size, "little") for each in units]
    if image_format == "bin" or code is None:
        return b"".join(parts)
    return "".join(f"{code.line(each, image_format)}\n" for each in parts).encode()


def formats_of(code: MachineCode) -> tuple[str, ...]:
    """Return the formats that programs of a set can be written in."""
    return ("bin", "hex", LISTING, ELF if code.has_objects else MEM)


def code_image(code: ObjectCode, isa: Isa, image_format: str) -> bytes:
    """Return assembled sections in a format other than a listing."""
    if image_format != ELF:
        units = (unit for section in code.sections for unit in units_of(section))
        return encode_image(units, isa, image_format)
    from ipu_asm.assembler.elf_writer import elf_of  # most programs have words

    return elf_of(code, required_code(isa).object_format)


def decode_image(image: bytes, isa: Isa, image_format: str | None = None) -> list[int]:
    """Return the words of an image in one of `FORMATS`. Raises `ImageError` with all mistakes.

    `hex` and `mem` are read alike, but for sets whose `mem` lines may be numbers in any base.
    Without a format, an image with control characters (every image of 24-byte words has zero bytes)
    is read as `bin`.
    """
    if (image_format or guessed_format(image)) == "bin":
        words, mistakes = _read_bytes(image, isa)
    else:
        takes_numbers = image_format == "mem" and isa.mem_lines.reads_numbers
        words, mistakes = _read_text(image.decode("utf-8", "replace"), isa, takes_numbers)
    if not words and not mistakes:
        mistakes = [(0, "an image has at least one word, found none")]
    if len(words) > isa.program_limit:
        message = f"instruction memory holds {isa.program_limit} words, found {len(words)}"
        mistakes.append((0, message))
    if mistakes:
        raise ImageError(mistakes[:_MAX_MISTAKES])
    return words


def guessed_format(image: bytes) -> str:
    """Return `hex` for bytes that can be text, else `bin`."""
    try:
        image.decode()
    except UnicodeDecodeError:
        return "bin"
    return "bin" if _NOT_TEXT.search(image) else "hex"


def _read_bytes(image: bytes, isa: Isa) -> tuple[list[int], list[tuple[int, str]]]:
    size = isa.image_bytes
    mistakes = []
    if len(image) % size:
        mistakes.append((0, f"a word takes {size} bytes, found {len(image)} bytes in all"))
    words = []
    for offset in range(0, len(image) - size + 1, size):
        word = int.from_bytes(image[offset : offset + size], "little")
        if word >> isa.word_bits:
            mistakes.append((0, f"a word has {isa.word_bits} bits, found more at byte {offset}"))
        words.append(word)
    found = next((what for magic, what in _OTHER_FILES.items() if image.startswith(magic)), None)
    if mistakes and found is not None:
        mistakes = [(0, f"{_EXPECTED_IMAGE}, found {found}")]
    return words, mistakes


def _read_text(text: str, isa: Isa, takes_numbers: bool) -> tuple[list[int], list[tuple[int, str]]]:
    words: list[int] = []
    mistakes: list[tuple[int, str]] = []
    for row, line in enumerate(_LINE_BREAK.split(text.removeprefix("\ufeff")), 1):
        code = line.partition("#")[0].strip()
        if not code:
            continue
        number = _read_number(code, isa) if takes_numbers else None
        if not words and number is None and _is_assembly(code, isa):
            return [], [(row, f"{_EXPECTED_IMAGE}, found the instruction {quoted(code)}")]
        word = _read_word(code, isa, len(words)) if number is None else number
        if isinstance(word, str):
            mistakes.append((row, word))
        words.append(word if isinstance(word, int) else 0)
    return words, mistakes


def _is_assembly(code: str, isa: Isa) -> bool:
    """Whether a line begins with a mnemonic that is no hexadecimal number, as `add` is."""
    first = re.split(r"[\s;]", code, maxsplit=1)[0]
    return isa.spec(first) is not None and _TEXT_WORD.fullmatch(code) is None


def _read_number(code: str, isa: Isa) -> int | None:
    """The word that a line has as a number literal in any base, None for any other line."""
    # `number_value` is for operands, which are shorter.
    number = int(code, 0) if len(code) <= _LONGEST_NUMBER and NUMBER.fullmatch(code) else -1
    return number if 0 <= number < 1 << isa.word_bits else None


def _read_word(code: str, isa: Isa, address: int) -> int | str:
    """The word on a line, or a message if there is none."""
    match = _TEXT_WORD.fullmatch(code)
    if not match:
        return f"expected the hexadecimal digits of one word, found {quoted(code)}"
    if match[1] is not None and match[1].lstrip("0") != str(address).lstrip("0"):
        return f"expected the word of address {address}, found that of {quoted(match[1])}"
    digits = match[2].lstrip("0")
    if len(digits) > isa.image_bytes * 2 or int(digits or "0", 16) >> isa.word_bits:
        return f"a word has {isa.word_bits} bits, found {quoted(code)}"
    return int(digits or "0", 16)


class ListedUnit(NamedTuple):
    """A unit as a listing shows it: its address, and that and its code as text.

    A unit that `is_fill` was not written: it fills the gap beside the one that was.
    """

    address: int | None
    text: str
    is_fill: bool = False


_NOTHING = ListedUnit(None, "")


class ListedCode(NamedTuple):
    """The units of a listing by the number of their bundle, the longest text, and their sizes."""

    units: Mapping[int, Sequence[ListedUnit]]
    width: int
    size: str


def listed_words(program: Program, words: Sequence[int | None] | None) -> ListedCode:
    """Return the words of a program, of which a bundle with an error has none.

    Without words, or where they are not known, the listing has addresses alone and is no image.
    """
    isa = program.isa
    digits = isa.image_bytes * 2 if words is not None else 0
    units = {}
    for address, number in enumerate(program.bundle_at_address):
        text = f"{address:{_ADDRESS_DIGITS}}"
        if words is not None and digits:
            word = words[address]
            text += f": 0x{'?' * digits if word is None else f'{word:0{digits}x}'}"
        units[number] = [ListedUnit(address, text)]
    width = _ADDRESS_DIGITS + (len(": 0x") + digits if digits else 0)
    return ListedCode(units, width, f" of {isa.image_bytes} bytes" if isa.has_words else "")


def listed_object(code: ObjectCode) -> ListedCode:
    """Return the units of all sections, those that fill gaps before the unit that they align."""
    found: dict[int, list[ListedUnit]] = {}
    for section in code.sections:
        fills: list[ListedUnit] = []
        last = fills
        for unit, data in zip(section.units, units_of(section)):
            text = f"{unit.offset:{_ADDRESS_DIGITS}x}: {data.hex()}"
            listed = ListedUnit(unit.offset, text, unit.bundle < 0)
            fills.append(listed)
            if not listed.is_fill:
                last = found.setdefault(unit.bundle, [])
                last += fills
                fills = []
        last += fills if last is not fills else ()
    widths = [len(unit.text) for units in found.values() for unit in units]
    width = min(max(widths, default=0), _MAX_CODE_WIDTH)
    sizes = [counted(len(each.data), "byte") + f" in {each.name}" for each in code.sections]
    return ListedCode(found, width, "".join(f", {each}" for each in sizes))


def listing_rows(
    program: Program, code: ListedCode, name: str, written: WrittenLines | None = None
) -> Iterator[ListingRow]:
    """Yield the listing of a program: each unit beside the line on which its bundle begins.

    `written` are the lines of a program that was read from an expansion.
    """
    isa = program.isa
    blank = " " * code.width
    errors = [finding for finding in program.findings if finding.severity is Severity.ERROR]
    errors.sort(key=lambda error: error.span)
    yield ListingRow(f"# isa: {isa.name}")
    yield ListingRow(f"# {printable(name)}: {_summary(program, code, errors)}")
    yield ListingRow("")
    said = 0
    for piece in _pieces(program, code):
        start, end = piece.span
        source = program.text[start:end].strip("\ufeff\r\n")
        shown = printable(source.replace("\t", _TAB)).rstrip()
        line, remark = (piece.line, "") if written is None else written.of(program.text, piece.span)
        for unit in code.units.get(piece.bundle, (_NOTHING,)):
            column = f"{unit.text:<{code.width}}"
            if unit.is_fill:
                yield ListingRow(f"{column}  # {_FILL}", unit.address)
                continue
            # A comment line needs no further mark to be ignored in an image.
            is_comment = unit is _NOTHING and source.lstrip().startswith("#")
            text = f"{column}  {' ' if is_comment else '#'} {shown}" if shown else column.rstrip()
            if remark:
                text = f"{text:<{code.width + _REMARK_COLUMN}}  # {remark}"
            yield ListingRow(text, unit.address, line)
        while said < len(errors) and (errors[said].span.start < end or end == len(program.text)):
            yield ListingRow(f"{blank}  # {_error(program, errors[said], start)}", None, line)
            said += 1


def _summary(program: Program, code: ListedCode, errors: Sequence[Diagnostic]) -> str:
    size = f"{program.size} {program.isa.unit}{'s' * (program.size != 1)}{code.size}"
    return f"{size}, {len(errors)} error{'s' * (len(errors) != 1)}" if errors else size


def _error(program: Program, error: Diagnostic, start: int) -> str:
    """The text of an error, below the column at which it begins."""
    column = error.span.start - start
    if column > _FARTHEST_MARK:
        return f"column {column + 1}: {error.code} {printable(error.message)}"
    before = program.text[start : max(start, error.span.start)].lstrip("\ufeff")
    indent = " " * len(printable(before.replace("\t", _TAB)))
    return f"{indent}^ {error.code} {printable(error.message)}"


def _pieces(program: Program, code: ListedCode) -> Iterator[_Piece]:
    """The lines of the text, split before each further bundle that begins on a line."""
    lines = LineIndex.of(program.text)
    begins: dict[int, list[tuple[int, int]]] = {}
    for number in sorted(code.units):
        begin = program.span(number, program.bundles[number].first_token).start
        begins.setdefault(lines.position(begin).line, []).append((number, begin))
    for line in range(len(lines.starts)):
        start, end = lines.line_span(line)
        here = begins.get(line, [(-1, start)])
        cuts = [start, *(begin for _, begin in here[1:]), end]
        for (number, _), first, stop in zip(here, cuts, cuts[1:]):
            if first < stop:
                yield _Piece(number, line, Span(first, stop))
