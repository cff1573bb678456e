"""What directives do: as a page, and as what can be written."""

from __future__ import annotations

import pytest

from ipu_asm.ide.completion.completion import completions, resolve
from ipu_asm.ide.hover import hover
from ipu_asm.isa import available_isas, load_isa
from tests.ide.cursor import fixture

SETS = [name for name in available_isas() if load_isa(name).surface.directives]


def check_directive(
    text_with_cursor: str, word: str, sentence: str | None, isa: str = "colossus"
) -> None:
    """The word at the cursor has a page with that sentence, and can be written there as well.

    Without a sentence it has none, and all words of the set are offered all the same.
    """
    analysis, offset = fixture(text_with_cursor, isa)
    shown = hover(analysis, offset)
    items = {item.label: item for item in completions(analysis, offset)}
    assert set(items) == set(analysis.isa.surface.directives)
    assert {analysis.text[slice(*item.span)] for item in items.values()} == {word}
    if sentence is None:
        assert shown is None
        return
    assert shown is not None
    assert shown.markdown == f"**`{word}`** · directive\n\n{sentence}"
    assert analysis.text[slice(*shown.span)] == word
    assert (items[word].detail, items[word].kind) == (sentence, "directive")
    assert resolve(analysis, word, "directive") == shown.markdown


def test_a_directive_says_what_it_does() -> None:
    check_directive(" .te$0xt\n", ".text", "What follows belongs to the section of code.")
    check_directive("f: .worke$0r\n", ".worker", "What follows is code of workers.")
    check_directive(
        "{ nop\n $0.text\n fnop }", ".text", load_isa("colossus").surface.directives[".text"]
    )
    addrsig = "Asks for a table of the names whose addresses matter."
    check_directive("\t.addrsig$0\n", ".addrsig", addrsig, "xdna1")


@pytest.mark.parametrize("isa", SETS)
def test_a_dot_begins_a_directive_and_any_of_the_set_is_offered(isa: str) -> None:
    check_directive("nop\n .$0x", ".x", None, isa)
    check_directive("nop\n .sec$0\n nop\n", ".sec", None, isa)


@pytest.mark.parametrize("text", [".globl .x$0\n", "// .te$0xt\n", "#define .$0x\n", "bri .L$0\n"])
def test_a_dot_elsewhere_begins_none(text: str) -> None:
    analysis, offset = fixture(text, "colossus")
    assert [item for item in completions(analysis, offset) if item.kind == "directive"] == []


@pytest.mark.parametrize("isa", SETS)
def test_a_set_tells_of_every_directive_that_it_knows_in_one_sentence(isa: str) -> None:
    surface = load_isa(isa).surface
    known = {*surface.modes, *surface.symbol_directives}
    known |= {word for one in surface.severity_directives for word in (one.directive, one.ended_by)}
    assert known - {""} <= set(surface.directives)
    for word, sentence in surface.directives.items():
        assert word[0] == "."
        assert sentence[0].isupper()
        assert sentence[-1] == "."
        assert len(sentence) < 90
