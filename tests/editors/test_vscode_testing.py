"""Kernel tests and coverage in Visual Studio Code: test explorer, gutter, debugger."""

from __future__ import annotations

from typing import Iterator

import pytest
from playwright.sync_api import Browser

from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import Debugger
from tests.editors.vscode_user import VSCodeUser

KERNEL = """\
# out[i] = in[i] * in[i]
    set lr1 2;;
loop:
    incr lr2 1;
    bne lr2 lr3 next;;
    acc;;
next:
    ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr0 lr0;;
    mult.ee r0 lr0 lr0 lr0; acc.first;;
    str_acc_reg lr0 cr1;;
    bkpt;;
"""
TEST = """\
import numpy as np
import pytest


def test_right(ipu):
    ipu.load("square.s")
    assert ipu.run().cycles == 8


@pytest.mark.parametrize("wanted", [16, 17])
def test_squares(ipu, wanted):
    ipu.load("square.s")
    ipu.cr[1] = 0x1000
    ipu.put(0, np.full(128, 4, np.int8))
    ipu.run()
    ipu.assert_bit_exact(ipu.get(0x1000, 128, np.int32), [wanted] * 128)
"""
GLYPH, FAILED = ".testing-run-glyph", ".testing-run-glyph.codicon-testing-failed-icon"
MISSED, MESSAGE = ".coverage-deco-gutter.coverage-deco-miss", ".test-error-content-widget"


@pytest.fixture
def vscode(browser: Browser, vscode_user: VSCodeUser) -> Iterator[VSCode]:
    """A folder with a kernel and its tests, of which one fails; the test file is open."""
    folder = vscode_user.work / "tested"
    folder.mkdir(exist_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:asyncio\n", encoding="utf-8")
    (folder / "ipu.toml").write_text("", encoding="utf-8")
    (folder / "square.s").write_text(KERNEL, encoding="utf-8")
    (folder / "test_square.py").write_text(TEST, encoding="utf-8")
    with VSCode(browser, vscode_user.server, folder) as vscode:
        vscode.open("test_square.py")
        yield vscode


def test_tests_of_kernels_run_and_debug(vscode: VSCode) -> None:
    page = vscode.page
    assert soon(page.locator(GLYPH).count, 2) == 2
    vscode.command("Test: Run All Tests with Coverage")
    assert soon(page.locator(FAILED).count, 1) == 1
    page.locator(MESSAGE, has_text="element 0: expected 17").wait_for()
    vscode.open("square.s")
    page.locator(MESSAGE, has_text="wrote what is wrong: element 0").wait_for()
    page.locator(MISSED).first.wait_for()
    vscode.screenshot("testing_coverage")
    vscode.command("Test: Debug All Tests")
    debugger = Debugger(vscode)
    assert " 10:" in soon(debugger.place, lambda place: " 10:" in place)
    vscode.screenshot("testing_debugger")
    debugger.stop()


def test_a_run_with_coverage_marks_the_kernel(vscode: VSCode) -> None:
    vscode.open("square.s")
    vscode.command("IPU: Run kernel with coverage...", asks="Element type")
    vscode.press("Enter")
    vscode.page.locator(MISSED).first.wait_for()
    vscode.screenshot("kernel_coverage")
