"""Detection of programs for another instruction set of the same language.

Sets that share a language have files with the same extensions. A program in which most mnemonics
are those of another one gets one hint instead of an error on every line. Only manifests are read:
they name mnemonics that tell the sets apart.
"""

from __future__ import annotations

from typing import Sequence

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.diagnostics.errors import UNKNOWN_MNEMONIC
from ipu_asm.isa import manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit

OTHER_INSTRUCTION_SET = RuleId("H109", "other-instruction-set", Severity.HINT)

_LEAST = 2
"""The least number of different telltale mnemonics."""
_MOST_SHOWN = 3
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
    if sum(finding.rule is UNKNOWN_MNEMONIC for finding in findings) < _LEAST:
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
        if len(theirs) >= _LEAST and count > _RATIO * ours:
            first = min(places[0] for places in theirs.values())
            return OtherSet(name, tuple(theirs), first)
    return None


def hint_at_other_set(other: OtherSet, text: str) -> Diagnostic:
    """Return the finding about a text that is written for another set."""
    title = manifests()[other.name].title
    *shown, last = (f"`{mnemonic}`" for mnemonic in other.mnemonics[:_MOST_SHOWN])
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


def _mnemonics(program: Program) -> dict[str, list[Span]]:
    """Return the places of all mnemonics of a program, by mnemonic in lower case."""
    found: dict[str, list[Span]] = {}
    for number, bundle in enumerate(program.bundles):
        for place, instruction in enumerate(bundle.instructions):
            span = bundle.span(place).shifted(program.starts[number])
            found.setdefault(instruction.mnemonic.lower(), []).append(span)
    return found
