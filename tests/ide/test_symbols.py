"""The outline of a file."""

from __future__ import annotations

from typing import Sequence

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.blocks import DocumentSymbol
from ipu_asm.ide.outline import label_symbols, macro_symbols, symbols

Expected = tuple[str, str, str]


def check_symbols(text: str, *expected: Expected, isa: str = "ipu") -> None:
    """The labels of the outline, also those in loops: name, detail and the text each covers."""
    found = label_symbols(analyze(text, isa))
    assert [(s.name, s.detail, text[s.span.start : s.span.end]) for s in found] == list(expected)
    for symbol in found:
        assert text[symbol.name_span.start : symbol.name_span.end] == symbol.name
        assert symbol.name_span.start == symbol.span.start
        assert symbol.children == ()
    labels = (
        symbol for symbol in _all(symbols(analyze(text, isa))) if symbol.kind in ("label", "loop")
    )
    assert [symbol._replace(children=()) for symbol in labels] == found


def check_tree(text: str, *expected: str, isa: str = "ipu") -> None:
    """The whole outline: a line for each symbol, two blanks further in for each that it lies in."""
    assert _lines(symbols(analyze(text, isa))) == list(expected)


def _all(found: Sequence[DocumentSymbol]) -> list[DocumentSymbol]:
    return [symbol for outer in found for symbol in (outer, *_all(outer.children))]


def _lines(found: Sequence[DocumentSymbol]) -> list[str]:
    lines = []
    for symbol in found:
        is_after_label = symbol.kind == "bundle" and "+" in symbol.name
        detail = f": {symbol.detail}" if is_after_label else f" ({symbol.detail})"
        lines.append(symbol.name + detail)
        lines += [f"  {line}" for line in _lines(symbol.children)]
    return lines


def test_a_file_without_labels_has_bundles_alone() -> None:
    check_symbols("")
    check_tree("")
    check_symbols("# nothing\nacc;;\nbkpt;;\n")
    check_tree(
        "# nothing\nincr lr0 1; acc;;\n;;\nbkpt;;\n", "bundle 0 (incr; acc)", "bundle 1 (bkpt)"
    )
    check_tree("NOP\n", "instruction 0 (NOP)", isa="edgenpu")


def test_a_label_covers_what_follows_up_to_the_next_one() -> None:
    check_symbols(
        "acc;;\nfirst:\n  acc;;\n  acc;;  # done\n\n# the second\nsecond: bkpt;;\n",
        ("first", "bundles 1 to 2", "first:\n  acc;;\n  acc;;"),
        ("second", "bundle 3", "second: bkpt;;"),
    )


def test_the_last_label_ends_with_the_last_bundle() -> None:
    check_symbols("x: acc;;\nbkpt # no end", ("x", "bundles 0 to 1", "x: acc;;\nbkpt"))


def test_a_label_defined_twice_is_there_twice() -> None:
    check_symbols(
        "x: acc;;\nx: acc;;", ("x", "bundle 0", "x: acc;;"), ("x", "bundle 1", "x: acc;;")
    )


def test_a_label_of_nothing_is_still_there() -> None:
    check_symbols("acc;;\nx:", ("x", "bundle 1", "x:"))


def test_a_broken_bundle_keeps_its_label() -> None:
    check_symbols("x: acc acc ?;;\nbkpt;;", ("x", "bundles 0 to 1", "x: acc acc ?;;\nbkpt;;"))


def test_a_label_covers_no_blank_lines_where_lines_are_instructions() -> None:
    check_symbols(
        "x:\n  NOP\n  NOP 2\n\n; next\ny: SYNC",
        ("x", "instructions 0 to 1", "x:\n  NOP\n  NOP 2"),
        ("y", "instruction 2", "y: SYNC"),
        isa="edgenpu",
    )


def test_bundles_lie_in_their_label_and_are_counted_from_it() -> None:
    check_tree(
        "acc;;\nx: incr lr0 1; acc;;\n;;\n?;;\nbkpt;;",
        *["before x (bundle 0)", "  bundle 0 (acc)"],
        *["x (bundles 1 to 3)", "  x+0: incr; acc (bundle 1)", "  x+2: bkpt (bundle 3)"],
    )
    check_tree(
        "x: NOP\n NOP 2\nADD AB[0], AB[1], AB[2]",
        "x (instructions 0 to 2)",
        "  x+0: NOP (instruction 0)",
        "  x+1: NOP (instruction 1)",
        "  x+2: ADD (instruction 2)",
        isa="edgenpu",
    )


def test_bundles_before_the_first_label_are_a_symbol_of_their_own() -> None:
    text = "# head\n  set lr0 1;;\n  acc;;\nx: bkpt;;\n"
    check_tree(
        text,
        *["before x (bundles 0 to 1)", "  bundle 0 (set)", "  bundle 1 (acc)"],
        *["x (bundle 2)", "  x+0: bkpt (bundle 2)"],
    )
    before = symbols(analyze(text))[0]
    assert text[before.span.start : before.span.end] == "set lr0 1;;\n  acc;;"
    assert text[before.name_span.start : before.name_span.end] == "set"


def test_bundles_around_macros_are_named_by_what_follows_them() -> None:
    check_tree(
        "nop\n.macro A\n nop\n.endm\n fnop\nf: nop\n",
        *["before A (bundle 0)", "  bundle 0 (nop)", "A (macro)", "  nop (bundle 1)"],
        *["before f (bundle 2)", "  bundle 2 (fnop)", "f (bundle 3)", "  f+0: nop (bundle 3)"],
        isa="colossus",
    )


def test_bundles_of_a_template_are_in_the_macro_that_makes_them() -> None:
    text = (
        "{% macro save(x) %}\nset {{ x }} 1;;\n{% endmacro %}\n"
        "acc;;\n{{ save('lr2') }}\nrow: bkpt;;\n"
    )
    check_tree(
        text,
        *["save (macro: x)", "  set (bundle 1)", "acc (bundle 0)"],
        *["row (bundle 2)", "  bkpt (bundle 2)"],
    )


def test_a_long_bundle_has_a_short_detail() -> None:
    (outer,) = symbols(analyze("x: " + "xmem.store_aaq_result lr0 cr0; " * 4 + ";;"))
    detail = outer.children[0].detail
    assert detail.endswith("… (bundle 0)")
    assert len(detail) == 60 + len(" (bundle 0)")


def test_a_label_that_is_gone_back_to_is_a_loop_around_all_that_it_repeats() -> None:
    check_tree(
        "a: acc;;\nb: acc;;\nc: b b;;\nb a;;\nd: bkpt;;",
        *["a (loop, bundles 0 to 3)", "  a+0: acc (bundle 0)", "  b (loop, bundles 1 to 2)"],
        *[
            "    b+0: acc (bundle 1)",
            "    c (bundle 2)",
            "      c+0: b (bundle 2)",
            "  c+1: b (bundle 3)",
        ],
        *["d (bundle 4)", "  d+0: bkpt (bundle 4)"],
    )


def test_what_follows_a_loop_is_part_of_the_outer_one_or_a_symbol_of_its_own() -> None:
    check_tree(
        "acc;;\na: acc;;\nb: acc;;\nb b;;\nacc;;\nb a;;\nacc;;\nbkpt;;\nc: acc;;\nacc;;\n",
        *["before a (bundle 0)", "  bundle 0 (acc)"],
        *["a (loop, bundles 1 to 5)", "  a+0: acc (bundle 1)", "  b (loop, bundles 2 to 3)"],
        *["    b+0: acc (bundle 2)", "    b+1: b (bundle 3)"],
        *["  b+2: acc (bundle 4)", "  b+3: b (bundle 5)"],
        *["after a (bundles 6 to 7)", "  b+4: acc (bundle 6)", "  b+5: bkpt (bundle 7)"],
        *["c (bundles 8 to 9)", "  c+0: acc (bundle 8)", "  c+1: acc (bundle 9)"],
    )


def test_a_label_in_a_loop_ends_with_it() -> None:
    text = "a: acc;;\nb: acc;;\nb a;;\nbkpt;;\n"
    check_symbols(
        text,
        ("a", "loop, bundles 0 to 2", "a: acc;;\nb: acc;;\nb a;;"),
        ("b", "bundles 1 to 2", "b: acc;;\nb a;;"),
    )
    assert [symbol.name for symbol in symbols(analyze(text))] == ["a", "after a"]


def test_a_distance_back_makes_a_loop_too_and_a_branch_ahead_none() -> None:
    check_symbols(
        "x: acc;;\nb -1;;\ny: b z;;\nz: bkpt;;",
        ("x", "loop, bundles 0 to 1", "x: acc;;\nb -1;;"),
        ("y", "bundle 2", "y: b z;;"),
        ("z", "bundle 3", "z: bkpt;;"),
    )


def test_loops_that_cross_lie_in_each_other() -> None:
    check_tree(
        "a: ;;\nb: acc;;\nb a;;\nc: b b;;\n",
        *[
            "a (bundle 0)",
            "b (loop, bundles 0 to 2)",
            "  b+0: acc (bundle 0)",
            "  b+1: b (bundle 1)",
        ],
        *["  c (bundle 2)", "    c+0: b (bundle 2)"],
    )
    found = symbols(analyze("a: acc;;\nb: acc;;\nb a;;\nc: b b;;\n"))
    assert [symbol.name for symbol in _all(found) if symbol.kind == "loop"] == ["a", "b"]
    assert len(found) == 1


def test_loops_in_loops_in_loops_end_somewhere() -> None:
    labels = "".join(f"l{number}: acc;;\n" for number in range(500))
    branches = "".join(f"b l{number};;\n" for number in range(499, -1, -1))
    found = symbols(analyze(labels + branches))
    assert len([symbol for symbol in _all(found) if symbol.kind == "loop"]) == 500
    depth = 0
    level = found
    while level:
        level = [child for symbol in level for child in symbol.children]
        depth += 1
    assert depth < 30


def test_registers_with_a_role_are_one_symbol_behind_the_labels() -> None:
    check_tree(
        "# lr5 = row offset\n# LR0, lr1: counters\n# go\nx: acc;;\n",
        "x (bundle 0)",
        "  x+0: acc (bundle 0)",
        "Registers (2 in the header)",
        "  lr5 (row offset)",
        "  lr0, lr1 (counters)",
    )


def test_the_place_of_a_role_is_its_line() -> None:
    text = "#  lr5 = row offset  \nx: acc;;\n"
    group = symbols(analyze(text))[-1]
    for symbol in (group, *group.children):
        assert text[symbol.span.start : symbol.span.end] == "lr5 = row offset"


@pytest.mark.parametrize(
    ("above", "begins"),
    [
        ("# head\n# Registers\n", "# Registers"),
        ("# Loop registers:\n", "# Loop registers:"),
        ("# which registers the host sets is said here\n", "lr5"),
        ("# Time\n", "lr5"),
    ],
)
def test_the_group_of_registers_begins_with_its_heading(above: str, begins: str) -> None:
    text = f"{above}#  lr5 = row offset\nx: acc;;\n"
    group = symbols(analyze(text))[-1]
    assert text[group.span.start : group.span.end].startswith(begins)


def test_local_labels_lie_in_their_function_and_loops_may_have_a_line_of_their_own() -> None:
    check_tree(
        "f:\n nop\n.LBB0:\n jnz r0, #.LBB0\n nop\n nop\n nop\n nop\n nop\n ret lr\ng:\n nop\n",
        "f (bundles 0 to 7)",
        "  f+0: nop (bundle 0)",
        "  .LBB0 (loop, bundles 1 to 6)",
        *[
            f"    .LBB0+{at}: {name} (bundle {at + 1})"
            for at, name in enumerate(["jnz", *["nop"] * 5])
        ],
        "  .LBB0+6: ret (bundle 7)",
        "g (bundle 8)",
        "  g+0: nop (bundle 8)",
        isa="xdna1",
    )
    found = symbols(analyze("f: nop\n1: bri 1b\ng: nop\n", "colossus"))
    assert [(symbol.name, symbol.kind) for symbol in found] == [
        ("f", "function"),
        ("g", "function"),
    ]
    assert [symbol.name for symbol in found[0].children if symbol.kind == "loop"] == ["1"]


def test_a_macro_goes_up_to_its_end_and_is_no_part_of_the_function_before_it() -> None:
    text = (
        "#define ADD(x, y) add x, y, 1\n#define N 4\nf: nop\n nop\n"
        ".macro STEP dst, n=4\n1: mov \\dst, $m0\n brnz \\dst, 1b\n.endm // so\ng: nop\n"
    )
    check_tree(
        text,
        "ADD (macro: x, y)",
        "f (bundles 0 to 1)",
        "  f+0: nop (bundle 0)",
        "  f+1: nop (bundle 1)",
        "STEP (macro: dst, n=4)",
        "  1 (loop, bundles 2 to 3)",
        "    1+0: mov (bundle 2)",
        "    1+1: brnz (bundle 3)",
        "g (bundle 4)",
        "  g+0: nop (bundle 4)",
        isa="colossus",
    )
    step = symbols(analyze(text, "colossus"))[2]
    assert step.kind == "macro"
    assert text[step.span.start : step.span.end] == text[text.index(".macro") : text.index("\ng:")]
    assert text[step.name_span.start : step.name_span.end] == "STEP"


def test_a_macro_inside_a_function_has_what_follows_it_behind_it() -> None:
    check_tree(
        "f: nop\n.macro A\n nop\n.endm\n fnop\n.macro B\n mov $m0, $m1\n",
        "f (bundles 0 to 2)",
        "  f+0: nop (bundle 0)",
        "  A (macro)",
        "    nop (bundle 1)",
        "  f+2: fnop (bundle 2)",
        "B (macro)",
        "  mov (bundle 3)",
        isa="colossus",
    )


def test_the_macros_alone_are_a_list() -> None:
    text = ".macro A\n.macro B\n.endm\n.endm\n#define C(x) x\n#define D 1\n"
    found = macro_symbols(analyze(text, "colossus"))
    assert [(symbol.name, symbol.detail) for symbol in found] == [
        ("A", "macro"),
        ("B", "macro"),
        ("C", "macro: x"),
    ]
