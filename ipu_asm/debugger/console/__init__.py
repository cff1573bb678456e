"""The debug console of editors: expressions, assignments, listings, and a few commands.

    lr5        lr5 = 3        who acc[7]        when lr1 > 5        goto -100        dis loop 4

A label or register note may have the same name as a command. Alone, or followed by an operator or a
format, that name is an expression: `when`, `when + 1` and `when,x` do not call the command.
Followed by anything else it calls the command, as `who (lr5)` always does.
"""

from __future__ import annotations

import re
from typing import Callable, Collection, Final, Mapping

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.debugger.console.command import (
    Command,
    CommandResult,
    CommandTable,
    Takes,
    stripped_span,
    whole_number,
)
from ipu_asm.debugger.console.data_commands import MAP, diff, goto, inrange, memory, trip, when, who
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
from ipu_asm.debugger.regions import MEMORY, source_instructions
from ipu_asm.diagnostics.suggestions import hint_of, nearest_of
from ipu_asm.emulator.binding import is_default_jump
from ipu_asm.emulator.model import decode_word
from ipu_asm.expressions.parser import parse_first
from ipu_asm.expressions.tree import number_text
from ipu_asm.isa.model import Isa, Operand
from ipu_asm.isa.operands import LabelType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

__all__ = ["COMMANDS", "TABLE", "BundleRow", "Command", "CommandResult", "Console", "rows"]


_BEFORE: Final = 3
_COUNT: Final = 8
_NOT_LOADED: Final = "(nothing was loaded here; it does nothing)"


class BundleRow(NamedTuple):
    """A bundle; `line` counts from 1. `label` and `line` are None if the source has none.

    `levels` are the iterations and calls of a template that it came from.
    """

    address: int
    label: str | None
    code: str
    line: int | None
    levels: str = ""


def rows(debugger: Debugger, first: int, count: int) -> list[BundleRow]:
    """Return up to `count` bundles from address `first` on, decoded from program memory.

    Instructions that the assembler adds to fill a bundle are omitted.
    """
    labels = {address: name for name, address in debugger.program.label_addresses.items()}
    found, isa = [], debugger.model.isa
    for address in range(max(first, 0), min(first + count, debugger.state.program_limit)):
        word = debugger.state.inst_mem[address]
        place = debugger.lines.place(address)
        if word is None:
            code = _NOT_LOADED
        elif not debugger.machine.execution_order:
            written = source_instructions(debugger.lines, address)
            code = "; ".join(text for _, text in written)
        else:
            code = _code(isa, word, address, labels)
        line, levels = (place.line, place.levels) if place else (None, "")
        found.append(BundleRow(address, labels.get(address), code, line, levels))
    return found


def instruction_text(code: DecodedInstruction, address: int, labels: Mapping[int, str]) -> str:
    """Return an instruction of the bundle at an address, with `labels`, by address, as targets."""
    if code.spec is None:
        return str(code)
    operands = [
        _operand(operand, code.values[operand.name], address, labels)
        for operand in code.spec.operands
    ]
    return " ".join([code.spec.mnemonic, *operands])


def dis(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """List the bundles around the current one, or from an address on. Raises ExpressionError."""
    halted = debugger.state.is_halted
    pc = debugger.machine.snapshot.pc if halted else debugger.state.program_counter
    if not argument.strip():
        return CommandResult(_listing(_within(debugger, max(0, pc - _BEFORE), _COUNT), pc))
    _, end = parse_first(argument)
    first = whole_number(context, argument[:end], "`dis` takes an address, a whole number")
    limit = debugger.state.program_limit
    if not 0 <= first < limit:
        message = f"an address is 0 to {limit - 1}, found {number_text(first)}"
        raise ExpressionError(message, stripped_span(argument[:end]))
    return CommandResult(_listing(_within(debugger, first, _count(context, argument, end)), pc))


def _count(context: LiveContext, argument: str, end: int) -> int:
    """The count after the address and an optional comma."""
    rest = argument[end:].removeprefix(",")
    if not rest.strip():
        return _COUNT
    start = len(argument) - len(rest)
    try:
        count = whole_number(context, rest, "`dis` takes a number of bundles")
    except ExpressionError as error:
        raise ExpressionError(error.message, error.span.shifted(start)) from None
    if count < 1:
        message = f"`dis` takes a number of bundles from 1 on, found {number_text(count)}"
        raise ExpressionError(message, stripped_span(rest).shifted(start))
    return count


def _within(debugger: Debugger, first: int, count: int) -> list[BundleRow]:
    """The bundles up to the end of the program, at least one."""
    return rows(debugger, first, max(1, min(count, debugger.program.size - first)))


def _listing(found: list[BundleRow], pc: int) -> str:
    lines = [_line(row) for row in found]
    labels = [f"{row.label}: " if row.label is not None else "" for row in found]
    line_width, label_width = max(map(len, lines)), max(map(len, labels))
    return "\n".join(
        f"{'=>' if row.address == pc else '  '} {row.address:>4}  {line:<{line_width}}  "
        f"{label:<{label_width}}{row.code}"
        for row, line, label in zip(found, lines, labels)
    )


def _line(row: BundleRow) -> str:
    parts = [f"line {row.line}" if row.line is not None else "", row.levels]
    return ", ".join(filter(None, parts))


def _code(isa: Isa, word: int, address: int, labels: Mapping[int, str]) -> str:
    instructions = [code for code in decode_word(isa, word) if not code.is_idle]
    written = [code for code in instructions if not is_default_jump(code, address)]
    return (
        "; ".join(instruction_text(code, address, labels) for code in written or instructions)
        + ";;"
    )


def _operand(operand: Operand, value: int | None, address: int, labels: Mapping[int, str]) -> str:
    if value is None:
        return "<invalid>"
    if isinstance(operand.type, LabelType):
        return labels.get(value, f"{value - address:+d}")
    return operand.type.format(value)


TEMPLATE = "template"
EXPANSION = "expansion"


def source(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Report which source is shown, or show the other one. Raises ExpressionError."""
    del context
    name = argument.strip()
    if debugger.expansion is None:
        if not name:
            return CommandResult("positions refer to the source of the program")
        raise ExpressionError(
            "the program is not expanded: it has no other source", stripped_span(argument)
        )
    resolvers = {TEMPLATE: debugger.written, EXPANSION: debugger.expansion}
    if name and name not in resolvers:
        message = f"`source` takes {TEMPLATE} or {EXPANSION}, found {quoted(name)}"
        raise ExpressionError(message, stripped_span(argument))
    if name:
        debugger.show(resolvers[name])
    shown = TEMPLATE if debugger.resolver is debugger.written else EXPANSION
    return CommandResult(f"positions refer to the {shown}")


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
