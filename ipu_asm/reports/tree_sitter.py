"""Generated tree-sitter queries, for editors that colour by a syntax tree.

`python -m ipu_asm.reports.tree_sitter` writes `grammars/tree-sitter-LANGUAGE/queries` for every
language; a test fails if one is out of date. The grammars beside them know words, numbers and ends
alone: which words are registers or keywords is said here. Two patterns for the same word exclude
each other, because editors disagree on whether the first or the last one counts; where predicates
are ignored, the last one is right.
"""

from __future__ import annotations

import sys
from typing import Iterable, Iterator

from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.reports.textmate import write_files
from ipu_asm.reports.textmate_operands import operands_of, register_spellings
from ipu_asm.reports.textmate_patterns import has_preprocessor, language_of
from ipu_asm.syntax.grammar import grammar_folder

_HEAD = "; Generated: python -m ipu_asm.reports.tree_sitter\n\n"
_WIDTH = 98
_LOCALS = """\
(source_file) @local.scope
(label name: (word) @local.definition)
((word) @local.reference)
"""
_TEMPLATES = """
["{{" "}}" "{%" "%}"] @punctuation.special
(template_comment) @comment
"""
_INJECTIONS = """\
((interpolation) @injection.content (#set! injection.language "jinja"))
((template_statement) @injection.content (#set! injection.language "jinja"))
"""


def queries() -> dict[str, str]:
    """Return the text of each query by its path below `grammars`."""
    found: dict[str, str] = {}
    languages: dict[str, list[Isa]] = {}
    for name in available_isas():
        isa = load_isa(name)
        languages.setdefault(isa.surface.language_id, []).append(isa)
    for language, isas in languages.items():
        folder = f"tree-sitter-{language}/queries"
        found[f"{folder}/highlights.scm"] = _HEAD + "".join(_highlights(isas))
        found[f"{folder}/locals.scm"] = _HEAD + _LOCALS
        braces = "(bundle) @fold\n" if language_of(tuple(isas)).braces else ""
        found[f"{folder}/folds.scm"] = f"{_HEAD}(comment)+ @fold\n{braces}"
        if isas[0].surface.templates:
            found[f"{folder}/injections.scm"] = _HEAD + _INJECTIONS
    return found


def _highlights(isas: list[Isa]) -> Iterator[str]:
    language = language_of(tuple(isas))
    registers = sorted({name for isa in isas for name in register_spellings(isa)})
    operands = [operands_of(language, specs) for specs in language.instructions().values()]
    keywords = {word for kinds in operands for word in kinds.keywords}
    any_case = any(isa.surface.case_insensitive for isa in isas)
    yield "(comment) @comment\n"
    yield "(number) @constant.numeric @number\n(string) @string\n(label name: (_) @label)\n"
    yield '((mnemonic) @function (#not-match? @function "^[.]"))\n'
    yield '((mnemonic) @keyword.directive (#match? @keyword.directive "^[.]"))\n'
    if has_preprocessor(language):
        yield "(preprocessor) @keyword.directive\n"
    elif language.terminals.first_comments():
        yield "(preprocessor) @comment\n"
    yield _listed("label", "not-any-of?", _cases({*registers, *keywords}, any_case))
    yield _listed("variable.builtin", "any-of?", _cases(registers, any_case))
    yield _listed("constant.builtin", "any-of?", _cases(keywords - {*registers}, any_case))
    if language.numeric_labels:
        yield '((number) @label (#match? @label "^[0-9]+[bf]$"))\n'
    if any(kinds.names for kinds in operands):
        yield '((word) @variable.parameter . (mark) @operator (#eq? @operator "="))\n'
    if isas[0].surface.templates:
        yield _TEMPLATES


def _cases(words: Iterable[str], any_case: bool) -> list[str]:
    """Return the words as authors write them; where case does not matter, in both cases."""
    listed = set(words)
    return sorted(listed | {w.upper() for w in listed} | {w.lower() for w in listed}
                  if any_case else listed)  # fmt: skip


def _listed(capture: str, predicate: str, words: list[str]) -> str:
    """Return a pattern for words of operands that a predicate with a list selects."""
    if not words:
        return ""
    lines, line = [], f"((word) @{capture} (#{predicate} @{capture}"
    for word in words:
        quoted = '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if len(line) + 1 + len(quoted) > _WIDTH:
            lines.append(line)
            line = " "
        line += f" {quoted}"
    return "\n".join([*lines, f"{line}))"]) + "\n"


if __name__ == "__main__":
    sys.exit(write_files(grammar_folder(), queries()))
