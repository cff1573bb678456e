"""What holds of the expansion of any text with macros, loops and conditions."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import Expansion
from ipu_asm.source.macros.expand_macros import as_written, expand_macros
from ipu_asm.source.source_map import MAIN

ISA = load_isa("colossus")
PIECES = (
    ".macro m a, b=2, c:req",
    ".macro n x:vararg",
    ".endm",
    "m 1, 2, 3",
    "m c=$m1",
    "n $m0, $m1 + 2, \"a b\"",
    ".rept 2",
    ".irp r, $m1, $m2",
    ".irpc d, 123",
    ".endr",
    ".if \\a == 1",
    ".ifc \\b, 2",
    ".ifdef SIZE",
    ".ifb \\x",
    ".else",
    ".elseif SIZE > 3",
    ".endif",
    ".set SIZE, 4",
    "SIZE = SIZE + 1",
    ".exitm",
    ".purgem m",
    ".altmacro",
    "add $m0, $m1, \\b // what \\c does",
    "mov \\r, $m\\d",
    "x\\@: \\x",
    "{ nop ; m 1, 2, 3 ; fnop }",
    "#define SIZE 3",
    "#ifdef SIZE",
    "#endif",
    "/* not closed",
    '"a string',
)  # fmt: skip


def any_text(random: Random) -> str:
    """Lines in any order: what they begin may end anywhere, or never."""
    breaks = random.choice(("\n", "\n", "\r\n", " ; "))
    return breaks.join(random.choice(PIECES) for _ in range(random.randrange(30)))


def expanded(text: str) -> Expansion:
    return expand_macros(ISA.surface, as_written(text))


@pytest.mark.parametrize("seed", range(40))
def test_each_character_maps_to_where_it_was_written(seed: int) -> None:
    text = any_text(Random(seed))
    expansion = expanded(text)
    position = 0
    for segment in expansion.source_map.segments:
        assert segment.start == position < segment.end
        position = segment.end
        start, end = segment.written.span
        assert segment.written.path == MAIN
        assert 0 <= start <= end <= len(text)
        if segment.is_verbatim:
            assert text[start:end] == expansion.text[segment.start : segment.end]
    assert position == len(expansion.text)


@pytest.mark.parametrize("seed", range(40))
def test_names_stand_at_their_places(seed: int) -> None:
    text = any_text(Random(seed))
    expansion = expanded(text)
    places = [(each.name, each.place) for each in expansion.definitions]
    places += [(each.name, each.place) for each in expansion.uses]
    for name, place in places:
        assert text[place.span.start : place.span.end] == name
    assert {each.name for each in expansion.definitions if each.kind.value != "parameter"} == set(
        expansion.defined
    )


@pytest.mark.parametrize("seed", range(12))
def test_edits_are_expanded_like_the_whole_text(seed: int) -> None:
    random, analyzer = Random(seed), Analyzer(ISA)
    text = any_text(random)
    analysis = analyzer.analyze(text, "a.S")
    for _ in range(6):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.randrange(12))
        text = text[:start] + random.choice((*PIECES, "\n", "")) + text[end:]
        analysis = analyzer.analyze(text, "a.S", analysis)
        fresh = Analyzer(ISA).analyze(text, "a.S")
        assert analysis.diagnostics == fresh.diagnostics
        texts = [each.expansion.text for each in analysis.expanded]
        assert texts == [each.expansion.text for each in fresh.expanded]


def test_a_text_without_macros_is_its_own_expansion() -> None:
    text = "lab: add $m0, $m1, 1 // one\n{ nop ; fnop }\n"
    assert expanded(text).text == text
    assert len(expanded(text).source_map.segments) == 1
