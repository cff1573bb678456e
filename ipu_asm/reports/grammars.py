"""Generated TextMate grammars and tree-sitter queries, for editors without a language server.

`python -m ipu_asm.reports.grammars` writes `grammars/LANGUAGE.tmLanguage.json` and the queries of
every language; a test fails if one is out of date. A TextMate grammar reads an instruction as the
parser does: the first word is its mnemonic, the rest up to the separator are its operands. So a
word is coloured as a keyword or a label only if the instruction has an operand of that type.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any, Iterable, Iterator, Mapping, Sequence

from ipu_asm.bundle.operand_matching import KEYWORD_MARK
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import FileError
from ipu_asm.expressions.parser import WORDS
from ipu_asm.flow.assertions.comments import FORMS, AssertionKind
from ipu_asm.isa import available_isas, load_isa, manifests
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.reports.textmate_operands import (
    OperandKinds,
    Pattern,
    numbers,
    operand_patterns,
    operands_of,
    register_patterns,
    register_spellings,
    strings,
)
from ipu_asm.reports.textmate_patterns import (
    BLANKS,
    BLOCK_COMMENT,
    DIRECTIVE_WORDS,
    LABEL,
    LINE_COMMENTS,
    LINE_END,
    Language,
    alternatives,
    directives,
    escaped,
    has_preprocessor,
    language_of,
    preprocessor,
)
from ipu_asm.syntax.grammar import LABEL_TOKENS, grammar_folder

_ACCESSES = ("read", "write")
_SEPARATOR = "punctuation.separator.instruction"
# Keys are names of terminals or, for the others, their text.
_MARKS = {
    "SEPARATOR": _SEPARATOR,
    ",": "punctuation.separator.operand",
    "[": "punctuation.section.brackets.begin",
    "]": "punctuation.section.brackets.end",
    "(": "punctuation.section.parens.begin",
    ")": "punctuation.section.parens.end",
    "{": "punctuation.section.braces.begin",
    "}": "punctuation.section.braces.end",
    "|": "keyword.operator.bitwise",
    "#": "punctuation.definition.immediate",
    KEYWORD_MARK: "keyword.operator.assignment",
}
_INSTRUCTION_ENDS = (";",)
_MNEMONIC = "keyword.control.mnemonic"
_END = "punctuation.terminator.bundle keyword.control.bundle-end"
_DIRECTIVE = r"(ipu:[ \t]*ignore(?:-file)?)(?![\w-])(?:[ \t]*(\[)([^\[\]]*)(\]))?"


def textmate(*isas: Isa) -> dict[str, Any]:
    """Return the TextMate grammar, as JSON data, of the language in which the sets are written.

    Sets that share a language have one grammar with the instructions of all of them.
    """
    language = language_of(isas)
    return {
        "information_for_contributors": ["Generated: python -m ipu_asm.reports.grammars"],
        "name": f"{' and '.join(isa.title for isa in isas)} assembly",
        "scopeName": f"source.asm.{language.suffix}",
        "patterns": list(_top(language)),
        "repository": {name: {"patterns": found} for name, found in _parts(language).items()},
    }


def _parts(language: Language) -> dict[str, list[Pattern]]:
    """Return the repository: patterns that several others include."""
    parts = {"comments": list(_comments(language))}
    if has_preprocessor(language):
        parts["preprocessor"] = list(preprocessor(language))
    if language.terminals.has_strings:
        parts["strings"] = list(strings(language))
    return {
        **parts,
        "registers": list(register_patterns(language)),
        "numbers": list(numbers(language)),
        "punctuation": list(_punctuation(language)),
    }


def textmate_file(isa: Isa) -> tuple[str, str]:
    """Return file name and text of the grammar of the language in which a set is written."""
    name = isa.surface.language_id
    sets = [isa if isa.name == other else load_isa(other) for other in available_isas()]
    grammar = textmate(*(other for other in sets if other.surface.language_id == name))
    return f"{name}.tmLanguage.json", json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the TextMate grammar and the tree-sitter queries of every language."""
    parser = ArgumentParser("python -m ipu_asm.reports.grammars", description=main.__doc__)
    parser.add_argument("-o", "--output", metavar="DIR", default=grammar_folder(), help="a folder")
    folder = parser.parse_args(argv).output
    textmates = dict(textmate_file(load_isa(isa)) for isa in available_isas())
    return write_files(folder, textmates | queries())


def write_files(folder: str, texts: Mapping[str, str]) -> int:
    """Write texts by their paths below a folder, and print these; return the exit status."""
    try:
        for name, text in texts.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace_file(path, text.encode())
            print(path)
    except (FileError, OSError) as error:
        print(f"grammars: error: {error}", file=sys.stderr)
        return 2
    return 0


def _top(language: Language) -> Iterator[Pattern]:
    """Yield the patterns outside of instructions, then those of instructions."""
    yield {"include": "#comments"}
    if has_preprocessor(language):
        yield {"include": "#preprocessor"}
    yield from directives(language)
    label = language.terminals.word + ("|[0-9]+" if language.numeric_labels else "")
    yield {
        "match": f"({label}){BLANKS}({language.label_colon})",
        "captures": {
            "1": {"name": language.scope(LABEL)},
            "2": {"name": language.scope("punctuation.separator.label")},
        },
    }
    groups: dict[OperandKinds, list[InstructionSpec]] = {}
    for specs in language.instructions().values():
        groups.setdefault(operands_of(language, specs), []).append(specs[0])
    end = _end_of_instruction(language)
    for operands, specs in groups.items():
        yield {
            **_mnemonics(language, specs),
            "end": end,
            "patterns": operand_patterns(language, operands),
        }
    if language.terminals.has_strings:
        yield {"include": "#strings"}
    unknown = f"(?:{language.terminals.word})"
    yield {"begin": unknown, "end": end, "patterns": operand_patterns(language, OperandKinds())}
    if not language.terminals.ends_with_line:
        yield {"match": language.terminals.patterns["END"], "name": language.scope(_END)}
    yield {"include": "#punctuation"}


def _mnemonics(language: Language, specs: Sequence[InstructionSpec]) -> Pattern:
    """Return the start of an instruction, with a capture for each slot."""
    slots: dict[str, list[str]] = {}
    for spec in specs:
        slots.setdefault(spec.slot, []).append(spec.mnemonic)
    parts = "|".join(f"({language.one_of(mnemonics)})" for mnemonics in slots.values())
    captures = {
        str(number): {"name": language.scope(f"{_MNEMONIC}.{slot}")}
        for number, slot in enumerate(slots, 1)
    }
    return {"begin": f"(?:{parts}){language.word_end}", "beginCaptures": captures}


def _end_of_instruction(language: Language) -> str:
    """Return a pattern for the end of an instruction, as a lookahead.

    If instructions can span lines, one that begins with a label or a mnemonic also ends the
    instruction before it: its separator is missing, and the colours then show where.
    """
    terminals = language.terminals
    if terminals.ends_with_line:
        marks = [mark for mark in _INSTRUCTION_ENDS if terminals.separates(mark)]
        marks += language.braces
        marks += ["#"] if has_preprocessor(language) else []
        ends = [f"(?={'|'.join(marks)})"] if marks else []
        return "|".join([*ends, LINE_END if has_preprocessor(language) else "$"])
    names = [name for name in ("SEPARATOR", "END") if name in terminals.patterns]
    marks = [*(terminals.patterns[name] for name in names), *language.braces]
    label = f"(?:{terminals.word}){BLANKS}{terminals.patterns['COLON']}"
    known = f"{language.one_of(language.instructions())}{language.word_end}"
    return f"(?={'|'.join(marks)})|^(?={BLANKS}(?:{label}|{known}))"


def _punctuation(language: Language) -> Iterator[Pattern]:
    texts = language.terminals.texts
    for name, text in texts.items():
        scope = _MARKS.get(name) or _MARKS.get(text)
        if scope and name not in (*LABEL_TOKENS, "END"):
            yield {"match": escaped(text), "name": language.scope(scope)}
    for mark in _INSTRUCTION_ENDS:
        if mark not in texts.values() and language.terminals.separates(mark):
            yield {"match": mark, "name": language.scope(_SEPARATOR)}
    if language.has_expressions:
        sign = language.terminals.patterns["SIGN"]
        yield {"match": sign, "name": language.scope("keyword.operator.arithmetic")}


def _comments(language: Language) -> Iterator[Pattern]:
    marks = language.terminals.line_comments()
    if language.terminals.has_block_comments():
        begin, end = BLOCK_COMMENT
        yield _comment(language, "block", escaped(begin), escaped(end), marks)
    for mark in marks:
        yield _comment(language, f"line.{LINE_COMMENTS[mark]}", escaped(mark), "$", marks)
    for mark in language.terminals.first_comments():
        begin = f"^{BLANKS}{escaped(mark)}"
        yield _comment(language, f"line.{LINE_COMMENTS[mark]}", begin, "$", [*marks, mark])
    for mark in language.terminals.directive_comments():
        begin = f"{escaped(mark)}(?={BLANKS}(?:{alternatives(DIRECTIVE_WORDS)}):)"
        yield _comment(language, f"line.{LINE_COMMENTS[mark]}", begin, "$", marks)


def _comment(language: Language, kind: str, begin: str, end: str, marks: Sequence[str]) -> Pattern:
    """Return a comment pattern that highlights linter directives and ``isa:`` comments."""
    mark = {"0": {"name": language.scope("punctuation.definition.comment")}}
    start = rf"(?:\G|{alternatives(marks)}){BLANKS}" if marks else rf"\G{BLANKS}"
    directive = language.scope("keyword.control.directive")
    brackets = {"name": language.scope("punctuation.section.brackets")}
    listed = {"name": language.scope("entity.name.tag.finding")}
    return {
        "name": language.scope(f"comment.{kind}"),
        "begin": begin,
        "beginCaptures": mark,
        "end": end,
        **({"endCaptures": mark} if end != "$" else {}),
        "patterns": [
            {
                "match": f"{start}{_DIRECTIVE}",
                "captures": {"1": {"name": directive}, "2": brackets, "3": listed, "4": brackets},
            },
            {
                "match": rf"\G{BLANKS}(isa:{BLANKS}(?:{alternatives(manifests())}))(?![\w-])",
                "captures": {"1": {"name": directive}},
            },
            *(assertions(language) if kind.startswith("line") else ()),
        ],
    }


def assertions(language: Language) -> Iterator[dict[str, Any]]:
    """Yield a pattern for each sort of assertion, at the beginning of a comment."""
    marks = language.isas[0].surface.comments
    # A mark of two characters, which may be an operator, begins a comment after two blanks only.
    ends = "|".join(escaped(mark) if len(mark) == 1 else f"  {escaped(mark)}" for mark in marks)
    for kind in AssertionKind:
        form, is_whole = FORMS.get(kind, ("", False))
        rest = f"{BLANKS}(?:{ends}|$)" if is_whole else ""
        following = f"(?={form}{rest})" if form else ""
        words = [*WORDS, *(_ACCESSES if kind is AssertionKind.REGION else ())]
        yield {
            "begin": rf"\G{BLANKS}({kind.value})(?![\w-]){following}",
            "beginCaptures": {"1": {"name": language.scope("keyword.control.assertion")}},
            "end": f"(?={ends})|$",
            "patterns": [
                {"include": "#registers"},
                {
                    "match": rf"\b{alternatives(words)}\b",
                    "name": language.scope("keyword.operator.word"),
                },
                {"match": r"[A-Za-z_]\w*"},
            ],
        }


_HEAD = "; Generated: python -m ipu_asm.reports.grammars\n\n"
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
    sys.exit(main())
