"""Findings about the instructions of one bundle, and their fixes."""

from __future__ import annotations

import re
from typing import Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import (
    ON_MNEMONIC,
    Instruction,
    is_instruction,
    read_instruction,
)
from ipu_asm.diagnostics import (
    DUPLICATE_SLOT,
    LR_WRITE_CONFLICT,
    SYNTAX_ERROR,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    WRONG_OPERAND_TYPE,
    Applicability,
    Diagnostic,
    Fix,
    RelatedInformation,
    UnplacedFinding,
)
from ipu_asm.isa.model import InstructionSpec, Isa, Slot
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.isa.scalar import Computation
from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.text import Span, TextEdit

_BYTE = re.compile("[\udc80-\udcff]")
_BEFORE_BYTES = 0xDC00
# Lower codes are control characters in Latin-1.
_FIRST_LETTER = 0xA0
_CONFIG = "cr"
# The line ends, or goes on as code does; prose as in `#5 is meant;` is a comment.
_NUMBER_IN_COMMENT = re.compile(
    r"[ \t]*(#[+-]?[0-9]\w*)(?=(?:[ \t]+(?:[a-z]+\d+|\d\w*))*[ \t]*(?:;|$))",
    re.MULTILINE | re.IGNORECASE,
)


def instruction_findings(
    isa: Isa, syntax: BundleSyntax, number: int, instruction: Instruction
) -> list[Diagnostic]:
    """The findings about one instruction, each at the smallest text that is wrong."""
    for place, found in instruction.findings:
        hidden = _number_in_comment(isa, syntax, number, place, found)
        if hidden is not None:
            return [hidden]  # it hides what follows on its line
    broken = syntax.plan.instructions[number].has_errors
    counts = (TOO_FEW_OPERANDS, TOO_MANY_OPERANDS)
    findings = []
    for place, found in instruction.findings:
        if broken and (found.rule in counts or syntax.has_finding_in(number, place)):
            continue
        span = _span_of(syntax, number, place, found)
        finding = found.at(span)
        if found.reordered:
            finding = _reordered(isa, syntax, number, found, finding)
        elif place == ON_MNEMONIC and _can_be_left_out(isa, syntax, number):
            finding = found._replace(replacement=None).at(span)
            title = f"leave {quoted(instruction.mnemonic)} out"
            edits = syntax.instruction_removal(number)
            finding = finding._replace(fix=Fix(title, edits, Applicability.DISPLAY))
        elif finding.fix is None and found.rule is TOO_MANY_OPERANDS:
            question, fix = _surplus(isa, syntax, number, place, instruction)
            finding = finding._replace(message=finding.message + question, fix=fix)
        elif finding.fix is None and found.rule is WRONG_OPERAND_TYPE and not found.replacement:
            remedy, constant = "", constant_register(isa, instruction, place)
            if constant is None:
                remedy = number_remedy(isa, instruction, place)
            else:
                word = instruction.words[place + 1]
                remedy = f"; `{word}` is written `{constant}` in `{isa.name}`"
                fix = Fix(f"write `{constant}`", (TextEdit(span, constant),), Applicability.DISPLAY)
                finding = finding._replace(fix=fix)
            if remedy not in finding.message:
                finding = finding._replace(message=finding.message + remedy)
        findings.append(finding)
    return findings


def _number_in_comment(
    isa: Isa, syntax: BundleSyntax, number: int, place: int, found: UnplacedFinding
) -> Diagnostic | None:
    """The finding about an operand that is missing or wrong because `#` makes it a comment."""
    if "#" not in isa.surface.comments or found.rule not in (WRONG_OPERAND_TYPE, TOO_FEW_OPERANDS):
        return None
    count = len(syntax.instruction_words(number)) - 1
    operands = (syntax.operand_span(number, n) for n in range(count))
    ends = [syntax.mnemonic_span(number).end, *(span.end for span in operands)]
    if place != ON_MNEMONIC:
        ends = ends[place : place + 1]
    match = next(filter(None, (_NUMBER_IN_COMMENT.match(syntax.text, end) for end in ends)), None)
    if match is None:
        return None
    span = Span(*match.span(1))
    message = f"numbers are written without `#`, which begins a comment, found {quoted(match[1])}"
    fix = Fix("remove `#`", (TextEdit(Span(span.start, span.start + 1), ""),), Applicability.UNSAFE)
    return Diagnostic(found.rule, message, span, fix=fix)


def _can_be_left_out(isa: Isa, syntax: BundleSyntax, number: int) -> bool:
    """Whether an instruction is another assembler's no-op in a bundle with others."""
    plan = syntax.plan
    mnemonic = syntax.words[plan.instructions[number].mnemonic].lower()
    foreign = isa.surface.foreign.mnemonics.get(mnemonic)
    is_alone = len(plan.instructions) == 1 or bool(plan.findings)
    return foreign is not None and foreign.is_idle and not is_alone


def _reordered(
    isa: Isa, syntax: BundleSyntax, number: int, found: UnplacedFinding, finding: Diagnostic
) -> Diagnostic:
    """The finding about operands in the wrong order, with the right order as its fix."""
    words = syntax.instruction_words(number)
    edits = tuple(
        TextEdit(syntax.operand_span(number, place), text)
        for place, text in enumerate(found.reordered)
        if text != words[place + 1]
    )
    meant = f"`{words[0]} {isa.surface.operand_separator.join(found.reordered)}`"
    fix = Fix(f"write {meant}", edits, Applicability.DISPLAY)
    return finding._replace(message=f"{finding.message}; did you mean {meant}?", fix=fix)


def duplicate_slot(
    isa: Isa,
    syntax: BundleSyntax,
    slot: Slot,
    instructions: Sequence[Instruction],
    numbers: Sequence[int],
) -> Diagnostic:
    """The finding about the last of several instructions for a slot that is full without it.

    The fix begins a new bundle, which takes as many as the slot does: every `capacity`-th has it.
    A no-op that may be in any slot makes way instead.
    """
    number, count = numbers[-1], len(numbers)
    carries = "one instruction" if slot.capacity == 1 else f"{slot.capacity} instructions"
    found = "a third" if slot.capacity == 2 and count == 3 else "another"
    message = (
        f"a bundle carries {carries} for slot `{slot.name}`, "
        f"found {found}: `{instructions[number].mnemonic}`"
    )
    earlier = tuple(
        RelatedInformation(syntax.mnemonic_span(n), f"`{slot.name}` is used here")
        for n in numbers[: slot.capacity]
    )
    nops = [n for n in numbers[: slot.capacity] if _is_nop_of_any_slot(isa, instructions[n])]
    if nops:
        name = instructions[nops[0]].mnemonic
        message += f"; a written `{name}` takes the first slot that is free at its place"
        edits = syntax.instruction_removal(nops[0])
        fix: Fix | None = Fix(f"leave `{name}` out", edits, Applicability.UNSAFE)
    else:
        fix = split_before(isa, syntax, number) if (count - 1) % slot.capacity == 0 else None
    return Diagnostic(DUPLICATE_SLOT, message, syntax.mnemonic_span(number), earlier, fix)


def full_bundle(
    isa: Isa, syntax: BundleSyntax, number: int, instruction: Instruction
) -> Diagnostic:
    """The finding about an instruction that any slot could take, in a bundle without a free one."""
    capacity = sum(slot.capacity for slot in isa.slots)
    message = f"a bundle carries {capacity} instructions, found another: `{instruction.mnemonic}`"
    fix = split_before(isa, syntax, number)
    return Diagnostic(DUPLICATE_SLOT, message, syntax.mnemonic_span(number), (), fix)


def _is_nop_of_any_slot(isa: Isa, instruction: Instruction) -> bool:
    spec = instruction.spec
    return spec is not None and spec.nop and len(isa.forms(spec)) > 1


def slot_clash(
    isa: Isa,
    syntax: BundleSyntax,
    placed: Mapping[int, Instruction],
    instruction: Instruction,
    number: int,
) -> Diagnostic:
    """The finding about an instruction whose slots are taken by those `placed` before it."""
    options = [i.spec.slot for i in (instruction, *instruction.others) if i.spec is not None]
    wanted = {unit for slot in options for unit in isa.slot_by_name[slot].units}
    rivals = {
        n: other.spec
        for n, other in placed.items()
        if other.spec and wanted.intersection(isa.slot_by_name[other.spec.slot].units)
    }
    slots = " or ".join(f"`{slot}`" for slot in dict.fromkeys(options))
    found = f"found another: `{instruction.mnemonic}`"
    message = f"a bundle carries one instruction for slot {slots}, {found}"
    if len(rivals) > 1 or any(spec.slot not in options for spec in rivals.values()):
        message = f"`{instruction.mnemonic}` needs slot {slots}, which the bundle has no room for"
    earlier = tuple(
        RelatedInformation(syntax.mnemonic_span(n), f"`{spec.slot}` is used here")
        for n, spec in rivals.items()
    )
    fix = split_before(isa, syntax, number)
    return Diagnostic(DUPLICATE_SLOT, message, syntax.mnemonic_span(number), earlier, fix)


def write_conflicts(
    isa: Isa, syntax: BundleSyntax, instructions: Sequence[Instruction], slot: str
) -> Iterator[Diagnostic]:
    """A finding for each write of a register that an earlier instruction of the slot writes."""
    first: dict[str, tuple[int, int]] = {}
    for number, instruction in enumerate(instructions):
        spec = instruction.spec
        if spec is None or spec.slot != slot or instruction.is_idle:
            continue
        for place, (operand, value) in enumerate(zip(instruction.operands, instruction.values)):
            if operand is None or not isinstance(value, int) or operand.name not in spec.writes:
                continue
            register = operand.type.register_of(value)
            units = sorted(isa.units(register)) if register else ()
            taken = [unit for unit in units if first.setdefault(unit, (number, place))[0] != number]
            if taken:
                yield _write_conflict(syntax, first[taken[0]], (number, place), taken)


def split_before(isa: Isa, syntax: BundleSyntax, number: int) -> Fix | None:
    """The fix that begins a new bundle at an instruction that is not the bundle's first.

    It is unsafe: the author may have meant to begin it at one of the instructions before.
    """
    separator_token = syntax.plan.instructions[number].mnemonic - 1
    if number == 0 or syntax.words[separator_token].strip() != isa.surface.separator:
        return None
    if isa.surface.brackets:
        return None
    if syntax.words[separator_token - 1].strip() == isa.surface.separator:
        return None  # of a doubled separator, the other one would be left
    edit = TextEdit(syntax.spans[separator_token], isa.surface.bundle_end or "\n")
    mnemonic = syntax.words[separator_token + 1]
    return Fix(f"begin a new bundle at `{mnemonic}`", (edit,), Applicability.UNSAFE)


def _span_of(syntax: BundleSyntax, number: int, place: int, found: UnplacedFinding) -> Span:
    if place == ON_MNEMONIC:
        return syntax.mnemonic_span(number)
    if found.part is not None:
        return syntax.part_span(number, place, *found.part)
    return syntax.operand_span(number, place)


def _surplus(
    isa: Isa, syntax: BundleSyntax, number: int, place: int, instruction: Instruction
) -> tuple[str, Fix | None]:
    """The question and the fix for a surplus operand, which may belong to another instruction.

    The fix never removes it: the author meant something by it.
    """
    before = syntax.operand_span(number, place - 1) if place else syntax.mnemonic_span(number)
    word, words = instruction.words[place + 1], instruction.words[place + 1 :]
    comment = _comment(isa, syntax, syntax.operand_span(number, place).start)
    if comment is not None:
        return comment
    whole = Span(before.start, syntax.operand_span(number, place).end)
    joined = f"{instruction.mnemonic}.{word}"
    is_apart = syntax.text[before.end : whole.end - len(word)].isspace()
    if place == 0 and is_apart and is_instruction(isa, (joined, *words[1:])):
        fix = Fix(f"write `{joined}`", (TextEdit(whole, joined),), Applicability.DISPLAY)
        return f"; did you mean `{joined}`?", fix
    separator = isa.surface.separator
    if separator and _begins_instruction(isa, words):
        edit = TextEdit(Span(before.end, before.end), separator)
        fix = Fix(f"insert `{separator}` before `{word}`", (edit,), Applicability.UNSAFE)
        return f"; is `{separator}` missing before `{word}`?", fix
    return "", None


def _comment(isa: Isa, syntax: BundleSyntax, start: int) -> tuple[str, Fix] | None:
    """What a surplus operand is that begins like a comment elsewhere, with a blank after it."""
    for foreign in isa.surface.foreign.comments:
        end = start + len(foreign)
        if syntax.text.startswith(foreign, start) and syntax.text[end : end + 1].isspace():
            mark = isa.surface.comments[0]
            edit = TextEdit(Span(start, end), mark)
            fix = Fix(f"write `{mark}`", (edit,), Applicability.DISPLAY)
            return f"; comments begin with `{mark}`", fix
    return None


def _begins_instruction(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether words are an instruction, possibly followed by another one."""
    instruction = read_instruction(isa, words)
    return instruction is not None and all(
        found.rule is TOO_MANY_OPERANDS and isa.spec(words[place + 1]) is not None
        for place, found in instruction.findings
    )


def _write_conflict(
    syntax: BundleSyntax, first: tuple[int, int], second: tuple[int, int], registers: Sequence[str]
) -> Diagnostic:
    found = " and ".join(f"`{register}`" for register in registers)
    message = f"a bundle may write a loop register once, found a second write of {found}"
    related = RelatedInformation(syntax.operand_span(*first), f"`{registers[0]}` is written here")
    return Diagnostic(LR_WRITE_CONFLICT, message, syntax.operand_span(*second), (related,))


def number_remedy(isa: Isa, instruction: Instruction, place: int) -> str:
    """Return the instructions to write, to end a message; empty where no register holds numbers."""
    spec, words = instruction.spec, instruction.words
    number = words[place + 1] if place + 1 < len(words) else ""
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    if spec is None or operand is None or number_value(number) is None:
        return ""
    fitting = {name.lower(): name for name in getattr(operand.type, "registers", ())}
    if not fitting or operand.name in spec.writes:
        return ""
    if all(name.startswith(_CONFIG) for name in fitting):
        return "; a config register holds what the host writes to it, as `--cr N=VALUE` does"
    taken = {word.lower() for word in words}
    settable = _settable(isa)
    register = next((n for n in fitting if n in settable and n not in taken), None)
    if register is None:
        return ""
    if len(spec.operands) == 2 and _copies(spec):  # `SET lr1 5`
        steps = _filled(isa, words[1], number)
        return f"; write {' and then '.join(steps)}, in one bundle each" if steps else ""
    steps = _filled(isa, register, number)
    if not steps:
        return ""
    meant = isa.surface.operand_separator.join(
        [*words[1 : place + 1], register, *words[place + 2 :]]
    )
    bundles = "an earlier bundle" if len(steps) == 1 else "earlier bundles"
    more = "".join(f", or `{each}`" for each in _stepped(isa, spec, words, number))
    return f"; write {' and '.join(steps)} in {bundles}, then `{words[0]} {meant}`{more}"


def constant_register(isa: Isa, instruction: Instruction, place: int) -> str | None:
    """Return the register that always holds the number in an operand, if it fits there."""
    words = instruction.words
    operand = instruction.operands[place] if place < len(instruction.operands) else None
    value = number_value(words[place + 1]) if operand and place + 1 < len(words) else None
    fitting = getattr(operand.type, "registers", ()) if operand else ()
    return next((n for n, held in isa.constants.items() if held == value and n in fitting), None)


def _settable(isa: Isa) -> set[str]:
    """The registers that some instruction steps by a number."""
    found = set[str]()
    for spec, _ in _with_number(isa):
        found.update(name.lower() for name in getattr(spec.operands[0].type, "registers", ()))
    return found


def _filled(isa: Isa, register: str, number: str) -> Sequence[str]:
    """The instructions that leave a number in a register; none if no number of this size fits."""
    for spec, computation in _with_number(isa):
        words = (spec.mnemonic, register, number)
        if len(computation.terms) == 1 and _is_right(isa, words):
            return [f"`{_text(isa, words)}`"]
    zero = next((name for name, value in isa.constants.items() if value == 0), None)
    copy = next((spec for spec in isa.instructions.values() if _copies(spec)), None)
    if zero is None or copy is None:
        return []
    first = f"`{_text(isa, (copy.mnemonic, register, zero))}`"
    return [first, *steps] if (steps := _steps(isa, register, number)) else []


def _stepped(isa: Isa, spec: InstructionSpec, words: Sequence[str], number: str) -> Iterator[str]:
    """Yield what adds a number to a register itself, in place of an addition of registers."""
    computed = list(spec.scalar.computes.values()) if spec.scalar else []
    is_sum = len(computed) == 1 and not any((computed[0].exponent, computed[0].byte))
    is_own = len(words) == 4 and words[1].lower() in (words[2].lower(), words[3].lower())
    if is_sum and is_own and all(term.sign > 0 and not term.bits for term in computed[0].terms):
        yield from (step.strip("`") for step in _steps(isa, words[1], number))


def _steps(isa: Isa, register: str, number: str) -> list[str]:
    for spec, computation in _with_number(isa):
        words = (spec.mnemonic, register, number)
        terms = computation.terms
        if len(terms) == 2 and all(term.sign > 0 for term in terms) and _is_right(isa, words):
            return [f"`{_text(isa, words)}`"]
    return []


def _with_number(isa: Isa) -> Iterator[tuple[InstructionSpec, Computation]]:
    """Yield the instructions with a register and a number that compute the register alone."""
    for spec in isa.instructions.values():
        computes = spec.scalar.computes if spec.scalar is not None else {}
        for computation in computes.values() if len(computes) == 1 else ():
            has_number = any(term.bits for term in computation.terms)
            if len(spec.operands) == 2 and has_number and not computation.exponent:
                yield spec, computation


def _copies(spec: InstructionSpec) -> bool:
    """Whether an instruction copies one register to another."""
    computes = spec.scalar.computes if spec.scalar is not None else {}
    return len(spec.operands) == 2 and any(
        len(each.terms) == 1 and not each.terms[0].bits and not each.byte and not each.exponent
        for each in computes.values()
    )


def _is_right(isa: Isa, words: tuple[str, ...]) -> bool:
    read = read_instruction(isa, words)
    return read is not None and not read.findings


def _text(isa: Isa, words: Sequence[str]) -> str:
    """Return an instruction of a set as it is written."""
    return f"{words[0]} {isa.surface.operand_separator.join(words[1:])}"


def is_undecodable(_isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle's slice, comments included, has such bytes."""
    text = bundle.syntax.text
    return not text.isascii() and _BYTE.search(text) is not None


def undecodable_byte(bundle: Bundle) -> Diagnostic:
    """Return the finding about the first such byte in a bundle that has one."""
    match = _BYTE.search(bundle.syntax.text)
    assert match is not None
    byte = ord(match[0]) - _BEFORE_BYTES
    letter = f" (`{chr(byte)}` in Latin-1)" if byte >= _FIRST_LETTER else ""
    message = f"expected UTF-8, found the byte 0x{byte:02X}{letter}; save the file as UTF-8"
    return Diagnostic(SYNTAX_ERROR, message, Span(*match.span()))


def control_character(character: str, offset: int) -> Diagnostic:
    """Return the finding about a character that no text has."""
    message = f"a source is text, found U+{ord(character):04X}"
    return Diagnostic(SYNTAX_ERROR, message, Span(offset, offset + 1))


def is_broken_by_bytes(bundle: Bundle) -> bool:
    """Return whether such bytes are in the code itself, where they may cause other findings."""
    return any(not word.isascii() and _BYTE.search(word) for word in bundle.syntax.words)
