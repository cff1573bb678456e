"""Conditions and log messages of breakpoints: validation, and tests of a machine's state."""

from __future__ import annotations

import re
from functools import partial
from typing import Callable, Final

from ipu_asm.debugger.breakpoints import Condition, HitCondition, LogText, parse_hit_condition
from ipu_asm.debugger.expressions.compilation import compile_condition
from ipu_asm.debugger.expressions.context import Context
from ipu_asm.debugger.expressions.evaluator import (
    Evaluator,
    check_format,
    evaluate_condition,
    evaluate_parsed,
)
from ipu_asm.debugger.expressions.machine_view import MachineNames, MachineView
from ipu_asm.debugger.expressions.program_names import NamesAtBundle, registers_read
from ipu_asm.emulator.core.checks import ALWAYS, Check
from ipu_asm.emulator.state import AnyState
from ipu_asm.expressions.parser import MAX_LENGTH, parse
from ipu_asm.expressions.tree import ExpressionError, Parsed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

CurrentContext = Callable[[], Context]
"""Returns the context of a machine, with its present cycle."""
OnError = Callable[[ExpressionError], bool]
"""Called if an evaluation fails; returns whether the condition holds then."""


class ExpressionCondition:
    """A condition on the state of a machine, in the language of expressions.

    It is a `Condition`; its `check` and `reads` let a core skip needless evaluations.
    """

    def __init__(self, context: CurrentContext, text: str, on_error: OnError) -> None:
        self.text = text
        self._context = context
        self._on_error = on_error
        self._compiled: tuple[MachineView, Check] | None = None

    def __call__(self, state: AnyState) -> bool:
        try:
            return evaluate_condition(self._context(), self.text)
        except ExpressionError as error:
            return self._on_error(error)

    @property
    def check(self) -> Check:
        """The check that the condition may hold, in the present mode of the machine."""
        context = self._context()
        if self._compiled is None or self._compiled[0] is not context.view:
            self._compiled = context.view, self._compile(context)
        return self._compiled[1]

    @property
    def reads(self) -> frozenset[str] | None:
        """The registers, `xmem` among them, on which it depends; None if on the cycle as well."""
        try:
            return registers_read(self._context(), parse(self.text).node)
        except ExpressionError:
            return frozenset()  # it fails in every state

    def _compile(self, context: Context) -> Check:
        try:
            return compile_condition(context, parse(self.text).node) or ALWAYS
        except ExpressionError:
            return ALWAYS


_WORD: Final = (1 << 32) - 1
_PATTERN: Final = bytes(1 + place * 7 % 101 for place in range(1 << 10))
_MAX_SHOWN_LENGTH: Final = 80


class BreakpointError(Exception):
    """The reason why a breakpoint cannot be set."""


class ConditionReader:
    """Reads the texts of breakpoints; `context` returns the current state of the machine.

    `report` gets one message for each condition whose evaluation fails: then it holds. What fails
    in the current state only, as a division by a register that is 0 now, is accepted: it is
    evaluated in a second state with other values.
    """

    def __init__(self, context: CurrentContext, report: Callable[[str], None]) -> None:
        self._context = context
        self._report = report

    def condition(self, text: str | None) -> Condition | None:
        """Compile a condition that was checked before; None without a text."""
        if not text:
            return None
        reported = list[str]()

        def fail(error: ExpressionError) -> bool:
            if not reported:
                reported.append(error.message)
                self._report(f"the condition `{text}` cannot be evaluated: {error.message}")
            return True

        return ExpressionCondition(self._context, text, on_error=fail)

    def checked(self, text: str | None) -> Condition | None:
        """Compile a condition. Raises `BreakpointError` for one that fails in every state."""
        if text:
            _check(self._context(), text, lambda where: evaluate_condition(where, text))
        return self.condition(text)

    def hits(self, text: str | None) -> HitCondition | None:
        """Parse a condition on the number of hits. Raises `BreakpointError`."""
        try:
            return parse_hit_condition(text) if text else None
        except ValueError as error:
            raise BreakpointError(str(error)) from error

    def log(self, message: str | None) -> LogText | None:
        """Parse the message of a log point. Raises `BreakpointError` as for conditions."""
        if not message:
            return None
        template = _read_log_message(self._context(), message)
        return lambda state: template.text(self._context())


def _read_log_message(context: Context, message: str) -> Template:
    try:
        template = parse_template(message, context.view.names)
    except ExpressionError as error:
        raise BreakpointError(f"the log message: {error.message}") from error
    for part in template.parts:
        if not isinstance(part, str):
            _check(context, message, partial(_value, part))
    return template


def _value(parsed: Parsed, where: Context) -> object:
    return evaluate_parsed(Evaluator(where), parsed)


def _check(context: Context, text: str, evaluate: Callable[[Context], object]) -> None:
    mistakes = []
    for where in (context, _AlternativeContext(context)):
        try:
            evaluate(where)
        except ExpressionError as error:
            mistakes.append((error.message, error.span))
        else:
            return
    if mistakes[0] == mistakes[1]:
        shown = text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…"
        raise BreakpointError(f"`{shown}`: {mistakes[0][0]}")


class _AlternativeContext:
    """A context with the element type and program of another, but different values.

    Loop variables of a template have one as well: a condition may be about another bundle.
    """

    def __init__(self, context: Context) -> None:
        words, model = context.scalars, context.view.model
        self.view, self.settings = context.view, context.settings
        self.scalars = [word + place + 1 & _WORD for place, word in enumerate(words)]
        if model.type_register is not None:
            place = model.layout.scalar_names.index(model.type_register)
            self.scalars[place] = words[place]
        self.block = bytes(byte + 1 & 0x3F for byte in context.block)
        self.pc = context.pc + 1
        self.cycle = context.cycle + 1
        self.labels = context.labels
        self.block_numbers = context.block_numbers
        names = context.names
        self.names = names.anywhere if isinstance(names, NamesAtBundle) else names

    def read_memory(self, address: int, size: int) -> bytes:
        """Return `size` bytes, which are the same for every address."""
        del address
        return (_PATTERN * (1 + size // len(_PATTERN)))[:size]


def check_of(condition: object) -> Check:
    """Return the check that a condition of any kind may hold; None is one that always holds."""
    return condition.check if isinstance(condition, ExpressionCondition) else ALWAYS


MAX_TEXT: Final = 4096
"""Limit on the characters of a formatted message; longer ones are cut."""
_BRACE: Final = re.compile(r"\{\{|\}\}|\{|\}")


class Template(NamedTuple):
    """A parsed log message: literal texts and the expressions between them."""

    parts: tuple[str | Parsed, ...]

    def text(self, context: Context) -> str:
        """Format the message in a context; an expression with an error gives `{error}`."""
        evaluator = Evaluator(context)
        text = ""
        for part in self.parts:
            text += part if isinstance(part, str) else _text_of_part(evaluator, part)
            if len(text) > MAX_TEXT:
                return f"{text[: MAX_TEXT - 1]}…"
        return text


def parse_template(text: str, names: MachineNames) -> Template:
    """Parse the message of a log point: text with expressions in braces.

    `names` are those that the machine defines. Raises ExpressionError with a span in `text`.
    """
    if len(text) > MAX_LENGTH:
        message = f"a message has at most {MAX_LENGTH:,} characters, found {len(text):,}"
        raise ExpressionError(message, Span(MAX_LENGTH, len(text)))
    parts: list[str | Parsed] = []
    offset = 0
    while (brace := _BRACE.search(text, offset)) is not None:
        parts.append(text[offset : brace.start()])
        offset = brace.end()
        if brace.group() == "{":
            end = _closing(text, brace.start())
            parts.append(_expression(text, offset, end, names))
            offset = end + 1
        elif brace.group() == "}":
            message = "a brace that ends no expression is written `}}`, found `}`"
            raise ExpressionError(message, Span(*brace.span()))
        else:
            parts.append(brace.group()[0])
    return Template((*parts, text[offset:]))


def _closing(text: str, opening: int) -> int:
    end = text.find("}", opening)
    if end < 0:
        message = "an expression ends with `}`, found the end; a brace alone is written `{{`"
        raise ExpressionError(message, Span(opening, len(text)))
    return end


def _expression(text: str, start: int, end: int, names: MachineNames) -> Parsed:
    try:
        parsed = parse(text[start:end])
        for name in parsed.formats:
            check_format(name, names)
    except ExpressionError as error:
        raise ExpressionError(error.message, error.span.shifted(start)) from None
    return parsed


def _text_of_part(evaluator: Evaluator, parsed: Parsed) -> str:
    try:
        return evaluate_parsed(evaluator, parsed).text()
    except ExpressionError as error:
        return f"{{{error.message}}}"
