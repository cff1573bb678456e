"""A surface syntax: its terminals, its bundle slices and its parse tables.

A grammar depends on the kinds of tokens only, never on their text. So the shape of a bundle, the
kinds of its tokens with one letter each, is all that parsing needs, and bundles of one shape are
parsed once.
"""

from __future__ import annotations

import os
import re
import zlib
from functools import lru_cache
from importlib import import_module
from sys import intern
from typing import Any, Iterator

from ipu_asm.named_tuple import NamedTuple

# Terminals that grammars share; `shapes` relies on their names, and on SEPARATOR between
# instructions and COMMA between operands where there are any. Where a grammar has directives, a
# word that begins a statement is a DIRECTIVE, too, if it starts with a dot or EQUALS follows it.
# Between BRACES each END separates two statements. A slice does not end inside a match of WHOLE.
LABEL_TOKENS = ("WORD", "COLON")
NUMERIC = "NUMERIC"
DIRECTIVE = "DIRECTIVE"
COMMENT = "COMMENT"
BRACES = ("LBRACE", "RBRACE")
_DIRECTIVE_MARK = "."
STRAY = "!"
_END_OF_INPUT = "$END"
_MAX_REMEMBERED = 100_000
_MAX_REMEMBERED_LENGTH = 100


class Tree(NamedTuple):
    """A node of a parse tree: the name of the rule, and children: token numbers or trees."""

    rule: str
    children: tuple[Any, ...]


class Grammar:
    """One surface syntax, ready to parse bundles. `load_grammar` makes it."""

    def __init__(self, name: str, tables: dict[str, Any]) -> None:
        self.name = name
        self._states = tables["states"]
        self._rules = tables["rules"]
        self._start = tables["start"]
        ignored = tables["ignored"]
        kept = [terminal for terminal in tables["terminals"] if terminal[0] not in ignored]
        self._letters: dict[str, str] = {
            terminal: chr(ord("A") + number) for number, (terminal, _, _) in enumerate(kept)
        }
        self._names = {letter: terminal for terminal, letter in self._letters.items()}
        patterns = {terminal: pattern for terminal, pattern, _ in tables["terminals"]}
        self._kinds = _KindCache(
            [(re.compile(patterns[name]), letter) for name, letter in self._letters.items()]
        )
        # Valid between tokens only: inside a token its mark has no meaning.
        self.comment = re.compile(patterns.get(COMMENT, r"(?!)"))
        skip = self._skip = "|".join(patterns[terminal] for terminal in ignored)
        self._tokens = [pattern for _, pattern, _ in kept]
        self._scan = self.scanner()
        end = patterns["END"]
        # Word characters, blanks and dots begin neither a comment nor an END in any surface.
        whole = f"{tables['whole']}|" if tables.get("whole") else ""
        self._slices = re.compile(rf"(?:{whole}[\w \t.]+|{skip}|(?!{end})[\s\S])*(?:{end}|\Z)")
        self._directive = self._letters.get(DIRECTIVE, "")
        self._label = "".join(self._letters.get(name, "") for name in LABEL_TOKENS)
        # A number and the mark of a label, where labels may be numbers.
        is_numeric = NUMERIC in self._letters
        self._numeric = self._letters["NUMBER"] + self._label[1:] if is_numeric else ""
        self._equals = self._letters.get("EQUALS", STRAY)
        # Whether a slice may end because of how the next line begins: a brace goes on till then.
        self.looks_ahead = BRACES[0] in self._letters
        # After these a statement begins, where a bundle has several.
        self._breaks = self.kind_letter(BRACES[0]) and self.kind_letter(
            BRACES[0]
        ) + self.kind_letter("END")

    def kind_letter(self, terminal: str) -> str:
        """Return the letter of a terminal in shapes; "" if the grammar lacks it."""
        return self._letters.get(terminal, "")

    def terminal(self, letter: str) -> str:
        """Return the terminal of a letter of a shape."""
        return self._names.get(letter, "STRAY")

    def scanner(self, *more: str) -> re.Pattern[str]:
        """The expression whose first group is the next token; `more` patterns are tried first.

        A run of text that fits no terminal is one token.
        """
        skip, tokens = self._skip, "|".join((*more, *self._tokens))
        # None is possessive or atomic: CPython before 3.11.5 matches those wrongly. Each stops only
        # where what follows it matches, so that nothing is ever tried again.
        stray = rf"(?:(?!{skip}|{tokens})[\s\S])+"
        # The empty match at the end keeps trailing blanks from being tried again and again.
        return re.compile(rf"(?:{skip})*({tokens}|{stray}|\Z)")

    def words(self, text: str) -> tuple[str, ...]:
        """The texts of all tokens of `text`; a run that fits no terminal is one token."""
        words = self._scan.findall(text)
        while words and not words[-1]:
            words.pop()
        return tuple(map(intern, words))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The offsets of the tokens of `text`."""
        return [match.span(1) for match in self._scan.finditer(text) if match[1]]

    def shape(self, words: tuple[str, ...]) -> str:
        """The shape of a bundle with these tokens."""
        shape = "".join(map(self._kinds.__getitem__, words))
        if self._numeric and shape.startswith(self._numeric) and words[0].isdigit():
            shape = self._label[0] + shape[1:]
        return self._with_directive(shape, words) if self._directive else shape

    def _with_directive(self, shape: str, words: tuple[str, ...]) -> str:
        """The shape with DIRECTIVE for each first word of a directive."""
        at = 0
        while shape.startswith(self._label, at):
            at += len(self._label)
        shape = self._marked(shape, words, at)
        if self._breaks and shape.startswith(self._breaks[0], at):
            for place in range(at + 1, len(shape)):
                if shape[place - 1] in self._breaks:
                    shape = self._marked(shape, words, place)
        return shape

    def _marked(self, shape: str, words: tuple[str, ...], at: int) -> str:
        """The shape with DIRECTIVE at `at` if the statement that begins there is a directive."""
        if shape[at : at + 1] != self._label[:1]:
            return shape
        if words[at][0] != _DIRECTIVE_MARK and shape[at + 1 : at + 2] != self._equals:
            return shape
        return shape[:at] + self._directive + shape[at + 1 :]

    def ends_of_slices(self, text: str, start: int) -> Iterator[int]:
        """Yield the ends of the bundle slices of `text` from `start` on.

        `start` must be the start of a slice. The last slice may lack its end mark.
        """
        length = len(text)
        for match in self._slices.finditer(text, start):
            end = match.end()
            yield end
            if end == length:
                return

    def parse(self, shape: str, start: str, first: int = 0, stop: int = -1) -> Tree | int:
        """The tree of ``shape[first:stop]``, or the number of the first token that does not fit.

        Token numbers count from the start of the shape; without `stop` it is read to its end.
        """
        stop = len(shape) if stop < 0 else stop
        position = first
        states, rules = self._states, self._rules
        state_stack = [self._start[start]]
        value_stack: list[Any] = []
        while True:
            at_end = position == stop
            whole = value_stack[0] if at_end and value_stack else None
            if isinstance(whole, Tree) and whole.rule == start:
                return whole
            symbol = _END_OF_INPUT if at_end else self._names.get(shape[position], STRAY)
            target = states[state_stack[-1]].get(symbol)
            if target is None:
                return position
            if target >= 0:
                state_stack.append(target)
                value_stack.append(position)
                position += 1
                continue
            origin, size = rules[-1 - target]
            children = value_stack[len(value_stack) - size :]
            del value_stack[len(value_stack) - size :], state_stack[len(state_stack) - size :]
            value_stack.append(_node(origin, children))
            state_stack.append(states[state_stack[-1]][origin])

    def accepts(self, *terminals: str) -> bool:
        """Whether a bundle may consist of exactly these terminals."""
        letters = "".join(self._letters.get(terminal, STRAY) for terminal in terminals)
        return isinstance(self.parse(letters, "bundle"), Tree)


class _KindCache(dict[str, str]):
    """From the text of a token to the letter of its kind, computed once for each text."""

    def __init__(self, patterns: list[tuple[re.Pattern[str], str]]) -> None:
        super().__init__()
        self._patterns = patterns

    def __missing__(self, text: str) -> str:
        if len(self) > _MAX_REMEMBERED:
            self.clear()
        for pattern, letter in self._patterns:
            if pattern.fullmatch(text):
                if len(text) <= _MAX_REMEMBERED_LENGTH:
                    self[text] = letter
                return letter
        return STRAY


def _node(rule: str, children: list[Any]) -> Tree | list[Any]:
    """A tree; for a repetition, which lark names `__...`, the list of its items so far."""
    if rule.startswith("__"):
        if isinstance(children[0], list):
            children[0].extend(_flat(children[1:]))
            repeated: list[Any] = children[0]
            return repeated
        return _flat(children)
    return Tree(rule, tuple(_flat(children)))


def _flat(children: list[Any]) -> list[Any]:
    result: list[Any] = []
    for child in children:
        if isinstance(child, list):
            result += child
        else:
            result.append(child)
    return result


def grammar_folder() -> str:
    """The folder of the grammars: in the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    installed = os.path.join(package, "grammars")
    return installed if os.path.isdir(installed) else f"{os.path.dirname(package)}/grammars"


@lru_cache(maxsize=16)
def load_grammar(name: str) -> Grammar:
    """The surface syntax `grammars/NAME.lark`."""
    with open(f"{grammar_folder()}/{name}.lark", encoding="utf-8") as file:
        text = file.read()
    try:
        tables = import_module(f"ipu_asm.syntax.compiled.{name}").TABLES
    except ModuleNotFoundError:
        tables = {}
    if tables.get("checksum") != zlib.crc32(text.encode()):
        from ipu_asm.syntax.compile import compile_grammar  # lark: 35 ms

        tables = compile_grammar(text)
    return Grammar(name, tables)
