"""What people read about the operations, and that its examples hold."""

from __future__ import annotations

import re

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import instruction_markdown
from tests.targets.aie.cases import NAMES, analyze, specs_of
from tests.targets.aie.test_forms import ONLY_XDNA2, TABLES

DOCUMENTED = [
    *(("xdna1", mnemonic) for mnemonic, *_ in TABLES),
    *(("xdna2", mnemonic) for mnemonic, *_ in (*TABLES, *ONLY_XDNA2)),
]


def check_page(isa: str, mnemonic: str, *said: str) -> str:
    """The page that people read about an operation; it has all of these texts."""
    found = load_isa(isa)
    page = instruction_markdown(found, found.instructions[mnemonic])
    assert [text for text in said if text not in page] == []
    return page


@pytest.mark.parametrize(("isa", "mnemonic"), DOCUMENTED)
def test_an_operation_of_the_tables_is_documented_with_a_clean_example(
    isa: str, mnemonic: str
) -> None:
    doc = load_isa(isa).instructions[mnemonic].doc
    assert doc.title
    assert doc.summary.endswith(".")
    assert doc.operation
    assert analyze(isa, f"{doc.example}\n").diagnostics == ()
    used = analyze(isa, f"{doc.example}\n").program.bundles
    assert mnemonic in {each.mnemonic for bundle in used for each in bundle.instructions}
    check_page(isa, mnemonic, doc.title, doc.summary)


@pytest.mark.parametrize("isa", NAMES)
def test_every_form_has_a_title_and_describes_its_operands(isa: str) -> None:
    for spec in specs_of(isa):
        assert spec.doc.title
        assert spec.doc.summary.endswith(".")
        assert len(spec.doc.operands) == len(spec.operands)
        assert [o.name for o in spec.operands if not o.description] == []
        for operand in spec.operands:
            assert operand.name in spec.syntax


@pytest.mark.parametrize("isa", NAMES)
def test_titles_are_made_of_words(isa: str) -> None:
    titles = {spec.mnemonic: spec.doc.title for spec in specs_of(isa)}
    first = {mnemonic.partition(".")[0]: title for mnemonic, title in titles.items()}
    assert [base for base, title in first.items() if title.partition(",")[0].lower() == base] == []
    assert [m for m, title in titles.items() if re.search(r"\b[a-z]+\d*\.", title)] == []
    assert titles["vlda.2d.ups.s32.s16" if isa == "xdna1" else "vlda.2d.ups.2x"].startswith(
        "Vector Load, Two Dimensions, Upshifted"
    )


@pytest.mark.parametrize(
    ("mnemonic", "said"),
    [
        ("lda", "the document's table says 6 for loads of four bytes, the compiler schedules 7"),
        ("vldb", "the `LDB` of the document does not exist"),
        ("mova", "an immediate of 11 bits, where the document speaks of 8"),
        ("lt", "for `a > b` write `lt dst, b, a`, for `a <= b` write `ge dst, b, a`"),
        ("st", "the document's latency of 6 is that of the memory"),
        ("vst", "the document says 2"),
        ("padda", "4 bytes on XDNA1, 64 on XDNA2"),
    ],
)
def test_a_page_tells_where_the_document_differs_from_the_compiler(
    mnemonic: str, said: str
) -> None:
    check_page("xdna1", mnemonic, said)
