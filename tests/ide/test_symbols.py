"""The outline of a file."""

from __future__ import annotations

from ipu_asm.analysis import analyze
from ipu_asm.ide.symbols import symbols


def check_symbols(text: str, *expected: tuple[str, str, str], isa: str = "ipu") -> None:
    """The outline: for each symbol its name, its detail and the text that it covers."""
    found = symbols(analyze(text, isa))
    assert [(s.name, s.detail, text[s.span.start : s.span.end]) for s in found] == list(expected)
    for symbol in found:
        assert text[symbol.name_span.start : symbol.name_span.end] == symbol.name
        assert symbol.name_span.start == symbol.span.start
        assert symbol.kind == "label"
        assert symbol.children == ()


def test_a_file_without_labels_has_no_outline() -> None:
    check_symbols("")
    check_symbols("# nothing\nacc;;\nbkpt;;\n")


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
