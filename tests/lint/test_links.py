"""The link of a finding leads to the page about its rule, in every format that has links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from ipu_asm import lint as rule_module
from ipu_asm.cli.lint.formats import FileFindings, RuleInfo, format_findings
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import load_isa
from ipu_asm.lint import Rule, rule_link
from ipu_asm.lint.rules import all_rules
from ipu_asm.reports.pages import explain
from ipu_asm.text import SourceFile, Span

SOURCE = SourceFile("acc;;\n", "a.s")


def page(link: str) -> str:
    """The text of the page that a link leads to."""
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc) == ("file", "")
    return Path(url2pathname(parts.path)).read_text(encoding="utf-8")


def links_in(value: Any) -> Iterator[str]:
    """All links to pages in a report."""
    if isinstance(value, list):
        for item in value:
            yield from links_in(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ("url", "helpUri"):
                yield item
            yield from links_in(item)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id.name)
def test_the_link_of_a_rule_opens_what_explain_prints(rule: Rule) -> None:
    link = rule_link(rule.id.name)
    assert link is not None
    assert page(link) == f"{explain(rule.id.code, load_isa('ipu'))}\n"


@pytest.mark.parametrize("name", ["json", "json-lines", "rdjson", "sarif"])
def test_every_finding_of_a_report_has_the_link_of_its_rule(name: str) -> None:
    rules = [rule.id for rule in all_rules()]
    findings = [Diagnostic(rule, "no", Span(0, 3)) for rule in rules]
    text = format_findings(name, [FileFindings(SOURCE, findings)])
    written = [json.loads(line) for line in text.splitlines()] if name == "json-lines" else None
    found = list(links_in(written or json.loads(text)))
    assert sorted(found) == sorted(str(rule_link(rule.name)) for rule in rules)


@pytest.mark.parametrize("name", ["json", "rdjson", "sarif"])
def test_without_the_pages_there_is_no_link(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rule_module, "pages_folder", lambda: str(tmp_path))
    rule_link.cache_clear()
    rule = all_rules()[0].id
    finding = Diagnostic(rule, "no", Span(0, 3))
    rules = {rule.code: RuleInfo(rule.code, rule.name, rule.severity, "a", "b")}
    text = format_findings(name, [FileFindings(SOURCE, [finding])], rules=rules)
    rule_link.cache_clear()
    assert [link for link in links_in(json.loads(text)) if link is not None] == []
