"""The call of a template macro around a cursor."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.ide.template.blocks import TemplateSyntax
from ipu_asm.ide.template.names import WrittenName, names_known_at
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.tags import TagWord, WordKind, tag_words

_CLOSING = {")": "(", "]": "[", "}": "{"}


class MacroCall(NamedTuple):
    """A macro that is being called, and the number of the parameter at the cursor, if any."""

    macro: WrittenName
    active: int | None


class _Open(NamedTuple):
    """A bracket that is open at the cursor: the name before it, and the words behind it."""

    bracket: str
    name: str
    words: list[TagWord]


def call_at(syntax: TemplateSyntax, offset: int) -> MacroCall | None:
    """Return the innermost call of a macro whose parentheses are around a cursor."""
    tag = syntax.tag_around(offset)
    if tag is None:
        return None
    words = [word for word in tag_words(syntax.text, tag) if word.span.start < offset]
    macros = {
        name.name: name
        for name in names_known_at(syntax, offset)
        if name.kind is NameKind.TEMPLATE_MACRO
    }
    is_definition = [word.text for word in words[:1]] == ["macro"]
    for bracket, name, inside in reversed(_open_brackets(words, offset)):
        if bracket == "(" and name in macros and not is_definition:
            return MacroCall(macros[name], _active(macros[name].parameters, inside))
    return None


def _open_brackets(words: Sequence[TagWord], offset: int) -> list[_Open]:
    """Return the brackets that are open at a cursor, the outermost first."""
    opened: list[_Open] = []
    before = ""
    for word in words:
        is_ended = word.span.end <= offset
        if word.text in "([{" and is_ended:
            opened.append(_Open(word.text, before, []))
        elif word.text in _CLOSING and is_ended:
            if opened and opened[-1].bracket == _CLOSING[word.text]:
                opened.pop()
        elif opened:
            opened[-1].words.append(word)
        before = word.text if word.kind is WordKind.NAME else ""
    return opened


def _active(parameters: Sequence[str], inside: Sequence[TagWord]) -> int | None:
    """Return the number of the parameter that the last argument is for."""
    names = [parameter.partition("=")[0].strip() for parameter in parameters]
    arguments: list[list[TagWord]] = [[]]
    for word in inside:
        if word.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(word)
    last = [word.text for word in arguments[-1]]
    if last[1:2] == ["="]:
        return names.index(last[0]) if last[0] in names else None
    return len(arguments) - 1 if len(arguments) <= len(names) else None
