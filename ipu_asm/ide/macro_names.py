"""Where the macros of a text are defined, and where they are called."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ipu_asm.program import Program
from ipu_asm.text import Span

_MACRO: Final = ".macro"
_DEFINE: Final = re.compile(r"#\s*define\s+([A-Za-z_]\w*)")


class MacroDefinition(NamedTuple):
    """A macro: where its name stands in the text, and the bundle that has its directive."""

    name: Span
    bundle: int


@lru_cache(maxsize=1)
def macro_definitions(program: Program) -> dict[str, MacroDefinition]:
    """The macros of a text, each where it is defined first."""
    found: dict[str, MacroDefinition] = {}
    for number, bundle in program.directives if program.isa.surface.preprocessed else ():
        syntax, first = bundle.syntax, bundle.syntax.plan.directive
        word, start = syntax.words[first], syntax.spans[first].start
        match = _DEFINE.match(word)
        if match:
            span = Span(start + match.start(1), start + match.end(1))
            found.setdefault(match[1], MacroDefinition(program.span(number, span), number))
        elif word == _MACRO and len(syntax.words) > first + 1:
            span = syntax.spans[first + 1]
            name = syntax.words[first + 1]
            found.setdefault(name, MacroDefinition(program.span(number, span), number))
    return found


def macros_called(program: Program) -> list[str]:
    """The names of macros that may stand in place of an instruction."""
    definitions = macro_definitions(program)
    return [
        name
        for name, (_, number) in definitions.items()
        if program.bundles[number].directive == _MACRO
    ]
