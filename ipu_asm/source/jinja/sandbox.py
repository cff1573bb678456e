"""A Jinja environment in which a template costs little, and whose output knows its origins."""

from __future__ import annotations

import re
from functools import wraps
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any, Callable, Iterable, Iterator, Mapping, NoReturn, Sequence

from jinja2 import TemplateRuntimeError, Undefined, UndefinedError, nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser
from jinja2.runtime import BlockReference, Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter
from jinja2.utils import Cycler, Joiner, Namespace, missing
from markupsafe import EscapeFormatter, Markup

from ipu_asm.source.jinja.generator import PositionGenerator
from ipu_asm.source.jinja.limits import (
    FILTER_LIMITS,
    MAX_CALL_DEPTH,
    MAX_SECONDS,
    MAX_SECONDS_OF_ALL,
    METHOD_LIMITS,
    CountedIterator,
    LimitError,
    Meter,
    processor_time,
    require_field,
    require_operands,
)
from ipu_asm.source.jinja.messages import in_words, shown_text, shown_value
from ipu_asm.source.jinja.pieces import Piece, PieceKind, joined, piece
from ipu_asm.source.jinja.tokens import Token, Tokens

_TAKE_UNDEFINED = {"d", "default"}
MAX_VALUES = 16
"""Of a variable that are remembered for people."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAPPINGS = (dict, Namespace)
_FUNCTIONS = (FunctionType, MethodType, BuiltinMethodType, BlockReference, type)


class Recorder:
    """What generated code calls while a template is rendered; see `PositionGenerator`.

    `undefined` has the message for each undefined value that was used, by the token of its name.
    With `is_branch_unknown`, an undefined value decided which part of the template is rendered.
    `values` are the values of each variable by the token of its name.
    """

    def __init__(self) -> None:
        self.literals: dict[int, Piece] = {}
        self.start()
        self.reset(())

    def start(self) -> None:
        """Begin with a new allowance of time for all contexts."""
        self._end = processor_time() + MAX_SECONDS_OF_ALL

    @property
    def is_late(self) -> bool:
        """Whether all time is spent."""
        return processor_time() > self._end

    def reset(self, tokens: Sequence[Token]) -> None:
        """Begin anew, before a template with these tokens is rendered."""
        self.meter = Meter(min(self._end, processor_time() + MAX_SECONDS))
        self.literals.clear()
        for number, token in enumerate(tokens):
            if token.kind == "data":
                self.literals[number] = piece(token.text, PieceKind.LITERAL, number)
        self.calls: list[int] = []
        self.undefined: dict[int, Unknown] = {}
        self.is_branch_unknown = False
        self.values: dict[int, list[str]] = {}
        self.loop_values: dict[int, list[str]] = {}

    def functions(self) -> dict[str, object]:
        """Return the names of generated code that are this recorder's."""
        return {
            "_literals": self.literals,
            "_output": self.output,
            "_iterate": self.iterate,
            "_after_loop": _after_loop,
            "_enter": self.enter,
            "_assigned": self.assigned,
            "_at": _at,
            "_value": _value,
            "_counted": self.counted,
            "_mapping": self.mapping,
            "_joined": self.joined,
            "_plain": str,
        }

    def output(self, tag: int, value: Any) -> str:
        if value.__class__ is Piece:
            parts: tuple[str, ...] = (value,)
        else:
            if not isinstance(value, (str, int, float, Unknown)):
                self.meter.count(value)
            value = str(value)
            parts = (value,) if value.__class__ is Piece else ()
        self.meter.output(len(value))
        if not value.isascii() and (half := _SURROGATE.search(value)):
            raise TemplateRuntimeError(
                f"a text has whole characters, found half of one: `{shown_text(half[0])}`"
            )
        return piece(value, PieceKind.OUTPUT, tag, parts)

    def iterate(self, tag: int, weight: int, value: Any) -> str:
        """Return the mark of an iteration."""
        self.meter.step(weight)
        shown = shown_value(value)
        values = self.loop_values.setdefault(tag, [])
        if len(values) < MAX_VALUES:
            values.append(shown)
        return piece("", PieceKind.ITERATION, tag, (), shown)

    def counted(self, value: Any) -> Any:
        """Count a new value, and return it."""
        return self.meter.count(value)

    def mapping(self, items: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        """Return a dictionary of keys and values; a long one may take long to make."""
        return dict(CountedIterator(items, self.meter))

    def enter(self, call: int) -> Callable[[Any], Any]:
        """Note that a call begins; the returned function notes its end."""
        self.calls.append(call)
        if len(self.calls) > MAX_CALL_DEPTH:
            raise LimitError(f"calls may be {MAX_CALL_DEPTH} levels deep at most, found more")
        return self._leave

    def _leave(self, value: Any) -> Any:
        self.calls.pop()
        return value

    def assigned(self, token: int, value: Any) -> None:
        """Note the value of a variable."""
        values = self.values.setdefault(token, [])
        if len(values) < MAX_VALUES and not isinstance(value, (Macro, Undefined)):
            values.append(shown_value(value))

    def joined(self, parts: Iterable[Any]) -> str:
        result = joined([str(self.meter.count(part)) for part in parts])
        self.meter.create(len(result))
        return result


def _after_loop(tag: int) -> str:
    return piece("", PieceKind.LOOP_END, tag)


def _at(token: int, value: Any) -> Any:
    if isinstance(value, Unknown) and value.token < 0:
        value.token = token
    return value


def _value(token: int, value: Any) -> Any:
    """Return the value of a name, an attribute or an element that is not called."""
    if isinstance(value, _FUNCTIONS):
        name = getattr(value, "__name__", "") or getattr(value, "name", "")
        name = name.lstrip("_").lower()
        raise TemplateRuntimeError(f"`{name}` is a function, no value; call it by `{name}(...)`")
    return _at(token, value)


class Unknown(Undefined):
    """An undefined value that has been looked up; every use of it is recorded and gives unknown.

    `token` is the number of the name's token, -1 while unknown.
    """

    __slots__ = ("token",)
    recorder: Recorder

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.token = -1

    @property
    def message(self) -> str:
        """Jinja's sentence about the value."""
        try:
            return self._undefined_message
        except (TemplateRuntimeError, ValueError):  # an index without a text
            return f"`{type(self._undefined_obj).__name__}` has no such element"

    @property
    def name(self) -> str | None:
        """The name of a variable; None for an attribute or an element."""
        is_variable = self._undefined_hint is None and self._undefined_obj is missing
        return self._undefined_name if is_variable else None

    def used(self) -> None:
        """Record a use; raise what the sandbox refuses."""
        if self._undefined_exception is not UndefinedError:
            raise self._undefined_exception(self._undefined_message)
        token = self.token if self.token >= 0 else (self.recorder.calls or [0])[-1]
        self.recorder.undefined.setdefault(token, self)

    def _decided(self) -> None:
        self.recorder.is_branch_unknown = True
        self.used()

    def _absorb(self, *unused: Any, **named: Any) -> Any:
        self.used()
        return self

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return self._absorb()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _absorb
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _absorb
    __pos__ = __neg__ = __pow__ = __rpow__ = __call__ = __getitem__ = _absorb

    def __str__(self) -> str:
        self.used()
        return piece("0", PieceKind.UNKNOWN)

    def __iter__(self) -> Iterator[Any]:
        self._decided()
        yield self

    def __bool__(self) -> bool:
        if self._undefined_name != "caller":  # a macro asks by that whether it has one
            self._decided()
        return False

    def __len__(self) -> int:
        self._decided()
        return 1

    def _compare(self, other: object) -> bool:
        self._decided()
        return False

    __eq__ = __ne__ = __contains__ = _compare
    __lt__ = __le__ = __gt__ = __ge__ = _compare  # type: ignore[assignment]

    def __hash__(self) -> int:
        self.used()
        return id(self)

    def _number(self) -> int:
        self.used()
        return 0

    __int__ = __float__ = __complex__ = __index__ = _number  # type: ignore[assignment]


class _Cycler(Cycler):
    def __repr__(self) -> str:
        raise TemplateRuntimeError("a `cycler` has no text; take its next value by `.next()`")


class _Joiner(Joiner):
    def __repr__(self) -> str:
        raise TemplateRuntimeError("a `joiner` has no text; call it")


class _Formatter(SandboxedFormatter):
    """Formats a text within the limits: a specification is looked at when its fields are known."""

    def __init__(self, sandbox: Sandbox, **named: Any) -> None:
        super().__init__(sandbox, **named)
        self._meter = sandbox.recorder.meter

    def format_field(self, value: Any, format_spec: str) -> Any:
        require_field(value, format_spec)
        return self._meter.count(super().format_field(value, format_spec))


class _EscapeFormatter(_Formatter, EscapeFormatter):
    """Formats a text of HTML."""


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of a template: Jinja's default one with limits."""

    code_generator_class = PositionGenerator
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "**", "%"})

    def __init__(self, recorder: Recorder) -> None:
        undefined = type("Unknown", (Unknown,), {"recorder": recorder, "__slots__": ()})
        # Constants are computed at run time, where they are limited and placed.
        super().__init__(undefined=undefined, optimized=False)
        self.recorder = recorder
        self.concat = recorder.joined  # type: ignore[method-assign]
        self.tag_of: list[int] = []
        self._tokens = Tokens("")
        self.globals.update(range=_range, cycler=_Cycler, joiner=_Joiner)
        del self.globals["lipsum"]  # it is random
        self.policies["json.dumps_function"] = lambda value, **options: recorder.meter.json(
            value, **options
        )
        for name, function in self.filters.items():
            self.filters[name] = self._limited(name, function)
        self.filters["random"] = _no_random
        tests: dict[str, Callable[..., Any]] = self.tests  # type: ignore[assignment]
        for name, test in tests.items():
            tests[name] = self._counted(name, test)

    def parse_tokens(self, tokens: Tokens) -> nodes.Template:
        """Return the syntax tree of a text; the line numbers in it are numbers of tokens."""
        self._tokens = tokens
        return Parser(self, "").parse()

    def _tokenize(self, *unused: Any) -> TokenStream:
        tokens = self._tokens.tokens
        numbered = ((number, t.kind, t.text) for number, t in enumerate(tokens) if number)
        return TokenStream(self.lexer.wrap(numbered), None, None)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute an operator within the limits."""
        require_operands(operator, left, right)
        return self.recorder.meter.count(self.binop_table[operator](left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute; filters look up many."""
        self.recorder.meter.step()
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an element; filters look up many."""
        self.recorder.meter.step()
        return super().getitem(obj, argument)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a function in place of the methods `format` and `format_map` of a text."""
        text, name = getattr(value, "__self__", None), getattr(value, "__name__", "")
        if not isinstance(text, str) or name not in ("format", "format_map"):
            return None
        formatter: _Formatter = _Formatter(self)
        if isinstance(text, Markup):
            formatter = _EscapeFormatter(self, escape=text.escape)

        def formatted(*arguments: Any, **named: Any) -> str:
            if name == "format":
                return type(text)(formatter.vformat(text, arguments, named))
            return type(text)(formatter.vformat(text, (), *arguments, **named))

        return wraps(value)(formatted)

    def call(self, context: Context, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a macro or a function within the limits."""
        recorder = self.recorder
        recorder.meter.step()
        if isinstance(function, Macro):
            call = recorder.calls[-1]
            result = super().call(context, function, *args, **kwargs)
            if result.__class__ is Piece:
                token = getattr(function, "token", None)
                return piece(result, PieceKind.MACRO, call, (result,), token)
            return result
        for each in (*args, *kwargs.values()):
            if isinstance(each, Unknown):
                return each._absorb()
        recorder.meter.look_at_time()
        _require_method(function, args, kwargs)
        makes_mapping = function in _MAPPINGS or getattr(function, "__name__", "") == "fromkeys"
        if makes_mapping and args and not isinstance(args[0], Mapping):
            # With the same hash for each key, this takes the square of their number.
            args = (CountedIterator(args[0], recorder.meter), *args[1:])
        return self._counted_result(super().call(context, function, *args, **kwargs))

    def _limited(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter within the limits."""
        skipped = int(hasattr(function, "jinja_pass_arg"))
        require = FILTER_LIMITS.get(name)

        @wraps(function)
        def filtered(*arguments: Any, **named: Any) -> Any:
            meter = self.recorder.meter
            meter.step()
            meter.look_at_time()
            values = [*arguments[skipped:], *named.values()]
            for each in values:
                if isinstance(each, Unknown) and name not in _TAKE_UNDEFINED:
                    return each._absorb()
                meter.count(each)
            if require is not None:
                if isinstance(arguments[skipped], CountedIterator):
                    arguments = (
                        *arguments[:skipped],
                        [*arguments[skipped]],
                        *arguments[skipped + 1 :],
                    )
                require(*arguments[skipped:], **named)
            try:
                return self._counted_result(function(*arguments, **named))
            except TypeError as error:
                what = f"filter `{name}`"
                raise in_words(error, what, function, arguments, named, skipped) from None

        return filtered

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a test that is counted."""
        skipped = int(hasattr(function, "jinja_pass_arg"))

        @wraps(function)
        def tested(*arguments: Any, **named: Any) -> Any:
            self.recorder.meter.step()
            try:
                return function(*arguments, **named)
            except TypeError as error:
                what = f"test `{name}`"
                raise in_words(error, what, function, arguments, named, skipped) from None

        return tested

    def _counted_result(self, value: Any) -> Any:
        """Return the result of a filter or a function, counted now or with each element."""
        if isinstance(value, _FUNCTIONS):
            return _value(0, value)
        if isinstance(value, Iterator):
            return CountedIterator(value, self.recorder.meter)
        return self.recorder.meter.count(value)


def _require_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    function = getattr(function, "__wrapped__", function)
    owner = getattr(function, "__self__", None)
    require = METHOD_LIMITS.get(getattr(function, "__name__", ""))
    if require is not None and isinstance(owner, (str, bytes, int)):
        require(owner, *args, **kwargs)


def _range(*arguments: int) -> range:
    numbers = range(*arguments)
    if numbers and (numbers[-1] - numbers[0]) // numbers.step >= 100_000:
        raise LimitError("`range` may give 100,000 numbers at most, found more")
    return numbers


def _no_random(*unused: Any, **named: Any) -> NoReturn:
    raise TemplateRuntimeError("a template gives the same program each time, found a random value")
