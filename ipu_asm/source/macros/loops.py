"""The repetitions `.rept`, `.irp` and `.irpc`."""

from __future__ import annotations

import re
from typing import Iterator, Mapping

from ipu_asm.diagnostics.errors import EXPANSION_LIMIT
from ipu_asm.isa.gnu_expressions import evaluate
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.macros.arguments import Argument, Parameter, values
from ipu_asm.source.macros.expander import OpenText
from ipu_asm.source.macros.limits import ExpansionLimitError
from ipu_asm.source.macros.macro import Body
from ipu_asm.source.macros.mapped_text import frame_at, written_block, written_range
from ipu_asm.source.macros.statements import Statement
from ipu_asm.source.macros.structure import report_unclosed
from ipu_asm.source.source_map import Frame, FrameKind
from ipu_asm.text import Span

LOOPS = {".rept", ".rep", ".irp", ".irep", ".irpc", ".irepc"}
"""The directives that `.endr` ends."""
_VARIABLE = re.compile(r"([A-Za-z_.$][\w.$]*)[ \t]*,?[ \t]*")
_LONGEST_SHOWN = 20


class _Loop(NamedTuple):
    """The number of repetitions, or a variable with the values that it takes."""

    repetitions: int
    variable: Parameter | None = None
    values: tuple[Argument, ...] = ()

    def iterations(self) -> Iterator[tuple[str, Mapping[str, Argument]]]:
        """Yield the description of each iteration and its arguments."""
        for number in range(self.repetitions):
            if self.variable is None:
                yield f"repetition {number + 1} of {self.repetitions}", {}
            else:
                value = self.values[number]
                shown = value.text[:_LONGEST_SHOWN]
                yield f"for {self.variable.name} = {shown}", {self.variable.name: value}


def repeat(opened: OpenText, word: str, statement: Statement) -> None:
    """Append the iterations of a loop; one whose count is unknown stays in the text."""
    end = opened.end_of({".endr"}, LOOPS)
    if end is None:
        report_unclosed(opened, statement, ".endr")
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
        return None if count is None else _Loop(max(0, count))
    match = _VARIABLE.match(source.text, start, end)
    if match is None:
        return None
    span = Span(*match.span(1))
    variable = Parameter(match[1], span, match[1])
    if word in (".irp", ".irep"):
        taken = tuple(values(source, match.end(), end)) or (Argument(source, ()),)
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
