"""What editors offer while people type."""

from __future__ import annotations

import pytest
from lsprotocol import types as t

from ipu_asm.isa import load_isa
from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

SNIPPETS = ("vscode", "vscode-2022", "neovim")
MARKDOWN = ("vscode", "vscode-2022", "neovim")
TAGS = ("vscode", "vscode-2022", "neovim", "emacs")
LABEL_DETAILS = ("vscode",)
INSTRUCTIONS = set(load_isa("ipu").instructions)


async def check_completions(
    editor: Editor, text: str, replaced: str, typed: str | None = None
) -> dict[str, t.CompletionItem]:
    """Items at `$0` replace that text there; `typed` is the character that asked for them."""
    offset = text.index("$0")
    text = text.replace("$0", "")
    params = t.CompletionParams(
        t.TextDocumentIdentifier(editor.open(text).uri), editor.position(text, offset)
    )
    if typed is not None:
        kind = t.CompletionTriggerKind.TriggerCharacter
        params.context = t.CompletionContext(kind, trigger_character=typed)
    answer = await editor.text_document_completion_async(params)
    assert isinstance(answer, t.CompletionList)
    assert not answer.is_incomplete
    start = text.rindex(replaced, 0, offset + len(replaced)) if replaced else offset
    for item in answer.items:
        assert isinstance(item.text_edit, t.TextEdit)
        assert item.text_edit.range == editor.range(text, start, start + len(replaced))
        assert item.commit_characters is None
        assert item.documentation is None
    return {item.label: item for item in answer.items}


async def test_an_instruction_is_a_snippet_where_the_editor_knows_them(editor: Editor) -> None:
    items = await check_completions(editor, "inc$0\n", "inc")
    edit = items["incr"].text_edit
    assert edit is not None
    if editor.name in SNIPPETS:
        assert items["incr"].insert_text_format is t.InsertTextFormat.Snippet
        choices = ",".join(f"lr{number}" for number in range(16))
        assert edit.new_text == f"incr ${{1|{choices}|}} ${{2:1}}"
    else:
        assert items["incr"].insert_text_format is None
        assert edit.new_text == "incr"


async def test_a_row_shows_its_slot_where_the_editor_has_room_for_it(editor: Editor) -> None:
    details = (await check_completions(editor, "inc$0\n", "inc"))["incr"].label_details
    if editor.name in LABEL_DETAILS:
        assert details == t.CompletionItemLabelDetails(description="lr")
    else:
        assert details is None


async def test_only_what_the_bundle_has_room_for_is_offered(editor: Editor) -> None:
    items = await check_completions(editor, "incr lr1 1; incr lr2 1;\n    acc.first; $0;;", "")
    kinds = {item.kind for item in items.values()}
    assert kinds == {t.CompletionItemKind.Function}
    assert set(items) < INSTRUCTIONS
    assert not {"incr", "acc", "set"} & set(items)


async def test_operands_are_offered_with_columns_as_agreed(editor: Editor) -> None:
    items = await check_completions(editor, "\u4e2d\U0001f600 incr lr$0 1;;", "lr")
    assert set(items) == {f"lr{number}" for number in range(16)}
    assert {item.kind for item in items.values()} == {t.CompletionItemKind.Variable}


async def test_labels_are_offered_to_branches(editor: Editor) -> None:
    items = await check_completions(editor, "again: acc;;\nbne lr0 lr1 $0;;\n", "")
    assert items["again"].kind == t.CompletionItemKind.Reference


async def test_an_item_gets_its_documentation_when_it_is_looked_at(editor: Editor) -> None:
    items = await check_completions(editor, "$0", "")
    resolved = await editor.completion_item_resolve_async(items["acc.first"])
    page = resolved.documentation
    if editor.name in MARKDOWN:
        assert isinstance(page, t.MarkupContent)
        assert page.kind is t.MarkupKind.Markdown
        assert page.value.startswith("```ipu-asm\nacc.first\n```")
    else:
        assert isinstance(page, str)
        assert page.startswith("acc.first\n\n")
        assert "`" not in page
    assert resolved.text_edit == items["acc.first"].text_edit


async def test_an_item_of_a_closed_document_stays_as_it_is(editor: Editor) -> None:
    item = t.CompletionItem("acc", data={"uri": "untitled:gone", "kind": "instruction"})
    assert await editor.completion_item_resolve_async(item) == item
    unknown = t.CompletionItem("acc", data=[1])
    assert await editor.completion_item_resolve_async(unknown) == unknown


@pytest.mark.parametrize(
    ("text", "replaced", "offers"),
    [
        ("    $0\n", "", False),
        ("acc.first;; $0\n", "", False),
        ("acc.first; $0\n", "", True),
        ("incr $0\n", "", True),
        ("# isn't $0\n", "", False),
    ],
)
async def test_a_blank_offers_something_only_where_something_goes_on(
    editor: Editor, text: str, replaced: str, offers: bool
) -> None:
    assert bool(await check_completions(editor, text, replaced, typed=" ")) == offers


async def test_a_dot_goes_on_with_a_mnemonic(editor: Editor) -> None:
    assert "acc.first" in await check_completions(editor, "acc.$0\n", "acc.", typed=".")


async def test_deprecated_instructions_are_struck_through_where_that_is_known(
    editor: Editor,
) -> None:
    items = await check_completions(editor, "$0", "")
    deprecated = {m for m, s in load_isa("ipu").instructions.items() if s.deprecated is not None}
    tagged = {label for label, item in items.items() if item.tags}
    assert deprecated
    assert tagged == (deprecated if editor.name in TAGS else set())
