"""An expansion after edits is that of the text alone; its code is compiled again with its tags."""

from __future__ import annotations

import gc
from random import Random
from typing import Any, Iterator

import jinja2
import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.compiled import CompiledTags
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.templates import Tag, TagKind, tags_of
from tests.source.jinja.test_rendering import CONTEXT, TEMPLATES
from tests.source.jinja.test_templates import EVERY_TEMPLATE, TEXTS

SURFACE = load_isa("ipu").surface
TWO_CONTEXTS = SourceSettings({}, (CONTEXT, {**CONTEXT, "n": 1, "flag": False}))
SETTINGS = SourceSettings({**CONTEXT, "x": 8})
SPLINTERS = (
    "a", " ", "\n", "\r\n", "\r", "\t", "{", "}", "%", "{{", "}}", "{%", "%}", "{#", "#}", "-",
    "{{ n }}", "", "{% if flag %}", "{% endif %}", "acc;;", "é", "\\", "{{- name -}}",
    "{# ipu: context n=5 #}",
)  # fmt: skip
WORDS = (
    "1", " ", "n", "'lr3'", "|upper", "(", "[1, 2]", '"', "-", "~ 'a'", "{{", "}}", "{%", "%}",
    "{{ n }}", "{% set x = 5 %}", "{% if n %}", "{% endif %}", "{% endfor %}", "\n", "",
)  # fmt: skip
LINES = (
    "set {{ k }} 1;;", "incr {{ k }} {{ n }}; {{ x }}", "acc;;", "{# role #}", "{{ m(1) }}",
    "{% set k = 'lr3' %}", "{% set k = 'lr' ~ n %}", "{% set n = n + 1 %}", "{% set x = k %}",
    "{% set x = 5 %}", "{% set f = m %}", "{{ f(2) }}{{ f(k)|upper }}", "{% set a, b = 1, x %}",
    "{% for x in range(2) %}{{ x }}{{ k }};;{% endfor %}", "{{ a }}{{ b }}", "{%- set z = 1 -%}",
    "{% for i in [1, 2] %}\n{{ i }}{{ x }}\n{% set x = i %}{{ x }}\n{% endfor %}",
    "{% for i in [1] %}{% with %}{{ x }}{% endwith %}{% set x = 9 %}{% endfor %}",
    "{% macro m(a) %}<{{ a }}{{ k }}{{ x }}>{% endmacro %}", "{% macro m(a) %}!{% endmacro %}",
    "{% if n > 3 %}\n{% set k = 'lr7' %}\n{% endif %}", "{% set y %}t{{ x }}{% endset %}",
    "{{ y }}{{ y|length }}", "{% set y = m(2) %}", "{% set ns.c = ns.c + 1 %}{{ ns.c }}",
    "{% call(z) m(3) %}{{ z }}{{ x }}{% endcall %}", "{% with x = 4 %}{{ x }}{% endwith %}",
    "{% if flag %}{% macro p() %}{{ x }}{% endmacro %}{{ p() }}{{ x }}{% endif %}", "{{ p() }}",
    "{% macro w() %}{% with %}{{ x }}{% endwith %}{% set x = 3 %}{{ x }}{% endmacro %}{{ w() }}",
    "{% macro r(n) %}{{ n }}{% if n > 0 %}{{ r(n - 1) }}{% endif %}{% endmacro %}{{ r(2) }}",
    "{% set items = items|map('upper') %}", "{{ items|list }}", "{% set flag = false %}",
    "{% raw %}{{ x }}{% endraw %}", "{% set l = [m, 1] %}{{ l[0](5) }}", "{{ c.next() }}",
    "{% block q %}{{ k }}{% endblock %}", "{% autoescape true %}{{ '<' ~ k }}{% endautoescape %}",
)  # fmt: skip
HEADS = (
    "{% set ns, c, k, y, a, b = namespace(c=0), cycler(1, 2), 1, 'y', 5, 6 %}\n{% set l = 1 %}\n",
    "{% set k = 1 %}\n{% set y, a, b = 'y', 5, 6 %}\n",
)
MACROS = (
    "{% macro p() %}{{ x }}{% endmacro %}\n{% macro m(a) %}<{{ a }}{{ k }}{{ x }}>{% endmacro %}\n"
    "{% set f = m %}\n"
)


def facts(expansion: Expansion) -> tuple[Any, ...]:
    """All that an expansion says."""
    return (
        expansion.text,
        expansion.context,
        expansion.findings,
        list(expansion.source_map.segments),
        list(expansion.definitions),
        list(expansion.uses),
        expansion.is_partial,
        list(expansion.unknown),
    )


def check_edit(
    before: tuple[Expansion, ...], new: str, settings: SourceSettings
) -> tuple[Expansion, ...]:
    """Expanded after an edit and expanded anew, a text is the same."""
    after = expand(SURFACE, new, None, settings, before)
    assert [*map(facts, after)] == [*map(facts, expand(SURFACE, new, None, settings))]
    return after


def with_splinter(random: Random, text: str) -> str:
    """A text with a small change."""
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 0, 1, 2, 5)))
    return text[:start] + random.choice(SPLINTERS) + text[end:]


def with_other_line(random: Random, text: str) -> str:
    """A text of which a line is another, or is new, or is left out."""
    lines = text.split("\n")
    place = random.randrange(len(lines))
    lines[place : place + random.randint(0, 1)] = random.sample(LINES, random.randint(0, 1))
    return "\n".join(lines)


def with_edited_tag(random: Random, text: str, tag: Tag) -> str:
    """A text with a change inside a tag, or of its delimiters."""
    start = random.randint(tag.span.start, tag.span.end)
    end = min(len(text), start + random.choice((0, 0, 1, 2)))
    return text[:start] + random.choice(WORDS) + text[end:]


@pytest.mark.parametrize("text", TEMPLATES)
def test_an_expansion_after_edits_is_that_of_the_text(text: str) -> None:
    random = Random(text)
    expansions = expand(SURFACE, text, None, TWO_CONTEXTS)
    for _ in range(25):
        text = with_splinter(random, text)
        expansions = check_edit(expansions, text, TWO_CONTEXTS)


@EVERY_TEMPLATE
def test_after_edits_of_its_tags_a_template_is_that_of_the_text(name: str) -> None:
    text, random = TEXTS[name], Random(name)
    expansions = expand(SURFACE, text)
    tags = [tag for tag in tags_of(text) if tag.kind is not TagKind.COMMENT]
    for tag in random.choices(tags, k=3 if len(text) > 9_000 else 10) if tags else ():
        new = with_edited_tag(random, text, tag)
        expansions = check_edit(expansions, new, SourceSettings())
        if random.random() < 0.5:
            check_edit(expansions, text, SourceSettings())


@pytest.mark.parametrize("seed", range(6))
def test_after_edits_of_lines_a_template_is_expanded_as_jinja_expands_it(seed: int) -> None:
    random = Random(seed)
    text = HEADS[seed % 2] + MACROS + "\n".join(random.choices(LINES, k=9))
    expansions = expand(SURFACE, text, None, SETTINGS)
    for _ in range(12):
        new = with_other_line(random, text)
        after = check_edit(expansions, new, SETTINGS)
        if not after[0].is_partial:
            assert after[0].text == jinja2.Template(new).render(SETTINGS.defines)
        if "E401" not in {finding.code for finding in after[0].findings}:
            text, expansions = new, after


def test_findings_after_edits_are_those_of_the_text() -> None:
    random = Random(1)
    text = (
        "{% set k = 'lr5' %} {# role #}\nset {{ k }} 0;;\n{% for x in range(3) %}\n"
        "incr {{ k }} {{ x }};;\nlabel{{ x }}: acc;;\n{% endfor %}\nbkpt;;\n"
    )
    analyzer = Analyzer(load_isa("ipu"))
    analysis = analyzer.analyze(text, settings=TWO_CONTEXTS)
    for _ in range(120):
        new = with_splinter(random, text)
        if len(new) < 1_000:
            analysis = analyzer.analyze(new, None, analysis, settings=TWO_CONTEXTS)
            anew = Analyzer(load_isa("ipu")).analyze(new, settings=TWO_CONTEXTS)
            assert analysis.diagnostics == anew.diagnostics
            text = new


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in [1] %}{{ x }}{% endfor %}\n{% set x = 2 %}\n{{ x }}",
        "{% macro m() %}{{ x }}{% endmacro %}\n{{ m() }}\n{% set x = 2 %}\n{{ m() }}",
        "{{ x }}\n{% macro m() %}{{ x }}{% endmacro %}\n{{ m() }}\n{% set x = 2 %}\n{{ m() }}",
        "{% for i in [1] %}{% with %}{{ x }}{% endwith %}{% set x = 9 %}{% endfor %}\nacc;;\n",
        "{% set x = 1 %}\n{% for i in [1] %}{% with %}{{ x }}{% endwith %}{% set x = 9 %}"
        "{% endfor %}\n{{ x }}",
        "{% if n %}{% set x = 2 %}{% endif %}\n{% with %}{{ x }}{% endwith %}\n{% set x = 3 %}\n",
        "{% macro m() %}{{ k() }}{% endmacro %}\n{% macro k() %}1{% endmacro %}\n{{ m() }}\n"
        "{% macro k() %}2{% endmacro %}\n{{ m() }}",
    ],
)
def test_names_have_the_scopes_of_jinja(text: str) -> None:
    (expansion,) = expand(SURFACE, text, None, SETTINGS)
    environment = jinja2.Environment()
    assert expansion.text.replace("0", "") == environment.from_string(text).render(SETTINGS.defines)
    assert expansion.text.count("0") == len(expansion.unknown)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("acc;;", "aaq;;", 0),
        ("acc;;", "acc;;  # a longer line\r\n", 0),
        ("lr5", "lr6", 1),
        ("{{ k }} 1", "{{ k  }} 1", 1),
        ("incr", "{{ 1 }}incr", 1),
        ("# role", "# other", 0),
    ],
)
def test_only_an_edit_of_a_tag_compiles(
    old: str, new: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "{% set k = 'lr5' %}{# role #}\nacc;;\nincr {{ k }} 1;;\nbkpt;;"
    expansions = expand(SURFACE, text)
    compiled = []
    make = CompiledTags.__init__

    def noted(tags: CompiledTags, tokens: Tokens, *others: Any) -> None:
        compiled.append(tokens)
        make(tags, tokens, *others)

    monkeypatch.setattr(CompiledTags, "__init__", noted)
    expansions = expand(SURFACE, text.replace(old, new), None, SourceSettings(), expansions)
    assert len(compiled) == expected
    expand(SURFACE, text, None, SourceSettings(), expansions)
    assert len(compiled) == expected


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No garbage is collected, as in an analysis: with many objects that takes half a second."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize(
    ("old", "new"), [("{{ 1 }}", "{{ 'a' * 10 ** 9 }}"), ("300", "99999"), ("300", "45000")]
)
def test_a_limit_is_reported_after_an_edit_of_a_tag(old: str, new: str) -> None:
    text = "{% for i in range(300) %}{{ i }}{% endfor %}\nacc;;\n" * 3 + "{{ 1 }}\nbkpt;;"
    (after,) = check_edit(expand(SURFACE, text), text.replace(old, new), SourceSettings())
    assert [finding.code for finding in after.findings] == ["E403"]


def test_a_comment_that_an_edit_leaves_open_is_found() -> None:
    before = expand(SURFACE, "{{ 1 }}\n{#")
    for text in ("{{ 1 }}\n{# role", "{{ 1 }}\n{#{#"):
        (edited,) = expand(SURFACE, text, before=before)
        assert [finding.code for finding in edited.findings] == ["E401"]
