"""Completion proposals for macros: which macros are valid at a position, and their insert text."""

from __future__ import annotations

import re
from typing import Final, Iterator, Sequence

from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.ide.macros import (
    Macro,
    Macros,
    expand_names,
    is_usable_as_instruction,
    macros_in,
    replacement_text,
)
from ipu_asm.ide.symbols.parameters import parameters_of, shown_parameters
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

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
