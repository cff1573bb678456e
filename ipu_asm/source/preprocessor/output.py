"""The output of the preprocessor for lines, and its `SourceMap`, computed on access.

Findings and editor features need few positions, so segments are computed for one piece of text at a
time, from positions that are relative to lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Iterator, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameDefinition, NameKind, NameUse
from ipu_asm.source.preprocessor.lines import BLOCK_COMMENT, FileLines, Line
from ipu_asm.source.preprocessor.mistakes import Mistake
from ipu_asm.source.preprocessor.tokens import Kind, LineFrame, Macro, Place, Token, tokens_of
from ipu_asm.source.source_map import Frame, Segment, SourceMap, SourceRange


class Part(NamedTuple):
    """A part of an output; `is_verbatim` if its text is the written text of its place."""

    text: str
    place: Place
    is_verbatim: bool
    origin: LineFrame | None = None


class Output(NamedTuple):
    """The expansion of a line, or of several lines that a macro call extends over.

    `used` are the names that were looked up and what they meant: with the same meanings, the same
    lines become the same output. With `reads_on`, so much of it is as written that it looks
    independent of the following lines, but another text in them may be part of a call.
    """

    text: str
    parts: tuple[Part, ...]
    used: Mapping[str, Macro | None] = {}
    lines: int = 1
    mistakes: tuple[Mistake, ...] = ()
    reads_on: bool = False


class Piece(NamedTuple):
    """An output in the expansion; `base` is the include that contains it."""

    output: Output
    base: LineFrame | None


def verbatim(line: Line, start: int = 0, end: int | None = None) -> Output:
    """Return a range of a line as it is written."""
    end = len(line.text) if end is None else end
    text = line.text[start:end]
    return Output(text, (Part(text, Place(line, start, end), True),))


def parts_of(tokens: Sequence[Token]) -> tuple[Part, ...]:
    """Group tokens into parts of output, one for adjacent tokens that were written at one place.

    A blank is put between two words that would become one.
    """
    parts = _Parts()
    for token in tokens:
        pieces = token.parts or (token,)
        for each in pieces:
            parts.add(each, is_joined=each is not pieces[0])
    return parts.closed()


class _Parts:
    """Builds parts; the last one is still open."""

    def __init__(self) -> None:
        self._done: list[Part] = []
        self._texts: list[str] = []
        self._place: Place | None = None
        self._is_verbatim = False
        self._origin: LineFrame | None = None

    def add(self, token: Token, is_joined: bool) -> None:
        """Add a token; with `is_joined` it is pasted to the one before it."""
        place = token.replaces or token.place
        is_verbatim = token.replaces is None
        if self._place is not None:
            line, start, end = self._place
            if is_verbatim and end == place.start and line is place.line and self._is_verbatim:
                if self._origin is token.origin:
                    self._texts.append(token.text)
                    self._place = Place(line, start, place.end)
                    return
            elif not is_joined and _would_join(self._texts[-1], token):
                self._open(Part(" ", place, False, token.origin))
            is_same = self._origin is token.origin and self._place == place
            if is_same and not is_verbatim and not self._is_verbatim:
                self._texts.append(token.text)
                return
        self._open(Part(token.text, place, is_verbatim, token.origin))

    def closed(self) -> tuple[Part, ...]:
        if self._place is not None:
            text = "".join(self._texts)
            self._done.append(Part(text, self._place, self._is_verbatim, self._origin))
            self._place = None
        return tuple(self._done)

    def _open(self, part: Part) -> None:
        self.closed()
        text, self._place, self._is_verbatim, self._origin = part
        self._texts = [text]


def _would_join(before: str, token: Token) -> bool:
    if token.kind not in (Kind.NAME, Kind.NUMBER) or not before:
        return False
    return before[-1].isalnum() or before[-1] == "_"


class Positions:
    """The absolute ranges and frames for the places and origins of one expansion."""

    def __init__(self, files: Mapping[str, FileLines]) -> None:
        self._files = files
        self._frames: dict[tuple[int, int], tuple[Frame, LineFrame, LineFrame | None]] = {}

    def range_of(self, place: Place) -> SourceRange:
        line, start, end = place
        return self._files[line.path].range_of(line, start, end)

    def frame_of(self, origin: LineFrame | None, base: LineFrame | None) -> Frame | None:
        """Return the frame of an origin in text that came through `base`."""
        if origin is None:
            if base is None:
                return None
            origin, base = base, None
        key = (id(origin), id(base))
        known = self._frames.get(key)
        if known is None:
            kind, label, call, definition, parent = origin
            frame = Frame(
                kind,
                label,
                self.range_of(call),
                None if definition is None else self.range_of(definition),
                self.frame_of(parent, base) if parent is not None or base is not None else None,
            )
            known = self._frames[key] = (frame, origin, base)
        return known[0]

    def segments(self, piece: Piece, start: int) -> list[Segment]:
        """Return the segments of a piece that begins at an offset of the expansion."""
        found = []
        for text, place, is_verbatim, origin in piece.output.parts:
            if text:
                written = self.range_of(place)
                frame = self.frame_of(origin, piece.base)
                end = start + len(text)
                found.append(Segment(start, end, written, is_verbatim, frame))
                start = end
        return found


class PieceMap(SourceMap):
    """A `SourceMap` whose segments are computed on access."""

    def __init__(self, pieces: Sequence[Piece], positions: Positions) -> None:
        self._pieces = [piece for piece in pieces if piece.output.text]
        self._offsets = [0, *accumulate(len(piece.output.text) for piece in self._pieces)]
        self._positions = positions
        self._made: dict[int, list[Segment]] = {}
        super().__init__(self._all_segments)

    def segment_at(self, offset: int) -> Segment | None:
        """Return the segment that contains an offset; at the end of the text, the last one."""
        if not self._pieces:
            return None
        number = min(bisect_right(self._offsets, offset), len(self._pieces)) - 1
        segments = self._of_piece(max(0, number))
        place = bisect_right(segments, offset, key=lambda segment: segment.start)
        return segments[max(0, place - 1)]

    def _all_segments(self) -> list[Segment]:
        return [each for n in range(len(self._pieces)) for each in self._of_piece(n)]

    def _of_piece(self, number: int) -> list[Segment]:
        segments = self._made.get(number)
        if segments is None:
            start = self._offsets[number]
            segments = self._positions.segments(self._pieces[number], start)
            self._made[number] = segments
        return segments


_COMMENT_LINE = re.compile(rf"[ \t]*(?://.*|{BLOCK_COMMENT}[ \t]*)[\r\n]*")
_RULER = re.compile(r"[-=*/#_~+\s]*")
_MAX_LINES = 20


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
        """Return the comment after a definition, else the one in the lines directly above."""
        behind = [token for token in tokens_of(line) if token.kind is Kind.COMMENT]
        if behind:
            return _plain(behind[-1])
        above: list[str] = []
        for before in self._files[line.path].lines_above(line, _MAX_LINES):
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
