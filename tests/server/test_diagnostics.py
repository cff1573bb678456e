"""What findings look like in each editor, pushed or pulled."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from ipu_asm.lint import rule_link
from tests.server.capability_sets import PULLING
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

RELATED = ("vscode", "vscode-2022", "neovim")
LINKED = ("vscode", "vscode-2022")
TAGS = ("vscode", "vscode-2022", "neovim", "emacs")
ERROR, WARNING = t.DiagnosticSeverity.Error, t.DiagnosticSeverity.Warning


async def check_finding(
    editor: Editor, marked: str, code: str, name: str, severity: t.DiagnosticSeverity
) -> tuple[t.Diagnostic, str]:
    """The only finding of that code stands between the marks; with it, the text without them."""
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    text = marked.replace("⟦", "").replace("⟧", "")
    uri = editor.open(text).uri
    (finding,) = (found for found in await editor.findings(uri) if found.code == code)
    assert finding.range == editor.range(text, start, end)
    assert finding.severity is severity
    assert finding.source == "ipu"
    link = t.CodeDescription(str(rule_link(name))) if editor.name in LINKED else None
    assert finding.code_description == link
    assert isinstance(finding.data, dict)
    assert finding.data["name"] == name
    return finding, text


async def test_an_error_is_where_the_culprit_is(editor: Editor) -> None:
    marked = "# \u4e2d\n\u4e2d\U0001f600\u00e9 ⟦acc.frist⟧;;\n"
    finding, _ = await check_finding(editor, marked, "E101", "unknown-mnemonic", ERROR)
    assert finding.message == "unknown mnemonic `acc.frist`; did you mean `acc.first`?"
    assert finding.data == {"name": "unknown-mnemonic", "fix": "Replace by `acc.first`"}


async def test_a_warning_has_the_tags_that_the_editor_knows(editor: Editor) -> None:
    marked = "bkpt;;\n⟦acc⟧;;\n"
    finding, _ = await check_finding(editor, marked, "W102", "unreachable-bundle", WARNING)
    assert finding.tags == ((t.DiagnosticTag.Unnecessary,) if editor.name in TAGS else None)


async def test_a_deprecated_instruction_is_struck_through_where_that_is_known(
    editor: Editor,
) -> None:
    marked = "⟦mult.ev⟧ r0 lr0 lr1 lr2; acc; bkpt;;\n"
    finding, _ = await check_finding(editor, marked, "W201", "deprecated-mnemonic", WARNING)
    assert finding.tags == ((t.DiagnosticTag.Deprecated,) if editor.name in TAGS else None)


async def test_a_hint_is_a_hint(editor: Editor) -> None:
    await check_finding(
        editor, "⟦break⟧;;\nbkpt;;\n", "H101", "explicit-break", t.DiagnosticSeverity.Hint
    )


async def test_a_second_place_is_told_to_editors_that_show_it(editor: Editor) -> None:
    marked = "# \u4e2d\n\U0001f600 x: b x;;\n\U0001f600 ⟦x⟧: bkpt;;\n"
    finding, text = await check_finding(editor, marked, "E302", "duplicate-label", ERROR)
    if editor.name not in RELATED:
        assert finding.related_information is None
        return
    (related,) = finding.related_information or ()
    assert related.location.range == editor.range_of(text, "x")
    assert related.message == "`x` is defined here first"


async def test_findings_are_pushed_only_to_editors_that_do_not_pull(editor: Editor) -> None:
    uri = editor.open("nope;;").uri
    assert [finding.code for finding in await editor.findings(uri)] == ["E101"]
    assert (uri in editor.published) == (editor.name not in PULLING)
    assert (editor.offer.diagnostic_provider is not None) == (editor.name in PULLING)


async def test_an_edit_is_pushed_with_its_version(editor: Editor) -> None:
    uri = editor.open("nope;;").uri
    place = editor.range("nope;;", 0, 4)
    editor.edit(uri, 2, t.TextDocumentContentChangePartial(range=place, text="acc.frist"))
    editor.edit(uri, 5, t.TextDocumentContentChangeWholeDocument("acc.first; bkpt;;"))
    assert await editor.findings(uri, 5) == []


async def test_closing_takes_pushed_findings_back(editor: Editor) -> None:
    uri = editor.open("nope;;").uri
    await editor.findings(uri)
    editor.close(uri)
    if editor.name not in PULLING:
        assert (await editor.publication(uri, None)).diagnostics == ()


async def test_a_report_that_says_nothing_new_is_short(editor: Editor) -> None:
    uri = editor.open("nope;;").uri
    full = await pulled(editor, uri, None)
    assert isinstance(full, t.RelatedFullDocumentDiagnosticReport)
    assert [finding.code for finding in full.items] == ["E101"]
    assert full.result_id
    again = await pulled(editor, uri, full.result_id)
    assert again == t.RelatedUnchangedDocumentDiagnosticReport(result_id=full.result_id)
    editor.edit(uri, 2, t.TextDocumentContentChangeWholeDocument("acc.first; bkpt;;"))
    other = await pulled(editor, uri, full.result_id)
    assert isinstance(other, t.RelatedFullDocumentDiagnosticReport)
    assert other.items == ()
    assert other.result_id != full.result_id


async def test_a_document_that_is_not_open_has_no_findings(editor: Editor) -> None:
    report = await pulled(editor, "untitled:gone", None)
    assert isinstance(report, t.RelatedFullDocumentDiagnosticReport)
    assert report.items == ()


async def test_the_workspace_report_has_all_open_documents_and_clears_closed_ones(
    editor: Editor,
) -> None:
    bad, good = editor.open("nope;;").uri, editor.open("bkpt;;").uri
    reports = await pulled_workspace(editor, {})
    full = reports[bad]
    assert isinstance(full, t.WorkspaceFullDocumentDiagnosticReport)
    assert full.version == 1
    assert [finding.code for finding in full.items] == ["E101"]
    names = {uri: str(report.result_id) for uri, report in reports.items()}
    assert isinstance(reports[good], t.WorkspaceFullDocumentDiagnosticReport)
    editor.close(bad)
    again = await pulled_workspace(editor, names)
    assert isinstance(again[good], t.WorkspaceUnchangedDocumentDiagnosticReport)
    closed = again[bad]
    assert isinstance(closed, t.WorkspaceFullDocumentDiagnosticReport)
    assert closed.version is None
    assert closed.items == ()


async def pulled(
    editor: Editor, uri: str, previous: str | None
) -> t.RelatedFullDocumentDiagnosticReport | t.RelatedUnchangedDocumentDiagnosticReport:
    """The report about a document to an editor that has the one of that name."""
    params = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri), previous_result_id=previous)
    return await editor.text_document_diagnostic_async(params)


async def pulled_workspace(
    editor: Editor, previous: dict[str, str]
) -> dict[
    str, t.WorkspaceFullDocumentDiagnosticReport | t.WorkspaceUnchangedDocumentDiagnosticReport
]:
    """The reports about all documents, by their addresses."""
    known = [t.PreviousResultId(uri, name) for uri, name in previous.items()]
    answer = await editor.workspace_diagnostic_async(t.WorkspaceDiagnosticParams(known))
    return {report.uri: report for report in answer.items}
