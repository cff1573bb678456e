"""The names that macros and symbols define, and where they are used."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Callable, Sequence

from ipu_asm.source.expansion import NameDefinition, NameKind, NameUse
from ipu_asm.source.macros.arguments import Parameter
from ipu_asm.source.macros.macro import Body, Macro
from ipu_asm.source.macros.mapped_text import MappedText, written_block, written_range
from ipu_asm.source.source_map import SourceRange
from ipu_asm.text import Span

_REMARK = re.compile(r"[^\r\n]*?(?://[ \t]*([^\r\n]*)|/\*[ \t]*((?:[^*\r\n]|\*(?!/))*))")
_SYMBOL = re.compile(r"(?<![\w.$\\])[A-Za-z_.][\w.$]*")


class NameLog:
    """Records definitions and uses; their places are computed on first access."""

    def __init__(self) -> None:
        self.defined: set[str] = set()
        self._events: list[Callable[[Names], None]] = []

    def add(self, event: Callable[[Names], None], defined: str = "") -> None:
        """Add a function that adds a definition or a use to `Names`."""
        self._events.append(event)
        if defined:
            self.defined.add(defined)

    @cached_property
    def names(self) -> Names:
        """The definitions and uses."""
        names = Names()
        for event in self._events:
            event(names)
        return names


class Names:
    """Collects definitions and uses, each written place once."""

    def __init__(self) -> None:
        self._definitions: dict[tuple[SourceRange, str], NameDefinition] = {}
        self._uses: dict[tuple[SourceRange, str], NameUse] = {}
        self._macros: dict[SourceRange, NameDefinition] = {}
        self._symbols: dict[str, NameDefinition] = {}

    @property
    def definitions(self) -> tuple[NameDefinition, ...]:
        """All definitions in order of expansion."""
        return tuple(self._definitions.values())

    @property
    def uses(self) -> tuple[NameUse, ...]:
        """All uses in order of expansion."""
        return tuple(self._uses.values())

    def define_macro(self, macro: Macro, source: MappedText, head_end: int) -> None:
        """Add a macro, its parameters, and their uses in its body."""
        parameters = tuple(parameter.written for parameter in macro.parameters)
        full = written_block(source, *macro.full)
        remark = _remark(source.text, head_end)
        definition = NameDefinition(
            macro.name, NameKind.MACRO, macro.place, full, None, parameters, remark
        )
        self._macros[macro.place] = self._define(definition)
        self.define_parameters(macro.body, macro.parameters, full)

    def define_parameters(
        self, body: Body, parameters: Sequence[Parameter], full: SourceRange
    ) -> None:
        """Add the parameters of a macro, or the variable of a loop, and their uses in the body."""
        known = {}
        for parameter in parameters:
            place = body.parameters[parameter.name]
            value = parameter.default.text if parameter.default else None
            known[parameter.name] = self._define(
                NameDefinition(parameter.name, NameKind.PARAMETER, place, full, value)
            )
        for start, end, name, _ in body.parts:
            if name in known:
                self._use(name, written_range(body.source, start + 1, end), known[name])

    def define_symbol(self, name: str, source: MappedText, start: int, full: Span) -> None:
        """Add a definition of a symbol; its name begins at `start`, its value ends with `full`."""
        place = written_range(source, start, start + len(name))
        value = source.text[start + len(name) : full.end].lstrip(" \t,=")
        remark = _remark(source.text, full.end)
        definition = NameDefinition(
            name, NameKind.SYMBOL, place, written_range(source, *full), value, None, remark
        )
        self._symbols.setdefault(name, self._define(definition))

    def call(self, macro: Macro, source: MappedText, word: Span) -> None:
        """Add a call of a macro."""
        self._use(macro.name, written_range(source, *word), self._macros.get(macro.place))

    def use_symbols(self, source: MappedText, start: int, end: int) -> None:
        """Add the uses of symbols in a part of a text."""
        for match in _SYMBOL.finditer(source.text, start, end) if self._symbols else ():
            definition = self._symbols.get(match[0])
            if definition is not None:
                self._use(match[0], written_range(source, *match.span()), definition)

    def _define(self, definition: NameDefinition) -> NameDefinition:
        return self._definitions.setdefault((definition.place, definition.name), definition)

    def _use(self, name: str, place: SourceRange, definition: NameDefinition | None) -> None:
        self._uses.setdefault((place, name), NameUse(name, place, definition))


def _remark(text: str, offset: int) -> str:
    match = _REMARK.match(text, offset)
    return (match[1] or match[2] or "").strip() if match else ""
