"""Regular expressions for TextMate grammars: Python's and Oniguruma's common ground.

What a word and a comment are comes from the terminals of a surface's Lark grammar, what a number is
from the operand types.
"""

from __future__ import annotations

import re
import string
from typing import Iterable, NamedTuple, Sequence

from ipu_asm.isa.operands import NUMBER
from ipu_asm.syntax.compile import compile_grammar
from ipu_asm.syntax.grammar import grammar_folder

BLANKS = "[ \\t]*"
NUMBER_PATTERN = NUMBER.pattern
"""What `number_value` takes, to be used inside a group."""

# The conventional names of comments by the mark that begins them.
LINE_COMMENTS = {
    "//": "double-slash",
    "--": "double-dash",
    "#": "number-sign",
    ";": "semicolon",
    "%": "percentage",
}
BLOCK_COMMENT = ("/*", "*/")
SAID = ("ipu", "isa")
"""With these words begins what comments say to the linter, and of the instruction set."""
STRING = r'"(?:[^"\\\r\n]|\\.)*"'
LINE_END = r"(?<![\\\n])(?<!\\[ \t])$"
"""The end of a line that does not go on behind a backslash."""

_WORDS = ("WORD", "NUMBER")
_NUMBERED = re.compile(r"(\D*)([0-9]+)")
_INDEXED = re.compile(r"(\w+)\[[0-9]+\]")
_PYTHON_GROUP = re.compile(r"\(\?P<\w+>")


class Terminals(NamedTuple):
    """The terminals of one surface: patterns by name, the ignored ones, those that are a text."""

    patterns: dict[str, str]
    ignored: tuple[str, ...]
    fixed: tuple[str, ...]

    @property
    def word(self) -> str:
        """The pattern of what may be a mnemonic, an operand or a label."""
        return self.patterns["WORD"]

    @property
    def number(self) -> str:
        """The pattern of a token that may be a number, for there to be found mistakes in it."""
        return "|".join(self.patterns[name] for name in _WORDS if name in self.patterns)

    @property
    def ends_with_line(self) -> bool:
        """Whether the end of a line ends an instruction."""
        return re.fullmatch(self.patterns["END"], "\n") is not None

    @property
    def more(self) -> str:
        """The characters with which words go on, to be used inside a character class."""
        goes_on = re.compile(self.number).fullmatch
        starts = [(f"a{c}", f"0{c}", f"a{c}a") for c in string.printable]
        return _class(c for c, texts in zip(string.printable, starts) if any(map(goes_on, texts)))

    @property
    def texts(self) -> dict[str, str]:
        """The terminals that are always written alike, as they are written."""
        return {name: self.patterns[name].replace("\\", "") for name in self.fixed}

    @property
    def has_strings(self) -> bool:
        """Whether there are texts in quotes."""
        return any(self.is_one(name, '"a b"') for name in self.patterns)

    def has(self, mark: str) -> bool:
        """Whether a word may have a character in front or inside."""
        return any(re.fullmatch(self.word, text) for text in (f"{mark}a", f"{mark}a{mark}"))

    def is_one(self, name: str, text: str) -> bool:
        """Whether a text may be a terminal of that name; such a terminal need not exist."""
        return name in self.patterns and re.fullmatch(self.patterns[name], text) is not None

    def ends_with(self, mark: str) -> bool:
        """Whether a mark on its line ends a bundle."""
        return self.is_one("END", mark)

    def separates(self, mark: str) -> bool:
        """Whether a mark stands between two instructions of a line, or ends the first of them."""
        return self.is_one("SEPARATOR", mark) or self.ends_with(mark)

    def skips(self, text: str, before: str = "") -> bool:
        """Whether a text is nothing to the parser, as comments are, behind other text of a line."""
        patterns = (re.compile(self.patterns[name]) for name in self.ignored)
        return any(pattern.fullmatch(before + text, len(before)) for pattern in patterns)

    def line_comments(self) -> list[str]:
        """The marks behind which the rest of a line is a comment, wherever they stand."""
        return [mark for mark in LINE_COMMENTS if self.skips(f"{mark} a: {mark} b", "a ")]

    def first_comments(self) -> list[str]:
        """The marks that begin a comment only where they are the first of a line."""
        marks = (mark for mark in LINE_COMMENTS if mark not in self.line_comments())
        return [mark for mark in marks if self.skips(f"{mark} a: {mark} b")]

    def said_comments(self) -> list[str]:
        """The marks that begin a comment only where something is said to the linter behind them."""
        others = [*self.line_comments(), *self.first_comments()]
        marks = (mark for mark in LINE_COMMENTS if mark not in others)
        return [mark for mark in marks if all(self.skips(f"{mark} {word}: a") for word in SAID)]

    def has_block_comments(self) -> bool:
        """Whether there are comments that may go over several lines."""
        return self.skips(" a\n b ".join(BLOCK_COMMENT))


def terminals_of(grammar: str) -> Terminals:
    """The terminals of `grammars/GRAMMAR.lark`."""
    with open(f"{grammar_folder()}/{grammar}.lark", encoding="utf-8") as file:
        tables = compile_grammar(file.read())
    patterns = {name: _PYTHON_GROUP.sub("(", text) for name, text, _ in tables["terminals"]}
    fixed = tuple(name for name, _, is_text in tables["terminals"] if is_text)
    return Terminals(patterns, tables["ignored"], fixed)


def alternatives(words: Iterable[str]) -> str:
    """One of these words, the longest first, to be used inside a group."""
    longest_first = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return "|".join(map(escaped, longest_first))


def registers(names: Sequence[str]) -> str:
    """One of these registers, in any case, to be used inside a group.

    `lr0`, `lr1`, ... are taken together; of `AB[0]`, `AB[1]`, ... the number may be written in
    every way.
    """
    indexed = dict.fromkeys(match[1] for name in names if (match := _INDEXED.fullmatch(name)))
    numbered: dict[str, list[str]] = {}
    others = []
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match:
            numbered.setdefault(match[1], []).append(match[2])
        elif not _INDEXED.fullmatch(name):
            others.append(name)
    parts = []
    if indexed:
        index = f"{BLANKS}\\[{BLANKS}(?:{NUMBER_PATTERN}){BLANKS}\\]"
        parts.append(f"(?:{alternatives(indexed)}){index}")
    parts += [f"{escaped(head)}(?:{_one_of(tails)})" for head, tails in numbered.items()]
    if others:
        parts.append(alternatives(others))
    return "|".join(parts)


def escaped(text: str) -> str:
    """A text as a pattern; only what means something to Oniguruma is escaped."""
    return re.sub(r"[.^$*+?{}\[\]\\|()]", r"\\\g<0>", text)


def _one_of(numbers: Sequence[str]) -> str:
    """Decimal numbers, those with the most digits first: ``1[0-5]|[0-9]``."""
    lasts: dict[str, list[str]] = {}
    for number in numbers:
        lasts.setdefault(number[:-1], []).append(number[-1])
    heads = sorted(lasts, key=lambda head: (-len(head), head))
    return "|".join(f"{head}[{_class(lasts[head])}]" for head in heads)


def _class(characters: Iterable[str]) -> str:
    """The inside of a character class, with ranges."""
    runs: list[list[int]] = []
    for code in sorted(set(map(ord, characters))):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(_run(first, last) for first, last in runs)


def _run(first: int, last: int) -> str:
    if last - first < 2:
        return "".join(re.escape(chr(code)) for code in range(first, last + 1))
    return f"{re.escape(chr(first))}-{re.escape(chr(last))}"
