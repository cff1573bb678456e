"""Features on the literal text of a template: as in the expansion, at written places."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.ide import ADDRESSES, EXPANSIONS, LOOPS, REFERENCES, VALUES
from ipu_asm.ide.folding import folding, selection_ranges
from ipu_asm.ide.hints import code_lenses, inlay_hints, inline_values
from ipu_asm.ide.hover import hover
from ipu_asm.ide.listing import listed_program, listing, slot_grid
from ipu_asm.ide.navigation import definition, references, rename
from ipu_asm.ide.outline import label_symbols, macro_symbols, symbols
from ipu_asm.ide.signature_help import signature_help
from ipu_asm.ide.symbols import RenameError
from ipu_asm.text import Span, apply_edits
from tests.ide.cursor import fixture

KERNEL = """{% set k_index = "lr5" %} {# role #}
{% macro save(reg, n=1) %}
    incr {{ reg }} {{ n }};;
{% endmacro %}
start:
    set {{ k_index }} 7;;
{% for row in range(3) %}
row_{{ row }}:
    set lr{{ row }} {{ row * 2 }}; incr lr5 1;;
    {{ save("lr9", 2) }}
{% endfor %}
{% if 1 > 5 %}
    set lr7 99;; b start;;
{% endif %}
    b start;;
"""


def at(word: str) -> tuple[Analysis, int]:
    """The kernel, and the offset of a word in it."""
    return analyze(KERNEL), KERNEL.index(word)


def texts(analysis: Analysis, spans: list[Span]) -> list[str]:
    return [analysis.text[span.start : span.end] for span in spans]


def test_a_literal_operand_has_the_page_of_the_expansion() -> None:
    analysis, offset = at("lr5 1")
    shown = hover(analysis, offset)
    assert shown is not None
    assert texts(analysis, [shown.span]) == ["lr5"]
    assert "`reg` of `incr`" in shown.markdown


def test_text_that_is_not_rendered_has_its_page() -> None:
    analysis, offset = at("lr7")
    shown = hover(analysis, offset)
    assert shown is not None
    assert "**`lr7`**" in shown.markdown


def test_a_page_names_written_lines() -> None:
    shown = hover(analyze(KERNEL), KERNEL.rindex("start"))
    assert shown is not None
    assert "bundle 0, line 5" in shown.markdown
    assert "line 15" in shown.markdown


def test_a_label_leads_to_its_written_definition() -> None:
    analysis = analyze(KERNEL)
    found = definition(analysis, KERNEL.rindex("start"))
    assert found is not None
    assert found.name == Span(KERNEL.index("start"), KERNEL.index("start") + 5)


def test_references_of_a_register_include_those_through_a_name_and_in_a_branch_not_taken() -> None:
    analysis, offset = fixture(
        '{% set k = "lr5" %}\nset {{ k }} 1;;\n{% if 0 %}incr lr5 2;;{% endif %}\nincr l$0r5 3;;'
    )
    assert texts(analysis, references(analysis, offset)) == ["{{ k }}", "lr5", "lr5"]


def test_renaming_a_label_renames_it_where_nothing_is_rendered_too() -> None:
    analysis, offset = at("start:")
    assert apply_edits(KERNEL, rename(analysis, offset, "again")) == KERNEL.replace(
        "start", "again"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{% for r in [1] %}x$0_{{ r }}: acc;;{% endfor %}b x_1;;", "computed"),
        ("a$0gain: acc;; b {{ 'again' }};;", "`again` is computed on line 1: rename it there"),
        ("ag$0ain: acc;; b again;; {% if %}", "the template has an error"),
        ("ag$0ain: acc;; b again;; # {{ 1 }} \n other: bkpt;;", "already defined"),
    ],
)
def test_a_label_is_not_renamed_where_it_is_computed(text: str, reason: str) -> None:
    analysis, offset = fixture(text)
    with pytest.raises(RenameError, match=reason):
        rename(analysis, offset, "other")


def test_an_instruction_with_a_value_has_its_signature() -> None:
    analysis, offset = fixture('{% set k = "lr5" %}\nincr {{ k }} $0;;')
    shown = signature_help(analysis, offset)
    assert shown is not None
    assert (shown.label, shown.active) == ("incr reg value", 1)


def test_blocks_and_tags_of_several_lines_fold() -> None:
    analysis = analyze("{% for x in [1] %}\nacc;;\n{% if x %}\nacc;;\n{% else %}\nacc;;\n\n"
                       "{% endif %}\n{% endfor %}\n{# a\nb #}\nbkpt;;")  # fmt: skip
    assert [(fold.first, fold.last) for fold in folding(analysis)] == [
        (0, 7), (2, 3), (4, 6), (9, 10)
    ]  # fmt: skip


def test_selection_grows_from_the_word_to_the_tag_and_the_block() -> None:
    analysis, offset = fixture("{% for x in [1] %} set lr0 {{ $0x }};; {% endfor %} bkpt;;")
    assert texts(analysis, selection_ranges(analysis, offset)) == [
        "x",
        "{{ x }}",
        "set lr0 {{ x }}",
        "set lr0 {{ x }};;",
        " set lr0 {{ x }};; ",
        "{% for x in [1] %} set lr0 {{ x }};; {% endfor %}",
        analysis.text,
    ]


def test_the_outline_has_sets_macros_and_written_labels_with_their_addresses() -> None:
    name, macro, start = symbols(analyze(KERNEL))
    assert (name.name, name.kind) == ("k_index", "register")
    assert (macro.name, macro.kind, macro.detail) == ("save", "macro", "macro: reg, n=1")
    assert (start.name, start.kind) == ("start", "loop")
    first, row = start.children[:2]
    assert (first.name, first.detail) == ("set", "bundle 0")
    assert row.name == "row_{{ row }}"
    assert row.children[0].detail == "3 of bundles 1 to 5"
    assert row.children[1].detail == "not in the expansion"


def test_workspace_symbols_of_a_template_are_labels_as_written_and_macros() -> None:
    analysis = analyze(KERNEL)
    assert [each.name for each in label_symbols(analysis)] == ["start", "row_{{ row }}"]
    assert [each.name for each in macro_symbols(analysis)] == ["save"]


def test_hints_stand_once_behind_the_written_word() -> None:
    analysis = analyze(KERNEL)
    hints = inlay_hints(analysis, Span(0, len(KERNEL)), [ADDRESSES])
    assert [(KERNEL[hint.offset - 5 : hint.offset], hint.text) for hint in hints] == [
        ("start", " 0"),
        ("ow }}", " 1"),
        ("start", " → 0"),
    ]


def test_the_value_of_an_output_stands_behind_it() -> None:
    analysis = analyze(KERNEL)
    hints = inlay_hints(analysis, Span(0, len(KERNEL)), [VALUES])
    assert [(KERNEL[: hint.offset].rpartition("{{ ")[2], hint.text) for hint in hints] == [
        ("reg }}", " = lr9"),
        ("n }}", " = 2"),
        ("k_index }}", " = lr5"),
        ("row }}", " = 0, 1, 2"),
        ("row }}", " = 0, 1, 2"),
        ("row * 2 }}", " = 0, 2, 4"),
    ]


def test_a_value_that_is_not_known_has_no_hint() -> None:
    text = "{% set k = 1 %}set lr0 {{ missing }};;{{ k }}"
    hints = inlay_hints(analyze(text), Span(0, len(text)), [VALUES])
    assert [hint.text for hint in hints] == [" = 1"]
    text = "{% set k = 1 %}set lr0 {{ k }};;{% if %}"
    assert inlay_hints(analyze(text), Span(0, len(text)), [VALUES]) == []


def test_loops_and_macros_have_a_lens_with_their_bundles() -> None:
    lenses = code_lenses(analyze(KERNEL), [EXPANSIONS])
    assert [(KERNEL[lens.span.start : lens.span.end], lens.text) for lens in lenses] == [
        ("{% macro save(reg, n=1) %}", "3 bundles"),
        ("{% for row in range(3) %}", "6 bundles in 3 iterations"),
    ]


def test_lenses_stand_once_above_the_written_label() -> None:
    lenses = code_lenses(analyze(KERNEL), [REFERENCES, LOOPS])
    assert [KERNEL[lens.span.start : lens.span.end] for lens in lenses] == [
        "start",
        "start",
        "row_{{ row }}",
    ]


def test_the_grid_has_a_row_for_each_bundle_of_the_expansion_at_its_written_place() -> None:
    analysis, offset = at("incr lr5")
    grid = slot_grid(analysis, offset)
    assert grid.current == 1
    assert [analysis.source.lines.position(row.span.start).line for row in grid.rows] == [
        4, 7, 2, 7, 2, 7, 2, 14
    ]  # fmt: skip


def test_a_listing_leads_to_the_lines_of_the_template() -> None:
    analysis = analyze(KERNEL)
    found = listing(analysis, encode_without_errors(listed_program(analysis)))
    lines = {line.address: line.line for line in found.lines if line.address is not None}
    assert lines == {0: 4, 1: 7, 2: 2, 3: 7, 4: 2, 5: 7, 6: 2, 7: 14}


def test_inline_values_stand_at_the_written_registers() -> None:
    analysis, offset = at("incr lr5")
    values = inline_values(analysis, Span(0, len(KERNEL)), offset)
    assert [(KERNEL[v.span.start : v.span.end], v.expression) for v in values] == [
        ("{{ k_index }}", "lr5"),
        ("lr{{ row }}", "lr0@set"),
        ("lr5", "lr5@incr"),
    ]
