"""Whatever stands in a Colossus file, it is read, and an edit is read like the whole."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from tests.invariants import assert_same, assert_sound

ISA = load_isa("colossus")
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.S"))
MNEMONICS = (
    "add",
    "setzi",
    "ld32",
    "f32add",
    "rpt",
    "bri",
    "nop",
    "fnop",
    "ldconst",
    "FOO",
    "\\op",
)
OPERANDS = (
    "$m0", "$a0:1", "$a0:3", "$m0:1+=", "$m1++", "$m2@", "$m3>>", "$a0:BL", "$mBase", "$azeros",
    "$WSR", "\\arg", "\\x\\()_y", "\\@", "1f", "2b", "((2f - 1f) / 8) - 1", "0x10", "-2.0h",
    "575 << 20", "SYMBOL + 4", "FOO(1, 2)", "'a'", '"text; {"', ".Lfoo", "$", "1.5e3", "012",
    "0b", "~(1", "3 4",
)  # fmt: skip
LINES = (
    "#define A m0\n", "#define B(x) x ; \\\n y\n", "#include <a>\n", "#ifdef A\n", "#else\n",
    "#endif\n", ".macro M a, b=1\n", ".endm\n", ".worker\n", ".supervisor\n", ".align 8\n",
    ".rept 2\n", ".endr\n", "X = 3\n", ".set Y, 4\n", ".allow_invalid_operands\n",
    ".warn_on_invalid_bundles\n", "# ipu: ignore[E101]\n", "// ipu: ignore\n", ".Lfoo: ", "1:",
    "2: ", "a: b: ", "\\n\\():",
)  # fmt: skip
MARKS = (
    "{", "}", "{ ", " }\n", ";", ";\n", ",", ", ", ",\n", "(", ")", "(\n", ":", "=", "#", "//",
    "/*", "*/", "\\", "\\\n", "\\ \n", '"', "@", "?", "`", "é", "\0", "\f", "\r", "\r\n", "\n",
    "\n\n", " ", "\t", "\ufeff", "\ud800", "\u2028",
)  # fmt: skip
PIECES = st.one_of(
    st.sampled_from((*MNEMONICS, *OPERANDS, *LINES, *MARKS, *MARKS)), st.text(max_size=2)
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def check_analysis(text: str, before: Analysis | None = None) -> Analysis:
    """The analysis is sound, and says the same with `before` as without."""
    analysis = Analyzer(ISA).analyze(text, before=before)
    assert_sound(analysis)
    if before is not None:
        assert_same(analysis, Analyzer(ISA).analyze(text))
    return analysis


@given(TEXTS)
@settings(max_examples=400)
def test_any_text_is_read(text: str) -> None:
    check_analysis(text)


@given(TEXTS, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), TEXTS), max_size=6))
@settings(max_examples=300)
def test_edits_are_read_like_the_whole(text: str, edits: list[tuple[float, float, str]]) -> None:
    analysis = check_analysis(text)
    for where, length, new in edits:
        start = int(where * len(text))
        text = text[:start] + new + text[start + int(length * len(text)) :]
        analysis = check_analysis(text, analysis)


@pytest.mark.parametrize("code", [";,a", "; nop; nop; add $m0, $m1, 1"])
def test_a_quote_that_ends_a_string_cuts_its_line_anew(code: str) -> None:
    analysis = check_analysis(f'nop\n\t"{code}\nnop')
    for text in (f'nop\n\t"{code}";;\nnop', f'nop\n\t"{code};\nnop', f'nop\n\t"{code}"\nnop'):
        analysis = check_analysis(text, analysis)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_small_edits_of_a_program_are_read_like_the_whole(path: Path) -> None:
    random = Random(7)
    original = path.read_text(encoding="utf-8")
    analysis = check_analysis(original)
    for _ in range(60):
        text = analysis.text if random.random() < 0.7 else original
        at = random.randrange(len(text))
        new = random.choice((*MARKS, *LINES, *OPERANDS, "", "", ""))
        text = text[:at] + new + text[at + random.choice((0, 0, 1, 1, 3, 30)) :]
        analysis = check_analysis(text, analysis)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "{ nop ; " * 20_000,
        "(" * 100_000,
        "add " + "(" * 50_000,
        "/*" * 100_000,
        "#" * 100_000,
        "#\\\n" * 50_000,
        "a: " * 50_000,
        "add $m0, $m1" + ", 1" * 50_000,
        "add $m0, $m1, " + "1 + " * 50_000 + "1",
        "{\n.if 1\n" * 20_000,
        "FOO(a,\n" * 30_000,
        '"' * 100_001,
        "$m0:" * 50_000,
        "\\" * 100_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_endless_repetitions_are_read(text: str) -> None:
    check_analysis(text)
