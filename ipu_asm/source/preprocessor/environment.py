"""What an expansion stands on: macros from outside, the search for headers, and files read."""

from __future__ import annotations

import re
from typing import Mapping

from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import SourceSettings, Value
from ipu_asm.source.preprocessor.conditions import Answers
from ipu_asm.source.preprocessor.includes import IncludeSearch
from ipu_asm.source.preprocessor.lines import FileLines, Line
from ipu_asm.source.preprocessor.macros import Macro, macro_from_outside, macro_of
from ipu_asm.source.preprocessor.output import Output, Part, verbatim
from ipu_asm.source.preprocessor.tokens import Kind, Place, tokens_of

_BREAK = re.compile(r"\r\n|\n|\r")


class Environment:
    """The macros that are defined before the first line, and the search for headers.

    `choices` are names that have one of several values.
    """

    def __init__(self, surface: Surface, path: str | None, settings: SourceSettings) -> None:
        defines = {name: _text(value) for name, value in settings.all_defines.items()}
        predefined = {n: v for n, v in surface.predefined.items() if n not in defines}
        self.choices: dict[str, tuple[int, ...]] = {
            name: tuple(map(int, values)) for name, values in predefined.items() if len(values) > 1
        }
        first = {name: values[0] for name, values in predefined.items()}
        self._texts: Mapping[str, str] = {**first, **defines}
        self._macros = {name: macro_from_outside(name, text) for name, text in self._texts.items()}
        self.search = IncludeSearch(path, settings)
        self.settings = settings
        self.path = path

    def macros(self, answers: Answers) -> dict[str, Macro]:
        """Return the macros at the beginning, with those values of choices that are assumed."""
        macros = dict(self._macros)
        for name in self.choices:
            if name in answers:
                macros[name] = macro_from_outside(name, str(answers[name]))
        return macros


class FileStore:
    """The lines of the files of one expansion, and what was computed of single lines."""

    def __init__(self, environment: Environment) -> None:
        self._reader = environment.settings.reader
        self._files: dict[str, FileLines | None] = {}
        self._macros: dict[Line, Macro | None] = {}

    def read(self, path: str) -> FileLines | None:
        """Return the lines of a header; None if it cannot be read."""
        if path not in self._files:
            source = self._reader.read(path)
            self._files[path] = None if source is None else FileLines.of(path, source.text)
        return self._files[path]

    def macro(self, line: Line) -> Macro | None:
        """Return the macro that a `#define` line defines."""
        if line.memo is None:
            line.memo = (macro_of(line),)
        assert isinstance(line.memo, tuple)
        macro: Macro | None = line.memo[0]
        return macro

    def plain(self, line: Line) -> Output:
        """Return the output of a line without macros."""
        return verbatim(line)

    def breaks(self, line: Line) -> Output:
        """Return the line breaks of a directive, and a comment without an end for its finding."""
        if "/*" in line.text and (last := tokens_of(line)[-1]).kind is Kind.COMMENT:
            return verbatim(line, last.place.start)
        breaks = [*_BREAK.finditer(line.text)]
        parts = [Part(each[0], Place(line, each.start(), each.end()), True) for each in breaks]
        return Output("".join(part.text for part in parts), tuple(parts))


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value)
