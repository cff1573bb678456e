"""Completion of a partly written expression: the words that may come next."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Final, Iterable, Iterator, NamedTuple

from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.element_types import (
    FP8,
    MASK,
    TYPE_ALIASES,
    TYPES,
    ElementType,
    element_of,
    named_type,
)
from ipu_asm.debugger.expressions.expected import Expected, expected_at_end
from ipu_asm.debugger.expressions.formatting import NOTATIONS, element_text, text_of
from ipu_asm.debugger.expressions.functions import FUNCTIONS
from ipu_asm.debugger.expressions.locations import REGISTER_NAMES, read, register_location
from ipu_asm.debugger.expressions.names import CONSTANTS, DTYPES, LABEL, MEMORY
from ipu_asm.expressions.errors import quoted
from ipu_asm.expressions.tokens import MAX_LENGTH
from ipu_asm.isa.ipu.machine.registers import DTYPE
from ipu_asm.isa.ipu.registers import XMEM_SIZE


class Candidate(NamedTuple):
    """A completion that replaces the `length` characters of the text from `start` on.

    `kind` is register, label, name (a register note or a constant), function, type or format; in
    the console also command. `detail` describes the word in one line.
    """

    text: str
    start: int
    length: int
    kind: str
    detail: str


class KnownWord(NamedTuple):
    """A word that the language or the program defines; the fields are those of `Candidate`."""

    text: str
    kind: str
    detail: str


class Word(NamedTuple):
    """The word around an offset; `typed` is its part before the offset."""

    start: int
    length: int
    typed: str


def complete(context: Context, text: str, offset: int) -> list[Candidate]:
    """Return the words that fit at an offset, those that begin with the typed letters first."""
    word = word_at(text, offset)
    if word is None:
        return []
    expected = expected_at_end(text[max(0, word.start - MAX_LENGTH) : word.start])
    return fitting(_entries(context, expected), word)


def word_at(text: str, offset: int) -> Word | None:
    """Return the word around an offset, which may be empty; None within a number."""
    offset = max(0, min(offset, len(text)))
    before, behind = text[max(0, offset - MAX_LENGTH) : offset], text[offset : offset + MAX_LENGTH]
    typed = before[len(before.rstrip(_LETTERS)) :]
    rest = len(behind) - len(behind.lstrip(_LETTERS))
    return None if typed[:1].isdigit() else Word(offset - len(typed), len(typed) + rest, typed)


def fitting(entries: Iterable[KnownWord], word: Word) -> list[Candidate]:
    """Return the entries that contain the typed letters, those that begin with them first."""
    typed = word.typed.lower()
    found = [
        Candidate(entry.text, word.start, word.length, entry.kind, entry.detail)
        for entry in entries
        if typed in entry.text.lower()
    ]
    return sorted(found, key=lambda candidate: not candidate.text.lower().startswith(typed))


_LETTERS: Final = f"{ascii_letters}{digits}_"


def _entries(context: Context, expected: Expected) -> Iterator[KnownWord]:
    if expected is Expected.LABEL:
        yield from _labels(context)
    elif expected is Expected.TYPE:
        yield from _types(context, "type", (*TYPES, FP8, *TYPE_ALIASES))
    elif expected is Expected.FORMAT:
        yield from (KnownWord(name, "format", detail) for name, detail in NOTATIONS.items())
        yield from _types(context, "format", (*TYPES, FP8, *TYPE_ALIASES))
    elif expected is Expected.VALUE:
        yield from _registers(context)
        yield from _names(context)
        yield from (KnownWord(name, "function", f.summary) for name, f in FUNCTIONS.items())
        yield KnownWord(LABEL, "function", "the address of a label that is called like a register")
        yield from _types(context, "type", (*TYPES, FP8))
        yield from (KnownWord(name, "name", _constant(name)) for name in CONSTANTS)


def _registers(context: Context) -> Iterator[KnownWord]:
    dtype = context.scalars[DTYPE]
    for name in REGISTER_NAMES:
        location = register_location(name, dtype)
        assert location is not None
        if location.length is None:
            detail = text_of(read(context, location))
        elif location.kind == MASK:
            detail = f"{location.length} masks of {MASK.bits} bits"
        else:
            detail = f"{location.length} elements, {location.kind.name}"
        yield KnownWord(name, "register", detail)
    yield KnownWord(MEMORY, "register", f"the memory, {XMEM_SIZE:#x} bytes")


def _names(context: Context) -> Iterator[KnownWord]:
    """Register notes, then labels, without those that a name of higher precedence hides."""
    hiding = {*REGISTER_NAMES, *CONSTANTS}
    for name, text in context.names.items():
        if name.lower() not in hiding:
            yield KnownWord(name, "name", quoted(text))
    for entry in _labels(context):
        if entry.text.lower() not in hiding and entry.text not in context.names:
            yield entry


def _labels(context: Context) -> Iterator[KnownWord]:
    for name, address in context.labels.items():
        yield KnownWord(name, "label", f"bundle {address}")


def _types(context: Context, kind: str, names: Iterable[str]) -> Iterator[KnownWord]:
    dtype = context.scalars[DTYPE]
    for name in names:
        type_ = named_type(name, dtype)
        assert type_ is not None
        yield KnownWord(name, kind, _described(name, type_, dtype))


def _described(name: str, type_: ElementType, dtype: int) -> str:
    if name == FP8:
        chosen = "the one that cr15 selects" if type_ == element_of(dtype) else "cr15 selects none"
        return f"8-bit float, {type_.name}: {chosen}"
    if name in TYPE_ALIASES:
        return f"the same as {type_.name}"
    if type_.is_float:
        return f"{type_.bits}-bit float"
    return f"{'signed' if type_.lowest else 'unsigned'} {type_.bits}-bit integer"


def _constant(name: str) -> str:
    if name in DTYPES:
        return f"what `dtype` is compared with: {DTYPES[name]}"
    return f"the value {element_text(CONSTANTS[name], None)}"
