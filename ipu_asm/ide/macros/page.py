"""Markdown pages of a macro and of a macro's parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Sequence

from ipu_asm.ide.macros.names import (
    Macro,
    MacroParameter,
    ParameterInScope,
    last_bundle_of,
    parameters_of,
)
from ipu_asm.ide.pages.label import comment_above
from ipu_asm.ide.syntax_element import end_of_bundle
from ipu_asm.reports.markdown import fenced_code, inline_code

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_MOST_LINES: Final = 12
_KINDS: Final = {"req": "required", "vararg": "takes all remaining arguments"}


def macro_markdown(analysis: Analysis, macros: Sequence[Macro]) -> str:
    """Return the page of a macro, given all its definitions; the page shows the first one."""
    macro = macros[0]
    sections = (
        f"**{inline_code(macro.name)}** · macro, {_places(analysis, macros)}",
        comment_above(analysis.program, macro.bundle),
        _code(analysis, macro),
        "\n".join(_about_parameters(analysis, macro)),
    )
    return "\n\n".join(section for section in sections if section)


def parameter_markdown(analysis: Analysis, use: ParameterInScope) -> str:
    """Return the page of a parameter, as shown where the macro's body uses it."""
    body, parameter = use
    name, owner = inline_code(parameter.name), inline_code(body.name)
    if parameter.kind == "each":
        title = f"**{name}** · takes each value of {owner} in turn"
        return f"{title}\n\nTakes {inline_code(parameter.default)}." if parameter.default else title
    described = _described(parameter)
    title = f"**{name}** · parameter of the macro {owner}"
    line = analysis.source.lines.position(parameter.span.start).line + 1
    title = f"{title}, line {line}"
    return f"{title}\n\n{described[:1].upper()}{described[1:]}." if described else title


def shown_parameters(parameters: Sequence[MacroParameter]) -> str:
    """Return the parameters on one line, each with its default if it has one."""
    return ", ".join(f"{p.name}={p.default}" if p.default else p.name for p in parameters)


def _places(analysis: Analysis, macros: Sequence[Macro]) -> str:
    position = analysis.source.lines.position
    lines = [str(position(macro.span.start).line + 1) for macro in macros]
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines)}"


def _code(analysis: Analysis, macro: Macro) -> str:
    """Return the definition as a code block; a long one is cut to its first line."""
    program = analysis.program
    start = program.span(macro.bundle, program.bundles[macro.bundle].first_token).start
    end = end_of_bundle(program, last_bundle_of(program, macro))
    lines = program.text[start:end].splitlines()
    if len(lines) > _MOST_LINES:
        more = len(lines) - 1
        lines = [lines[0], f"... {more} more lines"]
    return fenced_code("\n".join(lines), program.isa.surface.language_id)


def _about_parameters(analysis: Analysis, macro: Macro) -> list[str]:
    """Return a list item for each parameter that has a default or is required or variadic."""
    parameters = parameters_of(analysis.program, macro)
    return [f"- {inline_code(p.name)}: {_described(p)}" for p in parameters if _described(p)]


def _described(parameter: MacroParameter) -> str:
    described = [_KINDS[parameter.kind]] if parameter.kind in _KINDS else []
    described += [f"{inline_code(parameter.default)} by default"] if parameter.default else []
    return ", ".join(described)
