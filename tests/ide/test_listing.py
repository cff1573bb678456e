"""Address, word and source side by side, whatever the program is like."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.assembler.encode import encode, encode_without_errors
from ipu_asm.assembler.images import decode_image, listed_words, listing_rows
from ipu_asm.ide.listing import Listing, expansion_view, listing
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from tests.ide.test_everywhere import TEXTS, damaged

_BLANK = " " * 58


def check_listing(text: str, *rows: str, isa: str = "ipu") -> Listing:
    """Below its head, the listing has these rows: words are W, and ? where they are not known."""
    analysis = analyze(text, isa, "/folder/kernel.s")
    words = encode_without_errors(analysis.program)
    found = listing(analysis, words)
    body = found.text.split("\n\n", 1)[1]
    digits = analysis.isa.image_bytes * 2
    for word in words:
        shown = "0x" + ("?" * digits if word is None else f"{word:0{digits}x}")
        body = body.replace(shown, "?" if word is None else "W", 1)
    assert body.replace(_BLANK, "~").splitlines() == list(rows)
    assert len(found.lines) == len(found.text.splitlines())
    return found


def test_a_program_without_errors_has_the_listing_that_ipu_as_prints() -> None:
    for text in TEXTS:
        analysis = analyze(text, "ipu", "kernel.s")
        words = encode(analysis.program)
        assert encode_without_errors(analysis.program) == words
        found = listing(analysis, words).text
        listed = listed_words(analysis.program, words)
        rows = listing_rows(analysis.program, listed, "kernel.s")
        assert found == "".join(f"{row.text}\n" for row in rows)
        assert decode_image(found.encode(), analysis.isa, "hex") == words


def test_every_line_tells_its_address_and_its_place_in_the_source() -> None:
    found = check_listing(
        "# head\nacc;; bkpt;;\n\n  b +1;;\n",
        "~  # head",
        "   0: W  # acc;;",
        "   1: W  # bkpt;;",
        "",
        "   2: W  #   b +1;;",
    )
    assert [tuple(line) for line in found.lines[3:]] == [
        (None, 0), (0, 1), (1, 1), (None, 2), (2, 3),
    ]  # fmt: skip


def test_errors_stand_under_what_they_are_about() -> None:
    found = check_listing(
        "acc;; foo lr0;;\nb nowhere;; bkpt;;\n",
        "   0: W  # acc;;",
        "   1: ?  # foo lr0;;",
        "~# ^ E101 unknown mnemonic `foo`",
        "   2: ?  # b nowhere;;",
        "~#   ^ E301 no label `nowhere` in this file",
        "   3: W  # bkpt;;",
    )
    assert found.text.splitlines()[1] == "# kernel.s: 4 bundles of 24 bytes, 2 errors"


def test_a_text_without_a_bundle_has_a_listing_without_words() -> None:
    found = check_listing("# nothing\n", "~  # nothing")
    assert "0 bundles" in found.text


def test_another_instruction_set_counts_its_own_units() -> None:
    analysis = analyze("SYNC WAIT_DMA\nFOO\n", "edgenpu", "k")
    found = listing(analysis, encode_without_errors(analysis.program))
    assert found.text.splitlines()[:2] == [
        "# isa: edgenpu",
        "# k: 2 instructions of 8 bytes, 1 error",
    ]


def check_any(text: str, isa: str) -> None:
    """Every bundle and every error has its line, in the order of the source."""
    analysis = analyze(text, isa, "k.s")
    found = listing(analysis, encode_without_errors(analysis.program))
    addresses = [line.address for line in found.lines if line.address is not None]
    assert addresses == list(range(analysis.program.size))
    places = [line.line for line in found.lines if line.line is not None]
    assert places == sorted(places)
    errors = [f for f in analysis.program.findings if f.severity.name == "ERROR"]
    assert len(re.findall(r"^ +#  *\^ E\d+ ", found.text, re.MULTILINE)) >= len(errors)


@given(damaged(), st.sampled_from(["ipu", "edgenpu"]))
def test_damaged_programs_have_a_line_for_every_bundle_and_error(text: str, isa: str) -> None:
    check_any(text, isa)


@pytest.mark.parametrize("text", ["", "\ufeff", "\ufeffacc;;", "x:", ";;", "\r\rfoo", "acc"])
def test_odd_texts_have_one_too(text: str) -> None:
    check_any(text, "ipu")


EXPANSION_TEXT = "{% for x in range(rows) %}\n    set lr{{ x }} 0;;\n{% endfor %}\nbkpt;;\n"


def test_each_line_of_an_expansion_was_written_somewhere() -> None:
    settings = SourceSettings(contexts=({"rows": 2}, {"rows": 3}))
    analysis = Analyzer(load_isa("ipu")).analyze(EXPANSION_TEXT, settings=settings)
    view = expansion_view(analysis, 1)
    written = [line and line.line for line in view.lines]
    shown = dict(zip(view.text.splitlines(), written))
    assert shown == {**{f"    set lr{n} 0;;": 1 for n in range(3)}, "": 2, "bkpt;;": 3}
    assert view.contexts == ("rows=2", "rows=3")
    assert view.context == "rows=3"


def test_a_context_that_does_not_exist_means_the_first_one() -> None:
    analysis = analyze("{% set a = 1 %}acc;;")
    assert expansion_view(analysis, 7) == expansion_view(analysis, -1) == expansion_view(analysis)


def test_an_expansion_has_a_place_for_each_line() -> None:
    for text in ("", "\n", "{{ 1 }}", "{% if %}", "{% set a = 1 %}\r\nacc;;\r\n", "acc;;\n\n"):
        view = expansion_view(analyze(text))
        assert len(view.lines) == view.text.count("\n") + 1
