"""Hover on the tags of templates, and on what differs between iterations."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.hover import Hover, hover
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from tests.ide.cursor import CURSOR, fixture

HEAD = """{% set k_index = "lr5" %} {# role #}
{% macro save(reg, n=1) %} {# keeps it #}
    incr {{ reg }} {{ n }};;
{% endmacro %}
"""


def shown(text_with_cursor: str) -> Hover:
    found = hover(*fixture(HEAD + text_with_cursor))
    assert found is not None
    return found


def title(text_with_cursor: str) -> str:
    return shown(text_with_cursor).markdown.split("\n\n---")[0]


def test_a_name_shows_its_value_its_remark_its_line_and_its_operand() -> None:
    page = shown("set {{ k_in$0dex }} 7;;").markdown
    assert page.startswith("**`k_index`** · `lr5` · role\n\nSet, line 1\n\n---\n\n**`lr5`**")
    assert "`reg` of `set`" in page


def test_a_name_at_its_definition_shows_its_register() -> None:
    found = hover(*fixture(HEAD.replace("k_index", "k_in$0dex")))
    assert found is not None
    assert "Set, line 1" in found.markdown
    assert "Loop register" in found.markdown


def test_the_register_in_a_string_has_its_page() -> None:
    found = hover(*fixture(HEAD.replace("lr5", "l$0r5")))
    assert found is not None
    assert found.markdown.startswith("**`lr5`**")


def test_a_loop_variable_shows_its_values_and_the_output_those_of_its_iterations() -> None:
    page = shown("{% for row in range(3) %}set lr0 {{ r$0ow * 2 }};;{% endfor %}").markdown
    assert page.startswith("**`row`** · `0, 1, 2`\n\nLoop variable, line 5")
    assert "`0` for row = 0, `2` for row = 1, `4` for row = 2" in page


def test_a_word_that_is_partly_computed_shows_what_it_is_in_each_iteration() -> None:
    page = shown("{% for row in range(9) %}set l$0r{{ row }} 1;;{% endfor %}").markdown
    assert page.startswith("`lr0` for row = 0, `lr1` for row = 1, `lr2` for row = 2, `lr3` ")
    assert "9 values in 9 places" in page
    assert "**`lr0`**" in page


@pytest.mark.parametrize(
    "text",
    [
        "{% f$0or row in range(3) %}acc;;acc;;{% endfor %}",
        "{% for row in range(3) %}acc;;acc;;{% end$0for %}",
    ],
)
def test_a_loop_shows_how_many_bundles_it_makes(text: str) -> None:
    assert title(text) == ("**`for row in range(3)`** · makes 6 of 1,024 bundles in 3 iterations")


def test_a_call_shows_the_macro_and_the_bundles_of_both() -> None:
    assert title('{{ sa$0ve("lr1") }}{{ save("lr2") }}') == (
        "**`save(reg, n=1)`** · macro, line 2\n\nkeeps it\n\n"
        "This call makes 1 of 1,024 bundles. All calls make 2 of 1,024 bundles."
    )


def test_a_name_that_nothing_defines_says_so() -> None:
    assert title("set lr0 {{ mis$0sing }};;") == "**`missing`** · nothing defines it"


def test_a_name_of_a_context_shows_its_values() -> None:
    before, after = "{% for x in range(co$0ls) %}acc;;{% endfor %}".split(CURSOR)
    settings = SourceSettings(contexts=({"cols": 4}, {"cols": 5}))
    analysis = Analyzer(load_isa("ipu")).analyze(before + after, settings=settings)
    found = hover(analysis, len(before))
    assert found is not None
    assert found.markdown == "**`cols`** · `4` or `5`, given by the context"
    loop = hover(analysis, analysis.text.index("for"))
    assert loop is not None
    assert loop.markdown == (
        "**`for x in range(cols)`** makes\n\n"
        "- with `cols=4`: 4 of 1,024 bundles in 4 iterations\n"
        "- with `cols=5`: 5 of 1,024 bundles in 5 iterations"
    )


def test_a_comment_has_no_page() -> None:
    assert hover(*fixture("{# incr $0lr0 #} acc;;")) is None


def test_a_template_that_cannot_be_read_shows_what_is_written() -> None:
    text = "l{{ k_index }}: set {{ k_in$0dex }} 7; acc;;{% if %}"
    assert shown(text).markdown == "**`k_index`** · `lr5` · role\n\nSet, line 1"
    analysis, _ = fixture(HEAD + text)
    for offset in range(len(HEAD), len(analysis.text)):
        found = hover(analysis, offset)
        assert found is None or "xxxxx" not in found.markdown
