"""The server finds what the command line finds: codes, places, messages and fixes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from pygls.uris import to_fs_path

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.cli.lint.command import main as lint
from ipu_asm.isa import load_isa
from ipu_lsp.transport import Json, plain
from tests.server.conversation import EXIT, asked, greeted, opened

ROOT = Path(__file__).parents[2]
VECTORS = next(
    folder
    for folder in (ROOT / "tests" / "data" / "vectors", ROOT.parent / "shared" / "vectors")
    if folder.is_dir()
)
CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-32"]},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "tagSupport": {"valueSet": [1, 2]}},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}
SEVERITIES = {1: "error", 2: "warning", 4: "hint"}
ENDS = [(end, unit) for end in ("location", "end_location") for unit in ("row", "column")]
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 30, "character": 0}}


def programs(name: str) -> list[str]:
    """The programs of one file of vectors."""
    with gzip.open(VECTORS / f"{name}_public.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["asm"] for line in lines]


def check_findings(texts: list[str]) -> None:
    """In one session with all these texts, every document has the findings of its text."""
    analyzer = Analyzer(load_isa("ipu"))
    uris = [f"untitled:{number}" for number in range(len(texts))]
    messages = []
    for number, (uri, text) in enumerate(zip(uris, texts), 1):
        fixes = {"range": EVERYTHING, "context": {"diagnostics": [], "only": ["quickfix"]}}
        close = {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}
        messages += [opened(uri, text), asked(number, "codeAction", uri, **fixes), close]
    conversation = greeted(*messages, EXIT, capabilities=CAPABILITIES)
    pushed: dict[str, Json] = {}
    answers = {said["id"]: said for said in conversation.said if "id" in said}
    for params in conversation.told("textDocument/publishDiagnostics"):
        pushed.setdefault(params["uri"], params)
    for number, (uri, text) in enumerate(zip(uris, texts), 1):
        analysis = analyzer.analyze(text)
        findings = pushed[uri]["diagnostics"]
        assert [told(finding) for finding in findings] == expected(analysis)
        answered = answers[number]["result"]
        actions = [a for a in answered if "diagnostics" in a and not silences(a)]
        assert [offered(action) for action in actions] == expected_fixes(analysis)


def told(finding: Json) -> Json:
    """A finding off the wire in the words of `expected`."""
    return {
        "code": finding["code"],
        "name": finding["data"]["name"],
        "severity": SEVERITIES[finding["severity"]],
        "message": finding["message"],
        "place": place(finding["range"]),
        "tags": [["unnecessary", "deprecated"][tag - 1] for tag in finding.get("tags", ())],
        "related": [
            (place(related["location"]["range"]), related["message"])
            for related in finding.get("relatedInformation", ())
        ],
    }


def expected(analysis: Analysis) -> list[Json]:
    """The findings of an analysis."""
    position = analysis.source.lines.position
    return [
        {
            "code": finding.code,
            "name": finding.name,
            "severity": finding.severity.label,
            "message": finding.message,
            "place": (*position(finding.span.start), *position(finding.span.end)),
            "tags": list(finding.tags),
            "related": [
                ((*position(span.start), *position(span.end)), message)
                for span, message, _ in finding.related
            ],
        }
        for finding in analysis.diagnostics
    ]


def silences(action: Json) -> bool:
    """Whether it only tells the linter to say nothing of a finding."""
    return str(action["title"]).startswith("Ignore ")


def offered(action: Json) -> tuple[str, str, list[tuple[tuple[int, ...], str]]]:
    """A quick fix off the wire: the code of its finding, its title and its edits."""
    ((_, edits),) = action["edit"]["changes"].items()
    written = [(place(edit["range"]), edit["newText"]) for edit in edits]
    return action["diagnostics"][0]["code"], action["title"], written


def expected_fixes(analysis: Analysis) -> list[tuple[str, str, list[tuple[tuple[int, ...], str]]]]:
    """The fixes of an analysis."""
    position = analysis.source.lines.position
    return [
        (
            finding.code,
            plain(finding.fix.entry),
            [
                ((*position(edit.span.start), *position(edit.span.end)), edit.new_text)
                for edit in finding.fix.edits
            ],
        )
        for finding in analysis.diagnostics
        if finding.fix is not None
    ]


def place(range_: Json) -> tuple[int, ...]:
    """A range in one tuple."""
    return tuple(range_[end][unit] for end in ("start", "end") for unit in ("line", "character"))


@pytest.mark.usefixtures("short_control_runs")
@pytest.mark.parametrize(("name", "part"), [("encode", 0), ("encode", 1), ("reject", 0)])
def test_every_program_of_the_vectors_has_the_same_findings(name: str, part: int) -> None:
    texts = programs(name)[part::2] if name == "encode" else programs(name)
    assert len(texts) > 150
    check_findings(texts)


def test_examples_and_odd_texts_have_the_same_findings() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.s")]
    assert len(texts) >= 5
    odd = ["", "\0", "\r\n\r", "\ufeffnope;;", "x: x: b y;;\f\u2028nope", "\U0001f600 acc.frist;;"]
    check_findings(texts + odd)


def test_ipu_lint_and_the_server_agree_in_a_project_with_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = """
        [isa-by-glob]
        "npu/*.s" = "edgenpu"
        [lint]
        ignore = ["explicit-break"]
        [lint.per-file-ignores]
        "old/*" = ["W"]
    """
    (tmp_path / "ipu.toml").write_text(settings)
    text = "\u4e2d nope; break;;\nset lr0 40000; bkpt;;\nmult.ev r0 lr0 lr1 lr2;;\n"
    paths = [tmp_path / name for name in ("a.s", "npu/b.s", "old/c.s", "d.edgenpu", "e.ipu")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert lint(["--format", "json", "--exit-zero", *map(str, paths)]) == 0
    printed = {
        (f["filename"], f["code"], f["message"], *(f[end][unit] - 1 for end, unit in ENDS))
        for f in json.loads(capsys.readouterr().out)
    }
    opening = [opened(path.as_uri(), text) for path in paths]
    pushed = greeted(*opening, EXIT, capabilities=CAPABILITIES).told(
        "textDocument/publishDiagnostics"
    )
    shown = {
        (to_fs_path(params["uri"]), f["code"], f["message"], *place(f["range"]))
        for params in pushed
        for f in params["diagnostics"]
    }
    assert shown == printed
    assert len({finding[0] for finding in shown}) == len(paths)
