"""The contexts of a template, which comments in it or settings declare."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.config import Context, Value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.text import Span

_DIRECTIVE = re.compile(r"\{#[-+]?\s*ipu:\s*context\b")
_PART = re.compile(
    r"""\s*(?:(?P<name>[^\W\d]\w*)\s*=\s*"""
    r"""(?P<value>"[^"\n]*"|'[^'\n]*'|\[[^\]\n]*\]|[^\s,"'\[\]=]+)"""
    r"(?=[\s,]|$)\s*,?|(?P<wrong>\S+))"
)
_ELEMENT = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[^,]*[^,\s])\s*(?:,|$)""")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,19})$")
_FLOAT = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d{1,3})?$")


class TemplateContext(NamedTuple):
    """The variables of one expansion; `description` omits project defines."""

    variables: Context
    description: str


class DeclaredName(NamedTuple):
    """A name in the declaration of a context: its comment's tag, and its range in the comment."""

    name: str
    tag: int
    part: Span


class DeclaredContexts(NamedTuple):
    """The contexts that comments declare, their names, and the parts that are no declarations."""

    contexts: list[dict[str, Value]]
    names: list[DeclaredName]
    wrong: list[tuple[int, Span]]


def declared_contexts(tokens: Tokens) -> DeclaredContexts:
    """Read the declarations of contexts in a template."""
    found = DeclaredContexts([], [], [])
    for tag, (kind, _, _) in enumerate(tokens.tags):
        if kind == "comment":
            _read(found, tag, tokens.text[slice(*tokens.tag_span(tag))])
    return found


def _read(found: DeclaredContexts, tag: int, text: str) -> None:
    directive = _DIRECTIVE.match(text)
    end = len(text.removesuffix("#}").rstrip("-+").rstrip())
    if directive is None or not text.endswith("#}"):
        return
    context: dict[str, Value] = {}
    position = directive.end()
    while position < end:
        part = _PART.match(text, position, end)
        if part is None:
            break
        position = part.end()
        if part["wrong"] is not None:
            found.wrong.append((tag, Span(*part.span("wrong"))))
            continue
        context[part["name"]] = _value(part["value"])
        found.names.append(DeclaredName(part["name"], tag, Span(*part.span("name"))))
    if context:
        found.contexts.append(context)
    elif not found.wrong:
        found.wrong.append((tag, Span(0, len(text))))


def _value(text: str) -> Value:
    """Return the value of a text: a number, a truth value, a list of such, else the word itself."""
    if text[:1] == "[":
        return [_value(each) for each in _ELEMENT.findall(text[1:-1])]
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.match(text):
        return int(text, 16 if "x" in text.lower() else 10)
    return float(text) if _FLOAT.match(text) else text


def contexts_of(settings: SourceSettings, written: Sequence[Context] = ()) -> list[TemplateContext]:
    """Return the contexts of a template: one with project defines alone if none is declared.

    `written` are those that comments in it declare, in place of the ones of the configuration.
    Values given for this run select the contexts that have them; where none has, they replace the
    values in all contexts.
    """
    declared = [*(written or settings.contexts)] or [{}]
    overrides = settings.overrides
    selected = [
        context
        for context in declared
        if all(context.get(name, value) == value for name, value in overrides.items())
    ]
    found: list[TemplateContext] = []
    for context in selected or declared:
        shown = {**context, **overrides}
        description = " ".join(f"{name}={value}" for name, value in shown.items())
        each = TemplateContext({**settings.defines, **shown}, description)
        if each not in found:
            found.append(each)
    return found
