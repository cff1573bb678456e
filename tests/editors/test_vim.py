"""A real Vim with ALE and the configuration of `docs/editors/vim.md`, driven by its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.install_cache import NotInstalledError, command
from tests.editors.kernels import COLUMN, EXAMPLE, MESSAGE, MISTAKEN, ROW, WRAPPED, place
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of
from tests.editors.vim import Vim

FINDING = [ROW, COLUMN, COLUMN + len("reset_ac"), "E", "E101", MESSAGE]
BRANCH = place(EXAMPLE, "lr2 lr3 element", "element")
LABEL = place(EXAMPLE, "\nelement:", "element")

PREVIEW = "join(map(filter(getwininfo(), {_, w -> getwinvar(w.winid, '&previewwindow')}), \
{_, w -> join(getbufline(w.bufnr, 1, '$'), \"\\n\")}), '')"
OFFERED = "map(copy(complete_info(['items']).items), {_, item -> item.word})"

Open = Callable[..., Vim]


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Somebody who followed `docs/editors/vim.md`."""
    try:
        command("vim"), command("vim-ale")
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)
    return User(tmp_path_factory.mktemp("vim"), "vim.md")


@pytest.fixture(scope="module")
def vim(user: User) -> Iterator[Vim]:
    """Their Vim, which the tests share; each opens a file of its own."""
    with Vim(user) as vim:
        yield vim
    assert user.complaints() == ""


@pytest.fixture
def opened(vim: Vim, user: User) -> Iterator[Open]:
    """Opens a text as a new file, whose first line the cursor is on."""

    def open_text(text: str, name: str = "") -> Vim:
        vim.open(user.kernel(text, name))
        return vim

    yield open_text
    vim.type("\x1b")
    assert soon(lambda: vim.value("mode()"), "n") == "n"
    vim.run("silent! only!")


def check_findings(vim: Vim, *expected: list[Any]) -> None:
    """Asserts that ALE comes to show exactly these findings in the current file."""
    wanted = list(expected)
    assert soon(vim.findings, wanted) == wanted


def codes(vim: Vim) -> list[str]:
    return sorted(code for *_, code, _ in vim.findings())


def test_a_misspelt_mnemonic_is_marked_from_its_first_to_its_last_letter(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(ROW, COLUMN)
    assert "# E: unknown mnemonic" in soon(vim.shown, lambda shown: "# E: unknown" in shown)


@pytest.mark.parametrize("name", ["a.ipu", "b.s", "c.asm"])
def test_every_extension_of_the_language_starts_the_server(opened: Open, name: str) -> None:
    check_findings(opened(MISTAKEN, name), FINDING)


def test_an_edgenpu_file_is_checked_by_the_rules_of_edgenpu(opened: Open) -> None:
    vim = opened("; nothing to do\nNOPE 100\n", "d.edgenpu")
    assert soon(lambda: codes(vim), ["E101"]) == ["E101"]
    assert "NOP" in vim.findings()[0][-1]


def test_findings_follow_what_is_typed(opened: Open) -> None:
    vim = opened(EXAMPLE)
    vim.put_cursor(*place(EXAMPLE, "reset_acc;;", "c;;"))
    vim.type("x")
    check_findings(vim, FINDING)
    vim.type("u")
    check_findings(vim)


def test_k_on_a_mnemonic_shows_the_page_of_the_instruction(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(*place(MISTAKEN, "mult.ve "))
    vim.type("K")
    page = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
    told = (page.title, page.summary.partition(". ")[0], "ipu.md#L")
    shown = soon(lambda: vim.value(PREVIEW), lambda shown: told[0] in shown)
    assert [text for text in told if text not in shown] == []


def test_completion_offers_only_what_the_bundle_has_a_slot_for(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.type("Gomult.ve r0 lr0 lr0 lr0 lr0; \x18\x0f")
    offered = set(soon(lambda: vim.value(OFFERED), bool))
    assert {"acc", "set", "bne"} <= offered
    assert not offered & {"mult.ve", "mult.ee"}


def test_gd_on_a_branch_goes_to_its_label(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(*BRANCH)
    vim.type("gd")
    assert soon(vim.cursor, LABEL) == LABEL


def test_gr_lists_the_branches_to_a_label(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(*BRANCH)
    vim.type("gr")
    listed = f":{BRANCH[0] + 1}:{BRANCH[1] + 1}"
    assert listed in soon(vim.shown, lambda shown: listed in shown)


def test_the_fix_mends_the_text_and_the_finding_goes(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(ROW, COLUMN)
    vim.type("ga")
    assert "reset_acc" in soon(vim.shown, lambda shown: "1)" in shown)
    vim.type("1\r")
    assert soon(vim.text, EXAMPLE) == EXAMPLE
    check_findings(vim)


def test_a_label_is_renamed_with_the_branches_to_it(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.put_cursor(*BRANCH)
    vim.type("gR")
    soon(vim.shown, lambda shown: "New name" in shown)
    vim.type("\x15turn\r")
    renamed = MISTAKEN.replace("\nelement:", "\nturn:").replace("lr3 element", "lr3 turn")
    assert soon(vim.text, renamed) == renamed


def test_the_key_for_the_next_finding_goes_there(opened: Open) -> None:
    vim = opened(MISTAKEN)
    check_findings(vim, FINDING)
    vim.type("]d")
    assert soon(vim.cursor, (ROW, COLUMN)) == (ROW, COLUMN)


def test_a_setting_of_the_document_leaves_a_rule_out(opened: Open, tmp_path: Path) -> None:
    assert soon(lambda: codes(opened(WRAPPED)), ["E101", "W203"]) == ["E101", "W203"]
    user = User(tmp_path, "vim.md")
    plugin = user.home / ".vim" / "after" / "plugin" / "ipu.vim"
    [setting] = phrases_of("vim.md", "let s:settings = {'")
    text = plugin.read_text("utf-8").replace("let s:settings = {}", setting)
    plugin.write_text(text, "utf-8")
    with Vim(user) as restarted:
        restarted.open(user.kernel(WRAPPED))
        assert soon(lambda: codes(restarted), ["E101"]) == ["E101"]


def test_vim_has_the_commands_of_the_document(vim: Vim) -> None:
    commands = [phrase.split(" ")[0] for phrase in phrases_of("vim.md", ":ALE")]
    assert len(commands) == 3
    assert [name for name in commands if vim.value(f"exists('{name}')") != 2] == []


def test_leaving_vim_ends_the_server(tmp_path: Path) -> None:
    user = User(tmp_path, "vim.md")
    with Vim(user) as vim:
        vim.open(user.kernel(MISTAKEN))
        check_findings(vim, FINDING)
        assert len(user.running_servers()) == 1
        vim.quit()
        assert soon(user.running_servers, []) == []
