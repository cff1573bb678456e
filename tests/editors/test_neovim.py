"""A real Neovim with the configuration of `docs/editors/neovim.md`, driven by its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.blocks import blocks_of
from tests.editors.kernels import COLUMN, EXAMPLE, MESSAGE, MISTAKEN, ROW, WRAPPED, place
from tests.editors.neovim import Neovim
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

PAGE = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
FINDING = {
    "lnum": ROW,
    "col": COLUMN,
    "end_lnum": ROW,
    "end_col": COLUMN + len("reset_ac"),
    "code": "E101",
    "severity": 1,
    "message": MESSAGE,
}

FINDINGS = """
    local shown = vim.diagnostic.get(0)
    table.sort(shown, function(a, b) return a.lnum < b.lnum end)
    return vim.tbl_map(function(finding)
        return { lnum = finding.lnum, col = finding.col, code = finding.code,
                 end_lnum = finding.end_lnum, end_col = finding.end_col,
                 severity = finding.severity, message = finding.message }
    end, shown)
"""
OFFERED = """
    return vim.tbl_map(function(item) return item.abbr ~= "" and item.abbr or item.word end,
                       vim.fn.complete_info({ "items" }).items)
"""
SELECTED = """
    local mode = vim.fn.mode()
    return mode == "s" and vim.fn.getregion(vim.fn.getpos("v"), vim.fn.getpos("."))[1]
"""
RESOLVED = """
    local item = vim.fn.complete_info({ "items" }).items[1].user_data.nvim.lsp.completion_item
    local answers = vim.lsp.buf_request_sync(0, "completionItem/resolve", item, 2000)
    return answers[vim.lsp.get_clients()[1].id].result.documentation.value
"""
SYMBOLS = """
    return vim.tbl_map(function(item) return { item.text, item.lnum - 1, item.col - 1 } end,
                       vim.fn.getloclist(0))
"""

Open = Callable[[str], Neovim]


@pytest.fixture
def opened(neovim: Neovim, neovim_user: User) -> Iterator[Open]:
    """Opens a text as a new file, whose first line the cursor is on."""

    def open_text(text: str) -> Neovim:
        neovim.open(neovim_user.kernel(text))
        return neovim

    yield open_text
    neovim.type("<Esc>:only<CR>")


def check_findings(neovim: Neovim, *expected: dict[str, Any]) -> None:
    """Asserts that Neovim comes to show exactly these findings in the current file."""
    wanted = list(expected)
    assert soon(lambda: neovim.lua(FINDINGS) or [], wanted) == wanted


def check_offered(neovim: Neovim, offered: set[str], not_offered: set[str]) -> None:
    """Asserts what the menu of completions has, and what it has not."""
    menu = set(soon(lambda: neovim.lua(OFFERED) or [], lambda menu: offered <= set(menu)))
    assert offered <= menu
    assert not menu & not_offered


def check_hover(neovim: Neovim, *expected: str) -> None:
    """Asserts that the window which `K` opens comes to have these texts."""
    neovim.type("<Esc>:silent! fclose!<CR>K")
    shown = soon(neovim.floating, lambda shown: all(text in shown for text in expected))
    assert [text for text in expected if text not in shown] == [], shown


def codes(neovim: Neovim) -> list[str]:
    return sorted(finding["code"] for finding in neovim.lua(FINDINGS))


def test_a_misspelt_mnemonic_is_marked_from_its_first_to_its_last_letter(opened: Open) -> None:
    check_findings(opened(MISTAKEN), FINDING)


def test_k_on_a_mnemonic_opens_the_page_of_the_instruction(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "mult.ve "))
    told = [PAGE.title, PAGE.summary.partition(". ")[0], "ipu.md#L"]
    check_hover(neovim, *told, "slot `mult`", "`cyclic_offset` = `lr")


def test_k_on_a_loop_register_tells_what_the_kernel_says_of_it(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "bne                   lr2", "lr2"))
    check_hover(neovim, "lr2", "i, the input that is multiplied", "32 bits")


def test_k_on_a_config_register_tells_the_name_that_the_author_gave_it(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "lr1 cr1 lr6", "cr1"))
    check_hover(neovim, "cr1", "(weights, transposed: 128 bytes for each input", "32 bits")


def test_k_on_a_label_shows_what_is_there(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "lr2 lr3 element", "element"))
    check_hover(neovim, "bundle 4", "One bundle an input.", "ldr_cyclic_mult_reg   lr1 cr1 lr6;")


def test_k_on_a_number_writes_it_in_other_bases(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "lr3 126;;", "126"))
    check_hover(neovim, "126", "0x7e", "value")


def test_completion_offers_no_second_instruction_for_a_slot_that_is_taken(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Gomult.ve r0 lr0 lr0 lr0 lr0; <C-x><C-o>")
    check_offered(neovim, {"acc", "set", "bne"}, {"mult.ve", "mult.ee"})


def test_completion_begins_with_a_letter(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Goi")
    check_offered(neovim, {"incr"}, {"lr0"})


def test_completion_offers_every_slot_again_in_the_next_bundle(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Gomult.ve r0 lr0 lr0 lr0 lr0;; <C-x><C-o>")
    check_offered(neovim, {"acc", "set", "bne", "mult.ve", "mult.ee"}, set())


def test_a_blank_behind_a_branch_brings_up_its_labels(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Gobne lr0 lr1 ")
    check_offered(neovim, {"sample", "element"}, {"lr0", "acc", "bne"})


def test_a_chosen_instruction_brings_its_operands_to_be_filled_in(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Goinc<C-x><C-o>")
    check_offered(neovim, {"incr"}, {"mult.ve"})
    neovim.type("<C-n><C-y>")
    check_offered(neovim, {"lr0", "lr7"}, {"incr"})
    neovim.type("lr7<Tab>")
    assert soon(lambda: neovim.lua(SELECTED), "1") == "1"
    neovim.type("128<Esc>A;;<Esc>")
    wanted = EXAMPLE + "    incr lr7 128;;\n"
    assert soon(lambda: neovim.text(), wanted) == wanted


def test_what_is_offered_comes_with_its_page_when_asked(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("Goreset_<C-x><C-o>")
    check_offered(neovim, {"reset_acc"}, set())
    page = neovim.lua(RESOLVED)
    assert INSTRUCTION_SPEC["acc"]["reset_acc"]["doc"].summary in page


def test_a_jump_from_a_branch_puts_the_cursor_on_its_label(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "lr2 lr3 element", "element"))
    neovim.type("<C-]>")
    label = place(EXAMPLE, "\nelement:", "element")
    assert soon(lambda: neovim.cursor(), label) == label


def test_the_fix_mends_the_text_and_the_finding_goes(opened: Open) -> None:
    neovim = opened(MISTAKEN)
    check_findings(neovim, FINDING)
    neovim.put_cursor(ROW, COLUMN)
    neovim.lua(
        "vim.lsp.buf.code_action({ apply = true,"
        " filter = function(action) return action.title:find('reset_acc', 1, true) end })"
    )
    assert soon(lambda: neovim.text(), EXAMPLE) == EXAMPLE
    check_findings(neovim)


def test_the_outline_lists_the_labels_where_they_stand(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.type("gO")
    symbols = soon(lambda: neovim.lua(SYMBOLS) or [], bool)
    labels = [symbol for symbol in symbols if "Function" in symbol[0]]
    assert len(symbols) > len(labels)
    assert [(row, column) for _, row, column in labels] == [
        place(EXAMPLE, "\nsample:", "sample"),
        place(EXAMPLE, "\nelement:", "element"),
    ]
    assert ["sample" in labels[0][0], "element" in labels[1][0]] == [True, True]


def test_findings_follow_every_letter_that_is_typed(opened: Open) -> None:
    neovim = opened(EXAMPLE)
    neovim.put_cursor(*place(EXAMPLE, "reset_acc;;", "c;;"))
    neovim.type("x")
    check_findings(neovim, FINDING)
    neovim.type("ic")
    check_findings(neovim)
    neovim.type("c")
    check_findings(neovim, FINDING | finding_of("reset_accc"))
    neovim.type("<BS>")
    check_findings(neovim)


def test_the_server_sees_what_is_typed_between_wide_characters(opened: Open) -> None:
    neovim = opened(MISTAKEN)
    row, _ = place(MISTAKEN, "# bundle's products.")
    for keys, left in (
        ("fpi乘 🙂 é <Esc>", "乘 🙂 é products."),
        ("f🙂i🙃-<Esc>", "乘 🙃-🙂 é products."),
        ("f🙂xx", "乘 🙃-é products."),
        ("f乘vf🙃cq<Esc>", "q-é products."),
    ):
        neovim.put_cursor(row, 0)
        neovim.type(keys)
        neovim.put_cursor(*place(EXAMPLE, "\nelement:", "element"))
        check_hover(neovim, f"bundle's {left}")
    check_findings(neovim, FINDING)


def test_undo_of_a_large_change_leaves_the_server_with_the_same_text(opened: Open) -> None:
    neovim = opened(MISTAKEN)
    check_findings(neovim, FINDING)
    neovim.type("ggdG")
    check_findings(neovim)
    neovim.type("u")
    check_findings(neovim, FINDING)


@pytest.mark.parametrize("name", ["a.ipu", "b.s", "c.asm"])
def test_every_extension_of_the_language_starts_the_server(
    neovim: Neovim, neovim_user: User, name: str
) -> None:
    path = neovim_user.kernel(MISTAKEN, name)
    neovim.type(f"<Esc>:edit {path}<CR>")
    check_findings(neovim, FINDING)


def test_an_edgenpu_file_is_checked_by_the_rules_of_edgenpu(
    neovim: Neovim, neovim_user: User
) -> None:
    path = neovim_user.kernel("; nothing to do\nNOPE 100\n", "d.edgenpu")
    neovim.type(f"<Esc>:edit {path}<CR>")
    assert soon(lambda: codes(neovim), ["E101"]) == ["E101"]
    assert "NOP" in neovim.lua("return vim.diagnostic.get(0)[1].message")


def test_the_key_for_comments_writes_the_mark_of_the_language(opened: Open) -> None:
    neovim = opened("reset_acc;;\n")
    neovim.type("gcc")
    assert soon(lambda: neovim.text(), "# reset_acc;;\n") == "# reset_acc;;\n"


def test_a_setting_of_the_document_leaves_a_rule_out(opened: Open, tmp_path: Path) -> None:
    assert soon(lambda: codes(opened(WRAPPED)), ["E101", "W203"]) == ["E101", "W203"]
    user = User(tmp_path, "neovim.md")
    server = user.home / ".config" / "nvim" / "lsp" / "ipu.lua"
    [setting] = phrases_of("neovim.md", "settings = ")
    server.write_text(server.read_text("utf-8").replace("\n}", f"\n  {setting},\n}}"), "utf-8")
    with Neovim(user, user.kernel(WRAPPED)) as restarted:
        assert soon(lambda: codes(restarted), ["E101"]) == ["E101"]


def test_three_lines_alone_bring_findings_and_help(tmp_path: Path) -> None:
    user = User(tmp_path, "neovim.md")
    for path in (user.home / ".config" / "nvim").rglob("*.lua"):
        path.unlink()
    lines = blocks_of("neovim.md", "lua")[0]
    assert lines.count("\n") == 3
    (user.home / ".config" / "nvim" / "init.lua").write_text(lines, "utf-8")
    with Neovim(user, user.kernel(MISTAKEN)) as neovim:
        check_findings(neovim, FINDING)
        neovim.put_cursor(*place(MISTAKEN, "mult.ve "))
        check_hover(neovim, PAGE.title, PAGE.summary.partition(". ")[0])


def test_leaving_neovim_ends_the_server(tmp_path: Path) -> None:
    user = User(tmp_path, "neovim.md")
    with Neovim(user, user.kernel(MISTAKEN)) as neovim:
        check_findings(neovim, FINDING)
        assert len(user.running_servers()) == 1
        neovim.quit()
        assert soon(user.running_servers, []) == []


def finding_of(word: str) -> dict[str, Any]:
    message = f"unknown mnemonic `{word}`; did you mean `reset_acc`?"
    return {"end_col": COLUMN + len(word), "message": message}
