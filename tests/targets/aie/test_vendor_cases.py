"""Every case of the vendor's tests comes out as the vendor's assembler says. None is left out."""

from __future__ import annotations

import pytest

from tests.targets.aie.cases import Case, analyze, errors_in, listing, vendor_cases


def check_case(case: Case) -> None:
    """A line is accepted, or refused at one operation, which stands where the error points."""
    errors = errors_in(case.isa, f"{case.source}\n")
    if not case.refused:
        assert errors == []
        return
    assert len(errors) == 1
    start, end = errors[0].span
    begin = case.source.rfind(";", 0, start) + 1
    assert case.source[begin:end].split()[0] == case.refused


@pytest.mark.parametrize("case", vendor_cases(), ids=lambda case: f"{case.isa} {case.source}")
def test_a_case_comes_out_as_the_vendor_says(case: Case) -> None:
    check_case(case)


def test_there_are_cases_of_both_sorts_for_both_sets() -> None:
    sorts = {(case.isa, bool(case.refused)) for case in vendor_cases()}
    assert sorts == {(isa, refused) for isa in ("xdna1", "xdna2") for refused in (True, False)}


LISTING = """\
bf16_mac:                               // @bf16_mac
// %bb.0:                               // %entry
\tnopb\t;\t\tnopa\t;\t\tnops\t;\t\tnopx\t;\t\tmov\tp3, p0;\t\tnopv\t
\tvlda\twl2, [p1, #0];\t\tpaddb\t[p0], #32;\t\tpadds\t[p3], #32
\tret lr\t
\tnop\t                                //  Delay Slot 5
\tnop\t                                //  Delay Slot 4
\tvst\tamhh0, [p2, #32]                //  Delay Slot 3
\tvst\tamhl0, [p2, #0]                 //  Delay Slot 2
\tnop\t                                //  Delay Slot 1
"""


@pytest.mark.parametrize(("number", "isa", "bundles"), [(2, "xdna1", 19), (4, "xdna2", 32)])
def test_the_listings_of_the_document_are_clean(number: int, isa: str, bundles: int) -> None:
    text = listing(number)
    analysis = analyze(isa, text)
    assert analysis.diagnostics == ()
    assert not text or analysis.program.size == bundles


def test_a_listing_is_clean_without_the_document() -> None:
    analysis = analyze("xdna1", LISTING)
    assert analysis.diagnostics == ()
    assert analysis.program.size == 8
