"""Strings that remember what they were made of.

A template's output is built of `Piece` objects. A piece is a string, so whatever a template does
with one, such as measure or compare it, has the result that it has without positions. Only
concatenation and output keep the parts; every other operation makes a plain string.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Iterable, Sequence

from ipu_asm.named_tuple import NamedTuple

_MAX_DEPTH = 100


class PieceKind(IntEnum):
    """What made a piece."""

    LITERAL = 0
    OUTPUT = 1
    JOINED = 2
    MACRO = 3
    UNKNOWN = 4
    ITERATION = 5
    LOOP_END = 6


class Piece(str):
    """A string with its parts.

    `number` is the token of a literal, the tag of an output or a loop, the call of a macro (its
    opening parenthesis). `detail` describes an iteration, or is the token of a macro's definition.
    """

    __slots__ = ("detail", "kind", "number", "parts")
    kind: PieceKind
    number: int
    parts: Sequence[str]
    detail: object

    def __str__(self) -> str:
        return self


def piece(
    text: str, kind: PieceKind, number: int = 0, parts: Sequence[str] = (), detail: object = None
) -> Piece:
    """Return a string that remembers its parts."""
    made = Piece(text)
    made.kind, made.number, made.parts, made.detail = kind, number, parts, detail
    return made


def joined(parts: Iterable[str]) -> Piece:
    kept: list[str] = []
    for part in parts:
        if part:
            kept.append(part)
        elif isinstance(part, Piece) and part.kind >= PieceKind.ITERATION:
            _keep_mark(kept, part)
    return piece("".join(kept), PieceKind.JOINED, 0, kept)


def _keep_mark(kept: list[str], mark: Piece) -> None:
    """Add the mark of an iteration or of a loop's end, in place of one with no output after it.

    So there are never more marks than pieces of output and loops around them.
    """
    last = kept[-1] if kept else None
    if isinstance(last, Piece) and not last and last.number == mark.number:
        kept.pop()
    if kept or mark.kind is PieceKind.ITERATION:
        kept.append(mark)


class FrameNode(NamedTuple):
    """A level of the stack of a piece: an iteration of a loop, or a call of a macro.

    `parent` is the number of the next outer level, -1 for none. `number` and `detail` are those of
    the piece.
    """

    kind: PieceKind
    parent: int
    number: int
    detail: object


class Leaves:
    """The leaves of a rendered text, in order: strings with their origins and stacks.

    The origin of a literal is the number of its token; that of an output is ``~tag``. `unknown`
    are the numbers of leaves whose text is not known.
    """

    def __init__(self, root: Piece) -> None:
        self.texts: list[str] = []
        self.origins: list[int] = []
        self.frames: list[int] = []
        self.nodes: list[FrameNode] = []
        self.unknown: list[int] = []
        self._add_parts(root, 0, -1, 0)

    def _leaf(self, text: str, origin: int, frame: int) -> None:
        self.texts.append(str.__str__(text))
        self.origins.append(origin)
        self.frames.append(frame)

    def _add_parts(self, whole: Piece, tag: int, frame: int, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._leaf(whole, ~tag, frame)
            return
        loops: list[tuple[int, int]] = []  # number of the loop, frame around it
        for part in whole.parts:
            if part.__class__ is not Piece:
                self._leaf(part, ~tag, frame)
            elif part:
                self._add(part, tag, frame, depth)
            else:
                frame = self._marked(part, frame, loops)

    def _marked(self, mark: Piece, frame: int, loops: list[tuple[int, int]]) -> int:
        """Return the frame after the mark of an iteration or of a loop's end."""
        while any(number == mark.number for number, _ in loops):
            _, frame = loops.pop()
        if mark.kind is PieceKind.LOOP_END:
            return frame
        loops.append((mark.number, frame))
        return self._node(mark, frame)

    def _node(self, made: Piece, parent: int) -> int:
        self.nodes.append(FrameNode(made.kind, parent, made.number, made.detail))
        return len(self.nodes) - 1

    def _add(self, part: Piece, tag: int, frame: int, depth: int) -> None:
        kind = part.kind
        if kind is PieceKind.LITERAL:
            self._leaf(part, part.number, frame)
        elif kind is PieceKind.UNKNOWN:
            self.unknown.append(len(self.texts))
            self._leaf(part, ~tag, frame)
        elif kind is PieceKind.OUTPUT:
            if part.parts:
                self._add_parts(part, part.number, frame, depth + 1)
            else:
                self._leaf(part, ~part.number, frame)
        elif kind is PieceKind.MACRO:
            self._add_parts(part, tag, self._node(part, frame), depth + 1)
        else:
            self._add_parts(part, tag, frame, depth + 1)
