"""Regular expressions for TextMate grammars, in the common subset of Python and Oniguruma.

Words and comments are defined by the terminals of a surface's Lark grammar, numbers by the operand
types.
"""

from __future__ import annotations

import re
import string
from typing import Any, Iterable, Iterator, Sequence

from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.operands import NUMBER
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.compile import compile_grammar
from ipu_asm.syntax.grammar import BRACES, DIRECTIVE, LABEL_TOKENS, grammar_folder

# The second of two scopes is the inner one. Few themes have a colour for labels and for bundle
# ends, so those of functions and of keywords are used. With these names most themes, among them
# those of Visual Studio Code, distinguish mnemonics, registers, labels and plain words.
LABEL = "entity.name.label entity.name.function.label"


class Language(NamedTuple):
    """The instruction sets that share a language.

    `word_end` is a lookahead that a word must end there.
    """

    suffix: str
    isas: tuple[Isa, ...]
    terminals: Terminals
    word_end: str

    def scope(self, name: str) -> str:
        """Return scope names with the suffix of this language."""
        return " ".join(f"{part}.{self.suffix}" for part in name.split(" "))

    def instructions(self) -> dict[str, list[InstructionSpec]]:
        """Return all forms in all sets by mnemonic."""
        found: dict[str, list[InstructionSpec]] = {}
        for isa in self.isas:
            for spec in isa.instructions.values():
                found.setdefault(spec.mnemonic, []).extend(isa.forms(spec))
        return found

    def one_of(self, mnemonics: Iterable[str]) -> str:
        """Return a group that matches these mnemonics, in any case where their set allows it."""
        names = list(mnemonics)
        in_any_case = [name for name in names if self._is_in_any_case(name)]
        exact = [name for name in names if name not in in_any_case]
        groups = [f"(?:{alternatives(exact)})"] if exact else []
        groups += [f"(?i:{alternatives(in_any_case)})"] if in_any_case else []
        return groups[0] if len(groups) == 1 else f"(?:{'|'.join(groups)})"

    def _is_in_any_case(self, mnemonic: str) -> bool:
        return any(
            mnemonic in isa.instructions for isa in self.isas if isa.surface.case_insensitive
        )

    @property
    def braces(self) -> list[str]:
        """Return patterns for the braces around a bundle, if the language has any."""
        return [
            escaped(self.terminals.texts[name]) for name in BRACES if name in self.terminals.texts
        ]

    @property
    def numeric_labels(self) -> bool:
        """Check whether labels can be numbers that are defined repeatedly."""
        return self.isas[0].surface.numeric_labels

    @property
    def has_expressions(self) -> bool:
        """Check whether a sign is a token of its own, as in arithmetic expressions."""
        return "SIGN" in self.terminals.patterns

    @property
    def label_colon(self) -> str:
        """Return the pattern of the mark after a label."""
        return self.terminals.patterns[LABEL_TOKENS[-1]]


def language_of(isas: tuple[Isa, ...]) -> Language:
    """Return the language in which these sets are written."""
    surface = isas[0].surface
    terminals = terminals_of(surface.grammar)
    suffix = surface.language_id.removesuffix("-asm")
    return Language(suffix, isas, terminals, f"(?![{terminals.word_characters}])")


BLANKS = "[ \\t]*"
NUMBER_PATTERN = NUMBER.pattern
"""Matches what `number_value` accepts; for use inside a group."""

# TextMate's conventional names of line comments, by delimiter.
LINE_COMMENTS = {
    "//": "double-slash",
    "--": "double-dash",
    "#": "number-sign",
    ";": "semicolon",
    "%": "percentage",
}
BLOCK_COMMENT = ("/*", "*/")
DIRECTIVE_WORDS = ("ipu", "isa")
"""The words that introduce comments to the linter and the choice of instruction set."""

STRING = r'"(?:[^"\\\r\n]|\\.)*"'
LINE_END = r"(?<![\\\n])(?<!\\[ \t])$"
"""Matches the end of a line without a continuation backslash."""

_WORDS = ("WORD", "NUMBER")
_NUMBERED = re.compile(r"(\D*)([0-9]+)")
_INDEXED = re.compile(r"(\w+)\[[0-9]+\]")
_PYTHON_GROUP = re.compile(r"\(\?P<\w+>")


class Terminals(NamedTuple):
    """The terminals of one surface.

    `patterns` maps names to regular expressions; `ignored` are the names of skipped terminals,
    `fixed` those of terminals with a constant text.
    """

    patterns: dict[str, str]
    ignored: tuple[str, ...]
    fixed: tuple[str, ...]

    @property
    def word(self) -> str:
        """Return the pattern of a mnemonic, an operand or a label."""
        return self.patterns["WORD"]

    @property
    def number(self) -> str:
        """Return the pattern of tokens that can be numbers, valid or not."""
        return "|".join(self.patterns[name] for name in _WORDS if name in self.patterns)

    @property
    def ends_with_line(self) -> bool:
        """Check whether the end of a line ends an instruction."""
        return re.fullmatch(self.patterns["END"], "\n") is not None

    @property
    def word_characters(self) -> str:
        """Return the characters that continue a word, for use inside a character class."""
        goes_on = re.compile(self.number).fullmatch
        starts = [(f"a{c}", f"0{c}", f"a{c}a") for c in string.printable]
        return _class(c for c, texts in zip(string.printable, starts) if any(map(goes_on, texts)))

    @property
    def texts(self) -> dict[str, str]:
        """Return the texts of the constant terminals by name."""
        return {name: self.patterns[name].replace("\\", "") for name in self.fixed}

    @property
    def has_strings(self) -> bool:
        """Check whether the language has quoted strings."""
        return any(self.is_one(name, '"a b"') for name in self.patterns)

    def has(self, mark: str) -> bool:
        """Check whether a word can contain a character at its start or inside."""
        return any(re.fullmatch(self.word, text) for text in (f"{mark}a", f"{mark}a{mark}"))

    def is_one(self, name: str, text: str) -> bool:
        """Check whether a text matches the terminal `name`; False if there is no such terminal."""
        return name in self.patterns and re.fullmatch(self.patterns[name], text) is not None

    def ends_with(self, mark: str) -> bool:
        """Check whether a mark ends a bundle within a line."""
        return self.is_one("END", mark)

    def separates(self, mark: str) -> bool:
        """Check whether a mark separates two instructions on a line or ends the first one."""
        return self.is_one("SEPARATOR", mark) or self.ends_with(mark)

    def ignores(self, text: str, before: str = "") -> bool:
        """Check whether the parser ignores a text, such as a comment, after `before` on a line."""
        patterns = (re.compile(self.patterns[name]) for name in self.ignored)
        return any(pattern.fullmatch(before + text, len(before)) for pattern in patterns)

    def line_comments(self) -> list[str]:
        """Return the delimiters that begin a line comment anywhere."""
        return [mark for mark in LINE_COMMENTS if self.ignores(f"{mark} a: {mark} b", "a ")]

    def first_comments(self) -> list[str]:
        """Return the delimiters that begin a comment only at the start of a line."""
        marks = (mark for mark in LINE_COMMENTS if mark not in self.line_comments())
        return [mark for mark in marks if self.ignores(f"{mark} a: {mark} b")]

    def directive_comments(self) -> list[str]:
        """Return the delimiters that begin a comment only before one of `DIRECTIVE_WORDS`."""
        others = [*self.line_comments(), *self.first_comments()]
        marks = (mark for mark in LINE_COMMENTS if mark not in others)
        return [
            mark
            for mark in marks
            if all(self.ignores(f"{mark} {word}: a") for word in DIRECTIVE_WORDS)
        ]

    def has_block_comments(self) -> bool:
        """Check whether the language has comments of several lines."""
        return self.ignores(" a\n b ".join(BLOCK_COMMENT))


def terminals_of(grammar: str) -> Terminals:
    """Return the terminals of `grammars/GRAMMAR.lark`."""
    with open(f"{grammar_folder()}/{grammar}.lark", encoding="utf-8") as file:
        tables = compile_grammar(file.read())
    patterns = {name: _PYTHON_GROUP.sub("(", text) for name, text, _ in tables["terminals"]}
    fixed = tuple(name for name, _, is_text in tables["terminals"] if is_text)
    return Terminals(patterns, tables["ignored"], fixed)


def alternatives(words: Iterable[str]) -> str:
    """Return alternatives for these words, longest first, for use inside a group."""
    longest_first = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return "|".join(map(escaped, longest_first))


def registers(names: Sequence[str]) -> str:
    """Return alternatives for these registers, for use inside a group.

    `lr0`, `lr1`, ... are combined; the index of `AB[0]`, `AB[1]`, ... can be any number.
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
    """Return a pattern for a literal text, escaping only Oniguruma's special characters."""
    return re.sub(r"[.^$*+?{}\[\]\\|()]", r"\\\g<0>", text)


def _one_of(numbers: Sequence[str]) -> str:
    """Return alternatives for decimal numbers, most digits first, such as ``1[0-5]|[0-9]``."""
    lasts: dict[str, list[str]] = {}
    for number in numbers:
        lasts.setdefault(number[:-1], []).append(number[-1])
    heads = sorted(lasts, key=lambda head: (-len(head), head))
    return "|".join(f"{head}[{_class(lasts[head])}]" for head in heads)


def _class(characters: Iterable[str]) -> str:
    """Return the inside of a character class, with ranges."""
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


Pattern = dict[str, Any]
_SCOPE = "keyword.control.directive"
_PREPROCESSOR = "#"


def has_preprocessor(language: Language) -> bool:
    """Check whether a line that begins with `#` is a preprocessor line."""
    return language.terminals.is_one(DIRECTIVE, f"{_PREPROCESSOR}define A 1")


def directives(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of a statement whose first word starts with a dot or precedes `=`."""
    terminals = language.terminals
    if DIRECTIVE not in terminals.patterns:
        return
    word, equals = f"(?:{terminals.word})", terminals.patterns["EQUALS"]
    first = rf"(?=\.){word}|{word}(?={BLANKS}{equals})"
    # Another statement begins after a separator, a label or a brace.
    behind = f"{language.label_colon}{{;" if terminals.ends_with(";") else language.label_colon
    start = f"(?:^|(?<=[{behind}])){BLANKS}(?!{word}{BLANKS}{language.label_colon})"
    ends = ";" if terminals.ends_with(";") else ""
    ends += "}" if language.braces else ""
    ends += _PREPROCESSOR if has_preprocessor(language) else ""
    yield {
        "begin": f"{start}({first})",
        "beginCaptures": {"1": {"name": language.scope(_SCOPE)}},
        "end": f"(?=[{ends}])|{LINE_END}" if ends else LINE_END,
        "patterns": [
            {"include": "#comments"},
            {"include": "#strings"},
            {"include": "#numbers"},
            {"match": f"(?:{terminals.number})"},
            {"include": "#punctuation"},
        ],
    }


def preprocessor(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of a preprocessor line; a trailing backslash continues it."""
    yield {
        "begin": f"({_PREPROCESSOR}{BLANKS}[A-Za-z_]*)",
        "beginCaptures": {"1": {"name": language.scope(_SCOPE)}},
        "end": f"{LINE_END}|(?=//)",
        "name": language.scope("meta.preprocessor"),
        "patterns": [
            {"include": "#comments"},
            {"include": "#strings"},
            {"include": "#registers"},
            {"include": "#numbers"},
            {"match": f"(?:{language.terminals.number})"},
        ],
    }
