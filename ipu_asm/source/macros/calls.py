"""Definitions and calls of macros, and assignments to symbols."""

from __future__ import annotations

import re
from typing import Mapping

from ipu_asm.diagnostics import (
    ERROR_DIRECTIVE,
    EXPANSION_LIMIT,
    SYNTAX_ERROR,
    TOO_FEW_OPERANDS,
    TOO_MANY_OPERANDS,
    UNSUPPORTED_DIRECTIVE,
    WRONG_OPERAND_TYPE,
)
from ipu_asm.isa.gnu_expressions import evaluate, read_expression
from ipu_asm.isa.operands import quoted
from ipu_asm.source.lifting import related_at
from ipu_asm.source.macros.expander import ExpansionLimitError, OpenText
from ipu_asm.source.macros.macro import Argument, Body, Macro, Misuse, bind, read_parameters
from ipu_asm.source.macros.mapped_text import MappedText, frame_at, written_range
from ipu_asm.source.macros.statements import Statement
from ipu_asm.source.source_map import Frame, FrameKind
from ipu_asm.text import Span

BODY_ENDS: Mapping[str, str] = {".endm": ".macro", ".endmacro": ".macro", ".endr": ".rept"}
"""The directives that end a body, and one that begins it."""
ERRORS = (".error", ".err")
_NAME = re.compile(r"[A-Za-z0-9_.$]+")
_ASSIGNMENT = re.compile(r"([A-Za-z0-9_.$]+)[ \t]*,[ \t]*(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
# Other characters may have a meaning that is not read here.
_ARITHMETIC = re.compile(r"[\w\s.,()+\-*/%&|^~!<>=]+")
_QUALIFIER = re.compile(r"[^:=]*:[ \t]*(\w+)")


def define(opened: OpenText, statement: Statement) -> None:
    """Define a macro; undefine its name if it is unknown whether the definition is assembled."""
    end = opened.end_of({".endm", ".endmacro"}, {".macro"})
    name = _NAME.match(statement.rest)
    opened.next = len(opened.source.text) if end is None else end.end + 1
    if end is None:
        report_unclosed(opened, statement, ".endm")
    else:
        report_surplus(opened, end)
        if name is None:
            report_nameless(opened, statement)
    if end is None or name is None or opened.is_uncertain:
        if name is not None:
            opened.expander.macros.pop(name[0], None)
            opened.expander.purged.discard(name[0])
        return
    macro = _macro(opened.source, statement, name[0], end)
    first = opened.expander.macros.get(macro.name)
    if first is not None:
        start = statement.rest_start
        report_repeated(opened, Span(start, start + len(macro.name)), first)
    report_parameters(opened, macro)
    opened.expander.macros[macro.name] = macro
    opened.expander.defined_macros.add(macro.name)
    opened.expander.purged.discard(macro.name)
    opened.remember(macro.body)
    source = opened.source
    opened.expander.names.add(
        lambda names: names.define_macro(macro, source, statement.rest_end), macro.name
    )
    opened.copy(statement.word_start)
    opened.copied = end.end


def _macro(source: MappedText, statement: Statement, name: str, end: Statement) -> Macro:
    name_end = statement.rest_start + len(name)
    parameters = read_parameters(source, name_end, statement.rest_end)
    places = {parameter.name: written_range(source, *parameter.span) for parameter in parameters}
    body = Body(source, Span(min(statement.end + 1, end.word_start), end.word_start), places)
    full = Span(statement.word_start, end.rest_end)
    return Macro(
        name, parameters, body, full, written_range(source, statement.rest_start, name_end)
    )


def forget(opened: OpenText, statement: Statement) -> None:
    """Undefine the macros that `.purgem` names."""
    expander = opened.expander
    if not statement.rest:
        report_nameless(opened, statement)
    for match in _NAME.finditer(statement.rest):
        name = match[0]
        macro = expander.macros.pop(name, None)
        is_open = opened.is_uncertain or opened.depth or expander.is_partial
        is_known = name in expander.defined_macros and name not in expander.purged
        if macro is None and not is_open and not is_known:
            start = statement.rest_start
            message = f"`{statement.word}` takes a macro, found none with name {quoted(name)}"
            span = Span(start + match.start(), start + match.end())
            expander.report(SYNTAX_ERROR, message, opened.source, span)
        if macro is not None and not opened.is_uncertain:
            expander.purged.add(name)
    opened.drop(statement)


def call(opened: OpenText, macro: Macro, statement: Statement) -> None:
    """Append the expansion of a call; a call that cannot be expanded stays in the text."""
    expander, source = opened.expander, opened.source
    word = Span(statement.word_start, statement.word_start + len(statement.word))
    expander.names.add(lambda names: names.call(macro, source, word))
    opened.use_symbols(statement.rest_start, statement.rest_end)
    if expander.is_alternate or expander.budget.is_spent:
        expander.called[macro.name] = macro
        return
    bound = bind(macro.name, macro.parameters, source, word, statement.rest_end)
    if isinstance(bound, Misuse):
        if not _may_be_resolved(opened, bound, statement):
            expander.report(bound.rule, bound.message, source, bound.span)
        expander.called[macro.name] = macro
        return
    opened.copy(statement.word_start)
    before = expander.out.mark()
    try:
        opened.expand(_expanded(opened, macro, statement, bound))
        opened.copied = statement.rest_end
    except ExpansionLimitError as error:
        if opened.depth:
            raise
        expander.out.cut_back(before)
        expander.report(EXPANSION_LIMIT, str(error), source, word)
        expander.called[macro.name] = macro


def _expanded(
    opened: OpenText, macro: Macro, statement: Statement, bound: Mapping[str, Argument]
) -> MappedText:
    source, caller = opened.source, frame_at(opened.source, statement.word_start)
    written = written_range(source, statement.word_start, statement.rest_end)
    frame = Frame(FrameKind.MACRO, f"macro `{macro.name}`", written, macro.place, caller)
    opened.expander.budget.read(0, macro.body.size(bound))
    opened.expander.calls += 1
    counter = str(opened.expander.calls - 1)
    return macro.body.expanded(frame, bound, caller, counter)


def _may_be_resolved(opened: OpenText, misuse: Misuse, statement: Statement) -> bool:
    """Return whether a missing argument may be in a name that a missing header defines."""
    if not opened.expander.is_partial:
        return False
    return misuse.rule is TOO_FEW_OPERANDS and _WORD.search(statement.rest) is not None


def assign(opened: OpenText, statement: Statement) -> None:
    """Assign a value to a symbol. The statement stays in the text for the program."""
    expander, source = opened.expander, opened.source
    if statement.rest[:1] == "=":
        name, start, value = statement.word, statement.word_start, statement.rest.lstrip("=")
    else:
        match = _ASSIGNMENT.match(statement.rest)
        if match is None:
            return
        name, start, value = match[1], statement.rest_start, match[2]
    opened.use_symbols(statement.rest_end - len(value), statement.rest_end)
    is_once = statement.word.lower() in (".equiv", ".eqv")
    if is_once and name in expander.symbols and not opened.is_uncertain:
        message = f"`{statement.word}` defines a symbol once, found a second {quoted(name)}"
        message += "; `.set` assigns a new value"
        expander.report(SYNTAX_ERROR, message, source, Span(start, start + len(name)))
    result = None if opened.is_uncertain else evaluate(value, expander.symbols)
    expander.symbols[name] = result
    full = Span(statement.word_start, statement.rest_end)
    expander.names.add(lambda names: names.define_symbol(name, source, start, full), name)


def report_unclosed(opened: OpenText, statement: Statement, end_word: str) -> None:
    """Report a directive without the one that ends what it begins."""
    if not opened.is_uncertain:
        _report(opened, _unclosed(opened, statement, end_word), statement)


def report_unclosed_blocks(opened: OpenText) -> None:
    """Report the conditional blocks that are open at the end of a file or of a body."""
    for statement in opened.conditionals.openings if not opened.is_left else ():
        _report(opened, _unclosed(opened, statement, ".endif"), statement)


def report_unopened(opened: OpenText, statement: Statement, begin_word: str) -> None:
    """Report a directive that ends or continues what nothing has begun."""
    if not opened.is_uncertain:
        message = f"`{statement.word}` needs an open `{begin_word}` before it, found none"
        _report(opened, message, statement)


def report_surplus(opened: OpenText, statement: Statement) -> None:
    """Report an argument of a directive that ends or continues a block, which takes none."""
    if statement.rest and "\\" not in statement.rest and not opened.is_uncertain:
        message = f"`{statement.word}` takes no arguments, found {quoted(statement.rest)}"
        span = Span(statement.rest_start, statement.rest_end)
        opened.expander.report(TOO_MANY_OPERANDS, message, opened.source, span)


def report_nameless(opened: OpenText, statement: Statement) -> None:
    """Report a directive without the name that it takes first."""
    found = quoted(statement.rest) if statement.rest else "none"
    _report(opened, f"`{statement.word}` needs a name, found {found}", statement)


def report_valueless(opened: OpenText, statement: Statement, variable: str) -> None:
    """Report a repetition over values that has none."""
    message = f"`{statement.word}` needs `,` and values after {quoted(variable)}, found none"
    _report(opened, message, statement)


def report_repetitions(opened: OpenText, statement: Statement, count: int | None) -> None:
    """Report a number of repetitions that is none."""
    expression, found = read_expression(statement.rest), quoted(statement.rest)
    if not statement.rest:
        found = "none"
    elif count is not None:
        found += f", which is {count}" if str(count) != statement.rest else ""
    elif expression.names or expression.is_opaque or not expression.is_broken:
        return
    message = f"`{statement.word}` takes a number of repetitions, 0 or more, found {found}"
    span = Span(statement.rest_start, statement.rest_end) if statement.rest else _word(statement)
    opened.expander.report(WRONG_OPERAND_TYPE, message, opened.source, span)


def report_condition(opened: OpenText, statement: Statement, takes: str) -> None:
    """Report a condition that no value of its names makes one that can be evaluated."""
    text = statement.rest
    may_be_resolved = opened.expander.is_partial and _WORD.search(text) is not None
    if opened.is_uncertain or may_be_resolved or _is_expression(text, statement.word):
        return
    found = quoted(text) if text else "nothing"
    message = f"`{statement.word}` takes {takes}, found {found}"
    span = Span(statement.rest_start, statement.rest_end) if text else _word(statement)
    opened.expander.report(SYNTAX_ERROR, message, opened.source, span)


def _is_expression(text: str, word: str) -> bool:
    """Return whether the text of a condition about numbers may be an expression."""
    if word.lower() in (".ifc", ".ifnc", ".ifeqs", ".ifnes"):
        return "\\" in text
    return bool(text) and (
        _ARITHMETIC.fullmatch(text) is None or not read_expression(text).is_broken
    )


def report_exit(opened: OpenText, statement: Statement) -> None:
    """Report an exit outside of what it leaves."""
    message = f"`{statement.word}` leaves a macro or a repetition, found it outside of both"
    _report(opened, message, statement)


def report_repeated(opened: OpenText, name: Span, first: Macro) -> None:
    """Report a second definition of a macro."""
    written = quoted(first.name)
    related = related_at(first.place, f"{written} is defined here first")
    message = f"a macro is defined once, found a second {written}; `.purgem` forgets the first one"
    opened.expander.report(SYNTAX_ERROR, message, opened.source, name, related)


def report_parameters(opened: OpenText, macro: Macro) -> None:
    """Report the first parameter of a macro that cannot be declared like that."""
    seen = set[str]()
    last = len(macro.parameters) - 1
    for number, parameter in enumerate(macro.parameters):
        qualifier = _QUALIFIER.match(parameter.written)
        if parameter.name in seen:
            message = "the parameters of a macro have different names, found {} again"
        elif qualifier is not None and qualifier[1] not in ("req", "vararg"):
            message = "a parameter is followed by `:req`, `:vararg` or `=` and a value, found {}"
        elif parameter.takes_rest and number < last:
            message = (
                "a parameter with `:vararg` takes all that is left: it is the last one, not {}"
            )
        else:
            seen.add(parameter.name)
            continue
        text = parameter.name if parameter.name in seen else parameter.written
        opened.expander.report(
            SYNTAX_ERROR, message.format(quoted(text)), opened.source, parameter.span
        )
        return


def report_late_branch(opened: OpenText, statement: Statement) -> None:
    """Report a branch of a conditional block after its `.else`."""
    if not opened.is_uncertain:
        message = f"`.else` is the last branch of a block, found `{statement.word}` after it"
        _report(opened, message, statement)


def report_error(opened: OpenText, statement: Statement) -> None:
    """Report a directive that stops the assembler, unless it may be out of reach."""
    if not opened.is_uncertain and not opened.expander.is_partial:
        said = f": {quoted(statement.rest)}" if statement.rest else ""
        message = f"`{statement.word}` is reached{said}; check the conditions around it"
        opened.expander.report(ERROR_DIRECTIVE, message, opened.source, _word(statement))


def use_alternate_syntax(opened: OpenText, statement: Statement, begins: bool) -> None:
    """Leave calls unexpanded from `.altmacro` on, and report it."""
    opened.expander.is_alternate = begins
    if begins:
        message = (
            "`.altmacro` is not supported: calls of macros after it are not expanded or checked"
        )
        opened.expander.report(UNSUPPORTED_DIRECTIVE, message, opened.source, _word(statement))


def _unclosed(opened: OpenText, statement: Statement, end_word: str) -> str:
    found = "none in this body" if opened.depth else "the end of the file"
    return f"`{statement.word}` must be closed by `{end_word}`, found {found}"


def _report(opened: OpenText, message: str, statement: Statement) -> None:
    # A preprocessor that is still to come may leave out one of several openings or ends.
    if not opened.conditionals.has_preprocessor_lines:
        opened.expander.report(SYNTAX_ERROR, message, opened.source, _word(statement))


def _word(statement: Statement) -> Span:
    return Span(statement.word_start, statement.word_start + len(statement.word))
