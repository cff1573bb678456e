"""What programs in the wild do: hash comments, words of 32 bits, results used at once."""

from __future__ import annotations

import pytest

from tests.targets.aie.cases import NAMES, analyze

RETURN = "\tret lr\n" + "\tnop\n" * 5


def check_codes(isa: str, source: str, expected: list[str]) -> None:
    """The findings of a text, hints apart, are those."""
    found = analyze(isa, source).diagnostics
    assert [d.code for d in found if d.severity.name != "HINT"] == expected


@pytest.mark.parametrize("isa", NAMES)
@pytest.mark.parametrize(
    "line",
    [
        "# what a preprocessor leaves",
        '# 1 "kernel.S"',
        "#define STEPS 4",
        "  #padda [p3], #64",
        "\t#",
        "\t# one; two;",
        "#don't \"close",
        "# /* not open",
    ],
)
def test_a_line_that_begins_with_a_hash_is_a_comment(isa: str, line: str) -> None:
    check_codes(isa, f"f:\n{line}\n\tmov r0, #1\n{RETURN}{line}\n", [])


@pytest.mark.parametrize("isa", NAMES)
@pytest.mark.parametrize(
    ("source", "codes"),
    [("\tnop #one\n", ["E103"]), ("\tmova r0, # 1\n", []), ("a: # b\n", ["E001"])],
)
def test_a_hash_further_on_is_no_comment(isa: str, source: str, codes: list[str]) -> None:
    check_codes(isa, source, codes)


def test_a_hash_comment_does_not_keep_a_bundle_open() -> None:
    check_codes("xdna1", f"f:\n\tmova r0, #1\n# nopx;\n\tmova r1, #1\n{RETURN}", [])


def test_an_open_bundle_goes_on_behind_its_own_line_only() -> None:
    check_codes("xdna1", f"f:\n\tmova r0, #1;\n\tnopx\n{RETURN}", ["X104"])


@pytest.mark.parametrize("isa", NAMES)
@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("0xFFFFFFFF", []),
        ("0x80000000", []),
        ("-0x80000000", []),
        ("4294967295", []),
        ("0x100000000", ["E106"]),
        ("-0x80000001", ["E106"]),
    ],
)
def test_a_word_may_be_written_with_or_without_its_sign(
    isa: str, value: str, codes: list[str]
) -> None:
    check_codes(isa, f"f:\n\tmovxm r0, #{value}\n{RETURN}", codes)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("vshuffle x2, x4, x6, r1", "vmin_ge.16 x0, r16, x2, x8, vaddsign1"),
        ("vmin_ge.16 x2, r16, x4, x6, vaddsign1", "vmax_lt.16 x0, r16, x2, x8, vaddsign1"),
        ("vbcst.32 x2, r1", "vsel.32 x0, x4, x2, r17"),
        ("vsel.32 x2, x4, x6, r17", "vshift x0, x2, x4, r1"),
        ("vextbcst.128 x2, x4, #1", "vadd.16 x0, x2, x4"),
        ("vshuffle x2, x4, x6, r1", "vpush.hi.32 x0, x2, r2"),
        ("vshift x2, x4, x6, r1", "vextract.32 r0, x2, #1, vaddsign0"),
        ("vbcst.16 x2, r1", "vconv.fp32.bf16 cml0, x2"),
    ],
)
def test_the_move_unit_passes_its_vectors_on_to_its_next_operation(first: str, second: str) -> None:
    check_codes("xdna2", f"f:\n\t{first}\n\t{second}\n{RETURN}", [])


@pytest.mark.parametrize("load", ["vlda x2, [p0, #0]", "vldb x2, [p0, #0]"])
def test_what_is_loaded_may_be_unpacked_in_the_next_bundle(load: str) -> None:
    check_codes("xdna2", f"f:\n\t{load}\n\tvunpack y2, x2, unpacksign0\n{RETURN}", [])


def test_a_store_gets_nothing_passed_on() -> None:
    source = f"f:\n\tvsel.32 x2, x4, x6, r17\n\tvst x2, [p0, #0]\n{RETURN}"
    check_codes("xdna2", source, ["X101"])
