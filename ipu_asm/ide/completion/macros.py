"""Completion proposals for the macros of a file and of its headers, and their values."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, Iterator, Mapping, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.ide.macros import (
    Macro,
    Macros,
    expand_names,
    is_usable_as_instruction,
    macros_in,
    replacement_text,
)
from ipu_asm.ide.symbols.header_names import FileReading, definition_page, definitions_of
from ipu_asm.ide.symbols.parameters import parameters_of, shown_parameters
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_NO_PARAMETERS: Final = "macro of this file"
_SIGN: Final = re.compile(r"\W*")


class MacroCandidate(NamedTuple):
    """A completion proposal for a macro.

    `parameters` are inserted in parentheses if `in_parentheses`. `value` is the expansion of an
    object-like macro. It is empty if the macro has parameters or expands to instructions.
    """

    text: str
    detail: str
    value: str = ""
    parameters: tuple[str, ...] = ()
    in_parentheses: bool = False


def instruction_candidates(program: Program) -> list[MacroCandidate]:
    """Return the macros that can be used as an instruction, in source order."""
    macros = macros_in(program)
    return [
        _candidate(program, macros, macro)
        for macro, *_ in macros.values()
        if is_usable_as_instruction(program, macros, macro)
    ]


def operand_candidates(program: Program) -> list[MacroCandidate]:
    """Return the macros that can be used as an operand or a part of one, in source order."""
    macros = macros_in(program)
    return [
        _candidate(program, macros, macro)
        for macro, *_ in macros.values()
        if replacement_text(program, macro) and not is_usable_as_instruction(program, macros, macro)
    ]


def fitting_candidates(
    isa: Isa, operand_type: OperandType, begun: str, candidates: Sequence[MacroCandidate]
) -> Iterator[MacroCandidate]:
    """Yield the proposals whose value is valid for an operand of `operand_type`.

    `begun` is the part of the operand that is already typed. A macro with parameters always passes
    because its expansion is unknown.
    """
    texts = [] if begun else [choice.text for choice in operand_type.complete()]
    for candidate in candidates:
        if not candidate.value:
            yield candidate
            continue
        prefix_and_suffix = _prefix_and_suffix(isa, operand_type, begun, candidate.value, texts)
        if prefix_and_suffix is not None:
            yield candidate._replace(text=candidate.text.join(prefix_and_suffix))


def argument_candidates(isa: Isa, candidates: Sequence[MacroCandidate]) -> Iterator[MacroCandidate]:
    """Yield all proposals, adding the register sign to those whose value is a register name."""
    for candidate in candidates:
        is_register = bool(candidate.value) and _is_register(isa, candidate.value)
        yield candidate._replace(text=_sign(isa) + candidate.text) if is_register else candidate


def with_values(program: Program, texts: Sequence[str]) -> tuple[str, ...]:
    """Return operands with the object-like macros of the file replaced by their values."""
    macros = macros_in(program)
    return tuple(expand_names(program, macros, text) for text in texts) if macros else tuple(texts)


def _candidate(program: Program, macros: Macros, macro: Macro) -> MacroCandidate:
    if macro.is_object_like:
        detail = replacement_text(program, macro)
        value = "" if is_usable_as_instruction(program, macros, macro) else detail
        value = expand_names(program, macros, value).replace(" ", "")
        return MacroCandidate(macro.name, detail, value)
    parameters = parameters_of(program, macro)
    names = tuple(parameter.name for parameter in parameters)
    detail = shown_parameters(parameters) or _NO_PARAMETERS
    return MacroCandidate(macro.name, detail, "", names, macro.is_define)


def _prefix_and_suffix(
    isa: Isa, operand_type: OperandType, begun: str, value: str, texts: Sequence[str]
) -> tuple[str, str] | None:
    """Return the prefix and suffix that make the macro's value valid for the type; None if none do.

    `texts` are the type's own completions.
    """
    found = operand_type.parse(begun + value)
    if isinstance(found, int):
        return "", ""
    sign = _sign(isa)
    for text in texts:
        rest = text.removeprefix(sign + value)
        if len(rest) < len(text) and not rest[:1].isalnum():
            return sign, rest
    return None if isinstance(found, UnplacedFinding) or _is_register(isa, value) else ("", "")


def _is_register(isa: Isa, value: str) -> bool:
    """Check whether a value is a register name without its leading sign."""
    return _sign(isa) + value in isa.file_of_register


def _sign(isa: Isa) -> str:
    match = _SIGN.match(next(iter(isa.file_of_register), ""))
    return match[0] if match else ""


_HEADER_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_FIRST_WORD_OF_VALUE: Final = re.compile(r"[\w.]+")
_PARAMETER_NAME: Final = re.compile(r"\w+|\.\.\.")
_MAX_DEPTH: Final = 8
_MAX_VALUE: Final = 200
_MAX_DETAIL: Final = 60
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
        candidates.append(_header_candidate(names, definition, is_instruction))
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
    names = header_names(analysis) if any(map(_HEADER_NAME.search, texts)) else {}
    return tuple(_value(names, text) for text in texts) if names else tuple(texts)


def header_name_page(analysis: Analysis, name: str) -> str | None:
    """Return the page of a name that a header defines."""
    readings = [FileReading(analysis)]
    found = next(definitions_of(readings[0], name), None)
    return None if found is None else definition_page(readings, found)


def _header_candidate(
    names: _Names, definition: NameDefinition, is_instruction: bool
) -> MacroCandidate:
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
    if len(value) > _MAX_DETAIL:
        value = f"{value[: _MAX_DETAIL - 1]}…"
    return " · ".join(part for part in (value, definition.remark, where) if part)


def _value(names: _Names, text: str) -> str:
    """Replace object-like names in a text by their values, recursively up to a fixed depth."""

    def value(match: re.Match[str]) -> str:
        definition = names.get(match[0])
        is_plain = definition is not None and definition.parameters is None
        return definition.value or match[0] if definition is not None and is_plain else match[0]

    for _ in range(_MAX_DEPTH):
        before, text = text, _HEADER_NAME.sub(value, text)
        if text == before or len(text) > _MAX_VALUE:
            break
    return text


def _is_instruction(isa: Isa, names: _Names, definition: NameDefinition) -> bool:
    """Check whether a name can be used as an instruction."""
    for _ in range(_MAX_DEPTH):
        if definition.kind is NameKind.MACRO:
            return True
        value = (definition.value or "").lstrip()
        if isa.surface.brackets and value.startswith(isa.surface.brackets[0]):
            return True
        match = _FIRST_WORD_OF_VALUE.match(value)
        if match is None:
            return False
        if isa.spec(match[0]) is not None or match[0] in isa.surface.directives:
            return True
        if match[0] not in names:
            return False
        definition = names[match[0]]
    return False
