"""The commands of the console, and how they are recognized."""

from __future__ import annotations

import re
from typing import Callable, Final

from ipu_asm.debugger.console.command_io import CommandResult
from ipu_asm.debugger.console.diff_command import diff
from ipu_asm.debugger.console.history_commands import goto, inrange, trip, when, who
from ipu_asm.debugger.console.listing import dis
from ipu_asm.debugger.console.memory_command import MAP, memory
from ipu_asm.debugger.console.shown_source import EXPANSION, TEMPLATE, source
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import (
    Candidate,
    Context,
    ExpressionError,
    LiveContext,
    complete,
    quoted,
)
from ipu_asm.debugger.expressions.completion import KnownWord, fitting, word_at
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

Run = Callable[[Debugger, LiveContext, str], CommandResult]


class Command(NamedTuple):
    """A command. `run` takes the text after the command word, and raises ExpressionError."""

    usage: str
    summary: str
    details: str
    run: Run

    @property
    def name(self) -> str:
        """The command word."""
        return self.usage.split()[0]

    @property
    def needs_argument(self) -> bool:
        """Whether the command requires an argument."""
        return " " in self.usage and not self.usage.split()[1].startswith("[")


class Invocation(NamedTuple):
    """A recognized command, and the offset at which its argument starts."""

    command: Command
    start: int


def invocation(context: Context, text: str) -> Invocation | None:
    """Return the command that a text calls; None for an expression or an assignment."""
    match = _FIRST_WORD.match(text)
    if match is None or match[1] not in COMMANDS:
        return None
    is_name = match[1] in context.names or match[1] in context.labels
    if is_name and _CONTINUES_EXPRESSION.match(text, match.end()):
        return None
    return Invocation(COMMANDS[match[1]], match.end())


def complete_command(context: Context, text: str, offset: int) -> list[Candidate]:
    """Return the words that fit at an offset, those that begin with the typed letters first."""
    word = word_at(text, offset)
    if word is None:
        return []
    before = text[: word.start]
    called = invocation(context, before + _PLACEHOLDER)
    if called is None or called.start > len(before):
        words = complete(context, text, offset)
        commands = fitting(_COMMAND_WORDS, word) if not before.strip() else []
        typed = word.typed.lower()
        return sorted([*commands, *words], key=lambda c: not c.text.lower().startswith(typed))
    arguments = _ARGUMENTS.get(called.command.name)
    if arguments is not None:
        return fitting(arguments, word)
    start = called.start
    return [
        candidate._replace(start=candidate.start + start)
        for candidate in complete(context, text[start:], max(offset - start, 0))
    ]


def help_(debugger: Debugger, context: LiveContext, argument: str) -> CommandResult:
    """Return an overview of the console, or the details of one command. Raises ExpressionError."""
    name = argument.strip()
    if not name:
        return CommandResult(_overview())
    if name not in COMMANDS:
        message = f"`help` takes one of {', '.join(COMMANDS)}, found {quoted(name)}"
        if near := nearest_of(name, COMMANDS):
            message += f"; did you mean `{near}`?"
        start = argument.index(name)
        raise ExpressionError(message, Span(start, start + len(name)))
    command = COMMANDS[name]
    return CommandResult(f"{command.usage}: {command.summary}\n{command.details}")


COMMANDS: Final = {
    "who": Command(
        "who PLACE",
        "who wrote this last",
        "PLACE is a register, an element, a slice or a part of xmem:\n"
        "`who lr5`, `who acc[7]`, `who mask[2][5]`, `who xmem[cr0 .. +16]`.",
        who,
    ),
    "when": Command(
        "when EXPRESSION",
        "since when it holds, or when it did so last",
        "The last cycle up to now at which EXPRESSION began to hold: `when lr1 > 5`,\n"
        "`when nan_count(acc) > 0`. Where it had no value, it did not hold.",
        when,
    ),
    "goto": Command(
        "goto CYCLE",
        "stand at another cycle, in the past or the future",
        "`goto 100` is the moment after 100 bundles, `goto -1` the one before now, `goto +100`\n"
        "a later one. Breakpoints on the way do not count.",
        goto,
    ),
    "inrange": Command(
        "inrange",
        "at a fault: back to where its address was last in range",
        "The last cycle at which the registers of the access that failed kept it within xmem.\n"
        "It is where the loop should have ended, or where a register got a wrong value.",
        inrange,
    ),
    "trip": Command(
        "trip NUMBER [LABEL]",
        "stand at a trip of the loop around, past or future",
        "`trip 42` is the innermost loop's, `trip 3 outer` that of the loop at a label, `trip +1`\n"
        "the next one. Trips must not depend on data. Breakpoints on the way do not count.",
        trip,
    ),
    "dis": Command(
        "dis [ADDRESS [COUNT]]",
        "bundles around the present one, or from an address on",
        "`dis`, `dis loop`, `dis pc - 2, 5`. An arrow stands in front of the next bundle.",
        dis,
    ),
    "diff": Command(
        "diff VECTOR FILE [from N]",
        "compare elements with those of a file, bit by bit",
        "`diff acc expected.npy`, `diff xmem[0x4000 .. +64 : i32] out.npz[sums]`. A file with\n"
        "more elements says where it begins: `out.npy@0x4000` in xmem, `out.npy@128` for a\n"
        "register, which are its elements from 128 on. Sixteen differences are shown; `from 40`\n"
        "shows those of the elements from 40 on.",
        diff,
    ),
    "memory": Command(
        "memory [map]",
        "the parts of xmem that the run uses, and how often",
        "Each part with its name from the head comment, a `REGION` assertion or the data of the\n"
        "host, the accesses so far as numbers and as a bar, and the last read and write.",
        memory,
    ),
    "source": Command(
        "source [template|expansion]",
        "the source that positions refer to; or choose another",
        "Of a template, `source expansion` shows what the assembler reads; `source template`\n"
        "what was written, as at first.",
        source,
    ),
    "help": Command(
        "help [COMMAND]",
        "what one can type here",
        "`help who` tells more. Of a label that is called like a command, the label alone or with\n"
        "an operator behind it is meant.",
        help_,
    ),
}
_COMMAND_WORDS: Final = [
    KnownWord(name, "command", command.summary) for name, command in COMMANDS.items()
]
_SOURCE_WORDS: Final = [
    KnownWord(TEMPLATE, "command", "what was written"),
    KnownWord(EXPANSION, "command", "what the assembler reads"),
]
_ARGUMENTS: Final = {
    "help": _COMMAND_WORDS,
    "source": _SOURCE_WORDS,
    "memory": [KnownWord(MAP, "command", "regions with names and accesses")],
}
_PLACEHOLDER: Final = "x"
_FIRST_WORD: Final = re.compile(r"\s*([a-z]+)(?![A-Za-z0-9_])")
_CONTINUES_EXPRESSION: Final = re.compile(
    r"\s*(?:\Z|(?:and|or)(?![A-Za-z0-9_])|!=|[-+*/%&|^<>=?,\[])"
)
"""What may follow a name in an expression: the end, an operator, an index or a format."""
_EXPRESSIONS: Final = """\
lr5  r0[3]  acc[0..7]  mask[2][5]  xmem[cr0 + lr1 .. +16 : f32]  sum(acc) > 100
lr5 = 3          puts a value into a register, an element, a slice or xmem
acc[0..7],x      formats: x u b o d, and types: i8 u8 i16 u16 i32 u32 f32 e4m3 e5m2 fp8"""


def _overview() -> str:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{width}}  {command.summary}" for command in COMMANDS.values()]
    return "\n".join([*lines, "", "Anything else is an expression:", _EXPRESSIONS])
