"""From the words of a bundle to instructions of an instruction set: specs, values, slots, bits.

Nothing here depends on where a bundle stands, so a bundle is resolved once for all its places, and
an instruction once for all bundles that write it alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Sequence

from ipu_asm.diagnostics import Diagnostic, Fix, Problem, RelatedInformation
from ipu_asm.errors import (
    DUPLICATE_SLOT,
    LR_WRITE_CONFLICT,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNKNOWN_MNEMONIC,
)
from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operands import quoted
from ipu_asm.spelling import Vocabulary
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.grammar import load_grammar
from ipu_asm.syntax.messages import syntax_errors
from ipu_asm.text import Span, TextEdit

_MOST_REMEMBERED = 60_000
# Longer ones are mistakes (a missing separator, or no assembly at all): not worth remembering.
_LONGEST_REMEMBERED = 16
ON_MNEMONIC = -1
Value = int | str | None


class Instruction(NamedTuple):
    """One instruction as written, wherever it stands.

    `operands[i]` is the operand of the spec that the i-th written one is (None if there is no such
    any more); `values[i]` its value (None if it is wrong, the text if it is a label). `problems`
    pairs the number of a written operand, or `ON_MNEMONIC`, with what is wrong. `bits` are the
    slot's bits with label fields still 0.
    """

    words: tuple[str, ...]
    spec: InstructionSpec | None
    operands: tuple[Operand | None, ...] = ()
    values: tuple[Value, ...] = ()
    problems: tuple[tuple[int, Problem], ...] = ()
    bits: int = 0
    labels: tuple[int, ...] = ()

    @property
    def mnemonic(self) -> str:
        """The mnemonic as it is written."""
        return self.words[0]

    def value(self, name: str) -> Value:
        """The value of the operand of that name; None if it is absent or wrong."""
        for operand, value in zip(self.operands, self.values):
            if operand is not None and operand.name == name:
                return value
        return None

    @property
    def is_idle(self) -> bool:
        """Whether it does nothing at all, by what it is or by its operands."""
        if self.spec is None:
            return False
        idle = self.spec.idle.items()
        return self.spec.nop or (
            bool(idle) and all(self.value(name) == value for name, value in idle)
        )


class LabelUse(NamedTuple):
    """An operand that is a label: which one, and where its address goes in the word."""

    instruction: int
    operand: int
    low: int


class Bundle:
    """One bundle, resolved. Offsets count from the start of its text; never changed."""

    __slots__ = (
        "syntax", "instructions", "places", "findings", "word", "open_slots", "label_uses", "label",
        "is_notable", "flow", "is_broken",
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
        self.word = word
        # Slots that the bundle does not name and whose default depends on its address.
        self.open_slots = open_slots
        self.label_uses = label_uses
        self.label = syntax.label
        self.is_notable = bool(self.label is not None or label_uses or findings)
        self.flow = _flow_of(instructions)
        self.is_broken = bool(syntax.plan.misfits) or any(i.problems for i in instructions)

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

    @property
    def size(self) -> int:
        """How many addresses it takes: none if it is only blanks, comments or a label."""
        return 1 if self.instructions else 0

    def span(self, instruction: int, operand: int = ON_MNEMONIC) -> Span:
        """Where an operand or the mnemonic of an instruction stands in the bundle's text."""
        if operand == ON_MNEMONIC:
            return self.syntax.mnemonic_span(instruction)
        return self.syntax.operand_span(instruction, operand)

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


class Resolver:
    """Reads bundles of one instruction set. It remembers instructions, never bundles."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.grammar = load_grammar(isa.surface.grammar)
        self._instructions: dict[tuple[str, ...], Instruction] = {}
        self._vocabulary = Vocabulary(tuple(isa.instructions))
        self._default_word = 0
        self._defaults: dict[str, int] = {}
        self._open: list[tuple[Slot, Instruction]] = []
        for slot in isa.slots:
            default = self.instruction(self.grammar.words(slot.default)) if slot.default else None
            if default and default.labels:
                self._open.append((slot, default))
            elif default:
                self._defaults[slot.name] = default.bits
                self._default_word |= sum(default.bits << low for low in slot.lows)

    def bundle(self, text: str) -> Bundle:
        """A bundle slice, resolved. Never raises, whatever the text."""
        syntax = BundleSyntax(self.grammar, text)
        instructions = tuple(
            self.instruction(syntax.instruction_words(number))
            for number in range(len(syntax.plan.instructions))
        )
        findings: list[Diagnostic] = []
        if syntax.plan.misfits:
            findings += syntax_errors(syntax, self.isa.surface)
        for number, instruction in enumerate(instructions):
            if instruction.problems:
                findings += _instruction_findings(self.isa, syntax, number, instruction)
        places = self._places(syntax, instructions, findings)
        word, open_slots, label_uses = self._layout(instructions, places)
        return Bundle(syntax, instructions, places, tuple(findings), word, open_slots, label_uses)

    def instruction(self, words: tuple[str, ...]) -> Instruction:
        """An instruction from its mnemonic and operands."""
        instruction = self._instructions.get(words)
        if instruction is None:
            instruction = _resolve(self.isa, self._vocabulary, words)
            if len(words) <= _LONGEST_REMEMBERED:
                if len(self._instructions) >= _MOST_REMEMBERED:
                    self._instructions.clear()
                self._instructions[words] = instruction
        return instruction

    def open_defaults(self) -> list[tuple[Slot, Instruction]]:
        """Slots whose default depends on the bundle's address, with that default."""
        return self._open

    def _places(
        self,
        syntax: BundleSyntax,
        instructions: Sequence[Instruction],
        findings: list[Diagnostic],
    ) -> tuple[int | None, ...]:
        """A place in the word for each instruction: the first free one of its slot."""
        used: dict[str, int] = {}
        places: list[int | None] = []
        for number, instruction in enumerate(instructions):
            spec = instruction.spec
            if spec is None:
                places.append(None)
                continue
            slot = self.isa.slot_by_name[spec.slot]
            count = used.get(spec.slot, 0)
            used[spec.slot] = count + 1
            places.append(slot.lows[count] if count < len(slot.lows) else None)
            if count == len(slot.lows):
                findings.append(_duplicate_slot(self.isa, syntax, slot, instructions, number))
            if count and slot.exclusive_writes:
                findings += _write_conflicts(syntax, instructions, number)
        return tuple(places)

    def _layout(
        self, instructions: Sequence[Instruction], places: Sequence[int | None]
    ) -> tuple[int, tuple[Slot, ...], tuple[LabelUse, ...]]:
        word = self._default_word
        uses: list[LabelUse] = []
        named: set[str] = set()
        for number, (instruction, low) in enumerate(zip(instructions, places)):
            if low is None or instruction.spec is None:
                continue
            slot = instruction.spec.slot
            named.add(slot)
            word ^= (instruction.bits ^ self._defaults.get(slot, 0)) << low
            for operand in instruction.labels:
                field = instruction.operands[operand]
                uses.append(LabelUse(number, operand, low + field.low if field else low))
        open_slots = tuple(slot for slot, _ in self._open if slot.name not in named)
        return word, open_slots, tuple(uses)


def _flow_of(instructions: Sequence[Instruction]) -> str | None:
    """How control leaves a bundle other than to the next one: branch, jump, indirect or halt."""
    for instruction in instructions:
        if instruction.spec is not None and instruction.spec.flow not in (None, "break"):
            return instruction.spec.flow
    return None


@lru_cache(maxsize=16)
def resolver_for(isa: Isa) -> Resolver:
    """The resolver that everybody who reads this instruction set shares."""
    return Resolver(isa)


def _resolve(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    spec = isa.spec(words[0])
    if spec is None:
        return Instruction(words, None, problems=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    operands, problems = _matched(spec, words[1:])
    values: list[Value] = []
    labels: list[int] = []
    bits = spec.opcode_bits
    for number, (operand, text) in enumerate(zip(operands, words[1:])):
        value: int | str | None | Problem = None
        if operand is not None:
            value = operand.type.parse(_without_keyword(operand, text))
            if isinstance(value, Problem):
                named = f"operand `{operand.name}`: {value.message}"
                problems.append((number, value._replace(message=named)))
                value = None
            elif isinstance(value, str):
                labels.append(number)
            elif value is not None:
                bits |= operand.type.encode(value) << operand.low
        values.append(value)
    bits |= _default_bits(spec, operands)
    return Instruction(
        words, spec, tuple(operands), tuple(values), tuple(problems), bits, tuple(labels)
    )


def _without_keyword(operand: Operand, text: str) -> str:
    return text.partition("=")[2] if operand.keyword and "=" in text else text


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """The bits of operands that were left out and whose default is not all zeros."""
    return sum(
        operand.type.encode(operand.default) << operand.low
        for operand in spec.operands
        if operand.default and operand not in written
    )


def _matched(
    spec: InstructionSpec, texts: Sequence[str]
) -> tuple[list[Operand | None], list[tuple[int, Problem]]]:
    """Which operand of the spec each written one is, and what is wrong with their number."""
    if len(texts) == len(spec.operands) and not any(o.keyword for o in spec.operands):
        return list(spec.operands), []
    by_keyword = {operand.keyword: operand for operand in spec.operands if operand.keyword}
    positional = list(spec.positional)
    matched: list[Operand | None] = []
    for text in texts:
        keyword = by_keyword.pop(text.partition("=")[0].lower(), None) if "=" in text else None
        if keyword is None and positional:
            keyword = positional.pop(0)
        matched.append(keyword)
    problems: list[tuple[int, Problem]] = []
    expects = _expectation(spec)
    if None in matched:
        message = f"{expects}, found {len(texts)}"
        problems.append((matched.index(None), Problem(TOO_MANY_OPERANDS, message)))
    elif any(operand not in matched for operand in spec.operands if not operand.optional):
        missing = [f"`{o.name}`" for o in spec.operands if o not in matched and not o.optional]
        message = f"{expects}, found {len(texts)}; missing: {', '.join(missing)}"
        problems.append((ON_MNEMONIC, Problem(TOO_FEW_OPERANDS, message)))
        # What is there may stand in any place, so nothing is said about it.
        return [None] * len(texts), problems
    return matched, problems


def _expectation(spec: InstructionSpec) -> str:
    most, least = len(spec.operands), spec.required
    if most == 0:
        return f"`{spec.mnemonic}` takes no operands"
    count = str(most) if most == least else f"{least} to {most}"
    noun = "operand" if most == 1 else "operands"
    return f"`{spec.mnemonic}` takes {count} {noun} (`{spec.syntax}`)"


def _unknown(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Problem:
    mnemonic = words[0]
    if mnemonic.lower() in isa.instructions:
        message = f"mnemonics are lower case, found {quoted(mnemonic)}"
        return Problem(UNKNOWN_MNEMONIC, message, mnemonic.lower())
    message = f"unknown mnemonic {quoted(mnemonic)}"
    return Problem(UNKNOWN_MNEMONIC, message, vocabulary.nearest(mnemonic))


def _instruction_findings(
    isa: Isa, syntax: BundleSyntax, number: int, instruction: Instruction
) -> list[Diagnostic]:
    broken = syntax.plan.instructions[number].broken
    counts = (TOO_FEW_OPERANDS, TOO_MANY_OPERANDS)
    findings = []
    for place, problem in instruction.problems:
        if broken and problem.kind in counts:
            continue
        on_mnemonic = place == ON_MNEMONIC
        span = syntax.mnemonic_span(number) if on_mnemonic else syntax.operand_span(number, place)
        message, fix = problem.message, None
        if problem.replacement is not None:
            message += f"; did you mean `{problem.replacement}`?"
            edit = TextEdit(span, problem.replacement)
            fix = Fix(f"replace by `{problem.replacement}`", (edit,))
        elif problem.kind is TOO_MANY_OPERANDS:
            message, fix = _surplus(isa, syntax, number, place, problem)
        findings.append(Diagnostic(problem.kind, message, span, fix=fix))
    return findings


def _surplus(
    isa: Isa, syntax: BundleSyntax, number: int, place: int, problem: Problem
) -> tuple[str, Fix]:
    """A surplus operand is a forgotten separator if it is a mnemonic; else it can go."""
    plan = syntax.plan.instructions[number]
    before = syntax.operand_span(number, place - 1) if place else syntax.mnemonic_span(number)
    word = syntax.words[plan.operands[place][0]]
    separator = isa.surface.separator
    if isa.spec(word) is not None and separator:
        message = f"{problem.message}; is `{separator}` missing before `{word}`?"
        edit = TextEdit(Span(before.end, before.end), separator)
        return message, Fix(f"insert `{separator}` before `{word}`", (edit,))
    last = syntax.operand_span(number, len(plan.operands) - 1)
    edit = TextEdit(Span(before.end, last.end), "")
    many = len(plan.operands) - place > 1
    title = "remove the surplus operands" if many else f"remove {quoted(word)}"
    return problem.message, Fix(title, (edit,))


def _duplicate_slot(
    isa: Isa,
    syntax: BundleSyntax,
    slot: Slot,
    instructions: Sequence[Instruction],
    number: int,
) -> Diagnostic:
    carries = "one instruction" if slot.count == 1 else f"{slot.count} instructions"
    message = (
        f"a bundle carries {carries} for slot `{slot.name}`, "
        f"found {'a third' if slot.count == 2 else 'another'}: `{instructions[number].mnemonic}`"
    )
    earlier = tuple(
        RelatedInformation(syntax.mnemonic_span(n), f"`{slot.name}` is used here")
        for n, instruction in enumerate(instructions[:number])
        if instruction.spec is not None and instruction.spec.slot == slot.name
    )
    fix = split_before(isa, syntax, number)
    return Diagnostic(DUPLICATE_SLOT, message, syntax.mnemonic_span(number), earlier, fix)


def split_before(isa: Isa, syntax: BundleSyntax, number: int) -> Fix | None:
    """The fix that begins a new bundle at an instruction that is not the bundle's first."""
    separator_token = syntax.plan.instructions[number].mnemonic - 1
    if number == 0 or syntax.words[separator_token] != isa.surface.separator:
        return None
    edit = TextEdit(syntax.spans[separator_token], isa.surface.bundle_end)
    mnemonic = syntax.words[separator_token + 1]
    return Fix(f"begin a new bundle at `{mnemonic}`", (edit,))


def _write_conflicts(
    syntax: BundleSyntax, instructions: Sequence[Instruction], number: int
) -> list[Diagnostic]:
    """Findings where instruction `number` writes what an earlier one of its slot writes."""
    later = instructions[number]
    spec = later.spec
    if spec is None or later.is_idle:
        return []
    findings = []
    for n, earlier in enumerate(instructions[:number]):
        if earlier.spec is None or earlier.spec.slot != spec.slot or earlier.is_idle:
            continue
        for place, operand in enumerate(later.operands):
            if operand is None or operand.name not in spec.writes:
                continue
            other = _place_of_write(earlier, later.values[place])
            if other is not None:
                findings.append(_write_conflict(syntax, (n, other), (number, place), later))
    return findings


def _place_of_write(instruction: Instruction, register: Value) -> int | None:
    """Which written operand of an instruction writes the register of that number."""
    assert instruction.spec is not None
    if register is None:
        return None
    for place, operand in enumerate(instruction.operands):
        if operand is not None and operand.name in instruction.spec.writes:
            if instruction.values[place] == register:
                return place
    return None


def _write_conflict(
    syntax: BundleSyntax, first: tuple[int, int], second: tuple[int, int], later: Instruction
) -> Diagnostic:
    register = later.words[second[1] + 1].lower()
    message = f"a bundle may write a loop register once, found a second write of `{register}`"
    related = RelatedInformation(syntax.operand_span(*first), f"`{register}` is written here")
    return Diagnostic(LR_WRITE_CONFLICT, message, syntax.operand_span(*second), (related,))
