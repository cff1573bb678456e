"""What else a real Neovim does with the server, configured as `docs/editors/neovim.md` says.

That is 0.11: it has no key yet for selection ranges and formats nothing while one types.
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.kernels import EXAMPLE, place
from tests.editors.neovim import Neovim
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

LABEL = place(EXAMPLE, "\nelement:", "element")
BRANCH = place(EXAMPLE, "lr2 lr3 element", "element")
AROUND = place(EXAMPLE, "lr0 lr5 sample", "sample")
UNTIDY = (
    "turn:\nset lr0   1; set lr1 2;;   # two\n"
    "  add lr2 lr0 lr1;;\n  sub lr3 lr2 lr1;;\n   b turn;;\n"
)
TIDY = """turn:
  set lr0 1; set lr1 2;;   # two
  add lr2 lr0 lr1;;
  sub lr3 lr2 lr1;;
  b turn;;
"""

LISTED = """
    return vim.tbl_map(function(item)
        local path = vim.api.nvim_buf_get_name(item.bufnr)
        return { vim.fs.basename(path), item.lnum - 1, item.col - 1 }
    end, vim.fn.getqflist())
"""
LIT_UP = """
    local space = vim.api.nvim_get_namespaces()["nvim.lsp.references"]
    local marks = vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })
    return vim.tbl_map(function(mark) return { mark[2], mark[3], mark[4].hl_group } end, marks)
"""
PROMPT = "return vim.fn.mode() == 'c' and vim.fn.getcmdline()"
MESSAGES = "return vim.fn.execute('messages')"
ACTIVE = """
    for _, window in ipairs(vim.api.nvim_list_wins()) do
        local buffer = vim.api.nvim_win_get_buf(window)
        local marks = vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, { details = true })
        for _, mark in ipairs(marks) do
            if mark[4].hl_group == "LspSignatureActiveParameter" then
                return vim.api.nvim_buf_get_text(
                    buffer, mark[2], mark[3], mark[4].end_row, mark[4].end_col, {})[1]
            end
        end
    end
"""
TOKEN = """
    return vim.tbl_map(function(token)
        return { token.type, token.start_col, token.end_col, vim.tbl_keys(token.modifiers) }
    end, vim.lsp.semantic_tokens.get_at_pos(0, ...) or {})
"""
HINTS = """
    return vim.tbl_map(function(shown)
        local hint = shown.inlay_hint
        return { hint.position.line, hint.position.character, hint.label }
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
"""
LENSES = """
    return vim.tbl_map(function(lens) return { lens.range.start.line, lens.command.title } end,
                       vim.lsp.codelens.get(0))
"""
SET = """
    local client = vim.lsp.get_clients({ name = "ipu" })[1]
    local chosen = loadstring("return {" .. ... .. "}")()
    client.settings = { ipu = vim.tbl_extend("force", vim.empty_dict(), chosen) }
    client:notify("workspace/didChangeConfiguration", { settings = client.settings })
"""
ACT = """
    local title = ...
    vim.lsp.buf.code_action({ apply = true, context = { only = { "refactor" }, diagnostics = {} },
        filter = function(action) return vim.startswith(action.title, title) end })
"""
CLOSED = "return { vim.fn.foldclosed(... + 1) - 1, vim.fn.foldclosedend(... + 1) - 1 }"
OPEN = (-2, -2)  # what that is of a row that is in no closed fold

Open = Callable[[str], Neovim]
Set = Callable[[str], None]


@pytest.fixture
def opened(neovim: Neovim, neovim_user: User) -> Iterator[Open]:
    """Opens a text as a new file."""

    def open_text(text: str) -> Neovim:
        neovim.open(neovim_user.kernel(text))
        neovim.lua("vim.fn.setqflist({}); vim.cmd('messages clear')")
        return neovim

    yield open_text
    neovim.type("<Esc><Esc>:cclose<CR>:only<CR>")


def check_listed(neovim: Neovim, *expected: tuple[str, int, int]) -> None:
    """Asserts that the list of places comes to have these files, rows and columns."""
    wanted = sorted(map(list, expected))
    assert soon(lambda: sorted(neovim.lua(LISTED) or []), wanted) == wanted


def check_text(neovim: Neovim, expected: str) -> None:
    """Asserts that this comes to be the text of the current file."""
    assert soon(neovim.text, expected) == expected


def check_said(neovim: Neovim, expected: str) -> None:
    """Asserts that Neovim comes to tell this in a message."""
    assert expected in soon(lambda: neovim.lua(MESSAGES), lambda said: expected in said)


def check_hints(neovim: Neovim, *expected: tuple[int, int, str]) -> None:
    """Asserts that exactly these remarks come to be shown."""
    wanted = list(map(list, expected))
    assert soon(lambda: neovim.lua(HINTS) or [], wanted) == wanted


def check_lenses(neovim: Neovim, *expected: tuple[int, str]) -> None:
    """Asserts that exactly these lenses come to be shown."""
    wanted = list(map(list, expected))
    assert soon(lambda: neovim.lua(LENSES) or [], wanted) == wanted


def check_closed(neovim: Neovim, row: int, expected: tuple[int, int]) -> None:
    """Asserts that the closed fold that a row is in comes to have this first and last row."""
    wanted = list(expected)
    assert soon(lambda: neovim.lua(CLOSED, row), wanted) == wanted


def check_token(
    neovim: Neovim, where: tuple[int, int], word: str, kind: str, *modifiers: str
) -> None:
    """Asserts that the word at a place comes to be coloured as this kind of token."""
    row, column = where
    wanted = [[kind, column, column + len(word), list(modifiers)]]
    assert soon(lambda: neovim.lua(TOKEN, row, column), wanted) == wanted


def ask_new_name(neovim: Neovim, name: str) -> None:
    """Types a name once Neovim asks for it, with the old one as its proposal."""
    neovim.type("grn")
    assert soon(lambda: neovim.lua(PROMPT), "element") == "element"
    neovim.type(f"<C-u>{name}<CR>")


@pytest.fixture
def settings(neovim: Neovim) -> Iterator[Set]:
    """Sets what is below `ipu`, written in Lua; in the end nothing is set."""
    yield lambda text: neovim.lua(SET, text)
    neovim.lua(SET, "")


def test_grr_lists_the_label_and_the_branches_to_it(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    name = neovim.lua("return vim.fn.expand('%:t')")
    neovim.put_cursor(*BRANCH)
    neovim.type("grr")
    check_listed(neovim, (name, *LABEL), (name, *BRANCH))


def test_where_the_cursor_rests_reads_and_writes_of_a_register_light_up(opened: Open) -> None:
    neovim = opened(UNTIDY)
    neovim.put_cursor(*place(UNTIDY, "lr0   1"))
    neovim.type("l")
    wanted = [
        [*place(UNTIDY, "lr0   1"), "LspReferenceWrite"],
        [*place(UNTIDY, "lr0 lr1"), "LspReferenceRead"],
    ]
    assert soon(lambda: neovim.lua(LIT_UP), wanted) == wanted
    neovim.type("h")
    assert soon(lambda: neovim.lua(LIT_UP) or [], []) == []


def test_grn_renames_a_label_and_the_branches_to_it(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*BRANCH)
    ask_new_name(neovim, "turn")
    renamed = EXAMPLE.replace("\nelement:", "\nturn:").replace("lr3 element", "lr3 turn")
    check_text(neovim, renamed)


def test_a_new_name_that_is_taken_is_refused_with_the_reason(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*BRANCH)
    ask_new_name(neovim, "sample")
    check_said(neovim, "a label sample is already defined on line 38")
    assert neovim.text() == EXAMPLE


def test_grn_on_a_mnemonic_is_refused_with_the_reason(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "mult.ve "))
    neovim.type("grn")
    check_said(neovim, "only labels can be renamed")
    assert neovim.text() == EXAMPLE


def test_signature_help_shows_the_operand_that_is_next(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Gomult.ve r0 lr1 <C-s>")
    assert soon(lambda: neovim.lua(ACTIVE), "mask_offset") == "mask_offset"
    page = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
    shown = neovim.floating()
    assert [text for text in (page.syntax, page.summary, "modulo 8") if text not in shown] == []


def test_format_tidies_the_whole_file(opened: Open) -> None:
    neovim = opened(UNTIDY)
    [command] = phrases_of("neovim.md", ":lua vim.lsp.buf.format")
    neovim.type(f"{command}<CR>")
    check_text(neovim, TIDY)


def test_gq_tidies_the_bundles_that_its_motion_covers(opened: Open) -> None:
    neovim = opened(UNTIDY)
    neovim.put_cursor(1, 0)
    neovim.type("gqj")
    check_text(neovim, TIDY.replace("  b turn", "   b turn"))


def test_formatting_of_a_tidy_file_changes_nothing(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.lua("vim.lsp.buf.format()")
    assert neovim.text() == EXAMPLE
    assert not neovim.lua("return vim.bo.modified")


def test_a_setting_gives_each_instruction_a_line(opened: Open, settings: Set) -> None:
    neovim = opened(UNTIDY)
    settings('format = { style = "instruction" }')
    neovim.type("gggqG")
    wanted = TIDY.replace("lr0 1; set lr1 2;;   #", "lr0 1;\n  set lr1 2;;  #")
    check_text(neovim, wanted)


def test_a_setting_gives_each_bundle_a_line(opened: Open, settings: Set) -> None:
    neovim = opened("set lr0 1;\nset lr1 2;;\nbkpt;;\n")
    settings('format = { style = "bundle" }')
    neovim.type("gggqG")
    check_text(neovim, "set lr0 1; set lr1 2;;\nbkpt;;\n")


def test_words_are_coloured_by_what_they_are(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    check_token(neovim, place(EXAMPLE, "mult.ve "), "mult.ve", "function", "mult")
    check_token(neovim, place(EXAMPLE, "lr2 lr3 element"), "lr2", "variable", "lr")
    check_token(neovim, BRANCH, "element", "label")


def test_colours_follow_what_is_typed(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "mult.ve "))
    neovim.type("Oacc.first;<Esc>")
    row, column = place(EXAMPLE, "mult.ve ")
    check_token(neovim, (row, column), "acc.first", "function", "acc")
    check_token(neovim, (row + 1, column), "mult.ve", "function", "mult")


def test_remarks_on_time_come_with_their_setting_and_go_with_it(
    opened: Open, settings: Set
) -> None:
    neovim = opened("go: incr lr0 1; bne lr0 lr1 go;;\nbkpt;;\n")
    trips = (0, 32, "1 trip (old value)")
    check_hints(neovim, trips)
    settings("inlayHints = { time = true, trips = false }")
    check_hints(neovim, (0, 23, ": old"))
    settings("inlayHints = { addresses = true }")
    check_hints(neovim, (0, 2, "0"), (0, 30, "→ 0"), trips)
    settings("")
    check_hints(neovim, trips)


def test_the_setting_of_the_document_brings_remarks_and_lenses(opened: Open, settings: Set) -> None:
    neovim = opened("go: incr lr0 1; bne lr0 lr1 go;;\nbkpt;;\n")
    [phrase] = phrases_of("neovim.md", "inlayHints = ")
    settings(phrase)
    check_hints(neovim, (0, 23, ": old"), (0, 32, "1 trip (old value)"))
    neovim.type("l")
    cost = "1 trip x 1 bundle = 1 cycle of 2; bound by cond, lr; 2 of 7 slots used (29 %)"
    check_lenses(neovim, (0, cost))


def test_lenses_tell_of_branches_once_they_are_switched_on(opened: Open, settings: Set) -> None:
    neovim = opened(EXAMPLE)
    settings("codeLens = { loops = false, references = true }")
    neovim.type("l")
    text = "1 branch comes here"
    check_lenses(neovim, (place(EXAMPLE, "\nsample:", "sample")[0], text), (LABEL[0], text))


def test_bundles_labels_and_comments_fold(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*BRANCH)
    folds = "return { vim.fn.foldlevel(1), vim.fn.foldlevel(... + 1) }"
    assert soon(lambda: neovim.lua(folds, BRANCH[0]), [1, 3]) == [1, 3]
    check_closed(neovim, BRANCH[0], OPEN)
    neovim.type("zc")
    check_closed(neovim, BRANCH[0], (LABEL[0] + 1, BRANCH[0]))
    neovim.type("zM")
    check_closed(neovim, 0, (0, 29))
    check_closed(neovim, BRANCH[0], (place(EXAMPLE, "\nsample:", "sample")[0], AROUND[0]))
    neovim.type("zR")
    check_closed(neovim, BRANCH[0], OPEN)


def test_a_bundle_is_split_where_the_cursor_is(opened: Open) -> None:
    neovim = opened("set lr0 1; set lr1 2;;\nbkpt;;\n")
    neovim.put_cursor(0, 12)
    neovim.lua(ACT, "Split the bundle before set")
    check_text(neovim, "set lr0 1;;\nset lr1 2;;\nbkpt;;\n")


def test_symbols_of_the_project_come_also_from_files_that_are_not_open(tmp_path: Path) -> None:
    user = User(tmp_path, "neovim.md")
    user.kernel("", "ipu.toml")
    # In its first column: Neovim 0.11 measures others in the line of the file that is open.
    user.kernel("\nelsewhere: bkpt;;\n", "unopened.s")
    [command] = phrases_of("neovim.md", ":lua vim.lsp.buf.workspace_symbol")
    with Neovim(user) as neovim:
        neovim.open(user.kernel(EXAMPLE))
        neovim.type(command.replace("name", "elsewh") + "<CR>")
        check_listed(neovim, ("unopened.s", 1, 0))
    assert user.complaints() == ""


def test_the_memory_map_lists_regions_and_enter_goes_to_the_instruction(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    totals = "1,304 cycles, 7 of 1,024 bundles"
    assert soon(lambda: neovim.lua("return vim.b.ipu_totals"), totals) == totals
    neovim.type(":IpuMemoryMap<CR>")
    shown = soon(neovim.text, lambda text: text.startswith("# memory map"))
    assert shown.startswith("# memory map: 1,304 cycles")
    assert "0x00000..0x03fff  weights: 16,384 bytes, read through cr1" in shown
    neovim.type("/str_acc_reg<CR><CR>")
    row, _ = place(EXAMPLE, "str_acc_reg           lr4")
    assert soon(lambda: neovim.cursor()[0], row) == row
    neovim.type(":only<CR>")
