"""An editor language as its TextMate grammar needs it: its instruction sets and terminals."""

from __future__ import annotations

from typing import Iterable

from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.textmate_patterns import Terminals, alternatives, escaped, terminals_of
from ipu_asm.syntax.grammar import BRACES, LABEL_TOKENS

# The second of two scopes is the inner one. Few themes have a colour for labels and for bundle
# ends, so those of functions and of keywords are used. With these names most themes, among them
# those of Visual Studio Code, distinguish mnemonics, registers, labels and plain words.
LABEL = "entity.name.label entity.name.function.label"


class Language(NamedTuple):
    """The instruction sets that share a language.

    `word_end` is a lookahead that a word must end there.
    """

    suffix: str
    isas: tuple[Isa, ...]
    terminals: Terminals
    word_end: str

    def scope(self, name: str) -> str:
        """Return scope names with the suffix of this language."""
        return " ".join(f"{part}.{self.suffix}" for part in name.split(" "))

    def instructions(self) -> dict[str, list[InstructionSpec]]:
        """Return all forms in all sets by mnemonic."""
        found: dict[str, list[InstructionSpec]] = {}
        for isa in self.isas:
            for spec in isa.instructions.values():
                found.setdefault(spec.mnemonic, []).extend(isa.forms(spec))
        return found

    def one_of(self, mnemonics: Iterable[str]) -> str:
        """Return a group that matches these mnemonics, in any case where their set allows it."""
        names = list(mnemonics)
        in_any_case = [name for name in names if self._is_in_any_case(name)]
        exact = [name for name in names if name not in in_any_case]
        groups = [f"(?:{alternatives(exact)})"] if exact else []
        groups += [f"(?i:{alternatives(in_any_case)})"] if in_any_case else []
        return groups[0] if len(groups) == 1 else f"(?:{'|'.join(groups)})"

    def _is_in_any_case(self, mnemonic: str) -> bool:
        return any(
            mnemonic in isa.instructions for isa in self.isas if isa.surface.case_insensitive
        )

    @property
    def braces(self) -> list[str]:
        """Return patterns for the braces around a bundle, if the language has any."""
        return [
            escaped(self.terminals.texts[name]) for name in BRACES if name in self.terminals.texts
        ]

    @property
    def numeric_labels(self) -> bool:
        """Check whether labels can be numbers that are defined repeatedly."""
        return self.isas[0].surface.numeric_labels

    @property
    def has_expressions(self) -> bool:
        """Check whether a sign is a token of its own, as in arithmetic expressions."""
        return "SIGN" in self.terminals.patterns

    @property
    def label_colon(self) -> str:
        """Return the pattern of the mark behind a label."""
        return self.terminals.patterns[LABEL_TOKENS[-1]]


def language_of(isas: tuple[Isa, ...]) -> Language:
    """Return the language in which these sets are written."""
    surface = isas[0].surface
    terminals = terminals_of(surface.grammar)
    suffix = surface.language_id.removesuffix("-asm")
    return Language(suffix, isas, terminals, f"(?![{terminals.word_characters}])")
