"""The operands of the instruction that is being written, with the one that is next.

A mnemonic with several forms has a signature for each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ipu_asm.ide.expectation import Expectation, expectation_at
from ipu_asm.ide.fitting import fits
from ipu_asm.ide.macro_offers import with_values
from ipu_asm.ide.macro_parameters import MARK
from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.matching import KEYWORD_MARK, operands_due, value_start

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis

_MOST_SIGNATURES = 40


class Parameter(NamedTuple):
    """An operand: what the syntax line has for it, and what it takes, as Markdown.

    The label is found in the line as a whole word, the first time that it stands there.
    """

    label: str
    markdown: str


class Signature(NamedTuple):
    """An instruction's syntax line, what it does, its operands, and which of them is next.

    `active` is None where there is no operand left to write.
    """

    label: str
    summary: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signatures(analysis: Analysis, offset: int) -> list[Signature]:
    """The signatures of the instruction around an offset, once its mnemonic is written.

    First comes the form that is meant, then the others that fit what is written, then the rest.
    Where an argument of a macro stands among the operands there is none.
    """
    expected = expectation_at(analysis.program, offset)
    if expected is None or not expected.mnemonic:
        return []
    spec = analysis.isa.spec(expected.mnemonic)
    word = analysis.text[expected.span.start : expected.span.end]
    # An argument of a macro may become any number of operands.
    if spec is None or MARK in "".join((*expected.written, expected.begun, word)):
        return []
    *written, word = with_values(analysis.program, (*expected.written, word))
    expected = expected._replace(written=tuple(written))
    forms = _by_fitness(analysis, spec, expected, word)[:_MOST_SIGNATURES]
    found: dict[str, Signature] = {}
    for form in forms:
        label, parameters = _line(form, analysis.isa.surface.operand_separator)
        active = _active(form, expected.written, expected.begun, word)
        summary = form.doc.summary or form.doc.title
        found.setdefault(label, Signature(label, summary, parameters, active))
    return list(found.values())


def signature_help(analysis: Analysis, offset: int) -> Signature | None:
    """The signature of the form that is meant; None where no instruction is being written."""
    return next(iter(signatures(analysis, offset)), None)


def _by_fitness(
    analysis: Analysis, spec: InstructionSpec, expected: Expectation, word: str
) -> list[InstructionSpec]:
    """The forms of a mnemonic, those first that fit best; they keep their order otherwise."""
    forms = analysis.isa.forms(spec)
    if len(forms) == 1:
        return [spec]
    written, begun = expected.written, expected.begun + word
    texts = (*written, begun) if begun else written

    def misfit(form: InstructionSpec) -> tuple[bool, bool, bool]:
        is_full = len(form.operands) <= len(written)
        return not fits(form, written), is_full and bool(form.operands), not fits(form, texts)

    return sorted(forms, key=misfit)


def _active(spec: InstructionSpec, written: Sequence[str], begun: str, word: str) -> int | None:
    """The number of the operand that is being written."""
    keyword = begun[: value_start(begun)].rstrip(KEYWORD_MARK).strip().lower()
    due = operands_due(spec, written)
    named = [operand for operand in due.by_name if operand.keyword == keyword]
    # Of several operands that may come next, the one that the word is.
    behind = operands_due(spec, (*written, begun + word)).by_place if word else due.by_place
    taken = [operand for operand in due.by_place if operand not in behind]
    found = next(iter((*named, *taken, *due.by_place, *due.by_name)), None)
    return None if found is None else spec.operands.index(found)


def _line(spec: InstructionSpec, separator: str) -> tuple[str, tuple[Parameter, ...]]:
    """A syntax line that names every operand, and what it calls each."""
    line = spec.syntax
    labels = [_label(operand, line) for operand in spec.operands]
    if "" in labels:
        labels = [operand.name for operand in spec.operands]
        line = f"{spec.mnemonic} {(separator.strip() + ' ').join(labels)}"
    parameters = (Parameter(label, _markdown(o)) for label, o in zip(labels, spec.operands))
    return line, tuple(parameters)


def _label(operand: Operand, line: str) -> str:
    """What a line has for an operand: its name, or its keyword with what follows it."""
    name = re.escape(operand.name)
    if operand.keyword:
        name = rf"{re.escape(operand.keyword)}{KEYWORD_MARK}\w+"
    match = re.search(rf"(?<!\w){name}(?!\w)", line)
    return match.group() if match else ""


def _markdown(operand: Operand) -> str:
    described = operand.description[:1].upper() + operand.description[1:]
    takes = operand.type.describe()
    return f"{described}\n\n{takes}" if described else takes
