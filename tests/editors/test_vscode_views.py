"""The views that our extension brings to Visual Studio Code, beside the kernel they are about."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Iterator

import pytest

from ipu_asm.cli.assembler import command as assembler
from tests.editors.kernels import EXAMPLE, place
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_user import VSCodeUser

if TYPE_CHECKING:
    from playwright.sync_api import Frame

ELEMENT = 4  # the bundle of the inner loop
COUNTING = """    set lr0 0; set lr5 99;;
again:
    incr lr0 1;
    acc;
    bne lr0 lr5 again;;
    bkpt;;
"""
UTILISATION = "1 bundle per iteration, 6 of 7 slots used (86 %)"


@pytest.fixture
def example(
    vscode: VSCode, vscode_user: VSCodeUser, request: pytest.FixtureRequest
) -> Iterator[VSCode]:
    """A window with the example; a picture is kept of how that looked in the end."""
    vscode.open(vscode_user.kernel(EXAMPLE).name)
    yield vscode
    vscode.screenshot(request.function.__name__.removeprefix("test_"))
    vscode.close_file()


def check_selected(vscode: VSCode, words: str, inside: str) -> None:
    """Asserts that `inside` in the first `words` of the example comes to be selected."""
    row, column = place(EXAMPLE, words, inside)
    end = column + 1 + len(inside)
    wanted = f"Ln {row + 1}, Col {end} ({len(inside)} selected)"
    assert wanted in soon(vscode.status, lambda status: wanted in status)


def test_the_slot_grid_shows_bundles_and_two_clicks_go_to_the_instruction(example: VSCode) -> None:
    example.go_to(*place(EXAMPLE, "mult.ve "))
    example.command("IPU: Show slot grid")
    grid = example.webview(".row.current")
    current = grid.locator(".row.current")
    assert soon(lambda: current.get_attribute("data-row"), str(ELEMENT)) == str(ELEMENT)
    used = grid.locator(f".row[data-row='{ELEMENT}'] .cell.used")
    wanted = ["ldr_cyclic_mult_reg", "mult.ve", "acc", "incr", "incr", "bne"]
    assert [title.split(" ")[0] for title in titles(grid, ELEMENT)] == wanted
    assert used.count() == len(wanted)
    shown = "\n".join(grid.locator("body").all_inner_texts())
    assert UTILISATION in shown
    grid.locator(f".row[data-row='{ELEMENT}'] .cell[title^='acc']").dblclick()
    check_selected(example, "\n    acc;", "acc")
    grid.locator(".row[data-row='6'] .cell[title^='bkpt']").dblclick()
    check_selected(example, "bkpt;;", "bkpt")


def titles(grid: Frame, row: int) -> list[str]:
    """The instructions of a row of the slot grid, whole."""
    used = grid.locator(f".row[data-row='{row}'] .cell.used")
    return [str(used.nth(number).get_attribute("title")) for number in range(used.count())]


def test_the_slot_grid_follows_the_cursor_and_what_is_typed(example: VSCode) -> None:
    example.command("IPU: Show slot grid")
    grid = example.webview(".row[data-row='0']")
    example.focus_editor()
    example.go_to(*place(EXAMPLE, "str_acc_reg"))
    current = grid.locator(".row.current")
    assert soon(lambda: current.get_attribute("data-row"), "5") == "5"
    row, _ = place(EXAMPLE, "str_acc_reg")
    example.go_to(row, 0)
    example.type("    acc;")
    wanted = ["str_acc_reg lr4 cr2 (xmem)", "acc (acc)"]
    assert soon(lambda: titles(grid, 5)[:2], wanted) == wanted


def test_the_listing_stands_beside_the_kernel(example: VSCode) -> None:
    example.go_to(*place(EXAMPLE, "bkpt;;"))
    example.command("IPU: Open listing")
    beside = example.page.locator(".editor-group-container:has(.tab[data-resource-name$='.lst'])")
    lines = beside.locator(".view-line")
    shown = soon(lambda: lines.all_inner_texts(), lambda texts: "bkpt" in "".join(texts))
    [line] = [text for text in shown if "bkpt" in text]
    assert re.match(r"\s*6\s+#\s+bkpt;;", line)
    example.screenshot("the_listing_without_words")
    example.command("IPU: Show or hide words of listings")
    word = re.compile(r"\s*6:\s0x[0-9a-f]{48}\s+#\s+bkpt;;")
    assert any(soon(lambda: [*map(word.match, lines.all_inner_texts())], lambda found: any(found)))
    example.command("IPU: Show or hide words of listings")


def test_the_reference_opens_at_the_instruction_under_the_cursor(example: VSCode) -> None:
    example.go_to(*place(EXAMPLE, "mult.ve "))
    example.command("IPU: Open instruction reference")
    page = example.webview("#mult\\.ve, [id='mult-ve'], [id*='mult']")
    heading = page.locator("h3, h2", has_text="mult.ve").first
    heading.wait_for()
    visible = "e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.top < 400; }"
    assert soon(lambda: bool(heading.evaluate(visible)), expected=True)


def test_the_memory_map_shows_regions_and_a_click_goes_to_the_instruction(example: VSCode) -> None:
    example.command("IPU: Show memory map")
    page = example.webview(".region")
    check_regions(page, "weights 0x00000..0x03fff 16 KiB read")
    totals = "1,304 cycles, 7 of 1,024 bundles"
    assert totals in soon(example.status, lambda status: totals in status)
    page.locator(".access", has_text="str_acc_reg").click()
    check_selected(example, "str_acc_reg           lr4 cr2", "str_acc_reg           lr4 cr2")
    example.go_to(0, 0)
    example.type("# CR cr0 = 0, cr1 = 0x20000, cr2 = 0x40000\n")
    check_regions(page, "weights 0x20000..0x23fff 16 KiB read through cr1")


def check_regions(page: Frame, second: str) -> None:
    """Asserts that the memory map comes to have three regions, and what the second one is."""
    shown = page.locator(".region .about")

    def texts() -> list[str]:
        return [" ".join(text.split()) for text in shown.all_inner_texts()]

    found = soon(texts, lambda each: len(each) == 3 and each[1] == second)
    assert found[1:2] == [second]


def test_a_loop_shows_its_trips_and_a_store_its_addresses(
    example: VSCode, vscode_user: VSCodeUser
) -> None:
    settings = vscode_user.work / ".vscode" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"ipu.codeLens.loops": true, "ipu.inlayHints.trips": true}', "utf-8")
    example.go_to(*place(EXAMPLE, "str_acc_reg"))
    lenses = example.page.locator(".codelens-decoration")
    cost = "10 x 128 trips x 1 bundle = 1,280 cycles of 1,304; bound by xmem, mult, acc, lr"
    shown = soon(lambda: " | ".join(lenses.all_inner_texts()), lambda text: cost in text)
    assert cost in shown.replace("\xa0", " ")
    assert "10 x 128 trips (old value)" in soon(example.text, lambda text: "old value" in text)
    addresses = "512 bytes at cr2 + 0x100 x k, k = 0..9"
    assert addresses in example.hover(example.word("str_acc_reg"), addresses)
    example.screenshot("trips_and_addresses")
    settings.unlink()


OBJECT_SOURCE = """\
    .globl main
main:
    lda r0, [p0], #4
    nop
    ret lr
"""


def test_an_object_opens_as_its_annotated_assembly(vscode: VSCode, vscode_user: VSCodeUser) -> None:
    source = vscode_user.kernel(OBJECT_SOURCE, "main.aie2")
    assert assembler.main(["assemble", "-o", str(source.with_name("main.o")), str(source)]) == 0
    # The first file of a window waits for the server.
    vscode.open(source.name)
    soon(vscode.status, lambda status: "XDNA1" in status)
    vscode.open("main.o", "main.o (assembly)")
    text = soon(vscode.text, lambda text: "lda" in text)
    assert re.search(r"/\*      0: [0-9a-f ]+\*/    lda r0, \[p0\], #4 +// r0 lands \+7", text)
    vscode.screenshot("an_object_as_assembly")
    vscode.close_file()


def test_cycles_are_compared_with_the_last_commit(vscode: VSCode, vscode_user: VSCodeUser) -> None:
    settings = vscode_user.work / ".vscode" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"git.enabled": true}')
    kernel = vscode_user.work / "committed" / "kernel.s"
    kernel.parent.mkdir()
    kernel.write_text(EXAMPLE)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=kernel.parent, check=True)
    kernel.write_text(f"set lr15 0;;\n{EXAMPLE}")
    vscode.open("committed/kernel.s")
    wanted = "1 more than committed"
    assert wanted in soon(vscode.status, lambda status: wanted in status)
    vscode.screenshot("committed")
    vscode.close_file()
    settings.unlink()


def test_a_profile_marks_the_lines_until_the_text_changes(
    vscode: VSCode, vscode_user: VSCodeUser
) -> None:
    vscode.open(vscode_user.kernel(COUNTING).name)
    profile(vscode)
    wanted = ["1.0 % 1", "98.0 % 100", "1.0 % 1"]
    assert soon(lambda: marks(vscode), wanted) == wanted
    vscode.screenshot("profile_marks")
    vscode.command("IPU: Toggle marks of the profile")
    assert soon(lambda: marks(vscode), []) == []
    vscode.command("IPU: Toggle marks of the profile")
    assert soon(lambda: marks(vscode), wanted) == wanted
    vscode.go_to(*place(COUNTING, "set lr5 99", "99"))
    vscode.press("Control+Delete")
    assert soon(lambda: marks(vscode), []) == []
    vscode.type("49")
    profile(vscode)
    wanted = ["1.9 % 1", "96.2 % 50 -50", "1.9 % 1"]
    assert soon(lambda: marks(vscode), wanted) == wanted
    vscode.screenshot("profile_marks_compared")
    vscode.command("View: Close All Editors")


def profile(vscode: VSCode) -> None:
    """Profiles the kernel in front, with the inputs that the list offers."""
    vscode.command("IPU: Profile kernel...", asks="Element type")
    vscode.press("Enter")
    vscode.webview("text=hottest loop")
    vscode.focus_editor()


def marks(vscode: VSCode) -> list[str]:
    """The words that decorations add in front of the lines, with single blanks."""
    found = vscode.page.evaluate(
        """() => [...document.querySelectorAll(".view-line span")]
            .map(each => getComputedStyle(each, "::before").content)"""
    )
    return [" ".join(text.strip('"').split()) for text in found if "%" in text]
