"""TextMate patterns for operands: registers, keywords, labels, numbers and strings."""

from __future__ import annotations

import re
from typing import Any, Iterable, Iterator, Sequence

from ipu_asm.bundle.operand_matching import KEYWORD_MARK
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.isa.operands import KeywordType, OperandType, number_value
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.textmate_patterns import (
    BLANKS,
    LABEL,
    NUMBER_PATTERN,
    STRING,
    Language,
    alternatives,
    escaped,
    registers,
)

Pattern = dict[str, Any]

_BASES = {"hex": "0[xX]", "octal": "0[oO]", "binary": "0[bB]", "decimal": ""}
_PAIR = "[0-9]+[xX][0-9]+"
_EXAMPLE_OF_A_PAIR = "1x1"
_EXAMPLE_OF_A_LABEL = "a_label"
_CONTROL = "$"
_KEYWORD = re.compile(r"\$?[\w.]+")
# Words that contain these are no labels, in languages in which words can contain them.
_NO_LABELS = {"$": r"\$", '"': '"', "\\": r"[^\s,;]*\\"}


class OperandKinds(NamedTuple):
    """What a mnemonic's operands can be, besides registers and numbers."""

    keywords: frozenset[str] = frozenset()
    labels: bool = False
    pairs: bool = False
    names: bool = False


def operands_of(language: Language, specs: Iterable[InstructionSpec]) -> OperandKinds:
    """Return what the operands of instructions with the same mnemonic can be."""
    operands = [operand for spec in specs for operand in spec.operands]
    types = list({id(operand.type): operand.type for operand in operands}.values())
    known = {register for isa in language.isas for register in isa.file_of_register}
    words = {word for operand_type in types for word in _keywords(operand_type)}
    return OperandKinds(
        frozenset(word for word in words - known if number_value(word) is None),
        any(map(_takes_labels, types)),
        any(_takes(operand_type, _EXAMPLE_OF_A_PAIR) for operand_type in types),
        any(operand.keyword for operand in operands),
    )


def _keywords(operand_type: OperandType) -> Iterator[str]:
    """Yield the words that have a meaning for an operand, except registers."""
    if isinstance(operand_type, KeywordType):
        words: Sequence[str] = operand_type.spellings
    else:
        words = [choice.text for choice in operand_type.complete()]
    for word in words:
        if _KEYWORD.fullmatch(word) and not operand_type.names(word):
            yield word


def _takes(operand_type: OperandType, text: str) -> bool:
    return isinstance(operand_type.parse(text), int)


def _takes_labels(operand_type: OperandType) -> bool:
    return isinstance(operand_type.parse(operand_type.prefix + _EXAMPLE_OF_A_LABEL), str)


def operand_patterns(language: Language, operands: OperandKinds) -> list[Pattern]:
    """Return the patterns of operands; each matches a whole token, so none starts within a word."""
    terminals, word_end = language.terminals, language.word_end
    patterns: list[Pattern] = [{"include": "#comments"}]
    if terminals.has_strings:
        patterns.append({"include": "#strings"})
    if operands.names:
        name = f"(?:{terminals.word})(?={BLANKS}{escaped(KEYWORD_MARK)})"
        patterns.append({"match": name, "name": language.scope("variable.parameter")})
    patterns.append({"include": "#registers"})
    for scope, is_control in (("constant.language", False), ("constant.language.control", True)):
        words = [word for word in operands.keywords if word.startswith(_CONTROL) == is_control]
        if words:
            keyword = f"(?i:{alternatives(words)}){word_end}"
            patterns.append({"match": keyword, "name": language.scope(scope)})
    if operands.pairs:
        pair = {"match": f"{_PAIR}{word_end}", "name": language.scope("constant.numeric.pair")}
        patterns.append(pair)
    return [*patterns, *_value_patterns(language, operands), {"include": "#punctuation"}]


def _value_patterns(language: Language, operands: OperandKinds) -> Iterator[Pattern]:
    """Yield patterns for numbers, labels and unknown words."""
    word = f"(?:{language.terminals.number})"
    if operands.labels and language.numeric_labels:
        yield {"match": f"[0-9]+[bf]{language.word_end}", "name": language.scope(LABEL)}
    yield {"include": "#numbers"}
    if language.has_expressions or not operands.labels:
        scope = "constant.numeric.other" if language.has_expressions else "invalid.illegal.number"
        yield {"match": f"(?=[+-]?[0-9]){word}", "name": language.scope(scope)}
    if operands.labels:
        others = [pattern for mark, pattern in _NO_LABELS.items() if language.terminals.has(mark)]
        no_label = f"(?!{'|'.join(others)})" if others else ""
        yield {"match": f"{no_label}{word}", "name": language.scope(LABEL)}
        if not others:
            return
    yield {"match": word}


def strings(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of a quoted string on one line."""
    yield {"match": STRING, "name": language.scope("string.quoted.double")}


def numbers(language: Language) -> Iterator[Pattern]:
    """Yield the patterns of numbers, by base."""
    # Without this lookbehind, a number would be searched for from each character of a long word.
    first = f"(?:(?=[+-])|(?<![{language.terminals.word_characters}]))"
    if language.has_expressions:
        first = rf"(?<![{language.terminals.word_characters})\]])"
    for base, start in _BASES.items():
        ahead = f"(?=[+-]?{start})" if start else ""
        yield {
            "match": f"{first}{ahead}(?:{NUMBER_PATTERN}){language.word_end}",
            "name": language.scope(f"constant.numeric.{base}"),
        }


class _RegisterNames(NamedTuple):
    """Register names of one file: those recognized in any case, and the case-sensitive ones."""

    any_case: dict[str, None]
    exact: dict[str, None]


def register_patterns(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of each register file, with suffixes.

    Files with names that are more than one word come first, since a word may be their beginning.
    """
    files: dict[str, _RegisterNames] = {}
    marks: dict[str, None] = {}
    for isa in language.isas:
        exact = set()
        for file, name, mark, is_exact in _spellings(isa):
            names = files.setdefault(file.name, _RegisterNames({}, {}))
            (names.exact if is_exact else names.any_case)[name] = None
            exact.update([name] if is_exact else [])
            if mark and re.fullmatch(language.terminals.word, name + mark):
                marks[mark] = None
        for file in isa.register_files:
            names = files.setdefault(file.name, _RegisterNames({}, {}))
            names.any_case.update((name, None) for name in file.registers if name not in exact)
    behind = f"(?i:{alternatives(marks)})?" if marks else ""
    word = re.compile(f"[{language.terminals.word_characters}]+")
    for name, names in sorted(files.items(), key=lambda file: _is_word(word, file[1])):
        parts = [f"(?i:{registers(list(names.any_case))})"] if names.any_case else []
        parts += [f"(?:{registers(list(names.exact))})"] if names.exact else []
        either = parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
        yield {
            "match": f"{either}{behind}{language.word_end}",
            "name": language.scope(f"variable.language.register.{name.replace(' ', '-')}"),
        }


def register_spellings(isa: Isa) -> set[str]:
    """Return the names of registers of a set as operands spell them, with their suffixes."""
    spelled = {f"{name}{mark}" for _, name, mark, _ in _spellings(isa)}
    return spelled.union(*(file.registers for file in isa.register_files))


def _is_word(word: re.Pattern[str], names: _RegisterNames) -> bool:
    return all(map(word.fullmatch, (*names.any_case, *names.exact)))


def _spellings(isa: Isa) -> Iterator[tuple[RegisterFile, str, str, bool]]:
    """Yield file, name, suffix and case sensitivity of each register as operands spell it."""
    types = {
        id(operand.type): operand.type
        for spec in isa.instructions.values()
        for form in isa.forms(spec)
        for operand in form.operands
    }
    for operand_type in types.values():
        for text, *_ in operand_type.complete():
            for named in operand_type.names(text)[:1]:
                file = _file_of(isa, named.register)
                if file and named.start == 0:
                    is_exact = not operand_type.names(text.swapcase())
                    yield file, text[: named.end], text[named.end :], is_exact


def _file_of(isa: Isa, register: str) -> RegisterFile | None:
    """Return the file of a register, or of the registers that a group's name stands for."""
    names = (register, *sorted(isa.units(register)))
    return next((isa.file_of_register[n] for n in names if n in isa.file_of_register), None)
