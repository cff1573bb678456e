"""The layout of a program in sections: the offset of every unit of code and of every datum.

The sizes do not depend on the values of symbols, but for those that directives compute.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Callable, Mapping, Sequence

from ipu_asm.assembler.machine_code import SECTION_FLAGS, MachineCode, Symbol
from ipu_asm.assembler.symbol_table import Place, SymbolTable
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import (
    IMMEDIATE_OUT_OF_RANGE,
    UNKNOWN_DIRECTIVE,
    UNKNOWN_KEYWORD,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
    Diagnostic,
    UnplacedFinding,
)
from ipu_asm.isa.operands import quoted
from ipu_asm.isa.surface import ARGUMENTS, INTEGERS, STRINGS
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.syntax.directives import STRING_ESCAPE, Argument, directive_arguments
from ipu_asm.text import Span

_MAX_BYTES = 1 << 24
"""Of all sections together."""

_MAX_WORD = (1 << 32) - 1
_MAX_UNIT = 8  # bytes that `.fill` repeats
_BINDINGS = {".globl": "global", ".global": "global", ".weak": "weak", ".local": "local"}
_VISIBILITIES = {".hidden": "hidden", ".protected": "protected", ".internal": "internal"}
_TYPES = {"function": "func", "func": "func", "object": "object", "tls_object": "tls",
          "common": "common", "notype": "notype"}  # fmt: skip
_ASSIGNMENTS = (".set", ".equ", ".equiv", ".eqv", "=")
_ALIGNMENTS = {".align": False, ".balign": False, ".p2align": True}
_SPACES = (".space", ".skip", ".zero")


_MAX_CODE = 1 << 19
_KINDS = {".text": "ax", ".init": "ax", ".data": "aw", ".bss": "aw", ".rodata": "a", ".tdata": "aw"}
_NO_BITS = (".bss", ".tbss")
_FLOAT_FORMATS = {".float": "<f", ".single": "<f", ".double": "<d", ".float32": "<f",
                  ".float64": "<d", ".dc.s": "<f", ".dc.d": "<d"}  # fmt: skip
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPES = {"b": 8, "f": 12, "n": 10, "r": 13, "t": 9, '"': 34, "\\": 92}
_FLOAT_MARK = re.compile(r"^([-+]?)0[c-wyz](?=[-+.\d])")
_WITH_BYTES = {
    *(word for word, taken in ARGUMENTS.items() if taken.kind in (INTEGERS, STRINGS)),
    *_FLOAT_FORMATS,
}
_SILENT = re.compile(
    r"\.(?:file|ident|loc|cfi_\w+|addrsig\w*|extern|worker|supervisor|version|no_dead_strip|purgem"
    r"|(?:allow|warn_on|error_on)_\w+|(?:no)?altmacro|print|warning|func|endfunc)"
)
"""Directives without bytes, symbols or sections that a linker needs."""

_UNDECIDED = re.compile(r"\.(?:if\w*|rept|irpc?|irepc?|macro|exitm)")
"""Directives that the expansion has left in place, because a name in them has no known value."""

_FOLLOWING = re.compile(r"\.(?:else\w*|endif|endr|endm(?:acro)?)")


class Piece(NamedTuple):
    """A unit of code, data or a gap at an offset of its section.

    `values` are the expressions of a data directive, each of `size / len(values)` bytes; a piece
    without code, data and values is a gap in code.
    """

    bundle: int
    offset: int
    size: int
    code: Bundle | None = None
    data: bytes = b""
    values: Sequence[Argument] = ()


class OpenSection:
    """A section while a program is read."""

    def __init__(self, name: str, flags: str, kind: str) -> None:
        self.name = name
        self.flags = flags
        self.kind = kind
        self.alignment = 1
        self.entry_size = 0
        self.group = ""
        self.size = 0
        self.pieces: list[Piece] = []

    @property
    def is_code(self) -> bool:
        return "x" in self.flags


class Layout:
    """The state of reading one program: sections with their pieces, symbols, and errors."""

    def __init__(self, program: Program, code: MachineCode, is_final: bool) -> None:
        self.program = program
        self.code = code
        self.is_final = is_final
        self.errors: list[Diagnostic] = []
        self.sections: dict[str, OpenSection] = {}
        self.current = self.section(".text")
        self.previous = self.current
        self.stack: list[tuple[OpenSection, OpenSection]] = []
        self.table = SymbolTable(code, is_final=is_final)
        self.symbols: dict[str, Symbol] = {}
        self.sizes: dict[str, tuple[str, Place]] = {}
        self.bytes_left = {True: _MAX_CODE, False: _MAX_BYTES}

    def read(self, number: int, bundle: Bundle) -> None:
        """Add the label, the directive or the instructions of a slice to the current section."""
        if bundle.label is not None:
            self.table.define(bundle.label, self.place(number))
        if bundle.directive is not None:
            self._directive(number, bundle)
        elif bundle.has_unknown:
            message = "no instruction, and no macro that is defined here; is a header missing?"
            self.error(number, UnplacedFinding(UNKNOWN_MNEMONIC, message))
        elif bundle.instructions:
            self.align(number, self.code.step)
            self.append(number, self.code.size(bundle), bundle)

    def place(self, number: int) -> Place:
        """The place at which the next byte will be."""
        return Place(number, self.current.name, self.current.size)

    def _directive(self, number: int, bundle: Bundle) -> None:
        word = (bundle.directive or "").lower()
        known = directive_arguments(bundle.syntax)
        arguments = known or ()
        handler = _HANDLERS.get(word)
        assigned = bundle.syntax.words[bundle.syntax.plan.directive + 1 :]
        taken = ARGUMENTS.get(word)
        if assigned[:1] == ("=",):
            text = _text_between(self.program, number, "=")
            self.table.assign(bundle.directive or "", text, self.place(number))
        elif known is None and (handler is not None or word in _WITH_BYTES):
            message = f"the arguments of {quoted(word)} are not known: is a header missing?"
            self.error(number, UnplacedFinding(WRONG_OPERAND_TYPE, message))
        elif handler is not None:
            handler(self, number, word, arguments)
        elif taken is not None and taken.kind == INTEGERS:
            size = taken.bits // 8 * len(arguments)
            self.append(number, size, values=arguments)
        elif word in _FLOAT_FORMATS:
            data = [self._float(number, word, argument) for argument in arguments]
            self.append(number, sum(map(len, data)), data=b"".join(data))
        elif (
            taken is not None and taken.kind == STRINGS and word in (".ascii", ".asciz", ".string")
        ):
            end = b"" if word == ".ascii" else b"\0"
            data = [_string(argument.text) + end for argument in arguments]
            self.append(number, sum(map(len, data)), data=b"".join(data))
        elif _UNDECIDED.fullmatch(word):
            message = f"what {quoted(word)} expands to is not known: a name in it has no value here"
            self.error(number, UnplacedFinding(UNKNOWN_DIRECTIVE, message))
        elif not (_SILENT.fullmatch(word) or _FOLLOWING.fullmatch(word)) and word[:1] == ".":
            message = f"what {quoted(word)} puts into an object is not known"
            self.error(number, UnplacedFinding(UNKNOWN_DIRECTIVE, message))

    def _float(self, number: int, word: str, argument: Argument) -> bytes:
        layout = _FLOAT_FORMATS[word]
        try:
            return _float_bytes(layout, argument.text)
        except (ValueError, OverflowError):
            message = f"expected a floating-point number, found {quoted(argument.text)}"
            self.error(number, UnplacedFinding(WRONG_OPERAND_TYPE, message), argument.span)
            return bytes(struct.calcsize(layout))

    def section(self, name: str, flags: str | None = None, kind: str = "") -> OpenSection:
        found = self.sections.get(name)
        if found is None:
            base = "." + name.split(".")[1] if name.startswith(".") and "." in name else name
            given = _KINDS.get(base, "") if flags is None else flags
            kind = kind or ("nobits" if base in _NO_BITS else "progbits")
            found = self.sections[name] = OpenSection(name, given, kind)
        return found

    def enter(self, section: OpenSection) -> None:
        self.previous, self.current = self.current, section

    def append(
        self,
        number: int,
        size: int,
        code: Bundle | None = None,
        data: bytes = b"",
        values: Sequence[Argument] = (),
    ) -> None:
        """Add a piece of bundle `number` to the current section."""
        section = self.current
        if size > self.bytes_left[section.is_code]:
            what, limit = ("code", _MAX_CODE) if section.is_code else ("data", _MAX_BYTES)
            message = f"sections of {what} have at most {limit} bytes in all, found more"
            self.error(number, UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message))
            return
        self.bytes_left[section.is_code] -= size
        section.pieces.append(Piece(number, section.size, size, code, data, values))
        section.size += size

    def align(self, number: int, alignment: int, fill: int | None = None) -> None:
        self.current.alignment = max(self.current.alignment, alignment)
        gap = -self.current.size % alignment
        if not gap:
            return
        is_filled_with_code = fill is None and self.current.is_code
        self.append(number, gap, data=b"" if is_filled_with_code else _equal_bytes(fill, gap))

    def error(self, number: int, finding: UnplacedFinding, span: Span | None = None) -> None:
        number = max(number, 0)
        bundle = self.program.bundles[number]
        self.errors.append(finding.at(self.program.span(number, span or bundle.first_token)))


def _switch(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Enter another section."""
    if word == ".previous":
        to.enter(to.previous)
    elif word == ".popsection":
        if to.stack:
            to.current, to.previous = to.stack.pop()
        else:
            message = "`.popsection` goes back to a `.pushsection`, found none before it"
            to.error(number, UnplacedFinding(UNKNOWN_DIRECTIVE, message))
    elif word in (".section", ".pushsection"):
        if word == ".pushsection":
            to.stack.append((to.current, to.previous))
        _enter_named(to, number, arguments)
    else:
        to.enter(to.section(word))


def _enter_named(to: Layout, number: int, arguments: Sequence[Argument]) -> None:
    """Enter a section by its name, flags, type, size of entries and group."""
    texts = [argument.text for argument in arguments]
    flags = next((text.strip('"') for text in texts[1:] if text[:1] == '"'), None)
    kind = next((text[1:] for text in texts[1:] if text[:1] in "@%"), "")
    for letter in sorted(set(flags or "") - SECTION_FLAGS.keys()):
        message = f"sections have the flags `{''.join(SECTION_FLAGS)}`, found {quoted(letter)}"
        to.error(number, UnplacedFinding(WRONG_OPERAND_TYPE, message), arguments[1].span)
        return
    rest = [each for each in arguments[1:] if each.text[:1] not in ('"', "@", "%")]
    section = to.section(texts[0].strip('"'), flags, kind)
    if flags is not None and {*flags} != {*section.flags}:
        message = f"{quoted(section.name)} has the flags `{section.flags}`, found {quoted(flags)}"
        to.error(number, UnplacedFinding(UNKNOWN_KEYWORD, message), arguments[1].span)
    if "M" in section.flags and rest:
        section.entry_size = _known(to, number, rest.pop(0), most=_MAX_WORD) or 0
    if "G" in section.flags and rest:
        section.group = rest[0].text.strip('"')
    elif "G" in section.flags:
        message = f"a section of a group names it, found {quoted(section.name)} without"
        to.error(number, UnplacedFinding(WRONG_OPERAND_TYPE, message))
    to.enter(section)


def _declare(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Set the binding or the visibility of symbols."""
    for argument in arguments:
        name = argument.text.strip('"')
        known = to.symbols.get(name, Symbol(name))
        if word in _BINDINGS:
            known = known._replace(binding=_BINDINGS[word])
        else:
            known = known._replace(visibility=_VISIBILITIES[word])
        to.symbols[name] = known


def _set_type(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    if len(arguments) < 2:
        return
    name = arguments[0].text.strip('"')
    kind = arguments[1].text.lstrip("@%#").strip('"').lower().removeprefix("stt_")
    known = to.symbols.get(name, Symbol(name))
    to.symbols[name] = known._replace(kind=_TYPES.get(kind, "notype"))


def _set_size(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    if len(arguments) > 1:
        place = to.place(number)
        text = to.table.with_labels(arguments[1].text, place)
        to.sizes[arguments[0].text.strip('"')] = (text, place)


def _assign(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Give a symbol the value of an expression."""
    if len(arguments) > 1:
        to.table.assign(arguments[0].text, arguments[1].text, to.place(number))


def _fill_up(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Fill up to a multiple of an address."""
    value = _known(to, number, arguments[0], most=_MAX_WORD) if arguments else None
    if value is None:
        return
    amount = 1 << value if _ALIGNMENTS[word] and value < 32 else value
    if not _is_alignment(to, number, amount, arguments[0]):
        return
    given = arguments[1].text if len(arguments) > 1 else ""
    fill = _known(to, number, arguments[1]) if given else None
    if amount > 0:
        most = _known(to, number, arguments[2]) if len(arguments) > 2 else None
        if most is None or -to.current.size % amount <= most:
            to.align(number, amount, fill)


def _space(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Place a number of equal bytes."""
    size = _known(to, number, arguments[0], most=_MAX_WORD) if arguments else None
    fill = _known(to, number, arguments[1]) if len(arguments) > 1 else 0
    if size:
        to.append(number, size, data=_equal_bytes(fill, size))


def _repeat(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Place a value many times: `.fill count, size, value`, of which 4 bytes count."""
    limits = (_MAX_WORD, _MAX_UNIT, None)
    numbers = [_known(to, number, each, most=most) for each, most in zip(arguments, limits)]
    if None in numbers or not numbers:
        return
    times, size, value = (*(n or 0 for n in numbers), *(0, 1, 0)[len(numbers) :])
    if times * size:
        item = (value & ((1 << 8 * min(size, 4)) - 1)).to_bytes(size, "little")
        to.append(number, times * size, data=item * min(times, _MAX_BYTES // size))


def _common(to: Layout, number: int, word: str, arguments: Sequence[Argument]) -> None:
    """Reserve memory under a name."""
    name = arguments[0].text if arguments else ""
    numbers = [_known(to, number, argument, most=_MAX_WORD) for argument in arguments[1:3]]
    if not name or None in numbers or not numbers:
        return
    size, alignment = (*(n or 0 for n in numbers), 1)[:2]
    if not _is_alignment(to, number, alignment, arguments[-1]):
        return
    if word == ".comm":
        to.symbols[name] = Symbol(name, "", alignment, size, "global", "common")
    else:
        before, to.current = to.current, to.section(".bss")
        to.align(number, max(alignment, 1), 0)
        to.table.define(name, to.place(number))
        to.append(number, size, data=_equal_bytes(0, size))
        to.current = before


def _is_alignment(to: Layout, number: int, value: int, argument: Argument) -> bool:
    """Return whether a number is 0 or a power of 2; otherwise it is an error."""
    if value & (value - 1) == 0:
        return True
    message = f"an alignment is a power of 2, found {quoted(argument.text)}"
    to.error(number, UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message), argument.span)
    return False


def _equal_bytes(value: int | None, size: int) -> bytes:
    """Return so many bytes, or fewer where no section holds so many."""
    return bytes([(value or 0) & 0xFF]) * min(size, _MAX_BYTES)


def _known(to: Layout, number: int, argument: Argument, most: int | None = None) -> int | None:
    """Return the value of an argument, from 0 to `most`; None if that is an error."""
    value = to.table.number(argument.text, to.place(number))
    if value is not None and (most is None or 0 <= value <= most):
        return value
    shown = quoted(argument.text)
    code, message = WRONG_OPERAND_TYPE, f"{shown} has no value here, where sizes are computed"
    if value is not None:
        code = IMMEDIATE_OUT_OF_RANGE
        message = f"expected a number from 0 to {most}, found {shown}, which is {value}"
    to.error(number, UnplacedFinding(code, message), argument.span)
    return None


_Handler = Callable[[Layout, int, str, Sequence[Argument]], None]
_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(
        (".text", ".data", ".bss", ".section", ".pushsection", ".popsection", ".previous"), _switch
    ),
    **dict.fromkeys((*_BINDINGS, *_VISIBILITIES), _declare),
    ".type": _set_type,
    ".size": _set_size,
    **dict.fromkeys(_ASSIGNMENTS, _assign),
    **dict.fromkeys(_ALIGNMENTS, _fill_up),
    **dict.fromkeys(_SPACES, _space),
    ".fill": _repeat,
    ".comm": _common,
    ".lcomm": _common,
}


def _text_between(program: Program, number: int, mark: str) -> str:
    """The text of a slice after a mark, without comments: its words."""
    words = program.bundles[number].syntax.words
    start = words.index(mark) + 1
    return " ".join(word for word in words[start:] if word not in ("\n", ";", "\r\n"))


def _float_bytes(layout: str, text: str) -> bytes:
    """Return a number as C and the GNU assembler write it, in `layout`. Raises ValueError.

    A NaN has all bits but the sign, as that of LLVM's assembler has.
    """
    text = _FLOAT_MARK.sub(r"\1", text.lower())
    if "0x" in text:
        return struct.pack(layout, float.fromhex(text))
    value = float(text[:-1] if text.endswith("f") and text[-2:] != "nf" else text)
    if not math.isnan(value):
        return struct.pack(layout, value)
    size = struct.calcsize(layout)
    all_bits = (1 << (8 * size - 1)) - 1
    return (all_bits | (text.startswith("-") << (8 * size - 1))).to_bytes(size, "little")


def _string(text: str) -> bytes:
    """The bytes of strings in double quotes with blanks between them, which are one."""

    def escaped(match: re.Match[str]) -> str:
        escape = match["known"]
        if escape[0] in "01234567":
            return chr(int(escape, 8) & 0xFF)
        if escape[0] in "xX":
            return chr(int(escape[1:], 16) & 0xFF)
        return chr(_ESCAPES[escape])

    inner = "".join(match[1] for match in _QUOTED.finditer(text)) if text[:1] == '"' else text
    plain = STRING_ESCAPE.sub(escaped, inner.encode("utf-8", "surrogatepass").decode("latin-1"))
    return plain.encode("latin-1", "replace")
