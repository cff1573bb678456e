"""A bundle, resolved: its instructions, their places in the word, what is wrong in it."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, NamedTuple, Sequence, TypeVar

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC, value_start
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

_T = TypeVar("_T")
_SPOILING = ("stray", "unexpected", "brace-empty", "brace-unclosed", "brace-unopened")


class LabelUse(NamedTuple):
    """An operand that is a label: which one, and where its address goes in the word."""

    instruction: int
    operand: int
    low: int


class Bundle:
    """One bundle, resolved. Offsets count from the start of its text; never changed."""

    __slots__ = (
        "directive",
        "findings",
        "flow",
        "hangs_on_names",
        "has_unknown",
        "instructions",
        "is_broken",
        "is_notable",
        "label",
        "label_uses",
        "leaves",
        "memo",
        "open_slots",
        "places",
        "size",
        "syntax",
        "traits",
        "word",
    )  # fmt: skip

    def __init__(
        self,
        syntax: BundleSyntax,
        instructions: tuple[Instruction, ...],
        places: tuple[int | None, ...],
        findings: tuple[Diagnostic, ...],
        word: int,
        open_slots: tuple[Slot, ...],
        label_uses: tuple[LabelUse, ...],
    ) -> None:
        self.syntax = syntax
        self.instructions = instructions
        # The lowest bit of each instruction's place in the word; None if it has none.
        self.places = places
        self.findings = findings
        self.hangs_on_names = all(finding.hangs_on_name for finding in findings)
        self.word = word
        # Slots that the bundle does not name and whose default depends on its address.
        self.open_slots = open_slots
        self.label_uses = label_uses
        self.label = syntax.label
        # The first word of a directive, with its dot; None where the slice is none.
        self.directive = syntax.directive
        # How many addresses it takes: none if it is only blanks, comments or a label.
        self.size = 1 if instructions or _is_spoilt(syntax) else 0
        self.is_notable = bool(
            self.label is not None or label_uses or findings or self.directive or syntax.plan.inner
        )
        self.flow = _flow_of(instructions)
        # Whether control goes elsewhere from it, be it for a call.
        self.leaves = self.flow is not None or any(
            i.spec and i.spec.delay_slots for i in instructions
        )
        # The traits of all its instructions, and whether nothing is known of one of them.
        self.traits = frozenset[str]().union(
            *[i.spec.traits for i in instructions if i.spec is not None and i.spec.traits]
        )
        self.has_unknown = any(i.spec is None for i in instructions)
        # Results of `cached_on_bundle` by the function's name; made when first needed.
        self.memo: dict[str, Any] | None = None
        self.is_broken = bool(syntax.plan.findings) or any(i.findings for i in instructions)

    def with_findings(self, more: Sequence[Diagnostic]) -> Bundle:
        """The same bundle with more findings in it."""
        findings = (*self.findings, *more)
        return Bundle(
            self.syntax,
            self.instructions,
            self.places,
            findings,
            self.word,
            self.open_slots,
            self.label_uses,
        )

    def span(self, instruction: int, operand: int = ON_MNEMONIC) -> Span:
        """Where an operand or the mnemonic of an instruction stands in the bundle's text."""
        if operand == ON_MNEMONIC:
            return self.syntax.mnemonic_span(instruction)
        return self.syntax.operand_span(instruction, operand)

    def value_span(self, instruction: int, operand: int) -> Span:
        """Where the value of a written operand stands: behind its keyword and its prefix."""
        written = self.instructions[instruction]
        text = written.words[operand + 1]
        known = written.operands[operand] if operand < len(written.operands) else None
        start = value_start(text)
        if known is not None and known.type.prefix and text.startswith(known.type.prefix, start):
            start += len(known.type.prefix)
        if not start:
            return self.syntax.operand_span(instruction, operand)
        return self.syntax.part_span(instruction, operand, start, len(text))

    @property
    def first_token(self) -> Span:
        """The bundle's first token, be it a label or a mnemonic."""
        return self.syntax.span_of(0, 1)

    def named(self, slot: str) -> list[int]:
        """The numbers of the instructions that belong to a slot, in their order."""
        return [
            number
            for number, instruction in enumerate(self.instructions)
            if instruction.spec is not None and instruction.spec.slot == slot
        ]


def cached_on_bundle(function: Callable[[Isa, Bundle], _T]) -> Callable[[Isa, Bundle], _T]:
    """Compute a function of a bundle once; the bundle holds the result, also after edits."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(isa: Isa, bundle: Bundle) -> _T:
        memo = bundle.memo
        if memo is None:
            memo = bundle.memo = {}
        if name not in memo:
            memo[name] = function(isa, bundle)
        found: _T = memo[name]
        return found

    return cached


def _flow_of(instructions: Sequence[Instruction]) -> str | None:
    """How control leaves a bundle other than to the next one: branch, jump, indirect or halt."""
    for instruction in instructions:
        if instruction.spec is not None and instruction.spec.flow not in (None, "break"):
            return instruction.spec.flow
    return None


def _is_spoilt(syntax: BundleSyntax) -> bool:
    """Whether something stands in place of instructions, of which nothing could be read."""
    return any(finding.reason in _SPOILING for finding in syntax.plan.findings)
