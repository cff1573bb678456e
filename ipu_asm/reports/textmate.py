"""Generated TextMate grammars, for editors without a language server or until it has started.

`python -m ipu_asm.reports.textmate` writes `grammars/LANGUAGE.tmLanguage.json` for every language;
a test fails if one is out of date. A grammar reads an instruction as the parser does: the first
word is its mnemonic, the rest up to the separator are its operands. So a word is coloured as a
keyword or a label only if the instruction has an operand of that type.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any, Iterator, Mapping, Sequence

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
        "information_for_contributors": ["Generated: python -m ipu_asm.reports.textmate"],
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
    """Write the grammar of every language."""
    parser = ArgumentParser("python -m ipu_asm.reports.textmate", description=main.__doc__)
    parser.add_argument("-o", "--output", metavar="DIR", default=grammar_folder(), help="a folder")
    folder = parser.parse_args(argv).output
    return write_files(folder, dict(textmate_file(load_isa(isa)) for isa in available_isas()))


def write_files(folder: str, texts: Mapping[str, str]) -> int:
    """Write texts by their paths below a folder, and print these; return the exit status."""
    try:
        for name, text in texts.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace_file(path, text.encode())
            print(path)
    except (FileError, OSError) as error:
        print(f"textmate: error: {error}", file=sys.stderr)
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


if __name__ == "__main__":
    sys.exit(main())
