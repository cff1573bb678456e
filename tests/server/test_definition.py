"""From a label to where it is defined."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINKS = ("vscode", "vscode-2022", "neovim", "emacs")


async def check_definition(
    editor: Editor, text: str, origin: str, target: str | None, whole: str = ""
) -> None:
    """The thing at `$0` is `origin` and leads to the text `target`; None if it leads nowhere."""
    offset = text.index("$0")
    text = text.replace("$0", "")
    uri = editor.open(text).uri
    params = t.DefinitionParams(t.TextDocumentIdentifier(uri), editor.position(text, offset))
    found = await editor.text_document_definition_async(params)
    if target is None:
        assert found is None
    elif editor.name not in LINKS:
        assert found == t.Location(uri, editor.range_of(text, target))
    else:
        start = text.rindex(origin, 0, offset + len(origin))
        assert found == [
            t.LocationLink(
                origin_selection_range=editor.range(text, start, start + len(origin)),
                target_uri=uri,
                target_range=editor.range_of(text, whole),
                target_selection_range=editor.range_of(text, target),
            )
        ]


async def test_a_branch_leads_to_its_label(editor: Editor) -> None:
    text = "# \U0001f600\n\u4e2d again: acc;;\nbkpt; bne lr0 lr1 ag$0ain;;\n"
    await check_definition(editor, text, "again", "again", "again: acc;;")


async def test_a_distance_leads_to_the_bundle_there(editor: Editor) -> None:
    text = "bne lr0 lr1 +$02;;\nbkpt;;\nacc.first;;\n"
    await check_definition(editor, text, "+2", "acc.first", "acc.first;;")


@pytest.mark.parametrize("text", ["b no$0where;;", "ac$0c;;", "# a$0\n", "$0"])
async def test_what_is_no_known_label_leads_nowhere(editor: Editor, text: str) -> None:
    await check_definition(editor, text, "", None)
