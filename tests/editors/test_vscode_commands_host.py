"""Commands, slot grid and listing, inside the extension host of Visual Studio Code and before it.

Most of it is tested by vscode-extension/test/host/{commands,slotGrid,listing}*.ts.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator

import pytest

from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_host import Host, run_in_extension_host
from tests.editors.vscode_server import VERSIONS
from tests.editors.vscode_user import VSCodeUser
from tests.editors.vscode_vsix import SOURCES, host_tests, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator

Opened = Callable[[str], "FrameLocator"]

LOOPS = """outer: set lr0 0; set lr1 1;;
    acc_nop; foo;;
inner:
    incr lr0 1;
    acc;
    bne lr0 lr1 inner;;
    b outer;;
"""
LONG = "".join(f"l{n}: incr lr0 1; bne lr0 lr1 l{n};;\n" for n in range(1000)) + "bkpt;;\n"


@pytest.fixture(params=VERSIONS)
def host(request: pytest.FixtureRequest, browser: Browser, vsix: Path, tmp_path: Path) -> Host:
    """The extension as it is packaged, in an extension host that runs tests."""
    version = str(request.param)
    return Host(browser, version, tmp_path / "code", unpacked(vsix, tmp_path / "unpacked"))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder whose settings say which interpreter has our package."""
    folder = tmp_path / "work"
    (folder / ".vscode").mkdir(parents=True)
    settings = {"ipu.interpreter": sys.executable}
    (folder / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


@pytest.fixture
def grid_of(
    vscode: VSCode, vscode_user: VSCodeUser, request: pytest.FixtureRequest
) -> Iterator[Opened]:
    """Opens a text as a new file with its slot grid beside it, and gives the grid's page."""

    def open_grid(text: str) -> FrameLocator:
        name = vscode_user.kernel(text).name
        vscode.open(name)
        # Until the extension is known, the palette does not have its commands.
        assert soon(vscode.status, lambda status: "IPU Assembly" in status)
        vscode.command("IPU: Show slot grid")
        frame = vscode.page.frame_locator("iframe.webview").frame_locator("iframe")
        frame.locator(".summary strong", has_text=name).wait_for()
        return frame

    yield open_grid
    vscode.screenshot(request.function.__name__.removeprefix("test_"))
    vscode.command("View: Close All Editors")


def check_host(host: Host, bundle: str, work: Path, trusting: bool = True) -> None:
    """All tests of a bundle pass inside the extension host."""
    file = host_tests() / f"{bundle}.js"
    results = run_in_extension_host(host, file, work, environment=os.environ, trusting=trusting)
    assert results
    failures = "\n".join(f"{name}: {message}" for name, ok, message in results if not ok)
    assert not failures, failures


def check_cursor(vscode: VSCode, row: int) -> None:
    """The cursor of the program is in this row, from 0; the focus may be elsewhere."""
    active = vscode.page.locator(".editor-instance .line-numbers.active-line-number")
    assert soon(lambda: active.all_inner_texts(), [str(row + 1)]) == [str(row + 1)]


@pytest.mark.parametrize("bundle", ["commands", "commandsRun", "slotGrid", "listing"])
def test_inside_the_extension_host(host: Host, work: Path, bundle: str) -> None:
    check_host(host, bundle, work)


def test_in_an_untrusted_workspace_no_command_starts_anything(host: Host, work: Path) -> None:
    python = work / "python"
    python.write_text(f'#!/bin/sh\ntouch "{work}/executed"\n', encoding="utf-8")
    python.chmod(0o755)
    settings = {"ipu.interpreter": str(python)}
    (work / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (work / "loop.s").write_text(LOOPS, encoding="utf-8")
    check_host(host, "commandsUntrusted", work, trusting=False)


def test_the_slot_grid_tells_what_is_used_idle_and_free(grid_of: Opened) -> None:
    grid = grid_of(LOOPS)
    assert grid.locator(".cell.used").all_inner_texts() == [
        *("set", "set"),
        *("acc", "incr", "bne"),
        "b",
    ]
    assert grid.locator(".cell.idle").all_inner_texts() == ["acc_nop"]
    assert grid.locator(".cell.stray").all_inner_texts() == ["foo"]
    # Four slots that no bundle uses are folded.
    assert grid.locator(".cell.free").count() == 4 * (8 - 4) - 7
    assert grid.locator(".body .label").all_inner_texts() == ["outer", "", "inner", ""]


def test_the_slot_grid_follows_the_cursor_and_its_loop(grid_of: Opened, vscode: VSCode) -> None:
    grid = grid_of(LOOPS)
    vscode.go_to(4, 5)
    grid.locator("[data-row='2'].current").wait_for()
    grid.locator(".under-cursor", has_text="1 bundle per iteration, 3 of 7 slots used").wait_for()
    vscode.go_to(1, 5)
    grid.locator("[data-row='1'].current").wait_for()
    grid.locator(".under-cursor", has_text="outer").wait_for()
    assert grid.locator(".row.in-loop").count() == 4
    assert grid.locator(".chip[aria-current]").inner_text().startswith("outer")


def test_a_click_leads_to_the_instruction_a_double_click_takes_the_focus_there(
    grid_of: Opened, vscode: VSCode
) -> None:
    grid = grid_of(LOOPS)
    grid.locator(".box", has_text="bne").click()
    check_cursor(vscode, 5)
    grid.locator(".cell:focus").wait_for()
    grid.locator(".box", has_text="foo").dblclick()
    check_cursor(vscode, 1)
    vscode.type("xyz")
    grid.locator(".cell.stray", has_text="xyz").wait_for()
    vscode.save()


def test_the_keyboard_leads_through_the_grid(grid_of: Opened, vscode: VSCode) -> None:
    grid = grid_of(LOOPS)

    def focused() -> int:
        grid.locator(".chip").first.focus()
        vscode.press("Tab", "Tab")
        count: int = grid.locator("[data-row='0'] .address:focus").count()
        return count

    # An answer of the server that comes in between draws the loops anew.
    assert soon(focused, 1) == 1
    vscode.press("ArrowDown", "ArrowDown", "End", "Enter")
    check_cursor(vscode, 2)
    vscode.press("ArrowLeft", "Enter")
    check_cursor(vscode, 5)
    vscode.press("Control+Home", "Control+Enter")
    check_cursor(vscode, 0)
    vscode.type("xyz;; ")
    grid.locator("[data-row='0'] .cell.stray", has_text="xyz").wait_for()
    vscode.save()


def test_of_a_long_program_only_what_is_seen_is_drawn(grid_of: Opened, vscode: VSCode) -> None:
    grid = grid_of(LONG)
    assert grid.locator("[role=grid]").get_attribute("aria-rowcount") == "1002"
    vscode.go_to(700, 0)
    grid.locator("[data-row='700'].current").wait_for()
    assert grid.locator(".body .row").count() < 100
    assert grid.locator(".headings .heading", has_text="cond").is_visible()


def test_the_walkthrough_has_five_steps_with_their_pictures() -> None:
    manifest = json.loads((SOURCES / "package.json").read_text("utf-8"))
    (walkthrough,) = manifest["contributes"]["walkthroughs"]
    commands = {command["command"] for command in manifest["contributes"]["commands"]}
    assert len(walkthrough["steps"]) == 5
    for step in walkthrough["steps"]:
        picture = (SOURCES / step["media"]["svg"]).read_text("utf-8")
        # The editor's content security policy drops styles: the picture would be black.
        assert "style" not in picture
        assert "var(--vscode-" in picture
        linked = [part.split(")")[0] for part in step["description"].split("(command:")[1:]]
        assert linked
        assert {command for command in linked if command.startswith("ipu.")} <= commands


def test_every_command_in_a_menu_has_a_picture_and_waits_for_trust_where_it_starts_something() -> (
    None
):
    contributes = json.loads((SOURCES / "package.json").read_text("utf-8"))["contributes"]
    commands = {command["command"]: command for command in contributes["commands"]}
    for menu, entries in contributes["menus"].items():
        for entry in entries:
            command = commands[entry["command"]]
            assert menu == "commandPalette" or command["icon"], entry
            assert command["category"] == "IPU"
    free = {name for name, command in commands.items() if "enablement" not in command}
    assert free == {"ipu.newKernel", "ipu.showLog", "ipu.toggleRemarks"}
