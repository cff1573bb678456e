"""The parts of a template, which are read, compiled and rendered one by one.

A part is a run of lines that begins and ends at root level, outside of all blocks, behind a tag
that trims no blanks; so its tokens and its syntax tree are the same alone as in the whole, and so
is its code, but for the names around it. An edit makes new parts of those that it touches. What the
others made remains, unless they use a name whose value has changed.
"""

from __future__ import annotations

from itertools import chain
from typing import Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.compiled import CompiledTags, Function
from ipu_asm.source.jinja.sandbox import Recorder, Sandbox
from ipu_asm.source.jinja.tokens import Tokens, begins_block, keyword_of
from ipu_asm.text import Span

_WHOLE = {"block", "extends", "from", "import", "include"}
"""Tags that say something about the whole template."""
_LINES = 8
"""In a part. With one, a template whose lines differ takes 1.6 times as long to compile."""
_FEW_LINES = 16
"""So many are parts of their own, such as those of an edited part."""


class Part(NamedTuple):
    """A part of a template.

    In all that is rendered, the numbers of its tokens and tags are `base` higher. No two parts of a
    template, before edits and after them, have the same numbers.
    """

    tokens: Tokens
    tags: CompiledTags
    base: int
    function: Function


def divided(tokens: Tokens) -> list[Tokens]:
    """Return the tokens of each part of a template; of one that cannot be divided, all."""
    cuts = root_tags(tokens)
    if tokens.error is not None or cuts is None:
        return [tokens]
    cuts = [last for last in cuts if _ends_line(tokens, last)]
    step = 1 if len(cuts) <= _FEW_LINES else _LINES
    parts, first, start = [], 1, 0
    for last in cuts[step - 1 :: step]:
        end = tokens.tokens[last].end
        parts.append(tokens.part(first, last, Span(start, end)))
        first, start = last + 1, end
    if not parts:
        return [tokens]
    if start < len(tokens.text):
        parts.append(tokens.part(first, len(tokens.tokens) - 1, Span(start, len(tokens.text))))
    return parts


def _ends_line(tokens: Tokens, last: int) -> bool:
    """Return whether there is a line break in the literal behind a tag."""
    behind = tokens.tokens[last + 1 : last + 2]
    return bool(behind) and behind[0].kind == "data" and "\n" in behind[0].text


def root_tags(tokens: Tokens) -> list[int] | None:
    """Return the last tokens of the tags behind which a part may end; None if there are no parts.

    So it is if a block is not complete, or if a tag says something about the whole template.
    """
    found, depth = [], 0
    for number, (kind, first, last) in enumerate(tokens.tags):
        if kind == "raw":
            depth += 1 if tokens.tokens[first].kind == "raw_begin" else -1
        elif kind == "block":
            keyword = keyword_of(tokens, number)
            if keyword in _WHOLE:
                return None
            depth += begins_block(tokens, number) - keyword.startswith("end")
        if depth < 0:
            return None
        if not depth and not tokens.trims_behind(last):
            found.append(last)
    is_closed = not tokens.tags or tokens.is_closed(len(tokens.tags) - 1)
    return found if is_closed and not depth else None


class Workshop:
    """Makes the parts of a template, before edits and after them; equal ones are compiled once."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.sandbox = Sandbox(self.recorder)
        self._functions = {"environment": self.sandbox, "__file__": "", **self.recorder.functions()}
        self._compiled: dict[object, CompiledTags] = {}
        self._read: dict[tuple[str, bool], list[Tokens] | None] = {}
        self._remembered = 0
        self._next_base = 1

    def read(self, text: str, is_last: bool) -> list[Tokens] | None:
        """Return the tokens of each part of an edited text; None if a part cannot end with it.

        `is_last` tells that it is the end of a template.
        """
        key = text, is_last
        if key not in self._read:
            tokens = Tokens(text, is_last)
            tags = None if tokens.error else root_tags(tokens)
            can_end = tags is not None and (is_last or tags[-1:] == [len(tokens.tokens) - 1])
            self._remembered += len(tokens.tokens)
            self._read[key] = divided(tokens) if can_end else None
        return self._read[key]

    def parts(
        self, pieces: Sequence[Tokens], counts: NameCounts, old: Sequence[Part] = ()
    ) -> tuple[list[Part], NameCounts]:
        """Return new parts that replace old ones, and the counts of all parts then.

        Raises `CompileError` for what the code generator refuses.
        """
        tags = [self._tags(piece) for piece in pieces]
        counts = counts.after([part.tags for part in old], tags)
        return [self._part(*each, counts) for each in zip(pieces, tags)], counts

    def _tags(self, tokens: Tokens) -> CompiledTags:
        code = tokens.code
        tags = self._compiled.get(code)
        if tags is None:
            self._remembered += len(tokens.tokens)
            tags = self._compiled[code] = CompiledTags(tokens, self.sandbox, self._functions)
        return tags

    def _part(self, tokens: Tokens, tags: CompiledTags, counts: NameCounts) -> Part:
        base, around = self._next_base, tags.inner.intersection(counts.roots)
        self._next_base += len(tokens.tokens)
        return Part(tokens, tags, base, tags.function(tokens, base, around))

    def forget(self, size: int) -> None:
        """Forget what was read if it is much more than a template of a size, in tokens, needs."""
        if self._remembered > 4 * size + 20_000:
            self._compiled.clear()
            self._read.clear()
            self._remembered = 0


class NameCounts(NamedTuple):
    """In how many parts a name is read, set, at root level, and not at root level."""

    loads: dict[str, int]
    writes: dict[str, int]
    roots: dict[str, int]
    inner: dict[str, int]

    @classmethod
    def none(cls) -> NameCounts:
        """Return the counts of no parts."""
        return cls({}, {}, {}, {})

    def after(self, old: Sequence[CompiledTags], new: Sequence[CompiledTags]) -> NameCounts:
        """Return the counts after some parts are replaced by others."""
        return NameCounts(
            _counted(self.loads, [tags.loads for tags in old], [tags.loads for tags in new]),
            _counted(self.writes, [tags.writes for tags in old], [tags.writes for tags in new]),
            _counted(self.roots, [tags.roots for tags in old], [tags.roots for tags in new]),
            _counted(self.inner, [tags.inner for tags in old], [tags.inner for tags in new]),
        )

    def is_same_around(self, other: NameCounts) -> bool:
        """Return whether the names at root level are the same, of those that others use inside."""
        differing = self.roots.keys() ^ other.roots.keys()
        return differing.isdisjoint(self.inner)


def _counted(
    counts: dict[str, int], old: list[frozenset[str]], new: list[frozenset[str]]
) -> dict[str, int]:
    """Return counts of names after some sets of names are replaced by others."""
    if old == new:
        return counts
    counts = counts.copy()
    for name in chain.from_iterable(new):
        counts[name] = counts.get(name, 0) + 1
    for name in chain.from_iterable(old):
        counts[name] -= 1
        if not counts[name]:
            del counts[name]
    return counts
