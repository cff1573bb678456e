"""What an editor knows of a language without a server, held against what the assembler reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.reports.textmate_patterns import terminals_of

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((PROJECT / "examples").glob("*.s"))
FOLDER = PROJECT / "vscode-extension" / "languages"
LANGUAGES = ("ipu-asm", "edgenpu-asm", "aie-asm", "colossus-asm")
EVERY_ISA = pytest.mark.parametrize("isa", [load_isa(name) for name in available_isas()], ids=str)
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


def configuration(language: str) -> dict[str, Any]:
    """The configuration of a language."""
    data: dict[str, Any] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return data


def check_words(language: str, text: str, *words: str) -> None:
    """What an editor takes for the words of a text, as a double click selects them."""
    said = configuration(language)["wordPattern"]
    assert said["flags"] == "u"
    # Python has no \p; letters are enough of what it stands for.
    pattern = said["pattern"].replace(r"\p{L}", "A-Za-zäöüßé")
    assert re.findall(pattern, text) == list(words)


def pattern_of(language: str, *path: str) -> re.Pattern[str]:
    """An expression of the configuration."""
    data: Any = configuration(language)
    for key in path:
        data = data[key]
    return re.compile(data)


def enter(language: str, before: str, after: str = "") -> dict[str, Any]:
    """What is done where a line is broken between two texts; empty where nothing special is."""
    for rule in configuration(language)["onEnterRules"]:
        fits = re.search(rule["beforeText"], before) and re.search(rule.get("afterText", ""), after)
        if fits and "previousLineText" not in rule:
            action: dict[str, Any] = rule["action"]
            return action
    return {}


@EVERY_ISA
def test_a_line_is_commented_out_with_the_mark_of_the_set(isa: Isa) -> None:
    said = configuration(isa.surface.language_id)["comments"]
    assert said["lineComment"] == isa.surface.comments[0]
    assert terminals_of(isa.surface.grammar).has_block_comments() == ("blockComment" in said)


@EVERY_ISA
def test_every_mnemonic_and_every_register_is_one_word(isa: Isa) -> None:
    for name in (*isa.instructions, *isa.file_of_register):
        check_words(isa.surface.language_id, f" {name} ", name)


def test_words_are_those_of_the_assembler() -> None:
    check_words(
        "ipu-asm",
        "loop_1: mult.ve.cr lr0 -0x1F;bne lr1 lr2 loop_1;;b +1;; # a Größe, vor-her.",
        *("loop_1", "mult.ve.cr", "lr0", "-0x1F", "bne", "lr1", "lr2", "loop_1", "b", "+1"),
        *("a", "Größe", "vor", "her."),
    )
    check_words(
        "edgenpu-asm",
        "x.1: LOAD WB, 0x8000_0000, 2D|ASYNC ; y\nPOOL AB[1], AB[0x2],kernel=3x3",
        *("x.1", "LOAD", "WB", "0x8000_0000", "2D", "ASYNC", "y"),
        *("POOL", "AB[1]", "AB[0x2]", "kernel", "3x3"),
    )
    check_words(
        "aie-asm",
        ".l_start: vlda.conv wl0, [p0], #-32; jnz r0, #.l_start",
        *(".l_start", "vlda.conv", "wl0", "p0", "-32", "jnz", "r0", ".l_start"),
    )
    check_words(
        "colossus-asm",
        "{ld64 $a0:1, $m0, $mzero, 1; f32v2add $a2:3, $a0:B, \\arg}",
        *("ld64", "$a0:1", "$m0", "$mzero", "1", "f32v2add", "$a2:3", "$a0:B", "\\arg"),
    )


@EVERY_LANGUAGE
@pytest.mark.parametrize("key", ["increaseIndentPattern", "decreaseIndentPattern"])
def test_a_label_on_its_line_stands_out_and_what_follows_stands_in(key: str, language: str) -> None:
    pattern = pattern_of(language, "indentationRules", key)
    mark = configuration(language)["comments"]["lineComment"]
    for line in ("row:", "    row :  ", "row_2.b:", f"row: {mark} 8 bundles a row"):
        assert pattern.search(line), line
    for line in ("    acc", "row: acc", f"{mark} Note: acc", f"{mark} Registers:", "", "row"):
        assert not pattern.search(line), line


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_the_lines_of_the_examples_that_indent_are_those_with_a_label_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    analysis = analyze(text)
    pattern = pattern_of("ipu-asm", "indentationRules", "increaseIndentPattern")
    labels = [analysis.program.label_span(label) for label in analysis.program.labels]
    wanted = {analysis.source.lines.position(span.start).line for span in labels}
    found = {number for number, line in enumerate(text.splitlines()) if pattern.search(line)}
    assert found == wanted


def test_an_open_bundle_behind_its_label_goes_on_further_in() -> None:
    assert enter("ipu-asm", "loop: incr lr0 1;") == {"indent": "indent"}
    assert enter("ipu-asm", "loop: incr lr0 1; acc; # two so far") == {"indent": "indent"}
    for line in ("loop: incr lr0 1;;", "    incr lr0 1;", "loop: acc; b +1;;", "# so: that;"):
        assert enter("ipu-asm", line) == {}


@EVERY_LANGUAGE
def test_a_comment_that_is_broken_in_its_middle_goes_on_as_one(language: str) -> None:
    mark = configuration(language)["comments"]["lineComment"]
    goes_on = {"indent": "none", "appendText": f"{mark} "}
    assert enter(language, f"    {mark} the first", " half") == goes_on
    assert enter(language, f"acc  {mark} the first", " half") == goes_on
    assert enter(language, f"    {mark} all of it") == {}
    assert enter(language, "    acc", f" {mark} remark") == {}


def test_a_block_comment_goes_on_with_an_asterisk() -> None:
    for language in ("aie-asm", "colossus-asm"):
        assert enter(language, "/* one")["appendText"] == " * "
        assert enter(language, "/*", " */") == {"indent": "indentOutdent", "appendText": " * "}
        assert enter(language, "/* one */") == {}


@EVERY_LANGUAGE
def test_regions_are_marked_in_comments(language: str) -> None:
    mark = configuration(language)["comments"]["lineComment"]
    start = pattern_of(language, "folding", "markers", "start")
    end = pattern_of(language, "folding", "markers", "end")
    for name in ("region weights", "#region"):
        assert start.search(f"{mark} {name}")
        assert not end.search(f"{mark} {name}")
    assert end.search(f"    {mark}endregion")
    for line in (f"{mark} regions of memory", "region: acc", f"acc {mark} region"):
        assert not start.search(line)


@EVERY_LANGUAGE
def test_every_bracket_closes_itself_and_goes_around_a_selection(language: str) -> None:
    said = configuration(language)
    closing = [[pair["open"], pair["close"]] for pair in said["autoClosingPairs"]]
    for pair in said["brackets"]:
        assert pair in closing
        assert pair in said["surroundingPairs"]
