"""The text of `objdump -d` as a source: the assembly of its bytes, at the places of the listing."""

from __future__ import annotations

import pytest

from ipu_asm import load_isa
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.listed_source import isa_of_listing, skeleton_of_listing
from ipu_asm.ide.code_actions import code_actions
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.ide.hover import hover
from ipu_asm.ide.navigation import definition, prepare_rename, references
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.semantic_tokens import template_tokens
from ipu_asm.ide.symbols import RenameError
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span

COLOSSUS = """
axpy.o:\tfile format elf32-unknown

Disassembly of section .text.axpy:

00000000 <axpy>:
       0: 00 f0 d0 01  \tld32\t$m0, $m13, $m15, 0
       4: 04 00 20 13  \tbrz\t$m2, 0x10 <.Ldone>
       8: 00 f0 12 89 03 03 48 d8 \tld64 $a2:3, $m1, $m15, 0; f32v2mul $a0:1, $a4:B, $a0:1

00000010 <.Ldone>:
      10: 04 00 28 13  \tbrnzdec\t$m2, 0x10 <.Ldone>
      14: 00 40 f0 43  \texitz\t$m15
"""
STRIPPED = COLOSSUS.replace("00000010 <.Ldone>:\n", "")
RELOCATION = "\t\t\t00000010:  R_COLOSSUS_19_S2\t.L.table+0x8\n"
OBJECT = COLOSSUS.replace("      14: 00", f"{RELOCATION}      14: 00")


def analysis_of(text: str, isa: str = "colossus") -> Analysis:
    return Analyzer(load_isa(isa)).analyze(text, "x.txt")


def check_findings(text: str, *expected: str, isa: str = "colossus") -> None:
    """The findings of a listing are these: code, and the text that they are at."""
    found = [
        f"{each.code} {text[each.span.start : each.span.end]}"
        for each in analysis_of(text, isa).diagnostics
    ]
    assert found == list(expected)


def test_the_bytes_of_a_listing_choose_its_set() -> None:
    assert isa_of_listing(COLOSSUS) == "colossus"
    assert isa_of_listing(COLOSSUS.replace("00 f0 d0 01", "ff ff ff ff")) is None
    assert isa_of_listing("bkpt;;\n") is None


def test_a_listing_without_bytes_or_of_another_set_is_one_error() -> None:
    text = "Disassembly of section .text:\n  0:\tnop\n"
    check_findings(text, "E001 Disassembly of section .text:")
    check_findings(COLOSSUS.lstrip(), "E001 axpy.o:\tfile format elf32-unknown", isa="ipu")


def test_a_listing_without_findings_has_none() -> None:
    check_findings(COLOSSUS)


def test_a_listing_of_too_much_code_is_one_error() -> None:
    text = COLOSSUS.replace("      14: 00", "   50000: 00").lstrip()
    (finding,) = analysis_of(text).diagnostics
    assert "at most 262,144 bytes of code in a listing, found 327,684" in finding.message


def test_addresses_out_of_order_are_an_error_at_their_line() -> None:
    wrong = COLOSSUS.replace("      14: 00", "       1: 00")
    check_findings(wrong, "E001 exitz\t$m15")


def test_names_of_data_are_known_although_the_listing_does_not_show_them() -> None:
    check_findings(OBJECT)
    assert "brnzdec $m2, .L.table+8" in analysis_of(OBJECT).effective_program.text


def test_equal_words_are_mapped_one_by_one() -> None:
    analysis = analysis_of(COLOSSUS)
    source_map = analysis.expanded[0].expansion.source_map
    made = analysis.effective_program.text
    for word in ("ld32 ", "$m13", "brnzdec", "f32v2mul", "$a4:B", ".Ldone:"):
        start = made.index(word)
        written = source_map.verbatim(Span(start, start + len(word) - (word[-1] in " :")))
        assert written is not None
        assert COLOSSUS[written.span.start : written.span.end] == word.strip(" :")
    target = made.index("brz $m2, .Ldone") + len("brz $m2, ")
    place = source_map.written(Span(target, target + len(".Ldone")))
    assert place == SourceRange(MAIN, Span(*_range("0x10 <.Ldone>")))


def _range(part: str) -> tuple[int, int]:
    start = COLOSSUS.index(part)
    return start, start + len(part)


def test_hover_and_definition_know_what_the_bytes_say() -> None:
    analysis = analysis_of(COLOSSUS)
    page = hover(analysis, COLOSSUS.index("brz"))
    assert page is not None
    assert page.markdown.startswith("```colossus-asm\nbrz $m2, .Ldone")
    found = definition(analysis, COLOSSUS.index("0x10 <.Ldone>"))
    assert found is not None
    assert found.name == Span(*_range(".Ldone>:\n"))._replace(end=_range(">:\n      10")[0])
    lines = [
        analysis.source.lines.position(each.start).line
        for each in references(analysis, found.name.start)
    ]
    assert lines == [7, 10, 11]


def test_a_target_without_a_name_is_defined_at_its_address() -> None:
    found = definition(analysis_of(STRIPPED), STRIPPED.index("0x10 <"))
    assert found is not None
    assert STRIPPED[found.name.start : found.name.end] == "10"


def test_symbols_and_tokens_are_those_of_the_listing() -> None:
    analysis = analysis_of(COLOSSUS)
    assert [each.name for each in symbols(analysis)][:1] == ["axpy"]
    shown = [(COLOSSUS[t.span.start : t.span.end], t.kind) for t in template_tokens(analysis)]
    assert shown[:4] == [
        ("axpy", "label"),
        ("ld32", "function"),
        ("$m0", "variable"),
        ("$m13", "variable"),
    ]


def test_no_edit_is_offered_in_a_listing() -> None:
    analysis = analysis_of(COLOSSUS)
    assert formatting(analysis) == []
    assert code_actions(analysis, Span(0, len(COLOSSUS))) == []
    with pytest.raises(RenameError, match="listing of a disassembler"):
        prepare_rename(analysis, COLOSSUS.index(".Ldone>:"))


def test_an_edit_gives_what_a_new_analysis_gives() -> None:
    analyzer = Analyzer(load_isa("colossus"))
    source = "nop\n"
    before = analyzer.analyze(source)
    for text in (COLOSSUS, STRIPPED, source, COLOSSUS):
        before = analyzer.analyze(text, before=before)
        fresh = analysis_of(text)
        assert before.diagnostics == fresh.diagnostics
        assert before.effective_program.text == fresh.effective_program.text


def test_the_skeleton_has_the_labels_at_their_places() -> None:
    skeleton = skeleton_of_listing(COLOSSUS)
    assert len(skeleton) == len(COLOSSUS)
    assert skeleton.split() == ["axpy:", ".Ldone:"]
    assert skeleton.index(".Ldone:") == COLOSSUS.index(".Ldone>:")
