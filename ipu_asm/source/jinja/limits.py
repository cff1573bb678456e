"""The limits of an expansion: time, memory and steps."""

from __future__ import annotations

import re
import time
from typing import Any, Callable, Iterable, Mapping

from jinja2.utils import Namespace

MOST_CHARACTERS = 1_000_000
"""Of a template, of its output, and of any text that it computes."""
MOST_TOKENS = 100_000
MOST_TAGS = 25_000
MOST_STEPS = 200_000
MOST_CREATED = 20_000_000
MOST_CALLS = 60
MOST_BITS = 100_000
MOST_SECONDS = 0.5
_MOST_ELEMENTS = 200_000
_MOST_PADDING = 100_000

# A width or a precision in the patterns of `%` and of `format`.
_LONG_NUMBER = re.compile(r"%(\([^)]*\))?[-#0 +.\d*]*\d{6}|\{[^}]*:[^}]*\d{6}")


class LimitError(Exception):
    """An expansion needs more than it may; the message names the limit."""


class Meter:
    """Counts what an expansion costs. Each method raises `LimitError` above a limit."""

    def __init__(self) -> None:
        self.steps = 0
        self.created = 0
        self._next_look = 0
        self._end = time.thread_time() + MOST_SECONDS

    def step(self, weight: int = 1) -> None:
        """Count a call, an output or an iteration."""
        self.steps += weight
        if self.steps > self._next_look:
            self._next_look = self.steps + 100
            self.look_at_time()
            if self.steps > MOST_STEPS:
                raise LimitError(f"a template may take {MOST_STEPS:,} steps at most, found more")

    def output(self, characters: int) -> None:
        """Count an output: a step and a text, in one call, for loops render in 0.9 of the time."""
        self.created += characters
        self.steps += 1
        if self.steps > self._next_look or characters > MOST_CHARACTERS:
            self.step(0)
            self.create(0)
            require_length(characters)

    def look_at_time(self) -> None:
        """Compare the processor time with its limit."""
        if time.thread_time() > self._end:
            raise LimitError(f"a template may take {MOST_SECONDS} s at most, found longer")

    def create(self, characters: int) -> None:
        """Count the characters of a new text."""
        require_length(characters)
        self.created += characters
        if self.created > MOST_CREATED:
            raise LimitError(
                f"a template may make texts of {MOST_CREATED:,} characters at most, found more"
            )

    def count(self, value: Any) -> Any:
        """Count a new value with everything in it, and return it."""
        self.step()
        if isinstance(value, str):
            self.create(len(value))
        elif isinstance(value, (list, tuple, dict, set, frozenset, Namespace)):
            self.step(_size(value) // 50)
        return value


def _size(value: Any) -> int:
    """Return the number of elements of a value when it is written out."""
    size, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        size += 1
        if isinstance(each, Namespace):
            each = each._Namespace__attrs
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, (list, tuple, set, frozenset)):
            waiting += each
        elif isinstance(each, str):
            size += len(each) // 8
        if size + len(waiting) > _MOST_ELEMENTS:
            raise LimitError(f"a value may have {_MOST_ELEMENTS:,} elements at most, found more")
    return size


def require_length(characters: int) -> None:
    """Raise `LimitError` for a text that is too long."""
    if characters > MOST_CHARACTERS:
        raise LimitError(f"a text may have {MOST_CHARACTERS:,} characters at most, found more")


def require_operands(operator: str, left: Any, right: Any) -> None:
    """Raise `LimitError` if the result of an operator is too large."""
    if operator == "**" and isinstance(left, int) and isinstance(right, int):
        _require_bits(left.bit_length() * max(right, 0))
    elif operator == "*":
        if isinstance(left, int) and isinstance(right, int):
            _require_bits(left.bit_length() + right.bit_length())
        for text, times in ((left, right), (right, left)):
            if isinstance(times, int) and isinstance(text, (str, bytes, list, tuple)):
                require_length(len(text) * max(times, 0))
    elif operator == "%" and isinstance(left, (str, bytes)):
        require_format(left, right if isinstance(right, tuple) else (right,), {})


def _require_bits(bits: int) -> None:
    if bits > MOST_BITS:
        raise LimitError(f"a number may have {MOST_BITS:,} bits at most, found more")


def require_format(text: str | bytes, values: Iterable[Any], named: Mapping[str, Any]) -> None:
    """Raise `LimitError` if formatting may pad a value to a long text."""
    pattern = text.decode("latin-1") if isinstance(text, bytes) else text
    has_star = "*" in pattern or re.search(r"\{[^}]*\{", pattern)
    flat = [*values, *named.values()]
    for value in [*flat, *(each for v in flat if isinstance(v, Mapping) for each in v.values())]:
        if has_star:
            _require_padding(value)
    if _LONG_NUMBER.search(pattern):
        raise LimitError(f"a value is padded to {_MOST_PADDING:,} characters at most, found more")


def _require_padding(value: Any) -> None:
    if isinstance(value, (int, float)) and abs(value) > _MOST_PADDING:
        raise LimitError(f"a value is padded to {_MOST_PADDING:,} characters at most, found more")


def _padding(_owner: Any, *arguments: Any, **named: Any) -> None:
    for argument in (*arguments, *named.values()):
        _require_padding(argument)


def _indent(text: Any, width: Any = 4, *more: Any, **named: Any) -> None:
    _require_padding(width)
    length = width if isinstance(width, int) else len(str(width))
    require_length(str(text).count("\n") * max(length, 0) + len(str(text)))


def _join(values: Any, d: Any = "", *more: Any, **named: Any) -> None:
    values = list(values) if isinstance(values, (list, tuple, set, dict, str, range)) else []
    require_length(sum(len(v) if isinstance(v, str) else 8 for v in values))
    require_length(len(values) * len(str(d)))


def _join_method(separator: Any, values: Any = ()) -> None:
    _join(values, separator)


def _replace(text: Any, old: Any = "", new: Any = "", *more: Any, **named: Any) -> None:
    times = str(text).count(str(old)) if old else len(str(text)) + 1
    require_length(times * len(str(new)))


def _format(text: Any, *values: Any, **named: Any) -> None:
    require_format(text if isinstance(text, bytes) else str(text), values, named)


def _tabs(text: Any, tabsize: Any = 8) -> None:
    require_length(text.count(b"\t" if isinstance(text, bytes) else "\t") * int(tabsize))


def _translate(text: Any, table: Any = None, *more: Any) -> None:
    longest = max((len(str(v)) for v in table.values()), default=0) if table else 0
    require_length(len(text) * longest)


def _wrapped(text: Any, *arguments: Any, **named: Any) -> None:
    breaks = [str(v) for v in (*arguments, *named.values()) if isinstance(v, str)]
    require_length(len(str(text)) * max(map(len, breaks), default=1))
    _short(text)


def _sum(values: Any, attribute: Any = None, start: Any = 0) -> None:
    if not isinstance(start, (int, float)) and hasattr(values, "__len__"):
        require_length(len(values) ** 2)


def _short(text: Any, *more: Any, **named: Any) -> None:
    if isinstance(text, str) and len(text) > _MOST_PADDING:
        raise LimitError(f"a filter takes {_MOST_PADDING:,} characters at most, found more")


FILTER_LIMITS: dict[str, Callable[..., None]] = {
    "batch": _padding,
    "center": _padding,
    "filesizeformat": _short,
    "format": _format,
    "indent": _indent,
    "join": _join,
    "pprint": _short,
    "replace": _replace,
    "round": lambda value, precision=0, *more, **named: _require_padding(precision),
    "slice": _padding,
    "striptags": _short,
    "sum": _sum,
    "title": _short,
    "tojson": _padding,
    "truncate": _padding,
    "urlize": _short,
    "wordcount": _short,
    "wordwrap": _wrapped,
}
"""What is checked before a filter is applied, by its name."""

METHOD_LIMITS: dict[str, Callable[..., None]] = {
    "center": _padding,
    "expandtabs": _tabs,
    "format": _format,
    "format_map": _format,
    "join": _join_method,
    "ljust": _padding,
    "replace": _replace,
    "rjust": _padding,
    "to_bytes": _padding,
    "translate": _translate,
    "zfill": _padding,
}
"""What is checked before a method of a text or a number is called, by its name."""
