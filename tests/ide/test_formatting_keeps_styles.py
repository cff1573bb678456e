"""Formatting a text in a style of its own: what agrees stays, what deviates is mended."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Iterator, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.text import apply_edits
from tests.ide.test_everywhere import TEXTS
from tests.ide.test_formatting import check_formatting


class Style(NamedTuple):
    """How an author writes: columns of 0 mean blanks instead."""

    indent: str
    operands: int
    comment: int
    blanks: str
    before_separator: str
    before_end: str


class Written(NamedTuple):
    """A line: its label, its instructions, and its comment."""

    label: str
    instructions: tuple[tuple[str, ...], ...]
    ends: bool
    comment: str


STYLES_OF_AUTHORS = st.builds(
    Style,
    indent=st.sampled_from(["", "  ", "    ", "\t", "        "]),
    operands=st.sampled_from([0, 8, 20, 24]),
    comment=st.sampled_from([0, 40, 60]),
    blanks=st.sampled_from([" ", "  ", "\t"]),
    before_separator=st.sampled_from(["", " "]),
    before_end=st.sampled_from(["", " "]),
)
OPERANDS = st.sampled_from(["lr0", "lr15", "cr3", "0x10", "-5"])
INSTRUCTIONS = st.tuples(st.sampled_from(["set", "acc", "incr", "ldr_cyclic_mult_reg"])).flatmap(
    lambda word: st.lists(OPERANDS, max_size=3).map(lambda rest: (*word, *rest))
)
LINES = st.builds(
    Written,
    label=st.sampled_from(["", "", "", "loop", "a_longer_label"]),
    instructions=st.lists(INSTRUCTIONS, min_size=1, max_size=3).map(tuple),
    ends=st.booleans(),
    comment=st.sampled_from(["", "", "# why", "# a longer remark"]),
)


def written(style: Style, lines: list[Written]) -> str:
    """The text of some lines."""
    return "".join(_line(style, line) for line in lines)


def _line(style: Style, line: Written) -> str:
    is_alone = len(line.instructions) == 1
    parts = [_instruction(style, parts, is_alone) for parts in line.instructions]
    mark = f"{style.before_end};;" if line.ends else f"{style.before_separator};"
    code = f"{style.before_separator}; ".join(parts) + mark
    code = f"{line.label}: {code}" if line.label else style.indent + code
    if not line.comment:
        return f"{code}\n"
    width = len(code.expandtabs(8))
    gap = " " * (style.comment - width) if width + 2 <= style.comment else "  "
    return f"{code}{style.blanks if not style.comment else gap}{line.comment}\n"


def _instruction(style: Style, parts: tuple[str, ...], is_alone: bool) -> str:
    mnemonic, *operands = parts
    if not operands:
        return mnemonic
    if not style.operands or not is_alone:
        return f"{mnemonic} {' '.join(operands)}"
    return f"{mnemonic.ljust(style.operands - 1)} {' '.join(operands)}"


HEAD = [
    *[Written("", (("set", "lr0", "5"),), True, "# a")] * 3,
    *[Written("", (("acc",), ("incr", "lr1", "1")), False, "")] * 3,
    Written("", (("bkpt",),), True, ""),
    Written("loop", (("acc",), ("set", "lr2", "1")), True, ""),
    Written("", (("ldr_cyclic_mult_reg", "lr0"),), True, ""),
]
"""Lines that show every part of a style."""


@given(STYLES_OF_AUTHORS, st.lists(LINES, max_size=12))
def test_a_text_in_one_style_stays_byte_for_byte(style: Style, lines: list[Written]) -> None:
    text = written(style, [*HEAD * 3, *lines])
    assert check_formatting(text) == text


def test_lines_that_deviate_in_two_groups_come_out_even() -> None:
    body = "    set lr0 1;;\n" * 5 + "a:\n    acc;;\nb:\n    acc;;\nc:\n"
    deeper = "      incr lr0 1;\n      acc;;\n" * 2
    less = "  incr lr0 1;\n  acc;;\n" * 2
    text = f"{body}{deeper}  d:\n{less}  e:\n    bkpt;;\n"
    even = "    incr lr0 1;\n    acc;;\n" * 2
    assert check_formatting(text) == f"{body}{even}d:\n{even}e:\n    bkpt;;\n"


@given(STYLES_OF_AUTHORS, STYLES_OF_AUTHORS, st.lists(LINES, min_size=1, max_size=3))
def test_lines_of_another_style_become_as_the_others(
    style: Style, other: Style, lines: list[Written]
) -> None:
    head = written(style, HEAD * 4)
    lines = [line._replace(ends=True) for line in lines]
    text = head + "\n\n" + written(other, lines)
    after = check_formatting(text)
    assert after.startswith(head)
    if other.comment == style.comment and other.blanks == style.blanks:
        assert after == head + "\n\n" + written(style, lines) or "\t" in text


TABLE = """\
loop: incr lr4 1; acc;
      bne  lr4 lr5 loop;;

    set                 lr0    5;;    # aligned by hand:
    set                 lr12 -17;;    # numbers at their ends
    ldr_cyclic_mult_reg lr0  cr1 lr15;
    mult.ve             r0   lr1 lr2 lr3;
    acc.first;;
    bkpt;;
"""


def test_columns_that_an_author_aligned_stay() -> None:
    assert check_formatting(TABLE) == TABLE


def test_what_deviates_is_mended_and_nothing_else() -> None:
    deviating = "   set \t lr3  7;; # odd\n"
    after = check_formatting(TABLE + deviating)
    assert after == TABLE + "    set                 lr3 7;;       # odd\n"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("ending", ["", " ", "\t", "\n\n\n\n"])
def test_blanks_at_the_ends_of_lines_and_of_the_file_go(style: str, ending: str) -> None:
    text = TEXTS[0].replace("\n", f"{ending.strip(chr(10))}\n") + ending
    assert not any(line != line.rstrip() for line in check_formatting(text, style).splitlines())


SETS = {".S": "colossus", ".aie2": "xdna1", ".aie2p": "xdna2", ".edgenpu": "edgenpu"}
FOLDERS = ("examples", "tests/data", "tests/targets", "vscode-extension/templates")
FILES = [
    path
    for folder in FOLDERS
    for path in sorted((Path(__file__).parents[2] / folder).rglob("*"))
    if path.suffix in (".s", ".asm", *SETS)
]


def test_hardly_a_line_of_the_files_of_this_project_changes() -> None:
    lines = changed = 0
    for path in FILES:
        with path.open(newline="") as file:
            text = file.read()
        isa = SETS.get(path.suffix, "ipu2" if "ipu2" in path.as_posix() else "ipu")
        after = apply_edits(text, formatting(analyze(text, isa)))
        assert formatting(analyze(after, isa)) == [], path
        lines += text.count("\n")
        changed += len([*unified(text, after)])
    assert lines > 4_000
    assert changed <= 15


def unified(old: str, new: str) -> Iterator[str]:
    """The lines of a text that another one has not."""
    difference = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return (line for line in difference if line.startswith("-") and not line.startswith("---"))
