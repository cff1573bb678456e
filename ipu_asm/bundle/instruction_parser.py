"""From the words of an instruction to an `Instruction`, with findings about unknown mnemonics."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.bundle.form_matching import is_resolvable_by_macros, read_instruction
from ipu_asm.bundle.instruction import CALL_PSEUDO_NAME, OPERAND_COUNTS, Instruction
from ipu_asm.bundle.operand_matching import ON_MNEMONIC
from ipu_asm.diagnostics import Applicability, UnplacedFinding
from ipu_asm.diagnostics.errors import UNKNOWN_MNEMONIC
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted

# The mark before the arguments of an assembler macro, and a call of a preprocessor macro.
_MACRO_PART = "\\"
# Tried once for each word: a search from every letter would take quadratic time.
_CALL = re.compile(r"(?<!\w)[^\WA-Za-z_]*[A-Za-z_]\w*\(")
# A part of a mnemonic written in one case throughout, or with a capital at the beginning.
_PARTS = re.compile("[._]")
_PLAIN_CASE = re.compile("[A-Z0-9]+|[a-z0-9]+|[A-Z][a-z0-9]{2,}")


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
