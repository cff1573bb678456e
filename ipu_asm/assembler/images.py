"""Image formats of assembled programs: `bin`, `hex` and `mem`, and the listing.

bin
    Each word in `Isa.image_bytes` bytes, little-endian.
hex
    One line per word: `0x` and the digits of those bytes.
mem
    One line per word: `0x` and as many digits as the bits of the word need.
listing
    Address, the digits of `hex`, and the source as a comment: it can be read as an image, too.
"""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.assembler.listing import WrittenLines, listing_rows
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import NUMBER, quoted
from ipu_asm.program.program import Program

FORMATS = ("bin", "hex", "mem")

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


def encode_image(words: Sequence[int], isa: Isa, image_format: str) -> bytes:
    """Return the image of words in one of `FORMATS`."""
    if image_format == "bin":
        return b"".join(word.to_bytes(isa.image_bytes, "little") for word in words)
    prefix, digits, _ = isa.mem_lines if image_format == "mem" else ("0x", isa.image_bytes * 2, 0)
    return "".join(f"{prefix}{word:0{digits}x}\n" for word in words).encode()


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


def listing_of(
    program: Program, words: Sequence[int], name: str, written: WrittenLines | None = None
) -> str:
    """Return the listing of a program: each word beside the line on which its bundle begins.

    `written` are the lines of a program that was read from an expansion.
    """
    return "".join(f"{row.text}\n" for row in listing_rows(program, words, name, written))


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
