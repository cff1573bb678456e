"""What `ipu-lint --format` writes, read back the way the readers of each format read it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from ipu_asm import analyze
from ipu_asm.cli.lint.formats import (
    FORMATS,
    FileFindings,
    RuleInfo,
    format_findings,
    format_statistics,
)
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.diagnostics.rendering import visible
from ipu_asm.lint import rule_link
from ipu_asm.text import SourceFile, Span, TextEdit, apply_edits

ERROR = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
DUPLICATE = RuleId("E302", "duplicate-label", Severity.ERROR)
WARNING = RuleId("W101", "dead-store", Severity.WARNING)
HINT = RuleId("H101", "slow-loop", Severity.HINT)
RULES = {
    "E101": RuleInfo(
        "E101",
        "unknown-mnemonic",
        Severity.ERROR,
        "a word that is no mnemonic",
        "## What it does\n\nRefuses words.\n\n## Why\n\nNobody knows them.",
    ),
    "W999": RuleInfo("W999", "never-seen", Severity.WARNING, "a rule that found nothing", ""),
}
SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft4Validator(SCHEMA)

# Tabs, wide characters, both sorts of line break, findings of several lines and at the very end.
TEXT = "start:\r\n\t\u5909 ad lr0;;\rstart:\n\U0001f600 b start"
RENAME = Fix(
    "rename it", (TextEdit(Span(9, 10), "x"), TextEdit(Span(11, 13), "add")), Applicability.UNSAFE
)
HALT = Fix("halt", (TextEdit(Span(len(TEXT), len(TEXT)), ";;bkpt"),), Applicability.DISPLAY)
ADD = Fix("write `add`", (TextEdit(Span(11, 13), "add"),), Applicability.SAFE)
FINDINGS = (
    Diagnostic(ERROR, "unknown `ad`", Span(11, 13), fix=ADD),
    Diagnostic(DUPLICATE, "{again}", Span(20, 25), (RelatedInformation(Span(0, 5), "here"),)),
    Diagnostic(WARNING, "100%: a,b\r\nc", Span(9, 25), fix=RENAME),
    Diagnostic(HINT, "the end", Span(len(TEXT), len(TEXT)), fix=HALT),
)
CLEAN = FileFindings(SourceFile("", "clean.s"), ())

HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "\r\n\t\0\x1b\x7f\x85\u2028\ufffe\ud800\udcff\u5909\U0001f600 %:,]{}<&\"'ab"
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=30,
)
APPLICABILITIES = st.sampled_from(Applicability)
SPANS = st.builds(
    lambda start, size: Span(start, start + size), st.integers(0, 40), st.integers(0, 9)
)


@st.composite
def hostile_findings(draw: st.DrawFn) -> FileFindings:
    """Any text under any name with findings anywhere, also beyond its end."""
    diagnostics = [
        Diagnostic(
            draw(st.sampled_from([ERROR, DUPLICATE, WARNING, HINT])),
            draw(HOSTILE),
            span,
            (RelatedInformation(draw(SPANS), draw(HOSTILE)),),
            Fix(draw(HOSTILE), (TextEdit(span, draw(HOSTILE)),), draw(APPLICABILITIES)),
        )
        for span in draw(st.lists(SPANS, max_size=4))
    ]
    return FileFindings(SourceFile(draw(HOSTILE), draw(HOSTILE)), diagnostics)


def check_format(name: str, *files: FileFindings, **options: Any) -> str:
    """What is written is UTF-8 in whole lines."""
    written = format_findings(name, files, rules=RULES, **options)
    written.encode()
    assert not written or written.endswith("\n")
    return written


def findings(path: str = "dir/a.s") -> FileFindings:
    """The findings that most tests format."""
    return FileFindings(SourceFile(TEXT, path), FINDINGS)


def run_of(written: str) -> Any:
    """The only run of a SARIF log that is valid by the schema and beyond it."""
    log = json.loads(written)
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file:///)?(:|[\w.~/-]|%[0-9A-F]{2})*", uri, re.ASCII)
    return run


def commands_of(written: str) -> list[tuple[str, dict[str, str], str]]:
    """Command, properties and message of each line, as GitHub's runner takes them apart."""
    return [annotation(line) for line in written.split("\n")[:-1]]


def annotation(line: str) -> tuple[str, dict[str, str], str]:
    """One workflow command."""
    assert line.startswith("::")
    assert "\r" not in line
    head, data = line[2:].split("::", 1)
    command, listed = head.split(" ", 1)
    pairs = [pair.split("=", 1) for pair in listed.split(",")]
    properties = {key: unescaped(value, "%0D", "%0A", "%3A", "%2C") for key, value in pairs}
    return command, properties, unescaped(data, "%0D", "%0A")


def unescaped(text: str, *escapes: str) -> str:
    """`text` with the escapes undone that the runner knows; that of the percent sign is last."""
    for escape in (*escapes, "%25"):
        text = text.replace(escape, chr(int(escape[1:], 16)))
    return text


def offset(text: str, row: int, column: int) -> int:
    """Where a row and a column, both from 1, are in `text`."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    return sum(map(len, lines[: row - 1])) + column - 1


# All formats


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_speaks_of_every_finding(name: str) -> None:
    written = check_format(name, findings(), CLEAN)
    assert all(diagnostic.code in written for diagnostic in FINDINGS)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_say_that_nothing_was_found(name: str) -> None:
    check_format(name, CLEAN)
    check_format(name)


@given(hostile_findings(), st.sampled_from(sorted(FORMATS)))
def test_no_text_breaks_a_format(hostile: FileFindings, name: str) -> None:
    written = check_format(name, hostile, CLEAN)
    if name in ("json", "gitlab", "rdjson"):
        json.loads(written)
    elif name == "junit":
        ElementTree.fromstring(written)
    elif name == "sarif":
        assert len(run_of(written)["results"]) == len(hostile.diagnostics)
    elif name in ("json-lines", "concise"):
        assert written.count("\n") == len(hostile.diagnostics)


def test_a_name_that_is_no_format_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        format_findings("yaml", [])


def test_choosing_a_format_loads_that_format_only() -> None:
    program = (
        "import sys, ipu_asm.cli.lint.formats as formats;"
        "formats.format_findings('text', []); print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    heavy = {"json", "xml", "urllib", "urllib.parse", "hashlib", "dataclasses", "pathlib"}
    assert not heavy & set(run.stdout.split())


# Formats that people read


def test_the_last_line_of_text_counts() -> None:
    written = check_format("text", findings(), CLEAN)
    assert written.split("\n")[-2] == (
        "2 errors, 1 warning, 1 hint in 2 files; "
        "1 fixable with `--fix`, 1 more with `--unsafe-fixes`"
    )
    assert check_format("text", CLEAN) == "no findings in 1 file\n"


def test_concise_is_one_line_per_finding() -> None:
    assert check_format("concise", findings()).split("\n")[:2] == [
        "dir/a.s:2:4: error[E101] unknown `ad`",
        "dir/a.s:3:1: error[E302] {again}",
    ]


def test_only_text_and_concise_are_colored() -> None:
    for name in FORMATS:
        assert ("\x1b[" in check_format(name, findings(), color=True)) == (
            name in ("text", "concise")
        )


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_in_a_file_or_its_name_reaches_the_terminal(name: str) -> None:
    harmful = "\x1b[31m\a\x7f\x9b31m\u202e"
    source = SourceFile(f"{harmful} x", f"{harmful}.s")
    fix = Fix(harmful, (TextEdit(Span(0, 1), harmful),), Applicability.SAFE)
    finding = Diagnostic(
        ERROR, harmful, Span(0, 1), (RelatedInformation(Span(0, 1), harmful),), fix
    )
    written = check_format(name, FileFindings(source, [finding]))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)
    if name in ("json", "json-lines", "gitlab", "rdjson"):
        assert "\\u001b[31m\\u0007\\u007f\\u009b31m\\u202e" in written


# JSON


def test_json_has_the_field_names_of_ruff() -> None:
    first, *_ = json.loads(check_format("json", findings()))
    assert first == {
        "code": "E101",
        "name": "unknown-mnemonic",
        "severity": "error",
        "message": "unknown `ad`",
        "filename": "dir/a.s",
        "location": {"row": 2, "column": 4},
        "end_location": {"row": 2, "column": 6},
        "fix": {
            "applicability": "safe",
            "message": "write `add`",
            "edits": [
                {
                    "content": "add",
                    "location": {"row": 2, "column": 4},
                    "end_location": {"row": 2, "column": 6},
                }
            ],
        },
        "url": rule_link("unknown-mnemonic"),
    }


def test_json_says_how_far_a_fix_can_be_relied_on_and_null_where_there_is_none() -> None:
    found = json.loads(check_format("json", findings()))
    assert [item["fix"] and item["fix"]["applicability"] for item in found] == [
        "safe",
        None,
        "unsafe",
        "display",
    ]


def test_json_places_lead_back_to_the_text() -> None:
    for item, diagnostic in zip(
        json.loads(check_format("json", findings())), FINDINGS, strict=True
    ):
        start, end = (offset(TEXT, **item[key]) for key in ("location", "end_location"))
        assert (start, end) == diagnostic.span


def test_json_lines_are_the_objects_of_json() -> None:
    lines = check_format("json-lines", findings()).splitlines()
    assert list(map(json.loads, lines)) == json.loads(check_format("json", findings()))


# SARIF


def test_sarif_tells_of_all_rules_and_how_columns_are_counted() -> None:
    run = run_of(check_format("sarif", findings(), version="1.2.3"))
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("ipu-lint", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == ["E101", "E302", "H101", "W101", "W999"]
    assert driver["rules"][0]["fullDescription"]["text"] == "Refuses words."
    assert driver["rules"][0]["help"]["markdown"].startswith("## What it does")
    assert driver["rules"][2]["defaultConfiguration"]["level"] == "note"
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_is_valid_where_nothing_was_found() -> None:
    assert run_of(check_format("sarif", CLEAN))["results"] == []


def test_sarif_results_have_levels_places_and_related_places() -> None:
    results = run_of(check_format("sarif", findings()))["results"]
    assert [result["level"] for result in results] == ["error", "error", "warning", "note"]
    location = results[2]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "dir/a.s", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 2, "startColumn": 2, "endLine": 3, "endColumn": 6}
    (related,) = results[1]["relatedLocations"]
    assert related["message"]["text"] == "here"
    assert related["physicalLocation"]["region"]["endColumn"] == 6


def test_sarif_doubles_braces_which_would_be_placeholders() -> None:
    results = run_of(check_format("sarif", findings()))["results"]
    assert results[1]["message"]["text"] == "{{again}}"


def test_sarif_and_rdjson_say_how_far_a_fix_can_be_relied_on() -> None:
    wanted = [item.fix and item.fix.applicability.label for item in FINDINGS]
    results = run_of(check_format("sarif", findings()))["results"]
    fixes = [result.get("fixes", [None])[0] for result in results]
    assert [fix and fix["properties"]["applicability"] for fix in fixes] == wanted
    messages = [
        item["message"] for item in json.loads(check_format("rdjson", findings()))["diagnostics"]
    ]
    assert [message.rpartition("\n")[2] for message in messages] == [
        "safe fix: write `add`",
        "{again}",
        "unsafe fix: rename it",
        "display fix: halt",
    ]


def test_sarif_fixes_do_what_our_fixes_do() -> None:
    results = run_of(check_format("sarif", findings()))["results"]
    for result, diagnostic in zip(results, FINDINGS, strict=True):
        edits = [
            TextEdit(region_span(change["deletedRegion"]), change["insertedContent"]["text"])
            for fix in result.get("fixes", [])
            for change in fix["artifactChanges"][0]["replacements"]
        ]
        ours = diagnostic.fix.edits if diagnostic.fix else ()
        assert apply_edits(TEXT, edits) == apply_edits(TEXT, ours)


def region_span(region: dict[str, int]) -> Span:
    """The span of `TEXT` that a region means."""
    start = offset(TEXT, region["startLine"], region["startColumn"])
    return Span(start, offset(TEXT, region["endLine"], region["endColumn"]))


@pytest.mark.parametrize("path", ["a b#c?.s", "a:b/%41.s", "\u5909.s", "byte\udcff.s", "x/../y.s"])
def test_sarif_names_files_inside_the_project_by_relative_uris(path: str) -> None:
    (result, *_) = run_of(check_format("sarif", findings(path)))["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uriBaseId"] == "%SRCROOT%"
    assert unquote_to_bytes(artifact["uri"]) == os.fsencode(os.path.normpath(path))
    assert ":" not in artifact["uri"]


def test_sarif_names_files_elsewhere_by_absolute_uris() -> None:
    for path in ("/elsewhere/a b.s", os.path.relpath("/elsewhere/a b.s")):
        (result, *_) = run_of(check_format("sarif", findings(path)))["results"]
        artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert artifact == {"uri": "file:///elsewhere/a%20b.s"}


def test_the_root_of_the_project_is_a_folder() -> None:
    bases = run_of(check_format("sarif", CLEAN))["originalUriBaseIds"]
    assert re.fullmatch("file:///.*/", bases["%SRCROOT%"]["uri"])


# Fingerprints


def fingerprints(text: str, culprit: str = "ad") -> list[str]:
    """The fingerprints of a finding at each `culprit`."""
    spans = [Span(*match.span()) for match in re.finditer(culprit, text)]
    diagnostics = [Diagnostic(ERROR, f"in line {span.start}", span) for span in spans]
    file = FileFindings(SourceFile(text, "a.s"), diagnostics)
    issues = json.loads(check_format("gitlab", file))
    results = run_of(check_format("sarif", file))["results"]
    in_sarif = [result["partialFingerprints"]["ipuLint/v1"] for result in results]
    assert in_sarif == [issue["fingerprint"] for issue in issues]
    return in_sarif


def test_fingerprints_do_not_change_when_lines_move() -> None:
    assert fingerprints("ad lr0;;\nad lr1;;") == fingerprints("# new\r\n\r\n\tad lr0;;\n\nad lr1;;")


def test_fingerprints_differ_where_findings_are_alike() -> None:
    assert len(set(fingerprints("ad ad;;\n" * 50))) == 100


def test_fingerprints_are_quick_in_a_long_line() -> None:
    assert len(set(fingerprints("ad" + "," * 300 + "ad;;" * 2_000))) == 2_001


# Build servers


def test_github_annotations_survive_the_runner() -> None:
    found = commands_of(check_format("github", findings("a,b:c%.s")))
    assert [command for command, _, _ in found] == ["error", "error", "warning", "notice"]
    assert [message for _, _, message in found] == [item.message for item in FINDINGS]
    assert found[0][1] == {
        "file": "a,b:c%.s",
        "line": "2",
        "col": "4",
        "endLine": "2",
        "endColumn": "6",
        "title": "E101 unknown-mnemonic",
    }


def test_github_is_told_no_columns_of_several_lines_which_its_runner_refuses() -> None:
    properties = commands_of(check_format("github", findings()))[2][1]
    assert properties.keys() == {"file", "line", "endLine", "title"}
    assert (properties["line"], properties["endLine"]) == ("2", "3")


def test_github_escapes_exactly_what_its_documentation_names() -> None:
    diagnostic = Diagnostic(ERROR, "%\r\n:,%0A", Span(0, 0))
    written = check_format("github", FileFindings(SourceFile("", "%\r\n:,.s"), [diagnostic]))
    assert written.startswith("::error file=%25%0D%0A%3A%2C.s,line=1,")
    assert written.endswith("::%25%0D%0A:,%250A\n")


@given(hostile_findings())
def test_github_gets_one_line_per_finding_whatever_it_says(hostile: FileFindings) -> None:
    found = commands_of(check_format("github", hostile))
    messages = [visible(item.message) for item in hostile.diagnostics]
    wanted = [re.sub("[\ud800-\udfff]", "\ufffd", message) for message in messages]
    assert [message for _, _, message in found] == wanted


def test_gitlab_gets_all_that_a_code_quality_report_needs() -> None:
    issues = json.loads(check_format("gitlab", findings(os.path.abspath("dir/a.s"))))
    for issue in issues:
        assert issue["description"]
        assert issue["check_name"]
        assert re.fullmatch("[0-9a-f]{32}", issue["fingerprint"])
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["path"] == "dir/a.s"
    assert [issue["location"]["lines"]["begin"] for issue in issues] == [2, 3, 2, 4]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_junit_has_a_failure_per_finding_and_a_passed_test_per_clean_file() -> None:
    root = ElementTree.fromstring(check_format("junit", findings(), CLEAN))
    assert root.tag == "testsuites"
    dirty, clean = root
    assert (root.get("tests"), root.get("failures")) == ("5", "4")
    assert (dirty.get("name"), dirty.get("failures")) == ("dir/a.s", "4")
    assert [case.get("line") for case in dirty] == ["2", "3", "2", "4"]
    failures = [case.find("failure") for case in dirty]
    assert [failure.get("message") for failure in failures if failure is not None] == [
        diagnostic.message for diagnostic in FINDINGS
    ]
    assert [len(case) for case in clean] == [0]


def test_junit_names_stay_where_lines_are_inserted_above() -> None:
    text = "acc.frist;;\nacc.frist;;\nset lr0 40000;;\nbkpt;;\n"

    def names(text: str) -> list[str]:
        analysis = analyze(text, path="a.s")
        written = check_format("junit", FileFindings(analysis.source, analysis.diagnostics))
        cases = ElementTree.fromstring(written).iter("testcase")
        return [case.get("name", "") for case in cases]

    before = names(text)
    assert [name.partition(": ")[0] for name in before] == [
        "E101 unknown-mnemonic",
        "E101 unknown-mnemonic",
        "W203 immediate-wraps",
    ]
    assert before[1] == f"{before[0]} (2)"
    assert names(f"# one\n\n{text}") == before


def test_junit_replaces_what_xml_cannot_hold() -> None:
    diagnostic = Diagnostic(ERROR, "\0\x0b\ufffe\ud800\t<&>\"'", Span(0, 0))
    written = check_format("junit", FileFindings(SourceFile("\0"), [diagnostic]))
    failure = ElementTree.fromstring(written).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "\u2400\u240b\ufffd\ufffd\t<&>\"'"


def test_rdjson_counts_bytes() -> None:
    result = json.loads(check_format("rdjson", findings()))
    assert (result["source"], result["severity"]) == ({"name": "ipu-lint"}, "ERROR")
    first, *_, last = result["diagnostics"]
    assert first["location"] == {
        "path": "dir/a.s",
        "range": {"start": {"line": 2, "column": 6}, "end": {"line": 2, "column": 8}},
    }
    assert last["location"]["range"]["start"] == {"line": 4, "column": 13}
    assert (first["code"]["value"], last["severity"]) == ("E101", "INFO")


def test_rdjson_suggestions_do_what_our_fixes_do() -> None:
    found = json.loads(check_format("rdjson", findings()))["diagnostics"]
    for item, diagnostic in zip(found, FINDINGS, strict=True):
        content = TEXT.encode()
        for suggestion in item["suggestions"]:
            start, end = (
                byte_offset(content, suggestion["range"][key]) for key in ("start", "end")
            )
            content = content[:start] + suggestion["text"].encode() + content[end:]
        ours = diagnostic.fix.edits if diagnostic.fix else ()
        assert content.decode() == apply_edits(TEXT, ours)


def byte_offset(content: bytes, position: dict[str, int]) -> int:
    """Where a line and a byte column, both from 1, are in `content`."""
    return offset(content.decode("latin-1"), position["line"], position["column"])


def test_rdjson_suggests_nothing_that_is_too_long_to_judge() -> None:
    text = "a" * 5_000
    edits = (TextEdit(Span(0, 1), "b"), TextEdit(Span(4_999, 5_000), "b"))
    diagnostic = Diagnostic(ERROR, "x", Span(0, 1), fix=Fix("mend", edits, Applicability.SAFE))
    written = check_format("rdjson", FileFindings(SourceFile(text), [diagnostic]))
    assert json.loads(written)["diagnostics"][0]["suggestions"] == []


# Statistics


def test_statistics_count_rules_with_the_most_frequent_first() -> None:
    files = [findings(), FileFindings(SourceFile("x"), [FINDINGS[3]] * 9), CLEAN]
    assert format_statistics(files).splitlines() == [
        "10  H101  [ ] slow-loop",
        " 1  E101  [*] unknown-mnemonic",
        " 1  E302  [ ] duplicate-label",
        " 1  W101  [-] dead-store",
    ]


def test_statistics_in_json_count_the_fixes_of_each_applicability() -> None:
    first, second, *_ = json.loads(format_statistics([findings()], "json"))
    assert first == {
        "code": "E101",
        "name": "unknown-mnemonic",
        "count": 1,
        "fixable": True,
        "fixes": {"safe": 1, "unsafe": 0, "display": 0},
    }
    assert (second["fixable"], set(second["fixes"].values())) == (False, {0})


def test_statistics_of_nothing_are_empty() -> None:
    assert format_statistics([CLEAN]) == ""
    assert json.loads(format_statistics([], "json")) == []
