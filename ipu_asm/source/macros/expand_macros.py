"""Expansion of assembler macros, repetitions and conditional blocks in a text."""

from __future__ import annotations

import re
from typing import Callable, Iterator, Mapping

from ipu_asm.diagnostics import EXPANSION_LIMIT, INCLUDE_NOT_FOUND
from ipu_asm.isa.gnu_expressions import Symbols, evaluate
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import (
    DEFAULT_SETTINGS,
    Deferred,
    Expansion,
    Include,
    SourceSettings,
    place_of_use,
)
from ipu_asm.source.macros.calls import (
    BODY_ENDS,
    ERRORS,
    assign,
    call,
    define,
    forget,
    report_condition,
    report_error,
    report_exit,
    report_late_branch,
    report_nameless,
    report_repetitions,
    report_surplus,
    report_unclosed,
    report_unclosed_blocks,
    report_unopened,
    report_valueless,
    use_alternate_syntax,
)
from ipu_asm.source.macros.edited_lines import MacroLines
from ipu_asm.source.macros.expander import Expander, ExpansionLimitError, OpenText
from ipu_asm.source.macros.macro import Argument, Body, Parameter, values
from ipu_asm.source.macros.mapped_text import (
    MappedText,
    WrittenText,
    frame_at,
    joined_map,
    written_block,
    written_range,
)
from ipu_asm.source.macros.statements import Branch, Statement
from ipu_asm.source.preprocessor.environment import IncludeSearch
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span

LOOPS = {".rept", ".rep", ".irp", ".irep", ".irpc", ".irepc"}
"""The directives that `.endr` ends."""
_VARIABLE = re.compile(r"([A-Za-z_.$][\w.$]*)[ \t]*,?[ \t]*")
_MAX_SHOWN = 20


class _Loop(NamedTuple):
    """The number of repetitions, or a variable with the values that it takes."""

    repetitions: int
    variable: Parameter | None = None
    values: tuple[Argument, ...] = ()

    def iterations(self) -> Iterator[tuple[str, Mapping[str, Argument]]]:
        for number in range(self.repetitions):
            if self.variable is None:
                yield f"repetition {number + 1} of {self.repetitions}", {}
            else:
                value = self.values[number]
                shown = value.text[:_MAX_SHOWN]
                yield f"for {self.variable.name} = {shown}", {self.variable.name: value}


_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BLANKS = re.compile(r"[ \t]+")
_OF_NUMBERS: Mapping[str, Callable[[int], bool]] = {
    ".if": lambda value: value != 0,
    ".elseif": lambda value: value != 0,
    ".ifne": lambda value: value != 0,
    ".ifeq": lambda value: value == 0,
    ".ifgt": lambda value: value > 0,
    ".ifge": lambda value: value >= 0,
    ".iflt": lambda value: value < 0,
    ".ifle": lambda value: value <= 0,
}
_OF_TEXTS: Mapping[str, str] = {
    ".ifc": "two texts with `,` between them",
    ".ifnc": "two texts with `,` between them",
    ".ifeqs": "two strings in double quotes with `,` between them",
    ".ifnes": "two strings in double quotes with `,` between them",
}
IF_DEFINED = {".ifdef": True, ".ifndef": False, ".ifnotdef": False}
"""The directives that ask for a name, and whether they hold if it is defined."""
CONDITIONS = {*_OF_NUMBERS, *IF_DEFINED, ".ifb", ".ifnb", ".ifc", ".ifnc", ".ifeqs", ".ifnes"} - {
    ".elseif"
}
"""All directives that begin a conditional block."""
_NAME = re.compile(r'"([^"\\\r\n]+)"')
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$@]*|" + _NAME.pattern)
_ASSIGNING = {".set", ".equ", ".equiv", ".eqv"}
_CONTINUING = {".else", ".elseif", ".endif"}


def expand_macros(
    surface: Surface,
    expansion: Expansion,
    path: str | None = None,
    settings: SourceSettings = DEFAULT_SETTINGS,
) -> Expansion:
    """Return an expansion after assembler macros, repetitions and conditional blocks.

    `path` is the file of the text, None for a text in no file: then no header is read.

    What cannot be evaluated stays in the text: calls of unknown macros, both branches of a
    condition that depends on an address, a loop without a known count.
    """
    search = IncludeSearch(path, settings)

    def find_header(name: str, includer: str) -> SourceFile | None:
        found = search.find(name, False, includer)
        return settings.reader.read(found) if found else None

    expander = Expander(surface, expansion.text, find_header if path is not None else None)
    source = WrittenText(expansion.text, expansion.source_map)
    expand_text(expander, source)
    expander.add_called_macros()
    made = expander.out.built()
    log = expander.names
    return expansion._replace(
        text=made.text,
        source_map=joined_map(made),
        includes=(*expansion.includes, *expander.includes),
        files={**expansion.files, **expander.files},
        defined=expansion.defined | log.defined,
        findings=(*expansion.findings, *expander.findings),
        definitions=Deferred(lambda: (*expansion.definitions, *log.names.definitions)),
        uses=Deferred(lambda: sorted((*expansion.uses, *log.names.uses), key=place_of_use)),
        memo=MacroLines(expander, source, made),
    )


def as_written(text: str) -> Expansion:
    """Return a text as its own expansion."""
    whole = Segment(0, len(text), SourceRange(MAIN, Span(0, len(text))), True)
    return Expansion(text, SourceMap([whole] if text else []))


def expand_text(
    expander: Expander, source: MappedText, depth: int = 0, is_uncertain: bool = False
) -> bool:
    """Append the expansion of a text; return whether it is left early, by `.exitm`.

    `is_uncertain`: it is unknown whether the text is assembled at all.
    """
    opened = OpenText(expander, source, depth, is_uncertain, expand_text)
    text = source.text
    while opened.next < len(text) and not opened.is_left:
        _read_up_to_jump(opened)
    if not opened.is_left and not opened.conditionals.is_skipping:
        opened.copy(len(text))
    report_unclosed_blocks(opened)
    return opened.is_left


def _read_up_to_jump(opened: OpenText) -> None:
    """Read statements to the end of the text, or until one moves on after others."""
    expander = opened.expander
    macros = expander.macros
    for match in expander.reader.matches(opened.source.text, opened.next):
        word = match["word"]
        if not word:
            continue
        if word[0] in ".#" or word in macros or match["rest"].lstrip()[:1] == "=":
            opened.next = match.end() + 1
            _read(opened, expander.reader.statement(match))
            if opened.next != match.end() + 1 or opened.is_left:
                return
    opened.next = len(opened.source.text)


def _read(opened: OpenText, statement: Statement) -> None:
    word = statement.word.lower() if statement.word[0] == "." else statement.word
    if word in CONDITIONS:
        begin_block(opened, word, statement)
    elif word in _CONTINUING:
        continue_block(opened, word, statement)
    elif word[0] == "#":
        opened.conditionals.follow_preprocessor(word)
    elif not opened.conditionals.is_skipping:
        _read_assembled(opened, word, statement)


def _read_assembled(opened: OpenText, word: str, statement: Statement) -> None:
    expander = opened.expander
    if statement.word in expander.macros:
        call(opened, expander.macros[statement.word], statement)
    elif word == ".macro":
        define(opened, statement)
    elif word in LOOPS:
        repeat(opened, word, statement)
    elif word in _ASSIGNING or (statement.rest[:1] == "=" and statement.rest[1:2] != "="):
        assign(opened, statement)
    elif word == ".include":
        include(opened, statement)
    elif word == ".purgem":
        forget(opened, statement)
    elif word in (".altmacro", ".noaltmacro"):
        use_alternate_syntax(opened, statement, word == ".altmacro")
    elif word in BODY_ENDS:
        report_unopened(opened, statement, BODY_ENDS[word])
    elif word in ERRORS:
        report_error(opened, statement)
    elif word == ".exitm" and not opened.is_uncertain:
        leave(opened, statement)


def leave(opened: OpenText, statement: Statement) -> None:
    """Leave a macro or a repetition."""
    if not opened.depth:
        report_exit(opened, statement)
        return
    opened.copy(statement.word_start)
    opened.is_left = True


def include(opened: OpenText, statement: Statement) -> None:
    """Append the expansion of a header; the directive stays where the header is not found."""
    expander, source = opened.expander, opened.source
    match = _NAME.match(statement.rest)
    if match is None:
        return
    start = statement.rest_start
    span = Span(start + match.start(1), start + match.end(1))
    place = written_range(source, *span)
    header = expander.find_header(match[1], place.path)
    expander.includes.append(Include(place, match[1], header.path if header else None))
    if header is None:
        expander.is_partial = True
        if expander.tells_missing:
            message = f"an include names a file in the include paths, found no `{match[1]}`"
            expander.report(INCLUDE_NOT_FOUND, message, source, span)
        return
    opened.copy(statement.word_start)
    before = expander.out.mark()
    try:
        opened.expand(_text_of(opened, statement, header))
        opened.copied = statement.rest_end
        expander.files[header.path] = header
    except ExpansionLimitError as error:
        if opened.depth:
            raise
        expander.out.cut_back(before)
        expander.report(EXPANSION_LIMIT, str(error), source, span)


def _text_of(opened: OpenText, statement: Statement, header: SourceFile) -> WrittenText:
    source, start = opened.source, statement.word_start
    call = written_range(source, start, statement.rest_end)
    label = f"include of `{header.path.rpartition('/')[2]}`"
    frame = Frame(FrameKind.INCLUDE, label, call, None, frame_at(source, start))
    whole = SourceRange(header.path, Span(0, len(header.text)))
    segment = Segment(0, len(header.text), whole, True, frame)
    return WrittenText(header.text, SourceMap([segment] if header.text else []))


def begin_block(opened: OpenText, word: str, statement: Statement) -> None:
    """Begin a conditional block. The directive stays if its condition is unknown."""
    was_skipping = opened.conditionals.is_skipping
    value = None if was_skipping else _value(opened, word, statement)
    branch = opened.conditionals.open(value, statement)
    if branch is not Branch.UNKNOWN and not was_skipping:
        opened.drop(statement)
    if not was_skipping:
        opened.use_symbols(statement.rest_start, statement.rest_end)


def continue_block(opened: OpenText, word: str, statement: Statement) -> None:
    """Handle `.else`, `.elseif` or `.endif`."""
    conditionals = opened.conditionals
    branch = conditionals.current
    if branch is None:
        report_unopened(opened, statement, ".if")
        if word != ".endif":
            conditionals.open(None, statement)  # its `.endif` is no second mistake
        return
    if conditionals.take_branch(word):
        report_late_branch(opened, statement)
    if word != ".elseif" and conditionals.is_outside_skipped:
        report_surplus(opened, statement)
    if branch is Branch.UNKNOWN:
        if word == ".endif":
            conditionals.close()
        return
    if branch is Branch.TAKEN:
        opened.drop(statement)
    if word == ".endif":
        conditionals.close()
    elif branch is Branch.TAKEN:
        conditionals.change(Branch.DONE)
    elif branch is Branch.WAITING:
        _take(opened, word, statement)
    if not conditionals.is_skipping and conditionals.current is not Branch.UNKNOWN:
        opened.copied = statement.end


def _take(opened: OpenText, word: str, statement: Statement) -> None:
    """Evaluate the condition of a branch in a block that has not taken one."""
    value = True if word == ".else" else _value(opened, word, statement)
    if value:
        opened.conditionals.change(Branch.TAKEN)
    elif value is None:
        # What follows depends on this condition alone, as if it were the first one.
        opened.conditionals.change(Branch.UNKNOWN)
        place = written_range(opened.source, statement.word_start, statement.rest_start)
        frame = frame_at(opened.source, statement.word_start)
        opened.expander.out.add_computed(".if ", place, frame)
        opened.copied = statement.rest_start


def _value(opened: OpenText, word: str, statement: Statement) -> bool | None:
    if word in IF_DEFINED:
        name = _SYMBOL.fullmatch(statement.rest)
        if name is None:
            report_nameless(opened, statement)
            return None
        is_defined = _is_defined(opened, name[1] or name[0])
        return None if is_defined is None else is_defined == IF_DEFINED[word]
    value = is_true(word, statement.rest, opened.expander.symbols)
    if value is None:
        takes = "an expression" if word in _OF_NUMBERS else _OF_TEXTS[word]
        report_condition(opened, statement, takes)
    return value


def _is_defined(opened: OpenText, name: str) -> bool | None:
    """Return whether a name has been defined so far; None if a label or a header may define it."""
    opened.expander.asked.add(name)
    if name in opened.expander.symbols:
        return True
    if opened.expander.is_partial or name in opened.labels:
        return None
    return False


def is_true(directive: str, text: str, symbols: Symbols) -> bool | None:
    """Return whether a condition holds; None if that is not known.

    `directive` is `.if` or one of its variants, but not one that asks whether a name is defined.
    """
    if directive in _OF_NUMBERS:
        value = evaluate(text, symbols)
        return None if value is None else _OF_NUMBERS[directive](value)
    if directive in (".ifb", ".ifnb"):
        return (not text.strip()) == (directive == ".ifb")
    if directive in (".ifc", ".ifnc"):
        one, comma, other = text.partition(",")
        return (_plain(one) == _plain(other)) == (directive == ".ifc") if comma else None
    strings = _STRING.findall(text)
    return (strings[0] == strings[1]) == (directive == ".ifeqs") if len(strings) == 2 else None


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text.strip())


def repeat(opened: OpenText, word: str, statement: Statement) -> None:
    """Append the iterations of a loop; one whose count is unknown stays in the text."""
    end = opened.end_of({".endr"}, LOOPS)
    if end is None:
        report_unclosed(opened, statement, ".endr")
    else:
        report_surplus(opened, end)
    opened.next = len(opened.source.text) if end is None else end.end + 1
    loop = _read_loop(opened, word, statement)
    if end is None or loop is None or opened.expander.budget.is_spent:
        return
    opened.copy(statement.word_start)
    before = opened.expander.out.mark()
    try:
        _expand_iterations(opened, loop, statement, end)
        opened.copied = end.end
    except ExpansionLimitError as error:
        if opened.depth:
            raise
        opened.expander.out.cut_back(before)
        span = Span(statement.word_start, statement.rest_end)
        opened.expander.report(EXPANSION_LIMIT, str(error), opened.source, span)


def _read_loop(opened: OpenText, word: str, statement: Statement) -> _Loop | None:
    source, start, end = opened.source, statement.rest_start, statement.rest_end
    if word in (".rept", ".rep"):
        count = evaluate(statement.rest, opened.expander.symbols)
        if count is None or count < 0:
            report_repetitions(opened, statement, count)
        return None if count is None else _Loop(max(0, count))
    match = _VARIABLE.match(source.text, start, end)
    if match is None:
        report_nameless(opened, statement)
        return None
    if match[0] == statement.rest and "," not in match[0] and not opened.depth:
        report_valueless(opened, statement, match[1])
    span = Span(*match.span(1))
    variable = Parameter(match[1], span, match[1])
    if word in (".irp", ".irep"):
        # None for no values, as in LLVM; the GNU assembler then has one, which is empty.
        taken = tuple(values(source, match.end(), end))
    else:
        letters = [at for at in range(match.end(), end) if not source.text[at].isspace()]
        taken = tuple(Argument(source, (Span(at, at + 1),)) for at in letters)
    return _Loop(len(taken), variable, taken)


def _expand_iterations(opened: OpenText, loop: _Loop, statement: Statement, end: Statement) -> None:
    source, budget = opened.source, opened.expander.budget
    head = written_range(source, statement.word_start, statement.rest_end)
    place = written_range(source, *loop.variable.span) if loop.variable else None
    places = {loop.variable.name: place} if loop.variable and place else {}
    body = Body(source, Span(min(statement.end + 1, end.word_start), end.word_start), places)
    opened.remember(body)
    variables = (loop.variable,) if loop.variable else ()
    full = Span(statement.word_start, end.rest_end)
    opened.expander.names.add(
        lambda names: names.define_parameters(body, variables, written_block(source, *full))
    )
    caller = frame_at(source, statement.word_start)
    budget.reserve(loop.repetitions)
    for label, arguments in loop.iterations():
        budget.read(0, body.size(arguments))
        frame = Frame(FrameKind.ITERATION, label, head, place, caller)
        counter = str(opened.expander.calls)
        if opened.expand(body.expanded(frame, arguments, caller, counter)):
            return
