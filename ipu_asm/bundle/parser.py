"""From the text of a bundle to a `Bundle`: its instructions, slots, bits and findings.

Nothing here depends on the address of a bundle, so each text is parsed once, and so is each
instruction that several bundles share.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, Sequence

from ipu_asm.bundle.bundle import Bundle, DefaultBits, LabelUse
from ipu_asm.bundle.findings import (
    control_character,
    duplicate_slot,
    full_bundle,
    instruction_findings,
    write_conflicts,
)
from ipu_asm.bundle.operand_matching import (
    CALL_PSEUDO_NAME,
    ON_MNEMONIC,
    OPERAND_COUNTS,
    Instruction,
    is_instruction,
    is_resolvable_by_macros,
    read_instruction,
)
from ipu_asm.bundle.slot_assignment import Assigned, assign_slots
from ipu_asm.diagnostics import (
    TOO_MANY_OPERANDS,
    UNKNOWN_MNEMONIC,
    Applicability,
    Diagnostic,
    UnplacedFinding,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import Isa, Slot
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.bundle import BundleSyntax, Tokenization, unclosed_comment
from ipu_asm.syntax.directives import directive_findings, wrong_argument
from ipu_asm.syntax.foreign_tokens import InstructionContext, grouped, with_joined, with_label
from ipu_asm.syntax.grammar import load_grammar
from ipu_asm.syntax.messages import foreign_lines, syntax_errors
from ipu_asm.text import is_binary


class BundleReading(NamedTuple):
    syntax: BundleSyntax
    instructions: tuple[Instruction, ...]


# The mark before the arguments of an assembler macro, and a call of a preprocessor macro.
_MACRO_PART = "\\"
# Tried once for each word: a search from every letter would take quadratic time.
_CALL = re.compile(r"(?<!\w)[^\WA-Za-z_]*[A-Za-z_]\w*\(")
# A part of a mnemonic written in one case throughout, or with a capital at the beginning.
_PARTS = re.compile("[._]")
_PLAIN_CASE = re.compile("[A-Z0-9]+|[a-z0-9]+|[A-Z][a-z0-9]{2,}")
_MAX_REMEMBERED = 20_000
_MAX_PLACES = 10_000
# Findings after which it is unknown which instructions belong to a bundle.
_UNKNOWN_ENDS = ("brace-unclosed", "brace-outside")
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
        is_text = not is_binary(text)
        syntax = BundleSyntax(self.grammar, text, None if is_text else Tokenization((), ""))
        instructions = tuple(
            self.instruction(syntax.instruction_words(number))
            for number in range(len(syntax.plan.instructions))
        )
        findings: list[Diagnostic] = []
        if syntax.plan.findings or any(each.findings for each in instructions):
            # 6 ms to import, a tenth of a run on a small file without mistakes.

            reading = BundleReading(syntax, instructions)
            if self._has_words_for_operands:
                reading = read_again(self.isa, reading, self.instruction)
            findings = syntax_findings(self.isa, reading)
            syntax, instructions = reading
        if is_text:
            findings += _surface_findings(syntax, self.isa)
        else:
            findings.append(control_character("\0", text.index("\0")))
        lines = foreign_lines(text, findings) if findings else ()
        for number, instruction in enumerate(instructions):
            if instruction.findings:
                findings += instruction_findings(self.isa, syntax, number, instruction)
        if lines:
            findings = [f for f in findings if not any(a <= f.span.start < b for a, b in lines)]
        if self._contested:
            # Directives may choose between the instructions of a bundle, and the end of a bundle
            # may be unknown: then two instructions for a slot are no mistake.
            is_open = any(each.reason in _UNKNOWN_ENDS for each in syntax.plan.findings)
            reported = [] if syntax.plan.inner_directives or is_open else findings
            instructions, places = assign_slots(self.isa, syntax, instructions, reported)
        else:
            instructions, places = fill_slots(self.isa, syntax, instructions, findings)
        if len(self._places) > _MAX_PLACES:
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
                if len(self._instructions) >= _MAX_REMEMBERED:
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


def _surface_findings(syntax: BundleSyntax, isa: Isa) -> list[Diagnostic]:
    """The findings about directives, and about comments without an end."""
    found = [wrong_argument(syntax, isa.surface), unclosed_comment(syntax, isa.surface)]
    return [*directive_findings(syntax, isa), *filter(None, found)]


def parse_instruction(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> Instruction:
    """The instruction with these words; `vocabulary` has the mnemonics of the instruction set."""
    instruction = read_instruction(isa, words)
    if instruction is None:
        if isa.surface.preprocessed and _MACRO_PART in words[0]:
            return Instruction(words, None)
        return Instruction(words, None, findings=((ON_MNEMONIC, _unknown(isa, vocabulary, words)),))
    return _without_count_findings(instruction) if isa.surface.preprocessed else instruction


def _without_count_findings(instruction: Instruction) -> Instruction:
    """The instruction without findings about its operand count that a macro may resolve."""
    if not any(finding.rule in OPERAND_COUNTS for _, finding in instruction.findings):
        return instruction
    texts = instruction.words[1:]
    if any(_MACRO_PART in text or _CALL.search(text) for text in texts):
        findings = [(n, f) for n, f in instruction.findings if f.rule not in OPERAND_COUNTS]
    else:
        names = tuple(text for text in texts if text.isidentifier())
        findings = [(n, _dropped_if_defined(f, names)) for n, f in instruction.findings]
    return instruction._replace(findings=tuple(findings))


def _dropped_if_defined(finding: UnplacedFinding, names: tuple[str, ...]) -> UnplacedFinding:
    """Return a finding about an operand count that is dropped if one of `names` is a macro."""
    if finding.rule not in OPERAND_COUNTS:
        return finding
    return finding._replace(dropped_if_defined=(*finding.dropped_if_defined, *names))


def _unknown(isa: Isa, vocabulary: Vocabulary, words: tuple[str, ...]) -> UnplacedFinding:
    mnemonic = words[0]
    if mnemonic.lower() in isa.instructions:
        return _in_other_case(isa, mnemonic)
    message = f"unknown mnemonic {quoted(mnemonic)}"
    if advice := _advice_on_constants(isa, words):
        return UnplacedFinding(
            UNKNOWN_MNEMONIC, f"{message}; {advice}", dropped_if_defined=(mnemonic,)
        )
    foreign = isa.surface.foreign.mnemonics.get(mnemonic.lower())
    if foreign is None:
        candidates = tuple(filter(None, [vocabulary.intended(mnemonic)]))
    else:
        if foreign.is_renamed:
            message += (
                f"; {quoted(mnemonic)} is written `{foreign.replacements[0]}` in `{isa.name}`"
            )
        message += f"; {foreign.advice}" if foreign.advice else ""
        candidates = foreign.replacements
    nearest = _first_that_fits(isa, candidates, words)
    is_call = isa.surface.preprocessed and nearest is None and "".join(words[1:2])[:1] == "("
    names = (mnemonic, CALL_PSEUDO_NAME) if is_call else (mnemonic,)
    return UnplacedFinding(UNKNOWN_MNEMONIC, message, nearest, dropped_if_defined=names)


def _advice_on_constants(isa: Isa, words: Sequence[str]) -> str | None:
    """Return what to write in place of a definition as `N equ 128` or `const N 128`, if it is one.

    The surface has advice on the directives that other assemblers have for it, such as `.equ`.
    """
    for word in words[:2]:
        name = word.lower().lstrip(".")
        is_known = name in isa.instructions or name.upper() in isa.instructions
        if name and not is_known and f".{name}" in isa.surface.hints:
            return isa.surface.hints[f".{name}"]
    return None


def _first_that_fits(isa: Isa, mnemonics: Sequence[str], words: tuple[str, ...]) -> str | None:
    """The first mnemonic that takes these operands, as written or as macros may expand them."""
    readings = [read_instruction(isa, (mnemonic, *words[1:])) for mnemonic in mnemonics]
    right = [each.mnemonic for each in readings if each and not each.findings]
    maybe = [each.mnemonic for each in readings if each and is_resolvable_by_macros(each)]
    return next(iter((*right, *maybe)), None)


def _in_other_case(isa: Isa, mnemonic: str) -> UnplacedFinding:
    """The finding about a mnemonic with capitals; a single one may be a typing mistake."""
    message = f"mnemonics are lower case, found {quoted(mnemonic)}"
    is_plain = all(map(_PLAIN_CASE.fullmatch, _PARTS.split(mnemonic)))
    # A file that includes this one may define a macro of that name.
    is_safe = is_plain and not isa.surface.preprocessed
    applicability = Applicability.SAFE if is_safe else Applicability.DISPLAY
    lower = mnemonic.lower()
    return UnplacedFinding(
        UNKNOWN_MNEMONIC,
        message,
        lower,
        dropped_if_defined=(mnemonic,),
        applicability=applicability,
    )


def syntax_findings(isa: Isa, reading: BundleReading) -> list[Diagnostic]:
    """The findings about tokens that do not fit the grammar."""
    around = [
        InstructionContext(each.spec is not None, each.is_whole) for each in reading.instructions
    ]
    return syntax_errors(reading.syntax, isa.surface, around, isa.file_of_register)


def read_again(
    isa: Isa, reading: BundleReading, parse: Callable[[tuple[str, ...]], Instruction]
) -> BundleReading:
    """The second reading of a bundle; it equals the first where no foreign syntax is recognized.

    `parse` returns the instruction with some words.
    """

    def instructions_of(syntax: BundleSyntax) -> tuple[Instruction, ...]:
        numbers = range(len(syntax.plan.instructions))
        return tuple(parse(syntax.instruction_words(number)) for number in numbers)

    def is_code(words: tuple[str, ...]) -> bool:
        return all(found.replacement for _, found in parse(words).findings)

    syntax, instructions = reading
    if syntax.plan.findings:
        syntax = grouped(syntax, is_code)
        instructions = instructions_of(syntax)
    if any(_has_joined_operand(syntax, n, each) for n, each in enumerate(instructions)):
        syntax = grouped(syntax, is_code, joins_signs=True)
        instructions = instructions_of(syntax)
    if split := _split_registers(isa, syntax, instructions, parse):
        syntax = with_joined(syntax, split)
        instructions = instructions_of(syntax)
    if _lacks_colon(isa, syntax, instructions):
        syntax = with_label(syntax)
        instructions = instructions_of(syntax)
    return BundleReading(syntax, instructions)


def _split_registers(
    isa: Isa,
    syntax: BundleSyntax,
    instructions: Sequence[Instruction],
    parse: Callable[[tuple[str, ...]], Instruction],
) -> list[int]:
    """The tokens before a blank in the name of a register, as in `set lr 0 5`.

    They are those whose instructions are right without the blanks.
    """
    found: list[int] = []
    for number, instruction in enumerate(instructions):
        plan = syntax.plan.instructions[number]
        if not instruction.findings or not plan.single_token_operands:
            continue
        own: list[int] = []
        words = [instruction.words[0].lower()]
        for token in range(plan.mnemonic + 1, plan.end):
            joined = (words[-1] + syntax.words[token]).lower()
            if len(words) > 1 and joined in isa.file_of_register and token - 1 not in own:
                words[-1] = joined
                own.append(token - 1)
            else:
                words.append(syntax.words[token])
        if own and not parse(tuple(words)).findings:
            found += own
    return found


def _has_joined_operand(syntax: BundleSyntax, number: int, instruction: Instruction) -> bool:
    """Whether a surplus operand touches the one before it, as in `4+4` and `my-loop`."""
    for place, found in instruction.findings:
        if found.rule is TOO_MANY_OPERANDS and place > 0:
            before = syntax.operand_span(number, place - 1)
            return before.end == syntax.operand_span(number, place).start
    return False


def _lacks_colon(isa: Isa, syntax: BundleSyntax, instructions: Sequence[Instruction]) -> bool:
    """Whether the first word is no mnemonic, and the words after it are an instruction."""
    if not instructions or syntax.plan.label >= 0 or syntax.plan.instructions[0].mnemonic != 0:
        return False
    first = instructions[0]
    return first.spec is None and len(first.words) > 1 and is_instruction(isa, first.words[1:])


def fill_slots(
    isa: Isa,
    syntax: BundleSyntax,
    instructions: tuple[Instruction, ...],
    findings: list[Diagnostic],
) -> Assigned:
    """Return the instructions as those of their slots, and the lowest bit of each in the word.

    Adds a finding for each instruction without a place, whose bit is None, and for each register
    that instructions of one slot write twice.
    """
    used: dict[str, list[int]] = {}
    places: list[int | None] = []
    placed = list(instructions)
    exclusive: list[str] = []
    for number, instruction in enumerate(instructions):
        if instruction.others:
            chosen = _first_free(isa, instruction, used)
            if chosen is None:
                findings.append(full_bundle(isa, syntax, number, instruction))
                places.append(None)
                continue
            placed[number] = instruction = chosen
        spec = instruction.spec
        if spec is None:
            places.append(None)
            continue
        slot = isa.slot_by_name[spec.slot]
        numbers = used.setdefault(spec.slot, [])
        numbers.append(number)
        count = len(numbers)
        places.append(slot.lows[count - 1] if count <= slot.capacity else None)
        if count > slot.capacity:
            findings.append(duplicate_slot(isa, syntax, slot, placed, numbers))
        if count == 2 and slot.exclusive_writes:
            exclusive.append(spec.slot)
    for name in exclusive:
        findings += write_conflicts(isa, syntax, placed, name)
    return tuple(placed), tuple(places)


def _first_free(
    isa: Isa, instruction: Instruction, used: dict[str, list[int]]
) -> Instruction | None:
    """Return the first reading whose slot has a free place, None if there is none."""
    for reading in instruction.readings:
        if reading.spec is not None:
            slot = isa.slot_by_name[reading.spec.slot]
            if len(used.get(slot.name, ())) < slot.capacity:
                return reading._replace(others=())
    return None
