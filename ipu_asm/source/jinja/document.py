"""A template that is divided into parts, and what an edit makes of it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Iterator, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.compiled import CompileError
from ipu_asm.source.jinja.declared_contexts import DeclaredContexts, declared_contexts
from ipu_asm.source.jinja.limits import MOST_TOKENS
from ipu_asm.source.jinja.names import TemplateName, TemplateNames, names_of
from ipu_asm.source.jinja.parts import NameCounts, Part, Workshop, divided
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.text import Change, Span

_LONG_NUMBER = re.compile(r"[\d_]{4000}|0[xXoObB][\da-fA-F_]{4000}")
_DECLARATION = "ipu:"


class Edit(NamedTuple):
    """Which parts an edit replaced: from `first` up to `old_end`, which are now up to `new_end`.

    If it only changed literal text, `literal` is the number of its token in the part.
    """

    first: int
    old_end: int
    new_end: int
    literal: int | None = None


class Template:
    """A template that compiles. Never changed after it is made.

    What is known about the whole, in place of its parts, is made when it is first asked for.
    """

    def __init__(
        self,
        workshop: Workshop,
        parts: list[Part],
        text: str,
        counts: NameCounts,
        read: DeclaredContexts,
    ) -> None:
        """Take the parts, and the contexts that it declared when it was last read as a whole."""
        self.workshop = workshop
        self.parts = parts
        self.text = text
        self.counts = counts
        self.read = read

    @cached_property
    def lengths(self) -> list[int]:
        """The lengths of the texts of the parts."""
        return [len(part.tokens.text) for part in self.parts]

    @cached_property
    def ends(self) -> list[int]:
        """Where each part ends in the text."""
        return [*accumulate(self.lengths)]

    @cached_property
    def writers(self) -> list[int]:
        """The numbers of the parts that may set a name."""
        return [number for number, part in enumerate(self.parts) if part.tags.sets]

    @cached_property
    def size(self) -> int:
        """The number of all tokens."""
        return 1 + _size(self.parts)

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the whole."""
        return Tokens.joined([part.tokens for part in self.parts])

    @cached_property
    def names(self) -> TemplateNames:
        """The names of the whole."""
        counts = accumulate([len(part.tokens.tokens) - 1 for part in self.parts], initial=0)
        return names_of(self.tokens, zip([part.tags.tree for part in self.parts], counts))

    @cached_property
    def bare(self) -> set[int]:
        """The tags of the whole that are nothing but a name."""
        found: set[int] = set()
        first = 0
        for part in self.parts:
            found.update(first + tag for tag in part.tags.names.bare)
            first += len(part.tokens.tags)
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """What leads from numbers in the parts to those in the whole."""
        return Numbers(self.parts)

    @cached_property
    def declared(self) -> DeclaredContexts:
        """The contexts that comments declare."""
        return declared_contexts(self.tokens)

    def unused(self) -> Iterator[tuple[TemplateName, Span]]:
        """Yield the names and macros that are never used, whatever the scope, and their places."""
        unused = self.counts.writes.keys() - self.counts.loads.keys()
        for part, end in zip(self.parts, self.ends) if unused else ():
            for each in () if unused.isdisjoint(part.tags.writes) else part.tags.names.definitions:
                is_told = each.kind in (NameKind.SET, NameKind.TEMPLATE_MACRO)
                if is_told and each.name in unused and not each.name.startswith("_"):
                    start = end - len(part.tokens.text)
                    yield each, part.tokens.place(each.token).shifted(start)

    def place(self, number: int) -> Span:
        """Return the place of a token with a number of its part, as `Tokens.place` does."""
        place = self.numbers.part(number)
        part = self.parts[place]
        start = self.ends[place] - len(part.tokens.text)
        return part.tokens.place(max(0, number - part.base)).shifted(start)

    def after(self, text: str, change: Change) -> tuple[Template, Edit] | None:
        """Return the template after an edit; None if it is to be read as a whole."""
        if not change.turns(self.text, text):
            return None
        last_part = len(self.parts) - 1
        first = min(bisect_right(self.ends, change.start), last_part)
        last = max(first, bisect_left(self.ends, change.old_end))
        edited = self._with_literal(first, text, change) if first == last else None
        return edited or self._with_parts(first, last, text, change)

    def _with_literal(self, first: int, text: str, change: Change) -> tuple[Template, Edit] | None:
        part = self.parts[first]
        start = self.ends[first] - len(part.tokens.text)
        length = len(part.tokens.text) + change.new_end - change.old_end
        local = Change(*(offset - start for offset in change))
        edited = part.tokens.after_edit(text[start : start + length], local)
        if edited is None:
            return None
        tokens, literal = edited
        edit = Edit(first, first + 1, first + 1, literal)
        made = self._replaced(edit, [part._replace(tokens=tokens)], text, self.counts)
        if "names" in self.__dict__:
            made.names = self.names  # they are in numbers, which are the same
        return made, edit

    def _replaced(self, edit: Edit, new: list[Part], text: str, counts: NameCounts) -> Template:
        """Return the template after an edit."""
        first, old_end, _, _ = edit
        old = self.parts[first:old_end]
        parts = [*self.parts[:first], *new, *self.parts[old_end:]]
        made = Template(self.workshop, parts, text, counts, self.read)
        lengths = [len(part.tokens.text) for part in new]
        made.lengths = [*self.lengths[:first], *lengths, *self.lengths[old_end:]]
        made.size = self.size + _size(new) - _size(old)
        if len(new) == len(old) and not any(part.tags.sets for part in (*old, *new)):
            made.writers = self.writers
        return made

    def _with_parts(
        self, first: int, last: int, text: str, change: Change
    ) -> tuple[Template, Edit] | None:
        """Return the template with new parts.

        If the edited ones no longer end behind a tag at root level, they end with the next part.
        """
        start = self.ends[first] - len(self.parts[first].tokens.text)
        for old_end in range(last + 1, min(last + 2, len(self.parts)) + 1):
            written = text[start : self.ends[old_end - 1] + change.new_end - change.old_end]
            is_declaring = _DECLARATION in written or _DECLARATION in self._text(first, old_end)
            if is_declaring or not is_readable(written):
                return None
            pieces = self.workshop.read(written, old_end == len(self.parts))
            if pieces is not None:
                return self._replaced_by(pieces, first, old_end, text)
        return None

    def _text(self, first: int, end: int) -> str:
        return "".join([part.tokens.text for part in self.parts[first:end]])

    def _replaced_by(
        self, pieces: Sequence[Tokens], first: int, old_end: int, text: str
    ) -> tuple[Template, Edit] | None:
        self.workshop.forget(self.size)
        try:
            new, counts = self.workshop.parts(pieces, self.counts, self.parts[first:old_end])
        except CompileError:
            return None
        edit = Edit(first, old_end, first + len(new))
        made = self._replaced(edit, new, text, counts)
        is_same = counts.is_same_around(self.counts) and made.size <= MOST_TOKENS
        return (made, edit) if is_same else None


def _size(parts: Sequence[Part]) -> int:
    return sum(len(part.tokens.tokens) - 1 for part in parts)


def read_template(workshop: Workshop, tokens: Tokens) -> Template:
    """Return a template. Raises `CompileError` for the first mistake in the whole."""
    workshop.forget(len(tokens.tokens))
    pieces, none = divided(tokens), NameCounts.none()
    try:
        parts, counts = workshop.parts(pieces, none)
    except CompileError:
        if len(pieces) == 1:
            raise
        parts, counts = workshop.parts([tokens], none)
    template = Template(workshop, parts, tokens.text, counts, declared_contexts(tokens))
    template.tokens = tokens
    return template


def is_readable(text: str) -> bool:
    """Return whether a text has no number for which Jinja's lexer takes 300 bytes a digit."""
    return _LONG_NUMBER.search(text) is None


class Numbers:
    """Leads from the numbers in what parts have made to those in the whole template."""

    def __init__(self, parts: Sequence[Part]) -> None:
        found, tokens, tags = [], 0, 0
        for place, part in enumerate(parts):
            found.append((part.base, tokens - part.base, tags - part.base, place))
            tokens += len(part.tokens.tokens) - 1
            tags += len(part.tokens.tags)
        found.sort()
        self._bases = [base for base, _, _, _ in found]
        self._tokens = [delta for _, delta, _, _ in found]
        self._tags = [delta for _, _, delta, _ in found]
        self._places = [place for _, _, _, place in found]

    def part(self, number: int) -> int:
        """Return which part has a number; the first one for one that is not known."""
        return self._places[bisect_right(self._bases, number) - 1] if number else 0

    def token(self, number: int) -> int:
        """Return the number of a token in the whole; 0 for one that is not known."""
        return number and number + self._tokens[bisect_right(self._bases, number) - 1]

    def tag(self, number: int) -> int:
        """Return the number of a tag in the whole; 0 for one that is not known."""
        return number and number + self._tags[bisect_right(self._bases, number) - 1]
