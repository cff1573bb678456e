"""Findings about templates: where they stand, and in how many iterations and contexts they hold."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import NameKind, SourceSettings

ANALYZER = Analyzer(load_isa("ipu"))


def check(
    text: str, *expected: tuple[str, str], settings: SourceSettings | None = None
) -> tuple[Diagnostic, ...]:
    """A template has these findings: code and written text."""
    found = ANALYZER.analyze(text, settings=settings or SourceSettings()).diagnostics
    assert [(f.code, text[slice(*f.span)]) for f in found] == list(expected)
    return found


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("{% for %}\nbkpt;;", "{% for %}", "expected an expression"),
        ("{% if 1 %}\nbkpt;;", "{% if 1 %}", "`if` ends with `endif`"),
        ("{% set a %}\nbkpt;;", "{% set a %}", "`set` ends with `endset`"),
        ("acc;;\n{{ a b }}\nbkpt;;", "b", "found `b`"),
        ("acc;;\n{{ 1", "{{", "a tag ends with `}}`"),
        ("acc;;\n{# text", "{#", "a comment ends with `#}`"),
        ("acc;;\n{% raw %} ", "{% raw %}", "`raw` ends with `endraw`"),
        ("{% foo %}bkpt;;", "foo", "unknown tag `foo`"),
        ("{{ 1 | foo }}bkpt;;", "foo", "no filter named `foo`"),
        ("{{ 1 is foo }}bkpt;;", "is", "no test named `foo`"),
        ("{{ 1 / 0 }}bkpt;;", "{{ 1 / 0 }}", "division by zero"),
        ("acc;;{{ 1 }}\n{{ 'a' + 1 }}bkpt;;", "{{ 'a' + 1 }}", "a text with an integer; `~` joins"),
        ("{% set a = 1 / 0 %}bkpt;;{{ a }}", "{% set a = 1 / 0 %}", "division by zero"),
        ("{% macro m() %}{{ 1 / 0 }}{% endmacro %}\n{{ m() }}bkpt;;", "{{ 1 / 0 }}", "division"),
        ("{{ ''.__class__ }}bkpt;;", "{{ ''.__class__ }}", "may not use `__class__` of a text"),
        ("{% include 'a' %}bkpt;;", "{% include 'a' %}", "reads no other files"),
        ("{{ [1] | random }}bkpt;;", "{{ [1] | random }}", "the same program each time"),
        ("{# ipu: context a b=1 #}bkpt;; # {{ b }}", "a", "`{# ipu: context NAME=VALUE #}`"),
        ("{# ipu: context #}bkpt;;", "{# ipu: context #}", "a context is declared by"),
    ],
)
def test_an_error_of_jinja_stands_at_its_tag(text: str, place: str, message: str) -> None:
    (finding,) = check(text, ("E401", place))
    assert message in finding.message


def test_the_rest_of_a_broken_template_is_checked_where_it_is_certain() -> None:
    check("{% for %}\nincrr lr0 1;;\n{{ n }}\nfoo;;\nbar;;", ("E401", "{% for %}"),
          ("E101", "incrr"), ("E101", "bar"))  # fmt: skip
    check("set lr0 {{ 1 / 0 }};;\nb nowhere;;\nfoo;;", ("E401", "{{ 1 / 0 }}"), ("E101", "foo"))
    check("{{ a b }}: acc;;\nb x;;\nx: acc; {% if 1 %}acc{% endif %};;", ("E401", "b"))


def test_all_uses_of_undefined_names_are_reported_and_nothing_that_follows_from_them() -> None:
    text = "set lr{{ a }} {{ b + 1 }};;\nset {{ a | upper }} 1;;\nfoo;;\nb x;;\n"
    check(text, ("E402", "a"), ("E402", "b"), ("E402", "a"), ("E101", "foo"))
    check("{% if a %}{% set k = 1 %}{% endif %}set lr0 {{ k }};;", ("E402", "a"))


def test_an_undefined_name_has_a_suggestion() -> None:
    (finding,) = check("{% set rows = 3 %}set lr0 {{ rws + rows }};;bkpt;;", ("E402", "rws"))
    assert finding.message == "`rws` is not defined in the template; did you mean `rows`?"
    assert finding.fix is not None
    (finding,) = check("set lr0 {{ cols }};;bkpt;;", ("E402", "cols"))
    assert "`{# ipu: context cols=... #}`" in finding.message
    assert "`--define cols=VALUE`" in finding.message


def test_a_missing_argument_is_reported_at_the_call() -> None:
    text = "{% macro m(reg) %}incr {{ reg }} 1;;{% endmacro %}\n{{ m() }}bkpt;;"
    (finding,) = check(text, ("E402", "reg"))
    assert finding.message == "parameter `reg` was not provided"


def test_a_finding_of_some_iterations_says_in_how_many() -> None:
    text = "{% for n in range(15, 18) %}\nset lr{{ n }} 1;;\n{% endfor %}\nbkpt;;"
    (finding,) = check(text, ("E104", "lr{{ n }}"))
    assert finding.message.startswith("in 2 of 3 iterations: operand `reg`")
    assert [related.message for related in finding.related] == [
        "value of `n` is defined here",
        "in for n = 16",
    ]


def test_a_finding_of_all_iterations_has_no_count() -> None:
    text = "{% for n in range(3) %}\nincrr lr0 1;;\n{% endfor %}\nbkpt;;"
    (finding,) = check(text, ("E101", "incrr"))
    assert finding.message.startswith("unknown mnemonic")


def test_a_finding_of_one_context_names_it() -> None:
    text = "{# ipu: context n=3 #}{# ipu: context n=16 #}\nset lr{{ n }} 1;;\nbkpt;;"
    (finding,) = check(text, ("E104", "lr{{ n }}"))
    assert finding.message.startswith("in context n=16: operand")
    text = "{# ipu: context n=17 #}" + text
    (finding,) = check(text, ("E104", "lr{{ n }}"))
    assert finding.message.startswith("in 2 of 3 contexts: operand")


def test_what_is_unused_in_one_context_alone_is_not_reported() -> None:
    contexts = "{# ipu: context n=0 #}{# ipu: context n=1 #}\n"
    text = f"{contexts}set lr1 5;;\nagain: incr lr0 1;;\nX\nbkpt;;"
    check(text.replace("X", "{% if n %}bne lr0 lr1 again;;{% endif %}"))
    check(text.replace("X", "{{ n }}: acc;;"), ("H104", "again"), ("H104", "{{ n }}"))


def test_contexts_in_the_file_come_in_place_of_configured_ones() -> None:
    settings = SourceSettings({}, ({"n": 20},))
    check("set lr{{ n }} 1;;\nbkpt;;", ("E104", "lr{{ n }}"), settings=settings)
    check("{# ipu: context n=2 #}set lr{{ n }} 1;;\nbkpt;;", settings=settings)


def test_values_of_declared_contexts_have_their_types() -> None:
    text = (
        '{# ipu: context a=3 b=-1.5 c="x y" d=\'q\' e=true f=word g=[1, two, "3"] h=0x10 #}'
        "# {{ [a, b, c, d, e, f, g, h] }}\nbkpt;;"
    )
    (expanded,) = ANALYZER.analyze(text).expanded
    shown = "[3, -1.5, 'x y', 'q', True, 'word', [1, 'two', '3'], 16]"
    assert expanded.expansion.text == f"# {shown}\nbkpt;;"


def test_names_have_values_remarks_and_uses() -> None:
    text = (
        "{# ipu: context cols=4 #}\n"
        '{% set k = "lr5" %} {# the index #}\n'
        "# bound of the loop\n{% set n = cols * 2 %}\n"
        "{% macro m(reg, step=1) %}{# adds #}incr {{ reg }} {{ step }};;{% endmacro %}\n"
        "{% for row in range(2) %}{{ m(k, step=row) }}{% endfor %}\n"
        "{% if false %}{{ k }}{% endif %}\n"
        "set lr0 {{ n }};;\nbkpt;;"
    )
    check(text)
    expansion = ANALYZER.analyze(text).expanded[0].expansion
    names = {each.name: each for each in expansion.definitions}
    assert {name: (each.kind, each.value, each.remark) for name, each in names.items()} == {
        "k": (NameKind.SET, "lr5", "the index"),
        "n": (NameKind.SET, "8", "bound of the loop"),
        "m": (NameKind.TEMPLATE_MACRO, None, "adds"),
        "reg": (NameKind.PARAMETER, None, ""),
        "step": (NameKind.PARAMETER, None, ""),
        "row": (NameKind.LOOP_VARIABLE, "0, 1", ""),
        "cols": (NameKind.CONTEXT, "4", ""),
    }
    assert names["m"].parameters == ("reg", "step=1")
    uses = [use.name for use in expansion.uses]
    assert sorted(uses) == sorted(["cols", "reg", "step", "m", "k", "step", "row", "k", "n"])
    for use in expansion.uses:
        assert text[slice(*use.place.span)] == use.name
        assert use.definition == names[use.name]


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("{{ cycler.reset }}", "`reset` is a function, no value; call it by `reset(...)`"),
        ("{{ range }}", "`range` is a function, no value; call it by `range(...)`"),
        ("{{ ''.join ~ 1 }}", "`join` is a function, no value; call it by `join(...)`"),
        ("{{ {'items': 1}.items }}", "`items` is a function, no value; call it by `items(...)`"),
        ("{{ '%s' % ''.join }}", "`join` is a function, no value; call it by `join(...)`"),
        ("{{ 'a' | attr('upper') }}", "`upper` is a function, no value; call it by `upper(...)`"),
        ("{{ [cycler] }}", "`cycler` is a function, no value; call it by `cycler(...)`"),
        ("{{ cycler(1) }}", "a `cycler` has no text; take its next value by `.next()`"),
        ("{{ [joiner()] }}", "a `joiner` has no text; call it"),
        ("{{ [1] | map('abs') }}", "an iterator has no text; make a list of it by `| list`"),
        ("{{ [1] | reverse | string }}", "an iterator has no text; make a list of it by `| list`"),
        (
            "{{ '{}'.format([1] | select) }}",
            "an iterator has no text; make a list of it by `| list`",
        ),
    ],
)
def test_a_value_whose_text_would_be_an_address_is_an_error(tag: str, message: str) -> None:
    (finding,) = check(tag + "bkpt;;", ("E401", tag))
    assert finding.message == "the template cannot be rendered: " + message


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("{{ 1 | batch }}", "filter `batch` takes `linecount, fill_with=None`"),
        ("{{ 'a' | upper(1) }}", "filter `upper` takes no arguments"),
        ("{{ 5 | list }}", "a list or another sequence is needed, found an integer"),
        ("{{ 1 is divisibleby }}", "test `divisibleby` takes `num`"),
        ("{{ 'a' is odd }}", "test `odd` takes integers, found a text"),
        ("{{ joiner(1, 2) }}", "`joiner` takes fewer arguments"),
        ("{{ [].sort() }}", "a template may not use `sort` of a list"),
        ("{{ 1 | dictsort }}", "a dictionary is needed, found an integer"),
        ("{{ 2 | round('a') }}", "an integer is needed, found a text"),
        ("{{ -'a' }}", "`-` takes no text"),
        ("{{ (300).to_bytes(1) }}", "a number needs more bytes than it may have"),
        ("{{ 10 ** 400 * 1.0 }}", "a number is too large for a float"),
        ("{{ 'é'.encode('ascii') }}", "`ascii` has no character `é`"),
        ("{{ '{b}'.format() }}", "there is no value for `b`"),
        ("{% set n.a = 1 %}", "`set` changes attributes of a `namespace` alone"),
        ("{{ dict(a=1, a=2) }}", "a call has `a` twice"),
        ("{% macro m(a, a) %}{% endmacro %}", "a macro has `a` twice"),
        ("{{ 1 + }}", "unexpected `}}`"),
    ],
)
def test_a_message_is_in_the_words_of_the_author(tag: str, message: str) -> None:
    (finding,) = ANALYZER.analyze(tag + "bkpt;;").diagnostics
    assert (finding.code, message in finding.message) == ("E401", True)


@pytest.mark.parametrize("codec", ["utf8", "U8", "utf_8", "latin1", "L1", "us-ascii", "utf16"])
def test_a_codec_has_all_names_that_python_knows(codec: str) -> None:
    check(f"{{% if 'a'.encode('{codec}') %}}bkpt;;{{% endif %}}")


def test_the_block_that_is_named_without_a_call_is_an_error() -> None:
    text = "{% block a %}{% endblock %}{{ self.a }}bkpt;;"
    (finding,) = check(text, ("E401", "{{ self.a }}"))
    assert finding.message.endswith("`a` is a function, no value; call it by `a(...)`")


def test_a_number_that_python_does_not_write_is_a_finding_at_the_number() -> None:
    number = "0x" + "f" * 3_600
    check(f"set lr0 {{{{ 1 + {number} }}}};;\nbkpt;;", ("E403", number))


def test_a_number_that_python_does_not_write_at_run_time_is_a_matter_of_limits() -> None:
    (finding,) = check("{{ 10 ** 9000 }}bkpt;;", ("E403", "{{ 10 ** 9000 }}"))
    assert finding.message == "a number may have 4,300 decimal digits at most, found more"


def test_a_message_names_no_module_of_ours() -> None:
    tag = "{{ dict(a=1, **{'a': 2}) }}"
    (finding,) = check(tag + "bkpt;;", ("E401", tag))
    assert ": a call has `a` twice" in finding.message


@pytest.mark.parametrize("value", ["1e999 | int", "2.0 ** 5000", "10 ** 400 / 3"])
def test_a_number_that_no_float_or_integer_can_be_is_no_matter_of_limits(value: str) -> None:
    tag = f"{{{{ {value} }}}}"
    (finding,) = check(f"set lr0 {tag};;\nbkpt;;", ("E401", tag))
    assert finding.message.startswith("the template cannot be rendered: ")


def test_an_error_in_a_macro_names_the_calls_that_led_there() -> None:
    text = (
        "{% macro a(n) %}{{ 1 // n }}{% endmacro %}\n"
        "{% macro b(n) %}\n{{ a(n) }}{% endmacro %}\n"
        "{% macro unused(x) %}{% endmacro %}\n"
        "{% for i in [1, 0] %}\n{{ unused(b(i)) }};;\n{% endfor %}\n"
    )
    (finding,) = check(text, ("E401", "{{ 1 // n }}"))
    assert [(text[slice(*each.span)], each.message) for each in finding.related] == [
        ("{{ a(n) }}", "in macro `a`"),
        ("{{ unused(b(i)) }}", "in macro `b`"),
    ]


def test_a_call_that_is_repeated_is_named_once() -> None:
    text = "{% macro m(n) %}{{ m(n) }}{% endmacro %}\n{{ m(1) }}bkpt;;"
    (finding,) = check(text, ("E403", "{{ m(n) }}"))
    assert [text[slice(*each.span)] for each in finding.related] == ["{{ m(n) }}", "{{ m(1) }}"]


def test_code_that_a_tag_joins_to_a_comment_is_told_with_the_tag_and_the_comment() -> None:
    loop = "{% for i in [1, 2] %}\n", "{% endfor %}bkpt;;"
    text = "# the kernel\n{#- note -#}\n  set lr{{ i }} 1;; # x\n".join(loop)
    (finding,) = check(text, ("W104", "set lr{{ i }} 1;;"))
    assert [(text[slice(*each.span)], each.message) for each in finding.related] == [
        ("{#- note -#}", "the line break is removed here"),
        ("#", "the comment begins here"),
    ]
