"""The generated grammars in the engine of VS Code, held against what the server says of each word.

A character is right if its innermost scope is one that its semantic token allows; one without a
semantic token must look like nothing in particular.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, Sequence

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.diagnostics import UnplacedFinding
from ipu_asm.ide.semantic_tokens import (
    COMMENT,
    DEFINITION,
    DIRECTIVE,
    KEYWORD,
    LABEL,
    MNEMONIC,
    NUMBER,
    PARAMETER,
    REGISTER,
    STRING,
    SemanticToken,
    semantic_tokens,
)
from ipu_asm.isa import available_isas, load_isa, manifests
from ipu_asm.isa.model import InstructionSpec, Isa, Operand
from ipu_asm.isa.operands import OperandType, number_value
from ipu_asm.lint.suppression_comments import suppression_comments
from ipu_asm.reports.textmate_patterns import has_preprocessor, language_of
from ipu_asm.syntax.grammar import load_grammar
from tests.editors.conftest import need
from tests.editors.install_cache import command

PROJECT = Path(__file__).resolve().parents[2]
TOKENIZER = Path(__file__).with_name("textmate.js")
EXAMPLES = sorted((PROJECT / "examples").glob("*.s"))
# Without the server, a name that a header or a template defines looks like any other word.
EXAMPLES_OF_SETS = [
    (name, path)
    for name in available_isas()
    for path in (PROJECT / "examples" / name).glob("*")
    if not re.search("#define|{%", path.read_text(encoding="utf-8"))
]
EVERY_ISA = pytest.mark.parametrize("name", available_isas())
LONGEST_S = 60
_MOST_PARTS = 4
_FEW = 3

NOTHING = ("source", "punctuation", "keyword.operator", "keyword.control.bundle-end")
# Colours for what the server leaves alone: control registers, and numbers such as 1.5.
MORE = ("constant.language.control", "constant.numeric.other")
NUMERIC = ("constant.numeric",)
LABELS = ("entity.name.function.label",)
# Before a number, and not a part of it.
MARKS = ("#",)
ALLOWED = {
    NUMBER: NUMERIC,
    KEYWORD: (
        "constant.language",
        "constant.numeric.pair",
        "keyword.operator.bitwise",
        "keyword.control.assertion",
        "keyword.operator.word",
    ),
    PARAMETER: ("variable.parameter",),
    COMMENT: ("comment", "keyword.control.directive"),
    DIRECTIVE: ("keyword.control.directive", "meta.preprocessor"),
    STRING: ("string.quoted",),
}

WORDS_OF_ASSERTIONS = (
    "keyword.control.assertion",
    "keyword.operator.word",
    "variable.language.register",
)

Painted = list[tuple[str, ...]]


def check_painted(name: str, *texts: str) -> list[Painted]:
    """The texts are painted as their semantic tokens want it; the scopes of each character."""
    isa = load_isa(name)
    painted = paint(isa, texts)
    for text, scopes in zip(texts, painted):
        wanted = wanted_scopes(isa, text)
        wrong = [
            (text[max(at - 20, 0) : at + 20], text[at], scopes[at][-1], wanted[at])
            for at, character in enumerate(text)
            if not character.isspace() and not _is_right(scopes[at], wanted[at])
        ]
        assert wrong == [], text
    return painted


def paint(isa: Isa, texts: Sequence[str]) -> list[Painted]:
    """The scopes of every character, from the outermost in, without what tells the language."""
    need("vscode-textmate")
    language = isa.surface.language_id
    grammar = PROJECT / "grammars" / f"{language}.tmLanguage.json"
    suffix = f".{language.removesuffix('-asm')}"
    node = shutil.which("node")
    assert node, "Node.js must be on the PATH"
    done = subprocess.run(
        [node, str(TOKENIZER), f"source.asm{suffix}", str(grammar)],
        input=json.dumps(texts),
        env={"NODE_PATH": str(command("vscode-textmate"))},
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = json.loads(done.stdout)
    return [_by_character(text, tokens, suffix) for text, tokens in zip(texts, answers)]


def _by_character(text: str, tokens: list[tuple[int, int, list[str]]], suffix: str) -> Painted:
    painted: Painted = [("source",)] * len(text)
    for start, end, scopes in tokens:
        names = tuple(part.removesuffix(suffix) for scope in scopes for part in scope.split(" "))
        painted[start:end] = [names] * (min(end, len(text)) - start)
    return painted


def wanted_scopes(isa: Isa, text: str) -> list[tuple[str, ...]]:
    """For each character, how its innermost scope may begin."""
    wanted: list[tuple[str, ...]] = [(*NOTHING, *MORE)] * len(text)
    program = analyze(text, isa).program
    for start, bundle in zip(program.starts, program.bundles):
        for token in semantic_tokens(isa, bundle):
            span = token.span.shifted(start)
            allowed = _allowed(isa, token, text[span.start : span.end])
            wanted[span.start : span.end] = [allowed] * (span.end - span.start)
    return wanted


def _allowed(isa: Isa, token: SemanticToken, text: str) -> tuple[str, ...]:
    if token.kind == MNEMONIC:
        return tuple(f"keyword.control.mnemonic.{slot}" for slot in _slots(isa, text))
    if token.kind == REGISTER:
        return (".".join(("variable.language.register", *token.modifiers)),)
    if token.kind == LABEL:
        is_name = DEFINITION in token.modifiers or number_value(text) is None
        return LABELS if is_name else NUMERIC
    if token.kind == KEYWORD and text.lower() in isa.file_of_register:
        return (*ALLOWED[KEYWORD], "variable.language.register")
    if token.kind == NUMBER and text in MARKS:
        return (*NUMERIC, *NOTHING)
    return ALLOWED[token.kind]


def _slots(isa: Isa, mnemonic: str) -> set[str]:
    """The slots of all forms of a mnemonic: which one it takes is told by its operands."""
    written = mnemonic.lower() if mnemonic.lower() in isa.instructions else mnemonic.upper()
    spec = isa.instructions.get(mnemonic) or isa.instructions[written]
    return {form.slot for form in isa.forms(spec)}


def _is_right(scopes: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """In a comment everything is a comment, except for the words of an assertion."""
    is_comment = any(scope.startswith("comment") for scope in scopes)
    if wanted is ALLOWED[COMMENT]:
        return is_comment and not scopes[-1].startswith(WORDS_OF_ASSERTIONS)
    if is_comment and not scopes[-1].startswith(WORDS_OF_ASSERTIONS):
        return False
    return any(f"{scopes[-1]}.".startswith(f"{start}.") for start in wanted)


def scopes_of(name: str, line: str, *words: str) -> list[str]:
    """The innermost scope of each of these words, where a line first has them."""
    [painted] = paint(load_isa(name), [line])
    return [painted[line.index(word)][-1] for word in words]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_an_example_looks_before_the_server_runs_as_it_does_then(path: Path) -> None:
    [painted] = check_painted("ipu", path.read_text(encoding="utf-8"))
    seen = {scopes[-1].partition(".")[0] for scopes in painted}
    assert {"keyword", "variable", "entity", "constant"} <= seen


@pytest.mark.parametrize(("name", "path"), EXAMPLES_OF_SETS, ids=lambda part: Path(part).name)
def test_an_example_of_another_set_looks_the_same_before_and_after(name: str, path: Path) -> None:
    [painted] = check_painted(name, path.read_text(encoding="utf-8"))
    seen = {scopes[-1].partition(".")[0] for scopes in painted}
    assert {"keyword", "variable", "entity", "constant"} <= seen


@EVERY_ISA
def test_every_instruction_s_own_example_is_painted_as_the_server_paints_it(name: str) -> None:
    check_painted(name, *(spec.doc.example for spec in load_isa(name).instructions.values()))


@EVERY_ISA
def test_every_instruction_is_known_with_its_slot_and_its_operands(name: str) -> None:
    isa = load_isa(name)
    seen: set[tuple[str, OperandType]] = set()
    lines = [line for spec in isa.instructions.values() for line in _lines(isa, spec, seen)]
    painted = check_painted(name, *lines)
    assert len(lines) >= 2 * len(isa.instructions)
    slots = {scopes[0][-1].rpartition(".")[2] for scopes in painted}
    assert slots == {spec.slot for spec in isa.instructions.values()}


def _lines(isa: Isa, spec: InstructionSpec, seen: set[tuple[str, OperandType]]) -> Iterator[str]:
    """An instruction with things that its operands take, as it is and in other cases.

    Each thing that a type of operand takes is written once for each slot: `seen` has those types.
    """
    end = f"{isa.surface.bundle_end}\n"
    operands = [list(_samples(operand)) for operand in spec.operands]
    kinds = [(spec.slot, operand.type) for operand in spec.operands]
    counts = [len(some) if kind not in seen else _FEW for some, kind in zip(operands, kinds)]
    seen.update(kinds)
    for number in range(max(counts, default=1)):
        written = [samples[number % len(samples)] for samples in operands]
        line = isa.surface.operand_separator.join(written)
        swapped = map(_in_other_case, written, spec.operands)
        yield f"{spec.mnemonic} {line}{end}"
        yield f"{spec.mnemonic} {isa.surface.operand_separator.join(swapped)}{end}"
        if isa.surface.case_insensitive and not _is_of_another_set(isa, spec.mnemonic.swapcase()):
            yield f"{spec.mnemonic.swapcase()} {line}{end}"


def _is_of_another_set(isa: Isa, mnemonic: str) -> bool:
    """Whether the first set of the language has this very mnemonic, whose colours it then has."""
    others = (load_isa(each) for each in manifests() if each != isa.name)
    return any(
        mnemonic in other.instructions
        for other in others
        if other.surface.language_id == isa.surface.language_id
    )


def _in_other_case(text: str, operand: Operand) -> str:
    """The same in capital letters where those were small, unless that would mean another thing."""
    name, _, value = text.rpartition("=") if operand.keyword else ("", "", text)
    swapped = value.swapcase()
    means_the_same = operand.type.parse(swapped) == operand.type.parse(value)
    return f"{name}={swapped}" if name else swapped if means_the_same else text


def _in_brackets(operand_type: OperandType) -> list[str]:
    """An operand in brackets, of what can follow each of its parts."""
    begun = "["
    for _ in range(_MOST_PARTS):
        parts = [choice.text for choice in operand_type.complete_part(begun)] or ["#0"]
        if not isinstance(operand_type.parse(f"{begun}{parts[-1]}]"), UnplacedFinding):
            return [f"{begun}{parts[-1]}]"]
        begun += f"{parts[-1]},"
    return []


def _samples(operand: Operand) -> Iterator[str]:
    name = f"{operand.keyword}=" if operand.keyword else ""
    choices = [choice.text for choice in operand.type.complete()] or _in_brackets(operand.type)
    mark = operand.type.prefix
    others = ("1", "0x1F0000", "0", "-4", "a_label", "1x1")
    for text in (*choices, *(mark + other for other in others)):
        if not isinstance(operand.type.parse(text), UnplacedFinding):
            yield f"{name}{text}"


def test_blanks_lines_and_comments_between_the_words_change_no_colour() -> None:
    chance = random.Random(5)
    texts = [_scattered(path.read_text(encoding="utf-8"), chance) for path in EXAMPLES * 3]
    check_painted("ipu", *texts)


def _scattered(text: str, chance: random.Random) -> str:
    """The words of a program with anything between them that may be there."""
    gaps = (" ", "   ", "\t", "\n", "\r\n", "  # acc; lr0 ;; 5\n", " // row: set # ;;\n", "##\n")
    result = ""
    for word in load_grammar("ipu").words(text):
        result += word if word == ":" else f"{chance.choice(gaps)}{word}"
    return result


@EVERY_ISA
def test_any_text_has_the_comments_that_the_assembler_sees(name: str) -> None:
    isa, chance = load_isa(name), random.Random(7)
    pieces = ["#", "//", "/", ";;", ":", "lr0", "acc", " ", "\n", "\r\n", "é"]
    # Block comments, strings and comments after `;` that a set does not have are one mistake with
    # all that is in them.
    if isa.surface.block_comments:
        pieces += [";", "/*", "*/"]
        # To the assembler a quote is nothing in lines for the preprocessor.
        pieces += [] if has_preprocessor(language_of((isa,))) else ['"']
    # Whether something further down ends a comment is nothing that an editor can know on its line.
    end = "".join(f"\n{end}" for _, end in isa.surface.block_comments)
    texts = ["".join((*chance.choices(pieces, k=40), end)) for _ in range(200)]
    for text, painted in zip(texts, paint(isa, texts)):
        wanted = wanted_scopes(isa, text)
        for at in set(range(len(text))) - for_the_preprocessor(isa, text):
            if not text[at].isspace():
                is_comment = any(scope.startswith("comment") for scope in painted[at])
                assert is_comment == (wanted[at] is ALLOWED[COMMENT]), (text, at)


def for_the_preprocessor(isa: Isa, text: str) -> set[int]:
    """The places of lines for the preprocessor, to which the comments in them belong."""
    program = analyze(text, isa).program
    return {
        start + at
        for start, bundle in zip(program.starts, program.bundles)
        for token in bundle.syntax.tokens
        if token.kind == "DIRECTIVE" and token.text.startswith("#")
        for at in range(*token.span)
    }


def test_the_longest_mnemonic_wins_and_a_longer_word_is_none() -> None:
    slot = "keyword.control.mnemonic.mult"
    assert scopes_of("ipu", "mult.ve.cr lr0", ".cr") == [slot]
    assert scopes_of("ipu", "mult.ve lr0", ".ve") == [slot]
    for unknown in ("mult.ve.c", "mult.ve.crx", "mult", "mult.ve.", "ACC", "+acc", "acc_"):
        assert scopes_of("ipu", f"{unknown} lr0;;", unknown) == ["source.asm"]
    assert scopes_of("edgenpu", "conv ab[0]", "conv") == ["keyword.control.mnemonic.main"]


@pytest.mark.parametrize(
    ("number", "base"),
    [
        ("0", "decimal"), ("-1_000", "decimal"), ("+0x_fF", "hex"), ("0O17", "octal"),
        ("-0b1_0", "binary"),
    ],
)  # fmt: skip
def test_a_number_tells_its_base(number: str, base: str) -> None:
    assert scopes_of("ipu", f"set lr1 {number};;", number) == [f"constant.numeric.{base}"]


@pytest.mark.parametrize("number", ["010", "1__0", "1_", "0x", "0xG", "0b2", "12abc", "1.5", "1e3"])
def test_what_is_no_number_is_marked(number: str) -> None:
    assert number_value(number) is None
    assert scopes_of("ipu", f"set lr1 {number};;", number) == ["invalid.illegal.number"]


def test_two_numbers_without_a_blank_are_two_numbers() -> None:
    [painted] = check_painted("ipu", "break.ifeq lr0 5;b+3;set lr1-0x5;;")
    assert painted[-3][-1] == "constant.numeric.hex"


def test_a_word_is_a_keyword_or_a_label_only_where_one_is_due() -> None:
    assert scopes_of("ipu", "agg max value cr0 aaq0;;", "max", "value") == ["constant.language"] * 2
    assert scopes_of("ipu", "bne lr0 lr1 max;;", "max") == ["entity.name.function.label"]
    assert scopes_of("ipu", "set lr0 max;;", "max") == ["source.asm"]
    assert scopes_of("ipu", "foo max lr1;;", "foo", "max", "lr1") == [
        "source.asm",
        "source.asm",
        "variable.language.register.lr",
    ]
    assert scopes_of("ipu", "foo acc lr1;;", "acc") == ["source.asm"]


def test_the_end_of_a_bundle_stands_out_more_than_a_separator() -> None:
    line = "acc; b +1;;"
    [painted] = paint(load_isa("ipu"), [line])
    assert painted[3][-1] == "punctuation.separator.instruction"
    end = ("source.asm", "punctuation.terminator.bundle", "keyword.control.bundle-end")
    assert painted[-1] == painted[-2] == end


def test_a_forgotten_separator_costs_the_colours_of_no_other_line() -> None:
    text = "    incr lr0 1\n    acc\nrow:\n    set lr1 5\n"
    [painted] = paint(load_isa("ipu"), [text])
    innermost = {word: painted[text.index(word)][-1] for word in ("incr", "acc", "row", "set")}
    assert innermost == {
        "incr": "keyword.control.mnemonic.lr",
        "acc": "keyword.control.mnemonic.acc",
        "row": "entity.name.function.label",
        "set": "keyword.control.mnemonic.lr",
    }


@pytest.mark.parametrize(
    "comment",
    [
        "# ipu: ignore[unused-label] called by the host", "//ipu:ignore[W101, H001]",
        "## ipu: ignore-file[unused-label]", "# a reason # ipu: ignore[x]", "# ipu: ignore",
        "# ipu: ignores[x]", "# no ipu: ignore[x]", "# ipu: ignore[x", "# ipu: run", "#ipu:",
    ],
)  # fmt: skip
def test_what_is_said_to_the_linter_stands_out_where_it_hears_it(comment: str) -> None:
    text = f"{comment}\nacc;;\n"
    analysis = analyze(text)
    [painted] = paint(load_isa("ipu"), [text])
    said = "".join(c for c, scopes in zip(text, painted) if "keyword.control.directive" in scopes)
    names = "".join(c for c, scopes in zip(text, painted) if "entity.name.tag.finding" in scopes)
    heard = suppression_comments(analysis.program, analysis.source)
    assert [re.sub(r".*:\s*", "", said)] == ([directive.word for directive in heard] or [""])
    for directive in heard:
        assert re.findall(r"[^\s,]+", names) == [text[a:b] for a, b in directive.names or ()]


def test_the_instruction_set_that_a_comment_names_stands_out() -> None:
    directive = "keyword.control.directive"
    assert scopes_of("ipu", "# isa: edgenpu", "isa") == [directive]
    assert scopes_of("edgenpu", ";isa:xdna1 // x", "isa", "xdna1") == [directive, directive]
    for prose in ("# the isa: ipu", "# isa: of ours", "# isa: ipus"):
        assert scopes_of("ipu", prose, "isa")[0].startswith("comment.line.number-sign")


def test_what_a_linker_is_told_is_no_instruction() -> None:
    directive = "keyword.control.directive"
    assert scopes_of("xdna1", '    .file "a;b//c" // d', ".file", '"a;b//c"', "d") == [
        directive,
        "string.quoted.double",
        "comment.line.double-slash",
    ]
    assert scopes_of("colossus", "f: .align 8; nop", "f", ".align", "8", "nop") == [
        "entity.name.function.label",
        directive,
        "constant.numeric.decimal",
        "keyword.control.mnemonic.main",
    ]
    assert scopes_of("colossus", "SIZE = 1 << 3", "SIZE", "=", "3")[::2] == [
        directive,
        "constant.numeric.decimal",
    ]
    assert scopes_of("colossus", "{ .long 1 ; nop }", ".long", "nop", "}") == [
        directive,
        "keyword.control.mnemonic.main",
        "punctuation.section.braces.end",
    ]


def test_a_line_for_the_preprocessor_goes_on_behind_a_backslash() -> None:
    line = "#define TWO(x) \\\n  nop ; \\\n  x // twice\nnop"
    assert scopes_of("colossus", line, "#define", "TWO", "nop", "x //", "// ") == [
        "keyword.control.directive",
        *["meta.preprocessor"] * 3,
        "punctuation.definition.comment",
    ]
    assert scopes_of("colossus", line[::-1][:3][::-1], "nop") == ["keyword.control.mnemonic.main"]
    [painted] = paint(load_isa("colossus"), [line])
    assert painted[-1][-1] == "keyword.control.mnemonic.main"


def test_registers_are_whole_with_their_groups_and_what_stands_behind_them() -> None:
    line = "ld64step $a0:1, $mzero, $m10+=, 1 ; f32v2add $a2:3, $a0:B, $a14:15"
    assert scopes_of("colossus", line, "$a0:1", ":1", "$mzero", "+=", ":B", ":15") == [
        *["variable.language.register.pair-of-aux-registers"] * 2,
        *["variable.language.register.main-register"] * 2,
        "variable.language.register.aux-register",
        "variable.language.register.pair-of-aux-registers",
    ]
    assert (
        scopes_of("xdna2", "mov r1:r0, l2", "r1", ":", "r0", "l2")
        == ["variable.language.register.pair"] * 4
    )


def test_labels_that_are_numbers_are_labels_with_their_direction() -> None:
    line = "1: { brnzdec $m0, 1b ; fnop }"
    label = "entity.name.function.label"
    assert scopes_of("colossus", line, "1:", "1b", "b ;") == [label, label, label]
    assert scopes_of("colossus", "add $m0, $m0, 1b", "1b") == ["constant.numeric.other"]


def test_what_a_macro_puts_there_is_nothing_in_particular() -> None:
    line = "ld32\\suffix $m0, \\base, $mzero, \\offset"
    assert scopes_of("colossus", line, "ld32", "\\base", "\\offset") == ["source.asm"] * 3


def test_a_block_comment_goes_over_lines_and_leaves_strings_alone() -> None:
    for name in ("xdna1", "colossus"):
        [painted] = paint(load_isa(name), ['nop /* a\n nop "*/ nop'])
        assert [scopes[1] for scopes in painted[-10:-4]] == ["comment.block"] * 6
        assert painted[-1][-1].startswith(("keyword.control.mnemonic", "source"))
    assert scopes_of("colossus", '.ascii "/*" ; nop', "nop") == ["keyword.control.mnemonic.main"]


def test_the_mark_of_an_immediate_and_a_sign_are_told_apart() -> None:
    line = "padda [p0], #-32; add r0, r0, #4-2*8"
    assert scopes_of("xdna1", line, "#-", "-32", "#4", "-2", "2*", "*8") == [
        "punctuation.definition.immediate",
        "constant.numeric.decimal",
        "punctuation.definition.immediate",
        "keyword.operator.arithmetic",
        "constant.numeric.decimal",
        "keyword.operator.arithmetic",
    ]


@pytest.mark.parametrize("mark", ["#", "//"])
def test_words_of_assertions_are_painted_as_the_server_paints_them(mark: str) -> None:
    said = [
        "ASSERT lr5 in 0..127, LR13 % 128 == 0 and not xlr5",
        "ASSERT-AFTER lr5 == cr3  # lr5 is the row",
        "LOOP 128",
        "LOOP lr3 + 1",
        "LOOP over the rows of lr3",
        "CYCLES <= 11  # of lr5",
        "CYCLES are counted in lr5",
        "REGION out = cr2 + 0..0x4000 write",
        "REGION of cr2",
        "CR cr4 = 64 | 128  // columns of cr4",
        "CR cr4",
        "LOG lr5 sum(acc)",
        "ASSERTS lr5",
        "we ASSERT lr5",
    ]
    [painted] = check_painted(
        "ipu", "".join(f"acc;; {mark} {each}\n" for each in said) + "bkpt;;\n"
    )
    seen = {scopes[-1] for scopes in painted}
    assert {"keyword.control.assertion", "keyword.operator.word"} <= seen
