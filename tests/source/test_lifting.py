"""Findings about an expansion stand where the author wrote what they are about."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.text import apply_edits


def check(text: str, *expected: tuple[str, str]) -> None:
    """A template has these findings: code and written text."""
    found = [(f.code, text[slice(*f.span)]) for f in analyze(text).diagnostics]
    assert found == list(expected)


def test_a_finding_in_literal_text_stands_at_that_text() -> None:
    check('{% set k = "lr5" %}\nincrr {{ k }} 1;;\nbkpt;;', ("E101", "incrr"))


def test_a_finding_in_a_value_stands_at_its_use() -> None:
    check('{% set k = "lr55" %}\nincr {{ k }} 1;;\nbkpt;;', ("E104", "{{ k }}"))


def test_a_finding_in_each_iteration_is_reported_once() -> None:
    check("{% for i in range(3) %}\nincrr lr0 {{ i }};;\n{% endfor %}\nbkpt;;", ("E101", "incrr"))


def fixed(text: str) -> str | None:
    """A text with the fix of its only finding, if it has one."""
    [finding] = analyze(text).diagnostics
    return apply_edits(text, finding.fix.edits) if finding.fix else None


def test_a_fix_that_holds_in_each_iteration_is_offered() -> None:
    loop = "{{% for i in range(3) %}}\n    {} lr0 1;;\n{{% endfor %}}\n    bkpt;;\n"
    assert fixed(loop.format("incrr")) == loop.format("incr")


def test_a_fix_that_holds_in_some_iterations_only_is_not_offered() -> None:
    text = """{% for ending in ["", "r"] %}
    incr{{ ending }} lr0 1;;
{% endfor %}
    bkpt;;
"""
    assert fixed(text) is None
    argument = """{% macro step(name) %}    {{ name }} lr0 1;;
{% endmacro %}{{ step("incr") }}{{ step("incrr") }}    bkpt;;
"""
    assert fixed(argument) is None


def check_colossus(text: str, *expected: str) -> None:
    """The findings about a source for Colossus are about these words."""
    found = [text[slice(*f.span)] for f in analyze(text, "colossus").diagnostics]
    assert found == list(expected)


@pytest.mark.parametrize(
    "text",
    [
        "#if 0\nthis is prose.\n#endif\nbr $m10\n",
        "#ifdef __IPU__\nbr $m10\n#else\nclass Kernel {};\n#endif\n",
        "#if 0\n#ifdef A\nsome prose\n#endif\nmore of it\n#endif\nbr $m10\n",
        ".if 0\nsome prose $m0\n.endif\nbr $m10\n",
        '.ifeqs "a", "b"\nsome prose\n.else\nbr $m10\n.endif\n',
        '.ifnc "a b","a b"\nsome prose\n.endif\n.ifnb\nmore\n.endif\nbr $m10\n',
        ".if 2 > 1 // always\nbr $m10\n.else\nsome prose\n.if 0\nmore of it\n.endif\n.endif\n",
        ".set OLD, 0\n.if OLD\nsome prose\n.elseif OLD == 2\nmore of it\n.endif\nbr $m10\n",
        '#if defined(__cplusplus)\nextern "C" {\n#endif\nbr $m10\n',
    ],
)
def test_a_branch_that_no_assembler_reads_need_not_be_assembler(text: str) -> None:
    check_colossus(text)


def test_a_branch_that_a_define_would_take_is_checked() -> None:
    check_colossus("#ifdef MODE\nadddd $m0, $m1, $m2\n#endif\nbr $m10\n", "adddd")
    check_colossus("#ifndef __X__\nbr $m10\n#elif MODE == 3\nadddd $m0\n#endif\n", "adddd")
