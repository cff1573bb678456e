"""A launch without inputs takes those that are known: of ipu.toml, then of the comments."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.debug_adapter.client import DapClient
from tests.docs.commands import ROOT

KERNEL = """\
# Registers
#   cr0 = IN_BASE (in)
#   cr1 = OUT_BASE (out)
#   cr2 = SIZE (N * 128)
# CR cr4 = 3 | 4
# Memory
#   0x1000  256 bytes       in
#   0x8000  512 bytes       out
    set lr0 0;;
    add lr2 cr2 cr4; ldr_cyclic_mult_reg lr0 cr0 lr0;;
    str_acc_reg lr0 cr1;;
    bkpt;;
"""
TURNED_OFF = '"findInputs": false in the launch configuration turns this off.'


def told(client: DapClient) -> list[str]:
    """The lines in the debug console."""
    return [body["output"] for body in client.events_named("output")]


def values(client: DapClient, *texts: str) -> list[str]:
    """What expressions are worth, without what is said about them."""
    return [client.evaluate(text, "clipboard").split()[0] for text in texts]


def start(client: DapClient, program: str | Path = KERNEL, **given: Any) -> None:
    client.start(program, stopOnEntry=True, **given)
    client.stopped()


def test_registers_and_data_are_those_that_the_comments_name(client: DapClient) -> None:
    start(client)
    assert values(client, "cr0", "cr1", "cr2", "cr4") == ["4096", "32768", "0", "3"]
    assert values(client, "max(xmem[0x1000..0x10ff : u8]) > 200") == ["true"]
    assert told(client) == [
        "The head comment gives cr0 = 0x1000, cr1 = 0x8000. Comments give cr4 = 3. "
        "Made up: in (random numbers, 256 bytes at 0x1000). Not known, so 0: cr2 (SIZE). "
        f"{TURNED_OFF}\n"
    ]


def test_what_is_turned_off_is_not_looked_for(client: DapClient) -> None:
    start(client, findInputs=False)
    assert values(client, "cr0", "cr1", "cr4", "max(xmem[0x1000..0x10ff : u8])") == ["0"] * 4
    assert told(client) == []


@pytest.mark.parametrize("given", [{"cr": {"2": 5}}, {"dtype": "int8"}])
def test_a_launch_with_inputs_takes_the_registers_that_are_stated_and_guesses_none(
    client: DapClient, given: dict[str, Any]
) -> None:
    start(client, **given)
    assert values(client, "cr0", "cr1", "max(xmem[0x1000..0x10ff : u8])") == ["0"] * 3
    assert values(client, "cr4") == ["3"]
    assert told(client) == [
        f"cr4 = 3 (the first of 3 | 4) from the comment in line 5. {TURNED_OFF}\n"
    ]


def test_the_project_counts_before_comments_and_has_no_data_made_up(
    client: DapClient, tmp_path: Path
) -> None:
    (tmp_path / "ipu.toml").write_text('[kernel."k.s".run]\ncr = {1 = 7, 2 = 9}\n')
    (tmp_path / "k.s").write_text(KERNEL)
    start(client, tmp_path / "k.s")
    assert values(client, "cr0", "cr1", "cr2", "cr4") == ["4096", "7", "9", "3"]
    assert values(client, "max(xmem[0x1000..0x10ff : u8])") == ["0"]
    assert told(client) == [
        f"Registers and data are those of {tmp_path / 'ipu.toml'}. "
        "The head comment gives cr0 = 0x1000. Comments give cr4 = 3.\n"
    ]


def test_an_example_without_its_project_runs_to_its_end(client: DapClient, tmp_path: Path) -> None:
    program = tmp_path / "fully_connected.s"
    shutil.copy(ROOT / "examples" / program.name, program)
    client.start(program)
    assert "halted" in client.stopped()["description"]
    assert values(client, "sum(xmem[0x40000..0x409ff : i32]) != 0") == ["true"]


def test_a_program_that_names_nothing_is_told_nothing(client: DapClient) -> None:
    start(client, "add lr1 cr2 lr0;;\nbkpt;;\n")
    assert told(client) == []


def test_a_restart_finds_the_same_inputs(client: DapClient) -> None:
    start(client)
    first = values(client, "sum(xmem[0x1000..0x10ff : u8])")
    client.request("restart")
    client.stopped()
    assert values(client, "sum(xmem[0x1000..0x10ff : u8])") == first
