"""Detection of programs for another instruction set of the same language.

Sets that share a language have files with the same extensions. A program in which most mnemonics
are those of another one gets one hint instead of an error on every line. Only manifests are read:
they name mnemonics that tell the sets apart.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.bundle.operand_matching import is_instruction
from ipu_asm.diagnostics import UNKNOWN_MNEMONIC, Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

OTHER_INSTRUCTION_SET = RuleId("H109", "other-instruction-set", Severity.HINT)

_MIN_COUNT = 2
"""The least number of different telltale mnemonics."""
_MIN_LENGTH = 5
"""The least number of different instructions of a program that may be between two sets."""
_MAX_SHOWN = 3
_RATIO = 3
"""How many times as many of them as of the program's own set are needed."""


class OtherSet(NamedTuple):
    """The set that a program is plainly written for: its mnemonics in it, and the first's place."""

    name: str
    mnemonics: tuple[str, ...]
    span: Span


def other_set_of(program: Program, findings: Sequence[Diagnostic]) -> OtherSet | None:
    """Return the set that a program is plainly written for, if that is not its own.

    `findings` are those of the program, or of what it is an expansion of: without several unknown
    mnemonics the program is not looked at.
    """
    if sum(finding.rule is UNKNOWN_MNEMONIC for finding in findings) < _MIN_COUNT:
        return None
    own = manifests().get(program.isa.name)
    if own is None:
        return None
    found = _mnemonics(program)
    ours = sum(len(places) for name, places in found.items() if name in own.telltales)
    for name, manifest in manifests().items():
        if manifest.language_id != own.language_id or manifest is own:
            continue
        theirs = {each: places for each, places in found.items() if each in manifest.telltales}
        count = sum(map(len, theirs.values()))
        if len(theirs) >= _MIN_COUNT and count > _RATIO * ours:
            first = min(places[0] for places in theirs.values())
            return OtherSet(name, tuple(theirs), first)
    return None


def hint_at_other_set(other: OtherSet, text: str) -> Diagnostic:
    """Return the finding about a text that is written for another set."""
    title = manifests()[other.name].title
    *shown, last = (f"`{mnemonic}`" for mnemonic in other.mnemonics[:_MAX_SHOWN])
    listed = f"{', '.join(shown)} and {last}"
    message = (
        f"this looks like a program for {title} and is left alone, found {listed}; to have it "
        f"read, write `# isa: {other.name}` in its first ten lines or set `isa` in `ipu.toml`"
    )
    start = 1 if text.startswith("\ufeff") else 0
    edit = TextEdit(Span(start, start), f"# isa: {other.name}\n")
    # Applied by a command, the other fixes of the same run would be those of the wrong set.
    fix = Fix(f"write `# isa: {other.name}` at the top", (edit,), Applicability.DISPLAY)
    return Diagnostic(OTHER_INSTRUCTION_SET, message, other.span, fix=fix)


def hint_between_sets(program: Program, findings: Sequence[Diagnostic]) -> Diagnostic | None:
    """Return the finding about a text that fits neither its set nor another one of the language.

    Some of its instructions are those of the other set, or have names that were changed: an author
    who ports it has to know which way is shorter.
    """
    unknown = [finding for finding in findings if finding.rule is UNKNOWN_MNEMONIC]
    if len(unknown) < _MIN_COUNT:
        return None
    own_name = program.isa.name
    language = manifests()[own_name].language_id
    every = {i.words for bundle in program.bundles for i in bundle.instructions}
    right = {
        name: {words for words in every if _is_right(load_isa(name), words)}
        for name, manifest in manifests().items()
        if manifest.language_id == language
    }
    nearest = max(right, key=lambda name: (len(right[name]), name == program.isa.name))
    others = set[tuple[str, ...]]().union(*(found for n, found in right.items() if n != own_name))
    foreign = program.isa.surface.foreign.mnemonics
    renamed = {w for w in every if (f := foreign.get(w[0].lower())) is not None and f.is_renamed}
    is_between = len((others - right[own_name]) | renamed) >= _MIN_COUNT
    if not is_between or len(every) < _MIN_LENGTH or max(map(len, right.values())) == len(every):
        return None
    counts = ", ".join(f"{len(found)} in `{name}`" for name, found in right.items())
    message = (
        f"this program is between two instruction sets: of {len(every)} different instructions "
        f"{counts} are right; it is nearer to `{nearest}`"
    )
    if nearest != program.isa.name:
        message += f", as which `# isa: {nearest}` in its first ten lines has it read"
    return Diagnostic(OTHER_INSTRUCTION_SET, message, unknown[0].span)


def _is_right(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether an instruction is one of a set, in any case of its letters."""
    forms = ((word, *words[1:]) for word in (words[0].lower(), words[0].upper()))
    return any(is_instruction(isa, each) for each in forms)


def _mnemonics(program: Program) -> dict[str, list[Span]]:
    """Return the places of all mnemonics of a program, by mnemonic in lower case."""
    found: dict[str, list[Span]] = {}
    for number, bundle in enumerate(program.bundles):
        for place, instruction in enumerate(bundle.instructions):
            span = bundle.span(place).shifted(program.starts[number])
            found.setdefault(instruction.mnemonic.lower(), []).append(span)
    return found
