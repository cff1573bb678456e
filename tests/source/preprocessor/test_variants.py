"""Conditions that cannot be known: each branch is read under an assumption of its own."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from tests.source.preprocessor.expanding import FILE, expansions, settings_of

ANALYZER = Analyzer(load_isa("colossus"))
MISSING = '#include "missing.h"\n'


def read(text: str, missing: str = MISSING) -> list[tuple[str, str]]:
    """The contexts of a text with the words that are read in each."""
    found = expansions(missing + text)
    return [(each.context, " ".join(each.text.split()[2:])) for each in found]


def check_messages(text: str) -> list[str]:
    """The messages about a text after an include that is not found."""
    found = ANALYZER.analyze(MISSING + text, FILE, settings=settings_of()).diagnostics
    return [finding.message for finding in found if finding.code != "H103"]


def test_without_a_missing_header_a_name_is_not_defined() -> None:
    (expansion,) = expansions("#ifdef A\na\n#else\nb\n#endif\n")
    assert expansion.text.split() == ["b"]
    assert not expansion.is_assumed


def test_with_a_missing_header_each_branch_is_read() -> None:
    assert read("#ifdef A\na\n#else\nb\n#endif\n") == [
        ("`A` is not defined", "b"),
        ("`A` is defined", "a"),
    ]


def test_a_name_means_the_same_in_all_conditions() -> None:
    text = "#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#if defined(A)\nc\n#endif\n"
    assert [words for _, words in read(text)] == ["b", "a c"]


def test_the_number_of_expansions_is_that_of_branches_not_of_combinations() -> None:
    text = "".join(f"#ifdef A{n}\na{n}\n#endif\n" for n in range(5))
    assert [words for _, words in read(text)] == ["", "a0", "a1", "a2", "a3", "a4"]
    text = "".join(f"#ifdef A{n}\na{n}\n#endif\n" for n in range(100))
    assert len(read(text)) == 8


def test_a_branch_behind_two_unknown_names_is_read() -> None:
    assert read("#if defined(A) && !(B > 3)\na\n#elif B > 3\nb\n#endif\n") == [
        ("`A` is not defined, `B > 3` does not hold", ""),
        ("`A` is defined", "a"),
        ("`B > 3` holds", "b"),
    ]


def test_a_branch_that_nothing_can_reach_is_not_read() -> None:
    assert [words for _, words in read("#if 0 && A\na\n#endif\nb\n")] == ["b"]


def test_the_guard_of_a_header_is_known() -> None:
    assert len(read("#ifndef A_H\n#define A_H\na\n#endif\n")) == 1
    assert len(read("#define A 1\n#ifdef A\na\n#endif\n#undef A\n#ifdef A\nb\n#endif\n")) == 1


def test_an_error_that_is_reached_excludes_an_assumption() -> None:
    assert read("#ifndef A\n#error A is needed\n#endif\na\n") == [("`A` is defined", "a")]


def test_each_architecture_is_tried_that_a_condition_asks_for() -> None:
    text = "#if __IPU_ARCH_VERSION__ == 21\na\n#elif __IPU_ARCH_VERSION__ >= 2\nb\n#endif\n"
    assert read(text, "// nothing is missing\n") == [
        ("`__IPU_ARCH_VERSION__` is 2", "is missing b"),
        ("`__IPU_ARCH_VERSION__` is 21", "is missing a"),
    ]


def test_a_finding_in_a_branch_says_what_is_assumed() -> None:
    (message,) = check_messages("#ifdef A\nadd $m0, $m1, 1, 2\n#else\nnop\n#endif\n")
    assert message.startswith("if `A` is defined: ")


def test_a_finding_behind_a_branch_counts_if_all_expansions_have_it() -> None:
    branch = "#ifdef A\n#define R m4\n#else\n#define R a4\n#endif\n"
    assert check_messages(branch + "ld32 $R, $m1, $m2, 1\nst32 $R, $m1, 99999\n") != []
    assert check_messages(branch + "and $R, $m1, 1\n") == []
