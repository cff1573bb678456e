"""A real Neovim, configured as `docs/editors/neovim.md` says, with a kernel template."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from tests.editors.kernels import TEMPLATE, place
from tests.editors.neovim import Neovim
from tests.editors.patience import soon
from tests.editors.user import User

FINDINGS = """
    return vim.tbl_map(function(finding)
        return { finding.lnum, finding.col, finding.end_col, finding.code }
    end, vim.diagnostic.get(0))
"""
USE = place(TEMPLATE, "    set {{ total }}", "total")

Open = Callable[[str], Neovim]


@pytest.fixture
def opened(neovim: Neovim, neovim_user: User) -> Iterator[Open]:
    """Opens a text as a new file."""

    def open_text(text: str) -> Neovim:
        neovim.open(neovim_user.kernel(text))
        return neovim

    yield open_text
    neovim.type("<Esc><Esc>:only<CR>")


def test_a_mistake_in_a_loop_is_marked_once_where_it_is_written(opened: Open) -> None:
    neovim = opened(TEMPLATE.replace("    add ", "    addd "))
    row, column = place(TEMPLATE, "    add ", "add")
    wanted = [[row, column, column + len("addd"), "E101"]]
    assert soon(lambda: neovim.lua(FINDINGS), wanted) == wanted


def test_a_template_without_mistakes_has_no_findings(opened: Open) -> None:
    neovim = opened(TEMPLATE)
    neovim.put_cursor(*USE)
    neovim.type("K")  # its answer comes after the findings
    assert "lr1" in soon(neovim.floating, lambda text: "lr1" in text)
    assert neovim.lua(FINDINGS) in ([], {})


def test_hover_on_a_name_shows_its_register_and_its_remark(opened: Open) -> None:
    neovim = opened(TEMPLATE)
    neovim.put_cursor(*USE)
    neovim.type("K")
    shown = soon(neovim.floating, lambda text: "sum of the numbers" in text)
    assert "sum of the numbers" in shown
    assert "lr1" in shown


def test_a_name_is_renamed_with_all_its_uses(opened: Open) -> None:
    neovim = opened(TEMPLATE)
    neovim.put_cursor(*USE)
    neovim.lua("vim.lsp.buf.rename('sum_register')")
    wanted = TEMPLATE.replace("total", "sum_register")
    assert soon(neovim.text, wanted) == wanted


def test_a_name_leads_to_its_definition(opened: Open) -> None:
    neovim = opened(TEMPLATE)
    neovim.put_cursor(*USE)
    neovim.lua("vim.lsp.buf.definition()")
    wanted = place(TEMPLATE, "{% set total", "total")
    assert soon(neovim.cursor, wanted) == wanted
