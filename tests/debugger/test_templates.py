"""Breakpoints in templates: every line stands for the bundles that it was expanded to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable, read_effective_program
from ipu_asm.text import SourceFile

HEAD = """\
{% macro two(reg) %}
incr {{ reg }} 1;;
acc; incr {{ reg }} 2;;
{% endmacro %}
{% macro outer(reg) %}{{ two(reg) }}{% endmacro %}
"""
LINES = (
    "incr lr0 1;;\n",
    "  acc;; incr lr1 1;; # two bundles\n",
    "incr lr2\n  3;;\n",
    "# {{ 1 + 1 }}\n",
    '{{ two("lr3") }}\n',
    '{{ outer("lr4") }}{{ two("lr5") }}\n',
    "{% for i in range(2) %}incr lr{{ i }} 1; {% endfor %}acc;;\n",
    "{% for i in range(3) %}incr lr{{ i }} 1;;{% endfor %}\n",
    "{% set x = 3 %}\n",
)
BLOCKS = (
    "{{% for row in range({0}) -%}}\n{1}{{% endfor %}}\n",
    "{{% if {0} > 1 %}}\n{1}{{% else %}}acc;;\n{{% endif %}}\n",
)
bodies = st.recursive(
    st.sampled_from(LINES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.builds(str.format, st.sampled_from(BLOCKS), st.integers(0, 3), inner),
    ),
    max_leaves=12,
)


def resolver_of(text: str) -> BreakpointResolver:
    """The resolver of a template, whose expansion has no errors."""
    source = SourceFile(text)
    program, expansions = read_effective_program(load_isa("ipu"), source)
    return BreakpointResolver(LineTable(program, expansions[0], source))


def check_line(text: str, line: int, *addresses: int) -> str | None:
    """A breakpoint on a line, from 1, stands on these bundles; what is said of it."""
    found = resolver_of(text).on_line(line - 1)
    assert found is not None
    assert found.addresses == addresses
    return found.message


def test_two_bundles_on_a_line_stand_for_the_first_in_each_iteration() -> None:
    text = "{% for i in range(2) %}\nacc;; incr lr0 1;;\n{% endfor %}\nbkpt;;\n"
    assert check_line(text, 2, 0, 2) == "stands on 2 bundles"
    assert check_line(text, 4, 4) is None


def test_a_line_that_differs_by_iteration_stands_for_the_first_in_each() -> None:
    text = "{% for i in range(3) %}\n{% if i %}acc;;{% else %}incr lr0 1;;{% endif %}\n{% endfor %}"
    check_line(text, 2, 0, 1, 2)


def test_a_bundle_over_several_iterations_is_one() -> None:
    assert check_line(LINES[6], 1, 0) is None


def test_a_loop_on_one_line_stands_for_all_its_bundles() -> None:
    check_line(LINES[7], 1, 0, 1, 2)


def test_the_call_of_a_macro_stands_for_its_first_bundle() -> None:
    text = HEAD + '{% for i in range(2) %}\n{{ outer("lr1") }}\n{% endfor %}\n'
    check_line(text, 7, 0, 2)
    check_line(text, 5, 0, 2)
    check_line(text, 2, 0, 2)
    assert check_line(text, 6, 0, 2) == (
        "line 6 has no instruction; moved to the next bundle, line 7, which stands on 2 bundles"
    )


@pytest.mark.parametrize("line", [2, 3])
def test_a_line_of_a_macro_without_calls_stands_for_nothing(line: int) -> None:
    resolver = resolver_of(HEAD + "bkpt;;\n")
    assert resolver.on_line(line - 1) is None
    assert resolver.reason(line - 1).startswith("nothing of this line is in the expansion: ")


@given(bodies)
def test_a_breakpoint_where_a_bundle_begins_stands_on_it(body: str) -> None:
    resolver = resolver_of(f"{HEAD}{body}bkpt;;\n")
    lines = resolver.table.source.lines
    for address in range(resolver.program.size):
        place = resolver.table.place(address)
        assert place is not None
        found = resolver.on_line(*lines.position(place.span.start))
        assert found is not None
        assert address in found.addresses
        assert address in resolver.bundles_on_same_line(address)


@given(bodies)
def test_every_line_has_a_breakpoint_or_a_reason(body: str) -> None:
    resolver = resolver_of(f"{HEAD}{body}bkpt;;\n")
    for line in range(len(resolver.table.source.lines.starts)):
        found = resolver.on_line(line)
        if found is None:
            assert resolver.reason(line)
        else:
            assert found.addresses == tuple(sorted(set(found.addresses)))
            assert found.address == found.addresses[0]
            assert found.place.end_line > line
