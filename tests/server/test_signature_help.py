"""The operands of the instruction that is being written, as editors show them."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from ipu_asm.isa import load_isa
from ipu_lsp.transport import Json
from tests.server.conversation import asked, greeted, opened
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

INCR = load_isa("ipu").instructions["incr"]
NO_ACTIVE: Json = {
    "textDocument": {"signatureHelp": {"signatureInformation": {"noActiveParameterSupport": True}}}
}


async def check_signature(editor: Editor, text: str, active: int | None) -> None:
    """At the end of the text `incr` is explained, with that operand the next one."""
    uri = editor.open(text).uri
    position = editor.position(text, len(text))
    params = t.SignatureHelpParams(t.TextDocumentIdentifier(uri), position)
    found = await editor.text_document_signature_help_async(params)
    if active is None:
        assert found is None
        return
    assert found is not None
    (signature,) = found.signatures
    assert (found.active_signature, found.active_parameter) == (0, active)
    assert (signature.label, signature.active_parameter) == (INCR.syntax, active)
    assert _text(signature.documentation) == INCR.doc.summary
    # Never offsets, which not every editor can take.
    assert [parameter.label for parameter in signature.parameters or ()] == ["reg", "value"]
    for parameter, operand in zip(signature.parameters or (), INCR.operands):
        assert operand.description in _text(parameter.documentation)


def _text(documentation: t.MarkupContent | str | None) -> str:
    assert documentation is not None
    return documentation if isinstance(documentation, str) else documentation.value


async def test_the_next_operand_is_shown(editor: Editor) -> None:
    await check_signature(editor, "# \U0001f600\n\u4e2d: incr ", 0)
    await check_signature(editor, "acc; incr lr0 ", 1)


async def test_behind_the_last_operand_no_parameter_is_active(editor: Editor) -> None:
    await check_signature(editor, "incr lr0 1 ", 2)


@pytest.mark.parametrize("text", ["", "incr", "incr lr0 1; ", "# incr ", "frob "])
async def test_where_no_operand_is_due_nothing_is_shown(editor: Editor, text: str) -> None:
    await check_signature(editor, text, None)


async def test_it_is_asked_for_behind_blanks_commas_and_parentheses(editor: Editor) -> None:
    offer = editor.offer.signature_help_provider
    assert offer == t.SignatureHelpOptions((" ", ",", "("), (" ", ","))


async def test_a_client_that_knows_no_active_parameter_is_told_of_none() -> None:
    position = {"line": 0, "character": 11}
    answer = greeted(
        opened("untitled:a", "incr lr0 1 "),
        asked(1, "signatureHelp", "untitled:a", position=position),
        capabilities=NO_ACTIVE,
    ).answer(1)["result"]
    assert answer["signatures"][0]["activeParameter"] is None
    assert answer["signatures"][0]["parameters"][0]["label"] == "reg"


async def test_a_document_that_is_not_open_has_no_signatures(editor: Editor) -> None:
    params = t.SignatureHelpParams(t.TextDocumentIdentifier("untitled:gone"), t.Position(0, 0))
    assert await editor.text_document_signature_help_async(params) is None
