"""Generated language configurations: what Visual Studio Code does with a text without a server.

Comments, brackets, words, indentation, what a line break continues, and folding by markers are
derived from the surface and the terminals of a language.
"""

from __future__ import annotations

from typing import Any, Iterator

from ipu_asm.reports.textmate_directives import has_preprocessor
from ipu_asm.reports.textmate_language import Language
from ipu_asm.reports.textmate_patterns import BLANKS, BLOCK_COMMENT, escaped

_BRACKETS = (["[", "]"], ["(", ")"])
_QUOTES = ('"', "'", "`")
_NOT_IN = ["string", "comment"]


def language_configuration(language: Language) -> dict[str, Any]:
    """Return the configuration of a language as JSON data."""
    surface, terminals = language.isas[0].surface, language.terminals
    comments: dict[str, Any] = {"lineComment": surface.comments[0]}
    if terminals.has_block_comments():
        comments["blockComment"] = list(BLOCK_COMMENT)
    brackets = [*([["{", "}"]] if language.braces else []), *_BRACKETS]
    return {
        "comments": comments,
        "brackets": brackets,
        "autoClosingPairs": [*_closing_pairs(language, brackets)],
        "surroundingPairs": [*brackets, *([quote, quote] for quote in _QUOTES)],
        "wordPattern": {"pattern": surface.word_pattern, "flags": "u"},
        "indentationRules": _indentation(language),
        "onEnterRules": [*_enter_rules(language)],
        "folding": {"markers": _folding_markers(language)},
    }


def _closing_pairs(language: Language, brackets: list[list[str]]) -> Iterator[dict[str, Any]]:
    for opening, closing in brackets:
        yield {"open": opening, "close": closing}
    if language.terminals.has_strings:
        yield {"open": '"', "close": '"', "notIn": _NOT_IN}
    if language.terminals.has_block_comments():
        begin, end = BLOCK_COMMENT
        yield {"open": begin, "close": f" {end}", "notIn": _NOT_IN}


def _indentation(language: Language) -> dict[str, str]:
    """Return the rules by which a label alone on its line, and an open brace, indent."""
    label = f"^{BLANKS}{_label(language)}{BLANKS}{_comment_or_end(language)}"
    opening, closing = (r"|\{[^}]*$", rf"|^{BLANKS}\}}") if language.braces else ("", "")
    return {"increaseIndentPattern": label + opening, "decreaseIndentPattern": label + closing}


def _enter_rules(language: Language) -> Iterator[dict[str, Any]]:
    for mark in _comment_marks(language):
        yield {
            "beforeText": rf"(?:^|[ \t]){escaped(mark)}.*$",
            "afterText": r"^(?!\s*$).+",
            "action": {"indent": "none", "appendText": f"{mark} "},
        }
    if language.terminals.has_block_comments():
        yield from _BLOCK_COMMENT_RULES
    surface = language.isas[0].surface
    if surface.bundle_end:
        # A bundle that begins behind its label continues on further lines.
        separator = escaped(surface.separator)
        marks = "".join(dict.fromkeys("".join(_comment_marks(language))))
        other = f"[^{marks}{separator}]"
        statement = rf"{other}*[^{marks}{separator} \t]{BLANKS}{separator}"
        end = _comment_or_end(language)
        yield {
            "beforeText": f"^{BLANKS}{_label(language)}(?:{statement})+{BLANKS}{end}",
            "action": {"indent": "indent"},
        }


_BLOCK_COMMENT_RULES: tuple[dict[str, Any], ...] = (
    {
        "beforeText": r"^[ \t]*/\*(?:(?!\*/).)*$",
        "afterText": r"^[ \t]*\*/$",
        "action": {"indent": "indentOutdent", "appendText": " * "},
    },
    {
        "beforeText": r"^[ \t]*/\*(?:(?!\*/).)*$",
        "action": {"indent": "none", "appendText": " * "},
    },
    {
        "beforeText": r"^[ \t]* \*(?:[ ](?:(?!\*/).)*)?$",
        "previousLineText": r"^[ \t]*(?:/\*| \*(?!/))(?:(?!\*/).)*$",
        "action": {"indent": "none", "appendText": "* "},
    },
    {
        "beforeText": r"^[ \t]* \*/[ \t]*$",
        "action": {"indent": "none", "removeText": 1},
    },
)


def _folding_markers(language: Language) -> dict[str, str]:
    marks = _any_of(_comment_marks(language))
    start, end = rf"{marks}{BLANKS}#?region\b", rf"{marks}{BLANKS}#?endregion\b"
    if has_preprocessor(language):
        start = rf"(?:{start}|#{BLANKS}(?:if|ifdef|ifndef)\b|\.macro\b)"
        end = rf"(?:{end}|#{BLANKS}endif\b|\.endm\b)"
    return {"start": f"^{BLANKS}{start}", "end": f"^{BLANKS}{end}"}


def _comment_marks(language: Language) -> list[str]:
    """Return the delimiters of line comments, the preferred one first."""
    preferred = language.isas[0].surface.comments
    return sorted(language.terminals.line_comments(), key=lambda mark: mark not in preferred[:1])


def _label(language: Language) -> str:
    """Return the pattern of a label with its mark."""
    return f"[{language.terminals.word_characters}]+{BLANKS}{language.label_colon}"


def _comment_or_end(language: Language) -> str:
    return f"(?:{_any_of(_comment_marks(language))}.*)?$"


def _any_of(marks: list[str]) -> str:
    """Return a pattern for one of these delimiters."""
    return escaped(marks[0]) if len(marks) == 1 else f"(?:{'|'.join(map(escaped, marks))})"
