"""Signature help: the operands of the instruction at the cursor and the next one to write.

A mnemonic has one signature for each form, a macro of the file one for each definition.
"""

from __future__ import annotations

import re
from typing import Final, Iterator, Sequence

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.bundle.operand_matching import KEYWORD_MARK, expected_operands, value_start
from ipu_asm.ide.completion.context import CompletionContext, completion_context_at
from ipu_asm.ide.completion.macros import header_names, with_values
from ipu_asm.ide.completion.operands import form_accepts
from ipu_asm.ide.expansions import is_template, reading_at
from ipu_asm.ide.macros import last_bundle_of, macros_called, without_comments
from ipu_asm.ide.pages.label import comment_above
from ipu_asm.ide.symbols import line_of
from ipu_asm.ide.symbols.header_names import FileReading, shown_path
from ipu_asm.ide.symbols.parameters import (
    MARK,
    MacroBody,
    MacroParameter,
    Parameter,
    parameters_of,
    shown_parameters,
)
from ipu_asm.ide.template_syntax import call_at, template_syntax
from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import NameKind
from ipu_asm.text import Span

_PARAMETER: Final = re.compile(r"\s*(\w+(?:\.\.\.)?|\.\.\.)\s*(?::\s*(\w+))?\s*(?:=\s*(.*))?", re.S)
_MAX_SIGNATURES: Final = 40
_OF_PREPROCESSOR: Final = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:\\.|[^'\\])'|[()]|(?P<between>,)""")
# Blanks separate arguments if there is no operator next to them.
_OF_ASSEMBLER: Final = re.compile(
    r""""(?:[^"\\]|\\.)*"?|[()\[\]]|(?P<between>,|(?<=[\w")\]])\s+(?=[\w$"\\]|\Z))"""
)
_DEEPER: Final = {"(": 1, "[": 1, ")": -1, "]": -1}
_EQUALS: Final = re.compile(r"[ \t]*=(?!=)")
_NAMED: Final = re.compile(r"\s*(\w+)\s*=(?!=)")


class SignatureParameter(NamedTuple):
    """An operand: its text in the syntax line, and what it accepts, as Markdown.

    The label is the first whole-word match in the line.
    """

    label: str
    markdown: str


class Signature(NamedTuple):
    """An instruction's syntax line, summary and operands, and the number of the next operand.

    `active` is None if all operands are written.
    """

    label: str
    summary: str
    parameters: tuple[SignatureParameter, ...]
    active: int | None


def signatures(analysis: Analysis, offset: int) -> list[Signature]:
    """Return the signatures of the instruction or macro around an offset after its name.

    The best form is first, then the others that fit the written operands, then the rest. The result
    is empty if an operand of an instruction contains an argument of a macro.
    """
    if is_template(analysis):
        return _in_template(analysis, offset)
    context = completion_context_at(analysis.program, offset)
    if context is None or not context.mnemonic:
        return []
    spec = analysis.isa.spec(context.mnemonic)
    if spec is None:
        return _of_macros(analysis, context, offset)
    word = analysis.text[context.span.start : context.span.end]
    # An argument of a macro can expand to any number of operands.
    if MARK in "".join((*context.complete_operands, context.operand_prefix, word)):
        return []
    *written, word = with_values(analysis, (*context.complete_operands, word))
    context = context._replace(complete_operands=tuple(written))
    forms = _by_fitness(analysis, spec, context, word)[:_MAX_SIGNATURES]
    found: dict[str, Signature] = {}
    for form in forms:
        label, parameters = _syntax_line(form, analysis.isa.surface.operand_separator)
        active = _active(form, context.complete_operands, context.operand_prefix, word)
        summary = form.doc.summary or form.doc.title
        found.setdefault(label, Signature(label, summary, parameters, active))
    return list(found.values())


def _in_template(analysis: Analysis, offset: int) -> list[Signature]:
    """Return the signature of a template macro in a tag, else those of literal text."""
    syntax = template_syntax(analysis.text)
    if syntax.tag_around(offset) is None:
        reading, at = reading_at(analysis, offset)
        return signatures(reading.analysis, at)
    call = call_at(syntax, offset)
    if call is None:
        return []
    macro, active = call
    line = analysis.source.lines.position(macro.place.start).line + 1
    label = f"{macro.name}({', '.join(macro.parameters)})"
    summary = f"{escaped(macro.remark)}\n\nline {line}".lstrip()
    parameters = tuple(SignatureParameter(each, _default(each)) for each in macro.parameters)
    return [Signature(label, summary, parameters, active)]


def _default(parameter: str) -> str:
    default = parameter.partition("=")[2].strip()
    return f"{inline_code(default)} by default" if default else "required"


def signature_help(analysis: Analysis, offset: int) -> Signature | None:
    """Return the signature of the best form; None if no instruction is being written."""
    return next(iter(signatures(analysis, offset)), None)


def _by_fitness(
    analysis: Analysis, spec: InstructionSpec, context: CompletionContext, word: str
) -> list[InstructionSpec]:
    """Return the forms of a mnemonic, best fit first; the sort is stable."""
    forms = analysis.isa.forms(spec)
    if len(forms) == 1:
        return [spec]
    written, begun = context.complete_operands, context.operand_prefix + word
    texts = (*written, begun) if begun else written

    def misfit(form: InstructionSpec) -> tuple[bool, bool, bool]:
        is_full = len(form.operands) <= len(written)
        return (
            not form_accepts(form, written),
            is_full and bool(form.operands),
            not form_accepts(form, texts),
        )

    return sorted(forms, key=misfit)


def _active(spec: InstructionSpec, written: Sequence[str], begun: str, word: str) -> int | None:
    """Return the number of the operand that is being written, if any."""
    keyword = begun[: value_start(begun)].rstrip(KEYWORD_MARK).strip().lower()
    due = expected_operands(spec, written)
    named = [operand for operand in due.by_name if operand.keyword == keyword]
    # If several operands can come next, prefer the one that the word matches.
    after = expected_operands(spec, (*written, begun + word)).by_place if word else due.by_place
    taken = [operand for operand in due.by_place if operand not in after]
    found = next(iter((*named, *taken, *due.by_place, *due.by_name)), None)
    return None if found is None else spec.operands.index(found)


def _syntax_line(
    spec: InstructionSpec, separator: str
) -> tuple[str, tuple[SignatureParameter, ...]]:
    """Return a syntax line that names every operand, and the parameters in it."""
    line = spec.syntax
    labels = [_label(operand, line) for operand in spec.operands]
    if "" in labels:
        labels = [operand.name for operand in spec.operands]
        line = f"{spec.mnemonic} {(separator.strip() + ' ').join(labels)}"
    parameters = (
        SignatureParameter(label, _markdown(o)) for label, o in zip(labels, spec.operands)
    )
    return line, tuple(parameters)


def _label(operand: Operand, line: str) -> str:
    """Return an operand's text in the line: its name, or its keyword with the value; else ""."""
    name = re.escape(operand.name)
    if operand.keyword:
        name = rf"{re.escape(operand.keyword)}{KEYWORD_MARK}\w+"
    match = re.search(rf"(?<!\w){name}(?!\w)", line)
    return match.group() if match else ""


def _markdown(operand: Operand) -> str:
    described = operand.description[:1].upper() + operand.description[1:]
    takes = operand.type.describe()
    return f"{described}\n\n{takes}" if described else takes


class _Callable(NamedTuple):
    """A macro with parameters, each with a page, and a paragraph about it."""

    name: str
    is_define: bool
    parameters: tuple[MacroParameter, ...]
    pages: tuple[str, ...]
    summary: str


def _of_macros(analysis: Analysis, context: CompletionContext, offset: int) -> list[Signature]:
    """Return the signatures of the called macro, those with parameters left to write first."""
    callables = list(_callables(analysis, context.mnemonic))
    code = _call_text(analysis.program, context, offset) if callables else ""
    found: dict[str, Signature] = {}
    for each in callables:
        arguments = _arguments(code, each.is_define) if code else []
        if arguments:
            shown = shown_parameters(each.parameters)
            label = f"{each.name}({shown})" if each.is_define else f"{each.name} {shown}".rstrip()
            labels = (shown_parameters([parameter]) for parameter in each.parameters)
            parameters = tuple(SignatureParameter(*pair) for pair in zip(labels, each.pages))
            active = _active_of_macro(each.parameters, arguments, may_name=not each.is_define)
            found.setdefault(label, Signature(label, each.summary, parameters, active))
    return sorted(found.values(), key=lambda signature: signature.active is None)


def _callables(analysis: Analysis, name: str) -> Iterator[_Callable]:
    """Yield the macros with parameters of the file that have a name, else that of a header."""
    program, is_known = analysis.program, False
    for macro in macros_called(program, name):
        is_known = True
        parameters = parameters_of(program, macro)
        body = MacroBody(macro.bundle, last_bundle_of(program, macro), name, parameters)
        # The title of a parameter's page repeats what the line shows.
        pages = (Parameter(body, p).description(analysis).partition("\n\n")[2] for p in parameters)
        about = f"{comment_above(program, macro.bundle)}\n\nline {line_of(analysis, macro.span)}"
        if not macro.is_object_like:
            yield _Callable(name, macro.is_define, parameters, tuple(pages), about.lstrip())
    definition = None if is_known else header_names(analysis).get(name)
    if definition is not None and definition.parameters is not None:
        matches = filter(None, map(_PARAMETER.match, definition.parameters))
        parameters = tuple(
            MacroParameter(match[1], Span(0, 0), match[3] or "", match[2] or "")
            for match in matches
        )
        path, span = definition.place
        line = analysis.headers[path].lines.position(span.start).line + 1
        where = f"{inline_code(shown_path(FileReading(analysis), path))} line {line}"
        about = f"{escaped(definition.remark)}\n\n{where}".lstrip()
        is_define = definition.kind is NameKind.DEFINE
        yield _Callable(name, is_define, parameters, ("",) * len(parameters), about)


def _active_of_macro(
    parameters: Sequence[MacroParameter], arguments: Sequence[str], may_name: bool
) -> int | None:
    """Return the number of the parameter that the last argument is for, if any."""
    names = [parameter.name for parameter in parameters]
    matches = [_NAMED.match(argument) if may_name else None for argument in arguments]
    *given, here = (match[1] if match and match[1] in names else "" for match in matches)
    if here:
        return names.index(here)
    left = [number for number, name in enumerate(names) if name not in given]
    place = given.count("")
    if place < len(left):
        return left[place]
    takes_all = names and (parameters[-1].kind == "vararg" or names[-1].endswith("..."))
    return len(names) - 1 if takes_all else None


def _call_text(program: Program, context: CompletionContext, offset: int) -> str:
    """Return the text from the end of the macro's name to the end of the word at the cursor."""
    number = program.bundle_at(offset)
    syntax, start = program.bundles[number].syntax, program.starts[number]
    ends = [syntax.spans[entry.mnemonic].end for entry in syntax.plan.instructions]
    begin = max((end for end in ends if start + end <= context.span.start), default=None)
    if begin is None:
        return ""
    equals = _EQUALS.match(program.text, context.span.end)
    end = equals.end() if equals else context.span.end
    return without_comments(program.text[start + begin : end])


def _arguments(code: str, is_define: bool) -> list[str]:
    """Return the arguments up to the cursor, the current one last; [] after the parentheses."""
    if not is_define:
        return _separated(code, _OF_ASSEMBLER)
    code = code.lstrip()
    return _separated(code[1:], _OF_PREPROCESSOR) if code.startswith("(") else []


def _separated(code: str, marks: re.Pattern[str]) -> list[str]:
    """Return the pieces between separators; [] if a closing bracket has no opening one."""
    arguments: list[str] = []
    start = depth = 0
    has_blanks = False
    for match in marks.finditer(code):
        depth += _DEEPER.get(match[0], 0)
        if depth < 0:
            return []
        is_blank = match[0].isspace()
        # A comma may follow trailing blanks, unless the call separates its arguments by blanks.
        is_open = is_blank and match.end() == len(code) and not has_blanks
        if match["between"] and not depth and not is_open:
            arguments.append(code[start : match.start()])
            start = match.end()
            has_blanks = has_blanks or is_blank
    return [*arguments, code[start:]]
