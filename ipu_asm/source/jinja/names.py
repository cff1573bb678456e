"""The names of a template: where they are defined, where they are used, and which is which.

Everything is in numbers of tokens, so the table holds as long as no tag changes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.blocks import tag_pairs
from ipu_asm.source.jinja.tokens import Tokens

GLOBALS = frozenset({"cycler", "dict", "joiner", "namespace", "range"})


class TemplateName(NamedTuple):
    """A definition: the token of the name, and the first and last token of the whole.

    `constant` is the value of a `{% set %}` that is a literal. `parameters` are those of a macro as
    they are written; `macro` is the token of the macro that a parameter belongs to.
    """

    name: str
    kind: NameKind
    token: int
    first: int
    last: int
    constant: str | None = None
    parameters: tuple[str, ...] | None = None
    macro: int = -1


class TemplateUse(NamedTuple):
    """A use of a name; `definition` is the number of its definition, None if it has none."""

    name: str
    token: int
    definition: int | None


class Argument(NamedTuple):
    """An argument of a call: its name if it is given by name, its first and its last token."""

    name: str | None
    first: int
    last: int


class TemplateNames:
    """All definitions and uses of a template.

    `value_of` is, for each output tag with one name in it, the number of the name's definition; the
    tags in `bare` are nothing but a name. `loops` has the names of the loop variables by the tag.
    """

    def __init__(self, tokens: Tokens) -> None:
        """Begin with none; `names_of` adds them."""
        self.definitions: list[TemplateName] = []
        self.uses: list[TemplateUse] = []
        self.value_of: dict[int, int] = {}
        self.bare: set[int] = set()
        self.loops: dict[int, list[tuple[str, int]]] = {}
        self._tokens = tokens
        self._ends = dict(tag_pairs(tokens))

    @cached_property
    def _definition_at(self) -> dict[int, int]:
        return {each.token: number for number, each in enumerate(self.definitions)}

    @cached_property
    def _use_at(self) -> dict[int, TemplateUse]:
        return {use.token: use for use in self.uses}

    @cached_property
    def known_uses(self) -> list[TemplateUse]:
        """The uses of names that are not Jinja's own."""
        return [u for u in self.uses if u.definition is not None or u.name not in GLOBALS]

    def name_token(self, macro: object) -> int:
        """Return the token of a macro's name, -1 if it has none; `macro` is that of the keyword."""
        if not isinstance(macro, int):
            return -1
        number = macro + 1
        while self._tokens.tokens[number].kind != "name":
            number += 1
        return number

    def close_of(self, tag: int) -> int:
        """Return the tag that ends what a tag begins; the tag itself if it begins nothing."""
        return self._ends.get(tag, tag)

    def definition_of_use(self, token: int) -> int | None:
        """Return the definition of the name that is used at a token."""
        use = self._use_at.get(token)
        return use.definition if use else None

    def macro_at(self, token: int) -> TemplateName | None:
        """Return the macro whose definition is at a token."""
        number = self._definition_at.get(token)
        return None if number is None else self.definitions[number]

    def argument(self, call: int, parameter: TemplateName) -> Argument | None:
        """Return what a call gives for a parameter: an argument, or the default."""
        arguments = list(arguments_of(self._tokens, call))
        for each in arguments:
            if each.name == parameter.name:
                return each
        macro = self.macro_at(parameter.macro)
        names = [name.split("=")[0].strip() for name in (macro and macro.parameters) or ()]
        place = names.index(parameter.name) if parameter.name in names else len(arguments)
        if place < len(arguments) and arguments[place].name is None:
            return arguments[place]
        if parameter.last > parameter.first:  # behind the name and `=`
            first = parameter.first + 1
            while self._tokens.tokens[first].text.strip() in ("", "="):
                first += 1
            return Argument(None, first, parameter.last)
        return None


def arguments_of(tokens: Tokens, call: int) -> Iterator[Argument]:
    """Yield the arguments of a call whose opening parenthesis is a token."""
    depth, first = 0, call + 1
    for number in range(call, len(tokens.tokens)):
        kind, text, _, _ = tokens.tokens[number]
        if kind != "operator":
            continue
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 or (depth == 1 and text == ","):
            argument = _argument(tokens, first, number - 1)
            if argument:
                yield argument
            first = number + 1
            if depth == 0:
                return


def _argument(tokens: Tokens, first: int, last: int) -> Argument | None:
    numbers = [n for n in range(first, last + 1) if tokens.tokens[n].kind != "whitespace"]
    if not numbers:
        return None
    named = len(numbers) > 2 and tokens.tokens[numbers[1]].text == "="
    name = tokens.tokens[numbers[0]].text if named else None
    return Argument(name, numbers[2] if named else numbers[0], numbers[-1])
