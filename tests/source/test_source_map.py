"""A source map leads from an expansion to the written text and back."""

from __future__ import annotations

from ipu_asm.source.source_map import MAIN, Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.text import Span


def written(start: int, end: int) -> SourceRange:
    return SourceRange(MAIN, Span(start, end))


# `set ` + `lr5` for `{{ k }}` + ` 0;;`
VALUE = SourceMap(
    [
        Segment(0, 4, written(0, 4), True),
        Segment(4, 7, written(4, 11), False),
        Segment(7, 11, written(11, 15), True),
    ]
)
# The body `acc;;` of a loop, twice.
LOOP = SourceMap([Segment(0, 5, written(20, 25), True), Segment(5, 10, written(20, 25), True)])


def test_literal_text_maps_character_by_character() -> None:
    assert VALUE.written(Span(1, 3)) == written(1, 3)
    assert VALUE.written(Span(8, 9)) == written(12, 13)
    assert VALUE.verbatim(Span(8, 9)) == written(12, 13)


def test_a_part_of_a_value_maps_to_the_whole_use() -> None:
    assert VALUE.written(Span(5, 6)) == written(4, 11)
    assert VALUE.written(Span(2, 6)) == written(2, 11)
    assert VALUE.verbatim(Span(2, 6)) is None


def test_a_written_character_of_a_loop_has_an_offset_in_each_iteration() -> None:
    assert LOOP.expanded(MAIN, 22) == [2, 7]
    assert LOOP.expanded_spans(written(21, 23)) == [Span(1, 3), Span(6, 8)]
    assert LOOP.expanded(MAIN, 25) == [5, 10]
    assert LOOP.expanded(MAIN, 26) == []


def test_a_use_maps_to_the_start_of_its_value() -> None:
    assert VALUE.expanded(MAIN, 6) == [4]
    assert VALUE.expanded("other.h", 6) == []


def test_a_word_of_a_macro_and_its_argument_stands_at_the_argument() -> None:
    frame = Frame(FrameKind.MACRO, "macro `M`", written(40, 45))
    pasted = SourceMap(
        [Segment(0, 2, written(10, 12), True, frame), Segment(2, 4, written(42, 44), True, frame)]
    )
    assert pasted.written(Span(0, 4)) == written(42, 44)
    assert pasted.written(Span(0, 2)) == written(10, 12)
