"""TextMate grammars, generated: colours where no server runs, or none runs yet.

`python -m ipu_asm.docs.textmate` writes `grammars/LANGUAGE.tmLanguage.json` for every language; a
test fails when one is out of date. A grammar reads an instruction as the parser does: the first
word is its mnemonic, what follows up to the separator are operands. So a word is coloured as a
keyword or a label only where an instruction has an operand of that sort.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

from ipu_asm.docs.textmate_patterns import (
    BLANKS,
    BLOCK_COMMENT,
    LINE_COMMENTS,
    NUMBER_PATTERN,
    Terminals,
    alternatives,
    escaped,
    registers,
    terminals_of,
)
from ipu_asm.files import FileProblem, replace_file
from ipu_asm.isa import EXTENSIONS, available_isas, load_isa
from ipu_asm.isa.model import InstructionSpec, Isa, RegisterFile
from ipu_asm.isa.operands import KeywordType, OperandType, number_value
from ipu_asm.matching import KEYWORD_MARK
from ipu_asm.syntax.grammar import LABEL_TOKENS, grammar_folder

Pattern = dict[str, Any]

# By what they are in the grammar, else by how they are written.
_MARKS = {
    "SEPARATOR": "punctuation.separator.instruction",
    ",": "punctuation.separator.operand",
    "[": "punctuation.section.brackets.begin",
    "]": "punctuation.section.brackets.end",
    "(": "punctuation.section.parens.begin",
    ")": "punctuation.section.parens.end",
    "{": "punctuation.section.braces.begin",
    "}": "punctuation.section.braces.end",
    "|": "keyword.operator.bitwise",
    KEYWORD_MARK: "keyword.operator.assignment",
}
_BASES = {"hex": "0[xX]", "octal": "0[oO]", "binary": "0[bB]", "decimal": ""}
_PAIR = "[0-9]+[xX][0-9]+"
_EXAMPLE_OF_A_PAIR = "1x1"
_DIRECTIVE = r"(ipu:[ \t]*ignore(?:-file)?)(?![\w-])(?:[ \t]*(\[)([^\[\]]*)(\]))?"


def textmate(*isas: Isa) -> dict[str, Any]:
    """The TextMate grammar, as data, of the language in which these sets are written.

    Sets that share a language have one grammar with the instructions of all of them.
    """
    language = _language(isas)
    return {
        "information_for_contributors": ["Generated: python -m ipu_asm.docs.textmate"],
        "name": f"{' and '.join(isa.title for isa in isas)} assembly",
        "scopeName": f"source.asm.{language.suffix}",
        "patterns": list(_top(language)),
        "repository": {
            "comments": {"patterns": list(_comments(language))},
            "registers": {"patterns": list(_registers(language))},
            "numbers": {"patterns": list(_numbers(language))},
            "punctuation": {"patterns": list(_punctuation(language))},
        },
    }


def textmate_file(isa: Isa) -> tuple[str, str]:
    """File name and text of the grammar of the language in which a set is written."""
    name = isa.surface.language_id
    sets = [isa if isa.name == other else load_isa(other) for other in available_isas()]
    grammar = textmate(*(other for other in sets if other.surface.language_id == name))
    return f"{name}.tmLanguage.json", json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the grammar of every language."""
    parser = ArgumentParser("python -m ipu_asm.docs.textmate", description=main.__doc__)
    parser.add_argument("-o", "--output", metavar="DIR", default=grammar_folder(), help="a folder")
    folder = parser.parse_args(argv).output
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in dict(textmate_file(load_isa(isa)) for isa in available_isas()).items():
            path = os.path.join(folder, name)
            replace_file(path, text.encode())
            print(path)
    except (FileProblem, OSError) as error:
        print(f"textmate: error: {error}", file=sys.stderr)
        return 2
    return 0


class _Language(NamedTuple):
    suffix: str
    isas: tuple[Isa, ...]
    terminals: Terminals
    no_more: str

    def scope(self, name: str) -> str:
        return " ".join(f"{part}.{self.suffix}" for part in name.split(" "))

    def instructions(self) -> dict[str, list[InstructionSpec]]:
        """By mnemonic, what the sets have of that name."""
        found: dict[str, list[InstructionSpec]] = {}
        for isa in self.isas:
            for spec in isa.instructions.values():
                found.setdefault(spec.mnemonic, []).append(spec)
        return found

    def one_of(self, mnemonics: Iterable[str]) -> str:
        """One of these mnemonics, as a group."""
        case = "i" if self.isas[0].surface.any_case else ""
        return f"(?{case}:{alternatives(mnemonics)})"


def _language(isas: tuple[Isa, ...]) -> _Language:
    surface = isas[0].surface
    terminals = terminals_of(surface.grammar)
    suffix = surface.language_id.removesuffix("-asm")
    return _Language(suffix, isas, terminals, f"(?![{terminals.more}])")


def _top(language: _Language) -> Iterator[Pattern]:
    """What stands outside of instructions, and the instructions."""
    yield {"include": "#comments"}
    label = f"({language.terminals.word}){BLANKS}({language.terminals.patterns['COLON']})"
    yield {
        "match": label,
        "captures": {
            "1": {"name": language.scope(_LABEL)},
            "2": {"name": language.scope("punctuation.separator.label")},
        },
    }
    groups: dict[_Operands, list[InstructionSpec]] = {}
    for specs in language.instructions().values():
        groups.setdefault(_operands(language, specs), []).append(specs[0])
    end = _end_of_instruction(language)
    for operands, specs in groups.items():
        yield {**_mnemonics(language, specs), "end": end, "patterns": _inside(language, operands)}
    unknown = f"(?:{language.terminals.word})"
    yield {"begin": unknown, "end": end, "patterns": _inside(language, _Operands())}
    if not language.terminals.ends_with_line:
        yield {"match": language.terminals.patterns["END"], "name": language.scope(_END)}
    yield {"include": "#punctuation"}


# Of two scopes the second is the inner one. Few themes have a colour for labels and for ends: that
# of functions and that of keywords is used. With these names most themes, among them those of
# Visual Studio Code, keep mnemonics, registers, labels and plain words apart.
_MNEMONIC = "keyword.control.mnemonic"
_LABEL = "entity.name.label entity.name.function.label"
_END = "punctuation.terminator.bundle keyword.control.bundle-end"


def _mnemonics(language: _Language, specs: Sequence[InstructionSpec]) -> Pattern:
    """The start of an instruction: a capture for each slot."""
    slots: dict[str, list[str]] = {}
    for spec in specs:
        slots.setdefault(spec.slot, []).append(spec.mnemonic)
    parts = "|".join(f"({language.one_of(mnemonics)})" for mnemonics in slots.values())
    captures = {
        str(number): {"name": language.scope(f"{_MNEMONIC}.{slot}")}
        for number, slot in enumerate(slots, 1)
    }
    return {"begin": f"(?:{parts}){language.no_more}", "beginCaptures": captures}


def _end_of_instruction(language: _Language) -> str:
    """Where an instruction ends, without what ends it.

    Where lines may go on, one that begins with a label or a mnemonic begins something new: then a
    separator is missing, and people see better so what they have forgotten it behind.
    """
    terminals = language.terminals
    if terminals.ends_with_line:
        names = [name for name in ("SEPARATOR",) if name in terminals.patterns]
    else:
        names = [name for name in ("SEPARATOR", "END") if name in terminals.patterns]
    marks = [terminals.patterns[name] for name in names]
    marks += [escaped(mark) for mark in "{}" if mark in _texts(terminals).values()]
    ends = [f"(?={'|'.join(marks)})"] if marks else []
    if terminals.ends_with_line:
        return "|".join([*ends, "$"])
    label = f"(?:{terminals.word}){BLANKS}{terminals.patterns['COLON']}"
    known = f"{language.one_of(language.instructions())}{language.no_more}"
    return "|".join([*ends, f"^(?={BLANKS}(?:{label}|{known}))"])


class _Operands(NamedTuple):
    """What may stand behind a mnemonic, besides registers and numbers."""

    keywords: frozenset[str] = frozenset()
    labels: bool = False
    pairs: bool = False
    names: bool = False


def _operands(language: _Language, specs: Sequence[InstructionSpec]) -> _Operands:
    """What may stand behind the mnemonic that these have in common."""
    operands = [operand for spec in specs for operand in spec.operands]
    types = [operand.type for operand in operands]
    known = {register for isa in language.isas for register in isa.file_of_register}
    words = {word for operand_type in types for word in _words(operand_type)}
    return _Operands(
        frozenset(word for word in words - known if number_value(word) is None),
        any(type(operand_type).resolve is not OperandType.resolve for operand_type in types),
        any(_takes(operand_type, _EXAMPLE_OF_A_PAIR) for operand_type in types),
        any(operand.keyword for operand in operands),
    )


def _words(operand_type: OperandType) -> list[str]:
    if isinstance(operand_type, KeywordType):
        return list(operand_type.spellings)
    return [choice.text for choice in operand_type.complete()]


def _takes(operand_type: OperandType, text: str) -> bool:
    return isinstance(operand_type.parse(text), int)


def _inside(language: _Language, operands: _Operands) -> list[Pattern]:
    """The patterns of operands. Each takes a whole token, so that none begins within a word."""
    terminals, no_more = language.terminals, language.no_more
    patterns: list[Pattern] = [{"include": "#comments"}]
    if operands.names:
        name = f"(?:{terminals.word})(?={BLANKS}{escaped(KEYWORD_MARK)})"
        patterns.append({"match": name, "name": language.scope("variable.parameter")})
    patterns.append({"include": "#registers"})
    if operands.keywords:
        keyword = f"(?i:{alternatives(operands.keywords)}){no_more}"
        patterns.append({"match": keyword, "name": language.scope("constant.language")})
    if operands.pairs:
        pair = {"match": f"{_PAIR}{no_more}", "name": language.scope("constant.numeric.pair")}
        patterns.append(pair)
    patterns.append({"include": "#numbers"})
    word: Pattern = {"match": f"(?:{terminals.number})"}
    if operands.labels:
        word["name"] = language.scope(_LABEL)
    else:
        patterns.append(_malformed(language))
    return [*patterns, word, {"include": "#punctuation"}]


def _malformed(language: _Language) -> Pattern:
    match = f"(?=[+-]?[0-9])(?:{language.terminals.number})"
    return {"match": match, "name": language.scope("invalid.illegal.number")}


def _numbers(language: _Language) -> Iterator[Pattern]:
    # Else a long word would be searched for numbers from each of its characters on.
    first = f"(?:(?=[+-])|(?<![{language.terminals.more}]))"
    for base, start in _BASES.items():
        ahead = f"(?=[+-]?{start})" if start else ""
        yield {
            "match": f"{first}{ahead}(?:{NUMBER_PATTERN}){language.no_more}",
            "name": language.scope(f"constant.numeric.{base}"),
        }


def _registers(language: _Language) -> Iterator[Pattern]:
    files: dict[str, list[RegisterFile]] = {}
    for isa in language.isas:
        for file in isa.register_files:
            files.setdefault(file.name, []).append(file)
    for name, parts in files.items():
        names = [register for file in parts for register in file.registers]
        yield {
            "match": f"(?i:{registers(list(dict.fromkeys(names)))}){language.no_more}",
            "name": language.scope(f"variable.language.register.{name}"),
        }


def _punctuation(language: _Language) -> Iterator[Pattern]:
    for name, text in _texts(language.terminals).items():
        scope = _MARKS.get(name) or _MARKS.get(text)
        if scope and name not in (*LABEL_TOKENS, "END"):
            yield {"match": escaped(text), "name": language.scope(scope)}


def _texts(terminals: Terminals) -> dict[str, str]:
    """The terminals that are always written alike, as they are written."""
    return {name: terminals.patterns[name].replace("\\", "") for name in terminals.fixed}


def _comments(language: _Language) -> Iterator[Pattern]:
    marks = language.terminals.line_comments()
    if language.terminals.has_block_comments():
        begin, end = BLOCK_COMMENT
        yield _comment(language, "block", escaped(begin), escaped(end), marks)
    for mark in marks:
        yield _comment(language, f"line.{LINE_COMMENTS[mark]}", escaped(mark), "$", marks)


def _comment(language: _Language, kind: str, begin: str, end: str, marks: Sequence[str]) -> Pattern:
    """A comment, in which what is said to the linter and of the instruction set stands out."""
    mark = {"0": {"name": language.scope("punctuation.definition.comment")}}
    start = rf"(?:\G|{alternatives(marks)}){BLANKS}" if marks else rf"\G{BLANKS}"
    said = language.scope("keyword.control.directive")
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
                "captures": {"1": {"name": said}, "2": brackets, "3": listed, "4": brackets},
            },
            {
                "match": rf"\G{BLANKS}(isa:{BLANKS}(?:{alternatives(EXTENSIONS)}))(?![\w-])",
                "captures": {"1": {"name": said}},
            },
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
