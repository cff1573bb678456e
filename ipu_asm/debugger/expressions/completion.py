"""Completion of a partly written expression, and the expression under the pointer."""

from __future__ import annotations

import re
from enum import Enum
from string import ascii_letters, digits
from typing import Final, Iterable, Iterator

from ipu_asm.debugger.expressions.context import Context, read
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineView
from ipu_asm.debugger.expressions.values import FUNCTIONS, NOTATIONS, element_text, text_of
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.element_types import FP8, MASK, ElementType
from ipu_asm.expressions.parser import MAX_LENGTH, WORD, WORDS
from ipu_asm.expressions.tree import quoted
from ipu_asm.named_tuple import NamedTuple

_BRACKETS: Final = r"\[[^\[\]]{0,200}\]"
_INDEXED_WORD: Final = re.compile(
    rf"(?<!\w)(?<!\w\.)([A-Za-z_][A-Za-z0-9_]*)(?:{_BRACKETS}){{0,2}}(?!\w|\.\w)"
)
_MAX_LINE_LENGTH: Final = 10_000


class HoverTarget(NamedTuple):
    """The expression `text`, from column `start` to column `end` of its line."""

    start: int
    end: int
    text: str


class Expected(Enum):
    VALUE = "value"
    OPERATOR = "operator"
    LABEL = "label"
    TYPE = "type"
    FORMAT = "format"
    NOTHING = "nothing"


_TOP: Final = "top"
_INDEX: Final = "index"
_LIST: Final = "list"
_GROUP: Final = "group"


class _Bracket:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.choices = 0


class _OpenBrackets:
    """The stack of open brackets, and what may come next within the innermost."""

    def __init__(self) -> None:
        self.expected = Expected.VALUE
        self._open = [_Bracket(_TOP)]
        self._word = ""

    def word(self, text: str) -> None:
        self.expected = Expected.VALUE if text in WORDS else Expected.OPERATOR
        self._word = text

    def sign(self, sign: str) -> None:
        inner = self._open[-1]
        if sign in ("(", "["):
            self._enter(sign)
        elif sign in (")", "]"):
            if len(self._open) > 1:
                self._open.pop()
            self.expected = Expected.OPERATOR
        elif sign == "?":
            inner.choices += 1
            self.expected = Expected.VALUE
        elif sign == ":":
            self.expected = self._behind_colon(inner)
        elif sign == ",":
            self.expected = {_TOP: Expected.FORMAT, _INDEX: Expected.NOTHING}.get(
                inner.kind, Expected.VALUE
            )
        else:
            self.expected = Expected.VALUE
        self._word = ""

    def _enter(self, sign: str) -> None:
        behind_value = self.expected is Expected.OPERATOR
        if sign == "[":
            self._open.append(_Bracket(_INDEX if behind_value else _LIST))
        else:
            self._open.append(_Bracket(_GROUP))
        is_label = behind_value and sign == "(" and self._word == LABEL
        self.expected = Expected.LABEL if is_label else Expected.VALUE

    def _behind_colon(self, inner: _Bracket) -> Expected:
        if inner.choices:
            inner.choices -= 1
            return Expected.VALUE
        return Expected.TYPE if inner.kind == _INDEX else Expected.NOTHING


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
    before, after = text[max(0, offset - MAX_LENGTH) : offset], text[offset : offset + MAX_LENGTH]
    typed = before[len(before.rstrip(_LETTERS)) :]
    rest = len(after) - len(after.lstrip(_LETTERS))
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
    view = context.view
    names = view.names
    if expected is Expected.LABEL:
        yield from _labels(context)
    elif expected is Expected.TYPE:
        yield from _types(view, "type", names.types)
    elif expected is Expected.FORMAT:
        yield from (KnownWord(name, "format", detail) for name, detail in NOTATIONS.items())
        yield from _types(view, "format", names.types)
    elif expected is Expected.VALUE:
        yield from _registers(context)
        yield from _names(context)
        yield from (KnownWord(name, "function", f.summary) for name, f in FUNCTIONS.items())
        yield KnownWord(LABEL, "function", "the address of a label that is called like a register")
        yield from _types(view, "type", names.plain_types)
        yield from (KnownWord(name, "name", _constant(view, name)) for name in names.constants)


def _registers(context: Context) -> Iterator[KnownWord]:
    view = context.view
    for name in view.names.registers:
        location = view.existing(name)
        if location.length is None:
            detail = text_of(read(context, location))
        elif location.kind == MASK:
            detail = f"{location.length} masks of {MASK.bits} bits"
        else:
            detail = f"{location.length} elements, {location.kind.name}"
        yield KnownWord(name, "register", detail)
    for name, setting in context.settings.items():
        yield KnownWord(name, "register", f"{setting.text}, set by the host")
    yield KnownWord(MEMORY, "register", f"the memory, {view.model.memory_size:#x} bytes")


def _names(context: Context) -> Iterator[KnownWord]:
    """Register notes, then labels, without those that a name of higher precedence hides."""
    names = context.view.names
    hiding = {*names.registers, *context.settings, *names.constants}
    for name, text in context.names.items():
        if name.lower() not in hiding:
            yield KnownWord(name, "name", quoted(text))
    for entry in _labels(context):
        if entry.text.lower() not in hiding and entry.text not in context.names:
            yield entry


def _labels(context: Context) -> Iterator[KnownWord]:
    for name, address in context.labels.items():
        yield KnownWord(name, "label", f"bundle {address}")


def _types(view: MachineView, kind: str, names: Iterable[str]) -> Iterator[KnownWord]:
    for name in names:
        type_ = view.type_named(name)
        assert type_ is not None
        yield KnownWord(name, kind, _described(view, name, type_))


def _described(view: MachineView, name: str, type_: ElementType) -> str:
    if name == FP8:
        source = view.model.type_register or "the host"
        chosen = f"the one that {source} selects"
        if type_ != view.element:
            chosen = f"{source} selects none"
        return f"8-bit float, {type_.name}: {chosen}"
    if name in view.names.aliases:
        return f"the same as {type_.name}"
    if type_.is_float:
        return f"{type_.bits}-bit float"
    return f"{'signed' if type_.lowest else 'unsigned'} {type_.bits}-bit integer"


def _constant(view: MachineView, name: str) -> str:
    if name in view.model.constants:
        return f"what `dtype` is compared with: {view.model.constants[name]}"
    return f"the value {element_text(view.names.constants[name], None)}"


def expected_at_end(text: str) -> Expected:
    """Return what may follow a text, also one that is incomplete or wrong."""
    brackets = _OpenBrackets()
    for match in WORD.finditer(text):
        if match.lastgroup == "sign":
            brackets.sign(match.group())
        else:
            brackets.word(match.group())
    return brackets.expected


def expression_at(line: str, column: int) -> HoverTarget | None:
    """Return the register, label or name at a column, with its index; None if there is none.

    On a word within the brackets it returns that word. A part of a mnemonic such as `acc.first`
    gives None.
    """
    if not 0 <= column <= len(line) <= _MAX_LINE_LENGTH:
        return None
    start = 0
    found = None
    while (match := _INDEXED_WORD.search(line, start)) is not None and match.start() <= column:
        if column <= match.end():
            found = HoverTarget(*match.span(), match.group())
        # Continue within the brackets.
        start = match.end(1)
    return found
