"""A preprocessor of few lines: includes, and names that are replaced by their values."""

from __future__ import annotations

import os
import re
from typing import Any

from ipu_asm.source.expansion import Expansion, Include, NameDefinition, NameKind, NameUse
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.text import Span

LINE = re.compile(r".*\n|.+$")
INCLUDE = re.compile(r'#include "(.*)"')
DEFINE = re.compile(r"#define (\w+)(?:\(([^)]*)\))? *(\S*)(?: *// (.*))?")


class _Reader:
    def __init__(self, path: str, settings: Any) -> None:
        self.path, self.settings = path, settings
        self.pieces: list[str] = []
        self.segments: list[Segment] = []
        self.names: dict[str, NameDefinition] = {}
        self.uses: list[NameUse] = []
        self.includes: list[Include] = []
        self.files: dict[str, Any] = {}
        self.at = 0

    def read(self, text: str, path: str, frame: Frame | None) -> None:
        for line in LINE.finditer(text):
            if include := INCLUDE.match(line[0]):
                self._include(
                    path,
                    include[1],
                    Span(line.start() + 10, line.start() + include.end() - 1),
                    frame,
                )
                self._put("\n", SourceRange(path, Span(line.end() - 1, line.end())), True, frame)
            elif define := DEFINE.match(line[0]):
                place = SourceRange(path, Span(*define.span(1)).shifted(line.start()))
                full = SourceRange(path, Span(line.start(), line.start() + define.end()))
                self.names[define[1]] = NameDefinition(
                    define[1],
                    NameKind.DEFINE,
                    place,
                    full,
                    define[3],
                    tuple(define[2].split(", ")) if define[2] else None,
                    define[4] or "",
                )
                self._put("\n", SourceRange(path, Span(line.end() - 1, line.end())), True, frame)
            else:
                self._line(line[0], line.start(), path, frame)

    def _line(self, line: str, start: int, path: str, frame: Frame | None) -> None:
        at = 0
        for word in re.finditer(r"\w+", line.partition("//")[0]):
            known = self.names.get(word[0])
            if known is None:
                continue
            place = SourceRange(path, Span(*word.span()).shifted(start))
            self.uses.append(NameUse(word[0], place, known))
            self._put(
                line[at : word.start()],
                SourceRange(path, Span(at, word.start()).shifted(start)),
                True,
                frame,
            )
            value = Frame(FrameKind.VALUE, f"value of `{word[0]}`", place, known.place, frame)
            self._put(known.value or "", place, False, value)
            at = word.end()
        self._put(line[at:], SourceRange(path, Span(at, len(line)).shifted(start)), True, frame)

    def _put(self, text: str, written: SourceRange, verbatim: bool, frame: Frame | None) -> None:
        if text:
            self.segments.append(Segment(self.at, self.at + len(text), written, verbatim, frame))
            self.pieces.append(text)
            self.at += len(text)

    def _include(self, path: str, name: str, span: Span, frame: Frame | None) -> None:
        folder = os.path.dirname(path or self.path)
        for each in (folder, *self.settings.include_paths):
            file = self.settings.reader.read(os.path.join(each, name))
            if file is not None:
                self.files[file.path] = file
                self.includes.append(Include(SourceRange(path, span), name, file.path))
                call = Frame(
                    FrameKind.INCLUDE, f"include of `{name}`", SourceRange(path, span), None, frame
                )
                self.read(file.text, file.path, call)
                return
        self.includes.append(Include(SourceRange(path, span), name, None))


def expand(
    surface: Any, text: str, path: Any, settings: Any, before: Any = (), change: Any = None
) -> Any:
    """The expansion of a text that has includes or definitions."""
    if "#" not in text or not surface.c_preprocessor:
        return ()
    reader = _Reader(path or "", settings)
    reader.read(text, MAIN, None)
    found = Expansion("".join(reader.pieces), SourceMap(reader.segments))
    return (
        found._replace(
            definitions=tuple(reader.names.values()),
            uses=tuple(reader.uses),
            includes=tuple(reader.includes),
            files=reader.files,
        ),
    )
