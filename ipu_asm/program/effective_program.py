"""The program that the assembler reads: that of a text, or of its first expansion."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.text import SourceFile

_MOST_SHOWN = 8


class ContextChoiceError(ValueError):
    """A template gives a program of its own in each of several contexts: one must be chosen."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self.contexts = tuple(contexts)
        shown = "; ".join(self.contexts[:_MOST_SHOWN]) + "; ..." * (len(contexts) > _MOST_SHOWN)
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
        from ipu_asm.source.templates import template_comments  # for templates alone

        comments = template_comments(source.text, expansions[0].source_map)
        program.template_comments = comments
    return EffectiveProgram(program, expansions)
