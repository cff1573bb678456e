"""Generated parts of the extension for Visual Studio Code: its languages and what names them.

`python -m ipu_asm.reports.vscode` writes them; a test fails if one is out of date. In
`package.json` it replaces the lists of languages and instruction sets and leaves the rest.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from ipu_asm.config.files import source_extensions
from ipu_asm.isa import Manifest, load_isa, manifests
from ipu_asm.reports.reference import PALETTE, colours_of_language
from ipu_asm.reports.textmate_patterns import (
    BLANKS,
    BLOCK_COMMENT,
    Language,
    escaped,
    has_preprocessor,
    language_of,
)
from ipu_asm.syntax.grammar import grammar_folder

_BRACKETS = (["[", "]"], ["(", ")"])
_QUOTES = ('"', "'", "`")
_NOT_IN = ["string", "comment"]
_BLOCK_COMMENT_RULES: tuple[dict[str, Any], ...] = (
    {
        "beforeText": r"^[ \t]*/\*(?:(?!\*/).)*$",
        "afterText": r"^[ \t]*\*/$",
        "action": {"indent": "indentOutdent", "appendText": " * "},
    },
    {"beforeText": r"^[ \t]*/\*(?:(?!\*/).)*$", "action": {"indent": "none", "appendText": " * "}},
    {
        "beforeText": r"^[ \t]* \*(?:[ ](?:(?!\*/).)*)?$",
        "previousLineText": r"^[ \t]*(?:/\*| \*(?!/))(?:(?!\*/).)*$",
        "action": {"indent": "none", "appendText": "* "},
    },
    {"beforeText": r"^[ \t]* \*/[ \t]*$", "action": {"indent": "none", "removeText": 1}},
)
_READ_ENDINGS = (".h", ".hh", ".hpp", ".inc", ".def", ".o", ".elf")
_READ_NAMES = (r"(?:ipu|pyproject)\.toml", r"launch\.json", r"test_.*\.py", r".*_test\.py")

EXTENSION = Path(grammar_folder()).parent / "vscode-extension"
_WIDTH = 100
# The language of listings has no instruction set, and is the last one everywhere.
_LISTING = "ipu-listing"
_ICON = {"light": "./media/kernel-light.svg", "dark": "./media/kernel-dark.svg"}
_ANY_LANGUAGE = re.compile(r"/\^\([\w|-]+\)\$/")
# The editor takes the number `#128` for a colour, and would paint a swatch before it.
_NO_SWATCHES = {"editor.defaultColorDecorators": "never"}
# The themes that the editor brings, by the names that newer and older versions give them.
# Patterns of names of themes, as settings have them.
_LIGHT_THEMES = ("*Light*", "*light*")
_DARK_THEMES = ("*Dark*", "*dark*", "Default High Contrast", "*Night*", "Monokai*", "Abyss")
# Standard scopes for the colours of `PALETTE`, which other themes colour one by one.
_SLOT_SCOPES = (
    *("support.function", "keyword.control", "entity.name.type", "constant.language"),
    *("string", "storage.type", "variable.parameter", "entity.other.attribute-name"),
)
# Types of semantic tokens with the scopes that themes without semantic colours use for them.
_SCOPES = {
    "function": "keyword.control.mnemonic",
    "variable": "variable.language.register",
    "label": "entity.name.function.label",
    "keyword": "constant.language",
    "number": "constant.numeric",
    "parameter": "variable.parameter",
    "macro": "keyword.control.directive",
    "string": "string.quoted.double",
}


def vscode_files(folder: Path = EXTENSION) -> dict[str, str]:
    """Return the text of each generated file by its path in the extension's folder."""
    languages = dict(_languages())
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    _update(package, languages)
    configurations = {
        f"languages/{name}.json": formatted(language_configuration(language))
        for name, language in languages.items()
    }
    names = formatted(list(languages)).rstrip()
    endings = "|".join(sorted(each[1:] for each in (*source_extensions(), *_READ_ENDINGS)))
    read = f"{_READ_FILES}\n  /^(?:{'|'.join(_READ_NAMES)}|.*\\.(?:{endings}))$/;\n"
    source = f"{_TYPESCRIPT} {names};\n\n{read}\n{_SIGNATURES}{''.join(_signatures())}];\n"
    return {"package.json": formatted(package), "src/languages.ts": source, **configurations}


_TYPESCRIPT = """\
// Generated: python -m ipu_asm.reports.vscode

/** The languages that the server knows. */
export const LANGUAGES: readonly string[] ="""
_READ_FILES = """\
/** What the server may read of a folder: sources, headers, objects, settings, and kernel tests. */
export const READ_FILES ="""
_SIGNATURES = """\
/** A language whose extensions the editor confuses with others, and what only its files have. */
export interface Signature {
  readonly language: string;
  readonly extensions: readonly string[];
  readonly signature: RegExp;
}

export const SIGNATURES: readonly Signature[] = [
"""


def write_vscode_files(folder: Path = EXTENSION) -> None:
    for name, text in vscode_files(folder).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def formatted(value: Any, indent: str = "", before: int = 0) -> str:
    """Return JSON in which what fits on a line is on one; `before` columns of it are taken."""
    return _formatted(value, indent, before) + ("" if indent else "\n")


def _formatted(value: Any, indent: str, before: int) -> str:
    line = _on_a_line(value)
    if len(indent) + before + len(line) < _WIDTH or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        items = [_formatted(item, inner, 0) for item in value]
    else:
        keys = [f"{json.dumps(key)}: " for key in value]
        items = [k + _formatted(v, inner, len(k)) for k, v in zip(keys, value.values())]
    body = ",\n".join(inner + item for item in items)
    first, last = "[]" if isinstance(value, list) else "{}"
    return f"{first}\n{body}\n{indent}{last}"


def _on_a_line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"{{ {text[1:-1]} }}" if value and isinstance(value, dict) else text


def _languages() -> Iterator[tuple[str, Language]]:
    """Yield the languages by id, each with the instruction sets that are written in it."""
    sets: dict[str, list[str]] = {}
    for name, manifest in manifests().items():
        sets.setdefault(manifest.language_id, []).append(name)
    for language_id in sorted(sets):
        yield language_id, language_of(tuple(map(load_isa, sets[language_id])))


def _signatures() -> Iterator[str]:
    """Yield an entry for each instruction set with a signature."""
    for manifest in (each for each in manifests().values() if each.signature):
        yield (
            "  {\n"
            f"    language: {json.dumps(manifest.language_id)},\n"
            f"    extensions: {json.dumps(list(manifest.extensions))},\n"
            f"    signature: /{manifest.signature}/,\n"
            "  },\n"
        )


def _update(package: dict[str, Any], languages: Mapping[str, Language]) -> None:
    """Replace what derives from the manifests in the data of `package.json`."""
    events = [event for event in package["activationEvents"] if not event.startswith("onLanguage:")]
    package["activationEvents"] = [*(f"onLanguage:{name}" for name in languages), *events]
    parts = package["contributes"]
    parts["languages"] = [*map(_language, languages), _of_listings(parts["languages"])]
    grammars = [
        {
            "language": name,
            "scopeName": f"source.asm.{language.suffix}",
            "path": f"./syntaxes/{name}.tmLanguage.json",
        }
        for name, language in languages.items()
    ]
    parts["grammars"] = [*grammars, _of_listings(parts["grammars"])]
    parts["semanticTokenScopes"] = [
        {
            "language": name,
            "scopes": {
                **{f"function.{slot}": [_SLOT_SCOPES[n]] for slot, n in _colours_of(name).items()},
                **{kind: [language.scope(scope)] for kind, scope in _SCOPES.items()},
            },
        }
        for name, language in languages.items()
    ]
    defaults = parts["configurationDefaults"]
    for name in (*languages, _LISTING):
        defaults[f"[{name}]"] = {**defaults.get(f"[{name}]", {}), **_NO_SWATCHES}
    semantic, textmate = _theme_colours(languages)
    defaults["editor.semanticTokenColorCustomizations"] = semantic
    defaults["editor.tokenColorCustomizations"] = textmate
    for entry in (entry for entries in parts["menus"].values() for entry in entries):
        if "when" in entry:
            entry["when"] = _ANY_LANGUAGE.sub(f"/^({'|'.join(languages)})$/", entry["when"])
    setting = parts["configuration"]["properties"]["ipu.isa"]
    described = dict(zip(setting["enum"], setting["markdownEnumDescriptions"]))
    titles = {"": "", **{name: manifest.title for name, manifest in manifests().items()}}
    setting["enum"] = list(titles)
    setting["markdownEnumDescriptions"] = [
        described.get(name, title) for name, title in titles.items()
    ]


def _theme_colours(languages: Mapping[str, Language]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the colours of mnemonics by slot, in themes whose names say if they are dark.

    The first are those of semantic tokens. The second are those of grammars, for listings and until
    the server answers. Other themes have palettes of their own: there, slots have the colours of
    standard scopes.
    """
    semantic: dict[str, Any] = {}
    textmate: dict[str, Any] = {}
    for themes, number_of in ((_LIGHT_THEMES, 0), (_DARK_THEMES, 1)):
        key = "".join(f"[{theme}]" for theme in themes)
        rules: dict[str, str] = {}
        scopes: dict[str, list[str]] = {}
        for name, language in languages.items():
            for slot, number in _colours_of(name).items():
                colour = PALETTE[number][number_of]
                rules[f"function.{slot}:{name}"] = colour
                scope = language.scope(f"{_SCOPES['function']}.{slot}")
                scopes.setdefault(colour, []).append(scope)
        semantic[key] = {"rules": rules}
        textmate[key] = {
            "textMateRules": [
                {"scope": scope, "settings": {"foreground": colour}}
                for colour, scope in scopes.items()
            ]
        }
    return semantic, textmate


def _colours_of(language_id: str) -> dict[str, int]:
    """Return the number of the colour of each slot that is a modifier, if there are several."""
    colours = colours_of_language(language_id)
    every = [m for m in manifests().values() if m.language_id == language_id]
    known = {word for manifest in every for word in manifest.modifiers}
    return {slot: n for slot, n in colours.items() if slot in known and len(colours) > 1}


def _language(language_id: str) -> dict[str, Any]:
    """Return a language with the names and file extensions that its manifests state.

    Visual Studio Code ignores the case of extensions: of two that only differ in case, the one
    in small letters is registered.
    """
    every = [m for m in manifests().values() if m.language_id == language_id]
    small = {extension for manifest in manifests().values() for extension in _extensions(manifest)}
    extensions = [
        extension
        for manifest in every
        for extension in _extensions(manifest)
        if extension == extension.lower() or extension.lower() not in small
    ]
    return {
        "id": language_id,
        "aliases": [every[0].language_name],
        **({"extensions": extensions} if extensions else {}),
        "configuration": f"./languages/{language_id}.json",
        "icon": _ICON,
    }


def _extensions(manifest: Manifest) -> Sequence[str]:
    return (*manifest.extensions, *manifest.shared_extensions)


def _of_listings(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return next(entry for entry in entries if _LISTING in (entry.get("id"), entry.get("language")))


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
        # A bundle that begins after its label continues on further lines.
        separator = escaped(surface.separator)
        marks = "".join(dict.fromkeys("".join(_comment_marks(language))))
        other = f"[^{marks}{separator}]"
        statement = rf"{other}*[^{marks}{separator} \t]{BLANKS}{separator}"
        end = _comment_or_end(language)
        yield {
            "beforeText": f"^{BLANKS}{_label(language)}(?:{statement})+{BLANKS}{end}",
            "action": {"indent": "indent"},
        }


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


if __name__ == "__main__":
    write_vscode_files()
