"""Execution modes that directives set for the code after them.

Where a condition or a macro may change the mode, it is unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.macros import effect_of
from ipu_asm.program.program import Program, cached_on_program


class Modes(NamedTuple):
    """The mode `names[i]` applies from bundle `starts[i]` on; None for an unknown mode."""

    starts: tuple[int, ...]
    names: tuple[str | None, ...]

    def at(self, bundle: int) -> str | None:
        """Return the mode in which a bundle is executed, None if unknown."""
        return self.names[bisect_right(self.starts, bundle) - 1]

    def ranges(self, count: int) -> Iterator[tuple[int, int, str]]:
        """Yield ranges of bundles ``first..last-1`` with a known mode, and the mode."""
        for first, last, name in zip(self.starts, (*self.starts[1:], count), self.names):
            if name is not None:
                yield first, last, name


@cached_on_program
def modes_of(program: Program) -> Modes:
    """Return the modes of a program, from its directives."""
    reader = _ModeTracker(program)
    for number in reader.steps() if program.isa.surface.modes else ():
        bundle = program.bundles[number]
        if bundle.has_unknown and reader.calls_matter:
            reader.mode = None
        else:
            for words in bundle.syntax.directives:
                reader.directive(words)
        if reader.mode != reader.names[-1]:
            reader.starts.append(number)
            reader.names.append(reader.mode)
    return Modes(tuple(reader.starts), tuple(reader.names))


class _Frame(NamedTuple):
    """An open condition or macro body, the mode before it, and an entry per mode change in it."""

    mode: str | None
    is_body: bool
    changes: list[bool]


class _ModeTracker:
    """Interprets the directives in order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.modes = program.isa.surface.modes
        self.mode: str | None = None
        self.starts = [0]
        self.names: list[str | None] = [None]
        self.frames: list[_Frame] = []
        # A call of a macro with an unknown body may change the mode.
        self.calls_matter = program.macros.reads_files or _sets_in_body(program)

    def steps(self) -> list[int]:
        """Return the numbers of the bundles that may change the mode."""
        steps = self.program.where(_may_change_mode)
        unknown = self.program.where(_has_unknown) if self.calls_matter else []
        return sorted({*steps, *unknown}) if unknown else steps

    def directive(self, words: tuple[str, ...]) -> None:
        if words[0] in self.modes:
            self.mode = self.modes[words[0]]
            for frame in self.frames:
                frame.changes.append(True)
            return
        step = effect_of(words).step
        if step in ("if", "body"):
            self.frames.append(_Frame(self.mode, step == "body", []))
            self.mode = None if step == "body" else self.mode
        elif self.frames and step == "else":
            self.mode = self.frames[-1].mode
        elif self.frames and step in ("endif", "end"):
            frame = self.frames.pop()
            self.mode = frame.mode if frame.is_body or not frame.changes else None


def _may_change_mode(isa: Isa, bundle: Bundle) -> bool:
    if bundle.syntax.plan.inner_directives:
        return True
    if bundle.directive is None:
        return False
    return _sets_mode(isa, bundle) or any(
        effect_of(words).step for words in bundle.syntax.directives
    )


def _sets_mode(isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive in isa.surface.modes


def _has_unknown(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.has_unknown


def _sets_in_body(program: Program) -> bool:
    regions = map(program.macros.region_of, program.where(_sets_mode))
    return any(region is not None and region.is_body for region in regions)
