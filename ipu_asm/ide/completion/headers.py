"""Completion proposals for names that headers define, and their values in operands."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, Mapping, Sequence

from ipu_asm.ide.completion.macros import MacroCandidate
from ipu_asm.ide.symbols.header_names import FileReading, definition_page, definitions_of
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_FIRST_WORD: Final = re.compile(r"[\w.]+")
_PARAMETER_NAME: Final = re.compile(r"\w+|\.\.\.")
_DEEPEST: Final = 8
_LONGEST_VALUE: Final = 200
_LONGEST_DETAIL: Final = 60

_Names = Mapping[str, NameDefinition]


class HeaderCandidates(NamedTuple):
    """Macros of headers that can be proposed as instructions, and those as operands."""

    instructions: list[MacroCandidate]
    operands: list[MacroCandidate]


def header_candidates(analysis: Analysis) -> HeaderCandidates:
    """Return the names that headers define and that can stand in a program, by name."""
    found = HeaderCandidates([], [])
    names = header_names(analysis)
    for name, definition in sorted(names.items()):
        is_instruction = _is_instruction(analysis.isa, names, definition)
        is_guard = definition.kind is NameKind.DEFINE and not definition.value
        if is_guard or name.startswith("__"):
            continue
        candidates = found.instructions if is_instruction else found.operands
        candidates.append(_candidate(names, definition, is_instruction))
    return found


def header_names(analysis: Analysis) -> dict[str, NameDefinition]:
    """Return the last definition of each name that headers define."""
    return {
        definition.name: definition
        for expanded in analysis.expanded[:1]
        for definition in expanded.expansion.definitions
        if definition.place.path != MAIN and definition.kind is not NameKind.PARAMETER
    }


def with_header_values(analysis: Analysis, texts: Sequence[str]) -> tuple[str, ...]:
    """Return operands with the object-like names of headers replaced by their values."""
    names = header_names(analysis) if any(map(_NAME.search, texts)) else {}
    return tuple(_value(names, text) for text in texts) if names else tuple(texts)


def header_name_page(analysis: Analysis, name: str) -> str | None:
    """Return the page of a name that a header defines."""
    readings = [FileReading(analysis)]
    found = next(definitions_of(readings[0], name), None)
    return None if found is None else definition_page(readings, found)


def _candidate(names: _Names, definition: NameDefinition, is_instruction: bool) -> MacroCandidate:
    name, value = definition.name, definition.value or ""
    is_define = definition.kind is NameKind.DEFINE
    if definition.parameters is not None:
        matches = map(_PARAMETER_NAME.search, definition.parameters)
        parameters = tuple(match[0] for match in matches if match)
        detail = _detail(definition, ", ".join(definition.parameters))
        return MacroCandidate(name, detail, "", parameters, is_define)
    text = "" if is_instruction else _value(names, value).replace(" ", "")
    return MacroCandidate(name, _detail(definition, value), text)


def _detail(definition: NameDefinition, value: str) -> str:
    where = os.path.basename(definition.place.path)
    if len(value) > _LONGEST_DETAIL:
        value = f"{value[: _LONGEST_DETAIL - 1]}…"
    return " · ".join(part for part in (value, definition.remark, where) if part)


def _value(names: _Names, text: str) -> str:
    """Replace object-like names in a text by their values, recursively up to a fixed depth."""

    def value(match: re.Match[str]) -> str:
        definition = names.get(match[0])
        is_plain = definition is not None and definition.parameters is None
        return definition.value or match[0] if definition is not None and is_plain else match[0]

    for _ in range(_DEEPEST):
        before, text = text, _NAME.sub(value, text)
        if text == before or len(text) > _LONGEST_VALUE:
            break
    return text


def _is_instruction(isa: Isa, names: _Names, definition: NameDefinition) -> bool:
    """Check whether a name can be used as an instruction."""
    for _ in range(_DEEPEST):
        if definition.kind is NameKind.MACRO:
            return True
        value = (definition.value or "").lstrip()
        if isa.surface.brackets and value.startswith(isa.surface.brackets[0]):
            return True
        match = _FIRST_WORD.match(value)
        if match is None:
            return False
        if isa.spec(match[0]) is not None or match[0] in isa.surface.directives:
            return True
        if match[0] not in names:
            return False
        definition = names[match[0]]
    return False
