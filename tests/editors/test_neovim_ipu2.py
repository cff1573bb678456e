"""A real Neovim, configured as `docs/editors/neovim.md` says, with a kernel of the IPU 2."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import pytest

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.wires import StdioWire
from tests.editors.kernels import SUM_OF_IPU2, place
from tests.editors.neovim import Neovim
from tests.editors.patience import soon
from tests.editors.user import User

FINDINGS = """
    return vim.tbl_map(function(finding)
        return { finding.lnum, finding.col, finding.end_col, finding.code }
    end, vim.diagnostic.get(0))
"""
HALT = place(SUM_OF_IPU2, "BKPT;;")[0]

Open = Callable[[str], Neovim]


@pytest.fixture
def opened(neovim: Neovim, neovim_user: User) -> Iterator[Open]:
    """Opens a text as a new file."""

    def open_text(text: str) -> Neovim:
        neovim.open(neovim_user.kernel(text))
        return neovim

    yield open_text
    neovim.type("<Esc><Esc>:only<CR>")


@pytest.fixture
def client(neovim_user: User) -> Iterator[DapClient]:
    """What speaks to `ipu-dap` in the place of the plugin."""
    client = DapClient(StdioWire(neovim_user.work), neovim_user.work)
    yield client
    assert client.close() == 0


def check_findings(neovim: Neovim, *expected: list[Any]) -> None:
    """Asserts that these come to be the findings: row, column, end, code."""
    assert soon(lambda: neovim.lua(FINDINGS) or [], list(expected)) == list(expected)


def test_a_mistake_is_marked_and_goes_when_it_is_mended(opened: Open) -> None:
    neovim = opened(SUM_OF_IPU2.replace("ACC.ADD;", "ACC.AD;"))
    row, column = place(SUM_OF_IPU2, "ACC.ADD;")
    check_findings(neovim, [row, column, column + len("ACC.AD"), "E101"])
    neovim.put_cursor(row, column)
    neovim.type("cfDACC.ADD<Esc>")
    check_findings(neovim)


def test_k_on_a_mnemonic_in_any_case_opens_its_page(opened: Open) -> None:
    neovim = opened(SUM_OF_IPU2.replace("MULT.RC.VE", "mult.rc.ve"))
    neovim.put_cursor(*place(SUM_OF_IPU2, "MULT.RC.VE"))
    neovim.type("K")
    shown = soon(neovim.floating, lambda text: "Multiply Vector by Element" in text)
    # The head is the instruction as it is written, with its actual operands.
    assert "mult.rc.ve lr3 cr3 0 lr3 cr15" in shown


def test_the_kernel_is_debugged_forwards_and_backwards(
    opened: Open, client: DapClient, neovim_user: User
) -> None:
    opened(SUM_OF_IPU2)
    path = neovim_user.kernel(SUM_OF_IPU2)
    client.initialize(clientID="neovim", adapterID="nvim-dap")
    client.request("launch", program=str(path), type="ipu", cr={"2": 3}, stopOnHalt=True)
    client.expect_event("initialized")
    client.configured()
    client.stopped()
    assert client.evaluate("lr1").split(" ")[0] == "3"
    assert client.evaluate("sum(acc)").split(" ")[0] == "0"
    for _ in range(3):  # in front of BKPT, of the branch, of the last addition
        client.request("stepBack", threadId=1)
        client.stopped()
    assert client.evaluate("lr1").split(" ")[0] == "2"
