"""Parameters of macros that headers define."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ipu_asm.ide.macros.parameters import MacroParameter
from ipu_asm.ide.names.completion import header_names
from ipu_asm.ide.names.lookup import FileReading
from ipu_asm.ide.names.page import shown_path
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import NameKind
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_PARAMETER: Final = re.compile(r"\s*(\w+(?:\.\.\.)?|\.\.\.)\s*(?::\s*(\w+))?\s*(?:=\s*(.*))?", re.S)


class HeaderMacro(NamedTuple):
    """A macro of a header, and a paragraph about it; `is_define` if the preprocessor calls it."""

    name: str
    is_define: bool
    parameters: tuple[MacroParameter, ...]
    summary: str


def header_macro(analysis: Analysis, name: str) -> HeaderMacro | None:
    """Return the macro with parameters that a header defines; None if there is none."""
    definition = header_names(analysis).get(name)
    if definition is None or definition.parameters is None:
        return None
    matches = map(_PARAMETER.match, definition.parameters)
    parameters = tuple(
        MacroParameter(match[1], Span(0, 0), match[3] or "", match[2] or "")
        for match in matches
        if match
    )
    path, span = definition.place
    line = analysis.headers[path].lines.position(span.start).line + 1
    where = f"{inline_code(shown_path(FileReading(analysis), path))} line {line}"
    summary = f"{escaped(definition.remark)}\n\n{where}".lstrip()
    return HeaderMacro(name, definition.kind is NameKind.DEFINE, parameters, summary)
