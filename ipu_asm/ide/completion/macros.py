"""Completion proposals for the macros of a file and of its headers, and their values."""

from __future__ import annotations

import os
import re
from typing import Final, Iterator, Mapping, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.ide.macros import macros_in, replacement_text
from ipu_asm.ide.symbols.header_names import FileReading, definition_page, definitions_of
from ipu_asm.ide.symbols.parameters import parameters_of, shown_parameters
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN

_NO_PARAMETERS: Final = "macro of this file"
_SIGN: Final = re.compile(r"\W*")
_NAME: Final = re.compile(r"(?<!\w)[A-Za-z_]\w*")
_FIRST_WORD: Final = re.compile(r"[\w.]+")
_PARAMETER_NAME: Final = re.compile(r"\w+|\.\.\.")
_MAX_DEPTH: Final = 8
_MAX_VALUE: Final = 200
_MAX_DETAIL: Final = 60


class KnownMacro(NamedTuple):
    """A macro that a file or one of its headers defines.

    `value` is its replacement text, "" for a ``.macro``. `parameters` is None for an object-like
    macro; `is_called` is true for a ``.macro``, which a line calls as it calls an instruction.
    """

    name: str
    value: str
    parameters: tuple[str, ...] | None
    is_called: bool
    detail: str


_Known = Mapping[str, KnownMacro]


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


class MacroCandidates(NamedTuple):
    """The macros that can be used as an instruction, and those for an operand or a part of one."""

    instructions: list[MacroCandidate]
    operands: list[MacroCandidate]


def file_candidates(program: Program) -> MacroCandidates:
    """Return the macros of a file in source order."""
    return _candidates(program.isa, macros_of_file(program))


def header_candidates(analysis: Analysis) -> MacroCandidates:
    """Return the macros of headers by name, without reserved names."""
    known = _macros_of_headers(analysis)
    listed = {name: known[name] for name in sorted(known) if not name.startswith("__")}
    return _candidates(analysis.isa, listed, known)


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


def with_values(analysis: Analysis, texts: Sequence[str]) -> tuple[str, ...]:
    """Return operands with object-like macros of the file and of headers replaced by values."""
    if not any(map(_NAME.search, texts)):
        return tuple(texts)
    known = {**_macros_of_headers(analysis), **macros_of_file(analysis.program)}
    return tuple(_expanded(known, text) for text in texts) if known else tuple(texts)


def macros_of_file(program: Program) -> dict[str, KnownMacro]:
    """Return the first definition of each macro of a file."""
    found = {}
    for macro, *_ in macros_in(program).values():
        value = replacement_text(program, macro)
        parameters = () if macro.is_object_like else parameters_of(program, macro)
        detail = value if macro.is_object_like else shown_parameters(parameters) or _NO_PARAMETERS
        names = None if macro.is_object_like else tuple(each.name for each in parameters)
        found[macro.name] = KnownMacro(macro.name, value, names, not macro.is_define, detail)
    return found


def header_names(analysis: Analysis) -> dict[str, NameDefinition]:
    """Return the last definition of each name that headers define."""
    return {
        definition.name: definition
        for expanded in analysis.expanded[:1]
        for definition in expanded.expansion.definitions
        if definition.place.path != MAIN and definition.kind is not NameKind.PARAMETER
    }


def header_name_page(analysis: Analysis, name: str) -> str | None:
    """Return the page of a name that a header defines."""
    readings = [FileReading(analysis)]
    found = next(definitions_of(readings[0], name), None)
    return None if found is None else definition_page(readings, found)


def _macros_of_headers(analysis: Analysis) -> dict[str, KnownMacro]:
    found = {}
    for name, definition in header_names(analysis).items():
        value, parameters = (definition.value or "").lstrip(), definition.parameters
        shown = value if parameters is None else ", ".join(parameters)
        if len(shown) > _MAX_DETAIL:
            shown = f"{shown[: _MAX_DETAIL - 1]}…"
        where = os.path.basename(definition.place.path)
        detail = " · ".join(part for part in (shown, definition.remark, where) if part)
        names = None
        if parameters is not None:
            matches = map(_PARAMETER_NAME.search, parameters)
            names = tuple(match[0] for match in matches if match)
        is_called = definition.kind is NameKind.MACRO
        found[name] = KnownMacro(name, value, names, is_called, detail)
    return found


def _candidates(isa: Isa, listed: _Known, known: _Known | None = None) -> MacroCandidates:
    known = listed if known is None else known
    found = MacroCandidates([], [])
    for macro in listed.values():
        if not macro.value and not macro.is_called:
            continue
        is_instruction = _is_instruction(isa, known, macro)
        value = ""
        if macro.parameters is None and not is_instruction:
            value = _expanded(known, macro.value).replace(" ", "")
        candidate = MacroCandidate(
            macro.name,
            macro.detail,
            value,
            macro.parameters or (),
            macro.parameters is not None and not macro.is_called,
        )
        (found.instructions if is_instruction else found.operands).append(candidate)
    return found


def _is_instruction(isa: Isa, known: _Known, macro: KnownMacro) -> bool:
    """Check whether a macro can be used as an instruction."""
    for _ in range(_MAX_DEPTH):
        if macro.is_called:
            return True
        if isa.surface.brackets and macro.value.startswith(isa.surface.brackets[0]):
            return True
        match = _FIRST_WORD.match(macro.value)
        if match is None:
            return False
        if isa.spec(match[0]) is not None or match[0] in isa.surface.directives:
            return True
        if match[0] not in known:
            return False
        macro = known[match[0]]
    return False


def _expanded(known: _Known, text: str) -> str:
    """Replace object-like macros in a text by their values, recursively up to a fixed depth."""

    def value(match: re.Match[str]) -> str:
        macro = known.get(match[0])
        is_plain = macro is not None and macro.parameters is None and not macro.is_called
        return macro.value if macro is not None and is_plain else match[0]

    for _ in range(_MAX_DEPTH):
        before, text = text, _NAME.sub(value, text)
        if text == before or len(text) > _MAX_VALUE:
            break
    return text


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
