"""A surface syntax: its terminals, its parse tables, and its parser.

Parsing depends on the kinds of tokens only, not on their text. The kinds of a bundle's tokens, one
character each, are its shape; bundles of the same shape are parsed once.
"""

from __future__ import annotations

import os
import re
import zlib
from functools import lru_cache
from importlib import import_module
from sys import intern
from typing import Any, Iterator, NamedTuple

# Names of terminals that all grammars must use; `plan` relies on them, and on SEPARATOR between
# instructions and COMMA between operands where there are any. In a surface with directives, the
# first word of a statement is a DIRECTIVE, too, if it starts with a dot or is followed by EQUALS.
# Between BRACES, each END separates two statements. A slice does not end inside of text that WHOLE
# matches.
LABEL_TOKENS = ("WORD", "COLON")
DIRECTIVE = "DIRECTIVE"
COMMENT = "COMMENT"
BRACES = ("LBRACE", "RBRACE")
_DIRECTIVE_MARK = "."
STRAY = "!"
_END_OF_INPUT = "$END"
_MOST_REMEMBERED = 100_000
_LONGEST_REMEMBERED = 100


class Tree(NamedTuple):
    """A node of a parse tree: the rule's name, and children that are token numbers or trees."""

    rule: str
    children: tuple[Any, ...]


class Grammar:
    """A surface syntax. Create one with `load_grammar`."""

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
        self._kinds = _KindsByText(
            [(re.compile(patterns[name]), letter) for name, letter in self._letters.items()]
        )
        # A comment's start; it has no meaning inside of a token.
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
        self._equals = self._letters.get("EQUALS", STRAY)
        # Whether the next line may decide where a slice ends: a brace may follow there.
        self.looks_ahead = BRACES[0] in self._letters
        # A statement begins after these, in a bundle with several.
        self._breaks = self.letter(BRACES[0]) and self.letter(BRACES[0]) + self.letter("END")

    def letter(self, terminal: str) -> str:
        """Return the character that represents a terminal in shapes; empty if there is none."""
        return self._letters.get(terminal, "")

    def terminal(self, letter: str) -> str:
        """Return the terminal that a character of a shape represents."""
        return self._names.get(letter, "STRAY")

    def scanner(self, *more: str) -> re.Pattern[str]:
        """Return a pattern whose first group is the next token; patterns of `more` take precedence.

        Consecutive characters that fit no terminal are one match.
        """
        skip, tokens = self._skip, "|".join((*more, *self._tokens))
        # No possessive or atomic groups: CPython before 3.11.5 matches those wrongly. Each
        # alternative only stops where its successor matches, so that there is no backtracking.
        stray = rf"(?:(?!{skip}|{tokens})[\s\S])+"
        # The empty match at the end avoids repeated attempts at trailing blanks.
        return re.compile(rf"(?:{skip})*({tokens}|{stray}|\Z)")

    def words(self, text: str) -> tuple[str, ...]:
        """Return the texts of all tokens; a run of characters that fit no terminal is one."""
        words = self._scan.findall(text)
        while words and not words[-1]:
            words.pop()
        return tuple(map(intern, words))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens of `text`."""
        return [match.span(1) for match in self._scan.finditer(text) if match[1]]

    def shape(self, words: tuple[str, ...]) -> str:
        """Return the kinds of tokens, a letter each."""
        shape = "".join(map(self._kinds.__getitem__, words))
        return self._with_directive(shape, words) if self._directive else shape

    def _with_directive(self, shape: str, words: tuple[str, ...]) -> str:
        """Mark directives after the labels and, inside of braces, at the start of statements."""
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
        """Mark a directive at `at`, if a statement that begins there may be one."""
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
        """Parse ``shape[first:stop]``; return a tree, or the number of the first token that fails.

        Token numbers count from the start of the shape; by default `stop` is its end.
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
        """Return whether these terminals alone are a valid bundle."""
        letters = "".join(self._letters.get(terminal, STRAY) for terminal in terminals)
        return isinstance(self.parse(letters, "bundle"), Tree)


class _KindsByText(dict[str, str]):
    """Maps a token's text to the letter of its kind, computed once for each text."""

    def __init__(self, patterns: list[tuple[re.Pattern[str], str]]) -> None:
        super().__init__()
        self._patterns = patterns

    def __missing__(self, text: str) -> str:
        if len(self) > _MOST_REMEMBERED:
            self.clear()
        for pattern, letter in self._patterns:
            if pattern.fullmatch(text):
                if len(text) <= _LONGEST_REMEMBERED:
                    self[text] = letter
                return letter
        return STRAY


def _node(rule: str, children: list[Any]) -> Tree | list[Any]:
    """Return a tree; for a repetition, which lark names `__...`, the growing list of its items."""
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
    """Return the folder of the grammars: in the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    installed = os.path.join(package, "grammars")
    return installed if os.path.isdir(installed) else f"{os.path.dirname(package)}/grammars"


@lru_cache(maxsize=16)
def load_grammar(name: str) -> Grammar:
    """Return the surface syntax `grammars/NAME.lark`, compiled if its tables are out of date."""
    with open(f"{grammar_folder()}/{name}.lark", encoding="utf-8") as file:
        text = file.read()
    try:
        tables = import_module(f"ipu_asm.syntax.compiled.{name}").TABLES
    except ModuleNotFoundError:
        tables = {}
    if tables.get("checksum") != zlib.crc32(text.encode()):
        from ipu_asm.syntax.compile import compile_grammar

        tables = compile_grammar(text)
    return Grammar(name, tables)
