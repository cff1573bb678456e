"""What a person meets in Visual Studio Code who writes a kernel, with the packaged extension."""

from __future__ import annotations

import re
from typing import Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.kernels import (
    COLUMN,
    EXAMPLE,
    MESSAGE,
    MISTAKEN,
    ROW,
    SHOWN,
    TIDY,
    UNTIDY,
    place,
)
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_user import VSCodeUser

Open = Callable[[str], VSCode]

BRANCH = place(EXAMPLE, "lr3 element", "element")


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


def check_text(vscode: VSCode, expected: str) -> None:
    """Asserts that this comes to be the text of the current file, which is saved for it."""

    def saved() -> str:
        vscode.save()
        return vscode.saved_text()

    assert soon(saved, expected) == expected


def test_a_mistake_is_underlined_listed_and_explained(opened: Open) -> None:
    vscode = opened(EXAMPLE)
    vscode.go_to(ROW, COLUMN + len("reset_acc"))
    vscode.press("Backspace")
    assert soon(vscode.squiggles, 1) == 1
    wanted = [f"{MESSAGE}\nipu\nE101\n[Ln {ROW + 1}, Col {COLUMN + 1}]"]
    assert soon(vscode.problems, wanted) == wanted
    assert MESSAGE in vscode.hover(vscode.page.locator(".squiggly-error"), MESSAGE)
    vscode.focus_editor()
    vscode.type("c")
    assert soon(vscode.squiggles, 0) == 0
    assert soon(vscode.problems, []) == []
    check_text(vscode, EXAMPLE)


def test_a_quick_fix_repairs_the_mistake(opened: Open) -> None:
    vscode = opened(MISTAKEN)
    vscode.go_to(ROW, COLUMN + 1)
    assert soon(vscode.squiggles, 1) == 1
    vscode.quick_fix("Replace by reset_acc")
    check_text(vscode, EXAMPLE)
    assert soon(vscode.squiggles, 0) == 0


def test_hover_explains_an_instruction(opened: Open) -> None:
    vscode = opened(EXAMPLE)
    vscode.go_to(*place(EXAMPLE, "mult.ve "))
    page = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"]
    told = (page.title, page.summary.partition(". ")[0], "Operation, encoding and more")
    shown = vscode.hover(vscode.word("mult.ve"), *told)
    assert [text for text in told if text not in shown] == []


def test_suggestions_leave_out_the_slots_that_are_taken(opened: Open) -> None:
    vscode = opened("set lr0 1;;\n\nbkpt;;\n")
    vscode.go_to(1, 0)
    vscode.type("acc")
    offered = vscode.suggestions()
    assert {"acc", "acc.first"} <= set(offered)
    vscode.press("Escape")
    vscode.type(";a")
    offered = vscode.suggestions()
    assert [name for name in offered if name.startswith("acc")] == []
    assert "aaq" in "".join(offered)


def test_a_suggestion_brings_its_operands_to_fill_in(opened: Open) -> None:
    vscode = opened("\nbkpt;;\n")
    vscode.type("mult.v")
    vscode.suggestions()
    vscode.press("Enter")
    vscode.type("r1")
    wanted = "mult.ve r1 lr0 lr0 lr0 lr0"
    assert wanted in soon(vscode.text, lambda text: wanted in text)


def test_a_label_is_renamed_with_the_branches_to_it(opened: Open) -> None:
    vscode = opened(EXAMPLE)
    vscode.go_to(*BRANCH)
    vscode.rename("turn")
    renamed = EXAMPLE.replace("\nelement:", "\nturn:").replace("lr3 element", "lr3 turn")
    check_text(vscode, renamed)


def test_formatting_tidies_the_whole_file(opened: Open) -> None:
    vscode = opened(UNTIDY)
    # The server has seen the file: now there is something to format with.
    assert "4 of 1,024" in soon(vscode.status, lambda status: "4 of 1,024" in status)
    vscode.press("Control+Shift+I")
    # 1.100 has a blank before a hint at the end of a line.
    assert soon(lambda: re.sub(r";;\W+never", ";;never", vscode.text()), SHOWN) == SHOWN
    check_text(vscode, TIDY)


def test_f12_goes_to_the_label_of_a_branch(opened: Open) -> None:
    vscode = opened(EXAMPLE)
    vscode.go_to(*BRANCH)
    vscode.press("F12")
    row, column = place(EXAMPLE, "\nelement:", "element")
    wanted = f"Ln {row + 1}, Col {column + 1}"
    assert wanted in soon(vscode.status, lambda status: wanted in status)
