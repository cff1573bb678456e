"""Every feature at every offset of whole, broken and hostile programs, and while they are typed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide import HINT_FAMILIES, LENS_FAMILIES
from ipu_asm.ide.blocks import REGISTERS, DocumentSymbol
from ipu_asm.ide.code_actions import code_actions
from ipu_asm.ide.completion import instruction_snippet
from ipu_asm.ide.completion.completion import completions, resolve
from ipu_asm.ide.expansions import is_template, whole_reading
from ipu_asm.ide.folding import folding, selection_ranges
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.ide.formatting.lines import STYLES
from ipu_asm.ide.formatting.on_type import formatting_on_type
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.hover import hover
from ipu_asm.ide.listing import expansion_view, listed_program, listing, slot_grid
from ipu_asm.ide.navigation import definition, highlights, prepare_rename, rename
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.semantic_tokens import semantic_tokens, template_tokens
from ipu_asm.ide.signature_help import signature_help
from ipu_asm.ide.symbols import RenameError
from ipu_asm.isa import load_isa
from ipu_asm.program.program import Program
from ipu_asm.text import LineIndex, Span
from tests.form_programs import TEXTS as FORM_TEXTS
from tests.ide.snippets import accepted
from tests.invariants import alive

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.s"))
TEXTS = [path.read_text(encoding="utf-8") for path in EXAMPLES]
SETS = ("ipu", "ipu2", "edgenpu", "xdna1", "xdna2", "colossus")
SNIPPETS = st.sampled_from([
    ";", ";;", ":", "\n", "#", "//", ",", "?", "\r\n", "\r", "\f", "\0", "\ufeff", "\ud800",
    "\U0001f600",
    "acc", "incr", "lr0", "lr99", "0x", "+1", "-", "5", "x", "x:", "b",
])  # fmt: skip


def check_everywhere(analysis: Analysis, offsets: range) -> int:
    """Nothing raises, all spans are inside the text, and they are where the cursor is.

    The answer is how many things the features had to say.
    """
    answers = _check_offsets(analysis, offsets)
    _check_outline(symbols(analysis), Span(0, len(analysis.text)))
    _check_folds(analysis)
    _check_tokens(analysis)
    return answers


def _check_offsets(analysis: Analysis, offsets: range) -> int:
    answers = 0
    for offset in offsets:
        for span in _spans_at(analysis, offset):
            assert 0 <= span.start <= span.end <= len(analysis.text)
            assert span.touches(max(offset, analysis.program.starts[0]))
            answers += 1
    for action in code_actions(analysis, Span(offsets.start, offsets.stop)):
        for edit in action.edits:
            assert 0 <= edit.span.start <= edit.span.end <= len(analysis.text)
    return answers


def check_whole(analysis: Analysis) -> None:
    """What is asked about a whole file: nothing raises, all places are inside the text."""
    everything = Span(0, len(analysis.text))
    for style in STYLES:
        for edit in formatting(analysis, style):
            assert 0 <= edit.span.start <= edit.span.end <= everything.end
    for hint in inlay_hints(analysis, everything, HINT_FAMILIES):
        assert 0 <= hint.offset <= everything.end
    for lens in code_lenses(analysis, LENS_FAMILIES):
        assert 0 <= lens.span.start < lens.span.end <= everything.end
    program = listed_program(analysis)
    assert listing(analysis, encode_without_errors(program)).text
    read = whole_reading(analysis).analysis if analysis.expanded else analysis
    assert len(slot_grid(analysis).rows) == read.program.size
    view = expansion_view(analysis)
    assert len(view.lines) == len(LineIndex.of(view.text).starts)


def _spans_at(analysis: Analysis, offset: int) -> Iterator[Span]:
    if (shown := hover(analysis, offset)) is not None:
        assert shown.markdown
        assert shown.markdown.count("```") % 2 == 0
        yield shown.span
    if (way := definition(analysis, offset)) is not None:
        assert way.full_span.start <= way.name.start < way.name.end <= way.full_span.end
        assert way.full_span.end <= len(analysis.text)
        yield way.origin
    for item in completions(analysis, offset):
        yield item.span
    _check_selection(analysis, offset)
    yield from _checked_occurrences(analysis, offset)
    _check_signature(analysis, offset)


def _check_selection(analysis: Analysis, offset: int) -> None:
    """The ranges around an offset, each really greater than the one in it, the last of all."""
    spans = selection_ranges(analysis, offset)
    assert spans[0].touches(min(max(offset, 0), len(analysis.text)))
    assert spans[-1] == Span(0, len(analysis.text))
    for inner, outer in pairwise(spans):
        assert outer.start <= inner.start <= inner.end <= outer.end
        assert inner != outer


def _checked_occurrences(analysis: Analysis, offset: int) -> list[Span]:
    """The occurrence at an offset, which is among all of them; a label can be renamed there."""
    found = [occurrence.span for occurrence in highlights(analysis, offset)]
    assert found == sorted(set(found))
    assert all(0 <= span.start < span.end <= len(analysis.text) for span in found)
    try:
        name = prepare_rename(analysis, offset)
        edits = rename(analysis, offset, "fresh_name")
    except RenameError:
        pass
    else:
        assert name.span in [edit.span for edit in edits]
        assert {edit.span for edit in edits} <= set(found)
    offset = min(max(offset, analysis.program.starts[0]), len(analysis.text))
    here = [span for span in found if span.touches(offset)]
    assert here or not found
    return here


def _check_signature(analysis: Analysis, offset: int) -> None:
    shown = signature_help(analysis, offset)
    if shown is not None:
        assert shown.active is None or 0 <= shown.active < len(shown.parameters)
        assert all(parameter.label in shown.label for parameter in shown.parameters)


def _check_outline(found: Sequence[DocumentSymbol], around: Span) -> None:
    """Symbols follow each other, and what lies in one lies in it; that of registers is the last."""
    assert all(symbol.kind != REGISTERS for symbol in found[:-1])
    end = around.start
    for symbol in sorted(found, key=lambda each: each.span):
        assert end <= symbol.span.start <= symbol.name_span.start
        assert symbol.name_span.end <= symbol.span.end <= around.end
        end = symbol.span.end
        _check_outline(symbol.children, symbol.span)


def _check_folds(analysis: Analysis) -> None:
    folds = folding(analysis)
    assert len(set(folds)) == len(folds)
    assert all(0 <= f.first < f.last < len(analysis.source.lines.starts) for f in folds)


def _check_tokens(analysis: Analysis) -> None:
    """Tokens stand one after the other, each on one line."""
    for bundle in analysis.program.bundles:
        text, end = bundle.syntax.text, 0
        for token in semantic_tokens(analysis.isa, bundle):
            assert end <= token.span.start < token.span.end <= len(text)
            assert not set("\r\n") & set(text[token.span.start : token.span.end])
            end = token.span.end
    if is_template(analysis):
        end = 0
        for token in template_tokens(analysis):
            assert end <= token.span.start < token.span.end <= len(analysis.text)
            assert not set("\r\n") & set(analysis.text[token.span.start : token.span.end])
            end = token.span.end


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_every_offset_of_every_example(text: str) -> None:
    assert check_everywhere(analyze(text), range(len(text) + 1)) > len(text.split())
    check_whole(analyze(text))


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A stretch of an example's code, with some pieces cut out and others put in."""
    text = draw(st.sampled_from(TEXTS))
    code = text[text.index("\n\n") :]
    start = draw(st.integers(0, len(code) - 1))
    stretch = code[start : start + draw(st.integers(1, 300))]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(stretch)))
        cut = draw(st.integers(0, 30))
        stretch = stretch[:at] + draw(SNIPPETS) + stretch[at + cut :]
    return stretch


@given(damaged())
def test_every_offset_of_damaged_programs(text: str) -> None:
    check_everywhere(analyze(text), range(len(text) + 1))
    check_whole(analyze(text))


@given(st.lists(SNIPPETS | st.sampled_from(" \n"), max_size=40).map("".join))
def test_every_offset_of_hostile_texts(text: str) -> None:
    check_everywhere(analyze(text), range(len(text) + 1))
    check_whole(analyze(text))


def test_every_offset_of_a_program_of_another_instruction_set() -> None:
    text = (
        "; load, convolve, store\n"
        "start: LOAD WB, 0x80000000, 64, ASYNC | 2D ; go on\r\n"
        "SYNC WAIT_DMA\n\n  CONV AB[1], AB[0], WB[0], RELU, desc=start\n"
        "POOL AB[ 2 ], AB[1], AVG, kernel=2x2, , stride=\nNOP AB[\n:,|=[]\nx:"
    )
    assert check_everywhere(analyze(text, "edgenpu"), range(len(text) + 1)) > len(text)


@pytest.mark.parametrize(("isa", "text"), FORM_TEXTS)
def test_every_offset_of_a_program_of_forms(isa: str, text: str) -> None:
    assert check_everywhere(analyze(text, isa), range(len(text) + 1)) > len(text.split())
    check_whole(analyze(text, isa))


FORM_SNIPPETS = st.sampled_from([
    ";", ":", "\n", "\r\n", "\r", "#", "//", "/*", "*/", ",", "[", "]", "{", "}", "(", ")",
    "\"", "\\", "$", "$m0", "$a0:1", "p0", "r0", "#.L", ".LBB0_1", "1b", "1:", "nop",
    ".macro x\n", ".endm\n", "#if 1\n", "#endif\n", ".macro m a, b=4\n", "\\a", "m", "M", "\\",
    "#define M m1\n", "#define x(a) M ## a \\\n", "$M", "x(", ".irp a, 1\n", ".endr\n", "M:",
    ".", "+=", "?", "\0", "\f", "\U0001f600", "\ud800", "0x", "-",
])  # fmt: skip


@st.composite
def damaged_forms(draw: st.DrawFn) -> tuple[str, str]:
    """An instruction set, and a stretch of a program of it with some pieces cut out or put in."""
    isa, code = draw(st.sampled_from(FORM_TEXTS))
    start = draw(st.integers(0, len(code) - 1))
    stretch = code[start : start + draw(st.integers(1, 200))]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(stretch)))
        stretch = stretch[:at] + draw(FORM_SNIPPETS) + stretch[at + draw(st.integers(0, 20)) :]
    return isa, stretch


@given(damaged_forms())
def test_every_offset_of_damaged_programs_of_forms(damage: tuple[str, str]) -> None:
    isa, text = damage
    check_everywhere(analyze(text, isa), range(len(text) % 2, len(text) + 1, 2))
    check_whole(analyze(text, isa))


@given(
    st.sampled_from([isa for isa, _ in FORM_TEXTS]),
    st.lists(FORM_SNIPPETS | st.sampled_from(" \n"), max_size=30).map("".join),
)
def test_every_offset_of_hostile_texts_of_forms(isa: str, text: str) -> None:
    check_everywhere(analyze(text, isa), range(len(text) + 1))
    check_whole(analyze(text, isa))


@pytest.mark.parametrize(("isa", "text"), [("ipu", TEXTS[0]), *FORM_TEXTS])
def test_no_feature_keeps_a_program_or_a_bundle(isa: str, text: str) -> None:
    """What is remembered about them goes with the analyzer and the analysis."""
    before = alive(Bundle, Program)
    check_everywhere(analyze(text, isa), range(0, len(text) + 1, 7))
    check_whole(analyze(text, isa))
    assert alive(Bundle, Program) == before


@pytest.mark.parametrize(("isa", "text"), FORM_TEXTS)
def test_every_prefix_of_a_program_of_forms_while_it_is_typed(isa: str, text: str) -> None:
    analyzer = Analyzer(load_isa(isa))
    analysis = analyzer.analyze("")
    for end in range(1, len(text) + 1):
        analysis = analyzer.analyze(text[:end], before=analysis)
        _check_behind(analysis, text, end)


def test_offsets_outside_the_text_are_its_ends() -> None:
    analysis = analyze("again: incr lr0 1; b again;;")
    for outside, inside in ((-1, 0), (999, len(analysis.text))):
        assert list(_spans_at(analysis, outside)) == list(_spans_at(analysis, inside)) != []


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in EXAMPLES])
def test_every_prefix_of_a_kernel_while_it_is_typed(text: str) -> None:
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze("")
    offered = 0
    for count, end in enumerate(_looked_at(text)):
        analysis = analyzer.analyze(text[:end], before=analysis)
        _check_behind(analysis, text, end)
        if count % 100 == 0:
            check_whole(analysis)
        if count % 3 == 0:
            for item in completions(analysis, end)[:2]:
                resolve(analysis, item.label, item.kind)
                offered += 1
    assert offered > 100


def _check_behind(analysis: Analysis, text: str, end: int) -> None:
    """Every feature after the last character that has been typed of a text.

    A letter more of a word changes what is said here, not the outline of the whole.
    """
    inside_a_word = text[end - 1].isalnum() and text[end : end + 1].isalnum()
    check = _check_offsets if inside_a_word else check_everywhere
    check(analysis, range(end, end + 1))
    formatting_on_type(analysis, end, text[end - 1])


def _looked_at(text: str) -> list[int]:
    """After which characters: of a comment after those at its ends and every fifth, else all."""
    ends, start = [], 0
    for line in text.splitlines(keepends=True):
        code = len(line.partition("#")[0]) + 3
        near = (code, len(line) - 1, len(line))
        ends += [start + n for n in range(1, len(line) + 1) if n < code or n in near or n % 5 == 0]
        start += len(line)
    return ends


TEMPLATES = (
    (
        '{# ipu: context cols=2 #}\n{% set k_index = "lr5" %} {# role #}\n'
        "{%- macro save(reg, n=1) -%}\n    incr {{ reg }} {{ n }};; # saved\n{% endmacro %}\n"
        "start:  set {{ k_index }} 7;; # {{ k_index }}\n{% for row in range(3) %}\n"
        "row_{{ row }}:\n    set lr{{ row }} {{ row * 2 }}; incr lr5 1;;\n"
        '    {{ save("lr9", 2) }}\n{% endfor %}\n'
        "{% if 1 > 5 %} set lr7 99;; b start;; {% else %} acc;; {% endif %}\n"
        "{% set tail %} b start {% endset %}{{ tail }};;\n{% raw %}acc;;{% endraw %} bkpt;;\n"
    ),
    "{{ missing }} set lr0 1;;\nb +1;;\n",
    "{% for x in [1, 2 %} set lr0 {{ x }};; {% endfor %}\r\nbkpt;;\r\n",
    "{% set a = 1 %}\r\nset lr0 {{ a }};;\r\n{{ 'again:\\nincr lr0 1;;' }} b again;; {# \n #}",
)
TEMPLATE_SNIPPETS = st.sampled_from([
    "{{", "}}", "{%", "%}", "{#", "#}", "{%-", "-%}", " set ", " for x in [1,2] ", " endfor ",
    " if ", " endif ", " macro m(a) ", " endmacro ", "x", "m(1)", "\"", "'", "(", "[", ";;", "\n",
    "\r\n", " ", "lr", "incr lr0 1", ":", "=", "|", ".", "raw", "endraw", "\U0001f600", "#",
])  # fmt: skip


@pytest.mark.parametrize("text", TEMPLATES)
def test_every_offset_of_a_template(text: str) -> None:
    assert check_everywhere(analyze(text), range(len(text) + 1)) > 1
    check_whole(analyze(text))


@pytest.mark.parametrize("text", TEMPLATES)
def test_every_prefix_of_a_template_while_it_is_typed(text: str) -> None:
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze("")
    for end in range(1, len(text) + 1):
        analysis = analyzer.analyze(text[:end], before=analysis)
        assert check_everywhere(analysis, range(max(0, end - 1), end + 1)) >= 0
        check_whole(analysis)
        formatting_on_type(analysis, end, text[end - 1])


@given(st.lists(TEMPLATE_SNIPPETS, max_size=30).map("".join))
def test_every_offset_of_hostile_templates(text: str) -> None:
    check_everywhere(analyze(text), range(len(text) + 1))
    check_whole(analyze(text))


@settings(max_examples=20)
@given(st.data())
def test_every_offset_of_damaged_templates(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEMPLATES))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(TEMPLATE_SNIPPETS) + text[at + data.draw(st.integers(0, 9)) :]
    check_everywhere(analyze(text), range(len(text) % 3, len(text) + 1, 3))
    check_whole(analyze(text))


@pytest.mark.parametrize("name", SETS)
def test_an_instruction_may_end_after_any_operand_and_go_wrong_at_any(name: str) -> None:
    """Each set's instructions as they are typed; of large sets some."""
    isa = load_isa(name)
    specs = list(isa.instructions.values())
    halt = next((each.mnemonic for each in specs if not each.operands), "NOP")
    for spec in specs[:: 1 + len(specs) // 80 * 3]:
        written = accepted(instruction_snippet(isa, spec, (), "x") or spec.mnemonic).split()
        for count in range(1, len(written) + 1):
            for last in ("", " foo"):
                text = f"x: {' '.join(written[:count])}{last}{isa.surface.bundle_end}\n{halt}\n"
                check_everywhere(analyze(text, name), range(3, 4))
