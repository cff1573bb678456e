"""What a person does about a kernel's inputs: the list of a run, at a fault, after a message."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Iterator

import pytest
from playwright.sync_api import Browser

from tests.editors.patience import soon
from tests.editors.user import PROJECT
from tests.editors.vscode import INPUT, NOTIFICATIONS, VSCode
from tests.editors.vscode_debug import TOOLBAR, Debugger
from tests.editors.vscode_user import VSCodeUser

EXAMPLES = PROJECT / "examples"
EXCEPTION = ".exception-widget"


@pytest.fixture
def debugger(browser: Browser, vscode_user: VSCodeUser, tmp_path: Path) -> Iterator[Debugger]:
    """A debugger of a kernel whose values and data are known from its head comment alone."""
    shutil.copy(EXAMPLES / "fully_connected.s", tmp_path)
    with VSCode(browser, vscode_user.server, tmp_path) as vscode:
        yield Debugger(vscode)
        vscode.screenshot("inputs-end")


def start(debugger: Debugger) -> None:
    """Opens the kernel, and presses F5 once its status is known."""
    debugger.vscode.open("fully_connected.s")
    assert "cycles" in soon(debugger.vscode.status, lambda text: "cycles" in text)
    debugger.start()


def check_list(vscode: VSCode, name: str, *lines: str) -> None:
    """Asserts that the list of a run comes to have lines with these words, and keeps a picture."""
    rows = vscode.page.locator(f"{INPUT} .monaco-list-row")
    shown = soon(
        lambda: [" ".join(row.split()) for row in rows.all_inner_texts()],
        lambda texts: all(any(line in text for text in texts) for line in lines),
    )
    missing = [line for line in lines if not any(line in text for text in shown)]
    assert not missing, shown
    vscode.screenshot(name)


def check_halted(debugger: Debugger) -> None:
    """Asserts that the kernel comes to its end."""
    assert "halted by bkpt" in soon(debugger.reason, lambda reason: "halted" in reason)


def test_inputs_are_set_at_a_fault_and_the_kernel_runs_to_its_end(debugger: Debugger) -> None:
    vscode = debugger.vscode
    wrong = (EXAMPLES / "ipu.toml").read_text("utf-8").replace("1 = 0x20000", "1 = 0x1ff000", 1)
    (vscode.folder / "ipu.toml").write_text(wrong, encoding="utf-8")
    shutil.copytree(EXAMPLES / "data", vscode.folder / "data")
    start(debugger)
    fault = vscode.page.locator(EXCEPTION)
    fault.wait_for()
    # The registers are open, with no click, and the list says what the host gave.
    registers = soon(debugger.variables, lambda found: "lr1" in found)
    assert registers.get("lr1", "").startswith("3968"), registers
    vscode.page.locator(f"{TOOLBAR} .codicon-settings-gear").click()
    check_list(vscode, "inputs-at-fault", "cr1 = 0x1ff000ipu.toml", "weights.bin @ 0x20000")
    vscode.choose("cr1 = 0x1ff000")
    vscode.answer("0x20000")
    check_list(vscode, "inputs-changed", "cr1 = 0x20000this form")
    vscode.press("Enter")
    fault.wait_for(state="hidden")
    check_halted(debugger)


def test_made_up_data_are_told_and_can_be_replaced(debugger: Debugger) -> None:
    vscode = debugger.vscode
    start(debugger)
    check_halted(debugger)
    said = "inputs, weights: random numbers, as no data are given."
    assert said in "\n".join(soon(vscode.notifications, lambda texts: said in "\n".join(texts)))
    vscode.page.locator(NOTIFICATIONS).get_by_text("Set inputs...").click()
    check_list(vscode, "inputs-made-up", "random:1 @ 0x0:1280inputs, made up, head comment")
    vscode.choose("random:1 @ 0x0:1280")
    vscode.choose("ramp")
    vscode.answer("0x0:1280")
    check_list(vscode, "inputs-replaced", "ramp @ 0x0:1280this form", "random:2 @ 0x20000:16384")
    vscode.press("Enter")
    vscode.page.wait_for_selector(INPUT, state="hidden")
    # r0 is the last sample: it begins with 9 * 128, which is -128 as int8.
    wanted = ["-128", "-127", "-126"]
    vscode.command("IPU: Show vectors")
    cells = vscode.webview(".card").locator(".card", has_text="r0").first.locator(".cell")
    assert soon(lambda: cells.all_inner_texts()[:3], wanted) == wanted


def test_f5_names_the_wrong_key_of_the_project_and_leads_there(debugger: Debugger) -> None:
    vscode = debugger.vscode
    wrong = '[kernel."*.s".run]\ndtype = "int9"\n'
    (vscode.folder / "ipu.toml").write_text(wrong, encoding="utf-8")
    vscode.open("fully_connected.s")
    vscode.press("F5")
    asks = vscode.page.locator(NOTIFICATIONS, has_text="ipu.toml:2")
    asks.first.wait_for()
    assert 'found "int9"' in asks.first.inner_text()
    assert vscode.page.locator(".monaco-dialog-box").count() == 0
    assert vscode.page.locator(TOOLBAR).count() == 0
    asks.first.get_by_text("Open ipu.toml").click()
    vscode.page.wait_for_selector(".tab.active[data-resource-name='ipu.toml']")


def test_a_set_without_a_machine_says_so_at_f5(debugger: Debugger) -> None:
    vscode = debugger.vscode
    shutil.copy(EXAMPLES / "colossus" / "scale.S", vscode.folder)
    vscode.open("scale.S")
    assert "bundles" in soon(vscode.status, lambda text: "bundles" in text)
    vscode.press("F5")
    said = "Programs of this set are assembled and checked, not executed."
    assert said in "\n".join(soon(vscode.notifications, lambda texts: said in "\n".join(texts)))
