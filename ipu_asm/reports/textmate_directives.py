"""TextMate patterns for directives and preprocessor lines, in languages that have them."""

from __future__ import annotations

from typing import Any, Iterator

from ipu_asm.reports.textmate_language import Language
from ipu_asm.reports.textmate_patterns import BLANKS, LINE_END
from ipu_asm.syntax.grammar import DIRECTIVE

Pattern = dict[str, Any]

_SCOPE = "keyword.control.directive"
_PREPROCESSOR = "#"


def has_preprocessor(language: Language) -> bool:
    """Check whether a line that begins with `#` is a preprocessor line."""
    return language.terminals.is_one(DIRECTIVE, f"{_PREPROCESSOR}define A 1")


def directives(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of a statement whose first word starts with a dot or precedes `=`."""
    terminals = language.terminals
    if DIRECTIVE not in terminals.patterns:
        return
    word, equals = f"(?:{terminals.word})", terminals.patterns["EQUALS"]
    first = rf"(?=\.){word}|{word}(?={BLANKS}{equals})"
    # Another statement begins behind a separator, a label or a brace.
    behind = f"{language.label_colon}{{;" if terminals.ends_with(";") else language.label_colon
    start = f"(?:^|(?<=[{behind}])){BLANKS}(?!{word}{BLANKS}{language.label_colon})"
    ends = ";" if terminals.ends_with(";") else ""
    ends += "}" if language.braces else ""
    ends += _PREPROCESSOR if has_preprocessor(language) else ""
    yield {
        "begin": f"{start}({first})",
        "beginCaptures": {"1": {"name": language.scope(_SCOPE)}},
        "end": f"(?=[{ends}])|{LINE_END}" if ends else LINE_END,
        "patterns": [
            {"include": "#comments"},
            {"include": "#strings"},
            {"include": "#numbers"},
            {"match": f"(?:{terminals.number})"},
            {"include": "#punctuation"},
        ],
    }


def preprocessor(language: Language) -> Iterator[Pattern]:
    """Yield the pattern of a preprocessor line; a trailing backslash continues it."""
    yield {
        "begin": f"({_PREPROCESSOR}{BLANKS}[A-Za-z_]*)",
        "beginCaptures": {"1": {"name": language.scope(_SCOPE)}},
        "end": f"{LINE_END}|(?=//)",
        "name": language.scope("meta.preprocessor"),
        "patterns": [
            {"include": "#comments"},
            {"include": "#strings"},
            {"include": "#registers"},
            {"include": "#numbers"},
            {"match": f"(?:{language.terminals.number})"},
        ],
    }
