"""The commands `dis` and `source`: bundles in program memory, and what positions refer to."""

from __future__ import annotations

from typing import Final, Mapping

from ipu_asm.assembler.word_code import DecodedInstruction
from ipu_asm.debugger.console.command import CommandResult, stripped_span, whole_number
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, LiveContext, quoted
from ipu_asm.debugger.regions import source_instructions
from ipu_asm.emulator.binding import is_default_jump
from ipu_asm.emulator.model import decode_word
from ipu_asm.expressions.parser import parse_first
from ipu_asm.expressions.tree import number_text
from ipu_asm.isa.model import Isa, Operand
from ipu_asm.isa.operands import LabelType
from ipu_asm.named_tuple import NamedTuple

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
