"""A kernel of the IPU 2 in Visual Studio Code: edited, debugged, its vectors looked at."""

from __future__ import annotations

import json
from typing import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.editors.kernels import SUM_OF_IPU2, place
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import Debugger
from tests.editors.vscode_user import VSCodeUser

ROWS = 3
ELEMENTS = (np.arange(ROWS * 128) % 50 - 20).astype(np.int8).reshape(ROWS, 128)
BRANCH = place(SUM_OF_IPU2, "BLT lr1 lr2")[0]
LAUNCH = {
    "type": "ipu",
    "request": "launch",
    "name": "Sum of rows",
    "program": "${workspaceFolder}/sum.s",
    "cr": {"2": ROWS, "3": 2},
    "load": [{"file": "rows.bin", "address": 0}],
}


@pytest.fixture
def window(browser: Browser, vscode_user: VSCodeUser) -> Iterator[VSCode]:
    """A window of a folder whose kernels are of the IPU 2 by its ipu.toml alone."""
    folder = vscode_user.work / "ipu2"
    (folder / ".vscode").mkdir(parents=True, exist_ok=True)
    launch = {"version": "0.2.0", "configurations": [LAUNCH]}
    (folder / ".vscode" / "launch.json").write_text(json.dumps(launch), encoding="utf-8")
    (folder / "ipu.toml").write_text('isa = "ipu2"\n', encoding="utf-8")
    (folder / "sum.s").write_text(SUM_OF_IPU2, encoding="utf-8")
    (folder / "rows.bin").write_bytes(ELEMENTS.tobytes())
    with VSCode(browser, vscode_user.server, folder, scale=2) as vscode:
        vscode.open("sum.s")
        yield vscode


def test_a_kernel_is_edited_with_findings_pages_and_completion(window: VSCode) -> None:
    row, column = place(SUM_OF_IPU2, "ACC.ADD;")
    window.hover(window.word("MULT.RC.VE"), "Multiply")
    window.go_to(row, column + len("ACC.ADD"))
    window.press("Backspace")
    assert soon(window.squiggles, 1) == 1
    window.press("Control+Space")
    offered = soon(window.suggestions, lambda names: any("ACC.ADD" in name for name in names))
    assert any("ACC.ADD" in name for name in offered)
    window.screenshot("ipu2_completion")
    window.press("Escape", "Control+z")
    assert soon(window.squiggles, 0) == 0


def test_a_kernel_is_debugged_with_time_travel_and_its_vectors(window: VSCode) -> None:
    debugger = Debugger(window)
    debugger.toggle_breakpoint(BRANCH)
    debugger.start()
    wanted = f" {BRANCH + 1}:"
    assert wanted in soon(debugger.place, lambda place: wanted in place)
    window.command("IPU: Show vectors")
    shown = window.webview(".card")
    sums = shown.locator(".card", has_text="r_acc").first.locator(".cell")
    for turn in range(2, ROWS + 1):  # the first row is added in front of the loop
        totals = [str(value) for value in 2 * ELEMENTS[:turn].astype(int).sum(axis=0)]
        assert soon(sums.all_inner_texts, totals) == totals
        if turn < ROWS:
            window.press("F5")
    window.screenshot("ipu2_vectors")
    debugger.click("step-back")
    totals = [str(value) for value in 2 * ELEMENTS[:2].astype(int).sum(axis=0)]
    assert soon(sums.all_inner_texts, totals) == totals
    debugger.stop()
