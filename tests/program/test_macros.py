"""What macros and preprocessor lines make, and what stands in their bodies and under conditions."""

from __future__ import annotations

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.macros import MacroRegion, Macros
from ipu_asm.targets.colossus.rules.wrong_mode import modes_of

ISA = load_isa("colossus")


def check_macros(text: str, *names: str) -> Macros:
    """The macros of a text, which make these names."""
    macros = read_program(ISA, text).macros
    assert [name for name in names if not macros.defines(name)] == []
    return macros


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#define one m0", ("one", "ONE")),
        ("  #  define two(a, b) a ; b\n#undef three", ("two", "three")),
        ("#define long \\\n more \\\n and more\nnop", ("long",)),
        (".macro four a, b=1, c:req\n.endm", ("four", "a", "b", "c")),
        (".set five, 1\n.equ six, 2\n seven = 3", ("five", "six", "seven")),
        (".irp eight, 1, 2\n.endr", ("eight",)),
        ("#if defined(nine) && ten > 1\n#elif eleven\n#endif", ("nine", "ten", "eleven")),
        ("label: .set twelve, 1", ("twelve",)),
        ("{ nop\n#ifdef thirteen\nfnop\n#endif\n}", ("thirteen",)),
    ],
)
def test_names_are_made(text: str, names: tuple[str, ...]) -> None:
    macros = check_macros(text, *names)
    assert macros.may_define(names)
    assert not macros.defines("other")


def test_a_file_that_reads_others_may_make_any_name() -> None:
    for line in ('#include "a.h"', "#  include <a>", '.include "a"'):
        macros = check_macros(line)
        assert macros.reads_files
        assert macros.may_define(["anything"])
        assert not macros.defines("anything")
    assert not check_macros('#define a "b"').may_define(["anything"])


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("nop\n#if 1\nnop\n#endif\nnop\n", [MacroRegion(1, 4, False)]),
        ("#if 1\n.macro a\n.endm\n#else\n#if 2\n#endif\n#endif\nnop\n", [MacroRegion(0, 7, True)]),
        (".rept 2\nnop\n.endr\n.if 1\nnop\n", [MacroRegion(0, 3, True), MacroRegion(3, 5, False)]),
        ("{ nop\n#if 1\nfnop\n#endif\n}\nnop\n", [MacroRegion(0, 1, False)]),
        ("#endif\n.endm\nnop", []),
    ],
)
def test_regions_are_the_outermost(text: str, regions: list[MacroRegion]) -> None:
    macros = check_macros(text)
    assert list(macros.regions) == regions
    for region in regions:
        assert macros.region_of(region.first) == macros.region_of(region.last - 1) == region
        assert macros.region_of(region.last) != region


@pytest.mark.parametrize(
    ("text", "makes"),
    [
        ("#define a .Lb:", True),
        ("#define a b: nop", True),
        ("#define a(b) c", True),
        (".macro a\n.endm", True),
        ("#include <a>", True),
        ("#define a m0:1\n#define b 3", False),
    ],
)
def test_macros_may_make_labels(text: str, makes: bool) -> None:
    assert check_macros(text).make_labels == makes
    found = read_program(ISA, f"{text}\nbri .Lnowhere").findings
    assert [finding.code for finding in found] == ([] if makes else ["E301"])


@pytest.mark.parametrize(
    ("text", "modes"),
    [
        ("nop\n.worker\nnop\n.supervisor\nnop", "- w w s s"),
        (".worker\n#if 1\n.supervisor\n#else\nnop\n#endif\nnop", "w w s w w - -"),
        (".worker\n.macro a\nnop\n.endm\nnop", "w - - w w"),
        (".worker\n.macro a\n.supervisor\n.endm\na\nnop", "w - s w - -"),
        ("#if 1\n.worker\nnop\n.if x\nnop\n.endif\nnop\n#endif\nnop", "- w w w w w w - -"),
        ("#include <a>\n.worker\nnop\nANY a b\nnop", "- w w - -"),
    ],
)
def test_the_mode_is_known_where_no_condition_or_macro_may_change_it(text: str, modes: str) -> None:
    names = {"w": "worker", "s": "supervisor", "-": None}
    found = modes_of(read_program(ISA, text))
    expected = [names[letter] for letter in modes.split()]
    assert [found.at(number) for number in range(len(expected))] == expected
