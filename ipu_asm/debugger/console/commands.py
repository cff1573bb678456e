"""The debug console of editors: its commands, expressions and assignments."""

from __future__ import annotations

import re
from typing import Callable, Collection, Final

from ipu_asm.debugger.console.command import Command, CommandResult, CommandTable, Takes
from ipu_asm.debugger.console.data_commands import MAP, diff, memory
from ipu_asm.debugger.console.history_commands import goto, inrange, trip, when, who
from ipu_asm.debugger.console.listing import EXPANSION, TEMPLATE, dis, source
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import (
    FUNCTIONS,
    Context,
    ExpressionError,
    LiveContext,
    assign_with,
    evaluate,
    quoted,
    split_assignment,
    text_of,
)
from ipu_asm.debugger.inspection.bundle_values import operand_value
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import hint_of, nearest_of
from ipu_asm.text import Span

_FIRST_WORD: Final = re.compile(r"\s*([A-Za-z?]+)(?![A-Za-z0-9_?])\s*(.?)")
_HELP: Final = "; `help` lists the commands"


class Console:
    """The debug console of one debugger; `make_context` returns its current context."""

    def __init__(self, debugger: Debugger, make_context: Callable[[], LiveContext]) -> None:
        self._debugger = debugger
        self._make_context = make_context

    def run(self, text: str) -> CommandResult:
        """Execute console input and return its result.

        Raises ExpressionError with a span in `text`, and `QueryInterruptedError` if a long search
        through the history is interrupted.
        """
        if not text.strip():
            return CommandResult("")
        call = TABLE.call(self._make_context(), text)
        if call is None:
            return self.evaluate(text)
        try:
            return self.execute(call.command, text[call.start :])
        except ExpressionError as error:
            raise ExpressionError(error.message, error.span.shifted(call.start)) from None

    def execute(self, command: Command, argument: str) -> CommandResult:
        """Execute a command. Raises as `run` does, with a span in `argument`."""
        if not argument.strip() and command.needs_argument:
            end = Span(len(argument), len(argument))
            raise ExpressionError(f"expected `{command.usage}`, found the end", end)
        result: CommandResult = command.run(self._debugger, self._make_context(), argument)
        return result

    def evaluate(self, text: str, commands: Collection[str] | None = None) -> CommandResult:
        """Evaluate an expression or an assignment. Raises ExpressionError.

        `commands` are the names that a misspelt word may mean, by default those of the console.
        """
        context = self._make_context()
        try:
            return self._evaluated(context, text)
        except ExpressionError as error:
            hint = _command_hint(context, text, error.message, commands or COMMANDS)
            raise ExpressionError(f"{error.message}{hint}", error.span) from None

    def _evaluated(self, context: LiveContext, text: str) -> CommandResult:
        seen = operand_value(self._debugger, context, text)
        if seen is not None:
            return CommandResult(seen)
        sides = split_assignment(text)
        if sides is not None:
            value = assign_with(self._debugger.edit, context, *sides)
            return CommandResult(text_of(value), changed=True)
        result = evaluate(context, text)
        return CommandResult(result.text(), result=result)


def _command_hint(context: Context, text: str, message: str, commands: Collection[str]) -> str:
    """Return what a text that is no expression may mean, to follow its message."""
    match = _FIRST_WORD.match(text)
    names = context.view.names
    if match is None or match[1] in (*context.names, *context.labels, *names.constants):
        return ""
    word, following = match.groups()
    if word in FUNCTIONS:
        is_called = not (following.isalnum() or following == "_")
        return "" if is_called else f"; `{word}` takes its argument in parentheses"
    is_named = word.lower() in (*names.known_registers, MEMORY) or "; there are" in message
    if is_named or "did you mean" in message:
        return ""
    near = word.lower() if word.lower() in commands else nearest_of(word.lower(), commands)
    if near is not None:
        return f"; did you mean the command `{near}`?"
    is_command = not following or following.isalnum() or following in "_/"
    return _HELP if is_command and ";" not in message else ""


def help_(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Return an overview of the console, or the details of one command. Raises ExpressionError."""
    name = argument.strip()
    if not name:
        return CommandResult(_overview())
    if name not in COMMANDS:
        found = f"found {quoted(name)}{hint_of(name, COMMANDS)}"
        message = f"`help` takes one of {', '.join(COMMANDS)}, {found}"
        start = argument.index(name)
        raise ExpressionError(message, Span(start, start + len(name)))
    return CommandResult(COMMANDS[name].help)


_COMMANDS: Final = (
    Command(
        "who PLACE",
        "who wrote this last",
        who,
        "PLACE is a register, an element, a slice or a part of xmem:\n"
        "`who lr5`, `who acc[7]`, `who mask[2][5]`, `who xmem[cr0 .. +16]`.",
        takes=Takes.EXPRESSION,
        yields=True,
    ),
    Command(
        "when EXPRESSION",
        "since when it holds, or when it did so last",
        when,
        "The last cycle up to now at which EXPRESSION began to hold: `when lr1 > 5`,\n"
        "`when nan_count(acc) > 0`. Where it had no value, it did not hold.",
        takes=Takes.EXPRESSION,
        yields=True,
    ),
    Command(
        "goto CYCLE",
        "stand at another cycle, in the past or the future",
        goto,
        "`goto 100` is the moment after 100 bundles, `goto -1` the one before now, `goto +100`\n"
        "a later one. Breakpoints on the way do not count.",
        takes=Takes.EXPRESSION,
        moves=True,
        yields=True,
    ),
    Command(
        "inrange",
        "at a fault: back to where its address was last in range",
        inrange,
        "The last cycle at which the registers of the access that failed kept it within xmem.\n"
        "It is where the loop should have ended, or where a register got a wrong value.",
        moves=True,
        yields=True,
    ),
    Command(
        "trip NUMBER [LABEL]",
        "stand at a trip of the loop around, past or future",
        trip,
        "`trip 42` is the innermost loop's, `trip 3 outer` that of the loop at a label, `trip +1`\n"
        "the next one. Trips must not depend on data. Breakpoints on the way do not count.",
        takes=Takes.EXPRESSION,
        moves=True,
        yields=True,
    ),
    Command(
        "dis [ADDRESS [COUNT]]",
        "bundles around the present one, or from an address on",
        dis,
        "`dis`, `dis loop`, `dis pc - 2, 5`. An arrow stands in front of the next bundle.",
        takes=Takes.EXPRESSION,
        yields=True,
    ),
    Command(
        "diff VECTOR FILE [from N]",
        "compare elements with those of a file, bit by bit",
        diff,
        "`diff acc expected.npy`, `diff xmem[0x4000 .. +64 : i32] out.npz[sums]`. A file with\n"
        "more elements says where it begins: `out.npy@0x4000` in xmem, `out.npy@128` for a\n"
        "register, which are its elements from 128 on. Sixteen differences are shown; `from 40`\n"
        "shows those of the elements from 40 on.",
        takes=Takes.EXPRESSION,
        yields=True,
    ),
    Command(
        "memory [map]",
        "the parts of xmem that the run uses, and how often",
        memory,
        "Each part with its name from the head comment, a `REGION` assertion or the data of the\n"
        "host, the accesses so far as numbers and as a bar, and the last read and write.",
        takes=Takes.WORD,
        words={MAP: "regions with names and accesses"},
        yields=True,
    ),
    Command(
        "source [template|expansion]",
        "the source that positions refer to; or choose another",
        source,
        "Of a template, `source expansion` shows what the assembler reads; `source template`\n"
        "what was written, as at first.",
        takes=Takes.WORD,
        words={TEMPLATE: "what was written", EXPANSION: "what the assembler reads"},
        yields=True,
    ),
    Command(
        "help [COMMAND]",
        "what one can type here",
        help_,
        "`help who` tells more. Of a label that is called like a command, the label alone or with\n"
        "an operator after it is meant.",
        takes=Takes.COMMAND,
        yields=True,
    ),
)
TABLE: Final = CommandTable(_COMMANDS)
COMMANDS: Final = TABLE.commands

_EXPRESSIONS: Final = """\
lr5  r0[3]  acc[0..7]  mask[2][5]  xmem[cr0 + lr1 .. +16 : f32]  sum(acc) > 100
lr5 = 3          puts a value into a register, an element, a slice or xmem
acc[0..7],x      formats: x u b o d, and types: i8 u8 i16 u16 i32 u32 f32 e4m3 e5m2 fp8"""


def _overview() -> str:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{width}}  {command.summary}" for command in COMMANDS.values()]
    return "\n".join([*lines, "", "Anything else is an expression:", _EXPRESSIONS])
