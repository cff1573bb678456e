"""Exceptions of Jinja and Python while a template is rendered, reworded in terms of templates."""

from __future__ import annotations

import operator
import re
from inspect import Parameter, signature
from typing import Any, Callable, Sequence

from jinja2 import TemplateRuntimeError

from ipu_asm.diagnostics import EXPANSION_LIMIT, TEMPLATE_SYNTAX, RuleId
from ipu_asm.source.jinja.limits import LimitError

TOO_DEEP = "a template is nested too deeply to be read"
TOO_LONG = "a number may have 4,300 decimal digits at most, found more"
_NO_OTHER_FILES = (
    "a template reads no other files, so it has no `include`, `import` and `extends`; "
    "write the text of the other file here, or define a macro"
)
_TOO_LARGE = "a number is too large for a float"
_TEXTS = "; `~` joins texts and numbers"
_TYPES = {
    "bool": "a boolean",
    "builtin_function_or_method": "a function",
    "Cycler": "a `cycler`",
    "dict": "a dictionary",
    "int": "an integer",
    "Joiner": "a `joiner`",
    "list": "a list",
    "LoopContext": "`loop`",
    "Macro": "a macro",
    "Markup": "a text",
    "method": "a function",
    "Namespace": "a `namespace`",
    "None": "`none`",
    "NoneType": "`none`",
    "Piece": "a text",
    "str": "a text",
    "TemplateReference": "`self`",
    "tuple": "a tuple",
}
_ITERATORS = ("Iterator", "generator", "_items", "_keys", "_values")
_TYPE_GROUPS = ("t", "u")

# The beginning of a message, and ours; `{t}` and `{u}` are types, other groups are taken over.
_SENTENCES = [
    (re.compile(pattern, re.IGNORECASE), sentence)
    for pattern, sentence in (
        # Types.
        (r"'(?P<t>.+)' object cannot be interpreted as an int", "an integer is needed, found {t}"),
        (
            r"(?:'(?P<t>[^']+)' object is not (?:iterable|reversible)"
            r"|argument of type '(?P<t1>[^']+)' is not (?:iterable|a container)"
            r"|cannot unpack non-iterable (?P<t2>\S+) object)",
            "a list or another sequence is needed, found {t}",
        ),
        (r"(?:argument must be|can only join an) iterable", "a list or a sequence is needed"),
        (r"'(?P<t>.+)' object is not callable", "{t} cannot be called"),
        (r"'(?P<t>.+)' object is not subscriptable", "{t} has no elements"),
        (r"object of type '(?P<t>.+)' has no len", "{t} has no length"),
        (r"type (?P<t>\S+) doesn't define __round__", "a number is needed, found {t}"),
        (r"bad operand type for (?:unary )?(?P<op>[^(:]+).*: '(?P<t>.+)'", "`{op}` takes no {t}"),
        (
            r"'(?P<op>.+)' not supported between instances of '(?P<t>.+)' and '(?P<u>.+)'",
            "`{op}` does not compare {t} with {u}",
        ),
        (
            r"unsupported operand type\(s\) for (?P<op>\S+).*: '(?P<t>.+)' and '(?P<u>.+)'",
            "`{op}` does not combine {t} with {u}",
        ),
        (
            r'can only concatenate (?P<t>\S+) \(not "(?P<u>.+)"\)',
            "`+` does not combine {t} with {u}",
        ),
        (
            r"can't multiply sequence by non-int of type '(?P<t>.+)'",
            "a text or a list is repeated by an integer, found {t}",
        ),
        (r"unhashable type: '(?P<t>.+)'", "a key is a text or a number, found {t}"),
        (
            r"(?:'.*' )?(?:.* )?must be .*\bstr(?:ing)?\b.*\bnot '?(?P<t>\w+)",
            "a text is needed, found {t}",
        ),
        (r"'in <string>' requires string .*not (?P<t>\w+)", "`in` searches a text, found {t}"),
        (r"strip arg must be", "a text is needed"),
        (r"slice indices must be", "a slice takes integers"),
        (r"(?:slice step|range\(\) arg 3).* zero", "a step cannot be 0"),
        (r"sequence item .* (?P<t>\w+) found", "`join` takes texts, found {t}" + _TEXTS),
        (r"%(?P<c>\w) format: .* is required, not (?P<t>\w+)", "`%{c}` takes a number, found {t}"),
        (r"unknown format code '(?P<c>.+)' for object of type '(?P<t>.+)'", "`{c}` formats no {t}"),
        (r"'(?P<t>.+)' object has no attribute 'items'", "a dictionary is needed, found {t}"),
        (r"'(?P<t>.+)' object has no attribute '(?P<a>.*)'", "{t} has no attribute `{a}`"),
        (r"'?(?P<t>[\w.]+)(?: object)?'? has no (?P<rest>\S+ .*)", "{t} has no {rest}"),
        (
            r"access to attribute '(?P<a>.+)' of '(?P<t>.+)' object is unsafe",
            "a template may not use `{a}` of {t}",
        ),
        # Numbers.
        (r"cannot convert float infinity", "an integer is needed, found infinity"),
        (r"could not convert string to float: (?P<v>.*)", "a number is needed, found {v}"),
        (r"invalid literal for int.*: (?P<v>'.*)", "an integer is needed, found {v}"),
        (r".*(?:division|modulo)(?: or modulo)? by zero|float modulo", "division by zero"),
        (r".* cannot be raised to a negative power", "0 has no negative power"),
        (r".*too large (?:to convert to|for a) float|.*result out of range", _TOO_LARGE),
        (r"int too big to convert", "a number needs more bytes than it may have"),
        # Values and names.
        (
            r"too many values to unpack \(expected (?P<n>\d+)",
            "{n} names take {n} values, found more",
        ),
        (
            r"not enough values to unpack \(expected (?P<n>\d+), got (?P<m>\d+)",
            "{n} names take {n} values, found {m}",
        ),
        (r"cannot assign attribute", "`set` changes attributes of a `namespace` alone"),
        (r"sub(?:string|section) not found", "`index` finds no such text; `find` gives -1 then"),
        (r"empty separator", "the separator of `split` is not empty"),
        (
            r".*dictionary update sequence element #(?P<n>\d+)",
            "`dict` takes pairs, see element {n}",
        ),
        (r"not enough arguments for format", "a text has more `%` fields than there are values"),
        (r"not all arguments converted", "a text has fewer `%` fields than there are values"),
        (r"tuple index|replacement index", "a text has more `{{}}` fields than there are values"),
        (r"single '(?P<c>.)' encountered", "`{c}` that begins no field is written twice"),
        (r"the fill character must", "a value is padded with one character"),
        (r"no (?P<which>first|last) item", "an empty list has no {which} element"),
        (r"no aggregated item", "an empty list has no smallest or largest element"),
        (r"expected length >= (?P<n>.+), got (?P<m>.+)", "a length is {n} at least, found {m}"),
        (r"invalid width (?P<n>\S+)", "a width is 1 at least, found {n}"),
        # Calls.
        (
            r"macro '(?P<m>.+)' takes not more than (?P<n>\d+)",
            "macro `{m}` takes {n} arguments at most, found more",
        ),
        (
            r"macro '(?P<m>.+)' was invoked with two values for the special caller",
            "the macro of a `call` uses `caller()`, and `{m}` does not",
        ),
        (r"no items for cycling", "`loop.cycle` takes one value at least, found none"),
        (r"at least one item has", "`cycler` takes one value at least, found none"),
        (r"the loop must have", "a loop that is called is begun by `for ... recursive`"),
        (
            r"(?P<f>\w+) expected at (?P<some>least|most) (?P<n>\d+) arguments?, got (?P<m>\d+)",
            "`{f}` takes {n} arguments at {some}, found {m}",
        ),
        (
            r"(?:\w+\.)*?(?P<f>\w+)(?:\.__init__)?\(\) takes .*but \d+ w",
            "`{f}` takes fewer arguments",
        ),
        (r".*got multiple values for keyword argument '(?P<a>.+)'", "a call has `{a}` twice"),
        # Syntax.
        (r"can't assign to '(?:const|name)'", "`set` takes a name, found a constant"),
        (r"expected token '(?P<e>.+)', got '(?P<f>.+)'", "expected `{e}`, found `{f}`"),
        (r"expected an expression, got '(?P<f>.+)'", "expected an expression, found `{f}`"),
    )
]
_WORDS = (
    ("`end of print statement`", "`}}`"),
    ("`end of statement block`", "`%}`"),
    ("expected token `name`", "expected a name"),
    ("expected `name`", "expected a name"),
    (" 1 arguments", " 1 argument"),
    ("`Joiner`", "`joiner`"),
    ("`Cycler`", "`cycler`"),
)
_INTERNAL = re.compile(r"\b(?:\w+\.)*(?:sync_|do_|test_)*(\w+)\(\)")
_MODULE = re.compile(r"\b(?:ipu_asm|jinja2|markupsafe)\.[\w.]*?(\w+)(?= object|')")
_QUOTED = re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)")
_MAX_LENGTH = 300
_MAX_VALUE_LENGTH = 40


def shown_text(text: str) -> str:
    """Return a text for people, with halves of surrogate pairs, which no file has, as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def type_of(name: str) -> str:
    """Return what templates call a type of Python, such as `a list`."""
    name = name.rpartition(".")[2].strip("'\"").removesuffix(" object").lstrip("_")
    if name.endswith(_ITERATORS):
        return "an iterator"
    if name.casefold() == "function":
        return "a function"
    known = _TYPES.get(name) or _TYPES.get(name[:1].upper() + name[1:])
    return known or f"a `{name}`"


def readable(error: Exception) -> str:
    """Return the message of an exception of Jinja or Python, in terms of templates."""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    if isinstance(error, UnicodeEncodeError):
        character = shown_text(error.object[error.start])
        return f"`{error.encoding}` has no character `{character}`"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is no text of `{error.encoding}`"
    if isinstance(error, KeyError):
        return f"there is no value for `{shown_text(str(error.args[0]))}`"[:_MAX_LENGTH]
    if isinstance(error, ValueError) and message.endswith(" is not in list"):
        return "`index` finds no such element; ask by `in` first"
    message = worded(message)
    if message[1:2].islower() or message[1:2] == " ":
        message = message[:1].lower() + message[1:]
    return message


def worded(message: str) -> str:
    """Reword the first line of a message of Jinja or Python; names get backticks."""
    if "`" in message and "'" not in message:  # a message of ours
        return shown_text(message)
    line = _MODULE.sub(r"\1", (message.splitlines() or [""])[0][: _MAX_LENGTH * 2])
    found = ((sentence, pattern.match(line)) for pattern, sentence in _SENTENCES)
    sentence, match = next(filter(operator.itemgetter(1), found), ("", None))
    line = _filled(sentence, match.groupdict()) if match else _INTERNAL.sub(r"`\1`", line)
    line = line if len(line) <= _MAX_LENGTH else line[:_MAX_LENGTH] + "..."
    line = _QUOTED.sub(r"`\1`", shown_text(line)).rstrip(".")
    for theirs, ours in _WORDS:
        line = line.replace(theirs, ours)
    return line


def _filled(sentence: str, groups: dict[str, Any]) -> str:
    values = {name[:1] if name[1:].isdigit() else name: v for name, v in groups.items() if v}
    for name in _TYPE_GROUPS:
        if name in values:
            values[name] = type_of(values[name])
    is_of_texts = values.get("t") != values.get("u") and "a text" in (
        values.get("t"),
        values.get("u"),
    )
    line = sentence.format_map(values).replace("no an ", "no ").replace("no a ", "no ")
    return line + _TEXTS if is_of_texts and line.startswith("`+` does not combine") else line


def described(error: Exception) -> tuple[RuleId, str]:
    """Return the rule and the message for an exception that ends the rendering of a template."""
    if isinstance(error, LimitError):
        return EXPANSION_LIMIT, str(error)
    if isinstance(error, RecursionError):
        return EXPANSION_LIMIT, "a template needs limited memory, found too deep a nesting"
    if isinstance(error, MemoryError):
        return EXPANSION_LIMIT, "a template needs limited memory, found too much"
    if isinstance(error, TypeError) and str(error).startswith("no loader"):  # Jinja's message
        return TEMPLATE_SYNTAX, _NO_OTHER_FILES
    if isinstance(error, ValueError) and "set_int_max_str_digits" in str(error):
        return EXPANSION_LIMIT, TOO_LONG
    return TEMPLATE_SYNTAX, f"the template cannot be rendered: {readable(error)}"


def in_words(
    error: TypeError,
    what: str,
    function: Callable[..., Any],
    given: Sequence[Any],
    named: dict[str, Any],
    passed: int,
) -> Exception:
    """Return an error that lists the parameters of a filter or test; `error` if the call has them.

    `passed` arguments that Jinja adds, and the filtered value, are left out of the list.
    """
    if what.startswith("test") and str(error).startswith("not all arguments converted"):
        return TemplateRuntimeError(f"{what} takes integers, found a text")
    try:
        expected = signature(function)
    except ValueError:  # of a built-in function
        return error
    if hasattr(function, "jinja_async_variant"):  # it takes its first argument off sometimes
        try:
            expected.bind(*given[1:], **named)
            return error
        except TypeError:
            pass
    try:
        expected.bind(*given, **named)
    except TypeError:
        taken = [*expected.parameters.values()][passed + 1 :]
        shown = ", ".join(_shown(each) for each in taken)
        words = f"{what} takes {f'`{shown}`' if shown else 'no arguments'}, found other arguments"
        return TemplateRuntimeError(words)
    return error


def _shown(parameter: Parameter) -> str:
    is_plain = isinstance(parameter.default, (str, int, float, bool, type(None)))
    default = f"={parameter.default!r}" if is_plain else ""
    stars = "*" * (parameter.kind is Parameter.VAR_POSITIONAL)
    return f"{stars}{parameter.name}{default}"


def shown_value(value: Any) -> str:
    """Return a value for people, shortened."""
    if isinstance(value, tuple):
        return ", ".join(shown_value(each) for each in value[:8])
    if isinstance(value, (str, int, float)) and not (
        isinstance(value, int) and abs(value) > 10**40
    ):
        shown = str(value[: _MAX_VALUE_LENGTH + 1] if isinstance(value, str) else value)
        shown = shown_text(str.__str__(shown))
        return shown if len(shown) <= _MAX_VALUE_LENGTH else shown[: _MAX_VALUE_LENGTH - 3] + "..."
    return "..."
