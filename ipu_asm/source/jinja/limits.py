"""Limits of a template expansion: steps, time, and the size of all values that it computes.

A size is in characters, when a value is written out. What makes a value that is larger than those
that it is made of says before how large it may become; every other value is counted after it is
made. So no step makes more than a few megabytes, and all together are limited.
"""

from __future__ import annotations

import codecs
import json
import re
import time
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

from jinja2 import TemplateRuntimeError
from jinja2.utils import Namespace

MAX_CHARACTERS = 1_000_000
"""Of a template, of its output, and of any value that it computes."""
MAX_TOKENS = 60_000
MAX_TAGS = 25_000
MAX_STEPS = 200_000
MAX_CREATED = 10_000_000
MAX_CALL_DEPTH = 60
MAX_BITS = 100_000
MAX_SECONDS = 0.5
"""Of processor time, to render a template in one context."""
MAX_SECONDS_OF_ALL = 1.0
"""Of processor time, to render it in all its contexts."""
processor_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""Seconds of processor time of this thread; of the clock where, as in a browser, none is known."""
_ELEMENT = 8
_MAX_PADDING = 100_000
_MAX_PAIRS = 100_000_000
_MAX_OF_ONE_HASH = 16
_CODECS = ("ascii", "latin-1", "utf-8", "utf-16", "utf-32")

_DIGITS = re.compile(r"\d+")
_SPECIFICATION = re.compile(r"[-+ #0]*(\*|\d*)(?:\.(\*|\d*))?[hlL]?")


class LimitError(Exception):
    """An expansion needs more than it may; the message names the limit."""


class Meter:
    """Counts what an expansion costs. Each method raises `LimitError` above a limit.

    `end` is the processor time of this thread, in seconds, at which the expansion is ended.
    """

    def __init__(self, end: float) -> None:
        self.steps = 0
        self.created = 0
        self._next_look = 0
        self._end = end

    def step(self, weight: int = 1) -> None:
        """Count a call, an output or an iteration."""
        self.steps += weight
        if self.steps > self._next_look:
            self._next_look = self.steps + 100
            self.look_at_time()
            if self.steps > MAX_STEPS:
                raise LimitError(f"a template may take {MAX_STEPS:,} steps at most, found more")

    def output(self, characters: int) -> None:
        """Count an output: a step and a text, in one call, for loops render in 0.9 of the time."""
        self.created += characters
        self.steps += 1
        if self.steps > self._next_look or characters > MAX_CHARACTERS:
            self.step(0)
            self.create(0)
            require_size(characters)

    def look_at_time(self) -> None:
        """Compare the processor time with its limit."""
        if processor_time() > self._end:
            raise LimitError(f"a template may take {MAX_SECONDS:g} s at most, found longer")

    def create(self, size: int) -> None:
        """Count the size of a new value."""
        require_size(size)
        self.created += size
        if self.created > MAX_CREATED:
            raise LimitError(
                f"a template may make values of {MAX_CREATED:,} characters at most, found more"
            )

    def count(self, value: Any) -> Any:
        """Count a new value with everything in it, and return it."""
        kind = value.__class__
        if kind is bool or (kind is int and -_SMALL < value < _SMALL):
            self.step()
        else:
            size = len(value) if isinstance(value, str) else size_of(value)
            self.step(1 + size // 400)
            self.create(size)
        return value

    def json(self, value: Any, **options: Any) -> str:
        """Return a value as JSON; each piece of it is counted before the next one is made."""
        pieces = []
        for piece in json.JSONEncoder(**options).iterencode(value):
            self.output(len(piece))
            pieces.append(piece)
        return "".join(pieces)


class CountedIterator:
    """An iterator that counts its elements, and has no text."""

    def __init__(self, values: Iterable[Any], meter: Meter) -> None:
        self._values = iter(values)
        self._meter = meter

    def __iter__(self) -> CountedIterator:
        return self

    def __next__(self) -> Any:
        return self._meter.count(next(self._values))

    def __repr__(self) -> str:
        raise TemplateRuntimeError("an iterator has no text; make a list of it by `| list`")


_SMALL = 1 << 60


def size_of(value: Any) -> int:
    """Return the size of a value with everything in it. Raises `LimitError` for a large one."""
    size, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        size += _ELEMENT
        if isinstance(each, (str, bytes)):
            size += len(each)
        elif isinstance(each, int):
            _require_bits(each.bit_length())
            size += each.bit_length() >> 2
        elif isinstance(each, (list, tuple, set, frozenset)):
            waiting += each
        elif isinstance(each, (dict, Namespace)):
            items = each._Namespace__attrs if isinstance(each, Namespace) else each
            _require_hashes(items)
            waiting += [*items.keys(), *items.values()]
        require_size(size + _ELEMENT * len(waiting))
    return size


def require_size(size: int) -> None:
    """Raise `LimitError` for a value that is too large."""
    if size > MAX_CHARACTERS:
        raise LimitError(f"a value may have {MAX_CHARACTERS:,} characters at most, found more")


def _require_hashes(keys: Mapping[Any, Any]) -> None:
    """Raise `LimitError` for keys that were chosen to have one hash: each use compares them all."""
    if len(keys) > _MAX_OF_ONE_HASH and len(keys) - len({*map(hash, keys)}) > _MAX_OF_ONE_HASH:
        raise LimitError(
            f"a dictionary may have {_MAX_OF_ONE_HASH} keys of one hash at most, found more"
        )


def _require_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise LimitError(f"a number may have {MAX_BITS:,} bits at most, found more")


def require_operands(operator: str, left: Any, right: Any) -> None:
    """Raise `LimitError` if the result of an operator is too large."""
    if operator == "**" and isinstance(left, int) and isinstance(right, int):
        _require_bits(left.bit_length() * max(right, 0))
    elif operator == "*":
        for value, times in ((left, right), (right, left)):
            if isinstance(times, int) and not isinstance(value, (int, float)):
                require_size(size_of(value) * max(times, 0))
    elif operator == "%" and isinstance(left, (str, bytes)):
        require_format(left, right)


def require_format(pattern: str | bytes, values: Any) -> None:
    """Raise `LimitError` if `pattern % values` is too large."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else str(pattern)
    given = iter(values if isinstance(values, tuple) else (values,))
    size = len(text) + size_of(values)
    for widths, key in _fields(text):
        for width in widths:
            number = next(given, 0) if width == "*" else number_of(width)
            size += abs(number) if isinstance(number, int) else 0
        if key is None:
            next(given, None)  # counted with the values
        elif isinstance(values, Mapping) and key in values:
            size += size_of(values[key])
        require_size(size)


def _fields(pattern: str) -> Iterator[tuple[Sequence[str], str | None]]:
    """Yield width and precision of each field of a pattern for `%`, and its key, None for none."""
    at = pattern.find("%")
    while at >= 0:
        key, begin = None, at + 1
        if pattern.startswith("(", begin):
            begin = _end_of_key(pattern, begin)
            key = pattern[at + 2 : begin - 1]
        field = _SPECIFICATION.match(pattern, begin)
        assert field is not None
        if key is not None or pattern[field.end() : field.end() + 1] != "%":
            yield [width for width in field.groups("") if width], key
        at = pattern.find("%", field.end() + 1)


def _end_of_key(pattern: str, start: int) -> int:
    depth = 0
    for at in range(start, len(pattern)):
        depth += (pattern[at] == "(") - (pattern[at] == ")")
        if not depth:
            return at + 1
    return len(pattern)


def number_of(digits: str) -> int:
    """Return the number of digits, or one that exceeds every limit."""
    return int(digits) if len(digits) < 20 else 10**20


def require_field(value: Any, specification: str) -> None:
    """Raise `LimitError` if a field of a text for `format` is too large."""
    require_size(sum(map(number_of, _DIGITS.findall(specification))) + size_of(value))


def require_argument(value: Any) -> None:
    """Raise `LimitError` for a number that pads a value, or makes so many of it."""
    if isinstance(value, (int, float)) and abs(value) > _MAX_PADDING:
        raise LimitError(f"a value is padded to {_MAX_PADDING:,} characters at most, found more")


def _padding(_value: Any, *arguments: Any, **named: Any) -> None:
    for argument in (*arguments, *named.values()):
        require_argument(argument)


def _copies(_value: Any, linecount: Any = 0, fill_with: Any = None, slices: Any = 0) -> None:
    number = slices or linecount
    require_argument(number)
    require_size(size_of(fill_with) * number if isinstance(number, int) else 0)


def _indent(text: Any, width: Any = 4, *more: Any, **named: Any) -> None:
    require_argument(width)
    length = width if isinstance(width, int) else len(str(width))
    require_size((len(str(text).splitlines()) + 1) * max(length, 0) + len(str(text)))


def _join(values: Any, d: Any = "", *more: Any, **named: Any) -> None:
    number = len(values) if hasattr(values, "__len__") else 0
    require_size(number * len(str(d)))


def _replace(text: Any, old: Any = "", new: Any = "", *more: Any, **named: Any) -> None:
    if not isinstance(text, bytes):
        text, old, new = str(text), str(old), str(new)
    times = text.count(old) if old else len(text) + 1
    require_size(times * len(new) + len(text))


def _tabs(text: Any, tabsize: Any = 8) -> None:
    require_size(text.count(b"\t" if isinstance(text, bytes) else "\t") * int(tabsize))


def _translate(text: Any, table: Any = None, *more: Any) -> None:
    if isinstance(table, Mapping):
        require_size(len(text) * max((len(str(each)) for each in table.values()), default=0))


def _wrapped(text: Any, *arguments: Any, **named: Any) -> None:
    breaks = [len(str(v)) for v in (*arguments, *named.values()) if isinstance(v, str)]
    require_size((len(str(text)) + 1) * max(breaks, default=1))
    _short(text)


def _links(text: Any, *arguments: Any, **named: Any) -> None:
    each = sum(len(v) for v in (*arguments, *named.values()) if isinstance(v, str))
    require_size((len(str(text).split()) + 1) * each)
    _short(text)


def _sum(values: Any, attribute: Any = None, start: Any = 0) -> None:
    if not isinstance(start, (int, float)) and hasattr(values, "__len__"):
        require_size(len(values) ** 2)


def _short(text: Any, *more: Any, **named: Any) -> None:
    if len(text if isinstance(text, str) else str(text)) > _MAX_PADDING:
        raise LimitError(f"a filter takes {_MAX_PADDING:,} characters at most, found more")


def _search(text: Any, *arguments: Any, **named: Any) -> None:
    """Compare each character with each one of what is searched for."""
    for each in (*arguments, *named.values()):
        if isinstance(each, (str, bytes)) and len(str(text)) * len(each) > _MAX_PAIRS:
            raise LimitError("a search compares 100,000,000 characters at most, found more")


def _codec(_text: Any, encoding: Any = "utf-8", *more: Any, **named: Any) -> None:
    """Refuse codecs in Python: `punycode` takes the square of the number of characters."""
    if _codec_named(str(encoding)) not in {*map(_codec_named, _CODECS)}:
        *most, last = _CODECS
        raise LimitError(f"a text is encoded as {', '.join(most)} or {last}, found another codec")


def _codec_named(name: str) -> str:
    """Return the one name of a codec with many, such as `utf8` and `U8`; empty if there is none."""
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""


FILTER_LIMITS: dict[str, Callable[..., None]] = {
    "batch": _copies,
    "center": _padding,
    "filesizeformat": _short,
    "format": lambda text, *values, **named: require_format(text, named or values),
    "indent": _indent,
    "join": _join,
    "pprint": _short,
    "replace": _replace,
    "round": _padding,
    "slice": _copies,
    "striptags": _short,
    "sum": _sum,
    "title": _short,
    "tojson": _padding,
    "trim": _search,
    "truncate": _padding,
    "urlize": _links,
    "wordcount": _short,
    "wordwrap": _wrapped,
}
"""What is checked before a filter is applied, by its name."""

METHOD_LIMITS: dict[str, Callable[..., None]] = {
    "center": _padding,
    "decode": _codec,
    "encode": _codec,
    "expandtabs": _tabs,
    "join": lambda separator, values=(): _join(values, separator),
    "ljust": _padding,
    "lstrip": _search,
    "replace": _replace,
    "rfind": _search,
    "rindex": _search,
    "rjust": _padding,
    "rpartition": _search,
    "rsplit": _search,
    "rstrip": _search,
    "strip": _search,
    "striptags": _short,
    "to_bytes": _padding,
    "translate": _translate,
    "unescape": _short,
    "zfill": _padding,
}
"""What is checked before a method of a text or a number is called, by its name."""
