"""Notations of the tables in the folders of sets: bit patterns, and blocks that describe.

A pattern has the highest bit first: `0110aaaabbb--1`.
`0` and `1` are fixed bits, `-` is written as 0 and ignored when it is read. A letter is a bit of a
field: `a` is the first operand, `b` the second. The bits of a field go from its highest to its
lowest in the order of the text. Where they do not, their order follows: `01aaaabb-aa a=3-0,5-4`. A
value may have bits that the word does not hold (`a=3-1`), or holds twice (`a=3-0,3-0`).

A block is a head and lines indented by four: a title, a bar and a summary, ``name: text`` lines of
operands, `=` lines of the operation, `>` lines of the example, `-` facts between semicolons. A line
that is indented further continues the one before it. A word in capitals and braces stands for a
text that several blocks share.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Collection, Iterator, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple


class FieldPiece(NamedTuple):
    """Bits of a value that are adjacent in the word: the lowest bits of both, and their number."""

    word_bit: int
    value_bit: int
    size: int


class BitPattern:
    """A pattern: `fixed` are its 1 bits, `mask` its 0 and 1 bits, `fields` pieces by letter.

    `repeated` are the letters of fields that the word holds more than once.
    """

    def __init__(self, text: str) -> None:
        text, *orders = text.split()
        self.width = len(text)
        self.fixed = int("".join("1" if bit == "1" else "0" for bit in text), 2)
        self.mask = int("".join("1" if bit in "01" else "0" for bit in text), 2)
        self.fields = {letter: _pieces(text, letter) for letter in sorted(set(text) - set("01-"))}
        for order in orders:
            letter, _, runs = order.partition("=")
            self.fields[letter] = _ordered_pieces(text, letter, runs)
        self.repeated = tuple(
            letter for letter, pieces in self.fields.items() if _is_repeated(pieces)
        )

    def insert(self, values: Mapping[str, int]) -> int:
        """Return the word with the values of its fields, by letter; higher bits are cut off."""
        word = self.fixed
        for letter, pieces in self.fields.items():
            word |= insert(pieces, values[letter])
        return word

    def extract(self, word: int) -> dict[str, int]:
        """Return the unsigned values of the fields of a word, by letter."""
        return {letter: extract(pieces, word) for letter, pieces in self.fields.items()}

    def matches(self, word: int) -> bool:
        if word & self.mask != self.fixed:
            return False
        fields = (self.fields[letter] for letter in self.repeated)
        return all(
            insert(pieces, extract(pieces, word)) == word & insert(pieces, -1) for pieces in fields
        )

    @cached_property
    def widths(self) -> Mapping[str, int]:
        """The number of bits of each field."""
        return {
            letter: sum(piece.size for piece in pieces) for letter, pieces in self.fields.items()
        }


def insert(pieces: Sequence[FieldPiece], value: int) -> int:
    """Return a word with the bits of a value at their places, all other bits 0."""
    word = 0
    for word_bit, value_bit, size in pieces:
        word |= (value >> value_bit & ((1 << size) - 1)) << word_bit
    return word


def extract(pieces: Sequence[FieldPiece], word: int) -> int:
    """Return the unsigned value whose bits are at their places in a word."""
    value = 0
    for word_bit, value_bit, size in pieces:
        value |= (word >> word_bit & ((1 << size) - 1)) << value_bit
    return value


def _pieces(text: str, letter: str) -> tuple[FieldPiece, ...]:
    """The pieces of a field, the lowest one first."""
    places = [place for place, bit in enumerate(reversed(text)) if bit == letter]
    pieces: list[FieldPiece] = []
    for value_bit, place in enumerate(places):
        last = pieces[-1] if pieces else None
        if last is not None and last.word_bit + last.size == place:
            pieces[-1] = last._replace(size=last.size + 1)
        else:
            pieces.append(FieldPiece(place, value_bit, 1))
    return tuple(pieces)


def _ordered_pieces(text: str, letter: str, runs: str) -> tuple[FieldPiece, ...]:
    """The pieces of a field whose value bits are `runs` of descending ones, from the left."""
    value_bits = [
        bit
        for highest, lowest in (map(int, run.split("-")) for run in runs.split(","))
        for bit in range(highest, lowest - 1, -1)
    ]
    places = [len(text) - 1 - index for index, bit in enumerate(text) if bit == letter]
    assert len(places) == len(value_bits), f"{text}: {letter} has {len(places)} bits, not {runs}"
    pieces: list[FieldPiece] = []
    for place, value_bit in reversed(list(zip(places, value_bits))):
        last = pieces[-1] if pieces else None
        if last and (last.word_bit + last.size, last.value_bit + last.size) == (place, value_bit):
            pieces[-1] = last._replace(size=last.size + 1)
        else:
            pieces.append(FieldPiece(place, value_bit, 1))
    return tuple(pieces)


def _is_repeated(pieces: Sequence[FieldPiece]) -> bool:
    bits = [piece.value_bit + bit for piece in pieces for bit in range(piece.size)]
    return len(set(bits)) < len(bits)


_SHARED_TEXT = re.compile(r"\{([A-Z_]+)\}")
_MARKS = "=>-"


class Block(NamedTuple):
    """A block, with the lines of its sentences, operation and example, and its facts."""

    head: str
    lines: list[str]
    operation: list[str]
    example: list[str]
    facts: list[str]

    def texts(self, names: Collection[str] = ()) -> tuple[str, str, dict[str, str]]:
        """Return title, summary, and the texts of those operands that have a line of their own."""
        sentences: list[str] = []
        of_operands: dict[str, str] = {}
        for line in self.lines:
            name, colon, text = line.partition(": ")
            if colon and name in names:
                of_operands[name] = text
            else:
                sentences.append(line)
        title, _, summary = " ".join(sentences).partition(" | ")
        return title, summary, of_operands


def blocks(text: str, shared: Mapping[str, str]) -> Iterator[Block]:
    """Yield the blocks of a table; `shared` has the texts by their words."""
    for head, *lines in raw_blocks(text):
        found = Block(head, [], [], [], [])
        of_mark = {"=": found.operation, ">": found.example, "-": found.facts}
        for line in lines:
            filled = _SHARED_TEXT.sub(lambda match: shared[match[1]], line)
            if line[0] == "-":
                found.facts.extend(filled[2:].split("; "))
            elif line[0] in _MARKS:
                of_mark[line[0]].append(filled[2:])
            else:
                found.lines.append(filled)
        yield found


def raw_blocks(text: str) -> Iterator[list[str]]:
    """Yield blocks as lines without their indentation, each with those that continue it."""
    block: list[str] = []
    for line in text.splitlines():
        stripped = line.removeprefix("    ")
        if stripped is line and block:
            yield block
            block = []
        if stripped[:1] == " ":
            block[-1] += f" {stripped.strip()}"
        else:
            block.append(stripped)
    yield block
