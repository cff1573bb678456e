"""Completion: the syntactic context of the cursor, and the proposals that fit it.

A context names the slots that are free and the operand at the cursor; proposals are ranked by what
the file uses nearby. Begin with `completion.py`. Here are the items, and the snippets that they
insert.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Collection, Iterator, Sequence

from ipu_asm.bundle.operand_matching import KEYWORD_MARK
from ipu_asm.ide.completion.macros import MacroCandidate
from ipu_asm.isa import target_folders
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

INSTRUCTION = "instruction"
REGISTER = "register"
KEYWORD = "keyword"
LABEL = "label"
DISTANCE = "distance"
PARAMETER = "parameter"
MACRO = "macro"
VALUE = "value"
DIRECTIVE = "directive"
TEMPLATE_NAME = "template name"
SNIPPET = "snippet"
FIRST = "!"
"""Sorts before all digits: names that the author of the file chose."""


class CompletionItem(NamedTuple):
    """A proposal to write in place of `span`; editors show items in the order of `sort_text`.

    `kind` is one of the constants above. `snippet` is `insert_text` with placeholders for the
    operands, in the syntax of the language server protocol; None if there are no placeholders.
    `slots` are the free slots of an instruction, as text; empty where there is only one. `removed`
    is a separator after the cursor, needless once an item ends the bundle.
    """

    label: str
    kind: str
    detail: str
    insert_text: str
    span: Span
    sort_text: str
    filter_text: str
    snippet: str | None = None
    deprecated: bool = False
    slots: str = ""
    removed: Span | None = None


_SPECIAL = re.compile(r"[\\$}]")
_CHOICE_SPECIAL = re.compile(r"[\\$},|]")
_ESCAPE = r"\\\g<0>"
_MAX_CHOICES = 32
# Of these, every operand type takes one unless it takes no numbers.
_NUMBERS = ("0", "1", "16", "64", "128", "-64", "0x1000", "0x80000000")


class Snippet(NamedTuple):
    """A text with placeholders for where a bundle may begin; any of the `words` proposes it."""

    words: tuple[str, ...]
    description: str
    body: str


def snippets_of(isa: Isa) -> Sequence[Snippet]:
    """Return the snippets in `snippets.txt` in the folder of an instruction set or its family.

    Each begins with a line ``--- words: description``.
    """
    return _snippets_of(isa.name, isa.family)


@lru_cache(maxsize=16)
def _snippets_of(name: str, family: str) -> Sequence[Snippet]:
    places = [Path(root, folder) for folder in (name, family) for root in target_folders()]
    path = next(filter(Path.is_file, (place / "snippets.txt" for place in places)), None)
    texts = path.read_text(encoding="utf-8").split("--- ") if path else []
    heads = (text.partition("\n") for text in texts[1:])
    parts = ((*head.partition(": ")[::2], body.removesuffix("\n")) for head, _, body in heads)
    return [Snippet(tuple(words.split()), what, body) for words, what, body in parts]


def instruction_snippet(
    isa: Isa, spec: InstructionSpec, taken: Collection[str] = (), label: str = ""
) -> str | None:
    """Return the mnemonic with a placeholder for each operand to write, with values to choose from.

    The first choice of each is valid: a destination is none of the registers `taken`, and `label`
    is one that branches can reach. Of several forms it is the first in the slot of `spec`. Returns
    None if there are no operands.
    """
    return _instruction_snippet(isa, spec.mnemonic, spec.slot, frozenset(taken), label)


@lru_cache(maxsize=4096)
def _instruction_snippet(
    isa: Isa, mnemonic: str, slot: str, taken: frozenset[str], label: str
) -> str | None:
    forms = isa.forms(isa.instructions[mnemonic])
    spec = next(form for form in forms if form.slot == slot)
    operands = [each for each in spec.operands if each.suggested or not each.optional]
    if not operands:
        return None
    separator = isa.surface.operand_separator.strip() + " "
    numbers = count(1)
    placeholders = [
        _operand(isa, spec, operand, numbers, taken=taken, label=label) for operand in operands
    ]
    return f"{spec.mnemonic} {separator.join(placeholders)}"


def _operand(
    isa: Isa,
    spec: InstructionSpec,
    operand: Operand,
    numbers: Iterator[int],
    *,
    taken: Collection[str],
    label: str,
) -> str:
    """Return an operand with a placeholder for each of its pieces, numbered by `numbers`."""
    unwanted = {*taken} if operand.name in spec.writes else set[str]()
    if operand.name in _bases(spec):
        unwanted |= isa.constants.keys()
    written = f"{operand.keyword}{KEYWORD_MARK}" if operand.keyword else ""
    for piece in operand.type.pieces:
        if isinstance(piece, str):
            written += piece
        else:
            texts = _values(isa, piece, unwanted, label) or [
                _valid_number(piece, operand.name, spec.idle.get(operand.name))
            ]
            written += _placeholder(next(numbers), texts)
    return written


def _bases(spec: InstructionSpec) -> set[str]:
    """Return the operands that are parts of an address."""
    accesses = spec.scalar.accesses if spec.scalar is not None else ()
    return {term.operand for access in accesses for term in access.address}


def _values(isa: Isa, kind: OperandType, unwanted: Collection[str], label: str) -> list[str]:
    """Return the texts to choose from, those of `unwanted` registers last; [] for a number."""
    texts = [choice.text for choice in kind.complete()]
    if unwanted:
        texts.sort(key=lambda text: not isa.units(text).isdisjoint(unwanted))
    if label and not texts and isinstance(kind.parse(kind.prefix + label), str):
        texts = [kind.prefix + label]
    return texts


def _placeholder(number: int, texts: Sequence[str]) -> str:
    if 1 < len(texts) <= _MAX_CHOICES:
        return f"${{{number}|{','.join(_CHOICE_SPECIAL.sub(_ESCAPE, text) for text in texts)}|}}"
    return f"${{{number}:{_escaped(texts[0])}}}"


def _valid_number(kind: OperandType, name: str, idle: int | str | None) -> str:
    """Return a number that the operand takes, other than `idle`, or else its name."""
    for number in _NUMBERS:
        text = kind.prefix + number
        value = kind.parse(text)
        if isinstance(value, int) and value != idle:
            return text
    return name


def macro_call_snippet(candidate: MacroCandidate) -> str:
    """Return the call of a macro with a placeholder for each parameter."""
    arguments = ", ".join(
        [f"${{{number}:{_escaped(name)}}}" for number, name in enumerate(candidate.parameters, 1)]
    )
    name = _escaped(candidate.text)
    return f"{name}({arguments})" if candidate.in_parentheses else f"{name} {arguments}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(_ESCAPE, text)
