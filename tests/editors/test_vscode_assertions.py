"""What a person meets in Visual Studio Code who states in comments what a kernel does."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from tests.editors.kernels import place
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_debug import Debugger
from tests.editors.vscode_user import VSCodeUser

Open = Callable[[str], VSCode]

KERNEL = """\
# CYCLES <= 20
    set lr1 3;;
again:  # LOOP 4
    # ASSERT lr0 in 0..3
    incr lr0 1; bne lr0 lr1 again;;  # ASSERT-AFTER lr0 < 4
    # ASSERT sum(acc) == 0
    bkpt;;
"""
"""Five assertions; the fourth does not hold."""
FALSE = place(KERNEL, "lr0 < 4", "lr0")


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


def test_one_of_five_assertions_is_underlined_while_it_is_false(opened: Open) -> None:
    vscode = opened(KERNEL)
    assert soon(vscode.squiggles, 1) == 1
    [problem] = soon(vscode.problems, lambda shown: len(shown) == 1)
    assert "`lr0 < 4` must hold after each execution, found lr0 = 4" in problem
    assert f"[Ln {FALSE[0] + 1}, Col {FALSE[1] + 1}]" in problem
    vscode.go_to(*place(KERNEL, "LOOP 4", "LOOP"))
    shown = vscode.hover(vscode.word("LOOP"), "Holds", "proven for all executions")
    assert "trips" in shown


def test_the_debugger_stops_where_an_assertion_does_not_hold(opened: Open) -> None:
    vscode = opened(KERNEL)
    vscode.press("F5")
    widget = vscode.page.locator(".exception-widget")
    widget.wait_for()
    said = soon(widget.inner_text, lambda text: "lr0 < 4" in text)
    assert "found lr0 = 4" in said
    vscode.screenshot("stopped_by_an_assertion")
    Debugger(vscode).stop()
