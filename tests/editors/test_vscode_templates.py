"""What a person meets in Visual Studio Code who writes and debugs a kernel template."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from tests.editors.kernels import TEMPLATE, place
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import Debugger
from tests.editors.vscode_user import VSCodeUser

Open = Callable[[str], VSCode]

ADD = place(TEMPLATE, "    add ", "add")


@pytest.fixture
def opened(
    vscode: VSCode, vscode_user: VSCodeUser, request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Opens a text as a new file; a picture is kept of how that looked in the end."""

    def open_text(text: str) -> VSCode:
        vscode.open(vscode_user.kernel(text).name)
        return vscode

    yield open_text
    vscode.screenshot(request.function.__name__.removeprefix("test_"))
    vscode.close_file()


@pytest.fixture
def debugger(opened: Open) -> Iterator[Debugger]:
    """A debugger where the template is open."""
    debugger = Debugger(opened(TEMPLATE))
    yield debugger
    debugger.stop()


def check_stops(debugger: Debugger, row: int, iteration: str = "", **registers: str) -> None:
    """Asserts that the machine comes to stand on a row, from 0, with these registers."""
    wanted = f" {row + 1}:"
    assert wanted in soon(debugger.place, lambda place: wanted in place)
    for name, value in registers.items():
        check_register(debugger, name, value)
    stack = debugger.page.locator(".debug-call-stack")
    assert iteration in soon(stack.inner_text, lambda shown: iteration in shown)


def check_register(debugger: Debugger, name: str, value: str) -> None:
    """Asserts that a register, which has a name, comes to be shown with a value."""
    debugger.expand("Loop registers")

    def shown() -> list[str]:
        found = debugger.variables().items()
        return [text.split(" ")[0] for shown, text in found if shown.startswith(f"{name} (")]

    assert soon(shown, [value]) == [value]


def test_a_mistake_in_a_loop_is_underlined_once_where_it_is_written(opened: Open) -> None:
    vscode = opened(TEMPLATE.replace("    add ", "    addd "))
    assert soon(vscode.squiggles, 1) == 1
    [problem] = soon(vscode.problems, lambda shown: len(shown) == 1)
    assert "unknown mnemonic `addd`" in problem
    assert f"[Ln {ADD[0] + 1}, Col {ADD[1] + 1}]" in problem
    vscode.go_to(ADD[0], ADD[1] + 1)
    vscode.quick_fix("Replace by add")
    assert soon(vscode.problems, []) == []


def test_hover_on_a_name_shows_its_register_and_its_remark(opened: Open) -> None:
    vscode = opened(TEMPLATE)
    vscode.go_to(*place(TEMPLATE, "    set {{ total }}", "total"))
    shown = vscode.hover(vscode.word("total"), "lr1", "sum of the numbers")
    assert "lr1" in shown
    assert "sum of the numbers" in shown


def test_a_name_is_renamed_with_all_its_uses(opened: Open) -> None:
    vscode = opened(TEMPLATE)
    vscode.go_to(*place(TEMPLATE, "    set {{ total }}", "total"))
    vscode.rename("sum_register")

    def saved() -> str:
        vscode.save()
        return vscode.saved_text()

    wanted = TEMPLATE.replace("total", "sum_register")
    assert soon(saved, wanted) == wanted


def test_the_expansion_opens_beside_the_template(opened: Open) -> None:
    vscode = opened(TEMPLATE)
    vscode.command("IPU: Show expansion")
    wanted = "add lr1 lr1 lr2;;"
    groups = vscode.page.locator(".editor-group-container")
    assert soon(groups.count, 2) == 2
    lines = groups.nth(1).locator(".view-line")
    shown = soon(lambda: "\n".join(lines.all_inner_texts()), lambda text: text.count("add") == 3)
    assert shown.replace("\u00a0", " ").count(wanted) == 3


def test_a_breakpoint_in_a_loop_stops_in_each_iteration(debugger: Debugger) -> None:
    debugger.toggle_breakpoint(ADD[0])
    debugger.start()
    for iteration, total in enumerate(("0", "0", "1")):
        check_stops(debugger, ADD[0], f"for n = {iteration}", lr1=total, lr2=str(iteration))
        debugger.vscode.screenshot(f"template_stopped_in_iteration_{iteration}")
        debugger.vscode.press("F5")
    check_stops(debugger, place(TEMPLATE, "    bkpt")[0], lr1="3")
