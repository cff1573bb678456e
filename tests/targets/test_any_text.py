"""Whatever stands in a file of a set, it is read, and an edit is read like the whole."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.isa import load_isa
from tests.fuzz import check_text
from tests.hostile import mutated, noise
from tests.targets.aie.cases import NAMES, specs_of, written
from tests.targets.aie.test_surface import PRINTED

PROGRAMS = sorted((Path(__file__).parent / "colossus" / "programs").glob("*.S"))
BLANKS = ("\n", "\n", "\r", "\r\n", "\t", "\f", "\0", "\ufeff", "\ud800", "\u2028", " ", " ")
OF_AIE = (
    "nop", "lda", "r0", "r17:r16", "[p0, #32]", "[sp, #-32]", "#.La", "#(1<<3)|2", "scd[r31++]",
    "\t.p2align 4\n", ".La:\n", "a: nop\n", "// c;\n", '.ascii "// b;"\n', ".macro m\n",
    ",", ";", ";\n", ":", "#", "[", "]", "=", "(", ")", "<<", "//", "/*", "*/", '"', "\\", "'",
)  # fmt: skip
OF_COLOSSUS = (
    "add", "setzi", "ld32", "f32add", "rpt", "bri", "nop", "fnop", "ldconst", "FOO", "\\op",
    "$m0", "$a0:1", "$a0:3", "$m0:1+=", "$m1++", "$m2@", "$m3>>", "$a0:BL", "$mBase", "$azeros",
    "$WSR", "\\arg", "\\x\\()_y", "\\@", "1f", "2b", "((2f - 1f) / 8) - 1", "0x10", "-2.0h",
    "575 << 20", "SYMBOL + 4", "FOO(1, 2)", "'a'", '"text; {"', ".Lfoo", "$", "1.5e3", "012",
    "0b", "~(1", "3 4",
    "#define A m0\n", "#define B(x) x ; \\\n y\n", "#include <a>\n", "#ifdef A\n", "#else\n",
    "#endif\n", ".macro M a, b=1\n", ".endm\n", ".worker\n", ".supervisor\n", ".align 8\n",
    ".rept 2\n", ".endr\n", "X = 3\n", ".set Y, 4\n", ".allow_invalid_operands\n",
    ".warn_on_invalid_bundles\n", "# ipu: ignore[E101]\n", "// ipu: ignore\n", ".Lfoo: ", "1:",
    "2: ", "a: b: ", "\\n\\():",
    "{", "}", "{ ", " }\n", ";", ";\n", ",", ", ", ",\n", "(", ")", "(\n", ":", "=", "#", "//",
    "/*", "*/", "\\", "\\\n", "\\ \n", '"', "@", "?", "`", "é", "\n\n",
)  # fmt: skip
OF_EDGENPU = (
    *load_isa("edgenpu").instructions,
    "AB", "WB", "AB[1]", "WB[0]", "2D", "IRQ", "WAIT_DMA", "RELU", "MAX", "kernel=3x3",
    "0x80000000", "0x10000", "4", "-1", "1e9", "5:", "start", "start:", "end", "end:", "desc=",
    "axis=", ",", ",", ", ", "|", "=", ":", ";", "[", "]", ".", "+", "-", "; ipu: ignore[E001]",
)  # fmt: skip
PIECES: Final = {"xdna1": OF_AIE, "colossus": OF_COLOSSUS, "edgenpu": OF_EDGENPU}


def texts_of(isa: str) -> st.SearchStrategy[str]:
    """Texts of what a file of a set may contain, and of anything else."""
    pieces = st.one_of(st.sampled_from((*PIECES[isa], *BLANKS)), st.text(max_size=3))
    return st.lists(pieces, max_size=40).map("".join)


def check_edits(isa: str, *texts: str) -> None:
    """Each text is sound, and is read after the one before as it would be afresh."""
    analysis: Analysis | None = None
    for text in texts:
        analysis, _ = check_text(text, isa, analysis)


@pytest.mark.parametrize("isa", PIECES)
@given(data=st.data())
def test_any_text_and_its_edits_are_read(isa: str, data: Any) -> None:
    texts = [data.draw(texts_of(isa))]
    edits = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), texts_of(isa)), max_size=5)
    for where, length, new in data.draw(edits):
        text = texts[-1]
        start = int(where * len(text))
        texts.append(text[:start] + new + text[start + int(length * len(text)) :])
    check_edits(isa, *texts)


@pytest.mark.parametrize("isa", NAMES)
def test_damaged_programs_of_ai_engines_are_read(isa: str) -> None:
    random = Random(5)
    lines = [f"\t{written(spec, random.randrange(9))}\n" for spec in specs_of(isa)]
    seeds = [PRINTED, *("".join(random.sample(lines, 12)) for _ in range(10))]
    for _ in range(25):
        texts = [random.choice(seeds) if random.random() < 0.8 else noise(random)]
        for _edit in range(3):
            texts.append(mutated(random, texts[-1], seeds))
        check_edits(isa, *texts[1:])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_small_edits_of_a_program_of_colossus_are_read_like_the_whole(path: Path) -> None:
    random = Random(7)
    texts = [path.read_text(encoding="utf-8")]
    for _ in range(25):
        text = texts[-1] if random.random() < 0.7 else texts[0]
        at = random.randrange(len(text))
        new = random.choice((*OF_COLOSSUS, *BLANKS, "", "", ""))
        texts.append(text[:at] + new + text[at + random.choice((0, 0, 1, 1, 3, 30)) :])
    check_edits("colossus", *texts)


@pytest.mark.parametrize("code", [";,a", "; nop; nop; add $m0, $m1, 1"])
def test_a_quote_that_ends_a_string_cuts_its_line_anew(code: str) -> None:
    ends = ("", '";;', ";", '"')
    check_edits("colossus", *(f'nop\n\t"{code}{end}\nnop' for end in ends))


def test_a_line_break_that_grows_or_shrinks_is_read_anew() -> None:
    states = ["NOP 1\rNOP 2", "NOP 1\r\nNOP 2", "NOP 1\nNOP 2", "NOP 1NOP 2", "NOP 1\r\r\nNOP 2"]
    check_edits("edgenpu", *states, *reversed(states))


def test_blank_lines_comments_and_labels_take_no_address() -> None:
    text = "\n; c\r\n \t \na:\n\nNOP\nb: ; c\n\nc: NOP\nd:"
    analysis, _ = check_text(text, "edgenpu")
    assert analysis.diagnostics == ()
    assert analysis.program.label_addresses == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert analysis.program.size == 2


@pytest.mark.parametrize(
    ("isa", "text"),
    [
        ("xdna1", "nop " + "a, " * 30_000 + "\n" + "a: " * 20_000),
        ("xdna1", "nopa; " * 20_000 + "\n" + "#" * 20_000),
        ("xdna1", "mova r0, #" + "(" * 20_000 + "\n" + '"' * 20_001),
        ("edgenpu", ";" * 500_000 + "\n" + "x" * 500_000),
        ("edgenpu", "NOP " + "," * 100_000 + "\n" + "a: " * 40_000),
        ("edgenpu", "SYNC " + "IRQ | " * 40_000 + "IRQ\n" + "ADD " + "AB[1], " * 10_000),
        ("colossus", "{" * 100_000),
        ("colossus", "{ nop ; " * 20_000),
        ("colossus", "(" * 100_000),
        ("colossus", "add " + "(" * 50_000),
        ("colossus", "/*" * 100_000),
        ("colossus", "#" * 100_000),
        ("colossus", "#\\\n" * 50_000),
        ("colossus", "a: " * 50_000),
        ("colossus", "add $m0, $m1" + ", 1" * 50_000),
        ("colossus", "add $m0, $m1, " + "1 + " * 50_000 + "1"),
        ("colossus", "{\n.if 1\n" * 20_000),
        ("colossus", "FOO(a,\n" * 30_000),
        ("colossus", '"' * 100_001),
        ("colossus", "$m0:" * 50_000),
        ("colossus", "\\" * 100_000),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_endless_repetitions_are_read(isa: str, text: str) -> None:
    check_text(text, isa)
