"""Templates, texts for the preprocessor and macros, made by their grammars: mostly nonsense."""

from __future__ import annotations

from hypothesis import strategies as st
from jinja2.filters import FILTERS
from jinja2.tests import TESTS

_ATOMS = st.sampled_from((
    "0", "1", "-1", "2.5", "1e300", "99999", "-(2 ** 20000)", "HEX", "NINES",
    "'a'", "'lr1'", "''", "'%s'", "'%(a)5d'", "'%*d'", "'{}'", "'{0:>9}{a}'", "'\\ud800'",
    "'\\n;;'", "'é😀\\0'", "'acc;;'", "n", "a", "undefined", "m", "loop", "self", "caller",
    "range", "cycler", "namespace", "none", "true", "[]", "{}", "()", "[1, 'b', 3]", "{'a': 1}",
    "range(3)", "range(0)", "cycler(1, 2)", "joiner()", "dict(a=1)", "namespace(a=1)", "m('x')"
))  # fmt: skip
_METHODS = st.sampled_from((
    "real", "a", "next()", "current", "items()", "keys()", "upper()", "reset", "join", "index0",
    "format(1, a=2)", "split()", "encode()", "as_integer_ratio()", "name", "__class__", "nope"
))  # fmt: skip
_FILTERS = st.tuples(st.sampled_from(sorted(FILTERS)), st.none() | _ATOMS | _ATOMS).map(
    lambda each: each[0] if each[1] is None else f"{each[0]}({each[1]})"
)
_TESTS = st.tuples(st.sampled_from(sorted(TESTS)), st.none() | _ATOMS).map(
    lambda each: each[0] if each[1] is None else f"{each[0]}({each[1]})"
)
_OPERATORS = st.sampled_from((
    "+", "-", "*", "/", "//", "%", "**", "~", "==", "<", "in", "not in", "and", "or", "if"
))  # fmt: skip


def _with_numbers(text: str) -> str:
    """Long numbers, which no strategy is to show, in place of their names."""
    return text.replace("HEX", "0x" + "f" * 3_600).replace("NINES", "9" * 4_200)


def _combined(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(value, _OPERATORS, value).map(lambda v: f"({v[0]} {v[1]} {v[2]})"),
        st.tuples(value, _FILTERS).map(lambda v: f"({v[0]} | {v[1]})"),
        st.tuples(value, _TESTS).map(lambda v: f"({v[0]} is {v[1]})"),
        st.tuples(value, _METHODS).map(lambda v: f"({v[0]}).{v[1]}"),
        st.tuples(value, value).map(lambda v: f"({v[0]})[{v[1]}]"),
        st.tuples(value, value, value).map(lambda v: f"({v[0]})[{v[1]}:{v[2]}]"),
        st.tuples(value, value).map(lambda v: f"[{v[0]}, {v[1]}]"),
        st.tuples(value, value).map(lambda v: f"{{{v[0]}: {v[1]}}}"),
        st.tuples(value, value).map(lambda v: f"'{{:{{}}}}'.format({v[0]}, {v[1]})"),
        st.tuples(value, value).map(lambda v: f"({v[0]})({v[1]})"),
    )


_VALUES = st.recursive(_ATOMS, _combined, max_leaves=4)
_LITERALS = st.sampled_from((
    "acc;;\n", "set lr1 ", ";;\n", "# note\n", "\n", " ", "x:", "b x;;\n", "bkpt;;\n", "{", "\r\n",
    "acc.frist;;\n", "# é\n", "}}", "# ipu: ignore\n", "\ud800", "{# ipu: context n=1 #}\n"
))  # fmt: skip
_OUTPUTS = _VALUES.map("{{{{ {} }}}}".format) | _VALUES.map("{{{{- {} -}}}}".format)


def _blocks(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(body, max_size=3).map("".join)
    return st.one_of(
        st.tuples(_VALUES, bodies).map(lambda p: f"{{% for a in {p[0]} %}}{p[1]}{{% endfor %}}"),
        st.tuples(_VALUES, bodies).map(lambda p: f"{{% if {p[0]} -%}}\n{p[1]}{{%- endif %}}"),
        st.tuples(_VALUES, bodies).map(
            lambda p: f"{{% macro m(b={p[0]}) %}}{p[1]}{{{{ b }}}}{{% endmacro %}}"
        ),
        st.tuples(_FILTERS, bodies).map(lambda p: f"{{% filter {p[0]} %}}{p[1]}{{% endfilter %}}"),
        bodies.map("{{% call m() %}}{}{{% endcall %}}".format),
        bodies.map("{{% set a %}}{}{{% endset %}}".format),
        bodies.map("{{% block a %}}{}{{% endblock %}}".format),
        bodies.map("{{% raw %}}{}{{% endraw %}}".format),
        bodies.map("{{#- {} -#}}\n".format),
        bodies.map("{{% autoescape true %}}{}{{% endautoescape %}}".format),
        bodies.map("{{% for a in [1, 2] recursive %}}{}{{% endfor ".format),
    )


_SETS = _VALUES.map("{{% set a = {} %}}\n".format)
TEMPLATES = st.lists(
    st.recursive(_LITERALS | _OUTPUTS | _SETS, _blocks, max_leaves=5), min_size=1, max_size=5
).map(lambda parts: _with_numbers("".join(parts)))
"""Templates for the IPUs; most of them cannot be rendered."""

_WORDS = st.sampled_from((
    "a", "m", "f(x)", "f", "f(", "f(1, 2)", "x", "1", "-1", "HEX", "NINES", "1.5",
    "(", ")", "((a))", ",", "##", "#", "...", "__VA_ARGS__", "__LINE__", "__COUNTER__", "\\\n",
    "defined(a)", "&&", "<<", "/", "? 1 : 0", "$m0", "add $m0, $m1, a", "nop", "nop;", "l:", "1b",
    '"s"', "'c'", "'", '"', "/*", "*/", "//", "\\x", "\\@", "\\()", "x=1", "x:req", "x:vararg",
    "\ud800", "é", "\0", "%", "- a", "+ 1", "<< 99999", "* a", "\t"
))  # fmt: skip
_DIRECTIVES = st.sampled_from((
    "#define", "#undef", "#if", "#ifdef", "#elif", "#else", "#endif", "#include", "#error", "#line",
    ".macro", ".endm", ".purgem", ".rept", ".irp x,", ".irpc x,", ".endr", ".if", ".ifdef",
    ".elseif", ".else", ".endif", ".set a,", ".equ a,", "a =", ".exitm", ".include", ".word",
    ".ascii", ".align", ".section", ".globl", "", "", "m", "f("
))  # fmt: skip
_LINE = st.tuples(_DIRECTIVES, st.lists(_WORDS, max_size=3).map(" ".join)).map(" ".join)
_GROUPS = st.sampled_from((
    "#define a 1", "#define f(x) x", ".macro m x\n .word \\x\n.endm", ".set a, 5", "#if 1\n#else",
    ".rept 3\n m a\n.endr", ".irp x, 1, 2\n m \\x\n.endr", "#endif", "m a", "f(a)", "#define a a+a",
))  # fmt: skip
DIRECTIVES = st.lists(_LINE | _GROUPS, min_size=1, max_size=8).map(
    lambda lines: _with_numbers("\n".join(lines))
)
"""Texts for the preprocessor and for macros."""
