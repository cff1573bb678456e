"""A new user's ways, counted in keys and clicks: to the first real vector, and to a planted bug."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Iterator

import pytest
from playwright.sync_api import Browser

from tests.editors.patience import soon
from tests.editors.user import PROJECT
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import FRAME, REASON, TOOLBAR, Debugger
from tests.editors.vscode_server import VERSIONS
from tests.editors.vscode_user import VSCodeUser

VECTORS = f"{TOOLBAR} .codicon-symbol-array"
WIDGET = ".exception-widget"
THEMES = {"vs-dark": "Visual Studio Dark", "vs": "Visual Studio Light"}
WIDTHS = (1400, 900)
CONSOLE = ".repl .monaco-list-row"
KERNELS = ("*.s", "*.asm", "ipu2/*.s")
RESULTS = {"requantize_int8.s": 2}
"""How many results are compared with files, where that is not one."""


@pytest.fixture
def examples(browser: Browser, vscode_user: VSCodeUser, tmp_path: Path) -> Iterator[VSCode]:
    """A window with a copy of the examples."""
    folder = tmp_path / "examples"
    shutil.copytree(PROJECT / "examples", folder)
    with VSCode(browser, vscode_user.server, folder) as vscode:
        yield vscode
        vscode.screenshot("journey-end")


def open_example(vscode: VSCode, name: str = "fully_connected.s") -> None:
    """Opens an example, and waits until the status bar tells of it."""
    vscode.open(name)
    assert "cycles" in soon(vscode.status, lambda text: "cycles" in text)


def keep_pictures(vscode: VSCode, name: str) -> None:
    """Keeps pictures in both themes, at both widths."""
    settings = vscode.folder / ".vscode" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    for kind, theme in THEMES.items():
        settings.write_text(json.dumps({"workbench.colorTheme": theme}), encoding="utf-8")
        vscode.page.locator(f".monaco-workbench.{kind}").wait_for()
        for width in WIDTHS:
            vscode.page.set_viewport_size({"width": width, "height": 900})
            vscode.screenshot(f"{name}-{kind}-{width}")
    vscode.page.set_viewport_size({"width": WIDTHS[0], "height": 900})


def test_one_key_and_one_click_lead_from_an_example_to_real_numbers(examples: VSCode) -> None:
    open_example(examples)
    examples.press("F5")
    examples.page.locator(FRAME).first.wait_for()
    reason = soon(lambda: examples.page.locator(REASON).inner_text(), lambda text: "bkpt" in text)
    assert "halted by bkpt" in reason
    examples.page.locator(VECTORS).click()
    cells = examples.webview(".card").locator(".card", has_text="r_acc").first.locator(".cell")
    numbers = soon(cells.all_inner_texts, lambda texts: any(text.strip("-0") for text in texts))
    assert len({text for text in numbers if text.strip("-0")}) > 20, numbers
    keep_pictures(examples, "first-vector")


def test_one_key_leads_to_a_wrong_base_register(examples: VSCode) -> None:
    toml = examples.folder / "ipu.toml"
    right = toml.read_text(encoding="utf-8")
    toml.write_text(right.replace("1 = 0x20000, 2 = 0x40000", "1 = 0x1ff000, 2 = 0x40000", 1))
    open_example(examples)
    examples.press("F5")
    widget = examples.page.locator(WIDGET)
    widget.wait_for()
    found = "cr1 = 0x1ff000 (2093056), but weights is at 0x20000 in the head comment"
    assert found in soon(widget.inner_text, lambda text: found in text)
    back = examples.page.locator(f"{TOOLBAR} .codicon-history")
    back.wait_for()
    assert examples.page.locator(f"{TOOLBAR} .codicon-settings-gear").is_visible()
    keep_pictures(examples, "wrong-base")
    back.click()
    stepped = "lr1 = 3840 -> 3968"
    assert stepped in soon(examples.text, lambda text: stepped in text)
    widget.wait_for(state="hidden")


@pytest.mark.parametrize("vscode_user", VERSIONS[:1], indirect=True)
def test_one_key_runs_every_example_to_the_expected_results(examples: VSCode) -> None:
    folder, debugger = examples.folder, Debugger(examples)
    open_example(examples)
    examples.press("Control+Shift+Y")  # the debug console
    kernels = sorted(path for pattern in KERNELS for path in folder.glob(pattern))
    assert len(kernels) == 12
    for kernel in kernels:
        open_example(examples, str(kernel.relative_to(folder)))
        examples.press("F5")
        reason = soon(debugger.reason, lambda reason: "halted by" in reason)
        assert "halted by" in reason, f"{kernel.name}: {reason}"
        check_told(examples, RESULTS.get(kernel.name, 1))
        examples.press("F5")
        examples.page.locator(TOOLBAR).wait_for(state="hidden")


def check_told(vscode: VSCode, results: int) -> None:
    """Asserts that the debug console tells of so many right results, and of nothing else."""
    rows = vscode.page.locator(CONSOLE)
    told = soon(rows.all_inner_texts, lambda texts: len(texts) == results + 1)
    assert told[0].startswith("Registers and data are those of "), told
    assert all(text.startswith("as expected: ") for text in told[1:]), told
