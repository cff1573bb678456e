"""A parsed bundle: its instructions, their positions in the word, and its findings."""

from __future__ import annotations

from copy import copy
from functools import wraps
from typing import Any, Callable, Mapping, Sequence, TypeVar

from ipu_asm.bundle.operand_matching import ON_MNEMONIC, Instruction, value_start
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span

_T = TypeVar("_T")
_NO_TRAITS: frozenset[str] = frozenset()
_VARIANTS = "variants"
_UNREADABLE = ("stray", "unexpected", "brace-empty", "brace-unclosed", "brace-unopened")


class LabelUse(NamedTuple):
    """A label operand: numbers of its instruction and operand, lowest bit of its field."""

    instruction: int
    operand: int
    low: int


class DefaultBits(NamedTuple):
    """A word without instructions, and the bits in it of a place of each slot that has any."""

    word: int
    by_slot: Mapping[str, int]


class Bundle:
    """A parsed bundle. Immutable; offsets count from the start of its slice."""

    __slots__ = (
        "default_bits",
        "directive",
        "findings",
        "flow",
        "has_unknown",
        "has_unknown_size",
        "instructions",
        "is_broken",
        "is_notable",
        "label",
        "label_uses",
        "memo",
        "open_slots",
        "places",
        "size",
        "syntax",
        "traits",
        "transfers_control",
    )  # fmt: skip

    def __init__(
        self,
        syntax: BundleSyntax,
        instructions: tuple[Instruction, ...],
        places: tuple[int | None, ...],
        findings: tuple[Diagnostic, ...],
        *,
        default_bits: DefaultBits,
        open_slots: tuple[Slot, ...],
        label_uses: tuple[LabelUse, ...],
    ) -> None:
        self.syntax = syntax
        self.instructions = instructions
        # The lowest bit of each instruction in the word; None for one without a slot.
        self.places = places
        self.findings = findings
        self.default_bits = default_bits
        # Slots without an instruction whose default depends on the bundle's address.
        self.open_slots = open_slots
        self.label_uses = label_uses
        self.label = syntax.label
        # The first word of a directive, with its dot; None for any other slice.
        self.directive = syntax.directive
        # The number of addresses: 0 for blanks, comments, directives or a label alone. An alignment
        # has those of the no-ops that fill it; whether their number is not known.
        self.size = 1 if instructions or _is_unreadable(syntax) else 0
        self.has_unknown_size = False
        self.is_notable = bool(
            self.label is not None
            or label_uses
            or findings
            or self.directive
            or syntax.plan.inner_directives
        )
        self.flow = _flow_of(instructions)
        # Whether control may leave the bundle other than to the next one, calls included.
        self.transfers_control = self.flow is not None or any(
            i.spec and i.spec.delay_slots for i in instructions
        )
        # The traits of all instructions, and whether one of them is unknown.
        self.traits = _traits_of(instructions)
        self.has_unknown = any(i.spec is None for i in instructions)
        # Results of `cached_on_bundle`, by name of the function; None before the first.
        self.memo: dict[str, Any] | None = None
        self.is_broken = bool(syntax.plan.findings) or any(i.findings for i in instructions)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Return what is pickled: everything but cached results, which are computed again."""
        kept = {name: getattr(self, name) for name in self.__slots__}
        return None, {**kept, "memo": None}

    @property
    def word(self) -> int:
        """The word, with 0 in the fields of labels and in slots whose default depends on them.

        Linting needs no words, and each would take as much memory as the text of its bundle.
        """
        word, by_slot = self.default_bits
        for instruction, low in zip(self.instructions, self.places):
            if low is not None and instruction.spec is not None:
                word ^= (instruction.bits ^ by_slot.get(instruction.spec.slot, 0)) << low
        return word

    @property
    def depends_on_names(self) -> bool:
        """Whether names that macros may define would resolve all findings."""
        return all(finding.depends_on_name for finding in self.findings)

    @property
    def has_uncertain_effect(self) -> bool:
        """Whether errors may change what the bundle does, or the number of bundles in its place."""
        return self.is_broken or None in self.places

    def with_findings(self, more: Sequence[Diagnostic]) -> Bundle:
        findings = (*self.findings, *more)
        return Bundle(
            self.syntax,
            self.instructions,
            self.places,
            findings,
            default_bits=self.default_bits,
            open_slots=self.open_slots,
            label_uses=self.label_uses,
        )

    def with_no_ops(self, count: int | None) -> Bundle:
        """Return an alignment that so many no-ops fill; None if their number is not known.

        The same number gives the same object, so that an edit elsewhere changes nothing.
        """
        if self.memo is None:
            self.memo = {}
        variants = self.memo.setdefault(_VARIANTS, {0: self})
        if count not in variants:
            variants[count] = found = copy(self)
            found.size, found.has_unknown_size = count or 0, count is None
            found.memo = {_VARIANTS: variants}
        bundle: Bundle = variants[count]
        return bundle

    def span(self, instruction: int, operand: int = ON_MNEMONIC) -> Span:
        """Return the span of an operand or the mnemonic, in the bundle's text.

        The mnemonic of a broken bundle without instructions is its first token.
        """
        if operand == ON_MNEMONIC:
            if not self.instructions:
                return self.first_token
            return self.syntax.mnemonic_span(instruction)
        return self.syntax.operand_span(instruction, operand)

    def value_span(self, instruction: int, operand: int) -> Span:
        """Return the span of an operand's value, without its keyword and prefix."""
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
        """The span of the first token, a label or a mnemonic."""
        return self.syntax.span_of(0, 1)

    def instructions_of(self, slot: str) -> list[int]:
        """Return the numbers of the instructions that belong to a slot, in their order."""
        return [
            number
            for number, instruction in enumerate(self.instructions)
            if instruction.spec is not None and instruction.spec.slot == slot
        ]


def cached_on_bundle(function: Callable[[Isa, Bundle], _T]) -> Callable[[Isa, Bundle], _T]:
    """Cache a function's result in the bundle, which is reused across edits."""
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
    """Return the first control flow other than break: branch, jump, indirect, halt or None."""
    for instruction in instructions:
        if instruction.spec is not None and instruction.spec.flow not in (None, "break"):
            return instruction.spec.flow
    return None


def _traits_of(instructions: Sequence[Instruction]) -> frozenset[str]:
    """Return the traits of all instructions; most bundles have none and share one empty set."""
    found = [i.spec.traits for i in instructions if i.spec is not None and i.spec.traits]
    return found[0].union(*found[1:]) if found else _NO_TRAITS


def _is_unreadable(syntax: BundleSyntax) -> bool:
    """Return whether tokens in place of instructions could not be read."""
    return any(finding.reason in _UNREADABLE for finding in syntax.plan.findings)
