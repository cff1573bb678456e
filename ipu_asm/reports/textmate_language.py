"""A language as its TextMate grammar needs it: the sets that share it, and its terminals."""

from __future__ import annotations

from typing import Iterable, NamedTuple

from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.reports.textmate_patterns import Terminals, alternatives, escaped, terminals_of
from ipu_asm.syntax.grammar import BRACES, LABEL_TOKENS

# Of two scopes the second is the inner one. Few themes have a colour for labels and for ends: that
# of functions and that of keywords is used. With these names most themes, among them those of
# Visual Studio Code, keep mnemonics, registers, labels and plain words apart.
LABEL = "entity.name.label entity.name.function.label"


class Language(NamedTuple):
    """The sets of a language; `no_more` is behind a word that must not go on."""

    suffix: str
    isas: tuple[Isa, ...]
    terminals: Terminals
    no_more: str

    def scope(self, name: str) -> str:
        """A scope of this language."""
        return " ".join(f"{part}.{self.suffix}" for part in name.split(" "))

    def instructions(self) -> dict[str, list[InstructionSpec]]:
        """By mnemonic, all forms that the sets have of that name."""
        found: dict[str, list[InstructionSpec]] = {}
        for isa in self.isas:
            for spec in isa.instructions.values():
                found.setdefault(spec.mnemonic, []).extend(isa.forms(spec))
        return found

    def one_of(self, mnemonics: Iterable[str]) -> str:
        """One of these mnemonics, as a group."""
        case = "i" if self.isas[0].surface.any_case else ""
        return f"(?{case}:{alternatives(mnemonics)})"

    @property
    def braces(self) -> list[str]:
        """The marks around a bundle, where it has such, as patterns."""
        return [
            escaped(self.terminals.texts[name]) for name in BRACES if name in self.terminals.texts
        ]

    @property
    def numeric_labels(self) -> bool:
        """Whether labels may be numbers that are defined again."""
        return self.isas[0].surface.numeric_labels

    @property
    def has_expressions(self) -> bool:
        """Whether a sign is a token of its own, as numbers may be calculated."""
        return "SIGN" in self.terminals.patterns

    @property
    def label_colon(self) -> str:
        """What stands behind a label."""
        return self.terminals.patterns[LABEL_TOKENS[-1]]


def language_of(isas: tuple[Isa, ...]) -> Language:
    """The language in which these sets are written."""
    surface = isas[0].surface
    terminals = terminals_of(surface.grammar)
    suffix = surface.language_id.removesuffix("-asm")
    return Language(suffix, isas, terminals, f"(?![{terminals.more}])")
