"""Encoding of programs to words, and the entry point of the disassembler."""

from __future__ import annotations

import operator
from types import MappingProxyType
from typing import Any, Iterable, Mapping, Sequence

from ipu_asm.assembler.machine_code import MachineCode, ObjectCode
from ipu_asm.assembler.sections import assemble_object, units_of
from ipu_asm.assembler.word_code import WordCode, machine_code_of
from ipu_asm.config import Value
from ipu_asm.diagnostics import SYNTAX_ERROR, Diagnostic, Severity
from ipu_asm.diagnostics.rendering import located
from ipu_asm.isa import DEFAULT_ISA, isa_of
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import EffectiveProgram, read_effective_program, require_one_context
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.text import SourceFile, Span, require_text

_NO_HEADERS: Mapping[str, SourceFile] = MappingProxyType({})


class AssemblyError(Exception):
    """A program that cannot be encoded; `findings` has all of its errors, by position.

    With its source, which `assemble` gives, they have rows and columns: `finding.location.row`.
    """

    def __init__(
        self,
        findings: Sequence[Diagnostic],
        source: SourceFile | None = None,
        headers: Mapping[str, SourceFile] = _NO_HEADERS,
    ) -> None:
        self.findings = located(findings, source, headers) if source else tuple(findings)
        first = f"{findings[0].message} ({findings[0].code})" if findings else "no findings"
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        super().__init__(first + more)


class UnencodableIsaError(Exception):
    """The instruction set has no known encoding."""

    def __init__(self, isa: Isa) -> None:
        super().__init__(
            f"programs for `{isa.name}` cannot be assembled: how its words are made up is not known"
        )


def assemble(
    text: str, isa: str | Isa = DEFAULT_ISA, defines: Mapping[str, Value] | None = None
) -> list[Any]:
    """Return the words of a source text, one int per bundle.

    In a set whose bundles differ in size, it returns bytes: those of each bundle, or of a single
    instruction outside of bundles, in memory order, and those that fill gaps.

    A template is expanded with `defines` as variables; they also choose among the contexts that
    comments in it declare. Raises `AssemblyError` with all findings, `UnencodableIsaError` for an
    instruction set without encoding, `TypeError` if `text` is no string, and `ValueError` for
    defines that no template can use or that leave several contexts with different programs.
    """
    require_text(text, "assemble")
    settings = SourceSettings(overrides=_checked(defines)) if defines else DEFAULT_SETTINGS
    source = SourceFile(text)
    effective = read_effective_program(isa_of(isa), source, settings)
    require_one_context(effective.expansions)
    code = object_of(effective, source, is_final=True)
    if effective.program.isa.has_words:
        return words_of(code, effective.program.isa)
    return [unit for section in code.sections for unit in units_of(section)]


def words_of(code: ObjectCode, isa: Isa) -> list[int]:
    """Return the words of a program. Raises `UnencodableIsaError` for a set without words."""
    if not isa.has_words:
        raise UnencodableIsaError(isa)
    units = (unit for section in code.sections for unit in units_of(section))
    return [int.from_bytes(unit, "little") for unit in units]


def object_of(effective: EffectiveProgram, source: SourceFile, *, is_final: bool) -> ObjectCode:
    """Return the sections and symbols of a program; for `is_final` see `assemble_object`.

    The findings of an `AssemblyError` are in its `source`. Raises `UnencodableIsaError`, too.
    """
    program, expansion = effective.program, effective.expansion
    code = required_code(program.isa)
    errors: Sequence[Diagnostic] = written_errors(effective)
    has_data = code.has_objects and not program.size and bool(program.directives)
    # A macro may have made the data: the error is then at its call.
    lacks_code = [each.message for each in errors] == [_no_code(program).message]
    if not errors or (has_data and lacks_code):
        assembled, errors = assemble_object(program, code, is_final=is_final)
        errors = sorted(errors, key=lambda finding: finding.span)
        if not errors:
            return assembled
        if expansion is not None:
            errors = _lifted(expansion, errors)
    raise AssemblyError(errors, source, expansion.files if expansion else {})


def _checked(defines: Mapping[str, Value]) -> Mapping[str, Value]:
    from ipu_asm.config.schema import SettingError
    from ipu_asm.config.source_keys import checked_values  # few texts are given values

    try:
        return checked_values(defines)
    except SettingError as error:
        raise ValueError(str(error)) from None


def encode(program: Program) -> list[int]:
    """Return the words of a program. Raises `AssemblyError` if it has errors or no bundle.

    Raises `UnencodableIsaError` for an instruction set without encoding.
    """
    code = required_code(program.isa)
    errors = errors_of(program)
    if errors:
        raise AssemblyError(errors, SourceFile(program.text))
    return words_of(assemble_object(program, code, is_final=True)[0], program.isa)


def required_code(isa: Isa) -> MachineCode:
    """Return the encoding of an instruction set. Raises `UnencodableIsaError` without one."""
    code = machine_code_of(isa)
    if code is None:
        raise UnencodableIsaError(isa)
    return code


def encode_without_errors(program: Program) -> list[int | None]:
    """Return the words of a program; None for a bundle that has an error."""
    if not program.isa.has_words:
        return [None] * program.size
    assembled, _ = assemble_object(program, required_code(program.isa), is_final=True)
    words: list[int | None] = [*words_of(assembled, program.isa)]
    for error in errors_of(program):
        bundle = program.bundle_at(error.span.start)
        if program.bundles[bundle].size:
            words[program.addresses[bundle]] = None
    return words


def errors_of(program: Program) -> list[Diagnostic]:
    """Return the errors that prevent encoding, by position; an empty program is an error."""
    errors = sorted(
        (finding for finding in program.findings if finding.severity is Severity.ERROR),
        key=lambda finding: finding.span,
    )
    return errors if errors or program.size else [_no_code(program)]


def _no_code(program: Program) -> Diagnostic:
    message = f"a program has at least one {program.isa.unit}, found none"
    return Diagnostic(SYNTAX_ERROR, message, Span(0, 0))


def written_errors(effective: EffectiveProgram) -> list[Diagnostic]:
    """Return the errors that prevent encoding where they were written, by file and position."""
    program, expansion = effective.program, effective.expansion
    if expansion is None:
        return errors_of(program)
    errors = [each for each in expansion.findings if each.severity is Severity.ERROR]
    if not (errors and not program.size):
        errors = _lifted(expansion, errors_of(program))
    if not errors and not program.size:
        return errors_of(program)
    return sorted(errors, key=lambda finding: (finding.path or "", finding.span))


def _lifted(expansion: Expansion, errors: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors of an expansion, and those in its text, where they were written."""
    from ipu_asm.source.lifting import lifted_findings  # most texts are read as they are

    lifted = lifted_findings([(expansion, errors)])
    return [each for each in lifted if each.severity is Severity.ERROR]


def _integers(words: object) -> list[int]:
    """Words as Python integers; numpy integers are accepted, too. Raises TypeError."""
    wanted = "`disassemble` takes words, one int per bundle"
    if isinstance(words, str | bytes | bytearray) or not isinstance(words, Iterable):
        raise TypeError(f"{wanted}, found {type(words).__name__}")
    integers = []
    for word in words:
        try:
            integers.append(operator.index(word))
        except TypeError:
            found = f"found {type(word).__name__} as word {len(integers)}"
            raise TypeError(f"{wanted}, {found}") from None
    return integers


def disassemble(code: Iterable[int] | bytes, isa: str | Isa = DEFAULT_ISA, address: int = 0) -> str:
    """Return a text that assembles to the same words, or to the same bytes of machine code.

    `code` are words, one int per bundle, for sets with words of one size. For the others they are
    bytes in memory order, which begin at `address`; only at 0 are targets of branches labels.
    Raises `TypeError` for other code, `ValueError` for a word that is too wide and an address that
    cannot be, and `UnencodableIsaError` for an instruction set without encoding.
    """
    from ipu_asm.assembler.code_files import CodeFile, code_of_bytes

    isa = isa_of(isa)
    machine_code = required_code(isa)
    if isinstance(machine_code, WordCode):
        if address:
            raise ValueError(f"bundles of `{isa.name}` are numbered from 0, found {address}")
        data = machine_code.data(_integers(code))
    elif not isinstance(code, bytes | bytearray | memoryview):
        found = type(code).__name__
        raise TypeError(f"`disassemble` takes bytes for `{isa.name}`, found {found}")
    elif not 0 <= address < 1 << 32:
        raise ValueError(f"addresses have 32 bits, found {address}")
    else:
        data = bytes(code)
    content = code_of_bytes(data, address)
    return CodeFile(isa, machine_code, content).text(has_labels=not address)
