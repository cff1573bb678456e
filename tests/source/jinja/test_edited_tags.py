"""After an edit of a tag, only the parts of a template that depend on it are made again."""

from __future__ import annotations

import gc
from random import Random
from typing import Any, Iterator

import jinja2
import pytest

from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.compiled import CompiledTags
from ipu_asm.source.jinja.rendering import _Session
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.templates import Tag, TagKind, tags_of
from ipu_asm.text import change_between
from tests.source.jinja.test_incremental import SURFACE, check_edit, facts
from tests.source.jinja.test_rendering import CONTEXT
from tests.source.jinja.test_templates import EVERY_TEMPLATE, TEXTS

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
HEAD = (
    "{% set ns, c, k, y, a, b = namespace(c=0), cycler(1, 2), 1, 'y', 5, 6 %}\n{% set l = 1 %}\n",
    "{% set k = 1 %}\n{% set y, a, b = 'y', 5, 6 %}\n",
)
MACROS = (
    "{% macro p() %}{{ x }}{% endmacro %}\n{% macro m(a) %}<{{ a }}{{ k }}{{ x }}>{% endmacro %}\n"
    "{% set f = m %}\n"
)
SETTINGS = SourceSettings({**CONTEXT, "x": 8})
WORDS = (
    "1", " ", "n", "'lr3'", "|upper", "(", "[1, 2]", '"', "-", "~ 'a'", "{{", "}}", "{%", "%}",
    "{{ n }}", "{% set x = 5 %}", "{% if n %}", "{% endif %}", "{% endfor %}", "\n", "",
)  # fmt: skip


def with_other_line(random: Random, text: str) -> str:
    """A text of which a line is another, or is new, or is left out."""
    lines = text.split("\n")
    place = random.randrange(len(lines))
    lines[place : place + random.randint(0, 1)] = random.sample(LINES, random.randint(0, 1))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(16))
def test_after_edits_of_lines_a_template_is_expanded_as_jinja_expands_it(seed: int) -> None:
    random = Random(seed)
    text = HEAD[seed % 2] + MACROS + "\n".join(random.choices(LINES, k=9))
    expansions = expand(SURFACE, text, None, SETTINGS)
    for _ in range(12):
        new = with_other_line(random, text)
        after = expand(SURFACE, new, None, SETTINGS, expansions, change_between(text, new))
        (anew,) = expand(SURFACE, new, None, SETTINGS)
        compare(after[0], anew)
        if not anew.is_partial:
            assert anew.text == jinja2.Template(new).render(SETTINGS.defines)
        if "E401" not in {finding.code for finding in anew.findings}:
            text, expansions = new, after


def compare(one: Expansion, two: Expansion) -> None:
    """Two expansions say the same."""
    left, right = list(facts(one)), list(facts(two))
    assert left[0] == right[0]
    assert left[2:] == right[2:]


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
def test_names_have_the_scopes_of_jinja_across_parts(text: str) -> None:
    (expansion,) = expand(SURFACE, text, None, SETTINGS)
    environment = jinja2.Environment()
    assert expansion.text.replace("0", "") == environment.from_string(text).render(SETTINGS.defines)
    assert expansion.text.count("0") == len(expansion.unknown)


def with_edited_tag(random: Random, text: str, tag: Tag) -> str:
    """A text with a change inside a tag, or of its delimiters."""
    start = random.randint(tag.span.start, tag.span.end)
    end = min(len(text), start + random.choice((0, 0, 1, 2)))
    return text[:start] + random.choice(WORDS) + text[end:]


@EVERY_TEMPLATE
def test_after_edits_of_its_tags_a_template_is_that_of_the_text(name: str) -> None:
    text, random = TEXTS[name], Random(name)
    expansions = expand(SURFACE, text)
    tags = [tag for tag in tags_of(text) if tag.kind is not TagKind.COMMENT]
    for tag in random.choices(tags, k=3 if len(text) > 9_000 else 10) if tags else ():
        new = with_edited_tag(random, text, tag)
        after = check_edit_without_settings(expansions, text, new)
        if random.random() < 0.5:
            check_edit_without_settings(after, new, text)


def check_edit_without_settings(
    before: tuple[Expansion, ...], old: str, new: str
) -> tuple[Expansion, ...]:
    """Expanded after an edit and expanded anew, a text is the same; return its expansions."""
    after = expand(SURFACE, new, None, SourceSettings(), before, change_between(old, new))
    for one, two in zip(after, expand(SURFACE, new), strict=True):
        compare(one, two)
    return after


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compiled and what is rendered, one word for each part."""
    done: list[str] = []
    make, render = CompiledTags.__init__, _Session.output

    def noted(tags: CompiledTags, tokens: Tokens, *others: Any) -> None:
        done.append("compiled")
        make(tags, tokens, *others)

    def rendered(session: _Session, *parts: Any) -> Any:
        done.append("rendered")
        return render(session, *parts)

    monkeypatch.setattr(CompiledTags, "__init__", noted)
    monkeypatch.setattr(_Session, "output", rendered)
    return done


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("{{ k }} 1", "{{ k|upper }} 1", ["compiled", "rendered"]),
        ("{{ k }} 1", "{{ j }} 1", ["rendered"]),  # another line has the same tags
        ("j = 'lr6'", "j = 'lr9'", ["compiled", "rendered", "rendered"]),
        ("j = 'lr6'", "j =  'lr6'", ["compiled", "rendered"]),
        ("i + 1", "i + 2", ["compiled", "rendered"]),
        ("acc;;", "{{ j }}acc;;", ["rendered", "rendered"]),
        ("incr {{ j }} 2;;\n", "", ["rendered"]),
        ("k ~ a", "k ~ a ~ a", ["compiled", "rendered", "rendered"]),
    ],
)
def test_an_edit_of_a_tag_makes_no_more_than_it_has_to(
    old: str, new: str, expected: list[str], work: list[str]
) -> None:
    text = (
        "{% set k = 'lr5' %}\n{% set j = 'lr6' %}\n{% macro m(a) %}{{ k ~ a }}{% endmacro %}\n"
        "incr {{ k }} 1;;\nincr {{ j }} 2;;\n{% for i in [1, 2] %}\nincr lr1 {{ i + 1 }};;\n"
        "{% endfor %}\n{{ m(1) }}\nacc;;\n{{ 7 }}\nbkpt;;"
    )
    expansions = expand(SURFACE, text)
    del work[:]
    after = text.replace(old, new, 1)
    assert after != text
    expand(SURFACE, after, None, SourceSettings(), expansions, change_between(text, after))
    assert work == expected


def test_after_a_broken_state_an_edit_continues_from_the_last_good_one(work: list[str]) -> None:
    good = "{% set k = 'lr5' %}\nincr {{ k }} 1;;\nacc;;\nset {{ k }} 2;;\nbkpt;;"
    broken, again = (
        good.replace("set {{ k }}", "set {{ k"),
        good.replace("set {{ k }}", "set {{ 3 }}"),
    )
    before = expand(SURFACE, good)
    before = expand(SURFACE, broken, None, SourceSettings(), before, change_between(good, broken))
    assert [finding.code for finding in before[0].findings] == ["E401"]
    del work[:]
    (after,) = expand(SURFACE, again, None, SourceSettings(), before, change_between(broken, again))
    assert after.text == jinja2.Template(again).render()
    assert work == ["compiled", "rendered", "rendered"]


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No garbage is collected, as in an analysis: with many objects that takes half a second."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
def test_a_limit_is_told_after_an_edit_of_a_tag() -> None:
    text = "{% for i in range(300) %}{{ i }}{% endfor %}\nacc;;\n" * 3 + "{{ 1 }}\nbkpt;;"
    expansions = expand(SURFACE, text)
    check_edit(expansions, text, text.replace("{{ 1 }}", "{{ 'a' * 10 ** 9 }}"))
    check_edit(expansions, text, text.replace("300", "99999", 1))
    steps = text.replace("300", "45000")
    (after,) = expand(
        SURFACE, steps, None, SourceSettings(), expansions, change_between(text, steps)
    )
    assert [finding.code for finding in after.findings] == ["E403"]


def test_after_a_change_of_settings_only_their_contexts_are_rendered(work: list[str]) -> None:
    text = "{{ n }};;\nacc;;\n{{ n }};;\nbkpt;;"
    one, two = SourceSettings({"n": 1}), SourceSettings({"n": 2})
    before = expand(SURFACE, text, None, one)
    before = expand(SURFACE, text, None, two, before, change_between(text, text))
    del work[:]
    new = text.replace("{{ n }};;\nbkpt", "{{ n + 1 }};;\nbkpt")
    (after,) = expand(SURFACE, new, None, two, before, change_between(text, new))
    assert after.text == "2;;\nacc;;\n3;;\nbkpt;;"
    assert work == ["compiled", "rendered"]


def test_an_unknown_filter_is_told_at_its_place_after_an_edit_before_it() -> None:
    text = "{{ 1 }};;\nacc;;\n{% if 1 %}\n{{ 2|uper }};;\n{% endif %}bkpt;;"
    expansions = expand(SURFACE, text.replace("uper", "upper"))
    expansions = check_edit(expansions, text.replace("uper", "upper"), text)
    check_edit(expansions, text, text.replace("acc", "a longer text"))
