"""A template is rendered as Jinja renders it, and every character has its place."""

from __future__ import annotations

from typing import Any, Mapping

import jinja2
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from ipu_asm.isa import load_isa
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.text import Span

SURFACE = load_isa("ipu").surface
CONTEXT: dict[str, Any] = {"n": 3, "name": "lr4", "items": ["a", "b"], "flag": True}


def rendered(text: str, context: Mapping[str, Any] = CONTEXT) -> Expansion:
    """The expansion of a text, which is what Jinja makes of it, with a place for each character."""
    (expansion,) = expand(SURFACE, text, None, SourceSettings(context))
    assert expansion.findings == () or {f.code for f in expansion.findings} == {"H106"}
    assert expansion.text == jinja2.Template(text).render(**context)
    check_places(text, expansion)
    return expansion


def check_places(text: str, expansion: Expansion) -> None:
    """Each character of an expansion is the written one, or is made by a tag."""
    tokens = Tokens(text)
    tags = {tokens.tag_span(number) for number in range(len(tokens.tags))}
    end = 0
    for segment in expansion.source_map.segments:
        assert segment.start == end < segment.end
        end = segment.end
        made, span = expansion.text[segment.start : segment.end], segment.written.span
        if segment.is_verbatim:
            assert made == text[slice(*span)].replace("\r", "\n")
            assert not any(tag.start < span.end and span.start < tag.end for tag in tags)
        else:
            assert span in tags
    assert end == len(expansion.text)


TEMPLATES = (
    "acc;; {{ name }}",
    "{{ name }}",
    "a{{ name }}b{{ n }}c",
    "a  {{- name -}}  b",
    "a \n {%- if flag -%} \n b \n {%- endif -%} \n c",
    "a {#- comment -#} b",
    "{% raw %}{{ name }} {% if %} {# x #}{% endraw %} after",
    "a {%- raw -%} {{ x }} {%- endraw -%} b",
    "{% raw %}{% endraw %}",
    "last line\n{{ name }}\n",
    "last lines\n{{ name }}\n\n\n",
    "{{ name }}\r\nb;;\r\n{{ n }}\r\n",
    "{{ name }}\r\nb;;\r\n\r\n",
    "a\r\n\r\nb\rc\n\r{{ n }}\r",
    "{% if flag -%}\r\n\r\n  a\r\nb {%- endif %}\r\n",
    "\ufeffacc;;{{ n }}",
    "\ufeff{{ n }}",
    "{{ '%}' }}{{ \"}}\" }}{% if '%}' %}a{% endif %}",
    "{{ {'a': {'b': 1}}['a']['b'] }}",
    "{{ '{{' }}{{ '{#' }}{% set a = '#}' %}{{ a }}",
    "{#- {{ name }} {% if %} -#}x",
    "}} %} #} { { {n} {{ n }}",
    "{% for x in range(3) %}<{{ x }}>{% endfor %}",
    "{% for x in range(3) %}{% for y in range(x) %}({{ x }},{{ y }}){% endfor %};{% endfor %}!",
    "{% for x in [] %}a{% else %}b{{ n }}{% endfor %}c",
    "{% for x in range(6) if x % 2 %}{{ loop.index }}:{{ x }}{% if not loop.last %}"
    ",{% endif %}{% endfor %}",
    "{% for a, b in [(1, 2), (3, 4)] %}{{ a }}-{{ b }};{% endfor %}",
    "{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}<{{ loop(x) }}>{% else %}{{ x }}"
    "{% endif %}{% endfor %}.",
    "{% macro m(a, b=2) %}[{{ a }}|{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(b=1, a=2) }}",
    "{% macro m(a) %}{{ a }};{% endmacro %}{% macro k(a) %}"
    "<{{ m(a) }}{{ m('x') }}>{% endmacro %}{{ k(5) }}",
    "{% macro m() %}lr5{% endmacro %}"
    "{{ m()|length }} {{ m()[:2] }} {{ m()|upper }} {{ m()|replace('l', 'x') }}",
    "{% macro m() %}lr5{% endmacro %}{% if m() == 'lr5' %}same{% else %}other{% endif %}",
    "{% macro m() %}lr5{% endmacro %}"
    "{{ m() ~ m() }} {{ m() + 'x' }} {{ 'lr5' in m() }} {{ m() * 2 }}",
    "{% macro m() %}lr5{% endmacro %}{% set a = m() %}"
    "{{ a }} {{ a == 'lr5' }} {{ [a] }} {{ {a: a} }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, b=2) }}",
    "{% macro m() %}{% if 0 %}a{% endif %}{% endmacro %}<{{ m() }}>{% if m() %}"
    "yes{% else %}no{% endif %}",
    "{% macro m(a) %}{% for x in range(a) %}{% if x %},{% endif %}{{ x }}{% endfor %}{% endmacro %}"
    "{{ m(3)|length }}{{ m(3) }}",
    "{% macro m(a) %}({{ caller(a) }}){{ caller(2)|length }}{% endmacro %}"
    "{% call(x) m(1) %}-{{ x }}-{% endcall %}",
    "{% macro m() %}{{ caller() }}!{% endmacro %}{% call m() %}{{ name }} text{% endcall %}",
    "{% set x %}  lr{{ n }}  {% endset %}{{ x }}|{{ x|trim }}|{{ x|length }}|{{ x == '  lr3  ' }}",
    "{% set x | upper %}lr{{ n }}{% endset %}{{ x }}",
    "{% set x %}{% for y in range(4) %}{{ y }}{% endfor %}{% endset %}{{ x }}{{ x[1:] }}",
    "{% filter upper %}lr{{ n }} text{% endfilter %} after",
    "{% filter indent(2) %}a\nb\n{{ name }}{% endfilter %}",
    "{% filter trim %}{% for x in range(2) %} {{ x }} {% endfor %}{% endfilter %}",
    "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}",
    "{% set ns = namespace(k=0) %}{% for x in range(4) %}{% set ns.k = ns.k + x %}"
    "{% endfor %}{{ ns.k }}",
    "{% set a, b = 1, 2 %}{{ b }}{{ a }}",
    "{% set k = 1 %}{% macro m() %}{{ k }}{% endmacro %}{% set k = 2 %}{{ m() }}",
    "{% block a %}x{{ n }}{% endblock %}{{ self.a() }}",
    "{% autoescape true %}{{ '<' }}{{ '<'|safe }}{% set x %}<{{ '>' }}{% endset %}"
    "{{ x }}{% endautoescape %}{{ '<' }}",
    "{% autoescape flag %}{{ '<' }}{% endautoescape %}",
    "{% autoescape true %}{% macro m(a) %}<b>{{ a }}{% endmacro %}{{ m('<') }}{% endautoescape %}",
    "{% print 1, name %}",
    "{% if n > 2 %}{% elif n %}b{% else %}c{% endif %}{% if not flag %}x{% elif n == 3 %}"
    "y{% endif %}",
    "{{ n if flag else 'x' }}{{ 'y' if not flag }}",
    "{{ items|join(', ') }}{{ items|map('upper')|list }}{{ items[::-1] }}{{ items|batch(1)|list }}",
    "{{ [1, 2, 3]|sum }}{{ (1, 2)|first }}{{ 3.5|round }}{{ 'a b'.split() }}{{ 'x'.upper() }}",
    "{{ undefined_name|default('d') }}{{ undefined_name is defined }}",
    "{{ 'a' 'b' }}{{ 1_000 }}{{ 0x1F }}{{ 1e3 }}{{ true }}{{ none }}{{ () }}{{ (1,) }}{{ 1, 2 }}",
    "{{ '%02d' % 5 }}{{ '{:>4}'.format(7) }}{{ '%s-%s'|format(1, 2) }}{{ 7 // 2 }}{{ "
    "2 ** 5 }}{{ -n }}",
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{% set j = joiner(',') %}"
    "{{ j() }}1{{ j() }}2",
    "{{ dict(a=1)|dictsort }}{{ {'b': 2}|tojson }}{{ 'text'|center(10) }}{{ 'a\nb'|indent }}",
    "{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}"
    "{% for g, l in [1, 2]|groupby('real') %}{{ g }}{% endfor %}",
    "# {{ name }} in a comment\nacc;; # {% if flag %}yes{% endif %}\n",
    "{{ name }}{{ name }}{%- if flag %} {{- n }}{% endif -%}\n\n\n.",
    "{% if true %}\n{% endif %}\n",
)  # fmt: skip


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_is_rendered_as_jinja_renders_it(text: str) -> None:
    rendered(text)


def test_a_number_beyond_all_floats_is_infinite() -> None:
    (expansion,) = expand(SURFACE, "{{ 1e999 }} {{ [-1e999] }} {{ 0 if 1e999 else 1 }}")
    assert (expansion.text, expansion.findings) == ("inf [-inf] 0", ())


def test_a_block_is_filtered_by_values_from_outside() -> None:
    # Jinja does not find a name that only the filter of a block mentions.
    text = "{% set x | replace(name, 'lr5') %}b lr4{% endset %}{{ x }}"
    (expansion,) = expand(SURFACE, text, None, SourceSettings(CONTEXT))
    assert (expansion.text, expansion.findings) == ("b lr5", ())


EXPRESSION = st.sampled_from(
    ["n", "name", "items", "'%}'", "n + 1", "m(1)", "m(n) ~ 'x'", "m(2)|length", "x is defined",
     "items|join('-')", "'lr' ~ n", "[n, m(0)]", "m(3)[1:]", "m(m(1))", "range(3)|list", "c|upper"]
)  # fmt: skip
LITERAL = st.sampled_from(
    ["acc;;", " ", "\n", "\r\n", "\r", "lr5 ", "# x\n", "{", "}", "%", "{ {", "\ufeff", "é", "\t",
     "\n\n"]
)  # fmt: skip
SIGN = st.sampled_from(["", "", "-"])


def _tag(begin: str, inside: str, end: str) -> st.SearchStrategy[str]:
    return st.tuples(SIGN, SIGN).map(lambda signs: f"{begin}{signs[0]} {inside} {signs[1]}{end}")


def _block(head: str, end: str, body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(_tag("{%", head, "%}"), body, _tag("{%", end, "%}")).map("".join)


def _blocks(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    many = st.lists(body, max_size=4).map("".join)
    return st.one_of(
        _block("if n > 2", "endif", many),
        _block("if not flag", "endif", many),
        _block("for x in range(3)", "endfor", many),
        _block("for y in items if y != 'a'", "endfor", many),
        _block("set c", "endset", many),
        _block("filter upper", "endfilter", many),
        _block("call m(1)", "endcall", many),
        _block("with z = n", "endwith", many),
    )


OUTPUT = EXPRESSION.flatmap(lambda expression: _tag("{{", expression, "}}"))
COMMENT = st.sampled_from(
    ["{# a #}", "{#- a -#}", "{#- {{ n -#}", "{% raw %}{{ x{% endraw %}",
     "{%- raw -%} a {%- endraw -%}"]
)  # fmt: skip
PIECE = st.recursive(st.one_of(LITERAL, OUTPUT, COMMENT), _blocks, max_leaves=12)
MACRO = (
    "{% set c = 'c' %}"
    "{% macro m(a) %}<{{ a }} {% if caller %}{{ caller() }}{% endif %}>{% endmacro %}"
)


@given(st.lists(PIECE, max_size=8).map("".join))
def test_any_template_is_rendered_as_jinja_renders_it(text: str) -> None:
    try:
        jinja2.Template(MACRO + text)
    except jinja2.TemplateSyntaxError:
        reject()  # such as of a brace before a tag
    rendered(MACRO + text)


def test_literal_text_of_a_macro_has_its_call_and_its_iteration() -> None:
    text = (
        "{% macro m(r) %}incr {{ r }} 1;;{% endmacro %}"
        "{% for x in [5, 6] %}{{ m('lr' ~ x) }}{% endfor %}"
    )
    expansion = rendered(text)
    frame = expansion.source_map.frame_at(expansion.text.rindex("incr"))
    assert frame is not None
    assert [level.label for level in frame.stack()] == ["macro `m`", "for x = 6"]
    assert text[slice(*frame.call.span)] == "{{ m('lr' ~ x) }}"
    value = expansion.source_map.frame_at(expansion.text.rindex("lr6"))
    assert value is not None
    assert value.label == "argument `r`"
    assert value.definition is not None
    assert text[slice(*value.definition.span)] == "'lr' ~ x"


def test_an_argument_that_is_passed_on_comes_from_the_first_call() -> None:
    text = (
        "{% macro a(x) %}{{ x }}{% endmacro %}{% macro b(y) %}{{ a(y) }}{% endmacro %}"
        "{{ b('lr3') }}"
    )
    expansion = rendered(text)
    frame = expansion.source_map.frame_at(0)
    assert frame is not None
    assert frame.definition is not None
    assert text[slice(*frame.definition.span)] == "'lr3'"
    assert [level.label for level in frame.stack()] == ["argument `x`", "macro `a`", "macro `b`"]


def test_each_line_break_of_windows_has_one_character_in_the_expansion() -> None:
    text = "a;;\r\nb;;\r\n{{ 1 }}"
    expansion = rendered(text)
    written = expansion.source_map.written(Span(4, 6))
    assert written is not None
    assert text[slice(*written.span)] == "b;"
