"""The source location of the bundle at an address, and the source of its instructions."""

from __future__ import annotations

from bisect import bisect_right
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, SourceRange
from ipu_asm.source.templates import template_comments
from ipu_asm.text import LineIndex, SourceFile, Span

_MAX_SHOWN = 8


class ContextChoiceError(ValueError):
    """A template gives a program of its own in each of several contexts: one must be chosen."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self.contexts = tuple(contexts)
        shown = "; ".join(self.contexts[:_MAX_SHOWN]) + "; ..." * (len(contexts) > _MAX_SHOWN)
        super().__init__(f"a template is assembled in one context, found {len(contexts)}: {shown}")


class EffectiveProgram(NamedTuple):
    """A program for the assembler.

    `expansions` are those of its source, one for each context: none if the assembler reads the
    source as it is, else the program is that of the first one.
    """

    program: Program
    expansions: tuple[Expansion, ...] = ()

    @property
    def expansion(self) -> Expansion | None:
        """The expansion that the program was read from; None for a source without any."""
        return self.expansions[0] if self.expansions else None


_LEVELS = (FrameKind.ITERATION, FrameKind.MACRO, FrameKind.INCLUDE)
_MAX_LEVELS = 4


class SourceLocation(NamedTuple):
    """The location of a bundle without its label: `span`, and first and last line from 1.

    `label` is the nearest label at or before the bundle, `distance` addresses before it. In an
    expanded program, `path` is the written file that `span` is in, `MAIN` for the source itself,
    and `stack` the calls, iterations and includes that the bundle came from, innermost first.
    """

    span: Span
    line: int
    end_line: int
    label: str | None = None
    distance: int = 0
    path: str = MAIN
    stack: tuple[Frame, ...] = ()

    @property
    def name(self) -> str | None:
        """The location for messages: `loop`, `loop+2`; None before the first label."""
        return f"{self.label}+{self.distance}" if self.label and self.distance else self.label

    @property
    def levels(self) -> str:
        """The expansion stack for messages: ``macro `save`, for row = 3``; empty without one."""
        labels = [frame.label for frame in self.stack]
        more = ["..."] if len(labels) > _MAX_LEVELS else []
        return ", ".join(labels[:_MAX_LEVELS] + more)


def describe_bundle(address: int, place: SourceLocation | None, line: int | None = None) -> str:
    """Describe a bundle by address, label, line and expansion; `line` overrides its first line."""
    if place is None:
        return f"bundle {address}"
    label = f"`{place.name}`, " if place.name else ""
    levels = f", {place.levels}" if place.stack else ""
    return f"bundle {address} ({label}line {line or place.line}{levels})"


class LineTable:
    """Source locations of a program's bundles, by address.

    They are in `source`, by default the text of the program. Those of a program that was read from
    an `expansion` are where the author wrote them: there, or in a header.
    """

    def __init__(
        self, program: Program, expansion: Expansion | None = None, source: SourceFile | None = None
    ) -> None:
        self.program = program
        self.expansion = expansion
        self.source = source or SourceFile(program.text)
        self._labels = sorted((address, name) for name, address in program.label_addresses.items())

    def place(self, address: int) -> SourceLocation | None:
        """Return the location of a bundle; None if the program has none at that address."""
        bundle = self._bundle(address)
        if bundle is None:
            return None
        if not bundle.instructions:  # an alignment, for its no-ops
            return self._location(address, bundle.first_token)
        last = bundle.syntax.instruction_span(len(bundle.instructions) - 1)
        return self._location(address, Span(bundle.span(0).start, last.end))

    def instruction_place(self, address: int, slot: str, place: int = 0) -> SourceLocation | None:
        """Return the location of an instruction, by slot and position in it.

        That of the first token of the bundle if the source has no such instruction; None if the
        program has no bundle at that address.
        """
        bundle = self._bundle(address)
        if bundle is None:
            return None
        number = _number_of(bundle, slot, place)
        span = bundle.first_token if number is None else bundle.syntax.instruction_span(number)
        return self._location(address, span)

    def instruction(self, address: int, slot: str, place: int = 0) -> str | None:
        """Return the source of an instruction, with single blanks, by slot and position in it.

        None if the bundle has no such instruction. Of an expanded program it is what the assembler
        reads.
        """
        bundle = self._bundle(address)
        number = _number_of(bundle, slot, place) if bundle else None
        return None if bundle is None or number is None else _text(self.program.isa, bundle, number)

    def describe(self, address: int) -> str:
        """Describe a bundle by address, label, line and expansion."""
        return describe_bundle(address, self.place(address))

    def written(self, address: int, span: Span) -> SourceRange:
        """Return where a span of the bundle at an address was written."""
        span = self.program.span(self.program.bundle_at_address[address], span)
        if self.expansion is None:
            return SourceRange(MAIN, span)
        return self.expansion.source_map.written(span) or SourceRange(MAIN, Span(0, 0))

    def written_line(self, span: Span) -> tuple[str, int]:
        """Return the written file of a span of the program, and its first line from 1."""
        written = SourceRange(MAIN, span)
        if self.expansion is not None:
            written = self.expansion.source_map.written(span) or SourceRange(MAIN, Span(0, 0))
        return written.path, self._lines_of(written.path).position(written.span.start).line + 1

    def stack(self, address: int, span: Span) -> tuple[Frame, ...]:
        """Return the calls, iterations and includes that a span of a bundle came from."""
        if self.expansion is None:
            return ()
        span = self.program.span(self.program.bundle_at_address[address], span)
        frame = self.expansion.source_map.frame_at(span.start)
        levels = frame.stack() if frame else ()
        return tuple(level for level in levels if level.kind in _LEVELS)

    def _location(self, address: int, span: Span) -> SourceLocation:
        path, written = self.written(address, span)
        lines = self._lines_of(path)
        first, last = lines.position(written.start).line, lines.position(written.end).line
        label, distance = self._label(address)
        stack = self.stack(address, span)
        return SourceLocation(written, first + 1, last + 1, label, distance, path, stack)

    def _lines_of(self, path: str) -> LineIndex:
        file = self.expansion.files.get(path) if self.expansion and path != MAIN else None
        return (file or self.source).lines

    def _bundle(self, address: int) -> Bundle | None:
        program = self.program
        if not 0 <= address < program.size:
            return None
        return program.bundles[program.bundle_at_address[address]]

    def _label(self, address: int) -> tuple[str | None, int]:
        number = bisect_right(self._labels, address, key=lambda label: label[0]) - 1
        if number < 0:
            return None, 0
        start, name = self._labels[number]
        return name, address - start


def _number_of(bundle: Bundle, slot: str, place: int) -> int | None:
    """The number of an instruction in its bundle, by slot and position in it."""
    return next(iter(bundle.instructions_of(slot)[place : place + 1]), None)


def _text(isa: Isa, bundle: Bundle, number: int) -> str:
    mnemonic, *operands = bundle.instructions[number].words
    return f"{mnemonic} {isa.surface.operand_separator.join(operands)}" if operands else mnemonic


def require_one_context(expansions: Sequence[Expansion]) -> None:
    """Raise `ContextChoiceError` if the expansions of a text differ."""
    if any(each.text != expansions[0].text for each in expansions[1:]):
        raise ContextChoiceError([each.context for each in expansions])


def read_effective_program(
    isa: Isa, source: SourceFile, settings: SourceSettings = DEFAULT_SETTINGS
) -> EffectiveProgram:
    """Return the program that the assembler reads of a source, expanded as `settings` say."""
    expansions = expand(isa.surface, source.text, source.path, settings)
    program = read_program(isa, expansions[0].text if expansions else source.text)
    program.presets, program.configurations = settings.presets, settings.configurations
    program.hosts = settings.hosts
    if expansions and isa.surface.templates:
        comments = template_comments(source.text, expansions[0].source_map)
        program.template_comments = comments
    return EffectiveProgram(program, expansions)
