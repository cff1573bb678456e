"""Definitions and uses of macro names in a file and its headers, with the author's remarks."""

from __future__ import annotations

import re
from typing import Iterator, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameDefinition, NameKind, NameUse
from ipu_asm.source.preprocessor.lines import FileLines, Line
from ipu_asm.source.preprocessor.macros import Macro
from ipu_asm.source.preprocessor.output import Positions
from ipu_asm.source.preprocessor.tokens import Kind, Place, Token, tokens_of
from ipu_asm.source.source_map import SourceRange

_COMMENT_LINE = re.compile(r"[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)[\r\n]*")
_RULER = re.compile(r"[-=*/#_~+\s]*")
_MOST_LINES = 20


class Mention(NamedTuple):
    """A line, and the macros that its names referred to."""

    line: Line
    meant: Mapping[str, Macro | None]


class MacroNames:
    """The names of one run: macros in the order of their definitions, and lines with names."""

    def __init__(self, files: Mapping[str, FileLines], positions: Positions) -> None:
        self._files = files
        self._positions = positions
        self._known: dict[Place, NameDefinition] = {}

    def definitions(self, macros: list[Macro]) -> Iterator[NameDefinition]:
        """Yield the definitions of macros, each once."""
        for macro in macros:
            if macro.place is not None and macro.place not in self._known:
                yield self._definition(macro, macro.place)

    def uses(self, macros: list[Macro], mentions: list[Mention]) -> Iterator[NameUse]:
        """Yield the uses of names in lines, and in the definitions of other names."""
        last = {macro.name: macro for macro in macros}
        yield from self._uses_in((*mentions, *self._bodies(macros, last)), last)

    def uses_in(self, macros: list[Macro], mentions: list[Mention]) -> Iterator[NameUse]:
        """Yield the uses of names in lines alone."""
        yield from self._uses_in(mentions, {macro.name: macro for macro in macros})

    def _uses_in(self, mentions: Sequence[Mention], last: Mapping[str, Macro]) -> Iterator[NameUse]:
        seen: set[SourceRange] = set()
        for line, meant in mentions:
            for token in tokens_of(line):
                macro = meant.get(token.text) if token.kind is Kind.NAME else None
                macro = macro or (last.get(token.text) if token.text in meant else None)
                if macro is None or macro.place is None or token.place == macro.place:
                    continue
                place = self._positions.range_of(token.place)
                if place not in seen:
                    seen.add(place)
                    yield NameUse(macro.name, place, self._definition(macro, macro.place))

    def _bodies(self, macros: list[Macro], last: Mapping[str, Macro]) -> Iterator[Mention]:
        """Yield the lines of definitions with the macros that their bodies refer to."""
        for macro in macros:
            if macro.place is not None:
                names = {token.text for token in macro.body if token.kind is Kind.NAME}
                names.difference_update(macro.parameters or ())
                meant = {name: last[name] for name in names if name in last}
                if meant:
                    yield Mention(macro.place.line, meant)

    def _definition(self, macro: Macro, name: Place) -> NameDefinition:
        known = self._known.get(name)
        if known is None:
            line = name.line
            whole = Place(line, 0, len(line.text.rstrip()))
            known = self._known[name] = NameDefinition(
                macro.name,
                NameKind.DEFINE,
                self._positions.range_of(name),
                self._positions.range_of(whole),
                macro.text or None,
                macro.parameters,
                self._remark(line),
            )
        return known

    def _remark(self, line: Line) -> str:
        """Return the comment behind a definition, else the one in the lines directly above."""
        behind = [token for token in tokens_of(line) if token.kind is Kind.COMMENT]
        if behind:
            return _plain(behind[-1])
        above: list[str] = []
        for before in self._files[line.path].lines_above(line, _MOST_LINES):
            if before.directive or not _COMMENT_LINE.fullmatch(before.text):
                break
            above.insert(
                0, " ".join(_plain(t) for t in tokens_of(before) if t.kind is Kind.COMMENT)
            )
        return " ".join(text for text in above if text)


def _plain(comment: Token) -> str:
    """Return the text of a comment without its marks and rulers."""
    text = comment.text.removeprefix("//").removeprefix("/*").removesuffix("*/")
    lines = [line.strip().strip("*/!< \t").strip() for line in text.splitlines()]
    return " ".join(line for line in lines if line and not _RULER.fullmatch(line))
