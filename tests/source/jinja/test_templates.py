"""Templates as authors write them have no findings, and a mistake in one is found at its place."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Iterator, NamedTuple

import jinja2
import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.jinja.contexts import contexts_of, declared_contexts
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.source_map import MAIN
from ipu_asm.source.templates import skeleton, tags_of
from ipu_asm.text import Span
from tests.source.jinja.test_rendering import check_places

FOLDER = Path(__file__).resolve().parents[2] / "data" / "templates"
TEXTS = {path.stem: path.read_bytes().decode("utf-8") for path in sorted(FOLDER.glob("*.asm"))}
EVERY_TEMPLATE = pytest.mark.parametrize("name", TEXTS)
ANALYZER = Analyzer(load_isa("ipu"))


def contexts(text: str) -> list[dict[str, object]]:
    """The contexts that a template declares."""
    declared = declared_contexts(Tokens(text)).contexts
    return [dict(each.variables) for each in contexts_of(SourceSettings(), declared)]


def test_there_are_templates_of_every_kind() -> None:
    assert len(TEXTS) >= 40
    everything = "\n".join(TEXTS.values())
    for part in (
        "{% set",
        "-%}",
        "{%-",
        "{% if",
        "{% elif",
        "{% macro",
        "{% for",
        "range(",
        "\r\n",
    ):
        assert part in everything
    for part in ("{% call", "recursive", "{% filter", "{% raw", "namespace(", "{# ipu: context"):
        assert part in everything


@EVERY_TEMPLATE
def test_a_template_has_no_findings_but_what_its_run_does(name: str) -> None:
    """Most of them are pieces of kernels, which multiply what nothing has loaded (W301 to W309)."""
    findings = ANALYZER.analyze(TEXTS[name], name).diagnostics
    assert [each for each in findings if not each.code.startswith("W30")] == []


@EVERY_TEMPLATE
def test_a_template_expands_as_jinja_expands_it(name: str) -> None:
    text = TEXTS[name]
    analysis = ANALYZER.analyze(text, name)
    for expanded, context in zip(analysis.expanded, contexts(text), strict=True):
        assert expanded.expansion.text == jinja2.Template(text).render(context)
        check_places(text, expanded.expansion)


@EVERY_TEMPLATE
def test_tags_are_read_as_jinja_reads_them(name: str) -> None:
    tokens = Tokens(TEXTS[name])
    spans = [tokens.tag_span(n) for n, tag in enumerate(tokens.tags) if tag.kind != "raw"]
    raw = {tokens.tag_span(n) for n, tag in enumerate(tokens.tags) if tag.kind == "raw"}
    assert [tag.span for tag in tags_of(TEXTS[name]) if tag.span not in raw] == spans


@EVERY_TEMPLATE
def test_a_skeleton_has_the_places_of_its_template(name: str) -> None:
    made = skeleton(TEXTS[name])
    assert len(made) == len(TEXTS[name])
    places = [m.span() for m in re.finditer(r"[\r\n]", TEXTS[name])]
    assert [m.span() for m in re.finditer(r"[\r\n]", made)] == places


@EVERY_TEMPLATE
def test_a_template_is_formatted_without_an_error(name: str) -> None:
    for edit in formatting(ANALYZER.analyze(TEXTS[name], name)):
        assert 0 <= edit.span.start <= edit.span.end <= len(TEXTS[name])


class Mistake(NamedTuple):
    """A template with a mistake: the finding's code, its place, and what its way tells."""

    text: str
    code: str
    place: Span
    ways: tuple[str, ...] = ()


def replaced(text: str, span: Span, new: str, code: str, *ways: str) -> Mistake:
    """A mistake that is found where it is made."""
    after = text[: span.start] + new + text[span.end :]
    return Mistake(after, code, Span(span.start, span.start + len(new)), ways)


def literal_mistakes(text: str) -> Iterator[Mistake]:
    """Mnemonics with two letters too many, in the text that becomes a part of the expansion."""
    expansion, analysis = ANALYZER.analyze(text).expanded[0]
    program = analysis.program
    mnemonics = {
        program.span(number, bundle.span(place)).start
        for number, bundle in enumerate(program.bundles)
        for place in range(len(bundle.instructions))
    }
    for found in re.finditer(r"\b(incr|set|acc|bkpt|reset_acc|mult\.ee|str_acc_reg)(?= |;)", text):
        if mnemonics.intersection(expansion.source_map.expanded(MAIN, found.start())):
            yield replaced(text, Span(*found.span()), found[0] + "qx", "E101")


def value_mistakes(text: str) -> Iterator[Mistake]:
    """Registers that do not exist as the value of a name: found at the first use of the name."""
    for found in re.finditer(r'\{%-? set (\w+) += "(lr|cr|aaq)\d+" -?%\}', text):
        wrong = found[0].replace(f'"{found[2]}', f'"{found[2]}9', 1)
        after = text[: found.start()] + wrong + text[found.end() :]
        use = re.compile(r"\{\{ " + found[1] + r" \}\}").search(after, found.end())
        if use:
            yield Mistake(after, "E104", Span(*use.span()), (f"value of `{found[1]}`",))


def argument_mistakes(text: str) -> Iterator[Mistake]:
    """Registers that do not exist as the argument of a macro: found in the call."""
    for found in re.finditer(r'\{\{ \w+\([^}]*?("l?r\d")', text):
        span = Span(*found.span(1))
        yield replaced(text, span, '"lr99"', "E104", "argument `", "macro `")


def iteration_mistakes(text: str) -> Iterator[Mistake]:
    """An operand that is wrong in the iteration with 2, the third one of most loops."""
    for found in re.finditer(r"\{% for (\w+) in range\(([3-9]|\d\d+|rows|cols)\) -?%\}", text):
        tag = "{{ 70000 if " + found[1] + " == 2 else 1 }}"
        start = found.end() + len(" set lr15 ")
        after = f"{text[: found.end()]} set lr15 {tag};; {text[found.end() :]}"
        yield Mistake(after, "E106", Span(start, start + len(tag)), (f"for {found[1]} = 2",))


def mistakes() -> list[Mistake]:
    """Planted mistakes of all kinds, some from each template."""
    random = Random(14)
    planted = []
    for text in TEXTS.values():
        for make in (literal_mistakes, value_mistakes, argument_mistakes, iteration_mistakes):
            found = list(make(text))
            planted += random.sample(found, min(3, len(found)))
    return planted


def told(mistake: Mistake) -> Diagnostic | None:
    """The finding at the place of a mistake."""
    for finding in ANALYZER.analyze(mistake.text).diagnostics:
        if finding.code == mistake.code and finding.span == mistake.place:
            return finding
    return None


def test_every_planted_mistake_is_found_at_its_place_with_its_way() -> None:
    planted = mistakes()
    assert len(planted) >= 120
    missed = []
    for mistake in planted:
        finding = told(mistake)
        messages = "\n".join(related.message for related in finding.related) if finding else ""
        if finding is None or not all(way in messages for way in mistake.ways):
            line = mistake.text.count("\n", 0, mistake.place.start)
            missed.append((mistake.text.splitlines()[line], mistake.code, mistake.ways, messages))
    assert missed == []
