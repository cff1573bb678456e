"""What a person sees who debugs a kernel in Visual Studio Code, with the packaged extension."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser

from tests.editors.kernels import EXAMPLE, LOOP, place
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import TOOLBAR, Debugger
from tests.editors.vscode_user import VSCodeUser

INCREMENT, HALT = 5, 7  # rows of LOOP
VARIABLES = ".pane-header[aria-label*='Variables']"
STANDS = ".codicon-debug-stackframe, .codicon-debug-breakpoint-stackframe"
SETTLED_MS = 2_000  # of a stop at which a closed view is a sign

SAMPLES, INPUTS, OUTPUTS = 10, 128, 64
LAYER = {
    "type": "ipu",
    "request": "launch",
    "name": "One layer",
    "program": "${workspaceFolder}/fully_connected.s",
    "dtype": "int8",
    "cr": {"0": 0, "1": "0x20000", "2": "0x40000"},
    "load": [{"file": "inputs.bin", "address": 0}, {"file": "weights.bin", "address": "0x20000"}],
    "dump": [{"file": "results.bin", "address": "0x40000", "length": SAMPLES * 256}],
    "expect": [{"file": "expected.npy", "address": "0x40000"}],
}


@pytest.fixture
def debugger(
    vscode: VSCode, vscode_user: VSCodeUser, request: pytest.FixtureRequest
) -> Iterator[Debugger]:
    """A debugger where the loop is open; a picture is kept of how that looked in the end."""
    vscode.open(vscode_user.kernel(LOOP).name)
    debugger = Debugger(vscode)
    yield debugger
    vscode.screenshot(request.function.__name__.removeprefix("test_"))
    debugger.stop()
    vscode.close_file()


@pytest.fixture
def layer(browser: Browser, vscode_user: VSCodeUser) -> Iterator[Debugger]:
    """A debugger in a folder with a kernel, what it works on, and how it is launched."""
    folder = vscode_user.work / "layer"
    (folder / ".vscode").mkdir(parents=True, exist_ok=True)
    launch = {"version": "0.2.0", "configurations": [LAYER]}
    (folder / ".vscode" / "launch.json").write_text(json.dumps(launch), encoding="utf-8")
    (folder / "fully_connected.s").write_text(EXAMPLE, encoding="utf-8")
    (folder / "inputs.bin").write_bytes(inputs().tobytes())
    padded = np.pad(weights().T, ((0, 0), (0, INPUTS - OUTPUTS)))
    (folder / "weights.bin").write_bytes(padded.tobytes())
    np.save(folder / "expected.npy", results())
    with VSCode(browser, vscode_user.server, folder, scale=2) as vscode:
        vscode.open("fully_connected.s")
        debugger = Debugger(vscode)
        yield debugger
        debugger.stop()


def inputs() -> NDArray[np.int8]:
    """Waves, a little later from sample to sample."""
    sample, place = np.indices((SAMPLES, INPUTS))
    elements: NDArray[np.int8] = np.round(100 * np.sin(place / 9 + sample)).astype(np.int8)
    return elements


def weights() -> NDArray[np.int8]:
    """Something of both signs that repeats nowhere soon."""
    output, place = np.indices((OUTPUTS, INPUTS))
    elements: NDArray[np.int8] = ((output * 7 + place * 3) % 31 - 15).astype(np.int8)
    return elements


def results() -> NDArray[np.int32]:
    """The results of the layer."""
    products: NDArray[np.int32] = (inputs().astype("i4") @ weights().T.astype("i4")).astype("i4")
    return products


def check_place(debugger: Debugger, row: int, reason: str = "") -> None:
    """Asserts that the machine comes to stand on a row, counted from 0, for this reason."""
    wanted = f" {row + 1}:"
    assert wanted in soon(debugger.place, lambda place: wanted in place)
    assert reason in soon(debugger.reason, lambda shown: reason in shown)


def check_register(debugger: Debugger, name: str, value: str) -> None:
    """Asserts that a variable on the screen comes to have a value that begins so."""
    debugger.expand("Loop registers")
    shown = soon(debugger.variables, lambda found: found.get(name, "").startswith(value))
    assert shown.get(name, "").startswith(value), shown


def stop_at_first_result(layer: Debugger) -> None:
    """Stops where the sums of the first sample are complete, and not stored yet."""
    row = place(EXAMPLE, "bne                   lr2 lr3 element;;")[0] + 2
    layer.toggle_breakpoint(row)
    layer.start()
    check_place(layer, row, "breakpoint")


def test_a_breakpoint_stops_the_kernel_and_shows_its_registers(debugger: Debugger) -> None:
    debugger.toggle_breakpoint(INCREMENT)
    debugger.start()
    check_place(debugger, INCREMENT, "breakpoint")
    check_register(debugger, "lr1", "0")
    check_register(debugger, "lr2", "8")
    debugger.vscode.press("F5")
    check_register(debugger, "lr1", "1")
    check_place(debugger, INCREMENT, "breakpoint")


def test_the_loop_registers_are_open_at_the_first_stop(debugger: Debugger) -> None:
    debugger.vscode.command("View: Show Explorer")
    debugger.vscode.focus_editor()
    debugger.toggle_breakpoint(INCREMENT)
    debugger.start()
    shown = soon(debugger.variables, lambda found: "lr2" in found)
    assert shown.get("lr2", "").startswith("8"), shown


def test_a_variables_view_that_was_closed_stays_closed(
    browser: Browser, vscode_user: VSCodeUser, tmp_path: Path
) -> None:
    (tmp_path / "kernel.s").write_text(LOOP, encoding="utf-8")
    with VSCode(browser, vscode_user.server, tmp_path) as vscode:
        vscode.open("kernel.s")
        debugger = Debugger(vscode)
        debugger.toggle_breakpoint(INCREMENT)
        debugger.start()
        assert "lr2" in soon(debugger.variables, lambda found: "lr2" in found)
        header = vscode.page.locator(VARIABLES)
        header.click()
        vscode.focus_editor()
        vscode.press("F10")
        check_place(debugger, INCREMENT + 1)
        vscode.page.wait_for_timeout(SETTLED_MS)
        vscode.press("Shift+F5")
        vscode.page.locator(TOOLBAR).wait_for(state="hidden")
        debugger.start()
        check_place(debugger, INCREMENT, "breakpoint")
        vscode.screenshot("variables-closed")
        assert header.get_attribute("aria-expanded") == "false"
        debugger.stop()


def test_steps_go_on_and_back(debugger: Debugger) -> None:
    debugger.toggle_breakpoint(INCREMENT)
    debugger.start()
    check_place(debugger, INCREMENT)
    debugger.vscode.press("F10")
    check_place(debugger, INCREMENT + 1, "cycle 3")
    check_register(debugger, "lr1", "1")
    debugger.click("step-back")
    check_place(debugger, INCREMENT)
    check_register(debugger, "lr1", "0")


def test_without_breakpoints_the_kernel_runs_to_its_bkpt(debugger: Debugger) -> None:
    debugger.start()
    check_place(debugger, HALT, "halted")
    check_register(debugger, "lr1", "8")
    debugger.vscode.press("F5")
    debugger.page.locator(".debug-toolbar").wait_for(state="hidden")


def test_all_lines_of_the_stopped_bundle_are_marked(debugger: Debugger) -> None:
    debugger.vscode.replace_text("    set lr1 1;\n    set lr2 2;;\n    bkpt;;\n")
    debugger.vscode.save()
    debugger.toggle_breakpoint(0)
    debugger.start()
    marked = debugger.page.locator(".view-overlays .cdr[class*='TextEditorDecorationType']")
    assert soon(marked.count, bool)
    assert debugger.vscode.hover(debugger.vscode.word("lr2"), "0 -> 2") == "0 -> 2"


def test_a_command_of_the_console_keeps_the_keyboard_there(debugger: Debugger) -> None:
    debugger.toggle_breakpoint(INCREMENT)
    debugger.start()
    check_place(debugger, INCREMENT, "breakpoint")
    debugger.vscode.command("Debug Console: Focus on Debug Console View")
    for command, row in (("goto +1", INCREMENT + 1), ("trip +1", INCREMENT)):
        debugger.page.keyboard.insert_text(command)
        debugger.vscode.press("Enter")
        check_place(debugger, row)
        assert soon(debugger.page.locator(STANDS).count, bool)
        assert soon(debugger.page.locator(".repl .monaco-editor.focused").count, 1) == 1
    assert debugger.page.locator(".tab.dirty").count() == 0


def test_values_stand_in_the_text_and_under_the_mouse(debugger: Debugger) -> None:
    debugger.toggle_breakpoint(INCREMENT + 1)
    debugger.start()
    check_place(debugger, INCREMENT + 1)
    wanted = "lr1 = 1"
    assert wanted in soon(debugger.vscode.text, lambda text: wanted in text)
    assert debugger.vscode.hover(debugger.vscode.word("lr2"), "8").startswith("8")


def test_a_layer_is_debugged_with_its_vectors_to_the_right_results(layer: Debugger) -> None:
    vscode = layer.vscode
    row = place(EXAMPLE, "\nelement:", "element")[0] + 1
    layer.toggle_breakpoint(row)
    layer.start()
    check_place(layer, row, "breakpoint")
    layer.expand("Loop registers")
    vscode.command("IPU: Show vectors")
    shown = vscode.webview(".card")
    cells = shown.locator(".card", has_text="r0").first.locator(".cell")
    wanted = [str(value) for value in inputs()[0]]
    assert soon(cells.all_inner_texts, wanted) == wanted
    for turn in range(3):
        vscode.press("F5")
        check_register(layer, "lr2", str(turn))
    products = weights()[:, :3].astype(int) @ inputs()[0, :3].astype(int)
    sums = shown.locator(".card", has_text="r_acc").first.locator(".cell")
    wanted = [str(value) for value in products]
    assert soon(lambda: sums.all_inner_texts()[:OUTPUTS], wanted) == wanted
    vscode.screenshot("vectors")
    layer.vscode.focus_editor()
    layer.toggle_breakpoint(row)
    vscode.press("F5")
    check_place(layer, place(EXAMPLE, "bkpt;;")[0], "halted")
    vscode.press("F5")
    layer.page.locator(".debug-toolbar").wait_for(state="hidden")
    check_results(vscode.folder / "results.bin")


def test_memory_is_a_picture_and_a_click_pins_a_part_of_it(layer: Debugger) -> None:
    vscode = layer.vscode
    stop_at_first_result(layer)
    vscode.command("IPU: Show memory map")
    memory = vscode.webview(".run-region")
    weights_ = memory.locator(".run-region", has_text="weights")
    assert soon(weights_.locator(".cell.read").count, 128) == 128
    stored = memory.locator(".run-region", has_text="results").locator(".cells .cell")
    vscode.press("F5")
    wanted = "0x40000..0x4007f: 0 reads, 1 write, last write"
    assert soon(lambda: stored.first.get_attribute("aria-label"), wanted) == wanted
    vscode.screenshot("memory")
    stored.first.click()
    vectors = vscode.webview(".card")
    pinned = vectors.locator(".card", has_text="xmem[0x40000 .. +128]")
    assert soon(pinned.count, 1) == 1


def test_a_vector_is_compared_with_a_file_and_a_key_leads_to_what_differs(layer: Debugger) -> None:
    vscode = layer.vscode
    stop_at_first_result(layer)
    vscode.command("IPU: Show vectors")
    vectors = vscode.webview(".card")
    acc = vectors.locator(".card", has_text="r_acc").first
    first = acc.locator(".cell").first
    wanted = f"r_acc[0] = {results()[0, 0]}, "
    assert wanted in soon(lambda: first.get_attribute("aria-label") or "", lambda t: wanted in t)
    acc.get_by_text("Expected…").click()
    vscode.screenshot("asked")
    vscode.page.locator(".quick-input-list", has_text="expected.npy").wait_for()
    vscode.page.keyboard.type("expected.npy")
    vscode.page.keyboard.press("Enter")
    # The file has ten samples; after the 64 sums of one, the accumulator has zeros.
    vscode.screenshot("asked")
    asked = vscode.page.locator(".quick-input-widget", has_text="found 640")
    asked.wait_for()
    vscode.page.keyboard.press("End")
    vscode.page.keyboard.type("@0")
    vscode.page.keyboard.press("Enter")
    said = acc.locator(".comparison-line .words")
    assert "64 of 128 differ" in soon(said.inner_text, lambda text: "differ" in text)
    acc.locator(".cell").first.focus()
    vectors.locator("body").press("m")
    focused = vectors.locator(":focus")
    label = f"r_acc[64] = 0, 0x00000000, expected {results()[1, 0]}"
    assert focused.get_attribute("aria-label") == label
    vscode.screenshot("expected")


def check_results(path: Path) -> None:
    """Asserts that the kernel has written what numpy calculates."""
    assert soon(path.exists, expected=True)
    written = np.frombuffer(path.read_bytes(), dtype=np.int32).reshape(SAMPLES, OUTPUTS)
    assert (written == results()).all()
