"""From the words of a bundle to instructions of an instruction set: specs, values, slots, bits.

Nothing here depends on where a bundle stands, so a bundle is resolved once for all its places, and
an instruction once for all bundles that write it alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Iterator, NamedTuple, Sequence

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
from ipu_asm.matching import ON_MNEMONIC, any_named, match_operands, value_start
from ipu_asm.spelling import Vocabulary
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.grammar import load_grammar
from ipu_asm.text import Span, TextEdit

_MOST_REMEMBERED = 60_000
# Longer ones are mistakes (a missing separator, or no assembly at all): not worth remembering.
_LONGEST_REMEMBERED = 200
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
        "findings",
        "flow",
        "instructions",
        "is_broken",
        "is_notable",
        "label",
        "label_uses",
        "open_slots",
        "places",
        "size",
        "syntax",
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
        self.word = word
        # Slots that the bundle does not name and whose default depends on its address.
        self.open_slots = open_slots
        self.label_uses = label_uses
        self.label = syntax.label
        # How many addresses it takes: none if it is only blanks, comments or a label.
        self.size = 1 if instructions or _is_spoilt(syntax) else 0
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

    def span(self, instruction: int, operand: int = ON_MNEMONIC) -> Span:
        """Where an operand or the mnemonic of an instruction stands in the bundle's text."""
        if operand == ON_MNEMONIC:
            return self.syntax.mnemonic_span(instruction)
        return self.syntax.operand_span(instruction, operand)

    def value_span(self, instruction: int, operand: int) -> Span:
        """Where the value of a written operand stands: behind its keyword, if it has one."""
        text = self.instructions[instruction].words[operand + 1]
        start = value_start(text)
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
            from ipu_asm.syntax.messages import syntax_errors  # most texts need none

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
            if sum(map(len, words)) <= _LONGEST_REMEMBERED:
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
            if count == 1 and slot.exclusive_writes:
                findings += _write_conflicts(syntax, instructions, spec.slot)
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


def _is_spoilt(syntax: BundleSyntax) -> bool:
    """Whether something stands in place of instructions, of which nothing could be read."""
    return any(misfit.reason in ("stray", "unexpected") for misfit in syntax.plan.misfits)


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
    texts = words[1:]
    operands, problems = match_operands(spec, texts)
    named = any_named(texts)
    values: list[Value] = []
    labels: list[int] = []
    bits = spec.opcode_bits
    for number, operand in enumerate(operands):
        if operand is None:
            values.append(None)
            continue
        text = texts[number]
        start = value_start(text) if named else 0
        parsed = operand.type.parse(text[start:] if start else text)
        if isinstance(parsed, Problem):
            problems.append((number, _in_operand(parsed, operand, start, len(text))))
            values.append(None)
            continue
        values.append(parsed)
        if isinstance(parsed, str):
            labels.append(number)
        else:
            bits |= operand.type.encode(parsed) << operand.low
    if not spec.all_due:
        bits |= _default_bits(spec, operands)
    return Instruction(
        words, spec, tuple(operands), tuple(values), tuple(problems), bits, tuple(labels)
    )


def _in_operand(problem: Problem, operand: Operand, start: int, stop: int) -> Problem:
    """A problem of a value, told of the operand whose text has the value from `start` to `stop`."""
    part = problem.part
    if part is not None:
        part = (part[0] + start, part[1] + start)
    elif start:
        part = (start, stop)
    return problem._replace(message=f"operand `{operand.name}`: {problem.message}", part=part)


def _default_bits(spec: InstructionSpec, written: Sequence[Operand | None]) -> int:
    """The bits of operands that were left out and whose default is not all zeros."""
    return sum(
        operand.type.encode(operand.default) << operand.low
        for operand in spec.operands
        if operand.default and operand not in written
    )


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
        if broken and (problem.kind in counts or syntax.has_misfit(number, place)):
            continue
        span = _span_of(syntax, number, place, problem)
        message, fix = problem.message, None
        if problem.replacement is not None:
            message += f"; did you mean `{problem.replacement}`?"
            edit = TextEdit(span, problem.replacement)
            fix = Fix(f"replace by `{problem.replacement}`", (edit,))
        elif problem.kind is TOO_MANY_OPERANDS:
            question, fix = _surplus(isa, syntax, number, place, instruction)
            message += question
        findings.append(Diagnostic(problem.kind, message, span, fix=fix))
    return findings


def _span_of(syntax: BundleSyntax, number: int, place: int, problem: Problem) -> Span:
    if place == ON_MNEMONIC:
        return syntax.mnemonic_span(number)
    if problem.part is not None:
        return syntax.part_span(number, place, *problem.part)
    return syntax.operand_span(number, place)


def _surplus(
    isa: Isa, syntax: BundleSyntax, number: int, place: int, instruction: Instruction
) -> tuple[str, Fix]:
    """A surplus operand is a forgotten separator if it is a mnemonic; else it can go."""
    before = syntax.operand_span(number, place - 1) if place else syntax.mnemonic_span(number)
    word = instruction.words[place + 1]
    separator = isa.surface.separator
    if isa.spec(word) is not None and separator:
        edit = TextEdit(Span(before.end, before.end), separator)
        fix = Fix(f"insert `{separator}` before `{word}`", (edit,))
        return f"; is `{separator}` missing before `{word}`?", fix
    wrong_otherwise = {other for other, _ in instruction.problems if other != place}
    last = place
    while instruction.operands[last + 1 : last + 2] == (None,) and last + 1 not in wrong_otherwise:
        last += 1
    edit = TextEdit(Span(before.end, syntax.operand_span(number, last).end), "")
    title = "remove the surplus operands" if last > place else f"remove {quoted(word)}"
    return "", Fix(title, (edit,))


def _duplicate_slot(
    isa: Isa,
    syntax: BundleSyntax,
    slot: Slot,
    instructions: Sequence[Instruction],
    number: int,
) -> Diagnostic:
    carries = "one instruction" if slot.capacity == 1 else f"{slot.capacity} instructions"
    message = (
        f"a bundle carries {carries} for slot `{slot.name}`, "
        f"found {'a third' if slot.capacity == 2 else 'another'}: `{instructions[number].mnemonic}`"
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
    syntax: BundleSyntax, instructions: Sequence[Instruction], slot: str
) -> Iterator[Diagnostic]:
    """A finding for each write of a register that an earlier instruction of the slot writes."""
    first: dict[Value, tuple[int, int]] = {}
    for number, instruction in enumerate(instructions):
        spec = instruction.spec
        if spec is None or spec.slot != slot or instruction.is_idle:
            continue
        for place, (operand, register) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is None or register is None or operand.name not in spec.writes:
                continue
            earlier = first.setdefault(register, (number, place))
            if earlier[0] != number:
                yield _write_conflict(syntax, earlier, (number, place), instruction)


def _write_conflict(
    syntax: BundleSyntax, first: tuple[int, int], second: tuple[int, int], later: Instruction
) -> Diagnostic:
    register = later.words[second[1] + 1].lower()
    message = f"a bundle may write a loop register once, found a second write of `{register}`"
    related = RelatedInformation(syntax.operand_span(*first), f"`{register}` is written here")
    return Diagnostic(LR_WRITE_CONFLICT, message, syntax.operand_span(*second), (related,))
