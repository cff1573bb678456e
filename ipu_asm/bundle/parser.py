"""From the text of a bundle to a `Bundle`: its instructions, slots, bits and findings.

Nothing here depends on the address of a bundle, so each text is parsed once, and so is each
instruction that several bundles share.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence

from ipu_asm.bundle.bundle import Bundle, DefaultBits, LabelUse
from ipu_asm.bundle.findings import instruction_findings
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.instruction_parser import parse_instruction
from ipu_asm.bundle.slot_filling import fill_slots
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.comments import unclosed_comment
from ipu_asm.syntax.directives import directive_findings
from ipu_asm.syntax.grammar import load_grammar
from ipu_asm.syntax.symbol_directives import wrong_argument

_MOST_REMEMBERED = 20_000
_MOST_PLACES = 10_000
# Longer ones are mistakes: a missing separator, or a text that is no assembly.
_LONGEST_REMEMBERED = 200


class BundleParser:
    """Parses bundles of one instruction set. It remembers instructions, never bundles."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.grammar = load_grammar(isa.surface.grammar)
        self._instructions: dict[tuple[str, ...], Instruction] = {}
        self._vocabulary = Vocabulary(tuple(isa.instructions))
        self._open: list[tuple[Slot, Instruction]] = []
        # Long texts have as many bundles as they have few combinations of slots.
        self._places: dict[tuple[int | None, ...], tuple[int | None, ...]] = {}
        # Without a separator between operands each of them is one word.
        self._has_words_for_operands = not self.grammar.kind_letter("COMMA")
        self._contested = any(slot.units for slot in isa.slots)
        by_slot, word = {}, 0
        for slot in isa.slots:
            default = self.default_of(slot)
            if default and default.labels:
                self._open.append((slot, default))
            elif default:
                by_slot[slot.name] = default.bits
                word |= sum(default.bits << low for low in slot.lows)
        self._default_bits = DefaultBits(word, by_slot)
        self._open_slots = tuple(slot for slot, _ in self._open)
        self._open_names = {slot.name for slot in self._open_slots}

    def bundle(self, text: str) -> Bundle:
        """The bundle in a bundle slice. Never raises, whatever the text."""
        syntax = BundleSyntax(self.grammar, text)
        instructions = tuple(
            self.instruction(syntax.instruction_words(number))
            for number in range(len(syntax.plan.instructions))
        )
        findings: list[Diagnostic] = []
        if _has_mistakes(syntax, instructions):
            # 6 ms to import, a tenth of a run on a small file without mistakes.
            from ipu_asm.bundle.recovery import BundleReading, read_again, syntax_findings

            reading = BundleReading(syntax, instructions)
            if self._has_words_for_operands:
                reading = read_again(self.isa, reading, self.instruction)
            findings = syntax_findings(self.isa, reading)
            syntax, instructions = reading
        findings += _surface_findings(syntax, self.isa)
        for number, instruction in enumerate(instructions):
            if instruction.findings:
                findings += instruction_findings(self.isa, syntax, number, instruction)
        if self._contested:
            from ipu_asm.bundle.slot_assignment import assign_slots

            # Directives may choose between the instructions of a bundle, and the end of a bundle
            # without a closing brace is unknown: then two instructions for a slot are no mistake.
            is_open = any(finding.reason == "brace-unclosed" for finding in syntax.plan.findings)
            reported = [] if syntax.plan.inner_directives or is_open else findings
            instructions, places = assign_slots(self.isa, syntax, instructions, reported)
        else:
            instructions, places = fill_slots(self.isa, syntax, instructions, findings)
        if len(self._places) > _MOST_PLACES:
            self._places.clear()
        places = self._places.setdefault(places, places)
        open_slots, label_uses = self._uses(instructions, places)
        return Bundle(
            syntax,
            instructions,
            places,
            tuple(findings),
            default_bits=self._default_bits,
            open_slots=open_slots,
            label_uses=label_uses,
        )

    def instruction(self, words: tuple[str, ...]) -> Instruction:
        """The instruction with a mnemonic and operands."""
        instruction = self._instructions.get(words)
        if instruction is None:
            instruction = parse_instruction(self.isa, self._vocabulary, words)
            if sum(map(len, words)) <= _LONGEST_REMEMBERED:
                if len(self._instructions) >= _MOST_REMEMBERED:
                    self._instructions.clear()
                self._instructions[words] = instruction
        return instruction

    def default_of(self, slot: Slot) -> Instruction | None:
        """The instruction that a free place of a slot holds, None if the slot has none."""
        if not slot.default:
            return None
        default = self.instruction(self.grammar.words(slot.default))
        return next((each for each in default.readings if each.is_of(slot.name)), default)

    def open_defaults(self) -> list[tuple[Slot, Instruction]]:
        """The slots whose default depends on the address of the bundle, each with its default."""
        return self._open

    def _uses(
        self, instructions: Sequence[Instruction], places: Sequence[int | None]
    ) -> tuple[tuple[Slot, ...], tuple[LabelUse, ...]]:
        """Return the slots that have no instruction and depend on the address, and the labels."""
        uses: list[LabelUse] = []
        named: set[str] = set()
        for number, (instruction, low) in enumerate(zip(instructions, places)):
            if low is None or instruction.spec is None:
                continue
            named.add(instruction.spec.slot)
            for operand in instruction.labels:
                field = instruction.operands[operand]
                uses.append(LabelUse(number, operand, low + field.low if field else low))
        open_slots = self._open_slots
        if not named.isdisjoint(self._open_names):
            open_slots = tuple(slot for slot in open_slots if slot.name not in named)
        return open_slots, tuple(uses)


@lru_cache(maxsize=16)
def parser_for(isa: Isa) -> BundleParser:
    """The shared parser of an instruction set."""
    return BundleParser(isa)


def _has_mistakes(syntax: BundleSyntax, instructions: Sequence[Instruction]) -> bool:
    return bool(syntax.plan.findings) or any(each.findings for each in instructions)


def _surface_findings(syntax: BundleSyntax, isa: Isa) -> list[Diagnostic]:
    """The findings about directives, and about comments without an end."""
    found = [wrong_argument(syntax, isa.surface), unclosed_comment(syntax, isa.surface)]
    return [*directive_findings(syntax, isa), *filter(None, found)]
