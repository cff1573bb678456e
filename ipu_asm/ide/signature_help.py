"""The operands of the instruction that is being written, with the one that is next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ipu_asm.ide.expectation import expectation_at
from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.matching import KEYWORD_MARK, operands_due, value_start

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis


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


def signature_help(analysis: Analysis, offset: int) -> Signature | None:
    """The signature of the instruction around an offset, once its mnemonic is written."""
    expectation = expectation_at(analysis.program, offset)
    if expectation is None or not expectation.mnemonic:
        return None
    spec = analysis.isa.spec(expectation.mnemonic)
    if spec is None:
        return None
    label, parameters = _line(spec)
    word = analysis.text[expectation.span.start : expectation.span.end]
    active = _active(spec, expectation.written, expectation.begun, word)
    return Signature(label, spec.doc.summary or spec.doc.title, parameters, active)


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


def _line(spec: InstructionSpec) -> tuple[str, tuple[Parameter, ...]]:
    """A syntax line that names every operand, and what it calls each."""
    line = spec.syntax
    labels = [_label(operand, line) for operand in spec.operands]
    if "" in labels:
        labels = [operand.name for operand in spec.operands]
        line = " ".join((spec.mnemonic, *labels))
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
