"""The debugging section of `docs/editors/neovim.md`, as far as it can be tried without nvim-dap.

That plugin is in no package registry. So Neovim reads the configuration into an empty module of
its name, and the tests' own client sends what the plugin would make of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.debug_adapter.client import DapClient
from tests.debug_adapter.wires import StdioWire
from tests.editors.conftest import need
from tests.editors.kernels import DOCUMENTED
from tests.editors.neovim import Neovim
from tests.editors.user import User, phrases_of

KERNEL = "set lr1 5;;\nldr_mult_reg r0 lr0 cr1;;\nbkpt;;\n"
EMPTY_PLUGIN = """
local function no_command() end
local any = { __index = function() return no_command end }
return setmetatable({ adapters = {}, configurations = {} }, any)
"""
CONFIGURATIONS = "return require('dap').configurations['ipu-asm']"
OPTIONS = "local chunk = loadstring('return { ' .. ... .. ' }'); return chunk()"


@pytest.fixture
def neovim(tmp_path: Path) -> Iterator[Neovim]:
    """The Neovim of somebody who followed the document, with a plugin that does nothing."""
    need("nvim")
    user = User(tmp_path, "neovim.md")
    module = user.home / ".config" / "nvim" / "lua" / "dap.lua"
    module.parent.mkdir()
    module.write_text(EMPTY_PLUGIN, encoding="utf-8")
    with Neovim(user) as neovim:
        yield neovim


@pytest.fixture
def client(tmp_path: Path) -> Iterator[DapClient]:
    """What speaks to `ipu-dap` in the place of the plugin."""
    client = DapClient(StdioWire(tmp_path), tmp_path)
    yield client
    assert client.close() == 0


def check_launch(
    client: DapClient, configuration: dict[str, Any], kernel: str = KERNEL, **expected: str
) -> None:
    """Asserts what registers hold where a kernel has halted that was started so."""
    path = client.written(kernel)
    variables = {"${file}": str(path), "${fileDirname}": str(path.parent)}
    given = {key: variables.get(str(value), value) for key, value in configuration.items()}
    client.initialize(clientID="neovim", adapterID="nvim-dap")
    client.request("launch", **given)
    client.expect_event("initialized")
    client.configured()
    client.stopped()
    found = {name: client.evaluate(name).split(" ")[0] for name in expected}
    assert found == expected


def test_the_adapter_of_the_document_is_the_command(neovim: Neovim) -> None:
    adapter = neovim.lua("return require('dap').adapters.ipu")
    assert adapter == {"type": "executable", "command": "ipu-dap"}


def test_the_configuration_of_the_document_starts_the_kernel_of_the_buffer(
    neovim: Neovim, client: DapClient
) -> None:
    [configuration] = neovim.lua(CONFIGURATIONS)
    assert configuration["type"] == "ipu"
    check_launch(client, configuration, lr1="5", cr1="0")


def test_a_kernel_starts_with_the_inputs_that_its_head_comment_names(
    neovim: Neovim, client: DapClient
) -> None:
    [configuration] = neovim.lua(CONFIGURATIONS)
    check_launch(client, configuration, DOCUMENTED, cr1="0x20000")
    assert client.evaluate("any(u8(r0) != 0)").split()[0] == "true"
    [told] = [body["output"] for body in client.events_named("output") if "Made" in body["output"]]
    assert "Made up: weights (random numbers, 128 bytes at 0x20000)." in told


def test_the_options_of_the_document_load_a_file(
    neovim: Neovim, client: DapClient, tmp_path: Path
) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes([9]) * 128)
    [configuration] = neovim.lua(CONFIGURATIONS)
    [options] = phrases_of("neovim.md", "dtype")
    given = configuration | neovim.lua(OPTIONS, options)
    check_launch(client, given, cr1="0x20000", dtype="1")
    assert client.evaluate("max(u8(r0))").split(" ")[0] == "9"


def test_the_keys_of_the_document_are_the_plugins_commands(neovim: Neovim) -> None:
    keys = ("<F5>", "<F6>", "<F7>", "<F8>", "<F9>", "<F10>", "<F12>")
    told = [neovim.lua("return vim.fn.maparg(..., 'n', false, true).desc", key) for key in keys]
    assert all(told), told
    assert told[0] == "Start, or run on"
