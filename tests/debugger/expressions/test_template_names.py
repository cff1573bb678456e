"""The names of a template, in expressions and beside registers."""

from __future__ import annotations

from ipu_asm.debugger.expressions.program_names import (
    NamesAtBundle,
    TemplateNames,
    names_from_template,
)
from ipu_asm.emulator import IpuState
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable, read_effective_program
from ipu_asm.source.expansion import Expansion, NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span
from tests.debugger.ipu_regions import VIEW


def check_template(
    *definitions: tuple[str, str | None], context: str = "", **expected: str
) -> TemplateNames:
    """What the names of a template stand for, given those that it sets."""
    place = SourceRange(MAIN, Span(0, 0))
    made = [
        NameDefinition(name, NameKind.SET, place, place, value, remark=f"about {name}")
        for name, value in definitions
    ]
    names = names_from_template(
        Expansion("", SourceMap(()), context, definitions=tuple(made)), VIEW.model
    )
    assert names.values == expected
    return names


def test_the_names_of_a_template_are_those_of_registers_and_numbers() -> None:
    names = check_template(("k", "lr5"), ("rows", "0x10"), ("text", "a b"), k="lr5", rows="0x10")
    assert names.names["lr5"] == ("k",)
    assert names.remarks["lr5"] == "about k"


def test_several_names_of_a_register_are_all_shown() -> None:
    names = check_template(("k", "lr5"), ("row", "LR5"), k="lr5", row="LR5")
    assert names.names == {"lr5": ("k", "row")}


def test_a_name_that_changes_or_is_taken_or_has_no_value_is_none() -> None:
    check_template(("k", "lr5"), ("k", "lr6"), ("acc", "lr1"), ("cr2", "lr1"), ("x", None))


def test_the_values_of_a_context_are_names() -> None:
    check_template(("k", "lr5"), context="rows=3 k=4 what=a-b", k="lr5", rows="3")


def test_a_plain_program_has_no_names_of_a_template() -> None:
    assert names_from_template(None, VIEW.model) == TemplateNames()


def names_at(text: str, address: int, **names: str) -> NamesAtBundle:
    """The names at a bundle of a template, besides the given ones."""
    source, state = SourceFile(text), IpuState()
    program, expansions = read_effective_program(load_isa("ipu"), source)
    state.program_counter = address
    return NamesAtBundle(names, LineTable(program, expansions[0], source), state)


NESTED = """\
{% for row in range(2) %}
{% for a, b in [(row, "lr7"), ("x", 5)] %}
acc;;
{% endfor %}
{% endfor %}
bkpt;;
"""


def test_loop_variables_have_the_values_of_the_iteration() -> None:
    assert names_at(NESTED, 0) == {"row": "0", "a": "0", "b": "lr7"}
    assert names_at(NESTED, 3) == {"row": "1", "b": "5"}
    assert names_at(NESTED, 4, k="lr1") == {"k": "lr1"}
    assert names_at(NESTED, 1024, k="lr1") == {"k": "lr1"}


def test_an_inner_loop_hides_an_outer_variable_and_that_another_name() -> None:
    text = "{% for i in [3] %}{% for i in [4] %}acc;;{% endfor %}{% endfor %}bkpt;;"
    assert names_at(text, 0, i="lr1") == {"i": "4"}
    assert names_at(text, 1, i="lr1") == {"i": "lr1"}


def test_somewhere_each_loop_variable_has_a_value() -> None:
    assert names_at(NESTED, 4).anywhere.keys() == {"row", "a", "b"}
